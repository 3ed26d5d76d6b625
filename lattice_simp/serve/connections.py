"""Connections whose other end is silent or slow are closed: they would keep readers out."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE_S = 10.0
"""Seconds within which a whole request comes, and within which what is written is read."""

CONNECTIONS = 256
"""Requests at more connections at once are refused."""

SILENT = CONNECTIONS // 2
"""When there are so many connections, a new one closes the one that has been waited for the longest."""


class PatientProtocol(H11Protocol):
    """HTTP of a server that waits `PATIENCE_S` for a request, however its bytes trickle in, and not longer.

    Name it to uvicorn: `uvicorn.Config(..., http=PatientProtocol)`.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > SILENT:
            waited_for = [own for own in self.connections if isinstance(own, PatientProtocol) and own._deadline]
            if len(waited_for) > 1:
                min(waited_for, key=lambda own: own._ends)._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the wait."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Handles what has come; a request that is complete is not waited for any more."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """Waits for the next request, and until this answer has been read."""
        super().on_response_complete()
        self._stop_waiting()
        self._watch()

    def pause_writing(self) -> None:
        """Waits until the other end reads."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Goes on writing."""
        super().resume_writing()
        self._watch()

    @property
    def _ends(self) -> float:
        return self._deadline.when() if self._deadline is not None else float("inf")

    def _watch(self) -> None:
        """Waits no longer than `PATIENCE_S` where it is the other end's turn."""
        receives = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if not (receives or self.flow.write_paused or self.transport.is_closing()):
            self._stop_waiting()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(PATIENCE_S, self._end)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._stop_waiting()
        self.transport.abort()

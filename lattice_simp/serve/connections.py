"""Closes connections with silent or slow clients, which would block others."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE_S = 10.0
"""The seconds in which a client must send a whole request or read an answer."""

CONNECTIONS = 512
"""The most simultaneous connections; requests on others are refused."""

SILENT = 3 * CONNECTIONS // 4
"""The number of connections above which a new one closes the one that has been waiting longest.

Far more than open at once in a burst, whose requests are read only when all of them have been accepted.
"""


class PatientProtocol(H11Protocol):
    """An HTTP protocol that waits at most `PATIENCE_S` for a whole request.

    Pass it to uvicorn: `uvicorn.Config(..., http=PatientProtocol)`.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts waiting for a request."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > SILENT:
            waited_for = [
                connection
                for connection in self.connections
                if isinstance(connection, PatientProtocol) and connection._deadline
            ]
            if len(waited_for) > 1:
                min(waited_for, key=lambda connection: connection._ends)._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Handles incoming data, and stops waiting for a complete request."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """Waits until the answer is read, then for the next request."""
        super().on_response_complete()
        self._stop_waiting()
        self._watch()

    def pause_writing(self) -> None:
        """Waits for the client to read."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Continues to write."""
        super().resume_writing()
        self._watch()

    @property
    def _ends(self) -> float:
        return self._deadline.when() if self._deadline is not None else float("inf")

    def _watch(self) -> None:
        """Starts the deadline if it is the client's turn."""
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

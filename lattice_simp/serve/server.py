"""Serves an app on this machine until Ctrl-C."""

from __future__ import annotations

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.connections import CONNECTIONS, PatientProtocol
from lattice_simp.support.interrupts import interrupts_remembered

LONGEST_ADDRESS = 65_536
"""The most bytes of a request line and headers; each character of a text in an address takes up to nine."""

LOST_SIGNALS = 1
"""The seconds between checks for signals lost before the server handles them itself."""


def listen(host: str, port: int) -> socket.socket:
    """Opens the socket of a server; port 0 selects a free port. Raises LatticeSimpError if that is impossible."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        server_socket = socket.socket(family, kind, protocol)
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server_socket.bind(address)
        server_socket.listen(CONNECTIONS)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise LatticeSimpError(f"port {port} of {host} is in use; give another --port, or 0 for any") from None
        why = error.strerror or os.strerror(error.errno or 0)
        raise LatticeSimpError(f"cannot listen on port {port} of {host}: {why}") from None
    return server_socket


def address_of(server_socket: socket.socket) -> str:
    """Returns the address of a server's start page."""
    host, port = server_socket.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def is_loopback(host: str) -> bool:
    """Returns whether a host is reachable only from this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def run(app: Starlette, server_socket: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Serves an app on a socket from `listen` until a signal, which also stops running computations.

    `ready` is called when all models are loaded and the server answers.

    Raises:
        LatticeSimpError: a model cannot be loaded.
        KeyboardInterrupt: Ctrl-C.
        SystemExit: SIGTERM, with the exit code that shells use for it.
    """
    with server_socket, terminable(), interrupts_remembered(signal.SIGINT, signal.SIGTERM) as raise_interrupt:
        try:
            for service in app.state.services:
                service.start()
            _Server(_config(app, raise_interrupt), ready).run(sockets=[server_socket])
        finally:
            for service in app.state.services:
                service.close()


class _Server(uvicorn.Server):
    """A server that says when it has started: from then on, it handles signals."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _config(app: Starlette, raise_interrupt: Callable[[], None]) -> uvicorn.Config:
    """Returns the configuration of the server, which regularly raises lost signals again."""

    async def each_time() -> None:
        raise_interrupt()

    # No grace period, as ending the server is intended; no log of uvicorn, as messages report errors.
    return uvicorn.Config(
        app,
        callback_notify=each_time,
        timeout_notify=LOST_SIGNALS,
        http=PatientProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=0,
        h11_max_incomplete_event_size=LONGEST_ADDRESS,
    )


@contextmanager
def terminable() -> Iterator[None]:
    """Turns SIGTERM into an exception within the block, so that resources are released."""

    def end(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    old = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)

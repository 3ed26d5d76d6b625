"""Serving an app on this machine until Ctrl-C."""

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
from lattice_simp.pipeline.interrupts import interrupts_remembered
from lattice_simp.serve.connections import CONNECTIONS, PatientProtocol

LONGEST_ADDRESS = 65_536
"""Bytes of a request line and headers: a text in its address takes up to nine of them a character."""

LOST_SIGNALS = 1
"""Seconds after which a signal is raised that was lost before the server watched for signals itself."""


def listen(host: str, port: int) -> socket.socket:
    """Opens the socket of a server; port 0 takes any that is free.

    Raises:
        LatticeSimpError: the port is in use, or the host is none of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        own = socket.socket(family, kind, protocol)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        own.bind(address)
        own.listen(CONNECTIONS)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise LatticeSimpError(f"port {port} of {host} is in use; give another --port, or 0 for any") from None
        why = error.strerror or os.strerror(error.errno or 0)
        raise LatticeSimpError(f"cannot listen on port {port} of {host}: {why}") from None
    return own


def address_of(own: socket.socket) -> str:
    """Returns the address of a server's start page."""
    host, port = own.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def is_loopback(host: str) -> bool:
    """Returns whether only this machine reaches a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def run(app: Starlette, own: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Serves an app on an open socket until a signal comes, which ends everything that is being computed.

    Args:
        ready: called when all models are loaded and requests are answered.

    Raises:
        LatticeSimpError: a model cannot be loaded.
        KeyboardInterrupt: Ctrl-C.
        SystemExit: SIGTERM; with the code that shells give for it.
    """
    with own, terminable(), interrupts_remembered(signal.SIGINT, signal.SIGTERM) as raise_interrupt:
        try:
            for service in app.state.services:
                service.start()
            ready()
            uvicorn.Server(_config(app, raise_interrupt)).run(sockets=[own])
        finally:
            for service in app.state.services:
                service.close()


def _config(app: Starlette, raise_interrupt: Callable[[], None]) -> uvicorn.Config:
    """Returns how the app is served; a signal that was lost is raised again from time to time."""

    async def each_time() -> None:
        raise_interrupt()

    # No grace: whoever ends the server wants it to end. The log is our own: a message says what is wrong.
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
    """Makes SIGTERM end the block as an exception does, so that what it holds is given back."""

    def end(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    old = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)

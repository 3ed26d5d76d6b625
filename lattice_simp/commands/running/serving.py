"""Shared by commands that serve a page: options of the server, and its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lattice_simp.commands.shared.messages import say

if TYPE_CHECKING:
    from starlette.applications import Starlette

Port: TypeAlias = Annotated[int, typer.Option("--port", min=0, max=65535, help="port to listen on (0: any free port)")]
Host: TypeAlias = Annotated[
    str, typer.Option("--host", help="address to listen on; any other address exposes the server")
]
AllowedHosts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--allowed-host", help="accept requests to this host name, too (repeatable)"),
]

HOST = "127.0.0.1"


def serve_app(
    make: Callable[[Sequence[str]], Starlette], host: str, port: int, allowed_hosts: Sequence[str] | None
) -> None:
    """Serves the app that `make` makes from the host names that it accepts, until Ctrl-C; the port 0 is any free one.

    Raises:
        LatticeSimpError: the port is in use, or the host does not belong to this machine.
    """
    from lattice_simp.serve.app import LOOPBACK
    from lattice_simp.serve.server import address_of, is_loopback, listen, run

    listener = listen(host, port)
    names = list(dict.fromkeys([*LOOPBACK, *_host_names(host), *(allowed_hosts or [])]))
    app = make(names)
    if not is_loopback(host):
        _say(f"warning: {host} exposes the server to other machines, without a password")
        _say(f"allowed host names: {', '.join(names)}; --allowed-host adds one")
    _say("loading ...")
    run(app, listener, ready=lambda: _say(f"serving at {address_of(listener)} (press Ctrl-C to stop)"))


def _host_names(host: str) -> list[str]:
    """Returns the host names in requests to an address: this machine's name if the address is a wildcard."""
    import socket

    from lattice_simp.serve.server import is_loopback

    if is_loopback(host):
        return [f"[{host}]" if ":" in host else host]
    everywhere = host in ("0.0.0.0", "::", "")
    return [socket.gethostname()] if everywhere else [f"[{host}]" if ":" in host else host]


def _say(message: str) -> None:
    say(f"lattice-simp: {message}")

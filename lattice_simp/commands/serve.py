"""`lattice-simp serve`: a local web page for translation with skeletons that a reader marks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.options import command_app, say
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.support.extras import extra

app = command_app()

_TABS = "Tabs"


@app.command()
@takes_settings(Limits, panel="Limits")
def serve(
    model: Annotated[Path | None, typer.Argument(help="model directory (default: the demo grammar)")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="port to listen on (0: any free port)")] = 8000,
    host: Annotated[str, typer.Option(help="address to listen on; any other address exposes the server")] = "127.0.0.1",
    allowed_host: Annotated[
        list[str] | None, typer.Option(help="additional host name that browsers may use (repeatable)")
    ] = None,
    examples: Annotated[Path | None, typer.Option(help="example sentences: JSON lines of skeletons")] = None,
    tagger: Annotated[Path | None, typer.Option(help="folder of a tagger, for automatic skeletons")] = None,
    simplifier: Annotated[
        Path | None, typer.Option(help="add a tab for this simplification model", rich_help_panel=_TABS)
    ] = None,
    simplify: Annotated[
        bool, typer.Option("--simplify", help="add a tab for simplification without a model", rich_help_panel=_TABS)
    ] = False,
    hindi: Annotated[
        Path | None, typer.Option(help="add a tab for this model of `hindi train`", rich_help_panel=_TABS)
    ] = None,
    paraphrases: Annotated[
        bool, typer.Option("--paraphrases", help="add a tab for paraphrases of sentence sets", rich_help_panel=_TABS)
    ] = False,
    annotations: Annotated[
        Path | None, typer.Option(help="add a tab for this annotation database", rich_help_panel=_TABS)
    ] = None,
    settings: Any = None,
) -> None:
    """Serve a web page for translation with skeletons. Example: lattice-simp serve model

    A reader marks the key words of a sentence and sees the full translation, that of the skeleton, and the composed
    one side by side. No data leaves this machine. /api/translate returns the content of the page as JSON.
    """
    limits = Limits(**settings)
    if simplify and simplifier is not None:
        raise LatticeSimpError("--simplify and --simplifier exclude each other: there is one tab for simplification")
    with extra("serve"):
        from lattice_simp.serve.app import LOOPBACK, Tabs, create_app
        from lattice_simp.serve.server import address_of, is_loopback, listen, run
    listener = listen(host, port)
    names = list(dict.fromkeys([*LOOPBACK, *_host_names(host), *(allowed_host or [])]))
    app = create_app(
        model,
        Tabs(simplifier, hindi, paraphrases, annotations, simplify),
        examples=examples,
        tagger=tagger,
        limits=limits,
        hosts=names,
    )
    if not is_loopback(host):
        _say(f"warning: {host} exposes the server to other machines, without a password")
        _say(f"allowed host names: {', '.join(names)}; --allowed-host adds one")
    _say("loading ...")
    run(app, listener, ready=lambda: _say(f"serving at {address_of(listener)} (press Ctrl-C to stop)"))


def _host_names(host: str) -> list[str]:
    """Returns the names that other machines use for a host; that of the address if only this machine reaches it."""
    import socket

    from lattice_simp.serve.server import is_loopback

    if is_loopback(host):
        return [f"[{host}]" if ":" in host else host]
    everywhere = host in ("0.0.0.0", "::", "")
    return [socket.gethostname()] if everywhere else [f"[{host}]" if ":" in host else host]


def _say(message: str) -> None:
    say(f"lattice-simp: {message}")

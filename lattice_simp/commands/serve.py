"""`lattice-simp serve`: a page on this machine for translation with skeletons that a reader marks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from lattice_simp.commands.options import command_app
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.serve.limits import Limits
from lattice_simp.support.extras import extra

app = command_app()


@app.command()
@takes_settings(Limits)
def serve(
    model: Annotated[Optional[Path], typer.Argument(help="a model directory; the demo grammar without one")] = None,  # noqa: UP045
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free")] = 8000,
    host: Annotated[str, typer.Option(help="others than 127.0.0.1 let other machines in")] = "127.0.0.1",
    name: Annotated[Optional[list[str]], typer.Option(help="a further name that browsers may use for it")] = None,  # noqa: UP045
    simplifier: Annotated[Optional[Path], typer.Option(help="a simplification model: a further tab")] = None,  # noqa: UP045
    hindi: Annotated[Optional[Path], typer.Option(help="a model of `hindi train`: a further tab")] = None,  # noqa: UP045
    paraphrases: Annotated[
        bool, typer.Option("--paraphrases", help="a further tab: sentences made of others' phrases")
    ] = False,
    annotations: Annotated[Optional[Path], typer.Option(help="a file of judgements: a further tab")] = None,  # noqa: UP045
    examples: Annotated[Optional[Path], typer.Option(help="sentences to choose from: JSON lines of skeletons")] = None,  # noqa: UP045
    tagger: Annotated[Optional[Path], typer.Option(help="a tagger's folder, for automatic skeletons")] = None,  # noqa: UP045
    settings: Any = None,
) -> None:
    """Serve a web page for translation with skeletons. Example: lattice-simp serve model

    A reader marks the key words of a sentence, and sees the full translation, that of the skeleton, and the composed
    one side by side. Nothing leaves this machine. /api/translate gives what the page shows as JSON.
    """
    limits = Limits(**settings)
    with extra("serve"):
        from lattice_simp.serve.app import LOOPBACK, create_app
        from lattice_simp.serve.server import address_of, is_loopback, listen, run
    own = listen(host, port)
    names = list(dict.fromkeys([*LOOPBACK, *_host_names(host), *(name or [])]))
    app = create_app(
        model,
        simplifier=simplifier,
        hindi=hindi,
        paraphrases=paraphrases,
        annotations=annotations,
        examples=examples,
        tagger=tagger,
        limits=limits,
        hosts=names,
    )
    if not is_loopback(host):
        _say(
            f"warning: other machines reach this server, and it asks nobody for a password ({host} is not this machine)"
        )
        _say(f"it answers to the names {', '.join(names)}; --name adds one")
    _say("loading ...")
    run(app, own, ready=lambda: _say(f"serving at {address_of(own)} (Ctrl-C ends it)"))


def _host_names(host: str) -> list[str]:
    """Returns the names of the machine as others see it: none of a host that only it reaches."""
    import socket

    from lattice_simp.serve.server import is_loopback

    if is_loopback(host):
        return [f"[{host}]" if ":" in host else host]
    everywhere = host in ("0.0.0.0", "::", "")
    return [socket.gethostname()] if everywhere else [f"[{host}]" if ":" in host else host]


def _say(message: str) -> None:
    print(f"lattice-simp: {message}", file=sys.stderr, flush=True)

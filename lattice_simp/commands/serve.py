"""`lattice-simp serve`: a local web page for translation with skeletons that a reader marks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.running.serving import HOST, AllowedHosts, Host, Port, serve_app
from lattice_simp.commands.shared.options import command_app
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.support.extras import extra

app = command_app()

_TABS = "Tabs"


@app.command()
@takes_settings(Limits, panel="Limits")
def serve(
    model: Annotated[Path | None, typer.Argument(help="model directory (default: the demo grammar)")] = None,
    port: Port = 8000,
    host: Host = HOST,
    allowed_host: AllowedHosts = None,
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
    study: Annotated[
        Path | None, typer.Option(help="add a tab for raters of this study", rich_help_panel=_TABS)
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
        from lattice_simp.serve.app import Tabs, create_app
    tabs = Tabs(simplifier, hindi, paraphrases, annotations, study, simplify)
    make = partial(create_app, model, tabs, examples=examples, tagger=tagger, limits=limits)
    serve_app(lambda names: make(hosts=names), host, port, allowed_host)

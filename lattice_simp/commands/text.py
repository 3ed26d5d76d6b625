"""`lattice-simp text`: lines to the tokens of a trained model, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from lattice_simp.commands.shared.options import Detail, Output, SentenceFile, command_app

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

app = command_app("Tokenise text as a trained model does, and detokenise its output.")

ModelFolder: TypeAlias = Annotated[
    Path, typer.Argument(help="model directory with text.json, as `lattice-simp train` makes it")
]
Lines: TypeAlias = Annotated[Output, Detail("one line per sentence")]
Side: TypeAlias = Annotated[
    Literal["source", "target"],
    typer.Option("--side", help="side of the model that has the language of the text: source or target"),
]


@app.command()
def tokenise(
    model: ModelFolder,
    source: SentenceFile = None,
    output: Lines = "-",
    side: Side = "source",
) -> None:
    """Tokenise text. Example: lattice-simp text tokenise model < a.en | lattice-simp translate model --tokenised"""
    _over_lines(source or "-", output, _tokeniser(model, side).tokens)


@app.command()
def detokenise(
    model: ModelFolder,
    source: SentenceFile = None,
    output: Lines = "-",
    side: Side = "target",
) -> None:
    """Detokenise text.

    Example: lattice-simp translate model --tokenised < a.tok | lattice-simp text detokenise model
    """
    _over_lines(source or "-", output, _tokeniser(model, side).text)


def _tokeniser(model: Path, side: str) -> Tokeniser:
    from lattice_simp.text.tokeniser import model_tokenisers

    source, target = model_tokenisers(model)
    return source if side == "source" else target


def _over_lines(source: str, output: str, change: Callable[[str], str]) -> None:
    from lattice_simp.formats.plain_text import sentence_lines
    from lattice_simp.support.textio import open_text

    with open_text(output, "w") as file:
        for line in sentence_lines(source):
            file.write(change(line) + "\n")

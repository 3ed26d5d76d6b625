"""`lattice-simp text`: lines to the tokens of a trained model, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lattice_simp.commands.options import command_app

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

app = command_app("Make tokens of text as a trained model needs it, and text of tokens.")

MODEL = typer.Argument(help="a model directory with text.json, as `lattice-simp train` makes it")
INPUT = typer.Option("--input", "-i", help="one sentence a line")
OUTPUT = typer.Option("--output", "-o", help="as many lines")


Side = Annotated[Literal["source", "target"], typer.Option(help="which language")]


@app.command()
def tokenise(
    model: Annotated[Path, MODEL],
    source: Annotated[str, INPUT] = "-",
    output: Annotated[str, OUTPUT] = "-",
    side: Side = "source",
) -> None:
    """Makes tokens. Example: lattice-simp text tokenise model < a.txt | lattice-simp translate model"""
    _over_lines(source, output, _tokeniser(model, side).tokens)


@app.command()
def detokenise(
    model: Annotated[Path, MODEL],
    source: Annotated[str, INPUT] = "-",
    output: Annotated[str, OUTPUT] = "-",
    side: Side = "target",
) -> None:
    """Makes text of tokens. Example: lattice-simp translate model < a.tok | lattice-simp text detokenise model"""
    _over_lines(source, output, _tokeniser(model, side).text)


def _tokeniser(model: Path, side: str) -> Tokeniser:
    from lattice_simp.text.tokeniser import model_tokenisers

    source, target = model_tokenisers(model)
    return source if side == "source" else target


def _over_lines(source: str, output: str, change: Callable[[str], str]) -> None:
    from lattice_simp.support.textio import open_text, read_lines

    with open_text(output, "w") as file:
        for line in read_lines(source):
            file.write(change(line) + "\n")

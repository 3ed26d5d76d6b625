"""`lattice-simp text`: lines to the tokens of a trained model, and back."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Make tokens of text as a trained model needs it, and text of tokens.")

MODEL = typer.Argument(help="a model directory with text.json, as `lattice-simp train` makes it")
INPUT = typer.Option("--input", "-i", help="one sentence a line")
OUTPUT = typer.Option("--output", "-o", help="as many lines")


class SideName(str, Enum):
    """The languages of a model."""

    SOURCE = "source"
    TARGET = "target"


@app.command()
def tokenise(
    model: Annotated[Path, MODEL],
    source: Annotated[str, INPUT] = "-",
    output: Annotated[str, OUTPUT] = "-",
    side: Annotated[SideName, typer.Option(help="which language")] = SideName.SOURCE,
) -> None:
    """Makes tokens. Example: lattice-simp text tokenise model < a.txt | lattice-simp translate model"""
    from lattice_simp.train.text.tokeniser import FrontEnd

    front_end = FrontEnd.read(model)
    _over_lines(source, output, lambda line: front_end.tokens(line, side.value))


@app.command()
def detokenise(
    model: Annotated[Path, MODEL],
    source: Annotated[str, INPUT] = "-",
    output: Annotated[str, OUTPUT] = "-",
    side: Annotated[SideName, typer.Option(help="which language")] = SideName.TARGET,
) -> None:
    """Makes text of tokens. Example: lattice-simp translate model < a.tok | lattice-simp text detokenise model"""
    from lattice_simp.train.text.tokeniser import FrontEnd

    front_end = FrontEnd.read(model)
    _over_lines(source, output, lambda line: front_end.text(line, side.value))


def _over_lines(source: str, output: str, change: Callable[[str], str]) -> None:
    from lattice_simp.support.textio import open_text, read_lines

    with open_text(output, "w") as file:
        for line in read_lines(source):
            file.write(change(line) + "\n")

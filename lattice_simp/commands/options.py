"""What the commands share: options, reading and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from lattice_simp import Lattice

BEAM = Annotated[Optional[float], typer.Option(help="nats above the best path to keep")]  # noqa: UP045
OUTPUT = Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout (AT&T text)")]


def read_full(path: str, sentence: int | None = None) -> Lattice:
    """Reads a lattice file, or one sentence of an n-best list as a lattice.

    Raises:
        FormatError: the file is broken, or the list does not hold the sentence.
    """
    from lattice_simp import Lattice
    from lattice_simp.errors import FormatError
    from lattice_simp.formats.nbest import read_nbest

    if sentence is None:
        return Lattice.read(path)
    for number, entries in read_nbest(path):
        if number == sentence and entries:
            return Lattice.from_strings([(entry.words, entry.cost) for entry in entries])
    raise FormatError(f"holds no hypotheses of sentence {sentence}", path=path, remedy="ids count from 0")


def write_result(lattice: Lattice, output: str) -> None:
    """Writes a lattice: to stdout as AT&T text, else as the name's ending says."""
    from lattice_simp.formats import write_lattice

    write_lattice(lattice, output, "att" if output == "-" else None)

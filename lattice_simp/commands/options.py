"""What the commands share: options, reading and writing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from lattice_simp.errors import FormatError
from lattice_simp.formats import FORMATS, read, write
from lattice_simp.formats.nbest import is_nbest

if TYPE_CHECKING:
    from lattice_simp import Lattice
    from lattice_simp.core.hypothesis import Hypothesis

FAILED, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
"""What the commands exit with when all does not go well."""

STDIN = "<stdin>"


def command_app(help: str | None = None) -> typer.Typer:
    """Returns what a module collects its commands in: of a group if there is a help text, else a single one."""
    return typer.Typer(
        help=help,
        no_args_is_help=help is not None,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


FORMAT_NAMES = "|".join(FORMATS)


def format_name(name: str) -> str:
    """Checks the name of a lattice format, as an option's parser."""
    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}")
    return name


BEAM = Annotated[Optional[float], typer.Option(help="nats above the best path to keep")]  # noqa: UP045
OUTPUT = Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout (AT&T text)")]


@contextmanager
def readable(path: str) -> Iterator[str]:
    """Returns the name of a file that can be read twice: standard input is copied to a temporary one."""
    if path != "-":
        yield path
        return
    from lattice_simp.support.textio import read_bytes

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "stdin")
        copy.write_bytes(read_bytes("-"))
        try:
            yield str(copy)
        except FormatError as error:
            raise FormatError(error.message, path=STDIN, line=error.line, remedy=error.remedy) from error


def read_full(path: str, sentence: int | None = None, format: str | None = None, **options: Any) -> Lattice:
    """Reads a lattice file, or one sentence of an n-best list as a lattice.

    Raises:
        FormatError: the file is broken, the list does not hold the sentence, or holds several and none is named.
    """
    from lattice_simp import Lattice

    with readable(path) as file:
        if format is None and is_nbest(file):
            return Lattice.from_nbest(_read_list(file, sentence))
        if sentence is not None:
            raise FormatError("is not an n-best list", path=path, remedy="leave --id out")
        return read(file, format, **options)


def read_skeleton(path: str, sentence: int | None = None) -> Lattice | list[Hypothesis]:
    """Reads the hypotheses of a skeleton: as they are from an n-best list (their costs stay exact), or a lattice.

    Raises:
        FormatError: as `read_full`.
    """
    with readable(path) as file:
        return _read_list(file, sentence) if is_nbest(file) else read_full(file, sentence)


def _read_list(path: str, sentence: int | None) -> list[Hypothesis]:
    from lattice_simp.formats.nbest import stream_nbest

    lists = {number: entries for number, entries in stream_nbest(path) if entries}
    if sentence is None and len(lists) == 1:
        sentence = next(iter(lists))
    if sentence is None:
        message = f"an n-best list of {len(lists)} sentences, where one is needed"
        raise FormatError(message, path=path, remedy="choose one with --id")
    if sentence not in lists:
        raise FormatError(f"holds no hypotheses of sentence {sentence}", path=path, remedy="ids count from 0")
    return lists[sentence]


def write_result(lattice: Lattice, output: str, format: str | None = None) -> None:
    """Writes a lattice: in the format, or to stdout as AT&T text, else as the name's ending says."""
    write(lattice, output, format)

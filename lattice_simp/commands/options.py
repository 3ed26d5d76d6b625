"""What the commands share: options, reading and writing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from lattice_simp.errors import FormatError, LatticeSimpError

if TYPE_CHECKING:
    from lattice_simp import Lattice
    from lattice_simp.formats.nbest import Hypothesis

STDIN = "<stdin>"

Pairs = list[tuple[str, float]]
"""The words and costs of an n-best list."""


def choices(name: str, table: Iterable[str]) -> Any:
    """Returns an enumeration of the names in a table, which a command offers as the values of an option.

    >>> [one.value for one in choices("Size", {"small": 1, "large": 9})]
    ['small', 'large']
    """
    return StrEnum(name, {one: one for one in table})  # type: ignore[misc]


class LoopKind(str, Enum):
    """What a loop consumes, see `ops/gappy_acceptor.py`."""

    SIGMA = "sigma"
    RHO = "rho"


class FormatName(str, Enum):
    """The lattice formats."""

    OPENFST = "openfst"
    ATT = "att"
    PLF = "plf"
    SLF = "slf"


BEAM = Annotated[Optional[float], typer.Option(help="nats above the best path to keep")]  # noqa: UP045
OUTPUT = Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout (AT&T text)")]
DELETION = Annotated[Optional[float], typer.Option(help="cost of a missing skeleton word, nats; implies --edits")]  # noqa: UP045
SUBSTITUTION = Annotated[Optional[float], typer.Option(help="cost of another word in its place; implies --edits")]  # noqa: UP045
STEM = Annotated[Optional[float], typer.Option(help="cost of another word with the same stem; implies --edits")]  # noqa: UP045


def edit_costs(
    edits: bool | None, deletion: float | None, substitution: float | None, stem: float | None
) -> tuple[float, float, float] | None:
    """Returns the costs of edits (deletion, substitution, stem) from the options; None where edits are not wanted.

    Raises:
        LatticeSimpError: costs of edits that are forbidden, or negative ones.
    """
    from lattice_simp import EditCosts

    given = {"deletion": deletion, "substitution": substitution, "stem": stem}
    for name, cost in given.items():
        if cost is not None and edits is False:
            raise LatticeSimpError(f"--no-edits and --{name}-cost contradict each other")
        if cost is not None and not cost >= 0:
            raise LatticeSimpError(f"--{name}-cost {cost}: give a number from 0 up (inf forbids these edits)")
    if not edits and all(cost is None for cost in given.values()):
        return None
    usual = EditCosts()
    return (
        usual.deletion if deletion is None else deletion,
        usual.substitution if substitution is None else substitution,
        usual.stem if stem is None else stem,
    )


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


def is_nbest(path: str) -> bool:
    """Tells a Moses n-best list (of a file that can be read twice) by its first line."""
    from lattice_simp.support.textio import open_binary

    with open_binary(path) as file:
        head = file.readline(1 << 16)
    return b" ||| " in head and head.split(b" ||| ")[0].strip().isdigit()


def read_full(path: str, sentence: int | None = None, format: FormatName | None = None, **options: Any) -> Lattice:
    """Reads a lattice file, or one sentence of an n-best list as a lattice.

    Raises:
        FormatError: the file is broken, the list does not hold the sentence, or holds several and none is named.
    """
    from lattice_simp import Lattice

    with readable(path) as file:
        if format is None and is_nbest(file):
            return Lattice.from_strings(_read_list(file, sentence))
        if sentence is not None:
            raise FormatError("is no n-best list", path=path, remedy="leave --id out")
        return Lattice.read(file, format=format and format.value, **options)


def read_skeleton(path: str, sentence: int | None = None) -> Lattice | Pairs:
    """Reads the hypotheses of a skeleton: as pairs from an n-best list (which keeps their costs exact), or a lattice.

    Raises:
        FormatError: as `read_full`.
    """
    with readable(path) as file:
        return _read_list(file, sentence) if is_nbest(file) else read_full(file, sentence)


def pairs(entries: Iterable[Hypothesis]) -> Pairs:
    """Returns the words and costs of an n-best list."""
    return [(entry.words, entry.cost) for entry in entries]


def _read_list(path: str, sentence: int | None) -> Pairs:
    from lattice_simp.formats.nbest import read_nbest

    lists = {number: entries for number, entries in read_nbest(path) if entries}
    if sentence is None and len(lists) == 1:
        sentence = next(iter(lists))
    if sentence is None:
        message = f"an n-best list of {len(lists)} sentences, where one is needed"
        raise FormatError(message, path=path, remedy="choose one with --id")
    if sentence not in lists:
        raise FormatError(f"holds no hypotheses of sentence {sentence}", path=path, remedy="ids count from 0")
    return pairs(lists[sentence])


def write_result(lattice: Lattice, output: str, format: FormatName | None = None) -> None:
    """Writes a lattice: in the format, or to stdout as AT&T text, else as the name's ending says."""
    from lattice_simp.formats import write_lattice

    write_lattice(lattice, output, format and format.value)

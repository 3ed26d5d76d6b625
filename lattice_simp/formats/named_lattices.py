"""Files that hold several lattices, read as pairs of a name and a function that reads its lattice.

A broken lattice affects no other, since its error comes from its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import FormatError
from lattice_simp.support.compression import COMPRESSIONS

Load: TypeAlias = Callable[[], Lattice]
"""Reads a lattice; the words get numbers of the reader's table, or of a new one for each lattice."""

NamedLattice: TypeAlias = tuple[str, Load]
NumberedLine: TypeAlias = tuple[int, str]

Add: TypeAlias = Callable[[str, Lattice], None]
"""Adds a named lattice to a file."""

_ENDINGS = (".ark", ".scp", ".lats", ".sausages", ".txt")
"""The endings of files whose lattices have names."""


def single_writer(archive: Callable[..., AbstractContextManager[Add]]) -> Callable[..., None]:
    """Returns the function that writes a file of one lattice, named as in its header or else like the file."""

    def write(lattice: Lattice, path: str | Path, **options: Any) -> None:
        with archive(path, **options) as add:
            add(_name(path) if lattice.header.name is None else lattice.header.name, lattice)

    return write


def _name(path: str | Path) -> str:
    if str(path) == "-":
        return "0"
    stem = Path(path)
    while stem.suffix in COMPRESSIONS or stem.suffix in _ENDINGS:
        stem = stem.with_suffix("")
    return stem.name


def refuse_reading(error: FormatError) -> NoReturn:
    """Raises the error of a lattice that cannot be read; for a collection that goes on with the next one."""
    raise error


def only_lattice(lattices: Iterable[NamedLattice], what: str, path: str | Path | None) -> Lattice:
    """Returns the lattice of a file with a single one; `what` names its lattices in the error.

    Raises:
        FormatError: the file holds more lattices, or none.
    """
    loads = [load for _, load in lattices]
    if len(loads) != 1:
        raise FormatError(f"holds {len(loads)} {what}; expected one", path=path, remedy="use read_all")
    return loads[0]()

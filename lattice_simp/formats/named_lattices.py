"""Files that hold several lattices: pairs of a name and a function that reads its lattice.

A broken lattice affects no other, since its error comes from its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn, TypeAlias

from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import FormatError

Load: TypeAlias = Callable[[], Lattice]
"""Reads a lattice; the words get numbers of the reader's table, or of a new one for each lattice."""

NamedLattice: TypeAlias = tuple[str, Load]
NumberedLine: TypeAlias = tuple[int, str]


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

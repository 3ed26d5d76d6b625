"""What the lattice formats share: numbers, state numbers, one final state."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import EmptyLatticeError, FormatError, InvalidLatticeError

Longs = npt.NDArray[np.int64]


def shown(text: str | bytes) -> str:
    """Returns a field for an error message: quoted, and short even if the field is not.

    >>> shown("abc"), shown(b"x" * 99)
    ("'abc'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    if isinstance(text, bytes):
        text = text[:200].decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:40] + "...")


def finite(text: str | bytes) -> float | None:
    """Returns the finite number that `text` is written as, or None.

    >>> finite("-1.5e3"), finite("nan"), finite("1_0"), finite("x")
    (-1500.0, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    plain = text.isascii() and (b"_" not in text if isinstance(text, bytes) else "_" not in text)
    return value if plain and math.isfinite(value) else None


def natural(text: str | bytes) -> int | None:
    """Returns the number from 0 to 10^18 that `text` is written as, or None.

    >>> natural("12"), natural("-1"), natural("1" * 30)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def start_first(sources: Longs, nextstates: Longs, finals: Floats, start: int) -> tuple[Longs, Longs, Floats]:
    """Makes `start` state 0; the states before it move up by one."""
    if start == 0:
        return sources, nextstates, finals
    renamed = np.arange(len(finals))
    renamed[:start] += 1
    renamed[start] = 0
    return renamed[sources], renamed[nextstates], np.concatenate((finals[start : start + 1], np.delete(finals, start)))


def checked_lattice(path: str | Path | None, *arrays: Any, **columns: Any) -> Lattice:
    """Makes a lattice as `Lattice.from_arcs` does, whose errors then name the file."""
    try:
        return Lattice.from_arcs(*arrays, **columns)
    except InvalidLatticeError as error:
        raise FormatError(str(error), path=path, remedy="repair the program that wrote the file") from error


def require_acceptor(lattice: Lattice, format_name: str) -> None:
    """Raises an `InvalidLatticeError` for a transducer, which most formats cannot hold."""
    if not lattice.is_acceptor:
        raise InvalidLatticeError(
            f"{format_name} holds no transducers (take project_output() first, or write AT&T text or OpenFst)"
        )


def single_final(lattice: Lattice, *, last: bool = False) -> tuple[Lattice, int]:
    """Returns the lattice with one final state of cost 0 (the last state, if `last`), and that state.

    A lattice that is not so already gets a new last state and, from each final state, an epsilon arc to it that
    carries the final cost and features.

    Raises:
        EmptyLatticeError: no state is final.
    """
    finals = np.flatnonzero(np.isfinite(lattice.finals))
    if not len(finals):
        raise EmptyLatticeError("the lattice accepts nothing, so it cannot be written in this format")
    end = int(finals[0])
    features = lattice.features
    unweighted = not lattice.finals[end] and not features.finals[:, end].any()
    if len(finals) == 1 and unweighted and (not last or end == lattice.num_states - 1):
        return lattice, end
    epsilons = np.full(len(finals), EPSILON, dtype=np.int32)
    end = lattice.num_states
    folded = Lattice.from_arcs(
        np.concatenate((lattice.sources, finals)),
        np.concatenate((lattice.olabels, epsilons)),
        np.concatenate((lattice.weights, lattice.finals[finals])),
        np.concatenate((lattice.nextstates, np.full(len(finals), end))),
        np.append(np.full(end, np.inf), 0.0),
        lattice.symbols,
        features={name: np.concatenate((own, features.final(name)[finals])) for name, own in features.items()},
    )
    return folded, end

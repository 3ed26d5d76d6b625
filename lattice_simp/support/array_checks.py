"""Checks arrays from files, since kernels follow offsets and indices without bounds checks.

A checksum detects accidents. These checks also stop crafted files and files that a broken program wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.errors import FormatError

Array = npt.NDArray[Any]


class BrokenArrayError(ValueError):
    """An array is inconsistent, on its own or with another one."""


@contextmanager
def sound_arrays(path: str | Path, remedy: str) -> Iterator[None]:
    """Turns a `BrokenArrayError` in the block into a `FormatError` that names the file."""
    try:
        yield
    except BrokenArrayError as error:
        raise FormatError(f"the file is damaged: {error}", path=path, remedy=remedy) from None


def length_of(name: str, array: Array) -> int:
    """Returns the length of an array along its first axis.

    >>> length_of("words", np.zeros(()))
    Traceback (most recent call last):
        ...
    lattice_simp.support.array_checks.BrokenArrayError: words: a single number, expected an array
    """
    if not array.ndim:
        raise BrokenArrayError(f"{name}: a single number, expected an array")
    return len(array)


def check_array(name: str, array: Array, dtype: npt.DTypeLike, *shape: int | None) -> None:
    """Checks the type and the shape of an array; None allows any length.

    >>> check_array("words", np.zeros((2, 3), np.int32), np.int32, None, 2)
    Traceback (most recent call last):
        ...
    lattice_simp.support.array_checks.BrokenArrayError: words: int32 of shape (2, 3), expected int32 of (any, 2)
    """
    fits = array.ndim == len(shape) and all(
        size in (length, None) for size, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(dtype) or not fits:
        sizes = ", ".join("any" if size is None else str(size) for size in shape)
        expected = f"{np.dtype(dtype)} of ({sizes})"
        raise BrokenArrayError(f"{name}: {array.dtype} of shape {array.shape}, expected {expected}")


def check_offsets(name: str, offsets: Array, count: int, first: int = 0) -> None:
    """Checks that offsets rise from `first` to `count`.

    >>> check_offsets("begins", np.array([0, 2, 1]), 1)
    Traceback (most recent call last):
        ...
    lattice_simp.support.array_checks.BrokenArrayError: begins: offset 2 is 1, below the one before
    """
    if not len(offsets) or offsets[0] != first or offsets[-1] != count:
        ends = f"{offsets[0]} to {offsets[-1]}" if len(offsets) else "nothing"
        raise BrokenArrayError(f"{name}: offsets from {ends}, expected {first} to {count}")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        place = int(np.argmax(falls)) + 1
        raise BrokenArrayError(f"{name}: offset {place} is {offsets[place]}, below the one before")


def check_indices(name: str, values: Array, limit: int | Array, least: int | Array = 0) -> None:
    """Checks that numbers are at least `least` and below `limit`; both may be arrays of bounds.

    >>> check_indices("words", np.array([0, 7]), 5)
    Traceback (most recent call last):
        ...
    lattice_simp.support.array_checks.BrokenArrayError: words: number 7 at place 1, expected 0 to 4
    """
    outside = (values < least) | (values >= limit)
    if outside.any():
        place = np.unravel_index(int(np.argmax(outside)), outside.shape)
        low, high = (np.broadcast_to(bound, values.shape)[place] for bound in (least, limit))
        shown = ", ".join(map(str, map(int, place)))
        raise BrokenArrayError(f"{name}: number {values[place]} at place {shown}, expected {low} to {high - 1}")


def check_finite(name: str, values: Array) -> None:
    """Checks that all values are finite numbers.

    >>> check_finite("cost", np.array([0.0, np.nan]))
    Traceback (most recent call last):
        ...
    lattice_simp.support.array_checks.BrokenArrayError: cost: the value nan at place 1
    """
    broken = ~np.isfinite(values)
    if broken.any():
        place = np.unravel_index(int(np.argmax(broken)), broken.shape)
        raise BrokenArrayError(f"{name}: the value {values[place]} at place {', '.join(map(str, map(int, place)))}")

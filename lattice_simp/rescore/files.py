"""Scorers on disk: one file of arrays, which is mapped; the array `kind` says what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.errors import FormatError
from lattice_simp.rescore.vocabulary import Vocabulary
from lattice_simp.support.array_cache import Arrays, is_array_file, pack_words, read_arrays, unpack_words, write_arrays

_KIND = "kind"
_VERSION = "1"
_WORDS = "words:"
"""Begins the name of an array that holds a vocabulary."""

Fields = dict[str, npt.NDArray[Any] | Vocabulary]


def file_kind(path: str | Path) -> str | None:
    """Returns what a scorer's file holds, or None for any other file.

    Raises:
        FormatError: the file is cut short.
    """
    return _kind(read_arrays(path)) if is_array_file(path) else None


def read_fields(path: str | Path, kind: str, names: Iterable[str]) -> Fields:
    """Maps a scorer's file.

    Raises:
        FormatError: the file cannot be read, is cut short, or holds something else.
    """
    arrays = read_arrays(path)
    remedy = "train the model again"
    if _kind(arrays) != kind:
        raise FormatError(f"holds no {kind} model, or one of another version", path=path, remedy=remedy)
    fields: Fields = {name: array for name, array in arrays.items() if not name.startswith(_WORDS) and name != _KIND}
    try:
        for name in [name for name in arrays if name.startswith(_WORDS)]:
            fields[name.removeprefix(_WORDS)] = Vocabulary(tuple(unpack_words(arrays[name])))
    except ValueError as error:
        raise FormatError(f"words that are no text: {error}", path=path, remedy=remedy) from None
    if fields.keys() != set(names):
        raise FormatError(f"holds no complete {kind} model", path=path, remedy=remedy)
    return fields


def write_fields(path: str | Path, kind: str, fields: Mapping[str, npt.NDArray[Any] | Vocabulary]) -> None:
    """Writes a scorer's file, complete or not at all.

    Raises:
        LatticeSimpError: the file cannot be written.
    """
    arrays: dict[str, npt.NDArray[Any]] = {_KIND: pack_words([f"{kind} {_VERSION}"])}
    for name, value in fields.items():
        if isinstance(value, Vocabulary):
            arrays[_WORDS + name] = pack_words(list(value.words))
        else:
            arrays[name] = np.asarray(value)
    write_arrays(path, arrays)


def _kind(arrays: Arrays) -> str | None:
    try:
        name, version = unpack_words(arrays[_KIND])[0].split(" ")
    except (KeyError, ValueError, IndexError):
        return None
    return name if version == _VERSION else None

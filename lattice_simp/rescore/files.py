"""Scorers on disk: one file of arrays, which is memory-mapped; the array `kind` names the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from lattice_simp.errors import FormatError
from lattice_simp.rescore.vocabulary import Vocabulary
from lattice_simp.support.array_cache import Arrays, is_array_file, pack_words, read_arrays, unpack_words, write_arrays

_KIND = "kind"
_VERSION = "1"
_WORDS = "words:"
"""Begins the name of an array that holds a vocabulary."""


def file_kind(path: str | Path) -> str | None:
    """Returns the kind of a scorer's file, or None for any other file; raises FormatError if it is cut short."""
    return _kind(read_arrays(path)) if is_array_file(path) else None


def read_fields(
    path: str | Path, kind: str, vocabularies: Iterable[str], arrays: Iterable[str]
) -> tuple[list[Vocabulary], list[npt.NDArray[Any]]]:
    """Maps a scorer's file; returns the vocabularies and the arrays of these names.

    Raises FormatError if the file cannot be read, is cut short, or holds something else.
    """
    fields = read_arrays(path)
    remedy = "train the model again"
    if _kind(fields) != kind:
        raise FormatError(f"does not hold a {kind} model of this version", path=path, remedy=remedy)
    names, array_names = [_WORDS + name for name in vocabularies], list(arrays)
    if fields.keys() != {_KIND, *names, *array_names}:
        raise FormatError(f"does not hold a complete {kind} model", path=path, remedy=remedy)
    try:
        sides = [tuple(unpack_words(fields[name])) for name in names]
    except ValueError as error:
        raise FormatError(f"words that are not text: {error}", path=path, remedy=remedy) from None
    if any(len(set(words)) < len(words) for words in sides):
        raise FormatError("a word occurs twice in its vocabulary", path=path, remedy=remedy)
    return list(map(Vocabulary, sides)), [fields[name] for name in array_names]


def write_fields(path: str | Path, kind: str, fields: Mapping[str, npt.NDArray[Any] | Vocabulary]) -> None:
    """Writes a scorer's file, complete or not at all; raises LatticeSimpError if it cannot be written."""
    arrays: dict[str, npt.NDArray[Any]] = {_KIND: pack_words([f"{kind} {_VERSION}"])}
    for name, value in fields.items():
        if isinstance(value, Vocabulary):
            arrays[_WORDS + name] = pack_words(list(value.words))
        else:
            arrays[name] = value
    write_arrays(path, arrays)


def _kind(arrays: Arrays) -> str | None:
    try:
        name, version = unpack_words(arrays[_KIND])[0].split(" ")
    except (KeyError, ValueError, IndexError):
        return None
    return name if version == _VERSION else None

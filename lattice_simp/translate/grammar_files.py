"""A grammar's arrays on disk: in a file of their own, or in the cache beside a rule table."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import FormatError
from lattice_simp.support.array_cache import (
    Arrays,
    load_arrays,
    pack_words,
    read_arrays,
    store_arrays,
    unpack_words,
    write_arrays,
)
from lattice_simp.translate.grammar import Grammar

_KIND = "rules"
_TABLES = ("source_words", "target_words")
_NAMES = ("nonterminals", "feature_names")
_FIELDS = {field.name for field in dataclasses.fields(Grammar)}


def load_grammar(path: str | Path) -> Grammar | None:
    """Maps a cached grammar, or gives None."""
    arrays = load_arrays(path, _KIND)
    return None if arrays is None or set(arrays) != _FIELDS else _grammar(arrays)


def store_grammar(path: str | Path, grammar: Grammar) -> None:
    """Caches a grammar."""
    store_arrays(path, _KIND, _arrays(grammar))


def read_grammar_file(path: str | Path) -> Grammar:
    """Maps a file of a grammar's arrays.

    Raises:
        FormatError: the file is cut short, or holds something else.
    """
    arrays = read_arrays(path)
    if set(arrays) != _FIELDS:
        raise FormatError("holds no grammar, or one of another version", path=path, remedy="write the table again")
    return _grammar(arrays)


def write_grammar_file(path: str | Path, grammar: Grammar) -> None:
    """Writes a grammar's arrays to one file."""
    write_arrays(path, _arrays(grammar))


def _grammar(arrays: Arrays) -> Grammar:
    fields = {name: SymbolTable(unpack_words(arrays.pop(name))) for name in _TABLES}
    names = {name: tuple(unpack_words(arrays.pop(name))) for name in _NAMES}
    return Grammar(**fields, **names, **arrays)  # type: ignore[arg-type]


def _arrays(grammar: Grammar) -> Arrays:
    arrays = {field.name: getattr(grammar, field.name) for field in dataclasses.fields(grammar)}
    for name in _TABLES:
        arrays[name] = pack_words(list(arrays[name].words[1:]))
    for name in _NAMES:
        arrays[name] = pack_words(list(arrays[name]))
    return arrays

"""A grammar's arrays in the cache beside its rule table."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lattice_simp.array_cache import load_arrays, pack_words, store_arrays, unpack_words
from lattice_simp.symbols import SymbolTable
from lattice_simp.translate.grammar import Grammar

_KIND = "rules"
_TABLES = ("source_words", "target_words")
_NAMES = ("nonterminals", "feature_names")


def load_grammar(path: str | Path) -> Grammar | None:
    """Maps a cached grammar, or gives None."""
    arrays = load_arrays(path, _KIND)
    if arrays is None or set(arrays) != {field.name for field in dataclasses.fields(Grammar)}:
        return None
    fields = {name: SymbolTable(unpack_words(arrays.pop(name))) for name in _TABLES}
    names = {name: tuple(unpack_words(arrays.pop(name))) for name in _NAMES}
    return Grammar(**fields, **names, **arrays)  # type: ignore[arg-type]


def store_grammar(path: str | Path, grammar: Grammar) -> None:
    """Caches a grammar."""
    arrays = {field.name: getattr(grammar, field.name) for field in dataclasses.fields(grammar)}
    for name in _TABLES:
        arrays[name] = pack_words(list(arrays[name].words[1:]))
    for name in _NAMES:
        arrays[name] = pack_words(list(arrays[name]))
    store_arrays(path, _KIND, arrays)

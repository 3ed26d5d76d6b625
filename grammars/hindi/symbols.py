"""The symbols that the rules rewrite, one for each chunk, determined by its tag and its words (`rule_symbols.tsv`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.markers import markers, markers_of
from lattice_simp.support.tables import grammar_path, grammar_table

_TABLE = "hindi/rule_symbols.tsv"

Word = tuple[str, str]
"""A form and its part-of-speech tag."""


@dataclass(frozen=True)
class _Row:
    """A row of the table; an empty set does not restrict anything."""

    symbol: str
    chunks: frozenset[str]
    tags: frozenset[str]
    word_class: str

    def fits(self, chunk: str, words: Iterable[Word]) -> bool:
        if self.chunks and chunk not in self.chunks:
            return False
        return any(
            (not self.tags or tag in self.tags) and (not self.word_class or self.word_class in classes_of(form))
            for form, tag in words
        )


@cache
def symbols() -> tuple[str, ...]:
    """Returns the symbols of chunks, in the table's order."""
    return tuple(dict.fromkeys(row.symbol for row in _rows()))


def symbol_of(chunk: str, words: Iterable[Word]) -> str:
    """Returns the symbol of a chunk, by its tag and its words.

    >>> symbol_of("NP", [("raam", "NNP"), ("ne", "PSP")]), symbol_of("BLK", [(".", "SYM")])
    ('NE', 'STOP')
    """
    words = list(words)
    return next(row.symbol for row in _rows() if row.fits(chunk, words))


@lru_cache(maxsize=1 << 16)
def classes_of(form: str) -> frozenset[str]:
    """Returns the classes of a word in either script, from `rule_words.tsv` and the markers.

    >>> sorted(classes_of("जिसने"))
    ['ergative pronoun', 'relative']
    """
    lower = form.lower()
    names = {name for name, pattern in _word_patterns() if pattern.fullmatch(lower)}
    return frozenset(names | {marker.kind for marker in markers_of(lower)})


@cache
def _rows() -> tuple[_Row, ...]:
    known = {name for name, _ in _word_patterns()} | {marker.kind for marker in markers()}
    rows: list[_Row] = []
    line = 1
    for row in grammar_table(_TABLE, ("symbol", "chunk", "tag", "class", "meaning")):
        word_class = row["class"].removeprefix("-")
        if word_class and word_class not in known:
            raise row.error(
                f"not a class of words: {word_class!r}", f"take one of {', '.join(sorted(known))}, or - for any word"
            )
        line = row.line
        rows.append(_Row(row["symbol"], _names(row["chunk"]), _names(row["tag"]), word_class))
    if not rows or rows[-1].chunks or rows[-1].tags or rows[-1].word_class:
        remedy = "end with a row * <TAB> * <TAB> -"
        raise FormatError("nothing fits every chunk", path=grammar_path(_TABLE), line=line, remedy=remedy)
    return tuple(rows)


def _names(cell: str) -> frozenset[str]:
    return frozenset() if cell == "*" else frozenset(cell.split("|"))


@cache
def _word_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    patterns = []
    for row in grammar_table("hindi/rule_words.tsv", ("class", "devanagari", "roman")):
        forms = [form for form in (row["devanagari"], *row["roman"].split()) if form]
        texts = (re.escape(form).replace(r"\*", ".+") for form in forms)
        patterns.append((row["class"], re.compile("|".join(texts))))
    return tuple(patterns)

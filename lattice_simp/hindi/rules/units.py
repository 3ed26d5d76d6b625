"""A sentence as a string of symbols: one for each chunk, and one for each punctuation mark at a chunk's edge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from lattice_simp.errors import FormatError
from lattice_simp.hindi.markers import markers, markers_of
from lattice_simp.hindi.sentence import Sentence, Token
from lattice_simp.hindi.tables import hindi_path, read_rows

PUNCTUATION = "SYM"

WORDS = "rule_words.tsv"
SYMBOLS = "rule_symbols.tsv"


@dataclass(frozen=True)
class Unit:
    """Neighbouring tokens with one symbol.

    Attributes:
        symbol: of `grammars/hindi/rule_symbols.tsv`.
        start: the first token, from 0.
        end: behind the last token.
    """

    symbol: str
    start: int
    end: int


@dataclass(frozen=True)
class _Row:
    """A row of the table of symbols; an empty set asks for nothing."""

    symbol: str
    chunks: frozenset[str]
    tags: frozenset[str]
    word_class: str

    def fits(self, chunk: str, tokens: Iterable[Token]) -> bool:
        if self.chunks and chunk not in self.chunks:
            return False
        return any(
            (not self.tags or token.tag in self.tags)
            and (not self.word_class or self.word_class in classes_of(token.form))
            for token in tokens
        )


@cache
def symbols() -> tuple[str, ...]:
    """Returns the symbols that stand for units, in the table's order."""
    return tuple(dict.fromkeys(row.symbol for row in _rows()))


def units_of(sentence: Sentence) -> list[Unit]:
    """Cuts a sentence into units and finds their symbols; elided words and phrases give none.

    >>> from lattice_simp.hindi.sentence import Chunk
    >>> tokens = (Token("raam", "NNP"), Token("ne", "PSP"), Token("khaayaa", "VM"), Token(".", "SYM"))
    >>> chunks = (Chunk("NP", 0, 2), Chunk("VGF", 2, 4))
    >>> [(unit.symbol, unit.start, unit.end) for unit in units_of(Sentence(tokens, chunks))]
    [('NE', 0, 2), ('FIN', 2, 3), ('STOP', 3, 4)]
    """
    return list(_units(sentence))


def _units(sentence: Sentence) -> Iterator[Unit]:
    for chunk in sentence.chunks:
        places = [place for place in range(chunk.start, chunk.end) if not sentence.tokens[place].is_empty]
        words = [place for place in places if sentence.tokens[place].tag != PUNCTUATION]
        first, behind = (words[0], words[-1] + 1) if words else (chunk.end, chunk.end)
        for place in places:
            if place < first or place >= behind:
                yield Unit(_symbol(chunk.tag, [sentence.tokens[place]]), place, place + 1)
            elif place == first:
                yield Unit(_symbol(chunk.tag, [sentence.tokens[word] for word in words]), first, behind)


def _symbol(chunk: str, tokens: Sequence[Token]) -> str:
    return next(row.symbol for row in _rows() if row.fits(chunk, tokens))


@cache
def _rows() -> tuple[_Row, ...]:
    path = hindi_path(SYMBOLS)
    known = {name for name, _ in _word_patterns()} | {str(marker.kind) for marker in markers()}
    rows, number = [], 1
    for number, row in read_rows(path, ("symbol", "chunk", "tag", "class", "meaning")):
        word_class = row["class"].removeprefix("-")
        if word_class and word_class not in known:
            remedy = f"take one of {', '.join(sorted(known))}, or - for any word"
            raise FormatError(f"no class of words {word_class!r}", path=path, line=number, remedy=remedy)
        rows.append(_Row(row["symbol"], _names(row["chunk"]), _names(row["tag"]), word_class))
    if not rows or rows[-1].chunks or rows[-1].tags or rows[-1].word_class:
        raise FormatError("nothing fits every chunk", path=path, line=number, remedy="end with a row * <TAB> * <TAB> -")
    return tuple(rows)


def _names(cell: str) -> frozenset[str]:
    return frozenset() if cell == "*" else frozenset(cell.split("|"))


@cache
def _word_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for _, row in read_rows(hindi_path(WORDS), ("class", "devanagari", "roman")):
        forms = [form for form in (row["devanagari"], *row["roman"].split()) if form]
        texts = (re.escape(form).replace(r"\*", ".+") for form in forms)
        found.append((row["class"], re.compile("|".join(texts))))
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def classes_of(form: str) -> frozenset[str]:
    """Returns the classes of a word in either script, from the word list and the markers.

    >>> sorted(classes_of("जिसने"))
    ['ergative pronoun', 'relative']
    """
    lower = form.lower()
    found = {name for name, pattern in _word_patterns() if pattern.fullmatch(lower)}
    return frozenset(found | {str(marker.kind) for marker in markers_of(lower)})

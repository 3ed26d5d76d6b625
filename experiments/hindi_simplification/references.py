"""The references of sentences, and a reader's ratings of outputs; neither table holds text of a source."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.tables import Row, read_table
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.simplify.tables import words_of

STOP = "।"
"""The mark that ends each sentence of a line, whatever its original mark."""

_SPAN = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)

Key = tuple[str, str]
"""The names of a file and of a sentence in it."""


@dataclass(frozen=True)
class Pair:
    """A sentence of the treebank, and the lines of the source and of its reference."""

    key: Key
    sentence: Sentence
    source: str
    reference: str


def read_pairs(treebank: Path, table: Path, problems: list[FormatError] | None = None) -> list[Pair]:
    """Reads the references, in the table's order, with their sentences."""
    rows = {(row["file"], row["id"]): row for row in read_table(table, ("file", "id", "reference"), full=True)}
    sentences: dict[Key, Sentence] = {}
    for file, sentence in read_treebank(treebank, problems, only={file for file, _ in rows}):
        sentences.setdefault((file, sentence.id), sentence)
    for key, row in rows.items():
        if key not in sentences:
            raise row.error(f"{treebank} has no sentence {'#'.join(key)}", "take the treebank that the table is of")
    return [_pair(key, sentences[key], row) for key, row in rows.items()]


def _pair(key: Key, sentence: Sentence, row: Row) -> Pair:
    forms = [token.form for token in sentence.tokens]
    plain = [token.form for token in sentence.tokens if not token.is_empty]
    try:
        reference = line_of(read_reference(row["reference"], forms))
    except LatticeSimpError as error:
        raise row.error(str(error), "write N-M for tokens, from 1, words, and | between sentences") from error
    return Pair(key, sentence, line_of([plain]), reference)


def read_reference(text: str, forms: Sequence[str]) -> list[list[str]]:
    """Returns the sentences of a reference.

    >>> read_reference("1-2 4 | वह 3", "a b c d".split())
    [['a', 'b', 'd'], ['वह', 'c']]
    """
    sentences = [list(_words(part.split(), forms)) for part in text.split("|")]
    if not all(sentences):
        raise LatticeSimpError(f"a sentence without words in {text!r}")
    return sentences


def _words(parts: Iterable[str], forms: Sequence[str]) -> Iterator[str]:
    for part in parts:
        span = _SPAN.fullmatch(part)
        if span is None:
            yield part
            continue
        first, last = int(span[1]), int(span[2] or span[1])
        if not 1 <= first <= last <= len(forms):
            raise LatticeSimpError(f"no tokens {part} in a sentence of {len(forms)}")
        yield from forms[first - 1 : last]


def line_of(sentences: Iterable[Sequence[str]]) -> str:
    """Returns sentences as one line of tokens, with the same mark after each in place of their own marks.

    >>> line_of([["वह", "गया", "."], ["क्या", "?", "'"]])
    "वह गया । क्या ' ।"
    """
    ends = {*words_of("statement"), *words_of("question")}
    kept = ([word for word in words if word not in ends] for words in sentences)
    return " ".join(word for words in kept if words for word in (*words, STOP))


def sentences_of(line: str) -> list[str]:
    """Returns the sentences of a line, without their marks.

    >>> sentences_of("वह गया । वह आया ।")
    ['वह गया', 'वह आया']
    """
    runs = groupby(line.split(), key=lambda word: word == STOP)
    return [" ".join(words) for is_stop, words in runs if not is_stop]


HIGHEST = 3
"""The highest rating of the scale from 0 (Mishra et al. 2014, section 5.2)."""

RATINGS = ("simplification", "readability")

COLUMNS = ("file", "id", "text", *RATINGS)


Ratings = Mapping[tuple[Key, str], tuple[int, ...]]
"""The completeness of a simplification and the readability of the result, by sentence and fingerprint of the output."""


def read_ratings(path: Path) -> Ratings:
    """Reads the ratings, each from 0 to 3."""
    scale = tuple(map(str, range(HIGHEST + 1)))
    return {
        ((row["file"], row["id"]), row["text"]): tuple(int(row.one_of(name, scale)) for name in RATINGS)
        for row in read_table(path, COLUMNS, full=True)
    }


def fingerprint(line: str) -> str:
    """Returns the digest of an output that represents it in the table, which holds no text.

    >>> fingerprint("राम सोया ।")
    '137c848f'
    """
    return f"{zlib.crc32(line.encode()):08x}"

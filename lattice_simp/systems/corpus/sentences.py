"""Splits text into sentences and words with spaCy's rules.

spaCy keeps the positions of both in the unchanged text. It tokenises by the rules of a language for abbreviations,
initials and quotes; its `sentencizer` ends sentences after the marks of any script and the quotes and brackets that
follow. Both need no model and take 150 microseconds a sentence. (sacremoses does not split sentences or keep
positions.) For English, `english_ends.py` corrects the ends of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import LatticeSimpError, one_line
from lattice_simp.support.extras import Late
from lattice_simp.systems.corpus.english_ends import ENGLISH, TABLES, english_begins

spacy = Late("spacy", "corpus")

LONGEST = 1 << 26
"""The most characters of a paragraph."""

_COLUMNS = ("LOWER", "IS_PUNCT", "IS_SPACE", "SENT_START", "IDX", "LENGTH", "IS_QUOTE", "IS_LOWER")


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of paragraphs.

    Attributes:
        paragraph: (sentences,) int64, the paragraph of each sentence, from 0.
        begin, end: (sentences,) int64, its span in the paragraph, in characters, without spaces at the ends.
        offsets: (sentences + 1,) int64, the first word of each sentence in `words`.
        words: flat int32 numbers of words without punctuation: non-negative hashes of their lower-cased forms.
    """

    paragraph: Longs
    begin: Longs
    end: Longs
    offsets: Longs
    words: Ints


@dataclass(frozen=True)
class Splitter:
    """Splits paragraphs into sentences and words by the rules of a language (an ISO code; `xx` for general ones).

    >>> sentences = Splitter("en").split(["Dr. Ames came.  She said 'Go!' ", "", "It rained."])
    >>> sentences.paragraph.tolist(), sentences.begin.tolist(), sentences.end.tolist()
    ([0, 0, 2], [0, 16, 0], [14, 30, 10])

    Opening marks belong to the following sentence, and a sentence may continue after a quotation in lower case:

    >>> text = 'It was late. "Is it?" she asked. (Nobody knew.)'
    >>> sentences = Splitter("en").split([text])
    >>> [text[begin:end] for begin, end in zip(sentences.begin, sentences.end)]
    ['It was late.', '"Is it?" she asked.', '(Nobody knew.)']
    """

    language: str = "en"

    @cached_property
    def _pipeline(self) -> Any:
        try:
            pipeline = spacy.blank(self.language)
        except ImportError as error:
            remedy = "give an ISO code, or xx for language-independent rules"
            message = f"no rules for the language {self.language!r}: {one_line(error)} ({remedy})"
            raise LatticeSimpError(message) from None
        pipeline.add_pipe("sentencizer")
        pipeline.max_length = LONGEST
        return pipeline

    def __getstate__(self) -> dict[str, Any]:
        return {"language": self.language}

    @property
    def tables(self) -> tuple[Path, ...]:
        """The word lists that determine the ends of sentences."""
        return TABLES if self.language == ENGLISH else ()

    def check(self) -> None:
        """Raises LatticeSimpError if spaCy does not support the language, or is not installed."""
        _ = self._pipeline

    def split(self, paragraphs: Iterable[str]) -> Sentences:
        """Returns the sentences of paragraphs of at most `LONGEST` characters."""
        if self.language != ENGLISH:
            return _sentences(self._tokens(paragraphs, self._pipeline))
        texts = list(paragraphs)
        documents = self._tokens(texts, self._pipeline)
        for text, tokens in zip(texts, documents, strict=True):
            _correct(text, tokens)
        return _sentences(documents)

    def words(self, sentences: Iterable[str]) -> tuple[Longs, Ints]:
        """Returns the words of separate sentences as (offsets, flat numbers)."""
        return _words(self._tokens(sentences, self._pipeline.tokenizer.pipe))

    def _tokens(self, texts: Iterable[str], pipeline: Any) -> list[Any]:
        pipe = getattr(pipeline, "pipe", pipeline)
        with self._pipeline.memory_zone():  # frees its cache of words
            return [document.to_array(_COLUMNS) for document in pipe(map(_checked, texts))]


def _checked(text: str) -> str:
    if len(text) > LONGEST:
        raise LatticeSimpError(f"a paragraph has {len(text):,} characters; split it into parts of at most {LONGEST:,}")
    return text


def _correct(text: str, tokens: Any) -> None:
    """Corrects the sentence starts of an English text."""
    starts = tokens[:, 4].astype(np.int64)
    begins = english_begins(text, starts[tokens[:, 3] == 1].tolist())
    tokens[:, 3] = np.isin(starts, begins)


def _sentences(documents: Sequence[Any]) -> Sentences:
    tokens, paragraph = _joined(documents)
    number = np.cumsum(tokens[:, 3] == 1)  # the first token also starts a sentence
    is_text = tokens[:, 2] == 0
    tokens, paragraph, number = tokens[is_text], paragraph[is_text], number[is_text]
    begins = _moved(np.flatnonzero(np.diff(number, prepend=-1)), tokens, paragraph)
    ends = np.append(begins[1:], len(number)) - 1
    starts, lengths = tokens[:, 4].astype(np.int64), tokens[:, 5].astype(np.int64)
    words = tokens[:, 1] == 0
    offsets = prefix_sums(words)[np.append(begins, len(number))]
    stops = starts[ends] + lengths[ends] if len(begins) else starts[:0]
    return Sentences(paragraph[begins], starts[begins], stops, offsets, _numbers(tokens[words, 0]))


def _moved(begins: Longs, tokens: Any, paragraph: Longs) -> Longs:
    """Returns where sentences begin, including opening marks, which the sentencizer leaves to the sentence before."""
    starts = tokens[:, 4].astype(np.int64)
    first = np.diff(paragraph, prepend=-1) != 0
    apart = first | (starts > np.roll(starts + tokens[:, 5].astype(np.int64), 1))  # preceded by spaces
    moved = []
    for begin in begins.tolist():
        if not first[begin] and apart[begin] and tokens[begin, 7] and tokens[begin - 1, 6] and not apart[begin - 1]:
            continue  # "Is it?" she asked
        place = begin
        while not apart[place] and tokens[place - 1, 1]:
            place -= 1
        moved.append(place if apart[place] else begin)
    return np.array(moved, dtype=np.int64)


def _words(documents: Sequence[Any]) -> tuple[Longs, Ints]:
    tokens, text = _joined(documents)
    is_word = (tokens[:, 1] == 0) & (tokens[:, 2] == 0)
    offsets = np.searchsorted(text[is_word], np.arange(len(documents) + 1))
    return offsets, _numbers(tokens[is_word, 0])


def _joined(documents: Sequence[Any]) -> tuple[Any, Longs]:
    """Returns the rows of all tokens, and the document of each."""
    empty = np.zeros((0, len(_COLUMNS)), dtype=np.uint64)
    rows = [document.reshape(-1, len(_COLUMNS)) for document in documents]
    return np.concatenate([empty, *rows]), np.repeat(np.arange(len(rows)), list(map(len, rows))).astype(np.int64)


def _numbers(hashes: Any) -> Ints:
    """Folds 64 bits to 31: two words of a pair of paragraphs collide once in a hundred thousand pairs."""
    return np.asarray((hashes ^ (hashes >> np.uint64(32))) & np.uint64(0x7FFFFFFF), dtype=np.int32)

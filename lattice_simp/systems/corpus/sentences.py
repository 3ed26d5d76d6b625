"""Text to sentences and words, with spaCy's rules.

spaCy, since it gives both with their places in the text, which stays as it is: the tokens of a language by its rules
for abbreviations, initials and quotes, and the sentences by its `sentencizer`, which ends one after the marks of
any script and the quotes and brackets that follow. Both are rules, which need no model, and take 150 microseconds a
sentence. (sacremoses splits no sentences and keeps no places.) Which stops of English end sentences is in
`grammars/english` (`english_ends.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import LatticeSimpError, one_line
from lattice_simp.support.extras import extra
from lattice_simp.systems.corpus.english_ends import ENGLISH, TABLES, english_begins

LONGEST = 1 << 26
"""Characters of a paragraph, at most."""

_COLUMNS = ("LOWER", "IS_PUNCT", "IS_SPACE", "SENT_START", "IDX", "LENGTH", "IS_QUOTE", "IS_LOWER")


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of paragraphs.

    Attributes:
        paragraph: (sentences,) int64, of each sentence, from 0.
        begin, end: (sentences,) int64, where in its paragraph it is, in characters; no blanks at either end.
        offsets: (sentences + 1,) int64, where its words begin in `words`.
        words: flat int32 numbers of words, punctuation aside: hashes of their lower-cased forms, not negative.
    """

    paragraph: Longs
    begin: Longs
    end: Longs
    offsets: Longs
    words: Ints


@dataclass(frozen=True)
class Splitter:
    """Splits paragraphs into sentences and words.

    >>> found = Splitter("en").split(["Dr. Ames came.  She said 'Go!' ", "", "It rained."])
    >>> found.paragraph.tolist(), found.begin.tolist(), found.end.tolist()
    ([0, 0, 2], [0, 16, 0], [14, 30, 10])

    Marks that open belong to what they open, and what goes on behind a quotation with a small letter is one sentence:

    >>> text = 'It was late. "Is it?" she asked. (Nobody knew.)'
    >>> found = Splitter("en").split([text])
    >>> [text[begin:end] for begin, end in zip(found.begin, found.end)]
    ['It was late.', '"Is it?" she asked.', '(Nobody knew.)']

    Attributes:
        language: an ISO code; `xx` for rules that fit many languages.
    """

    language: str = "en"

    @cached_property
    def _pipeline(self) -> Any:
        with extra("corpus"):
            import spacy
        try:
            pipeline = spacy.blank(self.language)
        except ImportError as error:
            remedy = "give an ISO code, or xx for rules of no language"
            raise LatticeSimpError(
                f"no rules for the language {self.language!r}: {one_line(error)} ({remedy})"
            ) from None
        pipeline.add_pipe("sentencizer")
        pipeline.max_length = LONGEST
        return pipeline

    def __getstate__(self) -> dict[str, Any]:
        return {"language": self.language}

    @property
    def tables(self) -> tuple[Path, ...]:
        """The word lists that say where sentences end."""
        return TABLES if self.language == ENGLISH else ()

    def check(self) -> None:
        """Loads the rules.

        Raises:
            MissingExtraError: spaCy is not installed.
            LatticeSimpError: it does not know the language.
        """
        _ = self._pipeline

    def split(self, paragraphs: Iterable[str]) -> Sentences:
        """Returns the sentences of paragraphs.

        Raises:
            LatticeSimpError: a paragraph of more than `LONGEST` characters.
        """
        if self.language != ENGLISH:
            return _sentences(self._tokens(paragraphs, self._pipeline))
        texts = list(paragraphs)
        documents = self._tokens(texts, self._pipeline)
        for text, tokens in zip(texts, documents, strict=True):
            _correct(text, tokens)
        return _sentences(documents)

    def words(self, sentences: Iterable[str]) -> tuple[Longs, Ints]:
        """Returns the words of sentences, each a text of its own, as (offsets, flat numbers)."""
        return _words(self._tokens(sentences, self._pipeline.tokenizer.pipe))

    def _tokens(self, texts: Iterable[str], pipeline: Any) -> list[Any]:
        pipe = getattr(pipeline, "pipe", pipeline)
        with self._pipeline.memory_zone():  # what it remembers of the words goes again
            return [document.to_array(_COLUMNS) for document in pipe(map(_checked, texts))]


def _checked(text: str) -> str:
    if len(text) > LONGEST:
        raise LatticeSimpError(f"a paragraph of {len(text):,} characters; split it, {LONGEST:,} are the most")
    return text


def _correct(text: str, tokens: Any) -> None:
    """Lets the sentences of an English text start where its grammar says."""
    starts = tokens[:, 4].astype(np.int64)
    begins = english_begins(text, starts[tokens[:, 3] == 1].tolist())
    tokens[:, 3] = np.isin(starts, begins)


def _sentences(documents: Sequence[Any]) -> Sentences:
    tokens, paragraph = _joined(documents)
    number = np.cumsum(tokens[:, 3] == 1)  # a first token starts a sentence, too
    own = tokens[:, 2] == 0
    tokens, paragraph, number = tokens[own], paragraph[own], number[own]
    begins = _moved(np.flatnonzero(np.diff(number, prepend=-1)), tokens, paragraph)
    ends = np.append(begins[1:], len(number)) - 1
    starts, lengths = tokens[:, 4].astype(np.int64), tokens[:, 5].astype(np.int64)
    words = tokens[:, 1] == 0
    offsets = np.concatenate([[0], np.cumsum(words)])[np.append(begins, len(number))]
    found = starts[ends] + lengths[ends] if len(begins) else starts[:0]
    return Sentences(paragraph[begins], starts[begins], found, offsets, _numbers(tokens[words, 0]))


def _moved(begins: Longs, tokens: Any, paragraph: Longs) -> Longs:
    """Returns where sentences begin, marks before them that open something included.

    The sentencizer gives all marks after a full stop to the sentence that it ends.
    """
    starts = tokens[:, 4].astype(np.int64)
    first = np.diff(paragraph, prepend=-1) != 0
    apart = first | (starts > np.roll(starts + tokens[:, 5].astype(np.int64), 1))  # blanks are before it
    found = []
    for begin in begins.tolist():
        if not first[begin] and apart[begin] and tokens[begin, 7] and tokens[begin - 1, 6] and not apart[begin - 1]:
            continue  # "Is it?" she asked
        place = begin
        while not apart[place] and tokens[place - 1, 1]:
            place -= 1
        found.append(place if apart[place] else begin)
    return np.array(found, dtype=np.int64)


def _words(documents: Sequence[Any]) -> tuple[Longs, Ints]:
    tokens, text = _joined(documents)
    own = (tokens[:, 1] == 0) & (tokens[:, 2] == 0)
    offsets = np.searchsorted(text[own], np.arange(len(documents) + 1))
    return offsets, _numbers(tokens[own, 0])


def _joined(documents: Sequence[Any]) -> tuple[Any, Longs]:
    """Returns the rows of all tokens, and whose they are."""
    empty = np.zeros((0, len(_COLUMNS)), dtype=np.uint64)
    rows = [document.reshape(-1, len(_COLUMNS)) for document in documents]
    return np.concatenate([empty, *rows]), np.repeat(np.arange(len(rows)), list(map(len, rows))).astype(np.int64)


def _numbers(hashes: Any) -> Ints:
    """Folds 64 bits to 31: two words of a pair of paragraphs are taken for one once in a hundred thousand pairs."""
    folded: Ints = ((hashes ^ (hashes >> np.uint64(32))) & np.uint64(0x7FFFFFFF)).astype(np.int32)
    return folded

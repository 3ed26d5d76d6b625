"""IBM Model 1 as a feature of finished translations, in both directions (Och et al. 2004, section 4.2).

p(t | s) = prod_j 1 / (I + 1) sum_i p(t_j | s_i), where s_0 is NULL. The model has no end of sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.automaton import find_child
from lattice_simp.rescore.bilingual_table import Singles
from lattice_simp.rescore.files import read_fields, write_fields
from lattice_simp.rescore.kind import Corpus, ScorerKind, TrainingOptions
from lattice_simp.rescore.scorer import PrefixScorer, Scorer, State
from lattice_simp.rescore.vocabulary import Vocabulary
from lattice_simp.support.array_checks import (
    check_array,
    check_finite,
    check_indices,
    check_offsets,
    length_of,
    sound_arrays,
)

_CONTENT, _ARRAYS = "model1", ("begins", "words", "target_given_source", "source_given_target")

FLOOR = 1e-7
"""The probability of pairs that the table does not hold, including those of unknown words (GIZA++'s default)."""

LEAST = 1e-4
"""Pairs that are less probable in both directions are left out: they are numerous, and alignment errors."""


@dataclass(frozen=True, eq=False)
class WordTable:
    """Word translation probabilities of both directions.

    A symbol is a word's number, or the vocabulary's `unknown` for NULL.

    Attributes:
        source, target: the vocabularies.
        begins: (source symbols + 1,) where the pairs of each source symbol begin.
        words: (pairs,) target symbols, sorted for each source symbol.
        target_given_source, source_given_target: (pairs,).
    """

    source: Vocabulary
    target: Vocabulary
    begins: Longs
    words: Ints
    target_given_source: Singles
    source_given_target: Singles

    @classmethod
    def from_pairs(
        cls,
        source_words: Sequence[str],
        target_words: Sequence[str],
        pairs: Ints,
        target_given_source: Floats,
        source_given_target: Floats,
    ) -> WordTable:
        """Makes the table of (pairs, 2) word numbers, -1 for NULL, without those below `LEAST` in both directions.

        Raises:
            LatticeSimpError: numbers without words, or a pair that occurs twice.
        """
        source, target = Vocabulary(tuple(source_words)), Vocabulary(tuple(target_words))
        if len(pairs) and ((pairs < -1) | (pairs >= [source.unknown, target.unknown])).any():
            raise LatticeSimpError("a pair of words has a number without a word")
        kept = np.maximum(target_given_source, source_given_target) >= LEAST
        symbols = np.where(pairs < 0, [source.unknown, target.unknown], pairs)[kept]
        order = np.lexsort((symbols[:, 1], symbols[:, 0]))
        symbols = symbols[order]
        if len(symbols) and (np.diff(symbols, axis=0) == 0).all(axis=1).any():
            raise LatticeSimpError("a pair of words occurs twice")
        return cls(
            source,
            target,
            np.searchsorted(symbols[:, 0], np.arange(source.unknown + 2)).astype(np.int64),
            symbols[:, 1].astype(np.int32),
            target_given_source[kept][order].astype(np.float32),
            source_given_target[kept][order].astype(np.float32),
        )

    @classmethod
    def read(cls, path: str | Path) -> WordTable:
        """Maps a file written by `write`; raises FormatError if it is broken or of another kind."""
        vocabularies, arrays = read_fields(path, _CONTENT, ("source", "target"), _ARRAYS)
        table = cls(*vocabularies, *arrays)  # type: ignore[arg-type]
        with sound_arrays(path, "train the model again"):
            table.check()
        return table

    def check(self) -> None:
        """Raises BrokenArrayError if the arrays contradict each other."""
        pairs = length_of("words", self.words)
        check_array("begins", self.begins, np.int64, self.source.unknown + 2)
        check_offsets("begins", self.begins, pairs)
        check_array("words", self.words, np.int32, pairs)
        check_indices("words", self.words, self.target.unknown + 1)
        for name in ("target_given_source", "source_given_target"):
            check_array(name, getattr(self, name), np.float32, pairs)
            check_finite(name, getattr(self, name))

    def write(self, path: str | Path) -> None:
        """Writes the table to one file."""
        write_fields(path, _CONTENT, {name: getattr(self, name) for name in ("source", "target", *_ARRAYS)})

    def cells(self, source: Sequence[str], target: Sequence[str], probabilities: Singles) -> Floats:
        """Returns the (source + 1, target + 1) probabilities of pairs of symbols, NULL last; at least `FLOOR`.

        An unknown word is in no pair: its number, above that of NULL, has none.
        """
        sides = []
        for vocabulary, words in ((self.source, source), (self.target, target)):
            numbers = vocabulary.numbers(words)
            numbers[numbers == vocabulary.unknown] = -1
            sides.append(np.append(numbers, vocabulary.unknown).astype(np.int32))
        return _cells(*sides, self.begins, self.words, probabilities)


@dataclass(frozen=True, eq=False)
class Model1Scorer(PrefixScorer):
    """-log p(target | source) under Model 1; a `PrefixScorer`.

    >>> pairs = np.array([[0, 0], [-1, 1]], np.int32)
    >>> table = WordTable.from_pairs(["la"], ["the", "of"], pairs, np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    >>> np.exp(-Model1Scorer(table).score(["la"], [["the"], ["of", "the"]])).round(4).tolist()
    [0.5, 0.25]
    """

    table: WordTable

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        words, counts = _word_counts(hypotheses)
        return counts @ self._costs(source, words)

    def start(self, source: Sequence[str]) -> State:
        return tuple(source)  # each word is scored independently

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        if not states:
            return np.zeros(0), []
        distinct = list(dict.fromkeys(words))
        costs = dict(zip(distinct, self._costs(states[0], distinct).tolist(), strict=True))
        return np.array([costs[word] for word in words]), list(states)

    def end(self, states: Sequence[State]) -> Floats:
        return np.zeros(len(states))  # the model has no end

    def _costs(self, source: Sequence[str], words: Sequence[str]) -> Floats:
        cells = self.table.cells(source, words, self.table.target_given_source)
        return -np.log(cells[:, : len(words)].mean(axis=0))


@dataclass(frozen=True, eq=False)
class InverseModel1Scorer:
    """-log p(source | target) under Model 1; needs whole hypotheses."""

    table: WordTable

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        words, counts = _word_counts(hypotheses)
        cells = self.table.cells(source, words, self.table.source_given_target)[:-1]
        sums = counts @ cells[:, :-1].T + cells[:, -1]
        return -np.log(sums / (1.0 + counts.sum(axis=1, keepdims=True))).sum(axis=1)


def _word_counts(hypotheses: Sequence[Sequence[str]]) -> tuple[list[str], Floats]:
    """Returns the distinct words of hypotheses, and their counts in each, (hypotheses, words)."""
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in words] for words in hypotheses]
    counts = [np.bincount(np.array(row, dtype=np.int64), minlength=len(numbers)) for row in rows]
    return list(numbers), np.array(counts, dtype=np.float64).reshape(len(hypotheses), len(numbers))


@jit
def _cells(source: Ints, target: Ints, begins: Longs, words: Ints, probabilities: Singles) -> Floats:
    cells = np.full((len(source), len(target)), FLOOR)
    for row in range(len(source)):
        s = source[row]
        if s < 0:
            continue
        for column in range(len(target)):
            if target[column] >= 0:
                index = find_child(begins, words, s, target[column])
                if index >= 0:
                    cells[row, column] = max(FLOOR, np.float64(probabilities[index]))
    return cells


def _read(path: Path) -> dict[str, Scorer]:
    table = WordTable.read(path)
    return {"Model1": Model1Scorer(table), "InverseModel1": InverseModel1Scorer(table)}


def _train(corpus: Corpus, options: TrainingOptions) -> WordTable:
    return WordTable.from_pairs(corpus.words("source"), corpus.words("target"), *corpus.lexicon())


KIND = ScorerKind(_CONTENT, _read, _train, ("lexical",))

"""A model of the target sentence given the source: an n-gram model inside a hidden word alignment.

p(t, a | s) = prod_j p(a_j | a_(j-1)) p(t_j | t_(j-1), s_(a_j)), summed over all alignments a by the forward algorithm.
The alignment is the HMM of Vogel, Ney and Tillmann (1996) with NULL as in Och and Ney (2003, section 2.1); the end of
the target is a word, too, a translation of the end of the source. The word probabilities depend on the previous target
word (`bilingual_table.py`), so the model prefers fluent translations of the source to mere bags of translated words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.lm.automaton import find_child
from lattice_simp.rescore.bilingual_table import BilingualArrays, LinkedPart, train_table
from lattice_simp.rescore.files import read_fields, write_fields
from lattice_simp.rescore.jumps import transitions
from lattice_simp.rescore.kind import Corpus, ScorerKind, TrainingOptions
from lattice_simp.rescore.scorer import PrefixScorer, State
from lattice_simp.rescore.vocabulary import Vocabulary
from lattice_simp.support.array_checks import sound_arrays

_CONTENT = "bilingual"


class _Prefix(NamedTuple):
    """A state: the source's symbols, the transitions, p(position of the last linked word | prefix), the last word."""

    symbols: Ints
    transitions: Floats
    shares: Floats
    word: int


@dataclass(frozen=True, eq=False)
class BilingualScorer(PrefixScorer):
    """Scores target sentences given the source; a `PrefixScorer`.

    >>> from lattice_simp.rescore.vocabulary import Sentences
    >>> side = Sentences(np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32))
    >>> links = Sentences(np.array([0, 2, 4]), np.array([[0, 0], [1, 1], [0, 0], [1, 1]], np.int32))
    >>> scorer = BilingualScorer.train([(side, side, links)], ["la", "maison"], ["the", "house"])
    >>> good, bad = scorer.score(["la", "maison"], [["the", "house"], ["house", "the"]])
    >>> bool(good < bad)
    True
    """

    source: Vocabulary
    target: Vocabulary
    arrays: BilingualArrays

    @property
    def boundary(self) -> int:
        """The target symbol of the end, and of the place before the first word."""
        return self.target.unknown + 1

    @classmethod
    def train(
        cls, parts: Iterable[LinkedPart], source_words: list[str], target_words: list[str], **cuts: int
    ) -> BilingualScorer:
        """Estimates the model; the arguments are those of `train_table`."""
        return cls(*train_table(parts, source_words, target_words, **cuts))

    @classmethod
    def read(cls, path: str | Path) -> BilingualScorer:
        """Maps a file written by `write`; raises FormatError if it is broken or of another kind."""
        (source, target), arrays = read_fields(path, _CONTENT, ("source", "target"), BilingualArrays._fields)
        fields = BilingualArrays(*arrays)
        with sound_arrays(path, "train the model again"):
            fields.check(source, target)
        return cls(source, target, fields)

    def write(self, path: str | Path) -> None:
        """Writes the model to one file."""
        write_fields(path, _CONTENT, {"source": self.source, "target": self.target, **self.arrays._asdict()})

    def start(self, source: Sequence[str]) -> State:
        unknown, positions = self.source.unknown, len(source) + 1
        symbols = np.append(self.source.numbers(source), [unknown + 1, unknown + 2]).astype(np.int32)
        begin = np.zeros(positions + 1)
        begin[positions] = 1.0
        return _Prefix(symbols, transitions(self.arrays.jumps, positions), begin, self.boundary)

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        numbers = self.target.numbers(words)
        costs, shares = self._step(states, numbers)
        after = zip(shares, numbers.tolist(), strict=True)
        return costs, [states[0]._replace(shares=row, word=word) for row, word in after]

    def end(self, states: Sequence[State]) -> Floats:
        return self._step(states, np.full(len(states), self.boundary, dtype=np.int32))[0]

    def _step(self, states: Sequence[_Prefix], words: Ints) -> tuple[Floats, Floats]:
        """Adds one word to each prefix; returns its cost, and the shares of positions after the word."""
        if not states:
            return np.zeros(0), np.zeros((0, 0))
        symbols, transitions, _, _ = states[0]
        previous = np.array([state.word for state in states], dtype=np.int64)
        bigrams, rows = np.unique(previous << 32 | words, return_inverse=True)
        columns = (part.astype(np.int32) for part in (bigrams >> 32, bigrams & 0xFFFFFFFF))
        emissions = emission_table(*columns, symbols, self.arrays)[rows.reshape(-1)]
        before, null = np.stack([state.shares for state in states]), self.arrays.null[0]
        after = null * emissions[:, -1:] * before  # a word from NULL leaves the position of the last linked one
        after[:, :-1] += (1.0 - null) * emissions[:, :-1] * (before @ transitions)
        totals = after.sum(axis=1)
        return -np.log(totals), after / totals[:, None]


@jit
def emission_table(previous: Ints, words: Ints, symbols: Ints, arrays: BilingualArrays) -> Floats:
    """Returns the (bigrams, symbols) probabilities p(word | previous, symbol)."""
    table = np.empty((len(words), len(symbols)))
    for row in range(len(words)):
        word = words[row]
        for column in range(len(symbols)):
            s = symbols[column]
            weight = 1.0
            context = find_child(arrays.context_begins, arrays.context_words, s, previous[row])
            if context >= 0:
                triple = find_child(arrays.triple_begins, arrays.triple_words, context, word)
                if triple >= 0:
                    table[row, column] = arrays.triple_probabilities[triple]
                    continue
                weight = np.float64(arrays.context_backoff[context])
            pair = find_child(arrays.pair_begins, arrays.pair_words, s, word)
            if pair >= 0:
                table[row, column] = weight * arrays.pair_probabilities[pair]
            else:
                table[row, column] = weight * arrays.source_backoff[s] * arrays.unigram[word]
    return table


def _train(corpus: Corpus, options: TrainingOptions) -> BilingualScorer:
    parts = zip(corpus.sentences("source"), corpus.sentences("target"), corpus.links(), strict=True)
    return BilingualScorer.train(
        parts, corpus.words("source"), corpus.words("target"), least_triple=options.least_triple
    )


KIND = ScorerKind(_CONTENT, lambda path: {"Bilingual": BilingualScorer.read(path)}, _train, ("align",))

"""A model of the target sentence given the source: an n-gram model inside a hidden word alignment.

p(t, a | s) = prod_j p(a_j | a_(j-1)) p(t_j | t_(j-1), s_(a_j)), summed over all alignments a by the forward algorithm.
The alignment is the HMM of Vogel, Ney and Tillmann (1996) with NULL as in Och and Ney (2003, section 2.1); the end of
the target is a word, too, which the end of the source translates to. The word probabilities know the previous target
word (`bilingual_table.py`), so the model prefers fluent translations of the source to mere bags of translated words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.rescore.bilingual_table import BilingualArrays, BilingualTable, LinkedPart, train_table
from lattice_simp.rescore.files import read_fields, write_fields
from lattice_simp.rescore.jumps import transitions
from lattice_simp.rescore.kind import Corpus, ScorerKind, TrainingOptions
from lattice_simp.rescore.scorer import State, score_by_prefixes

_CONTENT = "bilingual"


@dataclass(frozen=True, eq=False)
class _Sentence:
    """A source sentence: the numbers of its words with the end and NULL, and the transitions between its positions."""

    symbols: Ints
    transitions: Floats


@dataclass(frozen=True, eq=False)
class _Prefix:
    """A state: p(position of the last linked word | prefix), the start last; and the last word's number."""

    sentence: _Sentence
    shares: Floats
    word: int


@dataclass(frozen=True, eq=False)
class BilingualScorer:
    """Scores target sentences given the source; a `PrefixScorer`.

    >>> from lattice_simp.rescore.vocabulary import Sentences
    >>> side = Sentences(np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32))
    >>> links = Sentences(np.array([0, 2, 4]), np.array([[0, 0], [1, 1], [0, 0], [1, 1]], np.int32))
    >>> scorer = BilingualScorer.train([(side, side, links)], ["la", "maison"], ["the", "house"])
    >>> good, bad = scorer.score(["la", "maison"], [["the", "house"], ["house", "the"]])
    >>> bool(good < bad)
    True
    """

    table: BilingualTable

    @classmethod
    def train(
        cls, parts: Iterable[LinkedPart], source_words: list[str], target_words: list[str], **cuts: int
    ) -> BilingualScorer:
        """Estimates the model; the arguments are those of `train_table`."""
        return cls(train_table(parts, source_words, target_words, **cuts))

    @classmethod
    def read(cls, path: str | Path) -> BilingualScorer:
        """Maps a file that `write` wrote.

        Raises:
            FormatError: the file is broken, or holds something else.
        """
        (source, target), arrays = read_fields(path, _CONTENT, ("source", "target"), BilingualArrays._fields)
        return cls(BilingualTable(source, target, BilingualArrays(*arrays)))

    def write(self, path: str | Path) -> None:
        """Writes the model to one file."""
        table = self.table
        write_fields(path, _CONTENT, {"source": table.source, "target": table.target, **table.arrays._asdict()})

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        """Returns the (hypotheses,) costs in nats, the end included."""
        return score_by_prefixes(self, source, hypotheses)

    def start(self, source: Sequence[str]) -> State:
        """Returns the state before the first word."""
        table = self.table
        symbols = np.concatenate([table.source.numbers(source), [table.source_end, table.source_null]])
        positions = len(source) + 1
        begin = np.zeros(positions + 1)
        begin[positions] = 1.0
        sentence = _Sentence(symbols.astype(np.int32), transitions(table.arrays.jumps, positions))
        return _Prefix(sentence, begin, table.boundary)

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        """Returns the words' costs and the states after them."""
        numbers = self.table.target.numbers(words)
        costs, shares = self._step(states, numbers)
        sentence = states[0].sentence if states else None
        following: list[State] = [
            _Prefix(sentence, row, number)  # type: ignore[arg-type]
            for row, number in zip(shares, numbers.tolist(), strict=True)
        ]
        return costs, following

    def end(self, states: Sequence[State]) -> Floats:
        """Returns the costs of the end."""
        return self._step(states, np.full(len(states), self.table.boundary, dtype=np.int32))[0]

    def _step(self, states: Sequence[_Prefix], words: Ints) -> tuple[Floats, Floats]:
        if not states:
            return np.zeros(0), np.zeros((0, 0))
        sentence, arrays = states[0].sentence, self.table.arrays
        previous = np.array([state.word for state in states], dtype=np.int64)
        bigrams, rows = np.unique(previous << 32 | words, return_inverse=True)
        emissions = emission_table(
            (bigrams >> 32).astype(np.int32),
            (bigrams & 0xFFFFFFFF).astype(np.int32),
            sentence.symbols,
            arrays,
        )
        shares = np.stack([state.shares for state in states])
        return _forward(shares, emissions, rows.reshape(-1), sentence.transitions, float(arrays.null[0]))


@jit
def find_word(words: Ints, begin: int, end: int, wanted: int) -> int:
    """Returns the position of a word in the sorted `words[begin:end]`, or -1."""
    position = begin + int(np.searchsorted(words[begin:end], wanted))
    return position if position < end and words[position] == wanted else -1


@jit
def emission_table(previous: Ints, words: Ints, symbols: Ints, arrays: BilingualArrays) -> Floats:
    """Returns the (bigrams, symbols) probabilities p(word | previous, symbol)."""
    table = np.empty((len(words), len(symbols)))
    for row in range(len(words)):
        word = words[row]
        for column in range(len(symbols)):
            s = symbols[column]
            weight = 1.0
            begins = arrays.context_begins
            context = find_word(arrays.context_words, begins[s], begins[s + 1], previous[row])
            if context >= 0:
                begins = arrays.triple_begins
                triple = find_word(arrays.triple_words, begins[context], begins[context + 1], word)
                if triple >= 0:
                    table[row, column] = arrays.triple_probabilities[triple]
                    continue
                weight = np.float64(arrays.context_backoff[context])
            pair = find_word(arrays.pair_words, arrays.pair_begins[s], arrays.pair_begins[s + 1], word)
            if pair >= 0:
                table[row, column] = weight * arrays.pair_probabilities[pair]
            else:
                table[row, column] = weight * arrays.source_backoff[s] * arrays.unigram[word]
    return table


@jit
def _forward(before: Floats, emissions: Floats, rows: Longs, transitions: Floats, null: float) -> tuple[Floats, Floats]:
    """Adds one word to each prefix.

    A word from NULL leaves the position of the last linked word as it is, so the positions are all that is remembered.

    Args:
        before: (prefixes, positions + 1) p(position | prefix), the start last.
        emissions, rows: the probabilities of bigrams, NULL last, and the (prefixes,) bigram of each.
        transitions: (positions + 1, positions).
        null: the probability of NULL.

    Returns:
        (prefixes,) costs, and the same probabilities after the word.
    """
    count, positions = len(before), transitions.shape[1]
    after = np.zeros((count, positions + 1))
    costs = np.empty(count)
    for prefix in range(count):
        own, new, emission = before[prefix], after[prefix], emissions[rows[prefix]]
        for position in range(positions + 1):
            mass = own[position]
            if mass > 0.0:
                for arrival in range(positions):
                    new[arrival] += mass * transitions[position, arrival]
        stay = null * emission[positions]
        total = 0.0
        for position in range(positions):
            new[position] = (1.0 - null) * new[position] * emission[position] + stay * own[position]
            total += new[position]
        new[positions] = stay * own[positions]
        total += new[positions]
        costs[prefix] = -np.log(total)
        for position in range(positions + 1):
            new[position] /= total
    return costs, after


def _train(corpus: Corpus, options: TrainingOptions) -> BilingualScorer:
    parts = zip(corpus.sentences("source"), corpus.sentences("target"), corpus.links(), strict=True)
    return BilingualScorer.train(
        parts, corpus.words("source"), corpus.words("target"), least_triple=options.least_triple
    )


KIND = ScorerKind(_CONTENT, lambda path: {"Bilingual": BilingualScorer.read(path)}, _train, ("align",))

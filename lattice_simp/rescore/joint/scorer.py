"""Scores hypotheses of any system with a joint model inside a hidden word alignment.

p(t | s) = sum over a of prod_j p(a_j | a_(j-1)) p(t_j | t_(j-3) .. t_(j-1), s, a_j): the network's probabilities at
every position of the source, summed over alignments by the forward algorithm of an HMM (Vogel, Ney and Tillmann 1996;
with a network's probabilities, Wang et al. 2018). So hypotheses need no alignment, and the probabilities of all target
sentences sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import block_numbers, places_in_blocks, prefix_sums
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.joint.model import CONTENT, ORDER, JointModel, Matrix
from lattice_simp.rescore.jumps import transitions
from lattice_simp.rescore.kind import ScorerKind
from lattice_simp.rescore.scorer import PrefixScorer, State
from lattice_simp.support.plurals import counted


class _Prefix(NamedTuple):
    """A state: the encoded source, the transitions, p(position of the last word | prefix), the last words' symbols."""

    encoded: Matrix
    transitions: Floats
    shares: Floats
    history: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class JointScorer(PrefixScorer):
    """Scores target sentences given the source; a `PrefixScorer`, whose `score` is quicker than word by word."""

    model: JointModel

    @classmethod
    def read(cls, path: str | Path) -> JointScorer:
        """Maps a file of `lattice-simp rescore train-joint`; raises FormatError if it is broken."""
        return cls(JointModel.read(path))

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        return self._score(self.model.encode(source), hypotheses)

    def score_part(self, source: Sequence[str], kept: Bools, hypotheses: Sequence[Sequence[str]]) -> Floats:
        """Scores translations of some words of a sentence, such as its skeleton, with the rest of it as context.

        Args:
            source: the whole sentence.
            kept: (words,) which of its words are translated.
            hypotheses: translations of these.

        Returns:
            (hypotheses,) costs in nats.

        Raises:
            LatticeSimpError: not one mark for each word.
        """
        if len(kept) != len(source):
            raise LatticeSimpError(f"{counted(len(kept), 'mark')} for {counted(len(source), 'word')}")
        return self._score(self.model.encode(source)[np.append(np.asarray(kept, dtype=bool), True)], hypotheses)

    def start(self, source: Sequence[str]) -> State:
        encoded = self.model.encode(source)
        begin = np.zeros(len(encoded) + 1)
        begin[-1] = 1.0
        return _Prefix(encoded, transitions(self.model.jumps, len(encoded)), begin, self._begin)

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        symbols, log_shares = self.model.target.of(words)
        costs, shares = self._step(states, symbols)
        after = zip(states, shares, symbols.tolist(), strict=True)
        following = [old._replace(shares=row, history=(*old.history[1:], symbol)) for old, row, symbol in after]
        return costs - log_shares, following

    def end(self, states: Sequence[State]) -> Floats:
        return self._step(states, np.full(len(states), self.model.target.boundary, dtype=np.int32))[0]

    @cached_property
    def _begin(self) -> tuple[int, ...]:
        return (self.model.target.boundary,) * (ORDER - 1)

    def _step(self, states: Sequence[_Prefix], symbols: Ints) -> tuple[Floats, Floats]:
        """Adds one symbol to each prefix; returns its cost, and the shares of positions after the symbol."""
        if not states:
            return np.zeros(0), np.zeros((0, 0))
        histories = np.array([state.history for state in states], dtype=np.int64)
        table, row_of = self._emissions(states[0].encoded, np.column_stack([histories, symbols]))
        before = np.stack([state.shares for state in states])
        least, relative = _relative(table)
        after = np.zeros_like(before)
        after[:, :-1] = relative[row_of] * (before @ states[0].transitions)
        totals = after.sum(axis=1)
        return least[row_of] - np.log(totals), after / totals[:, None]

    def _emissions(self, encoded: Matrix, ngrams: Longs) -> tuple[Matrix, Longs]:
        """Returns the (distinct n-grams, positions) costs of n-grams' last symbols, and the row of each n-gram."""
        distinct, row_of = np.unique(ngrams, axis=0, return_inverse=True)
        histories, history_of = np.unique(distinct[:, :-1], axis=0, return_inverse=True)
        costs = self.model.costs(encoded, histories, history_of.reshape(-1).astype(np.int64), distinct[:, -1])
        return costs, row_of.reshape(-1).astype(np.int64)

    def _score(self, encoded: Matrix, hypotheses: Sequence[Sequence[str]]) -> Floats:
        if not hypotheses:
            return np.zeros(0)
        lengths = np.array([len(words) for words in hypotheses])
        symbols, log_shares = self.model.target.of(list(chain.from_iterable(hypotheses)))
        offsets = prefix_sums(lengths + 1)
        padded = np.insert(symbols, np.cumsum(lengths), self.model.target.boundary).astype(np.int64)
        table, row_of = self._emissions(encoded, _ngrams(padded, offsets, self.model.target.boundary))
        least, relative = _relative(table)
        costs = np.add.reduceat(least[row_of], offsets[:-1])
        _forward(offsets, row_of, relative, transitions(self.model.jumps, len(encoded)), costs)
        owner = block_numbers(prefix_sums(lengths))
        return costs - np.bincount(owner, weights=log_shares, minlength=len(hypotheses))


def _relative(table: Matrix) -> tuple[Floats, Floats]:
    """Returns the least cost of each n-gram over positions, and its probabilities relative to that position's."""
    least = table.min(axis=1).astype(np.float64)
    return least, np.exp(least[:, None] - table)


def _ngrams(symbols: Longs, offsets: Longs, boundary: int) -> Longs:
    """Returns (symbols, ORDER): each symbol after its history in the sentence, padded with boundaries."""
    place = places_in_blocks(offsets)
    columns = [np.where(place >= back, np.roll(symbols, back), boundary) for back in range(ORDER - 1, -1, -1)]
    return np.column_stack(columns)


@jit
def _forward(offsets: Longs, rows: Longs, emissions: Floats, jumps: Floats, costs: Floats) -> None:
    """Adds the cost of each sentence: emissions are (n-grams, positions), jumps (positions + 1, positions)."""
    positions = emissions.shape[1]
    before, after = np.empty(positions), np.empty(positions)
    for sentence in range(len(offsets) - 1):
        before[:] = jumps[positions]  # p(first position)
        for index in range(offsets[sentence], offsets[sentence + 1]):
            after[:] = before * emissions[rows[index]]
            total = after.sum()
            costs[sentence] -= np.log(total)
            before[:] = 0.0
            for previous in range(positions):
                before += after[previous] / total * jumps[previous]


KIND = ScorerKind(CONTENT, lambda path: {"Joint": JointScorer.read(path)})

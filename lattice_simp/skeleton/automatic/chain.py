"""Keep-or-delete chains: each token is labelled, and neighbouring labels depend on each other.

Scores are natural logs, higher is better, as conditional random fields have them; the lattice of a chain has costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.nbest import nbest

DELETE, KEEP = 0, 1

_BISECTIONS = 14
_WIDEST = 16.0
"""The shift, in nats, beyond which every token is kept or deleted."""


@dataclass(frozen=True)
class Chain:
    """The scores of one sentence.

    >>> chain = Chain(np.array([1.0, -2.0]), np.zeros((2, 2)))
    >>> chain.marginals().round(2).tolist(), chain.best_masks(2)
    ([0.73, 0.12], [(True, False), (False, False)])

    Attributes:
        keep: (num_tokens,) float64, the score of keeping each token; that of deleting it is 0.
        transitions: (2, 2) float64, from label (row) to label, 0 for deleted and 1 for kept.
    """

    keep: Floats
    transitions: Floats

    def shifted(self, amount: float) -> Chain:
        """Returns the chain with `amount` added to the score of every kept token."""
        return replace(self, keep=self.keep + amount)

    def marginals(self) -> Floats:
        """Returns (num_tokens,) float64, the probability that each token is kept."""
        lattice, count = self.lattice(), len(self.keep)
        shares = np.bincount(lattice.olabels, weights=arc_posteriors(lattice), minlength=1 + 2 * count)
        return shares[1 : 1 + count].astype(np.float64)

    def at_rate(self, rate: float) -> Chain:
        """Shifts the chain so that the compression rate of its best mask is as near to `rate` as possible.

        Masks without any kept token are ignored.
        """
        low, high = -_WIDEST, _WIDEST
        nearest, least = self.shifted(_WIDEST), 1.0 - rate
        for _ in range(_BISECTIONS):
            middle = self.shifted((low + high) / 2)
            kept_share = sum(middle.best_mask()) / len(self.keep)
            if kept_share > 0 and abs(kept_share - rate) < least:
                nearest, least = middle, abs(kept_share - rate)
            low, high = ((low + high) / 2, high) if kept_share < rate else (low, (low + high) / 2)
        return nearest

    def score(self, mask: Sequence[bool]) -> float:
        """Returns the score of a mask: its log probability up to a constant of the chain.

        >>> Chain(np.array([1.0, -2.0]), np.array([[0.0, 0.5], [0.25, 0.0]])).score([True, False])
        1.25
        """
        labels = np.array(mask, dtype=np.int64)
        return float(self.keep @ labels + self.transitions[labels[:-1], labels[1:]].sum())

    def best_mask(self) -> tuple[bool, ...]:
        """Returns the best mask (Viterbi)."""
        moves = self.transitions.tolist()
        deleted, kept = 0.0, float(self.keep[0])
        origins: list[tuple[bool, bool]] = []
        for gain in self.keep[1:].tolist():
            to_deleted = (deleted + moves[DELETE][DELETE], kept + moves[KEEP][DELETE])
            to_kept = (deleted + moves[DELETE][KEEP], kept + moves[KEEP][KEEP])
            origins.append((to_deleted[KEEP] > to_deleted[DELETE], to_kept[KEEP] > to_kept[DELETE]))
            deleted, kept = max(to_deleted), max(to_kept) + gain
        mask = [kept > deleted]
        for origin in reversed(origins):
            mask.append(origin[mask[-1]])
        return tuple(reversed(mask))

    def lattice(self) -> Lattice:
        """Returns the acceptor of all masks, whose words are `decisions`."""
        count = len(self.keep)
        indices = np.indices((count, 2, 2)).reshape(3, -1)
        position, before, label = np.delete(indices, [2, 3], axis=1)  # nothing comes before the first token
        sources = np.where(position > 0, 2 * position - 1 + before, 0)  # after the start, 1 + 2 * position + label
        moves = np.where(position > 0, self.transitions[before, label], 0.0)
        labels = 1 + position + np.where(label == KEEP, 0, count)
        finals = np.append(np.full(2 * count - 1, np.inf), [0.0, 0.0])
        costs = -np.where(label == KEEP, self.keep[position], 0.0) - moves
        return Lattice.from_arcs(sources, labels, costs, 1 + 2 * position + label, finals, decisions(count))

    def best_masks(self, n: int) -> list[tuple[bool, ...]]:
        """Returns the n best masks, the best one first."""
        paths = nbest(self.lattice(), n, unique=False)
        return [read_mask(path.inputs, len(self.keep)) for path in paths]


def decisions(count: int) -> SymbolTable:
    """Returns the labels of decisions on `count` tokens: `k + 1` keeps token k, `count + k + 1` deletes it."""
    return SymbolTable(f"{sign}{position}" for sign in "+-" for position in range(count))


def read_mask(labels: Sequence[int], count: int) -> tuple[bool, ...]:
    """Returns the mask that the decisions of a path spell."""
    return tuple(label <= count for label in labels)

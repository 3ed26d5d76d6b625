"""N-gram posteriors of a lattice: the probability that an n-gram occurs at least once in a hypothesis.

The posterior of an n-gram is the sum over its arcs of the arc's probability, times the share of the paths to the arc
that do not hold the n-gram yet (Blackwood, de Gispert and Byrne 2010; Allauzen et al. 2010). The shares are
found by a forward pass for each n-gram, over conditional probabilities, so nothing underflows. A longer n-gram occurs
twice on a path only if the shorter one it ends with does, so most of the long ones need no pass.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.expand_history import HistoryLattice, expand_history


@dataclass(frozen=True, eq=False)
class NgramPosteriors:
    """The n-grams of a lattice and their posteriors.

    Attributes:
        history: the lattice, its states split so that each arc ends one n-gram of each order.
        values: (num_grams,) float64 probabilities; that of n-gram 0, the empty one, is 0.
    """

    history: HistoryLattice
    values: Floats

    @property
    def on_arcs(self) -> Floats:
        """(max_order, num_arcs) float64, the posterior of the n-gram of each order that an arc ends; 0 for none."""
        return self.values[self.history.grams]

    def to_dict(self) -> dict[tuple[str, ...], float]:
        """Returns the posterior of every n-gram as words."""
        values: list[float] = self.values.tolist()
        return {self.history.gram_words(gram): values[gram] for gram in range(1, len(values))}


def ngram_posteriors(
    lattice: Lattice, max_order: int = 4, scale: float = 1.0, *, ignore: Collection[str] = MARKS
) -> NgramPosteriors:
    """Returns the probability that each n-gram occurs at least once.

    >>> lattice = Lattice.from_strings([("a b a", 0.0), ("b", 0.0)])
    >>> ngram_posteriors(lattice, 2).to_dict()
    {('a',): 0.5, ('b',): 1.0, ('a', 'b'): 0.5, ('b', 'a'): 0.5}

    Args:
        lattice: acyclic; a path with cost c has the probability exp(-scale * c) / Z.
        max_order: the order of the longest n-grams.
        scale: above 0; the larger, the closer to the best paths alone.
        ignore: labels that are not words, as in `nbest`.

    Raises:
        LatticeSimpError: an order or a scale out of range, or a lattice too large (see `expand_history`).
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("ngram_posteriors", lattice)
    history = expand_history(lattice.without_words(ignore), max_order)
    return NgramPosteriors(history, posterior_values(history, scale))


def posterior_values(history: HistoryLattice, scale: float) -> Floats:
    """Returns the posterior of each n-gram of an expanded lattice, (num_grams,) float64.

    Raises:
        LatticeSimpError: the scale is not a number above 0.
    """
    values = np.zeros(len(history.words))
    lattice = history.lattice
    if lattice.num_states == 0:
        return values
    through = arc_posteriors(lattice, scale)
    arriving = _arriving(lattice.nextstates, through, lattice.num_states)
    repeat_shares = np.ones(lattice.num_arcs)
    for grams in history.grams:
        repeat_shares = _add_posteriors(
            lattice.arcs, lattice.sources, grams, through, arriving, repeat_shares, values, _grouped(grams)
        )
    return np.minimum(values, 1.0)  # sums of many parts may exceed 1 by rounding


def _grouped(grams: Ints) -> tuple[Ints, Ints]:
    """Returns the arcs that end an n-gram, grouped by n-gram and sorted, and where each group begins."""
    arcs = np.argsort(grams, kind="stable")[np.count_nonzero(grams == 0) :]
    starts = np.flatnonzero(np.diff(grams[arcs], prepend=0, append=-1))
    return arcs.astype(np.int32), starts.astype(np.int32)


def _arriving(nextstates: Ints, through: Floats, num_states: int) -> Floats:
    """Returns each arc's share of the probability of its target state; 0 if the arc's own underflows."""
    visits = np.bincount(nextstates, weights=through, minlength=num_states)[nextstates]
    return np.divide(through, visits, out=np.zeros(len(through)), where=through > 0.0)


@jit
def _add_posteriors(
    lattice: Arcs,
    sources: Ints,
    grams: Ints,
    through: Floats,
    arriving: Floats,
    shorter_shares: Floats,
    values: Floats,
    groups: tuple[Ints, Ints],
) -> Floats:
    """Sets the posteriors of the n-grams of one order, whose arcs are grouped.

    Returns, for each arc, the share of the paths to it that already hold its n-gram. `shorter_shares` is that share for
    the n-gram of the order below, an upper bound.
    """
    arcs, starts = groups
    repeat_shares = np.zeros(len(grams))
    share = np.zeros(len(lattice.finals))
    for group in range(len(starts) - 1):
        begin, end = starts[group], starts[group + 1]
        gram = grams[arcs[begin]]
        earliest, last = len(share), -1  # the first state after an occurrence, and the last where it counts
        for index in range(begin, end):
            earliest = min(earliest, lattice.nextstates[arcs[index]])
            if shorter_shares[arcs[index]] > 0.0:
                last = sources[arcs[index]]
        if earliest <= last:
            first = sources[arcs[begin]]
            index = begin
            for state in range(first, last):
                while index < end and sources[arcs[index]] < state:
                    index += 1
                if share[state] == 0.0 and (index == end or sources[arcs[index]] > state):
                    continue
                for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
                    following = lattice.nextstates[arc]
                    if following <= last:
                        share[following] += arriving[arc] * (1.0 if grams[arc] == gram else share[state])
            for index in range(begin, end):
                if sources[arcs[index]] <= last:
                    repeat_shares[arcs[index]] = share[sources[arcs[index]]]
            share[first : last + 1] = 0.0
        total = 0.0
        for index in range(begin, end):
            total += through[arcs[index]] * (1.0 - repeat_shares[arcs[index]])
        values[gram] = total
    return repeat_shares

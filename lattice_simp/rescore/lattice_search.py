"""Beam search through a lattice with a model of unbounded memory (Stahlberg, Hasler, Waite and Byrne 2016, section 2).

The paths of the lattice are followed from left to right; each state keeps the best prefixes that reach it. States are
visited by level (the length of the longest path from the start), so a model gets all words of a level in one call,
and each distinct prefix only once, however many paths spell it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.scorer import PrefixScorer, State, finite

LATTICE, MODEL = "Lattice", "Model"
"""The features that hold minus the lattice's own cost of a hypothesis and minus the model's, both unweighted."""


def rescore_lattice(
    lattice: Lattice,
    source: Sequence[str],
    scorer: PrefixScorer,
    *,
    n: int = 1,
    beam: int = 12,
    model_weight: float = 1.0,
    lattice_weight: float = 1.0,
) -> list[Hypothesis]:
    """Returns the n best strings of a lattice under the weighted sum of its own costs and a model's.

    The search is exact if at most `beam` prefixes reach each state; otherwise, some strings may be lost. With
    `lattice_weight` 0, the model alone decides. For an n-gram model, `lattice_simp.apply_lm` is always exact.

    Each hypothesis has the lattice's features, and `Lattice` and `Model`: minus their unweighted costs.

    Args:
        lattice: an acyclic lattice; its words are the output labels.
        source: the tokens of the source sentence.
        scorer: the model.
        n: the most strings; a beam below n returns fewer.
        beam: the number of prefixes to keep at each state.
        model_weight, lattice_weight: the factors of the costs.

    Raises:
        LatticeSimpError: n or the beam are not positive, or a score of the model is not a number.
        CyclicLatticeError: the lattice has a cycle.
    """
    if n < 1 or beam < 1:
        raise LatticeSimpError(f"n is {n} and the beam {beam}; both must be at least 1")
    connected = lattice.connected()
    if connected.empty:
        return []
    return _Search(connected, scorer, beam, model_weight, lattice_weight).run(source)[:n]


class _Prefix(NamedTuple):
    """The words of a partial path, with the model's cost and state; prefixes are numbered as they are found."""

    number: int
    words: tuple[str, ...]
    cost: float
    state: State


class _Item(NamedTuple):
    """A prefix in a lattice state, with its costs and its backpointer: the last arc, and the item before."""

    prefix: _Prefix
    lattice_cost: float
    total: float
    arc: int
    origin: _Item | None


@dataclass(frozen=True)
class _Search:
    """The search of one lattice; the keys of `prefixes` are the number of the shorter prefix and the last label."""

    lattice: Lattice
    scorer: PrefixScorer
    beam: int
    model_weight: float
    lattice_weight: float
    prefixes: dict[tuple[int, int], _Prefix] = field(default_factory=dict)

    def run(self, source: Sequence[str]) -> list[Hypothesis]:
        lattice = self.lattice
        arriving: list[dict[int, _Item]] = [{} for _ in range(lattice.num_states)]
        finished: dict[int, _Item] = {}
        self._arrive(arriving[0], _Prefix(0, (), 0.0, self.scorer.start(source)), 0.0, -1, None)
        levels = _levels(lattice.offsets, lattice.nextstates)
        order = np.argsort(levels, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(levels[order])) + 1):
            steps: list[tuple[_Item, int]] = []
            for state in group.tolist():
                items = sorted(arriving[state].values(), key=lambda item: (item.total, item.prefix.number))[: self.beam]
                arriving[state] = {}
                if np.isfinite(final := float(lattice.finals[state])):
                    for item in items:  # the arc of a finished path is -2 - its final state
                        self._arrive(finished, item.prefix, item.lattice_cost + final, -2 - state, item)
                arcs = range(int(lattice.offsets[state]), int(lattice.offsets[state + 1]))
                steps += [(item, arc) for item in items for arc in arcs]
            for (item, arc), prefix in zip(steps, self._extend(steps), strict=True):
                here = arriving[int(lattice.nextstates[arc])]
                self._arrive(here, prefix, item.lattice_cost + float(lattice.weights[arc]), arc, item)
        return self._paths(list(finished.values()))

    def _arrive(self, here: dict[int, _Item], prefix: _Prefix, cost: float, arc: int, origin: _Item | None) -> None:
        """Keeps the best path to each prefix."""
        total = self.lattice_weight * cost + self.model_weight * prefix.cost
        if prefix.number not in here or total < here[prefix.number].total:
            here[prefix.number] = _Item(prefix, cost, total, arc, origin)

    def _extend(self, steps: Sequence[tuple[_Item, int]]) -> list[_Prefix]:
        """Returns the prefix after each step; the model scores the new ones in one call."""
        keys = [(item.prefix.number, int(self.lattice.olabels[arc])) for item, arc in steps]
        new = {
            key: item.prefix
            for key, (item, _) in zip(keys, steps, strict=True)
            if key[1] != 0 and key not in self.prefixes
        }
        if new:
            words = [self.lattice.symbols[label] for _, label in new]
            costs, states = self.scorer.extend([prefix.state for prefix in new.values()], words)
            extensions = zip(new.items(), words, finite(costs).tolist(), states, strict=True)
            for (key, before), word, cost, state in extensions:
                number = len(self.prefixes) + 1
                self.prefixes[key] = _Prefix(number, (*before.words, word), before.cost + cost, state)
        return [self.prefixes.get(key, item.prefix) for key, (item, _) in zip(keys, steps, strict=True)]

    def _paths(self, items: Sequence[_Item]) -> list[Hypothesis]:
        ends = finite(self.scorer.end([item.prefix.state for item in items])).tolist()
        paths = []
        for item, end in zip(items, ends, strict=True):
            features = {LATTICE: 0.0 - item.lattice_cost, MODEL: 0.0 - item.prefix.cost - end}
            cost = item.total + self.model_weight * end
            paths.append(Hypothesis(item.prefix.words, cost, {**self._features(item), **features}))
        return sorted(paths, key=lambda path: (path.cost, path.text))

    def _features(self, item: _Item) -> dict[str, float]:
        """Returns the sums of the lattice's features along the path."""
        arcs, before = [], item.origin
        while before is not None and before.arc >= 0:
            arcs.append(before.arc)
            before = before.origin
        return self.lattice.features.of_path(np.array(arcs, dtype=np.int32), -2 - item.arc)


@jit
def _levels(offsets: Ints, nextstates: Ints) -> Ints:
    """Returns the length in arcs of the longest path to each state; states are sorted topologically."""
    levels = np.zeros(len(offsets) - 1, dtype=np.int32)
    for state in range(len(levels)):
        for arc in range(offsets[state], offsets[state + 1]):
            levels[nextstates[arc]] = max(levels[nextstates[arc]], levels[state] + 1)
    return levels

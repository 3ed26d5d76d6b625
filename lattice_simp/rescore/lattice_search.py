"""Beam search through a lattice with a model of unbounded memory (Stahlberg, Hasler, Waite and Byrne 2016, section 2).

The paths of the lattice are followed from left to right; each state keeps the best of the prefixes that reach it. The
states are worked on in levels (the longest way from the start), so that a model gets all words of a level in one call,
and each distinct prefix only once, however many paths spell it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.scorer import PrefixScorer, State

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

    Exact if no state is reached by more than `beam` prefixes; else some may be lost. `lattice_weight` 0 is search by
    the model alone. With an n-gram model, `lattice_simp.apply_lm` is exact in any case.

    Each hypothesis has the lattice's features, and `Lattice` and `Model`: minus either's cost, unweighted.

    Args:
        lattice: an acyclic lattice; its words are the output labels.
        source: the source sentence's tokens.
        scorer: the model.
        n: how many strings at most; a beam below n returns fewer.
        beam: how many prefixes each state keeps.
        model_weight, lattice_weight: what the costs are multiplied by.

    Raises:
        LatticeSimpError: n or the beam are not positive.
        CyclicLatticeError: the lattice has a cycle.
    """
    if n < 1 or beam < 1:
        raise LatticeSimpError(f"n is {n} and the beam {beam}; both are at least 1")
    connected = lattice.connected()
    if connected.empty:
        return []
    search = _Search(connected, scorer, source, beam, model_weight, lattice_weight)
    return search.run()[:n]


@dataclass(frozen=True)
class _Item:
    """A prefix in a lattice state: its node in the tree of prefixes, its costs, and how the path came here."""

    node: int
    lattice_cost: float
    total: float
    arc: int
    origin: _Item | None


class _Search:
    """One lattice while it is searched; the tree of prefixes holds (parent, word), the model's cost and state."""

    def __init__(
        self,
        lattice: Lattice,
        scorer: PrefixScorer,
        source: Sequence[str],
        beam: int,
        model_weight: float,
        lattice_weight: float,
    ) -> None:
        self.lattice, self.scorer, self.beam = lattice, scorer, beam
        self.model_weight, self.lattice_weight = model_weight, lattice_weight
        self.children: dict[tuple[int, int], int] = {}
        self.parents, self.labels = [-1], [0]
        self.costs: list[float] = [0.0]
        self.states: list[State] = [scorer.start(source)]

    def run(self) -> list[Hypothesis]:
        lattice = self.lattice
        arriving: list[dict[int, _Item]] = [{} for _ in range(lattice.num_states)]
        arriving[0][0] = _Item(0, 0.0, 0.0, -1, None)
        levels = _levels(lattice.offsets, lattice.nextstates)
        order = np.argsort(levels, kind="stable")
        finished: dict[int, _Item] = {}
        for group in np.split(order, np.flatnonzero(np.diff(levels[order])) + 1):
            steps: list[tuple[_Item, int]] = []
            for state in group.tolist():
                items = sorted(arriving[state].values(), key=lambda item: (item.total, item.node))[: self.beam]
                arriving[state] = {}
                if np.isfinite(lattice.finals[state]):
                    for item in items:
                        self._finish(item, state, finished)
                arcs = range(int(lattice.offsets[state]), int(lattice.offsets[state + 1]))
                steps += [(item, arc) for item in items for arc in arcs]
            nodes = self._extend(steps)
            for (item, arc), node in zip(steps, nodes, strict=True):
                new = self._item(node, item.lattice_cost + float(lattice.weights[arc]), arc, item)
                here = arriving[int(lattice.nextstates[arc])]
                if node not in here or new.total < here[node].total:
                    here[node] = new
        return self._paths(finished)

    def _item(self, node: int, lattice_cost: float, arc: int, origin: _Item) -> _Item:
        total = self.lattice_weight * lattice_cost + self.model_weight * self.costs[node]
        return _Item(node, lattice_cost, total, arc, origin)

    def _finish(self, item: _Item, state: int, finished: dict[int, _Item]) -> None:
        # The arc of a finished path is -2 - its final state.
        cost = item.lattice_cost + float(self.lattice.finals[state])
        done = self._item(item.node, cost, -2 - state, item)
        if item.node not in finished or done.total < finished[item.node].total:
            finished[item.node] = done

    def _extend(self, steps: Sequence[tuple[_Item, int]]) -> list[int]:
        """Returns the tree's node after each step; the model scores the new ones in one call."""
        nodes: list[int] = []
        new: list[int] = []
        for item, arc in steps:
            label = int(self.lattice.olabels[arc])
            if label == 0:
                nodes.append(item.node)
                continue
            key = (item.node, label)
            node = self.children.get(key)
            if node is None:
                node = self.children[key] = len(self.parents)
                self.parents.append(item.node)
                self.labels.append(label)
                new.append(node)
            nodes.append(node)
        if new:
            words = [self.lattice.symbols[self.labels[node]] for node in new]
            costs, states = self.scorer.extend([self.states[self.parents[node]] for node in new], words)
            for node, cost, state in zip(new, costs.tolist(), states, strict=True):
                self.costs.append(self.costs[self.parents[node]] + cost)
                self.states.append(state)
        return nodes

    def _paths(self, finished: dict[int, _Item]) -> list[Hypothesis]:
        items = list(finished.values())
        ends = self.scorer.end([self.states[item.node] for item in items]).tolist()
        paths = [
            Hypothesis(
                self._words(item.node),
                item.total + self.model_weight * end,
                {**self._features(item), LATTICE: 0.0 - item.lattice_cost, MODEL: 0.0 - self.costs[item.node] - end},
            )
            for item, end in zip(items, ends, strict=True)
        ]
        return sorted(paths, key=lambda path: (path.cost, path.text))

    def _words(self, node: int) -> tuple[str, ...]:
        words = []
        while node > 0:
            words.append(self.lattice.symbols[self.labels[node]])
            node = self.parents[node]
        return tuple(reversed(words))

    def _features(self, item: _Item) -> dict[str, float]:
        """Returns the sums of the lattice's features along the path."""
        arcs, state = [], -2 - item.arc
        before = item.origin
        while before is not None and before.arc >= 0:
            arcs.append(before.arc)
            before = before.origin
        return self.lattice.features.of_path(np.array(arcs, dtype=np.int32), state)


@jit
def _levels(offsets: Ints, nextstates: Ints) -> Ints:
    """Returns each state's longest way from the start, in arcs; states are sorted topologically."""
    levels = np.zeros(len(offsets) - 1, dtype=np.int32)
    for state in range(len(levels)):
        for arc in range(offsets[state], offsets[state + 1]):
            levels[nextstates[arc]] = max(levels[nextstates[arc]], levels[state] + 1)
    return levels

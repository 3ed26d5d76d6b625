"""Prunes the lattice of a part of a sentence's translations when the words around it are unknown.

Paths are scored with a low order of the language model (free choice of backoff, empty history). That only estimates
their costs in the whole sentence, so the search is no longer exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.connect import depth_first_order
from lattice_simp.core.kernel import Bools, Floats, Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.lm.automaton import NgramAutomaton, Settled, settle
from lattice_simp.lm.model import LanguageModel
from lattice_simp.lm.relax import least_costs, relax
from lattice_simp.ops.lm_product import (
    FREE_END,
    Estimates,
    product_backward,
    relaxed_product,
    unigram_backward,
)
from lattice_simp.ops.prune import rounding_slack


@dataclass(frozen=True)
class PartPruning:
    """How much of the lattice of a part is kept.

    Attributes:
        beam: nats above its best path.
        max_arcs: the number of best arcs to keep, and ties with the last one.
        order: the order of the (first) language model that scores, 2 or more; no word penalty counts.
    """

    beam: float
    max_arcs: int
    order: int = 4

    def for_words(self, model: LanguageModel, weight: float, symbols: SymbolTable, words: Ints) -> PartPruner:
        """Returns the pruner of a lattice that holds the target words `words`."""
        restricted = model.restrict([symbols[word] for word in words.tolist()])
        word_of_label = np.full(len(symbols), -1, dtype=np.int32)
        word_of_label[words] = restricted.vocabulary
        least = least_costs(restricted)
        relaxed = relax(restricted, min(self.order, model.order), least).scaled(weight)
        nothing_before = relaxed._replace(start=relaxed.root, end=FREE_END)
        return PartPruner(
            self, word_of_label, nothing_before, settle(relaxed), relax(restricted, 1, least).scaled(weight).cost
        )


@dataclass(frozen=True, eq=False)
class PartPruner:
    """Prunes lattices over a given vocabulary."""

    settings: PartPruning
    word_of_label: Ints
    model: NgramAutomaton
    settled: Settled
    least_cost: Floats

    def lattice(self, lattice: Lattice) -> Lattice:
        """Prunes a lattice of words with one final state; one without words stays as it is."""
        lattice = lattice.connected()
        if not lattice.num_arcs:
            return lattice
        position = np.arange(lattice.num_states, dtype=np.int32)
        end = lattice.num_states - 1
        position[[1, end]] = position[[end, 1]]
        words = self.word_of_label[lattice.olabels]
        sources, targets = position[lattice.sources], position[lattice.nextstates]
        through = self._through(sources, targets, words, lattice.weights, lattice.num_states)
        return lattice.keep_arcs(self._kept(through)).connected()

    def _kept(self, through: Floats) -> Bools:
        """Returns which arcs are within the beam and among the best `max_arcs`, or tie with the last of these.

        The costs through the arcs of one path differ by rounding, so a slack keeps whole paths.
        """
        limit = float(through.min()) + self.settings.beam
        if len(through) > self.settings.max_arcs:
            limit = min(limit, float(np.partition(through, self.settings.max_arcs - 1)[self.settings.max_arcs - 1]))
        return through <= limit + rounding_slack(through)

    def _through(self, source: Ints, target: Ints, words: Ints, costs: Floats, num_states: int) -> Floats:
        """Returns the cost of the best path through each arc."""
        offsets, nextstates, order = _sorted_arcs(
            np.ascontiguousarray(source), np.ascontiguousarray(target), num_states
        )
        finals = np.full(len(offsets) - 1, np.inf)
        finals[-1] = 0.0
        arcs = Arcs(offsets, words[order], costs[order], nextstates, finals)
        root = self.model.root
        estimates = Estimates(
            Settled(np.full(root + 1, root, dtype=np.int32), np.zeros(root + 1)),
            np.zeros(0, dtype=np.int64),
            unigram_backward(arcs, self.least_cost, FREE_END),
        )
        product = relaxed_product(arcs, self.model, self.settled, estimates, np.inf)
        through = np.full(len(source), np.inf)
        _, through[order] = product_backward(product, arcs)
        return through


@jit
def _sorted_arcs(source: Ints, target: Ints, num_states: int) -> tuple[Ints, Ints, Ints]:
    """Numbers the states topologically (0 first, its end state last); returns offsets, next states, arc order."""
    count = len(source)
    offsets = np.zeros(num_states + 1, dtype=np.int32)
    for arc in range(count):
        offsets[source[arc] + 1] += 1
    for state in range(num_states):
        offsets[state + 1] += offsets[state]
    fill = offsets[:-1].copy()
    by_source = np.empty(count, dtype=np.int32)
    for arc in range(count):
        by_source[fill[source[arc]]] = arc
        fill[source[arc]] += 1
    order, reached = depth_first_order(offsets, target[by_source])
    number = np.full(num_states, -1, dtype=np.int32)
    inner = 0
    for position in range(reached):
        if order[position] != 1:
            number[order[position]] = inner
            inner += 1
    number[1] = inner
    new_offsets = np.zeros(inner + 2, dtype=np.int32)
    arcs = np.empty(count, dtype=np.int32)
    nextstates = np.empty(count, dtype=np.int32)
    used = 0
    for position in range(reached):
        state = order[position]
        if state == 1:
            continue
        for index in range(offsets[state], offsets[state + 1]):
            arcs[used] = by_source[index]
            nextstates[used] = number[target[by_source[index]]]
            used += 1
        new_offsets[number[state] + 1] = used
    new_offsets[inner + 1] = used
    return new_offsets, nextstates[:used], arcs[:used]

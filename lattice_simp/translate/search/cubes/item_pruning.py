"""Chooses the items of a chart that the pruned search keeps: those of good derivations, as many as a lattice can hold.

The result is a lattice again: it holds every derivation of the kept items, including those that the search did not
visit. The exact language model chooses among them.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, jit
from lattice_simp.core.records import NONE
from lattice_simp.lm.combined import lookup
from lattice_simp.ops.apply_lm import Models
from lattice_simp.translate.parse import SourceParse
from lattice_simp.translate.search.chart import search_chart, seen_labels
from lattice_simp.translate.search.cubes.excess import excess_of_grids
from lattice_simp.translate.search.cubes.grids import Grids
from lattice_simp.translate.search.cubes.limits import CubePruning
from lattice_simp.translate.search.cubes.passes import search_twice
from lattice_simp.translate.search.neighbours import neighbours

NARROWER = 0.7
"""The factor by which the beam shrinks while the lattice is too large."""

NARROWEST = 1e-3
"""The beam (nats) below which only the best derivation is kept."""


def kept_items(
    parse: SourceParse, models: Models, word_penalty: float, limits: CubePruning, invisible: Collection[str] = ()
) -> Bools:
    """Searches a parse, and returns which items are kept, (items,) bool; none if there is no translation.

    The language models skip the words `invisible`.
    """
    labels, names = seen_labels(parse, invisible)
    weighted = list(models.values())
    model, numbers = lookup(weighted, names, neighbours(parse, weighted, invisible))
    searched, top_steps = search_chart(parse, labels, numbers[:-1], int(numbers[-1]), word_penalty)
    hypotheses, grids = search_twice(searched, model, limits.pops)
    goal = int(searched.ends[-1])
    kept = np.zeros(len(parse.items.cost) + 1, dtype=np.bool_)
    if hypotheses.begin[goal] == hypotheses.end[goal]:
        return kept[1:]
    excess = excess_of_grids(hypotheses, grids, goal)
    beam, sentence = limits.beam, int(searched.starts[-1])
    while beam > NARROWEST and lattice_size(grids, excess, beam, sentence, searched.num_states) > limits.max_arcs:
        beam *= NARROWER
    steps = searched.steps[grids.arcs[excess <= max(beam, NARROWEST)]]
    kept[steps] = kept[top_steps[steps]] = True
    return kept[1:]


@jit
def lattice_size(grids: Grids, excess: Floats, limit: float, sentence: int, num_states: int) -> float:
    """Returns how many arcs the lattice of the grids within a limit has if all references are replaced, unshared."""
    sizes, at_top = np.zeros(num_states), np.zeros(num_states, dtype=np.bool_)
    at_top[sentence] = True
    total = 0.0
    for number in range(len(grids.places)):
        place = grids.places[number]
        for grid in range(grids.offsets[number], grids.offsets[number + 1]):
            first, second = grids.first[grid], grids.second[grid]
            is_glue = first != NONE and at_top[first]
            if is_glue:
                at_top[place] = True
            if not excess[grid] <= limit:
                continue
            size = float(grids.path_offsets[grid + 1] - grids.path_offsets[grid])
            if second != NONE:
                size += sizes[second]
            if is_glue:
                total += size
            else:
                if first != NONE:
                    size += sizes[first]
                sizes[place] += size
    return total

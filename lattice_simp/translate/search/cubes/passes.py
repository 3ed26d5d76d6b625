"""Cube pruning in two passes: the narrow one shows the wide one where to search and the costs of words in context.

Most places are in no good derivation. The narrow pass gives each place its excess: the estimated cost of the best
derivation through it beyond the best one of all. The wide pass visits fewer hypotheses where the excess is large (after
Petrov and Klein 2007, whose passes have ever finer symbols; ours have ever more hypotheses), and orders them by rest
costs that the narrow pass has learnt (`rests.py`).
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.blocks import block_numbers
from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.lm.automaton import NgramAutomaton
from lattice_simp.translate.search.chart import Chart
from lattice_simp.translate.search.cubes.excess import excess_of_grids
from lattice_simp.translate.search.cubes.grids import Grids, make_grids, with_rests
from lattice_simp.translate.search.cubes.rests import learnt_rests
from lattice_simp.translate.search.cubes.search import Hypotheses, search

NARROW_SHARE = 0.1
"""The hypotheses of the narrow pass, as a share of those of the wide one: on 100 sentences of multi30k's validation set
(the longest of those from 101 to 600), 0.05 to 0.2 lose about as much in the same time."""

LEAST_NARROW = 10
"""With fewer hypotheses, a narrow pass gains nothing on the same sentences."""

EXCESS_OF_A_FACTOR = 4.0
"""The increase of a place's excess (nats) for which the wide pass visits e times fewer hypotheses (chosen on 30
sentences of newstest2012, English to German; 2 to 6 do about as well there and on multi30k's)."""

LEAST_SHARE = 0.01
"""The least share of `pops` that any place gets."""


def search_twice(chart: Chart, model: NgramAutomaton, pops: int) -> tuple[Hypotheses, Grids]:
    """Finds the best hypotheses of all places; returns them and their grids.

    The search visits `pops` hypotheses at a place in the best derivation.
    """
    grids, rests = make_grids(chart, model), np.zeros(len(model.vocabulary))
    goal, narrow = int(chart.ends[-1]), int(NARROW_SHARE * pops)
    wide = np.full(len(grids.places), pops, dtype=np.int32)
    if narrow >= LEAST_NARROW:
        hypotheses, borders = search(chart, model, grids, np.full(len(grids.places), narrow, dtype=np.int32), rests)
        if hypotheses.begin[goal] == hypotheses.end[goal]:
            return hypotheses, grids  # there is no derivation
        wide = wide_pops(grids, excess_of_grids(hypotheses, grids, goal), pops)
        rests = learnt_rests(chart, model, grids, borders, hypotheses, goal)
        grids = with_rests(grids, chart, rests)
    return search(chart, model, grids, wide, rests)[0], grids


def wide_pops(grids: Grids, excess: Floats, pops: int) -> Ints:
    """Returns (places,) int32, how many hypotheses the wide pass visits: `pops` at a place without excess.

    `excess` is that of each grid, (grids,) float64; infinity without a derivation.
    """
    least = np.full(len(grids.places), np.inf)
    np.minimum.at(least, block_numbers(grids.offsets), excess)
    share = np.maximum(np.exp(-np.maximum(least, 0.0) / EXCESS_OF_A_FACTOR), LEAST_SHARE)
    return np.ceil(share * pops).astype(np.int32)

"""Rest costs, learnt in a narrow search.

The first word of a string is charged before the words in front of it are known. Good derivations of the narrow search,
where strings met such words, show the error of that charge, which the wide search adds at once; words that were not met
get the mean. (The rest costs of Heafield, Koehn and Lavie 2012 are of a language model; these are of one sentence.)
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats, jit
from lattice_simp.core.records import NONE
from lattice_simp.lm.automaton import NgramAutomaton
from lattice_simp.translate.search.chart import NO_WORD, Chart
from lattice_simp.translate.search.cubes.borders import EMPTY, WHOLE, Borders, after_string, after_word
from lattice_simp.translate.search.cubes.excess import edge_excess
from lattice_simp.translate.search.cubes.grids import Grids
from lattice_simp.translate.search.cubes.search import Hypotheses

LARGEST_EXCESS = 8.0
"""The largest excess (nats) of derivations to learn from; each nat lowers their weight e times."""

MEAN_WEIGHT = 1.0
"""The weight of the mean of all words in the rest cost of each; a meeting in the best derivation has the weight 1."""


def learnt_rests(
    chart: Chart, model: NgramAutomaton, grids: Grids, borders: Borders, hypotheses: Hypotheses, goal: int
) -> Floats:
    """Returns (words,) float64, the rest costs, from the hypotheses and the borders of a narrow search.

    The search must have found a whole derivation; `goal` is the last place of the chart.
    """
    totals, weights = _meetings(chart, model, grids, borders, hypotheses, edge_excess(hypotheses, goal))
    mean = totals.sum() / max(weights.sum(), np.finfo(float).tiny)
    rests: Floats = (totals + MEAN_WEIGHT * mean) / (weights + MEAN_WEIGHT)
    return rests


@jit
def _meetings(
    chart: Chart, model: NgramAutomaton, grids: Grids, borders: Borders, hypotheses: Hypotheses, excess: Floats
) -> tuple[Floats, Floats]:
    """Returns each word's weighted sum of cost changes where it began a string that met a context, and its weights.

    The search has scored all of these derivations by the same steps (`search._score`), so this adds nothing to its
    tables, which may be full.
    """
    nodes = hypotheses.nodes
    totals, weights = np.zeros(len(model.vocabulary)), np.zeros(len(model.vocabulary))
    for number in range(len(excess)):
        if excess[number] > LARGEST_EXCESS:
            continue
        edge, weight = hypotheses.edges[number], np.exp(-excess[number])
        left, right = EMPTY, (NONE if model.order > 1 else len(model.suffix) - 1)
        tails = (edge.tail, edge.second)
        references = 0
        if tails[0] != NONE and nodes[tails[0]].left == WHOLE:
            left, right = WHOLE, nodes[tails[0]].right
            references = 1
        for index in range(grids.path_offsets[edge.arc], grids.path_offsets[edge.arc + 1]):
            symbol = chart.symbols[grids.paths[index]]
            if symbol >= 0:
                left, right, _ = after_word(model, borders, left, right, symbol)
            elif symbol != NO_WORD:
                node = nodes[tails[references]]
                references += 1
                meets = left != EMPTY and node.left != EMPTY
                left, right, meeting_cost = after_string(model, borders, left, right, (node.left, node.right))
                if meets:
                    word = _first_word(borders, node.left)
                    totals[word] += weight * (meeting_cost + borders.rests[word])
                    weights[word] += weight
    return totals, weights


@jit
def _first_word(borders: Borders, prefix: int) -> int:
    rows = borders.prefixes.rows
    while rows[prefix].parent != EMPTY:
        prefix = rows[prefix].parent
    return rows[prefix].word

"""The histories of a chart's states as far as the words of their own cells reveal them."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Ints, jit
from lattice_simp.lm.automaton import NgramAutomaton, follow
from lattice_simp.lm.combined import combined
from lattice_simp.ops.apply_lm import Models
from lattice_simp.translate.parse import SourceParse
from lattice_simp.translate.search.chart import NO_WORD, Chart, search_chart, seen_labels
from lattice_simp.translate.search.neighbours import neighbours

MANY = 255
"""The number of known words at the start of a sentence: more than any order needs."""


def chart_with_contexts(parse: SourceParse, models: Models, word_penalty: float) -> tuple[Chart, NgramAutomaton, Ints]:
    """Makes the chart and the language model of the exact search.

    Returns:
        The automaton, the language models as one, and (items + 1,) int32, the step of each item at the top.
    """
    labels, names = seen_labels(parse)
    weighted = list(models.values())
    model = combined(weighted, names, neighbours(parse, weighted))
    chart, top_steps = search_chart(parse, labels, model.vocabulary, model.num_words, word_penalty)
    sentence = int(chart.starts[-1])
    contexts, num_known = _contexts(chart.offsets, chart.symbols, chart.targets, sentence, model, model.lengths)
    return chart._replace(contexts=contexts, num_known=num_known), model, top_steps


@jit
def _contexts(
    offsets: Ints, symbols: Ints, targets: Ints, sentence: int, model: NgramAutomaton, level: Ints
) -> tuple[Ints, Ints]:
    """Returns the context of each state, and its number of known words."""
    children, words, suffix, backoff = model.children, model.word, model.suffix, model.backoff
    num_states, root, longest = len(offsets) - 1, len(suffix) - 1, model.order - 1
    contexts, num_known = np.full(num_states, 2 * root + 1, dtype=np.int32), np.zeros(num_states, dtype=np.int32)
    contexts[sentence], num_known[sentence] = 2 * model.start, MANY
    for state in range(num_states):
        for arc in range(offsets[state], offsets[state + 1]):
            target = targets[arc]
            if symbols[arc] == NO_WORD:
                contexts[target], num_known[target] = contexts[state], num_known[state]
            elif symbols[arc] >= 0 and symbols[arc] < children[0]:
                node, _ = follow(contexts[state] >> 1, symbols[arc], 0.0, children, words, suffix, backoff)
                remembered = min(num_known[state] + 1, longest)
                while level[node] > remembered:
                    node = suffix[node]
                num_known[target] = remembered
                contexts[target] = 2 * node + (1 if level[node] == remembered else 0)
    return contexts, num_known

"""The chart of a sentence, on which the searches in nested grammars work: one automaton that refers to itself.

Every cell (non-terminal, span) is an automaton of words and references to other cells, between its own start and end
state; the glue rules are an automaton over the positions of the sentence whose arcs refer to the cells at the top. All
states are numbered so that an arc leads to a higher one and refers to a cell whose states are all lower.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Floats, Ints, Records, jit
from lattice_simp.core.sorting import counting_order
from lattice_simp.translate.automaton import ARC, NO_STEP, Items, prefix_tree, set_arc
from lattice_simp.translate.parse import SourceParse

NO_WORD = -1
"""The symbol of an arc without a word, or whose word the language models skip."""


class Chart(NamedTuple):
    """Arcs by state; state 0 to `len(offsets) - 2`.

    The *context* of a state is what the words of its cell reveal of the history: `2 * n` for the n-gram n of a language
    model, or `2 * n + 1` if a word further left could make it a longer n-gram (it is *open*). Only the exact search
    needs contexts (`search/exact/contexts.py`); elsewhere, they are empty.

    Attributes:
        offsets: (states + 1,) int32, where each state's arcs begin.
        symbols: (arcs,) int32, a word of the language model, `NO_WORD`, or `-2 - c`, a reference to cell c.
        rule_costs: (arcs,) float64, of rules and glue.
        costs: (arcs,) float64, the same with the penalty of the word.
        targets: (arcs,) int32.
        labels: (arcs,) int32, the target word (0 for none), or -1 for references.
        steps: (arcs,) int32, the item that an arc completes, plus 1; 0 for none.
        starts, ends: (cells,) int32, the cells' states; those of the last cell are of the whole sentence, whose last
            arc reads `</s>`.
        contexts: (states,) int32, the contexts.
        num_known: (states,) int32, the number of words of the history in each context.
    """

    offsets: Ints
    symbols: Ints
    rule_costs: Floats
    costs: Floats
    targets: Ints
    labels: Ints
    steps: Ints
    starts: Ints
    ends: Ints
    contexts: Ints
    num_known: Ints

    @property
    def num_states(self) -> int:
        return len(self.offsets) - 1

    @property
    def num_cells(self) -> int:
        return len(self.starts)


class Top(NamedTuple):
    """The glue: `cells[i]` may stand between the positions `begins[i]` and `ends[i]` of the sentence, at a cost."""

    cells: Ints
    begins: Ints
    ends: Ints
    costs: Floats
    num_positions: int


def make_chart(cells: Ints, items: Items, top: Top, word_of_label: Ints, end_word: int, word_penalty: float) -> Chart:
    """Builds the automaton of all cells.

    Args:
        cells: (items,) the cell of each item.
        items: the target sides; a symbol is a target word or `-1 - c` for cell c.
        top: the glue.
        word_of_label: (target words,) the language model's word, `NO_WORD` if the models skip it.
        end_word: the symbol of the sentence's end.
        word_penalty: a cost for each word that the models see.
    """
    num_cells = 1 + max(
        int(cells.max(initial=-1)), int(top.cells.max(initial=-1)), -1 - int(items.symbols.min(initial=0))
    )
    begins = 2 * cells.astype(np.int32)
    arcs, first = _tries(begins, begins + 1, items, 2 * num_cells)
    last = first + top.num_positions
    sources = np.concatenate((arcs["source"], first + top.begins, [last - 1])).astype(np.int32)
    targets = np.concatenate((arcs["target"], first + top.ends, [last])).astype(np.int32)
    symbols = np.concatenate((arcs["symbol"], -1 - top.cells, [0]))
    starts = np.append(2 * np.arange(num_cells), first)
    ends = np.append(2 * np.arange(num_cells) + 1, last)
    referred = np.where(symbols < 0, ends[np.maximum(-1 - symbols, 0)], -1).astype(np.int32)
    number = _topological_numbers(sources, targets, referred, last + 1)
    order = counting_order(number[sources], len(number))
    model_symbols = np.where(symbols < 0, symbols - 1, word_of_label[np.maximum(symbols, 0)]).astype(np.int32)
    is_word = np.append(model_symbols[:-1] >= 0, False)
    model_symbols[-1] = end_word
    counts = np.bincount(number[sources], minlength=len(number))
    offsets = prefix_sums(counts).astype(np.int32)
    rule_costs = np.concatenate((arcs["cost"], top.costs, [0.0]))[order]
    return Chart(
        offsets=offsets,
        symbols=model_symbols[order],
        rule_costs=rule_costs,
        costs=rule_costs + word_penalty * is_word[order],
        targets=number[targets][order],
        labels=np.maximum(symbols, -1)[order].astype(np.int32),
        steps=np.append(arcs["step"], np.zeros(len(top.cells) + 1, dtype=np.int32))[order],
        starts=number[starts].astype(np.int32),
        ends=number[ends].astype(np.int32),
        contexts=np.zeros(len(number), dtype=np.int32),
        num_known=np.zeros(len(number), dtype=np.int32),
    )


def seen_labels(parse: SourceParse, invisible: Collection[str] = ()) -> tuple[Ints, list[str]]:
    """Returns the labels of the target words that the language models see, and these words."""
    names = parse.grammar.target_words
    labels = [label for label in parse.target_words.tolist() if label and names[label] not in invisible]
    return np.array(labels, dtype=np.int32), [names[label] for label in labels]


def search_chart(
    parse: SourceParse, labels: Ints, words: Ints, end_word: int, word_penalty: float
) -> tuple[Chart, Ints]:
    """Builds the automaton of a sentence.

    Args:
        parse: the items of a sentence.
        labels, words: (words,) int32, the labels that a language model sees (`seen_labels`), and its words for them.
        end_word: the symbol of the sentence's end.
        word_penalty: the cost of a word that the models see.

    Returns:
        The automaton, and (items + 1,) int32, the step of each item at the top.
    """
    items = parse.items
    word_of_label = np.full(len(parse.grammar.target_words), NO_WORD, dtype=np.int32)
    word_of_label[labels] = words
    cells, top, top_steps = _with_top_cells(parse)
    kept = np.flatnonzero(cells >= 0).astype(np.int32)
    word_of_item_label = items.by_label(word_of_label)
    return make_chart(cells[kept], items.select(kept), top, word_of_item_label, end_word, word_penalty), top_steps


def _with_top_cells(parse: SourceParse) -> tuple[Ints, Top, Ints]:
    """Returns the cell of each item, -1 for none, the glue, and the step of each item at the top.

    If the parse has a cell of the top non-terminal for a span, the glue refers to it; other spans get new cells.
    """
    items, plan = parse.items, parse.plan
    cells = items.cell.astype(np.int32)
    steps = np.arange(len(items.cost) + 1, dtype=np.int32)
    positions = parse.source.num_states
    begins, ends = items.span[items.top].T
    number = np.full((positions, positions), -1, dtype=np.int32)
    number[begins, ends] = 0
    spans = np.argwhere(number == 0).astype(np.int32)
    number[spans[:, 0], spans[:, 1]] = np.arange(len(spans))
    span_of_item = number[begins, ends]
    top_cells = plan.cells(np.full(len(spans), plan.top, dtype=np.int32), spans)
    if plan.nested:
        originals = np.flatnonzero(items.left == plan.top)
        steps[originals + 1] = items.top + 1
    else:
        top_cells[:] = -1
    new = top_cells < 0
    top_cells[new] = plan.num_cells + np.arange(new.sum())
    cells[items.top[new[span_of_item]]] = top_cells[span_of_item[new[span_of_item]]]
    costs = np.where(spans[:, 0] > 0, parse.costs.glue, 0.0)
    glue = Top(top_cells, spans[:, 0], spans[:, 1], costs, parse.source.num_states)
    return cells, glue, steps


@jit
def _tries(begins: Ints, ends: Ints, items: Items, states: int) -> tuple[Records, int]:
    """Returns the arcs of a prefix tree for each cell, whose leaves are merged in its end, and the number of states.

    Each item's cell is between the states `begins` and `ends`, below `states`. Of items with the same string in a cell,
    the cheapest stays.
    """
    count = 0
    nodes, last_node, chosen = prefix_tree(begins, ends, items, states)
    arcs = np.empty(2 * len(nodes), dtype=ARC)
    last_arc = np.full(len(nodes), -1, dtype=np.int32)
    for item in range(len(begins)):
        leaf = last_node[item]
        parent = nodes[leaf].parent if nodes[leaf].parent >= 0 else leaf  # an empty string is one epsilon
        node, missing = parent, 0
        while nodes[node].state < 0:
            node, missing = nodes[node].parent, missing + 1
        count, states, node = count + missing, states + missing, parent
        for behind in range(1, missing + 1):  # inner arcs, the deepest first
            before = nodes[node].parent
            nodes[node].state = states - behind
            source = states - behind - 1 if behind < missing else nodes[before].state
            set_arc(arcs, count - behind, source, states - behind, nodes[node].label, 0.0, NO_STEP)
            node = before
        if last_arc[leaf] < 0:
            last_arc[leaf] = count
            set_arc(arcs, count, nodes[parent].state, ends[item], nodes[leaf].label, 0.0, NO_STEP)
            count += 1
        if chosen[item]:
            arcs[last_arc[leaf]].cost, arcs[last_arc[leaf]].step = items.costs[item], items.steps[item]
    return arcs[:count], states


@jit
def _topological_numbers(sources: Ints, targets: Ints, referred: Ints, num_states: int) -> Ints:
    """Numbers the states so that each arc leads up, from a state above the end of the cell that it refers to."""
    waiting = np.zeros(num_states, dtype=np.int32)
    begins = np.zeros(num_states + 1, dtype=np.int32)
    for arc in range(len(sources)):
        begins[sources[arc] + 1] += 1
        waiting[targets[arc]] += 1
        if referred[arc] >= 0:
            begins[referred[arc] + 1] += 1
            waiting[sources[arc]] += 1
    for state in range(num_states):
        begins[state + 1] += begins[state]
    fill = begins[:-1].copy()
    following = np.empty(begins[-1], dtype=np.int32)
    for arc in range(len(sources)):
        following[fill[sources[arc]]] = targets[arc]
        fill[sources[arc]] += 1
        if referred[arc] >= 0:
            following[fill[referred[arc]]] = sources[arc]
            fill[referred[arc]] += 1
    ready = np.empty(num_states, dtype=np.int32)
    number = np.full(num_states, -1, dtype=np.int32)
    num_numbered, reached = 0, 0
    for state in range(num_states):
        if waiting[state] == 0:
            ready[reached] = state
            reached += 1
    while num_numbered < reached:
        state = ready[num_numbered]
        number[state] = num_numbered
        num_numbered += 1
        for index in range(begins[state], begins[state + 1]):
            waiting[following[index]] -= 1
            if waiting[following[index]] == 0:
                ready[reached] = following[index]
                reached += 1
    return number

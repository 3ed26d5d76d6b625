"""Bounds of the second order without a forest: costs alone, in a matrix for each state of the chart.

The forest of order 2 is by far the largest one, and most of it is dropped as soon as its bounds are known. So they are
computed beforehand, for every state of the chart and every pair of its first and its last word, in dense arrays, whose
sums take a few nanoseconds each. As in the forest, words behind several words of their
own rule are charged after those.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.translate.exact.automaton import Automaton, relaxed
from lattice_simp.translate.nested_chart import NO_WORD, Chart

MAX_ENTRIES = 60_000_000
"""Pairs of words at all states; beyond that the matrices take more memory than they are worth (16 bytes each)."""


class Words(NamedTuple):
    """The words at the borders of the states.

    Attributes:
        first, last: (states,) int32, the lists of the first and the last words; list w below the number of words holds
            the word w alone.
        offsets, words: the lists, sorted;  begins: (states + 1,) int64, where each state's matrix begins.
    """

    first: Ints
    last: Ints
    offsets: Longs
    words: Ints
    begins: Longs


class Dense(NamedTuple):
    """What is missing at least to whole derivations.

    Attributes:
        words: the words at the borders.
        outside: the states' matrices, flat, first words by last ones.
        contexts: (2 * n-grams,) int32, the number of a context that knows several words, by its code.
        hooks: (contexts * cells,) int32, the row of a cell behind a context, -1 if it is never there; a word alone is
            the context of that number.
        hook_begins: (rows + 1,) int64;  hook_outside: the rows, flat, by the last words of the cell.
        cells: how many there are; 0 if there are no bounds.
    """

    words: Words
    outside: Floats
    contexts: Ints
    hooks: Ints
    hook_begins: Longs
    hook_outside: Floats
    cells: int


class Task(NamedTuple):
    """What the passes work on.

    Attributes:
        words: at the borders.
        pairs: (words, words + 1) float64, the cost of each word, and of the sentence's end, after each other one.
        charges: (words,) float64, see `dense_bounds`.
        own: (states,) int32, the number of the context that a state knows by itself, -1 if it is its last word.
        codes: (contexts,) int32, their codes.
    """

    words: Words
    pairs: Floats
    charges: Floats
    own: Ints
    codes: Ints


def no_dense() -> Dense:
    """Returns what stands for no bounds."""
    ints, longs = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    return Dense(Words(ints, ints, longs, ints, longs), np.zeros(0), ints, ints, longs, np.zeros(0), 0)


def dense_bounds(chart: Chart, model: Automaton, charges: Floats, alive: Floats) -> tuple[Dense, float] | None:
    """Computes the bounds of order 2 with the potentials of an automaton.

    Args:
        chart: of the sentence.
        model: the automaton.
        charges: (words,) float64, what each word is charged as the first one of a cell; infinity if it never is.
        alive: (states,) infinity for states that no derivation within the limit uses.

    Returns:
        The bounds and the least cost of a derivation; None if there are too many pairs, or words that no language
        model sees, whose neighbours the matrices would not know.
    """
    if (chart.symbols == NO_WORD).any():
        return None
    words = _words(chart, model.final)
    if words.begins[-1] > MAX_ENTRIES:
        return None
    pairs = _pair_costs(model)
    known = np.unique(chart.contexts[chart.known > 1])
    contexts = np.full(2 * len(model.level), -1, dtype=np.int32)
    contexts[known] = model.final + np.arange(len(known))
    own = np.where(chart.known > 1, contexts[chart.contexts], -1).astype(np.int32)
    codes = np.concatenate((2 * np.arange(model.final) + 1, known)).astype(np.int32)
    task = Task(words, pairs, charges, own, codes)
    inside, hooks, begins, rows = _inside(chart, model, task, alive)
    outside, hook_outside, least = _outside(chart, model, task, inside, hooks, begins, rows)
    return Dense(words, outside, contexts, hooks, begins, hook_outside, len(chart.starts)), least


@jit
def _pair_costs(model: Automaton) -> Floats:
    """Returns (words, words + 1), the cost of each word, and of the sentence's end, after each other one."""
    count = model.final
    pairs = np.empty((count, count + 1))
    for before in range(count):
        if model.reach != 3:
            for word in range(count + 1):
                pairs[before, word] = relaxed(model, 2 * before + 1, word)
        else:
            _costs_behind(model, before, pairs[before])
    return pairs


@jit
def _costs_behind(model: Automaton, before: int, row: Floats) -> None:
    """Writes what `relaxed` says of each word after one word, with potentials of bigrams.

    Most words extend none of the bigrams that the word may be the end of, so that the same bigram is best for all of
    them: the one that is left at the least cost.
    """
    count, children, potential = model.final, model.children, model.potential
    own = -potential[before]
    for word in range(count + 1):
        row[word] = relaxed(model, 2 * before, word) - own
    members = model.longer[model.longer_offsets[before] : model.longer_offsets[before + 1]]
    least, chosen = own, -1
    for member in members:
        left = model.best_backoff[member] - potential[member]
        if left < least:
            least, chosen = left, member
    base = row.copy()
    for word in range(count + 1):
        row[word] = base[word] + least
    for member in members:
        for child in range(children[member], children[member + 1]):
            word = model.word[child]
            cost = model.best_cost[child] - potential[member]
            if word == model.end:
                row[count] = min(row[count], cost)
            row[word] = min(row[word], cost + potential[child])
    if chosen >= 0:  # the words that do extend the chosen bigram
        for child in range(children[chosen], children[chosen + 1]):
            word = model.word[child]
            row[word] = relaxed(model, 2 * before + 1, word)
            if word == model.end:
                row[count] = relaxed(model, 2 * before + 1, count)


@jit
def _words(chart: Chart, count: int) -> Words:
    """Finds the words at the borders of all states."""
    num_states, num_cells = len(chart.offsets) - 1, len(chart.starts)
    kind = np.full(num_states, -1, dtype=np.int64)  # the set of words at a state where several arcs meet
    is_start = np.zeros(num_states, dtype=np.bool_)
    sets = num_cells
    whole, goal = chart.starts[num_cells - 1], chart.ends[num_cells - 1]
    for cell in range(num_cells):
        kind[chart.ends[cell]] = cell
        is_start[chart.starts[cell]] = cell < num_cells - 1
    top = np.zeros(num_states, dtype=np.bool_)
    top[whole] = True
    for state in range(num_states):  # the positions of the sentence
        if top[state]:
            for arc in range(chart.offsets[state], chart.offsets[state + 1]):
                if not top[chart.targets[arc]] and chart.targets[arc] != goal:
                    top[chart.targets[arc]] = True
                    kind[chart.targets[arc]] = sets
                    sets += 1
    firsts, lasts = np.zeros((sets, count), dtype=np.bool_), np.zeros((sets, count), dtype=np.bool_)
    first, last = np.zeros(num_states, dtype=np.int32), np.zeros(num_states, dtype=np.int32)
    offsets = np.zeros(count + 2 * sets + 1, dtype=np.int64)
    words = np.empty(count + 2 * sets * count, dtype=np.int32)
    for word in range(count):
        words[word], offsets[word + 1] = word, word + 1
    lists = count
    for state in range(num_states):
        if kind[state] >= 0 and state != goal:
            for side in range(2):
                marked = lasts if side else firsts
                if side == 0 and top[state]:
                    first[state] = 0
                    continue
                end = offsets[lists]
                for word in range(count):
                    if marked[kind[state], word]:
                        words[end] = word
                        end += 1
                offsets[lists + 1] = end
                if side:
                    last[state] = lists
                else:
                    first[state] = lists
                lists += 1
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target, symbol = chart.targets[arc], chart.symbols[arc]
            if target == goal:
                continue
            if symbol >= 0:
                own_first = own_last = symbol
            else:
                cell_end = chart.ends[-2 - symbol]
                own_first, own_last = first[cell_end], last[cell_end]
            if not is_start[state]:
                own_first = first[state]
            if kind[target] < 0:
                first[target], last[target] = own_first, own_last
            else:
                for index in range(offsets[own_first], offsets[own_first + 1]):
                    firsts[kind[target], words[index]] = True
                for index in range(offsets[own_last], offsets[own_last + 1]):
                    lasts[kind[target], words[index]] = True
    begins = np.zeros(num_states + 1, dtype=np.int64)
    for state in range(num_states):
        size = (offsets[first[state] + 1] - offsets[first[state]]) * (offsets[last[state] + 1] - offsets[last[state]])
        begins[state + 1] = begins[state] + size
    return Words(first, last, offsets[: lists + 1], words[: offsets[lists]], begins)


@jit
def _positions(lists: Longs, words: Ints, own: int, wanted: int) -> Longs:
    """Returns where the words of one list are in another one."""
    size = lists[own + 1] - lists[own]
    found = np.zeros(size, dtype=np.int64)
    if lists[wanted + 1] - lists[wanted] > 1:
        target = words[lists[wanted] : lists[wanted + 1]]
        for index in range(size):
            found[index] = np.searchsorted(target, words[lists[own] + index])
    return found


@jit
def _word_cost(model: Automaton, task: Task, context: int, word: int) -> float:
    """Returns what a word costs after a numbered context."""
    if context < model.final:
        return task.pairs[context, word]
    return relaxed(model, task.codes[context], word)


@jit
def _costs_after(model: Automaton, task: Task, state: int, word: int) -> Floats:
    """Returns what a word costs after each last word of a state."""
    lists, own = task.words.offsets, task.words.last[state]
    lasts = task.words.words[lists[own] : lists[own + 1]]
    costs = np.empty(len(lasts))
    for index in range(len(lasts)):
        context = task.own[state] if task.own[state] >= 0 else lasts[index]
        costs[index] = _word_cost(model, task, context, word)
    return costs


@jit
def _inside(chart: Chart, model: Automaton, task: Task, alive: Floats) -> tuple[Floats, Ints, Longs, Floats]:
    """Returns the states' costs, and those of cells behind contexts: (rows, where they begin, costs)."""
    words, charges, own = task.words, task.charges, task.own
    num_states, num_cells, count = len(chart.offsets) - 1, len(chart.starts), len(task.codes)
    first, last, lists, listed, begins = words.first, words.last, words.offsets, words.words, words.begins
    inside = np.full(begins[num_states], np.inf)
    hooks = np.full(count * num_cells, -1, dtype=np.int32)
    hook_begins, rows, num_rows = np.zeros(4096, dtype=np.int64), np.empty(65536), 0
    whole, goal = chart.starts[num_cells - 1], chart.ends[num_cells - 1]
    is_start = np.zeros(num_states, dtype=np.bool_)
    is_start[chart.starts[: num_cells - 1]] = True
    inside[begins[whole]] = model.potential[model.start_word]
    for state in range(num_states):
        if not alive[state] < np.inf:
            continue
        own_lasts = lists[last[state] + 1] - lists[last[state]]
        own_firsts = lists[first[state] + 1] - lists[first[state]]
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target, symbol, cost = chart.targets[arc], chart.symbols[arc], chart.costs[arc]
            if not alive[target] < np.inf:
                continue
            cell = -2 - symbol
            width = lists[last[target] + 1] - lists[last[target]]
            if symbol >= 0 and is_start[state]:
                row = _positions(lists, listed, symbol, first[target])[0]
                column = _positions(lists, listed, symbol, last[target])[0]
                place = begins[target] + row * width + column
                inside[place] = min(inside[place], charges[symbol] + cost)
            elif is_start[state]:
                end = chart.ends[cell]
                rows_of = _positions(lists, listed, first[end], first[target])
                columns = _positions(lists, listed, last[end], last[target])
                for row in range(len(rows_of)):
                    for column in range(len(columns)):
                        place = begins[target] + rows_of[row] * width + columns[column]
                        value = inside[begins[end] + row * len(columns) + column] + cost
                        inside[place] = min(inside[place], value)
            elif symbol >= 0:
                rows_of = _positions(lists, listed, first[state], first[target])
                column = 0 if target == goal else _positions(lists, listed, symbol, last[target])[0]
                after = _costs_after(model, task, state, symbol)
                for row in range(own_firsts):
                    best = np.inf
                    for index in range(own_lasts):
                        best = min(best, inside[begins[state] + row * own_lasts + index] + after[index])
                    place = begins[target] + rows_of[row] * width + column
                    inside[place] = min(inside[place], best + cost)
            else:
                end = chart.ends[cell]
                columns = _positions(lists, listed, last[end], last[target])
                rows_of = _positions(lists, listed, first[state], first[target])
                for index in range(own_lasts):
                    word = own[state] if own[state] >= 0 else listed[lists[last[state]] + index]
                    hook = hooks[word * num_cells + cell]
                    if hook < 0:
                        hook = hooks[word * num_cells + cell] = num_rows
                        num_rows += 1
                        while num_rows + 1 >= len(hook_begins):
                            hook_begins = grown(hook_begins)
                        hook_begins[num_rows] = hook_begins[hook] + len(columns)
                        while hook_begins[num_rows] > len(rows):
                            rows = grown(rows)
                        rows[hook_begins[hook] : hook_begins[num_rows]] = np.inf
                        for row in range(lists[first[end] + 1] - lists[first[end]]):
                            following = listed[lists[first[end]] + row]
                            if charges[following] < np.inf:
                                junction = _word_cost(model, task, word, following) - charges[following]
                                for column in range(len(columns)):
                                    value = junction + inside[begins[end] + row * len(columns) + column]
                                    rows[hook_begins[hook] + column] = min(rows[hook_begins[hook] + column], value)
                    for row in range(own_firsts):
                        value = inside[begins[state] + row * own_lasts + index] + cost
                        if value < np.inf:
                            base = begins[target] + rows_of[row] * width
                            for column in range(len(columns)):
                                place = base + columns[column]
                                inside[place] = min(inside[place], value + rows[hook_begins[hook] + column])
    return inside, hooks, hook_begins[: num_rows + 1], rows[: hook_begins[num_rows]]


@jit
def _outside(
    chart: Chart, model: Automaton, task: Task, inside: Floats, hooks: Ints, hook_begins: Longs, rows: Floats
) -> tuple[Floats, Floats, float]:
    """Returns what is missing to states, and to cells behind contexts, and the least cost of whole derivations."""
    words, charges, own = task.words, task.charges, task.own
    num_states, num_cells, count = len(chart.offsets) - 1, len(chart.starts), len(task.codes)
    first, last, lists, listed, begins = words.first, words.last, words.offsets, words.words, words.begins
    outside, hook_outside = np.full(len(inside), np.inf), np.full(len(rows), np.inf)
    goal = chart.ends[num_cells - 1]
    start_of = np.full(num_states, False)
    start_of[chart.starts[: num_cells - 1]] = True
    cell_of_end = np.full(num_states, -1, dtype=np.int64)
    cell_of_end[chart.ends[: num_cells - 1]] = np.arange(num_cells - 1)
    outside[begins[goal]] = 0.0
    for state in range(num_states - 1, -1, -1):
        own_lasts = lists[last[state] + 1] - lists[last[state]]
        own_firsts = lists[first[state] + 1] - lists[first[state]]
        if cell_of_end[state] >= 0:  # all that is behind words is known: their first words
            cell = cell_of_end[state]
            for word in range(count):
                hook = hooks[word * num_cells + cell]
                if hook < 0:
                    continue
                for row in range(own_firsts):
                    following = listed[lists[first[state]] + row]
                    if charges[following] < np.inf:
                        junction = _word_cost(model, task, word, following) - charges[following]
                        for column in range(own_lasts):
                            place = begins[state] + row * own_lasts + column
                            value = hook_outside[hook_begins[hook] + column] + junction
                            outside[place] = min(outside[place], value)
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target, symbol, cost = chart.targets[arc], chart.symbols[arc], chart.costs[arc]
            cell = -2 - symbol
            width = lists[last[target] + 1] - lists[last[target]]
            if start_of[state]:
                if symbol < 0:
                    end = chart.ends[cell]
                    rows_of = _positions(lists, listed, first[end], first[target])
                    columns = _positions(lists, listed, last[end], last[target])
                    for row in range(len(rows_of)):
                        for column in range(len(columns)):
                            place = begins[end] + row * len(columns) + column
                            value = outside[begins[target] + rows_of[row] * width + columns[column]] + cost
                            outside[place] = min(outside[place], value)
                continue
            rows_of = _positions(lists, listed, first[state], first[target])
            if symbol >= 0:
                column = 0 if target == goal else _positions(lists, listed, symbol, last[target])[0]
                after = _costs_after(model, task, state, symbol)
                for row in range(own_firsts):
                    value = outside[begins[target] + rows_of[row] * width + column] + cost
                    for index in range(own_lasts):
                        place = begins[state] + row * own_lasts + index
                        outside[place] = min(outside[place], value + after[index])
                continue
            columns = _positions(lists, listed, last[chart.ends[cell]], last[target])
            for index in range(own_lasts):
                word = own[state] if own[state] >= 0 else listed[lists[last[state]] + index]
                hook = hooks[word * num_cells + cell]
                if hook < 0:
                    continue
                for row in range(own_firsts):
                    place = begins[state] + row * own_lasts + index
                    value = inside[place] + cost
                    if not value < np.inf:
                        continue
                    base, best = begins[target] + rows_of[row] * width, np.inf
                    for column in range(len(columns)):
                        above, behind = outside[base + columns[column]], hook_begins[hook] + column
                        best = min(best, above + rows[behind])
                        hook_outside[behind] = min(hook_outside[behind], value + above)
                    outside[place] = min(outside[place], best + cost)
    return outside, hook_outside, inside[begins[goal]]


@jit
def dense_outside(dense: Dense, place: int, first: int, last: int) -> float:
    """Returns what is missing to a state with these words at its borders."""
    words = dense.words
    row = _index(words.offsets, words.words, words.first[place], first)
    column = _index(words.offsets, words.words, words.last[place], last)
    if row < 0 or column < 0:
        return np.inf
    width = words.offsets[words.last[place] + 1] - words.offsets[words.last[place]]
    return dense.outside[words.begins[place] + row * width + column]


@jit
def dense_hook_outside(dense: Dense, context: int, known: int, cell: int, end: int, last: int) -> float:
    """Returns what is missing to the strings of a cell (its end state) behind a context that end in a word."""
    before = dense.contexts[context] if known > 1 else context >> 1
    hook = dense.hooks[before * dense.cells + cell]
    column = _index(dense.words.offsets, dense.words.words, dense.words.last[end], last)
    if hook < 0 or column < 0:
        return np.inf
    return dense.hook_outside[dense.hook_begins[hook] + column]


@jit
def _index(offsets: Longs, words: Ints, own: int, word: int) -> int:
    """Returns where a word is in a list, 0 in a list of one word that stands for any, -1 if it is not there."""
    begin, end = offsets[own], offsets[own + 1]
    if end - begin == 1:
        return 0
    index = begin + np.searchsorted(words[begin:end], word)
    return index - begin if index < end and words[index] == word else -1

"""Bounds of the second order without a forest: costs alone, in a matrix for each state of the chart.

The forest of order 2 would be by far the largest one, and most of it would be dropped as soon as its bounds are known.
So the bounds are computed for every state of the chart and every pair of its first and its last word, in dense arrays,
whose sums take a few nanoseconds each. They bound the third order as well as that forest would. Words after several
words of their own rule are charged after all of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, jit
from lattice_simp.translate.search.chart import NO_WORD, Chart
from lattice_simp.translate.search.exact.border_words import (
    Kept,
    Words,
    border_words,
    index_of,
    kept_within,
    positions_of,
    size_of,
    starts_of_cells,
)
from lattice_simp.translate.search.exact.context_model import ContextModel, relaxed

MAX_ENTRIES = 60_000_000
"""The most pairs of words at all states, or at all contexts and cells; larger matrices are not worth their memory (up
to 40 bytes a pair while new matrices replace the old ones)."""


class Dense(NamedTuple):
    """Lower bounds of outside costs; infinity beyond the limit.

    Attributes:
        words: the words at the borders.
        outside: the states' matrices, flat, first words by last words.
        least: (states,) the least of each.
        contexts: (2 * n-grams,) int32, by its code, the number of a context of several words.
        hooks: (contexts * cells,) int32, the row of a cell after a context, -1 if it never occurs there; a single word
            is the context of its own number.
        hook_begins: (rows + 1,) int64, where each row begins.
        hook_outside: the rows, flat, by the last words of the cell.
        hook_least: (rows,) the least of each row.
        hook_inside: (rows,) the least cost of the cell there.
        pairs, charges: see `Task`.
        cells: the number of cells; 0 if there are no bounds.
    """

    words: Words
    outside: Floats
    least: Floats
    contexts: Ints
    hooks: Ints
    hook_begins: Longs
    hook_outside: Floats
    hook_least: Floats
    hook_inside: Floats
    pairs: Floats
    charges: Floats
    cells: int


@dataclass(frozen=True, eq=False)
class DenseBounds:
    """The bounds of order 2, and their consequences.

    Attributes:
        dense: bounds of outside costs.
        totals: (pairs of words at all states,) the least cost of derivations that go through each.
        lower: the least cost of all.
        kept: the states and border words within the limit.
        living: (words, words + 1) bool, which words, and the sentence's end, follow each word within the limit.
    """

    dense: Dense
    totals: Floats
    lower: float
    kept: Kept
    living: Bools

    @property
    def num_pairs(self) -> int:
        """How many pairs of words at states are within the limit."""
        return int(np.isfinite(self.totals).sum())

    def limit_of(self, pairs: int) -> float:
        """Returns a limit within which there are this many pairs of words at states, or all of them."""
        finite = self.totals[self.totals < np.inf]
        if pairs >= len(finite):
            return float("inf")
        finite.partition(pairs)
        return float(finite[pairs])


class Task(NamedTuple):
    """The input of the passes.

    Attributes:
        words: the words at the borders.
        kept: the states that matter.
        pairs: (words, words + 1) float64, the cost of each word, and of the sentence's end, after each word; infinity
            for impossible pairs.
        charges: (words,) float64, see `dense_bounds`.
        own_contexts: (states,) int32, the number of the context that a state's own cell reveals, -1 if its last word
            is the context.
        codes: (contexts,) int32, their codes.
    """

    words: Words
    kept: Bools
    pairs: Floats
    charges: Floats
    own_contexts: Ints
    codes: Ints


def no_dense() -> Dense:
    """Returns matrices without bounds."""
    ints, longs, floats = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64), np.zeros(0)
    words, pairs = Words(ints, ints, longs, ints, longs, 0), np.zeros((0, 0))
    return Dense(words, floats, floats, ints, ints, longs, floats, floats, floats, pairs, floats, 0)


def has_matrices(chart: Chart) -> bool:
    """Returns whether the language models see all words of a chart, so that bounds can be matrices."""
    return not (chart.symbols == NO_WORD).any()


def dense_bounds(
    chart: Chart, model: ContextModel, charges: Floats, kept: Kept, limit: float, living: Bools | None = None
) -> DenseBounds | None:
    """Computes the bounds of order 2 with the potentials of an automaton.

    Args:
        chart: the chart of the sentence.
        model: the automaton.
        charges: (words,) float64, the charge of each word as the first one of a cell; infinity if it never is.
        kept: the states and words that derivations within the limit may use, according to earlier bounds.
        limit: derivations that cost more do not matter.
        living: (words, words + 1) bool, which words may follow each word; None for all.

    Returns:
        The bounds; None if nothing is within the limit, if there are too many pairs, or if there are words that the
        language models skip, since the matrices would not know their neighbours.
    """
    if not has_matrices(chart) or not kept.states[chart.ends[-1]]:
        return None
    words = border_words(chart, model.final, kept)
    long_contexts = np.unique(chart.contexts[chart.num_known > 1])
    num_contexts = model.final + len(long_contexts)
    if max(words.begins[-1], num_contexts * chart.num_cells, model.final * (model.final + 1)) > MAX_ENTRIES:
        return None
    pairs = _pair_costs(model, np.ones((model.final, model.final + 1), dtype=np.bool_) if living is None else living)
    contexts = np.full(2 * len(model.level), -1, dtype=np.int32)
    contexts[long_contexts] = model.final + np.arange(len(long_contexts))
    numbers = np.where(chart.num_known > 1, contexts[chart.contexts], -1).astype(np.int32)
    codes = np.concatenate((2 * np.arange(model.final) + 1, long_contexts)).astype(np.int32)
    task = Task(words, kept.states, pairs, charges, numbers, codes)
    inside, hooks, begins, rows = _inside(chart, model, task, MAX_ENTRIES)
    if len(rows) > MAX_ENTRIES:
        return None
    outside, hook_outside, living = _outside(chart, model, task, inside, hooks, begins, rows, limit)
    totals = inside + outside
    totals[totals > limit] = np.inf
    outside[totals == np.inf] = np.inf
    least = _least_of_rows(outside, words.begins)
    dense = Dense(
        words,
        outside,
        least,
        contexts,
        hooks,
        begins,
        hook_outside,
        _least_of_rows(hook_outside, begins),
        _least_of_rows(rows, begins),
        pairs,
        charges,
        len(chart.starts),
    )
    lower = float(inside[words.begins[chart.ends[-1]]])
    return DenseBounds(dense, totals, lower, kept_within(chart, words, totals, len(charges)), living)


@jit
def _pair_costs(model: ContextModel, living: Bools) -> Floats:
    """Returns (words, words + 1), the cost of each word, and of the sentence's end, after each word."""
    pairs = np.full(living.shape, np.inf)
    for before in range(model.final):
        for word in range(model.final + 1):
            if living[before, word]:
                pairs[before, word] = relaxed(model, 2 * before + 1, word)
    return pairs


@jit
def _word_cost(model: ContextModel, task: Task, context: int, word: int) -> float:
    """Returns the cost of a word after a numbered context."""
    if context < model.final:
        return task.pairs[context, word]
    code = task.codes[context]
    return relaxed(model, code, word) if task.pairs[model.word[code >> 1], word] < np.inf else np.inf


@jit
def _last_word(model: ContextModel, task: Task, context: int) -> int:
    """Returns the last word of a numbered context."""
    return context if context < model.final else model.word[task.codes[context] >> 1]


@jit
def _context(task: Task, state: int, index: int) -> int:
    """Returns the number of a state's context, or its last word with this index."""
    if task.own_contexts[state] >= 0:
        return task.own_contexts[state]
    return task.words.listed[task.words.offsets[task.words.last[state]] + index]


@jit
def _costs_after(model: ContextModel, task: Task, state: int, word: int) -> Floats:
    """Returns the cost of a word after each last word of a state."""
    costs = np.empty(size_of(task.words, task.words.last[state]))
    for index in range(len(costs)):
        costs[index] = _word_cost(model, task, _context(task, state, index), word)
    return costs


@jit
def _lower(target: Floats, begin: int, source: Floats, start: int, columns: Longs, same: bool, cost: float) -> None:
    """Lowers a row of costs to those of another row plus a cost, where these are less."""
    if same:
        size = len(columns)
        row, lower_row = target[begin : begin + size], source[start : start + size]  # slices let the loop vectorise
        for column in range(size):
            row[column] = min(row[column], cost + lower_row[column])
    else:
        for column in range(len(columns)):
            if columns[column] >= 0:
                place = begin + columns[column]
                target[place] = min(target[place], cost + source[start + column])


@jit
def _lower_back(
    target: Floats, begin: int, source: Floats, start: int, columns: Longs, same: bool, cost: float
) -> None:
    """Lowers a row of costs as `_lower` does; `columns` are those of the source."""
    if same:
        _lower(target, begin, source, start, columns, True, cost)
    else:
        for column in range(len(columns)):
            if columns[column] >= 0:
                place = begin + column
                target[place] = min(target[place], cost + source[start + columns[column]])


@jit
def _least_sum(left: Floats, begin: int, columns: Longs, same: bool, right: Floats, start: int) -> float:
    """Returns the least sum of corresponding costs of two rows."""
    size = len(columns)
    if same:
        left_row, right_row = left[begin : begin + size], right[start : start + size]
        unrolled = size - size % 4
        first = second = third = fourth = np.inf  # four independent minima at a time
        for column in range(0, unrolled, 4):
            first = min(first, left_row[column] + right_row[column])
            second = min(second, left_row[column + 1] + right_row[column + 1])
            third = min(third, left_row[column + 2] + right_row[column + 2])
            fourth = min(fourth, left_row[column + 3] + right_row[column + 3])
        for column in range(unrolled, size):
            first = min(first, left_row[column] + right_row[column])
        return min(min(first, second), min(third, fourth))
    best = np.inf
    for column in range(size):
        if columns[column] >= 0:
            best = min(best, left[begin + columns[column]] + right[start + column])
    return best


@jit
def _least_of_rows(costs: Floats, begins: Longs) -> Floats:
    """Returns the least cost of each row."""
    least = np.full(len(begins) - 1, np.inf)
    for row in range(len(least)):
        for place in range(begins[row], begins[row + 1]):
            least[row] = min(least[row], costs[place])
    return least


@jit
def _read_word(
    chart: Chart, model: ContextModel, task: Task, inside: Floats, state: int, arc: int, is_start: bool
) -> None:
    """Lowers the costs of the target of a word arc to those of its source plus the word."""
    words, target, symbol, cost = task.words, chart.targets[arc], chart.symbols[arc], chart.costs[arc]
    column = index_of(words, words.last[target], symbol)
    if column < 0:
        return
    begin, width = words.begins[target], size_of(words, words.last[target])
    if is_start:
        row = index_of(words, words.first[target], symbol)
        if row >= 0:
            place = begin + row * width + column
            inside[place] = min(inside[place], task.charges[symbol] + cost)
        return
    rows_of = positions_of(words, words.first[state], words.first[target])
    after = _costs_after(model, task, state, symbol)
    for row in range(size_of(words, words.first[state])):
        if rows_of[row] >= 0:
            best = np.inf
            for index in range(len(after)):
                best = min(best, inside[words.begins[state] + row * len(after) + index] + after[index])
            place = begin + rows_of[row] * width + column
            inside[place] = min(inside[place], best + cost)


@jit
def _inside(chart: Chart, model: ContextModel, task: Task, most: int) -> tuple[Floats, Ints, Longs, Floats]:
    """Returns the states' costs, and those of cells after contexts: (rows, where they begin, costs).

    It stops as soon as the rows have more than `most` costs.
    """
    words, charges, kept = task.words, task.charges, task.kept
    num_states, num_cells, count = len(chart.offsets) - 1, len(chart.starts), len(task.codes)
    first, last, begins = words.first, words.last, words.begins
    inside = np.full(begins[num_states], np.inf)
    hooks = np.full(count * num_cells, -1, dtype=np.int32)
    hook_begins, rows, num_rows = np.zeros(4096, dtype=np.int64), np.empty(65536), 0
    sentence, is_start = chart.starts[num_cells - 1], starts_of_cells(chart)
    inside[begins[sentence]] = model.potential[model.start]
    for state in range(num_states):
        if not kept[state]:
            continue
        num_firsts, num_lasts = size_of(words, first[state]), size_of(words, last[state])
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target, symbol, cost = chart.targets[arc], chart.symbols[arc], chart.costs[arc]
            if not kept[target]:
                continue
            width = size_of(words, last[target])
            cell, end = -2 - symbol, chart.ends[-2 - symbol] if symbol < 0 else 0
            if symbol >= 0:
                _read_word(chart, model, task, inside, state, arc, is_start[state])
                continue
            if not kept[end]:
                continue
            same, columns = last[end] == last[target], positions_of(words, last[end], last[target])
            if is_start[state]:
                rows_of = positions_of(words, first[end], first[target])
                for row in range(len(rows_of)):
                    if rows_of[row] >= 0:
                        start = begins[end] + row * len(columns)
                        _lower(inside, begins[target] + rows_of[row] * width, inside, start, columns, same, cost)
                continue
            rows_of = positions_of(words, first[state], first[target])
            for index in range(num_lasts):
                least = np.inf
                for row in range(num_firsts):
                    least = min(least, inside[begins[state] + row * num_lasts + index])
                if not least < np.inf:
                    continue
                context = _context(task, state, index)
                hook = hooks[context * num_cells + cell]
                if hook < 0:
                    hook = hooks[context * num_cells + cell] = num_rows
                    num_rows += 1
                    while num_rows + 1 >= len(hook_begins):
                        hook_begins = grown(hook_begins)
                    hook_begins[num_rows] = hook_begins[hook] + len(columns)
                    while hook_begins[num_rows] > len(rows):
                        rows = grown(rows)
                    if hook_begins[num_rows] > most:
                        return inside, hooks, hook_begins[: num_rows + 1], rows[: hook_begins[num_rows]]
                    rows[hook_begins[hook] : hook_begins[num_rows]] = np.inf
                    for row in range(size_of(words, first[end])):
                        following = words.listed[words.offsets[first[end]] + row]
                        junction = _word_cost(model, task, context, following) - charges[following]
                        if charges[following] < np.inf and junction < np.inf:
                            start = begins[end] + row * len(columns)
                            _lower(rows, hook_begins[hook], inside, start, columns, True, junction)
                for row in range(num_firsts):
                    value = inside[begins[state] + row * num_lasts + index] + cost
                    if value < np.inf and rows_of[row] >= 0:
                        begin = begins[target] + rows_of[row] * width
                        _lower(inside, begin, rows, hook_begins[hook], columns, same, value)
    return inside, hooks, hook_begins[: num_rows + 1], rows[: hook_begins[num_rows]]


@jit
def _meet_back(
    model: ContextModel,
    task: Task,
    costs: tuple[Floats, Floats, Floats],
    state: int,
    hooks: Ints,
    hook_begins: Longs,
    living: Bools,
    limit: float,
) -> None:
    """Lowers the outside costs of a cell's end to those of the cell after each context.

    `hooks`, (contexts,), are the rows of the cell after each context, -1 if it never occurs there, and `hook_begins`
    tells where they begin. The pairs of adjacent words within the limit are added to `living`.
    """
    words, charges = task.words, task.charges
    inside, outside, hook_outside = costs
    columns = np.arange(size_of(words, words.last[state]))
    for context in range(len(hooks)):
        if hooks[context] < 0:
            continue
        before, row_begin = _last_word(model, task, context), hook_begins[hooks[context]]
        for row in range(size_of(words, words.first[state])):
            following = words.listed[words.offsets[words.first[state]] + row]
            junction = _word_cost(model, task, context, following) - charges[following]
            if charges[following] < np.inf and junction < np.inf:
                begin = words.begins[state] + row * len(columns)
                _lower(outside, begin, hook_outside, row_begin, columns, True, junction)
                if not living[before, following]:
                    least_sum = _least_sum(inside, begin, columns, True, hook_outside, row_begin)
                    living[before, following] = junction + least_sum <= limit


@jit
def _read_word_back(
    chart: Chart,
    model: ContextModel,
    task: Task,
    inside: Floats,
    lowered: tuple[Floats, Bools],
    step: tuple[int, int],
    limit: float,
) -> None:
    """Lowers the outside costs of the source of a word arc to those of its target plus the word.

    `lowered` holds the outside costs of states, and the pairs of words within the limit; `step` is the source and the
    arc.
    """
    words, (state, arc), (outside, living) = task.words, step, lowered
    target, symbol, cost = chart.targets[arc], chart.symbols[arc], chart.costs[arc]
    column = index_of(words, words.last[target], symbol)
    if column < 0:
        return
    width = size_of(words, words.last[target])
    rows_of = positions_of(words, words.first[state], words.first[target])
    after = _costs_after(model, task, state, symbol)
    for row in range(size_of(words, words.first[state])):
        if rows_of[row] >= 0:
            value = outside[words.begins[target] + rows_of[row] * width + column] + cost
            for index in range(len(after)):
                place = words.begins[state] + row * len(after) + index
                outside[place] = min(outside[place], value + after[index])
                if inside[place] + (value + after[index]) <= limit:
                    living[_last_word(model, task, _context(task, state, index)), symbol] = True


@jit
def _outside(
    chart: Chart,
    model: ContextModel,
    task: Task,
    inside: Floats,
    hooks: Ints,
    hook_begins: Longs,
    rows: Floats,
    limit: float,
) -> tuple[Floats, Floats, Bools]:
    """Finds the outside costs of states and of cells after contexts, and the pairs of words in derivations.

    Returns:
        The outside costs of states, and of cells after contexts (or more where they are beyond the limit); and (words,
        words + 1) bool, which words follow each word in a derivation within the limit.
    """
    words, kept = task.words, task.kept
    num_states, num_cells = len(chart.offsets) - 1, len(chart.starts)
    first, last, begins = words.first, words.last, words.begins
    outside, hook_outside = np.full(len(inside), np.inf), np.full(len(rows), np.inf)
    least, hook_least = np.full(num_states, np.inf), _least_of_rows(rows, hook_begins)
    goal, is_start = chart.ends[num_cells - 1], starts_of_cells(chart)
    cell_of_end = np.full(num_states, -1, dtype=np.int64)
    for cell in range(num_cells - 1):
        cell_of_end[chart.ends[cell]] = cell
    outside[begins[goal]] = 0.0
    living = np.zeros(task.pairs.shape, dtype=np.bool_)
    for state in range(num_states - 1, -1, -1):
        if not kept[state]:
            continue
        num_firsts, num_lasts = size_of(words, first[state]), size_of(words, last[state])
        if cell_of_end[state] >= 0:  # the outside costs of its hooks are complete
            hooks_of_cell = hooks[cell_of_end[state] :: num_cells]
            _meet_back(model, task, (inside, outside, hook_outside), state, hooks_of_cell, hook_begins, living, limit)
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target, symbol, cost = chart.targets[arc], chart.symbols[arc], chart.costs[arc]
            if not least[target] < np.inf:
                continue
            width = size_of(words, last[target])
            cell, end = -2 - symbol, chart.ends[-2 - symbol] if symbol < 0 else 0
            if symbol >= 0:
                if not is_start[state]:
                    _read_word_back(chart, model, task, inside, (outside, living), (state, arc), limit)
                continue
            if not kept[end]:
                continue
            same, columns = last[end] == last[target], positions_of(words, last[end], last[target])
            if is_start[state]:
                rows_of = positions_of(words, first[end], first[target])
                for row in range(len(rows_of)):
                    if rows_of[row] >= 0:
                        begin = begins[target] + rows_of[row] * width
                        _lower_back(outside, begins[end] + row * len(columns), outside, begin, columns, same, cost)
                continue
            rows_of = positions_of(words, first[state], first[target])
            for index in range(num_lasts):
                hook = hooks[_context(task, state, index) * num_cells + cell]
                if hook < 0:
                    continue
                for row in range(num_firsts):
                    place = begins[state] + row * num_lasts + index
                    value = inside[place] + cost
                    if rows_of[row] < 0 or not value + hook_least[hook] + least[target] <= limit:
                        continue
                    begin, behind = begins[target] + rows_of[row] * width, hook_begins[hook]
                    best = _least_sum(outside, begin, columns, same, rows, behind)
                    outside[place] = min(outside[place], best + cost)
                    _lower_back(hook_outside, behind, outside, begin, columns, same, value)
        for place in range(begins[state], begins[state + 1]):
            if inside[place] + outside[place] <= limit:
                least[state] = min(least[state], outside[place])
            else:
                outside[place] = np.inf
    return outside, hook_outside, living


@jit
def dense_outside(dense: Dense, place: int, first: int, last: int) -> float:
    """Returns the outside cost of a state with these words at its borders."""
    words = dense.words
    row, column = index_of(words, words.first[place], first), index_of(words, words.last[place], last)
    if row < 0 or column < 0 or words.begins[place] == words.begins[place + 1]:
        return np.inf
    return dense.outside[words.begins[place] + row * size_of(words, words.last[place]) + column]


@jit
def dense_hook(dense: Dense, context: int, num_known: int, cell: int) -> int:
    """Returns the row of a cell after a context, -1 if it never occurs there."""
    before = dense.contexts[context] if num_known > 1 else context >> 1
    return dense.hooks[before * dense.cells + cell] if before >= 0 else -1


@jit
def dense_hook_outside(dense: Dense, hook: int, end: int, last: int) -> float:
    """Returns the outside cost of a cell's strings (by its end state) after a context that end in a word."""
    column = index_of(dense.words, dense.words.last[end], last)
    return dense.hook_outside[dense.hook_begins[hook] + column] if column >= 0 else np.inf

"""All strings of a lattice aligned with one string, the pivot, by word edit distance: what stands at each of its words.

The strings are aligned together: those that lead to one state with the same row of edit distances go on alike, so a
node is a pair of a state and a row, as in the composition of the lattice with a Levenshtein automaton. From the end
back, the row of a node and that before say how the word between them is aligned. Each string has one alignment, which
follows from the two strings alone: what is summed over the strings does not depend on how the lattice is arranged.

It has the fewest edits, of those alignments the most equal words, and of these skips words of the pivot as late, and
inserts words as early, as can be. Where prefixes have more than `MOST_ROWS` different rows, cells that cost much more
than the best of their row are left out (`LIMITS`); how many rows there are is a property of the strings, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import find_slot, grown, grown_table
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, jit
from lattice_simp.ops.distribution import LEAST, TIE, Distribution

EDIT = 1 << 10
"""The cost of an inserted or skipped word; one replaced by another costs 1 more, so as many as can be match."""

MOST_ROWS = 1 << 13


class _Limits(NamedTuple):
    """Which cells of a row are kept.

    Attributes:
        slack: how much more than the best of the row they cost at most.
        surcharge: of a replaced word, above an edit.
        width: how many columns they are from the best at most.
    """

    slack: int
    surcharge: int
    width: int


LIMITS = (
    _Limits(1 << 28, 1, 1 << 28),
    _Limits(4 * EDIT + EDIT // 2, 1, 1 << 28),
    _Limits(EDIT + EDIT // 2, 1, 1 << 28),
    _Limits(EDIT + EDIT // 2, 0, 3),
)
"""The first that `MOST_ROWS` rows are enough for is taken, or the last, which allows few for each column."""

LEVEL = 10 * TIE
"""Probabilities in a slot whose logs round to the same multiple of it are equal, and their mean is taken."""

_NEVER = 1 << 29

_NODE = np.dtype([("row", np.int32), ("next", np.int32), ("cells", np.int32), ("mass", np.float64)])
"""A row at a state, the next node of the state, its first cell, and the probability of the prefixes that lead to it."""

_EDGE = np.dtype([("source", np.int32), ("target", np.int32), ("arc", np.int32)])

_CELL = np.dtype([("column", np.int32), ("run", np.int32), ("next", np.int32), ("mass", np.float64)])
"""Of a node, the number of the pivot's words before it in some alignments, and how many words they insert next."""

_ENTRY = np.dtype([("key", np.int64), ("mass", np.float64), ("begin", np.float64), ("end", np.float64)])
"""A word in a slot, its probability, and that times when it begins and ends."""


class Pivot(NamedTuple):
    """The string that others are aligned with.

    Attributes:
        words: (words,) int32 of a distribution; -1 for words of no string.
        spans: (words, 2) int64, when each begins and ends in milliseconds: to align words whose common time is less
            than half of their mean length costs an edit more. (0, 2) where times do not count.
    """

    words: Ints
    spans: Longs

    @classmethod
    def untimed(cls, words: Ints) -> Pivot:
        """Returns words without times."""
        return cls(words, np.zeros((0, 2), dtype=np.int64))


class Slots(NamedTuple):
    """The slots of a pivot's words and of those that strings insert between them, from left to right.

    The probabilities of each slot sum to 1. Its most probable word comes first; where several are, the pivot's.

    Attributes:
        slots: (entries,) int64, from 0.
        columns: (entries,) int64, the number of the pivot's word from 1, or 0 for inserted words.
        words: (entries,) int32 of a distribution; 0 for none.
        masses: (entries,) float64, the probability of the word in the slot.
        is_pivot: (entries,) bool, whether the pivot has this word, or none, in this slot.
        spans: (entries, 2) float64, the seconds when the word begins and ends, on average.
    """

    slots: Longs
    columns: Longs
    words: Ints
    masses: Floats
    is_pivot: Bools
    spans: Floats


def align(strings: Distribution, pivot: Pivot, times: Floats | None = None) -> Slots:
    """Returns what the strings have at each word of the pivot, and between them.

    Args:
        strings: of a lattice.
        pivot: the string to align them with.
        times: (arcs, 2) float64 seconds, when each arc begins and ends.
    """
    return _slots(_aligned(strings, pivot, times), pivot, len(strings.arcs.finals), len(strings.words) + 1)


def matched(strings: Distribution, pivot: Ints) -> Floats:
    """Returns the probability of the strings that have a word of the pivot where it is, (len(pivot),)."""
    entries = _aligned(strings, Pivot.untimed(pivot), None)
    columns, words = np.divmod(entries["key"], len(strings.arcs.finals) * (len(strings.words) + 1))
    same = np.append(0, pivot)[columns] == words
    masses = np.zeros(len(pivot))
    masses[columns[same] - 1] = entries["mass"][same]
    return np.minimum(masses, 1.0)


def _aligned(strings: Distribution, pivot: Pivot, times: Floats | None) -> Records:
    spans = np.zeros((len(strings.arcs.labels), 2)) if times is None else times
    letters, table = _letters(strings, pivot, spans)
    entries: Records = _entries_of(strings.arcs, pivot, letters, table, spans, len(strings.words) + 1)
    return entries


@jit
def _entries_of(arcs: Arcs, pivot: Pivot, letters: Ints, table: Longs, times: Floats, words: int) -> Records:
    """Returns the words of each slot by one key: (column * states + words inserted from there on) * words + word."""
    for limits in LIMITS:
        most = MOST_ROWS if limits.surcharge else _NEVER
        product = _product(arcs, pivot, letters, table, limits, most)
        if len(product.nodes):
            break
    return _entries(arcs, pivot, (letters, table, limits.surcharge), product, times, words)


def _letters(strings: Distribution, pivot: Pivot, times: Floats) -> tuple[Ints, Longs]:
    """Returns what rows tell arcs apart by: (arcs,) the letter of each, and (letters, 4) what it is.

    That is whether it is a word, which one if the pivot has it, and when it begins and ends.
    """
    labels = strings.arcs.labels
    numbers = np.zeros(len(strings.words) + 2, dtype=np.int64)  # the last one stands for words of no string
    if not len(pivot.spans):
        held = np.unique(pivot.words)
        numbers[1:] = 1
        numbers[held] = np.arange(2, len(held) + 2)
        table = np.zeros((len(held) + 2, 4), dtype=np.int64)
        table[1:, 0], table[2:, 1] = 1, held
        return numbers[labels].astype(np.int32), table
    numbers[pivot.words] = pivot.words
    spans = np.rint(1000.0 * times).astype(np.int64)
    columns = np.column_stack((labels > 0, numbers[labels], spans)) * (labels > 0)[:, None]
    table, letters = np.unique(columns, axis=0, return_inverse=True)
    return letters.reshape(-1).astype(np.int32), table


def _slots(entries: Records, pivot: Pivot, runs: int, size: int) -> Slots:
    """Returns the slots in order, with the rest for no word where words are inserted."""
    places, words = np.divmod(entries["key"], size)
    columns, inserted = np.divmod(places, runs)
    columns = np.where(inserted, 0, columns)
    places += np.where(inserted, runs - 2 * inserted, 0)  # after the word of the column, the longest runs first
    _, first, slots = np.unique(places, return_index=True, return_inverse=True)
    masses = np.maximum(entries["mass"], LEAST)
    gaps = np.flatnonzero(inserted[first])
    rest = np.maximum(1.0 - np.bincount(slots, weights=masses)[gaps], LEAST)
    none = np.zeros(len(gaps), dtype=np.int64)
    slots, columns, words = np.append(slots, gaps), np.append(columns, none), np.append(words, none)
    spans = np.column_stack((entries["begin"], entries["end"])) / masses[:, None]
    spans = np.concatenate((spans, np.zeros((len(gaps), 2))))
    masses = np.append(masses, rest)
    masses /= np.bincount(slots, weights=masses)[slots]
    is_pivot = words == np.append(0, pivot.words)[columns]
    levels = np.floor(0.0 - np.log(masses) / LEVEL + 0.38).astype(np.int64)  # few probabilities are at its borders
    order = np.lexsort((words, ~is_pivot, levels, slots))
    slots, levels = slots[order], levels[order]
    groups = np.append(0, np.cumsum((np.diff(slots) != 0) | (np.diff(levels) != 0)))[: len(order)]
    masses = (np.bincount(groups, weights=masses[order]) / np.bincount(groups))[groups]
    return Slots(slots, columns[order], words[order].astype(np.int32), masses, is_pivot[order], spans[order])


# ---------------------------------------------------------------- the product


class _Product(NamedTuple):
    """The nodes, the edges between them in the order of their sources' states, and the rows.

    Attributes:
        nodes: (nodes,) records; none if there are too many rows.
        edges: (edges,) records.
        costs: (rows, pivot's words + 1) int32, above the least of the row.
        heads: (states,) int32, the first node of each state, or -1.
    """

    nodes: Records
    edges: Records
    costs: Ints
    heads: Ints


class _Rows(NamedTuple):
    """Different rows, and what letters make of them.

    Attributes:
        costs: (rows, columns) int32, with room for more.
        sizes: (2,) int64, how many rows there are, and how many of their followers are known.
        table: a hash table of their numbers, -1 where free.
        keys, values: a hash table from a row and a letter to the row after.
    """

    costs: Ints
    sizes: Longs
    table: Ints
    keys: Longs
    values: Ints


@jit
def _product(arcs: Arcs, pivot: Pivot, letters: Ints, table: Longs, limits: _Limits, most: int) -> _Product:
    """Finds all nodes from the start on, unless that takes more than `most` rows."""
    rows = _first_row(len(pivot.words) + 1, limits)
    nodes, used = np.empty(2048, dtype=_NODE), 1
    edges, count = np.empty(2048, dtype=_EDGE), 0
    keys, values = np.full(4096, -1, dtype=np.int64), np.empty(4096, dtype=np.int32)
    heads = np.full(len(arcs.finals), -1, dtype=np.int32)
    nodes[0].row, nodes[0].next, nodes[0].cells, nodes[0].mass, heads[0] = 0, -1, -1, 1.0, 0
    for state in range(len(arcs.finals)):
        source = heads[state]
        while source >= 0:
            rows = _with_room(rows, arcs.offsets[state + 1] - arcs.offsets[state])
            for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
                following = np.int64(nodes[source].row)
                if table[letters[arc], 0]:
                    following = _row_after(rows, following, pivot, letters[arc], table, limits)
                    if rows.sizes[0] > most:
                        return _Product(nodes[:0], edges[:0], rows.costs, heads)
                goal = arcs.nextstates[arc]
                key = (following << 32) + goal
                slot = find_slot(keys, key)
                if keys[slot] < 0:
                    if 2 * used >= len(keys):
                        keys, values = grown_table(keys, values)
                        slot = find_slot(keys, key)
                    if used == len(nodes):
                        nodes = grown(nodes)
                    nodes[used].row, nodes[used].next, nodes[used].cells = following, heads[goal], -1
                    nodes[used].mass = 0.0
                    keys[slot], values[slot], heads[goal] = key, used, used
                    used += 1
                target = values[slot]
                nodes[target].mass += max(nodes[source].mass * arcs.weights[arc], LEAST)
                if count == len(edges):
                    edges = grown(edges)
                edges[count].source, edges[count].target, edges[count].arc = source, target, arc
                count += 1
            source = nodes[source].next
    return _Product(nodes[:used], edges[:count], rows.costs, heads)


@jit
def _first_row(columns: int, limits: _Limits) -> _Rows:
    """Returns the row before any word, with room for more."""
    costs, table = np.empty((1024, columns), dtype=np.int32), np.full(4096, -1, dtype=np.int32)
    for column in range(columns):
        costs[0, column] = EDIT * column if EDIT * column <= limits.slack and column <= limits.width else _NEVER
    table[_row_slot(costs, table, costs[0])] = 0
    keys, values = np.full(2048, -1, dtype=np.int64), np.empty(2048, dtype=np.int32)
    count = np.zeros(2, dtype=np.int64)
    count[0] = 1
    return _Rows(costs, count, table, keys, values)


@jit
def _with_room(rows: _Rows, more: int) -> _Rows:
    """Returns the rows with room for more rows and followers."""
    while rows.sizes[0] + more > len(rows.costs):
        rows = _grown_rows(rows)
    while 2 * (rows.sizes[1] + more) > len(rows.keys):
        keys, values = grown_table(rows.keys, rows.values)
        rows = _Rows(rows.costs, rows.sizes, rows.table, keys, values)
    return rows


@jit
def _row_after(rows: _Rows, row: int, pivot: Pivot, letter: int, table: Longs, limits: _Limits) -> np.int64:
    """Returns the number of the row after a letter, which is added if it is new; there must be room for it."""
    key = row * len(table) + letter
    slot = find_slot(rows.keys, key)
    if rows.keys[slot] != key:
        number = rows.sizes[0]
        _advance(rows.costs[row], pivot, table[letter], rows.costs[number], limits)
        place = _row_slot(rows.costs, rows.table, rows.costs[number])
        if rows.table[place] < 0:
            rows.table[place] = number
            rows.sizes[0] += 1
        rows.keys[slot], rows.values[slot] = key, rows.table[place]
        rows.sizes[1] += 1
    return np.int64(rows.values[slot])


@jit
def _grown_rows(rows: _Rows) -> _Rows:
    count = len(rows.costs)
    costs, table = np.empty((2 * count, rows.costs.shape[1]), dtype=np.int32), np.full(8 * count, -1, dtype=np.int32)
    for number in range(rows.sizes[0]):
        for column in range(costs.shape[1]):  # a slice takes seconds to be compiled
            costs[number, column] = rows.costs[number, column]
        table[_row_slot(costs, table, costs[number])] = number
    return _Rows(costs, rows.sizes, table, rows.keys, rows.values)


@jit
def _row_slot(costs: Ints, table: Ints, row: Ints) -> np.int64:
    """Returns where the number of a row is in the table, or the free place for it."""
    mixed = np.uint64(0)
    for column in range(len(row)):
        mixed = (mixed ^ np.uint64(row[column])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mask = len(table) - 1
    slot = np.int64(mixed & np.uint64(mask))
    while table[slot] >= 0:
        same = True
        for column in range(len(row)):
            same = same and costs[table[slot], column] == row[column]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@jit
def _advance(row: Ints, pivot: Pivot, letter: Longs, following: Ints, limits: _Limits) -> None:
    """Writes the row after a letter."""
    cost = least = row[0] + EDIT
    following[0], best = cost, 0
    for column in range(1, len(row)):
        replaced = row[column - 1] + _replaced(pivot, letter, column, limits.surcharge)
        cost = min(min(row[column], cost) + EDIT, replaced)
        following[column] = cost
        if cost <= least:
            least, best = cost, column
    first, last = max(best - limits.width, 0), min(best + limits.width, len(row) - 1)
    while first > 0 and following[first] == following[first - 1] + EDIT:
        first += 1  # its way back is left out
    for column in range(len(row)):
        following[column] -= least
        if following[column] > limits.slack or column < first or column > last:
            following[column] = _NEVER


@jit
def _replaced(pivot: Pivot, letter: Longs, column: int, surcharge: int) -> int:
    """Returns the cost of a letter at the pivot's word of a column."""
    apart = 0
    if len(pivot.spans):
        begin, end = pivot.spans[column - 1]
        common, both = min(end, letter[3]) - max(begin, letter[2]), abs(end - begin) + abs(letter[3] - letter[2])
        if 4 * max(common, 0) < both:
            apart = EDIT
    return apart if pivot.words[column - 1] == letter[1] else EDIT + max(apart, surcharge)


# ---------------------------------------------------------------- the way back


@jit
def _entries(
    arcs: Arcs, pivot: Pivot, letters: tuple[Ints, Longs, int], product: _Product, times: Floats, words: int
) -> Records:
    """Follows the alignments from the end back, node by node."""
    nodes, edges, costs, _ = product
    numbers, table, surcharge = letters
    cells, used = np.empty(256, dtype=_CELL), 0
    tally = _Tally(
        np.empty(256, dtype=_ENTRY),
        np.zeros(1, dtype=np.int64),
        np.full(4096, -1, dtype=np.int64),
        np.empty(4096, dtype=np.int32),
    )
    nowhere = np.zeros(2)
    unit = len(arcs.finals) * words
    for state in range(len(arcs.finals)):
        node = product.heads[state] if arcs.finals[state] > 0.0 else -1
        while node >= 0:
            mass = max(nodes[node].mass * arcs.finals[state], LEAST)
            column = _last_column(costs[nodes[node].row])
            for skipped in range(column + 1, costs.shape[1]):
                tally = _counted(tally, skipped * unit, mass, nowhere)
            cells, used = _passed(nodes, cells, used, node, column, 0, mass)
            node = nodes[node].next
    for edge in range(len(edges) - 1, -1, -1):
        source, target, arc = edges[edge].source, edges[edge].target, edges[edge].arc
        before, after = costs[nodes[source].row], costs[nodes[target].row]
        share = max(nodes[source].mass * arcs.weights[arc], LEAST) / nodes[target].mass
        cell = nodes[target].cells
        while cell >= 0:
            column, run, mass = cells[cell].column, cells[cell].run, max(cells[cell].mass * share, LEAST)
            cell = cells[cell].next
            if arcs.labels[arc] == 0:
                cells, used = _passed(nodes, cells, used, source, column, run, mass)
                continue
            while column > 0 and after[column] == after[column - 1] + EDIT:
                tally = _counted(tally, column * unit, mass, nowhere)
                column, run = column - 1, 0
            replaced = 2 * _NEVER
            if column > 0:
                replaced = before[column - 1] + _replaced(pivot, table[numbers[arc]], column, surcharge)
            if replaced <= before[column] + EDIT and replaced < _NEVER:
                tally = _counted(tally, column * unit + arcs.labels[arc], mass, times[arc])
                cells, used = _passed(nodes, cells, used, source, column - 1, 0, mass)
            else:
                tally = _counted(tally, column * unit + (run + 1) * words + arcs.labels[arc], mass, times[arc])
                cells, used = _passed(nodes, cells, used, source, column, run + 1, mass)
    cell = nodes[0].cells
    while cell >= 0:
        for skipped in range(1, cells[cell].column + 1):
            tally = _counted(tally, skipped * unit, cells[cell].mass, nowhere)
        cell = cells[cell].next
    return tally.entries[: tally.size[0]]


class _Tally(NamedTuple):
    """Entries, and a hash table of their numbers by keys."""

    entries: Records
    size: Longs
    keys: Longs
    values: Ints


@jit
def _counted(tally: _Tally, key: int, mass: float, span: Floats) -> _Tally:
    """Adds a word in a slot."""
    entries, count, keys, values = tally
    slot = find_slot(keys, key)
    if keys[slot] < 0:
        if count[0] == len(entries):
            entries = grown(entries)
            keys, values = grown_table(keys, values)
            slot = find_slot(keys, key)
            tally = _Tally(entries, count, keys, values)
        keys[slot], values[slot] = key, count[0]
        entries[count[0]].key, entries[count[0]].mass = key, 0.0
        entries[count[0]].begin, entries[count[0]].end = 0.0, 0.0
        count[0] += 1
    entry = values[slot]
    entries[entry].mass += mass
    entries[entry].begin += mass * span[0]
    entries[entry].end += mass * span[1]
    return tally


@jit
def _passed(
    nodes: Records, cells: Records, used: int, node: int, column: int, run: int, mass: float
) -> tuple[Records, int]:
    """Adds the probability of alignments to a cell of a node."""
    cell = nodes[node].cells
    while cell >= 0 and (cells[cell].column != column or cells[cell].run != run):
        cell = cells[cell].next
    if cell < 0:
        if used == len(cells):
            cells = grown(cells)
        cell = used
        cells[cell].column, cells[cell].run, cells[cell].next, cells[cell].mass = column, run, nodes[node].cells, 0.0
        nodes[node].cells = cell
        used += 1
    cells[cell].mass += mass
    return cells, used


@jit
def _last_column(row: Ints) -> int:
    """Returns the column from which it costs least to skip the pivot's other words; of several the last."""
    best, least = 0, 2 * _NEVER
    for column in range(len(row)):
        cost = row[column] + EDIT * (len(row) - 1 - column)
        if cost <= least:
            best, least = column, cost
    return best

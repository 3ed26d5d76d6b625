"""Aligns all strings of a lattice with one string, the pivot, by word edit distance: what stands at each of its words.

The strings are aligned together: prefixes that reach one state with the same row of edit distances have the same
continuations, so a node is a pair of a state and a row, as in the composition of the lattice with a Levenshtein
automaton. A backward pass reads the alignment of each word off the rows before and after it. Each string has one
alignment, which depends on the two strings alone, so sums over the strings do not depend on the form of the lattice.

That alignment has the fewest edits, then the most equal words, then skips words of the pivot as late and inserts words
as early as possible. If prefixes have more than `MOST_ROWS` different rows, cells that cost much more than the best of
their row are left out (`LIMITS`); the number of rows depends on the strings alone, too. With the last limits, prefixes
of negligible probability are left out as well: which ones depends on the form of the lattice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import find_slot, grown, grown_table
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, jit
from lattice_simp.ops.distribution import LEAST, TIE, Distribution

EDIT = 1 << 10
"""The cost of an inserted or skipped word; a replaced word costs 1 more, so that as many words as possible match."""

MOST_ROWS = 1 << 13


class _Limits(NamedTuple):
    """Which cells of a row are kept.

    Attributes:
        slack: the greatest difference in cost from the best cell of the row.
        surcharge: the cost of a replaced word above that of an edit.
        width: the greatest distance from the best cell in columns.
        share: the least probability of a row at a state, as a share of that of the state's most probable row. Without
            it, long strings have rows for any number of words that prefixes may have skipped.
    """

    slack: int
    surcharge: int
    width: int
    share: float


LIMITS = (
    _Limits(1 << 28, 1, 1 << 28, 0.0),
    _Limits(4 * EDIT + EDIT // 2, 1, 1 << 28, 0.0),
    _Limits(EDIT + EDIT // 2, 1, 1 << 28, 0.0),
    _Limits(EDIT + EDIT // 2, 0, 3, 1e-15),
)
"""The first limits with at most `MOST_ROWS` rows apply, else the last, which allow only a few rows for each column."""

LEVEL = 10 * TIE
"""Probabilities in a slot whose logs round to the same multiple of `LEVEL` count as equal; each becomes their mean."""

_NEVER = 1 << 29
_ROOM = 1024
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

_NODE = np.dtype([("row", np.int32), ("next", np.int32), ("cells", np.int32), ("mass", np.float64)])
"""A row at a state, the next node of the state, its first cell, and the probability of the prefixes that lead to it."""

_EDGE = np.dtype([("source", np.int32), ("target", np.int32), ("arc", np.int32)])

_CELL = np.dtype([("column", np.int32), ("run", np.int32), ("next", np.int32), ("mass", np.float64)])
"""Alignments at a node: how many words of the pivot are before it, how many words are inserted next, the next cell of
the node, and the probability of these alignments."""

_ENTRY = np.dtype(
    [("key", np.int64), ("mass", np.float64), ("begin", np.float64), ("end", np.float64), ("most", np.float64)]
)
"""A word in a slot (for the key, see `_entries_of`), its probability, the products of that with its times, and its
latest begin."""


class Pivot(NamedTuple):
    """The string that others are aligned with.

    Attributes:
        words: (words,) int32 of a distribution; -1 for words of no string.
        spans: (words, 2) int64, when each begins and ends in milliseconds: to align words whose common time is less
            than half of their mean length costs another edit. (0, 2) without times.
    """

    words: Ints
    spans: Longs

    @classmethod
    def untimed(cls, words: Ints) -> Pivot:
        """Returns words without times."""
        return cls(words, np.zeros((0, 2), dtype=np.int64))


class Slots(NamedTuple):
    """The slots of a pivot's words and of those that strings insert between them, from left to right.

    The probabilities of each slot sum to 1. Its most probable word comes first; of ties, the pivot's word.

    Attributes:
        slots: (entries,) int64, from 0.
        columns: (entries,) int64, the number of the pivot's word from 1, or 0 for inserted words.
        words: (entries,) int32 of a distribution; 0 for none.
        masses: (entries,) float64, the probability of the word in the slot.
        is_pivot: (entries,) bool, whether the pivot has this word, or none, in this slot.
        spans: (entries, 2) float64, the seconds when the word begins and ends, or other values, on average.
        most: (entries,) float64, the maximum of the first value, at least 0.
    """

    slots: Longs
    columns: Longs
    words: Ints
    masses: Floats
    is_pivot: Bools
    spans: Floats
    most: Floats


def align(strings: Distribution, pivot: Pivot, times: Floats | None = None, values: Floats | None = None) -> Slots:
    """Returns the words that the strings have at each word of the pivot, and between its words.

    Args:
        strings: the strings of a lattice.
        pivot: the string to align them with.
        times: (arcs, 2) float64 seconds, when each arc begins and ends; only for a pivot with times.
        values: (arcs, 2) float64, the values to average in place of the times.
    """
    entries = _aligned(strings, pivot, times, values)
    return _slots(entries, pivot, len(strings.arcs.finals), len(strings.words) + 1)


def matched(strings: Distribution, pivot: Ints) -> Floats:
    """Returns the probability of the strings that have the same word where they align with the pivot, (len(pivot),)."""
    entries = _aligned(strings, Pivot.untimed(pivot))
    columns, words = np.divmod(entries["key"], len(strings.arcs.finals) * (len(strings.words) + 1))
    same = np.append(0, pivot)[columns] == words
    masses = np.zeros(len(pivot))
    masses[columns[same] - 1] = entries["mass"][same]
    return np.minimum(masses, 1.0)


def _aligned(strings: Distribution, pivot: Pivot, times: Floats | None = None, values: Floats | None = None) -> Records:
    spans = np.zeros((len(strings.arcs.labels), 2)) if times is None else times
    letters, table = _letters(strings, pivot, spans)
    values = spans if values is None else values
    entries: Records = _entries_of(strings.arcs, pivot, letters, table, values, len(strings.words) + 1)
    return entries


@jit
def _entries_of(arcs: Arcs, pivot: Pivot, letters: Ints, table: Longs, times: Floats, words: int) -> Records:
    """Returns the entries; their key is (column * states + words inserted from there on) * words + word."""
    for limits in LIMITS:
        most = MOST_ROWS if limits.surcharge else _NEVER
        product = _product(arcs, pivot, letters, table, limits, most)
        if len(product.nodes):
            break
    return _entries(arcs, pivot, (letters, table, limits.surcharge), product, times, words)


def _letters(strings: Distribution, pivot: Pivot, times: Floats) -> tuple[Ints, Longs]:
    """Returns the letter of each arc, (arcs,), and the letters, (letters, 4): rows do not tell other arcs apart.

    A letter is whether it is a word, which one if the pivot has it, and when it begins and ends (ms, with times).
    """
    labels = strings.arcs.labels
    numbers = np.zeros(len(strings.words) + 2, dtype=np.int64)  # the last one is for words that no string has
    if not len(pivot.spans):
        words = np.unique(pivot.words)
        numbers[1:] = 1
        numbers[words] = np.arange(2, len(words) + 2)
        table = np.zeros((len(words) + 2, 4), dtype=np.int64)
        table[1:, 0], table[2:, 1] = 1, words
        return numbers[labels].astype(np.int32), table
    numbers[pivot.words] = pivot.words
    spans = np.rint(1000.0 * times).astype(np.int64)
    columns = np.column_stack((labels > 0, numbers[labels], spans)) * (labels > 0)[:, None]
    table, letters = np.unique(columns, axis=0, return_inverse=True)
    return letters.reshape(-1).astype(np.int32), table


def _slots(entries: Records, pivot: Pivot, runs: int, size: int) -> Slots:
    """Returns the slots in order; where words are inserted, the rest of the probability is that of no word."""
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
    most = np.append(entries["most"], np.zeros(len(gaps)))
    masses = np.append(masses, rest)
    masses /= np.bincount(slots, weights=masses)[slots]
    is_pivot = words == np.append(0, pivot.words)[columns]
    levels = np.floor(0.0 - np.log(masses) / LEVEL + 0.38).astype(np.int64)  # few probabilities are at its borders
    order = np.lexsort((words, ~is_pivot, levels, slots))
    slots, levels = slots[order], levels[order]
    groups = np.append(0, np.cumsum((np.diff(slots) != 0) | (np.diff(levels) != 0)))[: len(order)]
    masses = (np.bincount(groups, weights=masses[order]) / np.bincount(groups))[groups]
    words = words[order].astype(np.int32)
    return Slots(slots, columns[order], words, masses, is_pivot[order], spans[order], most[order])


# ---------------------------------------------------------------- the product


class _Product(NamedTuple):
    """The nodes, the edges between them in the order of their sources' states, and the rows.

    Attributes:
        nodes: (nodes,) records; empty if there are too many rows.
        edges: (edges,) records.
        rows: the rows.
        heads: (states,) int32, the first node of each state, or -1.
    """

    nodes: Records
    edges: Records
    rows: _Rows
    heads: Ints


class _Rows(NamedTuple):
    """The distinct rows. (Few arrays, since each takes time when the tuple is passed to a function.)

    Attributes:
        costs: int32, above the least of the row: the cells of the rows' bands, row after row, with room for more.
        bands: (rows + 1, 3) int64 with room for more, the first and the last column that is not `_NEVER`, and where in
            `costs` the first one is; of the row that follows, only that place is known.
        marks: (rows,) uint64, hashes of the rows.
        table: a hash table of their numbers, -1 where free.
    """

    costs: Ints
    bands: Longs
    marks: npt.NDArray[np.uint64]
    table: Ints


@jit
def _product(arcs: Arcs, pivot: Pivot, letters: Ints, table: Longs, limits: _Limits, most: int) -> _Product:
    """Finds all nodes from the start on, unless that takes more than `most` rows."""
    rows, num_rows = _first_row(len(pivot.words) + 1, limits), 1
    row_keys, row_values, followers = np.full(2048, -1, dtype=np.int64), np.empty(2048, dtype=np.int32), 0
    nodes, used = np.empty(2048, dtype=_NODE), 1
    edges, count = np.empty(2048, dtype=_EDGE), 0
    keys, values = np.full(4096, -1, dtype=np.int64), np.empty(4096, dtype=np.int32)
    heads = np.full(len(arcs.finals), -1, dtype=np.int32)
    nodes[0].row, nodes[0].next, nodes[0].cells, nodes[0].mass, heads[0] = 0, -1, -1, 1.0, 0
    for state in range(len(arcs.finals)):
        more = _length(nodes, heads[state]) * (arcs.offsets[state + 1] - arcs.offsets[state])
        while used + more > len(nodes):  # not in the loop, which would copy arrays that it may replace in each round
            nodes = grown(nodes)
        while count + more > len(edges):
            edges = grown(edges)
        while 2 * (used + more) > len(keys):
            keys, values = grown_table(keys, values)
        while 2 * (followers + more) > len(row_keys):
            row_keys, row_values = grown_table(row_keys, row_values)
        new_rows = min(more, most + 1 - num_rows)
        cells = rows.bands[num_rows, 2] + new_rows * (len(pivot.words) + 1)
        while num_rows + new_rows > len(rows.marks) or cells > len(rows.costs):
            rows = _grown_rows(rows, num_rows, num_rows + new_rows, cells)
        source, least = heads[state], limits.share * _greatest_mass(nodes, heads[state])
        while source >= 0:
            is_kept = nodes[source].mass >= least
            for arc in range(arcs.offsets[state], arcs.offsets[state + 1] if is_kept else arcs.offsets[state]):
                following = np.int64(nodes[source].row)
                if table[letters[arc], 0]:
                    key = following * len(table) + letters[arc]
                    slot = find_slot(row_keys, key)
                    if row_keys[slot] < 0:
                        following = _row_after(rows, num_rows, following, pivot, letters[arc], table, limits)
                        num_rows += following == num_rows
                        if num_rows > most:
                            return _Product(nodes[:0], edges[:0], rows, heads)
                        row_keys[slot], row_values[slot] = key, following
                        followers += 1
                    following = np.int64(row_values[slot])
                goal = arcs.nextstates[arc]
                key = (following << 32) + goal
                slot = find_slot(keys, key)
                if keys[slot] < 0:
                    nodes[used].row, nodes[used].next, nodes[used].cells = following, heads[goal], -1
                    nodes[used].mass = 0.0
                    keys[slot], values[slot], heads[goal] = key, used, used
                    used += 1
                target = values[slot]
                nodes[target].mass += max(nodes[source].mass * arcs.weights[arc], LEAST)
                edges[count].source, edges[count].target, edges[count].arc = source, target, arc
                count += 1
            source = nodes[source].next
    return _Product(nodes[:used], edges[:count], rows, heads)


@jit
def _first_row(columns: int, limits: _Limits) -> _Rows:
    """Returns rows with the one before any word, and room for more."""
    costs, bands = np.empty(_ROOM * columns, dtype=np.int32), np.empty((_ROOM + 1, 3), dtype=np.int64)
    last = min(columns - 1, limits.slack // EDIT, limits.width)
    for column in range(last + 1):
        costs[column] = EDIT * column
    bands[0, 0], bands[0, 1], bands[0, 2], bands[1, 2] = 0, last, 0, last + 1
    rows = _Rows(costs, bands, np.empty(_ROOM, dtype=np.uint64), np.full(4 * _ROOM, -1, dtype=np.int32))
    rows.marks[0] = _mark(rows, 0)
    rows.table[_free_slot(rows.table, rows.marks[0])] = 0
    return rows


@jit
def _row_after(rows: _Rows, new: int, row: int, pivot: Pivot, letter: int, table: Longs, limits: _Limits) -> np.int64:
    """Returns the number of the row after a letter: an equal row's, else `new`, for which there must be room."""
    _advance(rows, new, row, pivot, letter, table, limits)
    rows.marks[new] = _mark(rows, new)
    place = _row_slot(rows, new)
    if rows.table[place] < 0:
        rows.table[place] = new
    return np.int64(rows.table[place])


@jit
def _length(records: Records, first: int) -> int:
    """Returns the length of the linked list of nodes or cells that begins with `first`."""
    count = 0
    while first >= 0:
        count, first = count + 1, records[first].next
    return count


@jit
def _greatest_mass(nodes: Records, first: int) -> float:
    """Returns the greatest probability in the linked list of nodes that begins with `first`."""
    greatest = 0.0
    while first >= 0:
        greatest, first = max(greatest, nodes[first].mass), nodes[first].next
    return greatest


@jit
def _grown_rows(rows: _Rows, num_rows: int, most: int, most_cells: int) -> _Rows:
    """Doubles the room of the rows, or of their cells, where it is less than asked for."""
    room = len(rows.marks) * (2 if len(rows.marks) < most else 1)
    cells = len(rows.costs) * (2 if len(rows.costs) < most_cells else 1)
    costs, bands = np.empty(cells, dtype=np.int32), np.empty((room + 1, 3), dtype=np.int64)
    longer = _Rows(costs, bands, np.empty(room, dtype=np.uint64), np.full(4 * room, -1, dtype=np.int32))
    for cell in range(rows.bands[num_rows, 2]):  # a slice takes seconds to be compiled
        costs[cell] = rows.costs[cell]
    for number in range(num_rows):
        bands[number, 0], bands[number, 1] = rows.bands[number, 0], rows.bands[number, 1]
        bands[number + 1, 2] = rows.bands[number + 1, 2]
        longer.marks[number] = rows.marks[number]
        longer.table[_free_slot(longer.table, rows.marks[number])] = number
    bands[0, 2] = 0
    return longer


@jit
def _cost(costs: Ints, bands: Longs, number: int, column: int) -> np.int64:
    """Returns the cost of a cell of a row: `_NEVER` outside its band."""
    begin, end, place = bands[number, 0], bands[number, 1], bands[number, 2]
    return np.int64(costs[place + column - begin] if begin <= column <= end else _NEVER)


@jit
def _mark(rows: _Rows, number: int) -> np.uint64:
    """Returns a hash of a row."""
    total = np.uint64(0)
    begin, place = rows.bands[number, 0], rows.bands[number, 2]
    for column in range(begin, rows.bands[number, 1] + 1):
        total += np.uint64(rows.costs[place + column - begin]) * (np.uint64(column + 1) * _FACTOR)
    return _mixed(total)


@jit
def _mixed(number: np.uint64) -> np.uint64:
    """Mixes the bits of a number (the last steps of SplitMix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@jit
def _row_slot(rows: _Rows, number: int) -> np.int64:
    """Returns the slot of an equal row in the table, or the free slot for it.

    (It has one caller, so the compiler inlines it.)
    """
    mask = len(rows.table) - 1
    slot = np.int64(rows.marks[number] & np.uint64(mask))
    begin, end, place = rows.bands[number, 0], rows.bands[number, 1], rows.bands[number, 2]
    while rows.table[slot] >= 0:
        candidate = rows.table[slot]
        same = (
            rows.marks[candidate] == rows.marks[number]
            and rows.bands[candidate, 0] == begin
            and rows.bands[candidate, 1] == end
        )
        if same:
            shift = rows.bands[candidate, 2] - place
            for cell in range(place, place + end + 1 - begin):
                same = same and rows.costs[cell + shift] == rows.costs[cell]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@jit
def _free_slot(table: Ints, mark: np.uint64) -> np.int64:
    """Returns the free slot in the table for a row that is not in it."""
    mask = len(table) - 1
    slot = np.int64(mark & np.uint64(mask))
    while table[slot] >= 0:
        slot = (slot + 1) & mask
    return slot


@jit
def _advance(rows: _Rows, new: int, number: int, pivot: Pivot, letter: int, table: Longs, limits: _Limits) -> None:
    """Writes the row after a letter.

    It keeps no cells before the band of the row `number`, nor from where skipping further words of the pivot costs too
    much. (Views of rows would take longer, because their references are counted.)
    """
    costs, bands, columns = rows.costs, rows.bands, len(pivot.words) + 1
    begin, end, cells = bands[number, 0], bands[number, 1], bands[new, 2] - bands[number, 0]
    source = bands[number, 2] - begin
    above = np.int64(costs[source + begin])
    cost = least = above + EDIT
    costs[cells + begin], best, stop = cost, begin, begin + 1
    while stop < columns and (stop <= end + 1 or cost - least <= limits.slack):
        replaced = above + _replaced(pivot, table, letter, stop, limits.surcharge)
        above = np.int64(costs[source + stop]) if stop <= end else np.int64(_NEVER)
        cost = min(min(above, cost) + EDIT, replaced)
        costs[cells + stop] = cost
        if cost <= least:
            least, best = cost, stop
        stop += 1
    first, last = max(best - limits.width, begin), min(best + limits.width, stop - 1)
    while first > begin and costs[cells + first] == costs[cells + first - 1] + EDIT:
        first += 1  # its backtrace leads to a cell that is left out
    while costs[cells + first] - least > limits.slack:
        first += 1
    while costs[cells + last] - least > limits.slack:
        last -= 1
    for column in range(first, last + 1):
        cost = costs[cells + column] - least
        costs[cells + begin + column - first] = cost if cost <= limits.slack else _NEVER
    bands[new, 0], bands[new, 1], bands[new + 1, 2] = first, last, bands[new, 2] + last + 1 - first


@jit
def _replaced(pivot: Pivot, table: Longs, letter: int, column: int, surcharge: int) -> int:
    """Returns the cost of aligning a letter with the pivot's word of a column."""
    apart = 0
    if len(pivot.spans):
        begin, end = pivot.spans[column - 1, 0], pivot.spans[column - 1, 1]
        first, last = table[letter, 2], table[letter, 3]
        common, total = min(end, last) - max(begin, first), abs(end - begin) + abs(last - first)
        if 4 * max(common, 0) < total:
            apart = EDIT
    return apart if pivot.words[column - 1] == table[letter, 1] else EDIT + max(apart, surcharge)


# ---------------------------------------------------------------- the way back


@jit
def _entries(
    arcs: Arcs, pivot: Pivot, letters: tuple[Ints, Longs, int], product: _Product, times: Floats, words: int
) -> Records:
    """Traces the alignments back from the end, node by node; returns the entries."""
    nodes, edges, rows, _ = product
    columns = len(pivot.words) + 1
    cells, used = np.empty(256, dtype=_CELL), 0
    tally = _Tally(
        np.empty(256, dtype=_ENTRY),
        np.zeros(1, dtype=np.int64),
        np.full(4096, -1, dtype=np.int64),
        np.empty(4096, dtype=np.int32),
    )
    unit = len(arcs.finals) * words
    for state in range(len(arcs.finals)):
        node = product.heads[state] if arcs.finals[state] > 0.0 else -1
        while node >= 0:
            mass = max(nodes[node].mass * arcs.finals[state], LEAST)
            tally, cells = _with_room(tally, cells, used, 1, columns)
            column = _last_column(rows, nodes[node].row, columns)
            for skipped in range(column + 1, columns):
                _counted(tally.entries, tally.size, tally.keys, tally.values, skipped * unit, mass, 0.0, 0.0)
            used = _passed(nodes, cells, used, node, column, 0, mass)
            node = nodes[node].next
    edge = len(edges) - 1
    while edge >= 0:  # the inner loop stops where room is needed: it would copy arrays that it may replace
        tally, cells = _with_room(tally, cells, used, _length(cells, nodes[edges[edge].target].cells), columns)
        edge, used = _followed(arcs, pivot, letters, product, times, (words, edge, used), tally, cells)
    tally, cells = _with_room(tally, cells, used, 1, columns)
    cell = nodes[0].cells
    while cell >= 0:
        for skipped in range(1, cells[cell].column + 1):
            _counted(tally.entries, tally.size, tally.keys, tally.values, skipped * unit, cells[cell].mass, 0.0, 0.0)
        cell = cells[cell].next
    return tally.entries[: tally.size[0]]


@jit
def _followed(
    arcs: Arcs,
    pivot: Pivot,
    letters: tuple[Ints, Longs, int],
    product: _Product,
    times: Floats,
    state: tuple[int, int, int],
    tally: _Tally,
    cells: Records,
) -> tuple[int, int]:
    """Follows edges backwards while there is room; returns the next edge and the number of cells.

    Args:
        arcs, pivot, letters, product, times: as in `_entries`.
        state: the number of words, the first edge, and the number of cells.
        tally, cells: the entries and cells to add to.
    """
    nodes, edges, rows, _ = product
    costs, bands = rows.costs, rows.bands
    numbers, table, surcharge = letters
    words, edge, used = state
    entries, size, keys, values = tally
    unit = len(arcs.finals) * words
    while edge >= 0:
        source, target, arc = edges[edge].source, edges[edge].target, edges[edge].arc
        cell = nodes[target].cells
        more = _length(cells, cell)
        if used + more > len(cells) or size[0] + more * (len(pivot.words) + 2) > len(entries):
            break
        before, after = nodes[source].row, nodes[target].row
        share = max(nodes[source].mass * arcs.weights[arc], LEAST) / nodes[target].mass
        label = arcs.labels[arc]
        while cell >= 0:
            column, run, mass = cells[cell].column, cells[cell].run, max(cells[cell].mass * share, LEAST)
            cell = cells[cell].next
            if label:
                cost = _cost(costs, bands, after, column)
                while column > 0 and cost == _cost(costs, bands, after, column - 1) + EDIT:
                    _counted(entries, size, keys, values, column * unit, mass, 0.0, 0.0)
                    column, run, cost = column - 1, 0, cost - EDIT
                replaced = 2 * _NEVER
                if column > 0:
                    replaced = _cost(costs, bands, before, column - 1) + _replaced(
                        pivot, table, numbers[arc], column, surcharge
                    )
                is_replaced = replaced <= _cost(costs, bands, before, column) + EDIT and replaced < _NEVER
                run = 0 if is_replaced else run + 1
                _counted(
                    entries, size, keys, values, column * unit + run * words + label, mass, times[arc, 0], times[arc, 1]
                )
                column -= is_replaced
            used = _passed(nodes, cells, used, source, column, run, mass)
        edge -= 1
    return edge, used


class _Tally(NamedTuple):
    """Entries, and a hash table of their numbers by keys."""

    entries: Records
    size: Longs
    keys: Longs
    values: Ints


@jit
def _with_room(tally: _Tally, cells: Records, used: int, more: int, columns: int) -> tuple[_Tally, Records]:
    """Returns the tally and the cells with room for what `more` cells of a node can add."""
    while used + more > len(cells):
        cells = grown(cells)
    most = tally.size[0] + more * (columns + 1)
    if most > len(tally.entries):
        entries, keys, values = tally.entries, tally.keys, tally.values
        while most > len(entries):
            entries = grown(entries)
        while 2 * len(entries) > len(keys):
            keys, values = grown_table(keys, values)
        tally = _Tally(entries, tally.size, keys, values)
    return tally, cells


@jit
def _counted(
    entries: Records, count: Longs, keys: Longs, values: Ints, key: int, mass: float, begin: float, end: float
) -> None:
    """Adds probability to a word in a slot; there must be room."""
    slot = find_slot(keys, key)
    if keys[slot] < 0:
        keys[slot], values[slot] = key, count[0]
        entries[count[0]].key, entries[count[0]].mass = key, 0.0
        entries[count[0]].begin, entries[count[0]].end, entries[count[0]].most = 0.0, 0.0, 0.0
        count[0] += 1
    entry = values[slot]
    entries[entry].mass += mass
    entries[entry].begin += mass * begin
    entries[entry].end += mass * end
    entries[entry].most = max(entries[entry].most, begin)


@jit
def _passed(nodes: Records, cells: Records, used: int, node: int, column: int, run: int, mass: float) -> int:
    """Adds the probability of alignments to a cell of a node; returns the number of cells. There must be room."""
    cell = nodes[node].cells
    while cell >= 0 and (cells[cell].column != column or cells[cell].run != run):
        cell = cells[cell].next
    if cell < 0:
        cell = used
        cells[cell].column, cells[cell].run, cells[cell].next, cells[cell].mass = column, run, nodes[node].cells, 0.0
        nodes[node].cells = cell
        used += 1
    cells[cell].mass += mass
    return used


@jit
def _last_column(rows: _Rows, row: int, columns: int) -> int:
    """Returns the column with the least cost if the rest of the pivot is skipped; of ties the last."""
    best, least = 0, 2 * _NEVER
    for column in range(rows.bands[row, 0], rows.bands[row, 1] + 1):
        cost = rows.costs[rows.bands[row, 2] + column - rows.bands[row, 0]] + EDIT * (columns - 1 - column)
        if cost <= least:
            best, least = column, cost
    return best

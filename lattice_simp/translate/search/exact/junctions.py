"""The words at the borders of strings, and their costs where strings meet: tables of an unfinished forest."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats, Longs, jit
from lattice_simp.core.records import NONE, SMALLEST, Table, added, empty_table, enter, find
from lattice_simp.translate.search.exact.bounds import Bounds
from lattice_simp.translate.search.exact.context_model import ContextModel, lower_state, open_context, read, relaxed
from lattice_simp.translate.search.exact.forest import (
    BORDERS,
    EMPTY,
    JUNCTIONS,
    LONGEST,
    PARTS,
    PREFIX,
    PREFIXES,
    TRANSITIONS,
    WHOLE,
    Pools,
)


def first_prefixes(root: int) -> Table:
    """Returns the table of the prefixes `EMPTY` and `WHOLE`."""
    table = empty_table(PREFIX)
    table.rows[EMPTY] = (NONE, NONE, 0, root, 0.0)
    table.rows[WHOLE] = (NONE, NONE, LONGEST, root, 0.0)
    return table


def with_words(prefixes: Table, charges: Floats) -> Table:
    """Returns the prefixes `EMPTY` and `WHOLE`, and a prefix for each word with a finite charge."""
    words = np.flatnonzero(charges < np.inf)
    table = empty_table(PREFIX, max(SMALLEST, len(words) + 2))
    table.rows[:2] = prefixes.rows[:2]
    rows = table.rows[2 : len(words) + 2]
    rows["parent"], rows["word"], rows["length"], rows["state"], rows["charge"] = EMPTY, words, 1, words, charges[words]
    _enter(table, (np.int64(EMPTY) << 32) + words, 2)
    return table


@jit
def _enter(table: Table, keys: Longs, first: int) -> None:
    """Writes the keys of the records from `first` on."""
    for index in range(len(keys)):
        enter(table.slots, keys[index], first + index)


@jit
def _relaxed(model: ContextModel, bounds: Bounds, context: int, word: int) -> float:
    """Returns the cost of `relaxed`, or infinity for pairs of words that the matrices exclude."""
    if bounds.dense.cells > 0:
        pair = bounds.dense.pairs[model.word[context >> 1], word]
        if not pair < np.inf or (context & 1 == 1 and model.level[context >> 1] == 1):
            return pair
    return relaxed(model, context, word)


@jit
def _transition(model: ContextModel, bounds: Bounds, pools: Pools, context: int, word: int) -> int:
    """Finds or adds the transition by a word after a context."""
    table = pools.transitions
    key = (np.int64(context) << 32) + word
    number = find(table, key)
    if number >= 0:
        return number
    number = added(table, key, pools.used, TRANSITIONS)
    row = table.rows[number]
    row.context, row.word = context, word
    row.cost = _relaxed(model, bounds, context, word)
    row.matched = row.next = len(model.suffix) - 1
    if word != model.final:
        row.matched, _ = read(model, context, word)
        row.next = lower_state(model, row.matched, model.order)
    return number


@jit
def _longer_prefix(model: ContextModel, bounds: Bounds, pools: Pools, prefix: int, word: int) -> int:
    """Returns the prefix with one more word; `NONE` if no derivation within the bounds begins with it."""
    table = pools.prefixes
    key = (np.int64(prefix) << 32) + word
    number = find(table, key)
    length, dense = table.rows[prefix].length, bounds.dense.cells > 0
    if number >= 0 or length < model.order - 2 or (dense and length == 0):
        return number
    context = open_context(model, table.rows[prefix].state, length)
    if dense:  # as the matrices charge the word
        cost = _relaxed(model, bounds, context, word)
    else:
        coarse = find(bounds.transitions, (np.int64(context) << 32) + word)
        cost = bounds.transitions.rows[coarse].cost if coarse >= 0 else np.inf
    if not cost < np.inf:
        return NONE
    number = added(table, key, pools.used, PREFIXES)
    row = table.rows[number]
    row.parent, row.word, row.length = prefix, word, length + 1
    row.state, _ = read(model, context, word)
    row.charge = table.rows[prefix].charge + cost
    return number


@jit
def border_of(model: ContextModel, bounds: Bounds, pools: Pools, left: int, right: int) -> int:
    """Finds or adds a border."""
    table = pools.borders
    key = (np.int64(left) << 32) + right + 1
    number = find(table, key)
    if number >= 0:
        return number
    number = added(table, key, pools.used, BORDERS)
    row = table.rows[number]
    row.left, row.right = left, right
    row.coarse = row.first = row.last = NONE
    if bounds.dense.cells == 0:
        row.coarse = coarse_border(model, bounds, pools, left, right, False)
    elif left != EMPTY:
        prefixes = pools.prefixes.rows
        row.last = prefixes[left].word if right == NONE else lower_state(model, right, 2)
        if left != WHOLE:
            while prefixes[left].length > 1:
                left = prefixes[left].parent
            row.first = prefixes[left].word
    return number


@jit
def coarse_border(model: ContextModel, bounds: Bounds, pools: Pools, left: int, right: int, behind: bool) -> int:
    """Returns the border one order lower; `behind` is whether it belongs to a hook after a full context there."""
    if bounds.order == 0:
        return NONE
    length = model.order - 2
    prefixes = pools.prefixes.rows
    if right == NONE and prefixes[left].length >= length:
        right = prefixes[left].state
    if right != NONE:
        right = lower_state(model, right, model.order - 1)
    if behind:
        left = WHOLE
    elif left != WHOLE and prefixes[left].length > length:
        left = prefixes[left].parent
    return find(bounds.borders, (np.int64(left) << 32) + right + 1)


@jit
def junction_of(model: ContextModel, bounds: Bounds, pools: Pools, context: int, prefix: int, word: int) -> int:
    """Finds or adds the junction of words with a context.

    The words are a prefix that has been charged, or, if `word` is not `NONE`, that word. `context` is `2 * context`, or
    `2 * prefix + 1` if that prefix is the whole string before.
    """
    table = pools.junctions
    key = (np.int64(context) << 32) + (2 * prefix if word == NONE else 2 * word + 1)
    number = find(table, key)
    if number >= 0:
        return number
    prefixes = pools.prefixes.rows
    number = added(table, key, pools.used, JUNCTIONS)
    row = table.rows[number]
    full = model.order - 1
    left, before = (context >> 1, NONE) if context & 1 else (WHOLE, context >> 1)
    right = lower_state(model, before >> 1, model.order) if before != NONE else NONE
    row.begin, row.fixed = pools.used[PARTS], 0.0
    row.cost = 0.0
    count = 1 if word != NONE else prefixes[prefix].length
    if word == NONE:
        row.fixed = -prefixes[prefix].charge
    for index in range(count):
        following = word
        if word == NONE:
            at = prefix
            for _ in range(count - 1 - index):
                at = prefixes[at].parent
            following = prefixes[at].word
        if before == NONE:
            charged = prefixes[left].charge
            left = _longer_prefix(model, bounds, pools, left, following)
            if left == NONE:
                row.cost = np.inf
                break
            row.fixed += prefixes[left].charge - charged
            if prefixes[left].length >= full:
                right = prefixes[left].state
                before = open_context(model, right, full)
        else:
            part = _transition(model, bounds, pools, before, following)
            pools.junction_transitions[pools.used[PARTS]] = part
            pools.used[PARTS] += 1
            row.cost += pools.transitions.rows[part].cost
            right = pools.transitions.rows[part].next
            before = open_context(model, right, full)
    row.cost += row.fixed
    row.end = pools.used[PARTS]
    row.left, row.right = left, right
    return number

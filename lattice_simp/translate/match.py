"""Which source patterns match where: a bottom-up chart over the sentence (CYK+ with dotted items, Chiang 2007).

Spans are filled from the right end of the sentence to the left, and from short to long, so that every cell a gap
may stand on is complete when it is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Bools, Ints, Longs, Records, inlined, jit
from lattice_simp.translate.grammar import Grammar

Bytes3 = np.ndarray[tuple[int, int, int], np.dtype[np.int8]]
_GAPS = [(name, np.int32) for name in ("begin", "end", "second_begin", "second_end")]
"""The spans of the first and the second source gap, -1 where there is none."""

_ITEM = np.dtype([("node", np.int32), ("next", np.int32), *_GAPS])
"""A dotted item: the trie node of what was matched so far, and the next item whose dot is at the same place."""

_MATCH = np.dtype([(name, np.int32) for name in ("pattern", "left", "start", "last")] + _GAPS)

COPY = -1
"""The pattern of a token that is passed through."""


@dataclass(frozen=True)
class Matches:
    """All matches of a grammar's patterns in one sentence.

    Attributes:
        pattern: (matches,) int32; COPY where a token stands for itself.
        left: (matches,) int32, the left-hand side.
        span: (matches, 2) int32, the tokens covered, end exclusive.
        gaps: (matches, 4) int32, the spans of the first and the second source gap; -1 where there is none.
        gap_left: (matches, 2) int32, the non-terminals of the gaps; -1 where there is none.
        complete: (non-terminals, n + 1, n + 1) int8, whether a cell has a match.
    """

    pattern: Ints
    left: Ints
    span: Ints
    gaps: Ints
    gap_left: Ints
    complete: Bytes3


def match(grammar: Grammar, sentence: Ints, max_span: int, given: Sequence[tuple[int, int, int]] = ()) -> Matches:
    """Finds every match that covers at most `max_span` tokens.

    `sentence` holds source word ids; a token that the grammar does not know has any id beyond its table. A token
    that no rule translates alone gets a match of the pattern `COPY` for every non-terminal. `given` lists cells
    (non-terminal, begin, end) that are complete whatever the rules say.
    """
    length = len(sentence)
    present = np.zeros((len(grammar.nonterminals), length + 1, length + 1), dtype=np.int8)
    for cell in given:
        present[cell] = 1
    copied = untranslated(grammar, sentence)
    for token in np.flatnonzero(copied).tolist():
        present[:, token, token + 1] = 1
    trie = grammar.trie_keys, grammar.trie_targets, grammar.pattern_at
    found, complete = _match(sentence.astype(np.int32), max_span, copied, present, *trie)
    rows = found.view(np.int32).reshape(-1, _MATCH.itemsize // 4)
    pattern, left, span, gaps = map(np.ascontiguousarray, (rows[:, 0], rows[:, 1], rows[:, 2:4], rows[:, 4:]))
    gap_left = np.full((len(pattern), 2), -1, dtype=np.int32)
    gap_left[pattern >= 0] = grammar.pattern_gaps[pattern[pattern >= 0]]
    return Matches(pattern, left, span, gaps, gap_left, complete)


def untranslated(grammar: Grammar, sentence: Ints) -> Bools:
    """Returns which tokens no rule translates alone."""
    nodes = np.array([_follow(grammar.trie_keys, grammar.trie_targets, 0, word) for word in sentence.tolist()])
    return np.array([node < 0 or bool((grammar.pattern_at[node] < 0).all()) for node in nodes.tolist()], dtype=np.bool_)


@jit
def _follow(keys: Longs, targets: Ints, node: int, symbol: int) -> int:
    key = (np.int64(node) << 32) + np.int64(symbol) + (np.int64(1) << 31)
    index = np.searchsorted(keys, key)
    if index < len(keys) and keys[index] == key:
        return targets[index]
    return -1


@jit
def _match(
    sentence: Ints, max_span: int, copied: Bools, present: Bytes3, keys: Longs, targets: Ints, pattern_at: Ints
) -> tuple[Records, Bytes3]:
    length, num_nonterminals = len(sentence), len(present)
    complete = present.copy()
    matches, found = np.empty(1024 + num_nonterminals * length, dtype=_MATCH), 0
    items = np.empty(4096 + num_nonterminals, dtype=_ITEM)
    for token in np.flatnonzero(copied):
        for left in range(num_nonterminals):
            _set_item(items, 0, 0, -1, -1)
            _set_match(matches, found, COPY, left, token, token + 1, items[0])
            found += 1
    for start in range(length - 1, -1, -1):
        last = min(length, start + max_span)
        head = np.full(last - start + 1, -1, dtype=np.int32)  # the items of this start, chained by where their dot is
        _set_item(items, 0, 0, -1, -1)
        items[0].next, head[0], count = -1, 0, 1
        for end in range(start + 1, last + 1):
            first = count
            if count + num_nonterminals >= len(items):
                items = grown(items)
            for left in range(num_nonterminals):
                following = _follow(keys, targets, 0, -1 - left) if present[left, start, end] else -1
                if following >= 0:
                    _set_item(items, count, following, start, end)
                    count += 1
            # Extend the items that end before this span by its last token, or by a cell that ends here.
            for middle in range(start, end):
                item = head[middle - start]
                while item >= 0:
                    if count + num_nonterminals >= len(items):
                        items = grown(items)
                    if middle == end - 1:
                        node = _follow(keys, targets, items[item].node, sentence[middle])
                        if node >= 0:
                            items[count] = items[item]
                            items[count].node = node
                            count += 1
                    for left in range(num_nonterminals):
                        # A gap at the very start is followed below, once this span's own cells are complete.
                        if middle == start or not complete[left, middle, end]:
                            continue
                        node = _follow(keys, targets, items[item].node, -1 - left)
                        if node >= 0:
                            _set_item(items, count, node, middle, end)
                            if items[item].begin >= 0:
                                items[count].begin, items[count].end = items[item].begin, items[item].end
                                items[count].second_begin, items[count].second_end = middle, end
                            count += 1
                    item = items[item].next
            # Record what is complete; each non-terminal that becomes so may begin a longer rule, or a unary one.
            item = first
            while item < count:
                if found + num_nonterminals >= len(matches):
                    matches = grown(matches)
                if count + num_nonterminals >= len(items):
                    items = grown(items)
                for left in range(num_nonterminals):
                    pattern = pattern_at[items[item].node, left]
                    if pattern < 0:
                        continue
                    _set_match(matches, found, pattern, left, start, end, items[item])
                    found += 1
                    if complete[left, start, end]:
                        continue
                    complete[left, start, end] = 1
                    following = _follow(keys, targets, 0, -1 - left)
                    if following >= 0:
                        _set_item(items, count, following, start, end)
                        count += 1
                item += 1
            for item in range(first, count):
                items[item].next, head[end - start] = head[end - start], item
    return matches[:found], complete


@inlined
def _set_item(items: Records, index: int, node: int, begin: int, end: int) -> None:
    """Writes an item with at most one gap."""
    items[index].node, items[index].begin, items[index].end = node, begin, end
    items[index].second_begin, items[index].second_end = -1, -1


@inlined
def _set_match(matches: Records, index: int, pattern: int, left: int, start: int, last: int, item: Any) -> None:
    matches[index].pattern, matches[index].left = pattern, left
    matches[index].start, matches[index].last = start, last
    matches[index].begin, matches[index].end = item.begin, item.end
    matches[index].second_begin, matches[index].second_end = item.second_begin, item.second_end

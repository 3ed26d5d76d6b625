"""Which source patterns match where: a bottom-up chart over the sentence (CYK+ with dotted items, Chiang 2007).

Spans are filled from the right end of the sentence to the left, and from short to long, so that every cell a gap
may stand on is complete when it is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Bools, Ints, Longs, jit
from lattice_simp.translate.grammar import Grammar

Bytes3 = np.ndarray[tuple[int, int, int], np.dtype[np.int8]]

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
    complete: np.ndarray[tuple[int, int, int], np.dtype[np.int8]]


def match(grammar: Grammar, sentence: Ints, max_span: int, given: Sequence[tuple[int, int, int]] = ()) -> Matches:
    """Finds every match that covers at most `max_span` tokens.

    `sentence` holds source word ids; a token that the grammar does not know has any id beyond its table. A token
    that no rule translates alone gets a match of the pattern `COPY` for every non-terminal. `given` lists cells
    (non-terminal, begin, end) that are complete whatever the rules say.
    """
    length = len(sentence)
    present = np.zeros((len(grammar.nonterminals), length + 1, length + 1), dtype=np.int8)
    for left, begin, end in given:
        present[left, begin, end] = 1
    copied = untranslated(grammar, sentence)
    for token in np.flatnonzero(copied).tolist():
        present[:, token, token + 1] = 1
    pattern, left, span, gaps, complete = _match(
        sentence.astype(np.int32),
        max_span,
        copied,
        present,
        grammar.trie_keys,
        grammar.trie_targets,
        grammar.pattern_at,
        len(grammar.nonterminals),
    )
    gap_left = np.full((len(pattern), 2), -1, dtype=np.int32)
    gap_left[pattern >= 0] = grammar.pattern_gaps[pattern[pattern >= 0]]
    return Matches(pattern, left, span, gaps, gap_left, complete)


def untranslated(grammar: Grammar, sentence: Ints) -> Bools:
    """Returns which tokens no rule translates alone."""
    nodes = np.array([_follow(grammar.trie_keys, grammar.trie_targets, 0, word) for word in sentence.tolist()])
    return np.array([node < 0 or bool((grammar.pattern_at[node] < 0).all()) for node in nodes.tolist()], dtype=np.bool_)


@jit
def _resized(values: Ints, size: int) -> Ints:
    grown = np.empty(size, dtype=values.dtype)
    grown[: len(values)] = values
    return grown


@jit
def _follow(keys: Longs, targets: Ints, node: int, symbol: int) -> int:
    key = (np.int64(node) << 32) + np.int64(symbol) + (np.int64(1) << 31)
    index = np.searchsorted(keys, key)
    if index < len(keys) and keys[index] == key:
        return targets[index]
    return -1


@jit
def _match(
    sentence: Ints,
    max_span: int,
    copied: Bools,
    present: Bytes3,
    keys: Longs,
    targets: Ints,
    pattern_at: Ints,
    num_nonterminals: int,
) -> tuple[Ints, Ints, Ints, Ints, np.ndarray]:  # type: ignore[type-arg]
    length = len(sentence)
    complete = present.copy()
    capacity = 1024 + num_nonterminals * length
    found = 0
    pattern = np.empty(capacity, dtype=np.int32)
    lefts = np.empty(capacity, dtype=np.int32)
    span = np.empty((capacity, 2), dtype=np.int32)
    gaps = np.empty((capacity, 4), dtype=np.int32)
    # Dotted items of one start position: trie node, where the dot is, gap spans; chained by dot position.
    item_capacity = 4096
    item_node = np.empty(item_capacity, dtype=np.int32)
    item_next = np.empty(item_capacity, dtype=np.int32)
    item_gaps = np.empty((item_capacity, 4), dtype=np.int32)
    for token in range(length):
        if copied[token]:
            for left in range(num_nonterminals):
                pattern[found], lefts[found] = COPY, left
                span[found, 0], span[found, 1] = token, token + 1
                gaps[found, :] = -1
                found += 1
    for start in range(length - 1, -1, -1):
        last = min(length, start + max_span)
        head = np.full(last - start + 1, -1, dtype=np.int32)
        items = 1
        item_node[0], item_next[0] = 0, -1
        item_gaps[0, :] = -1
        head[0] = 0
        for end in range(start + 1, last + 1):
            first = items
            if items + num_nonterminals >= item_capacity:
                item_capacity = 2 * item_capacity + num_nonterminals
                item_node, item_next = _resized(item_node, item_capacity), _resized(item_next, item_capacity)
                longer = np.empty((item_capacity, 4), dtype=np.int32)
                longer[:items] = item_gaps[:items]
                item_gaps = longer
            for left in range(num_nonterminals):
                if present[left, start, end]:
                    following = _follow(keys, targets, 0, -1 - left)
                    if following >= 0:
                        item_node[items] = following
                        item_gaps[items, 0], item_gaps[items, 1] = start, end
                        item_gaps[items, 2], item_gaps[items, 3] = -1, -1
                        items += 1
            # Extend the items that end before this span by its last token, or by a cell that ends here.
            for middle in range(start, end):
                item = head[middle - start]
                while item >= 0:
                    for choice in range(-1, num_nonterminals):
                        if choice < 0:
                            if middle != end - 1:
                                continue
                            symbol = sentence[end - 1]
                        else:
                            # A gap at the very start is followed below, once this span's own cells are complete.
                            if middle == start or not complete[choice, middle, end]:
                                continue
                            symbol = -1 - choice
                        node = _follow(keys, targets, item_node[item], symbol)
                        if node < 0:
                            continue
                        if items + 1 >= item_capacity:
                            item_capacity *= 2
                            item_node, item_next = grown(item_node), grown(item_next)
                            longer = np.empty((item_capacity, 4), dtype=np.int32)
                            longer[:items] = item_gaps[:items]
                            item_gaps = longer
                        item_node[items] = node
                        item_gaps[items] = item_gaps[item]
                        if choice >= 0:
                            index = 0 if item_gaps[item, 0] < 0 else 2
                            item_gaps[items, index], item_gaps[items, index + 1] = middle, end
                        items += 1
                    item = item_next[item]
            # Record what is complete; each non-terminal that becomes so may begin a longer rule, or a unary one.
            position = first
            while position < items:
                node = item_node[position]
                for left in range(num_nonterminals):
                    if pattern_at[node, left] < 0:
                        continue
                    if found == capacity:
                        capacity *= 2
                        pattern, lefts = grown(pattern), grown(lefts)
                        longer = np.empty((capacity, 2), dtype=np.int32)
                        longer[:found] = span[:found]
                        span = longer
                        longest = np.empty((capacity, 4), dtype=np.int32)
                        longest[:found] = gaps[:found]
                        gaps = longest
                    pattern[found], lefts[found] = pattern_at[node, left], left
                    span[found, 0], span[found, 1] = start, end
                    gaps[found] = item_gaps[position]
                    found += 1
                    if complete[left, start, end]:
                        continue
                    complete[left, start, end] = 1
                    following = _follow(keys, targets, 0, -1 - left)
                    if following >= 0:
                        if items + 1 >= item_capacity:
                            item_capacity *= 2
                            item_node, item_next = grown(item_node), grown(item_next)
                            longer = np.empty((item_capacity, 4), dtype=np.int32)
                            longer[:items] = item_gaps[:items]
                            item_gaps = longer
                        item_node[items] = following
                        item_gaps[items, 0], item_gaps[items, 1] = start, end
                        item_gaps[items, 2], item_gaps[items, 3] = -1, -1
                        items += 1
                position += 1
            for item in range(first, items):
                item_next[item] = head[end - start]
                head[end - start] = item
    return pattern[:found].copy(), lefts[:found].copy(), span[:found].copy(), gaps[:found].copy(), complete

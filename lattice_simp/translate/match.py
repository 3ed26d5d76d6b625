"""Which source patterns match where: a bottom-up chart over a sentence or a word lattice.

CYK+ with dotted items (Chiang 2007; for lattices Dyer et al. 2008). Spans are filled from the right end to the left,
and from short to long, so that the cell of a slot is complete when it is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, inlined, jit
from lattice_simp.core.sorting import lower_bound
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.source import Source

Bytes3 = np.ndarray[tuple[int, int, int], np.dtype[np.int8]]
_GAPS = [(name, np.int32) for name in ("begin", "end", "second_begin", "second_end")]
"""The spans of the first and the second source slot, -1 where there is none."""

_ITEM = np.dtype([("node", np.int32), ("next", np.int32), ("path", np.int32), *_GAPS])
"""A dotted item: the trie node that it has reached, the next item with the dot at the same place, and the index in
`paths` of its last word."""

_MATCH = np.dtype([(name, np.int32) for name in ("pattern", "left", "start", "last", "path")] + _GAPS)

_PATH = np.dtype([("arc", np.int32), ("before", np.int32)])
"""A source arc whose word was matched, and the index of the one before it; -1 for none."""

COPY = -1
"""The pattern of a copied token."""


@dataclass(frozen=True)
class Matches:
    """All matches of a grammar's patterns in one sentence or word lattice.

    Attributes:
        pattern: (matches,) int32; COPY where a token stands for itself.
        left: (matches,) int32, the left-hand side.
        span: (matches, 2) int32, the states between which tokens are covered; in a sentence, end-exclusive positions.
        path: (matches,) int32, an index into `paths`; -1 where a pattern has no words.
        slots: (matches, 4) int32, the spans of the first and the second source slot; -1 where there is none.
        slot_left: (matches, 2) int32, the non-terminals of the slots; -1 where there is none.
        complete: (non-terminals, states, states) int8, whether a cell has a match.
        paths: records of the source arcs whose words were matched: `arc`, and the index of the one `before` (-1: none).
    """

    pattern: Ints
    left: Ints
    span: Ints
    path: Ints
    slots: Ints
    slot_left: Ints
    complete: Bytes3
    paths: Records

    def copied_arcs(self) -> Ints:
        """Returns (matches,) the source arc that each match of the pattern COPY copies, -1 for other matches."""
        return np.where(self.pattern == COPY, self.paths["arc"][self.path], -1).astype(np.int32)

    def copied_words(self, source: Source) -> list[str]:
        """Returns the words that matches copy, in the order of the source's arcs."""
        arcs = self.copied_arcs()
        return [source.words[arc] for arc in np.unique(arcs[arcs >= 0]).tolist()]

    def input_scores(self, scores: Floats) -> Floats:
        """Returns (features, matches), the sums of (features, source arcs) `scores` over the words of each match."""
        total, path = np.zeros((len(scores), len(self.path))), self.path
        while (path >= 0).any():
            total += np.where(path >= 0, scores[:, self.paths["arc"][path]], 0.0)
            path = np.where(path >= 0, self.paths["before"][path], -1)
        return total


class _Sentence(NamedTuple):
    """The source, in arrays for the kernel."""

    words: Ints
    begins: Ints
    ends: Ints
    copied: Bools
    near: Bools


def match(
    grammar: Grammar,
    source: Source,
    words: Ints,
    max_span: int,
    known_cells: Sequence[tuple[int, int, int]] = (),
    *,
    copy_all: bool = False,
) -> Matches:
    """Finds every match in spans of at most `max_span` tokens.

    Args:
        grammar: the rules.
        source: a sentence or a word lattice.
        words: (arcs,) int32, the ids of the source's words; any id beyond the grammar's table is an unknown word.
        max_span: the largest span in tokens.
        known_cells: cells (non-terminal, begin, end) that are complete whatever the rules say.
        copy_all: give every token a match of the pattern `COPY` for every non-terminal, not only those that no rule
            translates alone.
    """
    present = np.zeros((len(grammar.nonterminals), source.num_states, source.num_states), dtype=np.int8)
    for cell in known_cells:
        present[cell] = 1
    copied = np.ones(len(words), dtype=np.bool_) if copy_all else untranslated(grammar, words)
    present[:, source.begins[copied], source.ends[copied]] = 1
    trie = grammar.trie_keys, grammar.trie_targets, grammar.pattern_at
    sentence = _Sentence(words.astype(np.int32), source.begins, source.ends, copied, source.near(max_span))
    records, complete, paths = _match(sentence, present, *trie)
    rows = records.view(np.int32).reshape(-1, _MATCH.itemsize // 4)
    pattern, left, path = (np.ascontiguousarray(rows[:, column]) for column in (0, 1, 4))
    span, slots = np.ascontiguousarray(rows[:, 2:4]), np.ascontiguousarray(rows[:, 5:])
    slot_left = np.full((len(pattern), 2), -1, dtype=np.int32)
    slot_left[pattern >= 0] = grammar.pattern_slots[pattern[pattern >= 0]]
    return Matches(pattern, left, span, path, slots, slot_left, complete, paths)


def untranslated(grammar: Grammar, words: Ints) -> Bools:
    """Returns which tokens no rule translates alone."""
    nodes = np.array([_follow(grammar.trie_keys, grammar.trie_targets, 0, word) for word in words.tolist()])
    return np.array([node < 0 or bool((grammar.pattern_at[node] < 0).all()) for node in nodes.tolist()], dtype=np.bool_)


@jit
def _follow(keys: Longs, targets: Ints, node: int, symbol: int) -> int:
    key = (np.int64(node) << 32) + np.int64(symbol) + (np.int64(1) << 31)
    index = lower_bound(keys, 0, len(keys), key)
    if index < len(keys) and keys[index] == key:
        return targets[index]
    return -1


@jit
def _match(
    source: _Sentence, present: Bytes3, keys: Longs, targets: Ints, pattern_at: Ints
) -> tuple[Records, Bytes3, Records]:
    """Returns the matches, which cells are complete, and the paths; one kernel, as its pools grow in all its loops."""
    num_nonterminals, num_states = len(present), len(source.near)
    complete = present.copy()
    matches, num_matches = np.empty(1024 + num_nonterminals * len(source.words), dtype=_MATCH), 0
    items = np.empty(4096 + num_nonterminals, dtype=_ITEM)
    paths, read = np.empty(4096 + len(source.words), dtype=_PATH), 0
    for alone in range(len(source.copied)):
        if not source.copied[alone]:
            continue
        paths[read].arc, paths[read].before = alone, -1
        for left in range(num_nonterminals):
            _set_item(items, 0, 0, -1, -1)
            items[0].path = read
            _set_match(matches, num_matches, COPY, left, source.begins[alone], source.ends[alone], items[0])
            num_matches += 1
        read += 1
    for start in range(num_states - 2, -1, -1):
        last = num_states - 1
        while not source.near[start, last]:
            last -= 1
        head = np.full(last - start + 1, -1, dtype=np.int32)  # lists of the items of this start by dot
        _set_item(items, 0, 0, -1, -1)
        items[0].next, head[0], count = -1, 0, 1
        first_arc = lower_bound(source.ends, 0, len(source.ends), start + 1)
        for end in range(start + 1, last + 1):
            first = count
            if count + num_nonterminals >= len(items):
                items = grown(items)
            for left in range(num_nonterminals):
                following = _follow(keys, targets, 0, -1 - left) if present[left, start, end] else -1
                if following >= 0:
                    _set_item(items, count, following, start, end)
                    count += 1
            # Extend the items that end before this span by an arc, or by a cell, that ends here.
            while first_arc < len(source.ends) and source.ends[first_arc] == end and source.begins[first_arc] < start:
                first_arc += 1
            for middle in range(start, end):
                last_arc = first_arc
                while (
                    last_arc < len(source.ends) and source.ends[last_arc] == end and source.begins[last_arc] == middle
                ):
                    last_arc += 1
                item = head[middle - start]
                while item >= 0:
                    if count + num_nonterminals + last_arc - first_arc >= len(items):
                        items = grown(items)
                    for arc in range(first_arc, last_arc):
                        node = _follow(keys, targets, items[item].node, source.words[arc])
                        if node >= 0:
                            if read == len(paths):
                                paths = grown(paths)
                            paths[read].arc, paths[read].before = arc, items[item].path
                            items[count] = items[item]
                            items[count].node, items[count].path = node, read
                            count, read = count + 1, read + 1
                    for left in range(num_nonterminals):
                        # A slot at the very start is followed below, once this span's own cells are complete.
                        if middle == start or not complete[left, middle, end]:
                            continue
                        node = _follow(keys, targets, items[item].node, -1 - left)
                        if node >= 0:
                            _set_item(items, count, node, middle, end)
                            items[count].path = items[item].path
                            if items[item].begin >= 0:
                                items[count].begin, items[count].end = items[item].begin, items[item].end
                                items[count].second_begin, items[count].second_end = middle, end
                            count += 1
                    item = items[item].next
                first_arc = last_arc
            # Record complete items; a non-terminal that becomes complete may begin a longer rule, or a unary one.
            item = first if source.near[start, end] else count
            while item < count:
                if num_matches + num_nonterminals >= len(matches):
                    matches = grown(matches)
                if count + num_nonterminals >= len(items):
                    items = grown(items)
                for left in range(num_nonterminals):
                    pattern = pattern_at[items[item].node, left]
                    if pattern < 0:
                        continue
                    _set_match(matches, num_matches, pattern, left, start, end, items[item])
                    num_matches += 1
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
    return matches[:num_matches], complete, paths[:read]


@inlined
def _set_item(items: Records, index: int, node: int, begin: int, end: int) -> None:
    """Writes an item without words that has at most one slot."""
    items[index].path = -1
    items[index].node, items[index].begin, items[index].end = node, begin, end
    items[index].second_begin, items[index].second_end = -1, -1


@inlined
def _set_match(matches: Records, index: int, pattern: int, left: int, start: int, last: int, item: Any) -> None:
    matches[index].pattern, matches[index].left = pattern, left
    matches[index].start, matches[index].last, matches[index].path = start, last, item.path
    matches[index].begin, matches[index].end = item.begin, item.end
    matches[index].second_begin, matches[index].second_end = item.second_begin, item.second_end

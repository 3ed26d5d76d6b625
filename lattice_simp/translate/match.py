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


class _Pool(NamedTuple):
    """Records, and how many of them are in use; `grown` makes room for more."""

    records: Records
    size: int


class _Trie(NamedTuple):
    """The patterns of a grammar: a trie of their words and slots, and the patterns that end at each node."""

    keys: Longs
    targets: Ints
    pattern_at: Ints


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
    trie = _Trie(grammar.trie_keys, grammar.trie_targets, grammar.pattern_at)
    sentence = _Sentence(words.astype(np.int32), source.begins, source.ends, copied, source.near(max_span))
    records, complete, paths = _match(sentence, present, trie)
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
def _match(source: _Sentence, present: Bytes3, trie: _Trie) -> tuple[Records, Bytes3, Records]:
    """Returns the matches, which cells are complete, and the paths."""
    complete = present.copy()
    matches, paths = _copies(source, len(present))
    items = _Pool(np.empty(4096, dtype=_ITEM), 0)
    for start in range(len(source.near) - 2, -1, -1):
        last = len(source.near) - 1
        while not source.near[start, last]:
            last -= 1
        head = np.full(last - start + 1, -1, dtype=np.int32)  # lists of the items of this start by dot
        _set_item(items.records, 0, 0, -1, -1)
        items.records[0].next, head[0] = -1, 0
        items = _Pool(items.records, 1)
        for end in range(start + 1, last + 1):
            first = items.size
            for left in range(len(present)):
                if present[left, start, end]:
                    items = _begin_with_slot(items, trie, left, start, end)
            items, paths = _extend(items, paths, source, complete, trie, head, (start, end))
            if source.near[start, end]:
                matches, items = _complete(matches, items, first, complete, trie, (start, end))
            for item in range(first, items.size):
                items.records[item].next, head[end - start] = head[end - start], item
    return matches.records[: matches.size], complete, paths.records[: paths.size]


@jit
def _copies(source: _Sentence, num_nonterminals: int) -> tuple[_Pool, _Pool]:
    """Returns pools of matches and of paths with those of the copied tokens."""
    matches, num_matches = np.empty(1024 + num_nonterminals * len(source.words), dtype=_MATCH), 0
    paths, num_paths = np.empty(4096 + len(source.words), dtype=_PATH), 0
    item = np.empty(1, dtype=_ITEM)
    for arc in range(len(source.copied)):
        if source.copied[arc]:
            paths[num_paths].arc, paths[num_paths].before = arc, -1
            _set_item(item, 0, 0, -1, -1)
            item[0].path = num_paths
            for left in range(num_nonterminals):
                _set_match(matches, num_matches, COPY, left, source.begins[arc], source.ends[arc], item[0])
                num_matches += 1
            num_paths += 1
    return _Pool(matches, num_matches), _Pool(paths, num_paths)


@jit
def _begin_with_slot(items: _Pool, trie: _Trie, left: int, start: int, end: int) -> _Pool:
    """Adds the item of the patterns that begin with a slot, filled by the cell of a non-terminal."""
    node = _follow(trie.keys, trie.targets, 0, -1 - left)
    if node < 0:
        return items
    records = grown(items.records) if items.size == len(items.records) else items.records
    _set_item(records, items.size, node, start, end)
    return _Pool(records, items.size + 1)


@jit
def _extend(
    items: _Pool,
    paths: _Pool,
    source: _Sentence,
    complete: Bytes3,
    trie: _Trie,
    head: Ints,
    span: tuple[int, int],
) -> tuple[_Pool, _Pool]:
    """Extends the items that end within the span by an arc, or by a cell, that ends where the span ends."""
    start, end = span
    (records, count), (words, num_words) = items, paths
    arc_end = lower_bound(source.ends, 0, len(source.ends), end)
    while arc_end < len(source.ends) and source.ends[arc_end] == end and source.begins[arc_end] < start:
        arc_end += 1
    for middle in range(start, end):
        arc_begin = arc_end
        while arc_end < len(source.ends) and source.ends[arc_end] == end and source.begins[arc_end] == middle:
            arc_end += 1
        item = head[middle - start]
        while item >= 0:
            if count + len(complete) + arc_end - arc_begin >= len(records):
                records = grown(records)
            for arc in range(arc_begin, arc_end):
                node = _follow(trie.keys, trie.targets, records[item].node, source.words[arc])
                if node >= 0:
                    if num_words == len(words):
                        words = grown(words)
                    words[num_words].arc, words[num_words].before = arc, records[item].path
                    records[count] = records[item]
                    records[count].node, records[count].path = node, num_words
                    count, num_words = count + 1, num_words + 1
            for left in range(len(complete)):
                # A slot at the very start is followed later, once the span's own cells are complete.
                if middle == start or not complete[left, middle, end]:
                    continue
                node = _follow(trie.keys, trie.targets, records[item].node, -1 - left)
                if node >= 0:
                    _set_item(records, count, node, middle, end)
                    records[count].path = records[item].path
                    if records[item].begin >= 0:
                        records[count].begin, records[count].end = records[item].begin, records[item].end
                        records[count].second_begin, records[count].second_end = middle, end
                    count += 1
            item = records[item].next
    return _Pool(records, count), _Pool(words, num_words)


@jit
def _complete(
    matches: _Pool, items: _Pool, first: int, complete: Bytes3, trie: _Trie, span: tuple[int, int]
) -> tuple[_Pool, _Pool]:
    """Adds the matches of the span; a non-terminal that becomes complete may begin a longer rule, or a unary one."""
    start, end = span
    records, count = matches
    item = first
    while item < items.size:
        if count + len(complete) >= len(records):
            records = grown(records)
        for left in range(len(complete)):
            pattern = trie.pattern_at[items.records[item].node, left]
            if pattern < 0:
                continue
            _set_match(records, count, pattern, left, start, end, items.records[item])
            count += 1
            if not complete[left, start, end]:
                complete[left, start, end] = 1
                items = _begin_with_slot(items, trie, left, start, end)
        item += 1
    return _Pool(records, count), items


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

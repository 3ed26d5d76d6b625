"""Rules of a block of aligned sentence pairs as flat arrays, and counts of their target sides: kernels.

A symbol is a word's number, or -1 and -2 for the first and the second gap in the order of the source side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.train.alignment.links import Bitext
from lattice_simp.train.rules.spans import rule_spans, with_room

UInt8s = np.ndarray[tuple[int], np.dtype[np.uint8]]

_FIRST_ROWS = 4096


class Limits(NamedTuple):
    """The limits of rules; see `config.Rules`."""

    max_span: int
    max_symbols: int
    max_gaps: int


class RuleSides(NamedTuple):
    """Rules as flat arrays; rule r has `offsets[r]:offsets[r + 1]` of each.

    Attributes:
        source_offsets, source, target_offsets, target: int64 and int32 symbols, negative for gaps.
        point_offsets, points: int64 and uint8, links as (source symbol, target symbol) positions, flat.
    """

    source_offsets: Longs
    source: Ints
    target_offsets: Longs
    target: Ints
    point_offsets: Longs
    points: UInt8s


class RuleBlock(NamedTuple):
    """Occurrences of rules: their sentences, (occurrences,) int32, and their sides; `end` is the next sentence."""

    end: int
    sentence: Ints
    sides: RuleSides


@jit
def extract_block(bitext: Bitext, begin: int, limits: Limits, allowed: Longs, max_rules: int) -> RuleBlock:
    """Extracts the rules of the sentences from `begin` on, until there are `max_rules` or more after a sentence.

    `allowed` is a hash table (`find_slot`) of the `pattern_hash`es of the source sides to extract; empty for all.
    """
    sentence = np.empty(_FIRST_ROWS, dtype=np.int32)
    source_offsets, source = np.zeros(_FIRST_ROWS, dtype=np.int64), np.empty(_FIRST_ROWS, dtype=np.int32)
    target_offsets, target = np.zeros(_FIRST_ROWS, dtype=np.int64), np.empty(_FIRST_ROWS, dtype=np.int32)
    point_offsets, points = np.zeros(_FIRST_ROWS, dtype=np.int64), np.empty(_FIRST_ROWS, dtype=np.uint8)
    count = 0
    pair = begin
    while pair < len(bitext.source_offsets) - 1 and count < max_rules:
        source_words, target_words, links = _sentence(bitext, pair)
        spans = rule_spans(
            len(source_words), len(target_words), links, limits.max_span, limits.max_symbols, limits.max_gaps
        )
        link_starts = _link_starts(links, len(source_words))
        # All arrays have room for all rules of the sentence, so the loop over the rules only writes.
        rows = count + len(spans)
        sentence = with_room(sentence, rows)
        source_offsets = with_room(source_offsets, rows + 1)
        target_offsets = with_room(target_offsets, rows + 1)
        point_offsets = with_room(point_offsets, rows + 1)
        source = with_room(source, source_offsets[count] + len(spans) * limits.max_symbols)
        target = with_room(target, target_offsets[count] + len(spans) * limits.max_span)
        points = with_room(points, point_offsets[count] + len(spans) * 2 * len(links))
        for index in range(len(spans)):
            span = spans[index]
            filled = _write_side(source_words, span, 0, source, source_offsets[count])
            if len(allowed):
                key = pattern_hash(source[source_offsets[count] : filled])
                if allowed[find_slot(allowed, key)] != key:
                    continue
            sentence[count] = pair
            source_offsets[count + 1] = filled
            target_offsets[count + 1] = _write_side(target_words, span, 2, target, target_offsets[count])
            span_links = links[link_starts[span[0]] : link_starts[span[1]]]
            point_offsets[count + 1] = _write_points(span_links, span, points, point_offsets[count])
            count += 1
        pair += 1
    sides = RuleSides(
        source_offsets[: count + 1],
        source[: source_offsets[count]],
        target_offsets[: count + 1],
        target[: target_offsets[count]],
        point_offsets[: count + 1],
        points[: point_offsets[count]],
    )
    return RuleBlock(pair, sentence[:count], sides)


@jit
def _link_starts(links: Ints, num_words: int) -> Ints:
    """Returns where the links of each source word begin, (words + 1,)."""
    starts = np.zeros(num_words + 1, dtype=np.int32)
    for index in range(len(links)):
        starts[links[index, 0] + 1] += 1
    for word in range(num_words):
        starts[word + 1] += starts[word]
    return starts


@jit
def count_targets(bitext: Bitext, limits: Limits, keys: Longs, values: Ints, counts: Longs) -> np.int64:
    """Counts the target sides of all rules of all sentences; returns the number of all rules.

    `keys` and `values` are a hash table of the target sides to count: `pattern_hash` to an index in `counts`.
    """
    pattern = np.empty(limits.max_span + 2, dtype=np.int32)
    rules = np.int64(0)
    for pair in range(len(bitext.source_offsets) - 1):
        source_words, target_words, links = _sentence(bitext, pair)
        spans = rule_spans(
            len(source_words), len(target_words), links, limits.max_span, limits.max_symbols, limits.max_gaps
        )
        rules += len(spans)
        for index in range(len(spans)):
            length = _write_side(target_words, spans[index], 2, pattern, 0)
            key = pattern_hash(pattern[:length])
            slot = find_slot(keys, key)
            if keys[slot] == key:
                counts[values[slot]] += 1
    return rules


@jit
def _sentence(bitext: Bitext, pair: int) -> tuple[Ints, Ints, Ints]:
    return (
        bitext.source[bitext.source_offsets[pair] : bitext.source_offsets[pair + 1]],
        bitext.target[bitext.target_offsets[pair] : bitext.target_offsets[pair + 1]],
        bitext.links[bitext.link_offsets[pair] : bitext.link_offsets[pair + 1]],
    )


@jit
def _write_side(words: Ints, span: Ints, side: int, symbols: Ints, filled: int) -> int:
    """Writes a rule's symbols of one side (0: source, 2: target); returns the index after them."""
    index, end = span[side], span[side + 1]
    while index < end:
        if index == span[4 + side]:
            symbols[filled] = -1
            index = span[5 + side]
        elif index == span[8 + side]:
            symbols[filled] = -2
            index = span[9 + side]
        else:
            symbols[filled] = words[index]
            index += 1
        filled += 1
    return filled


@jit
def _write_points(links: Ints, span: Ints, points: UInt8s, filled: int) -> int:
    """Writes the links between a rule's words as positions among its symbols."""
    for index in range(len(links)):
        source, target = links[index, 0], links[index, 1]
        if not span[0] <= source < span[1] or span[4] <= source < span[5] or span[8] <= source < span[9]:
            continue
        points[filled] = _symbol_index(source, span, 0)
        points[filled + 1] = _symbol_index(target, span, 2)
        filled += 2
    return filled


@jit
def _symbol_index(word: int, span: Ints, side: int) -> int:
    index = word - span[side]
    for gap in (4, 8):
        if span[gap] >= 0 and span[gap + side] < word:
            index -= span[gap + side + 1] - span[gap + side] - 1
    return index


@jit
def pattern_hash(symbols: Ints) -> np.int64:
    """Returns a 63-bit hash of symbols (the finaliser of MurmurHash3 after each).

    Of 10 million different patterns, two share one with a probability of 5e-6.
    """
    mixed = np.uint64(len(symbols))
    for index in range(len(symbols)):
        mixed = (mixed ^ np.uint64(np.int64(symbols[index]) + 8)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(0xFF51AFD7ED558CCD)
        mixed ^= mixed >> np.uint64(33)
    return np.int64(mixed & np.uint64(0x7FFFFFFFFFFFFFFF))


@jit
def hash_rows(offsets: Longs, symbols: Ints) -> Longs:
    """Returns the `pattern_hash` of each row `symbols[offsets[r]:offsets[r + 1]]`."""
    hashes = np.empty(len(offsets) - 1, dtype=np.int64)
    for row in range(len(hashes)):
        hashes[row] = pattern_hash(symbols[offsets[row] : offsets[row + 1]])
    return hashes

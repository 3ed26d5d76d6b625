"""The spans of the rules of an aligned sentence pair (Chiang 2007, section 3.2): kernels over link arrays.

An initial phrase is a source span and a target span, neither longer than `max_span`, with at least one link, whose
words have no links outside, and whose first and last source and target words have links (it is tight). A rule is an
initial phrase, perhaps with one or two smaller ones replaced by gaps; gaps are not adjacent on the source side, and at
least one linked word stays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.growing import copy_into
from lattice_simp.core.kernel import Ints, jit

SPAN_COLUMNS = 12
"""Source begin and end, target begin and end, of the rule, its first and its second gap; -1 where it has none."""

_FIRST_ROWS = 2048


@jit
def phrase_table(source_length: int, target_length: int, links: Ints, max_span: int) -> tuple[Ints, Ints]:
    """Returns the initial phrases, (phrases, 4) int32 source begin and end, target begin and end, sorted; and offsets:
    those that begin at source word b are `offsets[b]:offsets[b + 1]`."""
    low = np.full(source_length, target_length, dtype=np.int32)
    high = np.full(source_length, -1, dtype=np.int32)
    back_low = np.full(target_length, source_length, dtype=np.int32)
    back_high = np.full(target_length, -1, dtype=np.int32)
    for index in range(len(links)):
        source, target = links[index, 0], links[index, 1]
        low[source], high[source] = min(low[source], target), max(high[source], target)
        back_low[target], back_high[target] = min(back_low[target], source), max(back_high[target], source)
    phrases = np.empty((source_length * min(max_span, source_length), 4), dtype=np.int32)
    offsets = np.zeros(source_length + 1, dtype=np.int32)
    count = 0
    for begin in range(source_length):
        first, last = target_length, -1
        for end in range(begin + 1, min(begin + max_span, source_length) + 1):
            if high[begin] < 0:
                break
            first, last = min(first, low[end - 1]), max(last, high[end - 1])
            leftmost, rightmost = source_length, -1
            for target in range(first, last + 1):
                leftmost, rightmost = min(leftmost, back_low[target]), max(rightmost, back_high[target])
            if last - first >= max_span or leftmost < begin:
                break  # and so it is for all longer spans
            if high[end - 1] >= 0 and rightmost < end:
                phrases[count, 0], phrases[count, 1] = begin, end
                phrases[count, 2], phrases[count, 3] = first, last + 1
                count += 1
        offsets[begin + 1] = count
    return phrases[:count], offsets


@jit
def rule_spans(
    source_length: int, target_length: int, links: Ints, max_span: int, max_symbols: int, max_gaps: int
) -> Ints:
    """Returns the spans of all rules of a sentence pair, (rules, SPAN_COLUMNS) int32; for the limits see
    `config.Rules`.

    `links` are (links, 2) positions of linked words.
    """
    phrases, offsets = phrase_table(source_length, target_length, links, max_span)
    linked = np.zeros(source_length + 1, dtype=np.int32)  # how many words before a position have links
    for index in range(len(links)):
        linked[links[index, 0] + 1] = 1
    for position in range(source_length):
        linked[position + 1] += linked[position]
    spans = np.empty((_FIRST_ROWS, SPAN_COLUMNS), dtype=np.int32)
    count = 0
    for phrase in range(len(phrases)):
        begin, end = phrases[phrase, 0], phrases[phrase, 1]
        words = end - begin
        if words <= max_symbols:
            spans = with_room(spans, count + 1)
            count = _add(spans, count, phrases, phrase, -1, -1)
        if max_gaps == 0:
            continue
        # Gaps are phrases that begin inside; phrases that end outside, or hold all links, are left out.
        for first in range(offsets[begin], offsets[end]):
            gap, gap_end = phrases[first, 0], phrases[first, 1]
            words_left = words - (gap_end - gap)
            links_left = linked[end] - linked[begin] - (linked[gap_end] - linked[gap])
            if gap_end > end or links_left == 0:
                continue
            spans = with_room(spans, count + 1 + len(phrases))
            if words_left + 1 <= max_symbols:
                count = _add(spans, count, phrases, phrase, first, -1)
            if max_gaps == 1 or gap_end + 1 >= end:
                continue
            for second in range(offsets[gap_end + 1], offsets[end]):
                second_gap, second_end = phrases[second, 0], phrases[second, 1]
                if second_end > end or words_left - (second_end - second_gap) + 2 > max_symbols:
                    continue
                if links_left > linked[second_end] - linked[second_gap]:
                    count = _add(spans, count, phrases, phrase, first, second)
    return spans[:count]


@jit
def with_room(values: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    """Returns an array of any dimensions with room for `rows` rows: itself, or a copy of twice the length or more."""
    while len(values) < rows:
        longer = np.empty((2 * len(values), *values.shape[1:]), dtype=values.dtype)
        copy_into(longer.reshape(-1), 0, values.reshape(-1))
        values = longer
    return values


@jit
def _add(spans: Ints, count: int, phrases: Ints, phrase: int, first: int, second: int) -> int:
    for column in range(4):
        spans[count, column] = phrases[phrase, column]
        spans[count, 4 + column] = phrases[first, column] if first >= 0 else -1
        spans[count, 8 + column] = phrases[second, column] if second >= 0 else -1
    return count + 1

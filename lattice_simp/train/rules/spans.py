"""Where the rules of an aligned sentence pair lie (Chiang 2007, section 3.2): kernels over link arrays.

An initial phrase is a source span and a target span, neither longer than `max_span`, with a link, whose words have no
link out of it, and whose first and last source and target words have links (it is tight). A rule is an initial
phrase, perhaps with one or two smaller ones taken out; these do not touch on the source side, and a linked word stays.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.kernel import Ints, jit

SPAN_COLUMNS = 12
"""Source begin and end, target begin and end, of the rule, its first and its second gap; -1 where it has none."""

_FIRST_ROWS = 256


@jit
def phrase_table(source_length: int, target_length: int, links: Ints, max_span: int) -> Ints:
    """Gives the target span (begin, end) of each source span (begin, length - 1) that is a phrase, else -1."""
    low = np.full(source_length, target_length, dtype=np.int32)
    high = np.full(source_length, -1, dtype=np.int32)
    back_low = np.full(target_length, source_length, dtype=np.int32)
    back_high = np.full(target_length, -1, dtype=np.int32)
    for place in range(len(links)):
        source, target = links[place, 0], links[place, 1]
        low[source], high[source] = min(low[source], target), max(high[source], target)
        back_low[target], back_high[target] = min(back_low[target], source), max(back_high[target], source)
    table = np.full((source_length, max_span, 2), -1, dtype=np.int32)
    for begin in range(source_length):
        if high[begin] < 0:
            continue
        first, last = target_length, -1
        for end in range(begin + 1, min(begin + max_span, source_length) + 1):
            first, last = min(first, low[end - 1]), max(last, high[end - 1])
            if last - first >= max_span:
                break
            if high[end - 1] < 0:
                continue
            inside = True
            for target in range(first, last + 1):
                if back_high[target] >= 0 and (back_low[target] < begin or back_high[target] >= end):
                    inside = False
                    break
            if inside:
                table[begin, end - begin - 1, 0], table[begin, end - begin - 1, 1] = first, last + 1
    return table


@jit
def rule_spans(
    source_length: int, target_length: int, links: Ints, max_span: int, max_symbols: int, max_gaps: int
) -> Ints:
    """Gives the spans of all rules of a sentence pair.

    Args:
        source_length, target_length: words.
        links: (points, 2) int32 source and target positions.
        max_span: words of an initial phrase on either side.
        max_symbols: symbols of a rule's source side.
        max_gaps: 0, 1 or 2.

    Returns:
        (rules, SPAN_COLUMNS) int32.
    """
    table = phrase_table(source_length, target_length, links, max_span)
    linked = np.zeros(source_length + 1, dtype=np.int32)  # how many words before a position have links
    for place in range(len(links)):
        linked[links[place, 0] + 1] = 1
    linked = np.cumsum(linked).astype(np.int32)
    spans = np.empty((_FIRST_ROWS, SPAN_COLUMNS), dtype=np.int32)
    count = 0
    for begin in range(source_length):
        for end in range(begin + 1, min(begin + max_span, source_length) + 1):
            if table[begin, end - begin - 1, 0] < 0:
                continue
            words = end - begin
            own_links = linked[end] - linked[begin]
            if words <= max_symbols:
                count, spans = _add(spans, count, table, begin, end, -1, -1, -1, -1)
            if max_gaps == 0:
                continue
            for gap in range(begin, end):
                # The gap leaves at most `max_symbols - 1` words.
                for gap_end in range(max(gap + 1, gap + words - max_symbols + 1), end + 1):
                    if gap_end - gap == words or table[gap, gap_end - gap - 1, 0] < 0:
                        continue
                    if own_links > linked[gap_end] - linked[gap]:
                        count, spans = _add(spans, count, table, begin, end, gap, gap_end, -1, -1)
            if max_gaps == 1:
                continue
            for gap in range(begin, end):
                for gap_end in range(gap + 1, end):
                    if table[gap, gap_end - gap - 1, 0] < 0:
                        continue
                    rest = words - (gap_end - gap)
                    rest_links = own_links - (linked[gap_end] - linked[gap])
                    for other in range(gap_end + 1, end):
                        for other_end in range(max(other + 1, other + rest - max_symbols + 2), end + 1):
                            if table[other, other_end - other - 1, 0] < 0:
                                continue
                            if rest_links > linked[other_end] - linked[other]:
                                count, spans = _add(spans, count, table, begin, end, gap, gap_end, other, other_end)
    return spans[:count]


@jit
def _add(
    spans: Ints, count: int, table: Ints, begin: int, end: int, gap: int, gap_end: int, other: int, other_end: int
) -> tuple[int, Ints]:
    if count == len(spans):
        grown = np.empty((2 * count, SPAN_COLUMNS), dtype=np.int32)
        grown[:count] = spans
        spans = grown
    row = spans[count]
    row[:] = -1
    row[0], row[1] = begin, end
    row[2], row[3] = table[begin, end - begin - 1]
    if gap >= 0:
        row[4], row[5] = gap, gap_end
        row[6], row[7] = table[gap, gap_end - gap - 1]
    if other >= 0:
        row[8], row[9] = other, other_end
        row[10], row[11] = table[other, other_end - other - 1]
    return count + 1, spans

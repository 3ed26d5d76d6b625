"""Aligns the words of a hypothesis with source tokens by its derivation."""

from __future__ import annotations

from collections.abc import Sequence

from lattice_simp.errors import GrammarError
from lattice_simp.formats.moses.rule_table import RuleText
from lattice_simp.support.plurals import counted
from lattice_simp.translate.derivation import COPY_RULE, GAP_RULE, RuleUse
from lattice_simp.translate.grammar import Grammar


def align_words(uses: Sequence[RuleUse], source: Sequence[str], grammar: Grammar) -> list[frozenset[int]]:
    """Returns the source tokens that each target word is aligned with.

    A rule without an alignment aligns each of its target words with all of its own source words. A gap of
    skeleton-first decoding is translated separately, even if a rule reaches across it.

    Raises:
        GrammarError: the rules do not make up a derivation of `source`.
    """
    pending = sorted(uses, key=lambda use: (use.start, -use.end, use.rule != GAP_RULE))
    words = _derive_all(pending, 0, len(source), source, grammar)
    if pending:
        raise GrammarError(f"{counted(len(pending), 'rule')} left over: this is not a derivation")
    return words


def _derive_all(
    pending: list[RuleUse], start: int, end: int, source: Sequence[str], grammar: Grammar
) -> list[frozenset[int]]:
    """Derives `start` to `end` by the widest pending rules, and removes these; returns the tokens of each word."""
    words: list[frozenset[int]] = []
    while start < end:
        part, start = _derive(pending, start, source, grammar)
        words += part
    if start != end:
        raise GrammarError(f"a rule of the derivation crosses the border at token {end}")
    return words


def _derive(
    pending: list[RuleUse], start: int, source: Sequence[str], grammar: Grammar, end: int | None = None
) -> tuple[list[frozenset[int]], int]:
    """Derives a span by the widest pending rule from `start` (to `end`); returns its words' tokens, and its end."""
    fitting = [use for use in pending if use.start == start and end in (None, use.end)]
    for use in fitting:
        rest = [other_use for other_use in pending if other_use is not use]
        if use.rule == COPY_RULE:
            pending[:] = rest
            return [frozenset([start])], use.end
        if use.rule == GAP_RULE:
            words = _derive_all(rest, use.start, use.end, source, grammar)
            pending[:] = rest
            return words, use.end
        rule = grammar.rule(use.rule)
        derived = _apply(rule, use, rest, source, grammar)
        if derived is None:
            derived = _apply_across(rule, use, rest, source, grammar)
        if derived is not None:
            pending[:] = rest
            return derived, use.end
    raise GrammarError(f"no rule of the derivation begins at token {start}")


def _apply(
    rule: RuleText, use: RuleUse, rest: list[RuleUse], source: Sequence[str], grammar: Grammar
) -> list[frozenset[int]] | None:
    """Derives the slots of a rule; None if its source side does not fit here."""
    for spans in _slot_spans(rule.source, use.start, use.end, source, rest):
        remaining = list(rest)
        try:
            parts = [_derive(remaining, begin, source, grammar, end)[0] for begin, end in spans]
        except GrammarError:
            continue
        rest[:] = remaining
        return _project(rule, use.start, spans, parts)
    return None


def _apply_across(
    rule: RuleText, use: RuleUse, rest: list[RuleUse], source: Sequence[str], grammar: Grammar
) -> list[frozenset[int]] | None:
    """Derives the gaps of the sentence that a phrasal rule reaches across; None if it does not fit here."""
    for skips in _skips(rule.source, 0, use.start, use.end, source, rest):
        remaining = list(rest)
        try:
            gaps = [_derive_all(remaining, begin, end, source, grammar) for _, begin, end in skips]
        except GrammarError:
            continue
        rest[:] = remaining
        skipped = {position for _, begin, end in skips for position in range(begin, end)}
        tokens = [position for position in range(use.start, use.end) if position not in skipped]
        words = [frozenset(tokens[index] for index in aligned) for aligned in _project(rule, 0, [], [])]
        points = [gap_position(rule.alignment, num_before, len(tokens), len(words)) for num_before, _, _ in skips]
        inserted: list[frozenset[int]] = []
        for position in range(len(words) + 1):
            for point, gap in zip(points, gaps, strict=True):
                inserted += gap if point == position else []
            inserted += words[position : position + 1]
        return inserted
    return None


def gap_position(points: Sequence[Sequence[int]], num_before: int, total: int, length: int) -> int:
    """Returns the place of a gap on a phrasal rule's target side.

    The gap follows `num_before` of the rule's `total` source words. It goes after the last target word that is aligned
    with the nearest aligned source word before it, or first if there is none. Without an alignment, it keeps its
    relative position.

    >>> gap_position([(0, 1), (1, 0), (2, 2)], 2, 3, 3), gap_position([], 1, 4, 2)
    (1, 0)
    """
    if not len(points):
        return round(length * num_before / total)
    left = [(source, target) for source, target in points if source < num_before]
    return max(left)[1] + 1 if left else 0


def _skips(
    symbols: Sequence[str | tuple[str]],
    index: int,
    start: int,
    end: int,
    source: Sequence[str],
    rest: Sequence[RuleUse],
) -> list[list[tuple[int, int, int]]]:
    """Lists the ways in which words and gaps between them cover the tokens: (words before, start, end) of each gap."""
    if index == len(symbols):
        return [[]] if start == end else []
    ways = []
    for stop in _stops(start, end, rest) if index else [start]:
        if stop < end and source[stop] == symbols[index]:
            gap = [(index, start, stop)] if stop > start else []
            ways += [[*gap, *more] for more in _skips(symbols, index + 1, stop + 1, end, source, rest)]
    return ways


def _stops(start: int, end: int, rest: Sequence[RuleUse]) -> list[int]:
    """Returns `start`, and the places before `end` where rules that follow one another from `start` may end."""
    stops = {start}
    for use in sorted(rest, key=lambda use: use.start):
        if use.start in stops and use.end < end:
            stops.add(use.end)
    return sorted(stops)


def _slot_spans(
    symbols: Sequence[str | tuple[str]], start: int, end: int, source: Sequence[str], rest: Sequence[RuleUse]
) -> list[list[tuple[int, int]]]:
    """Lists the ways in which a source side covers the tokens, with slots where some rule of the derivation applies."""
    if not symbols:
        return [[]] if start == end else []
    first, following = symbols[0], symbols[1:]
    if isinstance(first, str):
        matches = start < end and source[start] == first
        return _slot_spans(following, start + 1, end, source, rest) if matches else []
    ways = []
    for stop in sorted({use.end for use in rest if use.start == start and use.end <= end}, reverse=True):
        ways += [[(start, stop), *more] for more in _slot_spans(following, stop, end, source, rest)]
    return ways


def _project(
    rule: RuleText, start: int, spans: Sequence[tuple[int, int]], parts: Sequence[list[frozenset[int]]]
) -> list[frozenset[int]]:
    """Returns the tokens of each target word of a rule at `start`, given its slots' spans and their words' tokens."""
    token_of: list[int] = []  # the source token of each source symbol; unused for slots
    token, slots = start, iter(spans)
    for symbol in rule.source:
        token_of.append(token)
        token = token + 1 if isinstance(symbol, str) else next(slots)[1]
    terminals = frozenset(
        position for position, symbol in zip(token_of, rule.source, strict=True) if isinstance(symbol, str)
    )
    words: list[frozenset[int]] = []
    for index, target in enumerate(rule.target):
        if isinstance(target, int):
            words += parts[target]
        elif rule.alignment:
            words.append(frozenset(token_of[s] for s, t in rule.alignment if t == index))
        else:
            words.append(terminals)
    return words

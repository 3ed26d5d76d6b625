"""Which source tokens each word of a hypothesis comes from, read off its derivation."""

from __future__ import annotations

from collections.abc import Sequence

from lattice_simp.errors import GrammarError
from lattice_simp.formats.rule_table import RuleText
from lattice_simp.translate.derivation import COPY_RULE, RuleUse
from lattice_simp.translate.grammar import Grammar


def align_words(uses: Sequence[RuleUse], source: Sequence[str], grammar: Grammar) -> list[frozenset[int]]:
    """Returns for each target word the source tokens it is aligned to.

    A rule without an alignment aligns each of its target words with all of its own source words.

    Raises:
        GrammarError: the rules do not make up a derivation of `source`.
    """
    pending = sorted(uses, key=lambda use: (use.start, -use.end))
    words: list[frozenset[int]] = []
    position = 0
    while position < len(source):
        part, position = _derive(pending, position, source, grammar)
        words += part
    if pending:
        raise GrammarError(f"{len(pending)} rules are left over: this is not a derivation")
    return words


def _derive(
    pending: list[RuleUse], start: int, source: Sequence[str], grammar: Grammar, end: int | None = None
) -> tuple[list[frozenset[int]], int]:
    """Takes the widest rule that begins at `start` (and ends at `end`) and everything inside it off the list."""
    fitting = [use for use in pending if use.start == start and end in (None, use.end)]
    for use in fitting:
        rest = [other for other in pending if other is not use]
        if use.rule == COPY_RULE:
            pending[:] = rest
            return [frozenset([start])], use.end
        rule = grammar.rule(use.rule)
        derived = _apply(rule, use, rest, source, grammar)
        if derived is not None:
            pending[:] = rest
            return derived, use.end
    raise GrammarError(f"no rule of the derivation begins at token {start}")


def _apply(
    rule: RuleText, use: RuleUse, rest: list[RuleUse], source: Sequence[str], grammar: Grammar
) -> list[frozenset[int]] | None:
    """Derives the gaps of a rule; None if its source side does not fit here."""
    for spans in _gap_spans(rule.source, use.start, use.end, source, rest):
        remaining = list(rest)
        try:
            parts = [_derive(remaining, begin, source, grammar, end)[0] for begin, end in spans]
        except GrammarError:
            continue
        rest[:] = remaining
        return _project(rule, use.start, spans, parts)
    return None


def _gap_spans(
    symbols: Sequence[str | tuple[str]], start: int, end: int, source: Sequence[str], rest: Sequence[RuleUse]
) -> list[list[tuple[int, int]]]:
    """Lists the ways in which a source side covers the tokens, with gaps where some rule of the derivation applies."""
    if not symbols:
        return [[]] if start == end else []
    first, others = symbols[0], symbols[1:]
    if isinstance(first, str):
        matches = start < end and source[start] == first
        return _gap_spans(others, start + 1, end, source, rest) if matches else []
    found = []
    for stop in sorted({use.end for use in rest if use.start == start and use.end <= end}, reverse=True):
        found += [[(start, stop), *more] for more in _gap_spans(others, stop, end, source, rest)]
    return found


def _project(
    rule: RuleText, start: int, spans: Sequence[tuple[int, int]], parts: Sequence[list[frozenset[int]]]
) -> list[frozenset[int]]:
    token_of: list[int] = []  # the source token of each source symbol; that of a gap is not asked for
    token, gaps = start, iter(spans)
    for symbol in rule.source:
        token_of.append(token)
        token = token + 1 if isinstance(symbol, str) else next(gaps)[1]
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

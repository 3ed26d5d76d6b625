"""Rule tables as text: cdec/Hiero synchronous rules and Moses phrase tables, a line each.

    [X] ||| ne [X,1] pas ||| not [X,1] ||| EF=-0.3 FE=-0.7 ||| 0-0 2-0           cdec/Hiero
    das haus ||| the house ||| 0.5 0.3 0.7 0.2 ||| 0-0 1-1 ||| 10 8 6            Moses (scores are probabilities)

A Hiero non-terminal is `[NAME,n]`; n links source and target. Feature values are scores, higher is better: as they
stand in a Hiero table, natural logs of the probabilities in a Moses table, where they are called Phrase1, Phrase2, ...
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lattice_simp.errors import FormatError

MAX_GAPS = 2
"""Non-terminals that a rule may have (Chiang 2007)."""

_SEPARATOR = " ||| "
_NONTERMINAL = re.compile(r"\[([^\[\],]+),([1-9])\]\Z")
_LEFT = re.compile(r"\[([^\[\],]+)\]\Z")
_LEAST_PROBABILITY = 1e-40  # Moses writes 0 for what has underflowed


class RuleText(NamedTuple):
    """One rule. Source gaps are numbered from left to right; a target gap names the source gap it stands for.

    Attributes:
        left: the left-hand side's name.
        source: words, or `(name,)` for a gap.
        target: words, or the number (from 0) of a source gap.
        features: names and values.
        alignment: (source position, target position) pairs over all symbols of both sides.
    """

    left: str
    source: tuple[str | tuple[str], ...]
    target: tuple[str | int, ...]
    features: tuple[tuple[str, float], ...]
    alignment: tuple[tuple[int, int], ...]


def parse_rules(lines: Iterable[str], path: str = "<lines>", default_left: str = "X") -> Iterator[RuleText]:
    """Parses rule lines of either kind; blank lines are skipped.

    >>> rule, = parse_rules(["[X] ||| ne [X,1] pas ||| not [X,1] ||| EF=-0.3 ||| 0-0 2-0"])
    >>> rule.source, rule.target, rule.features, rule.alignment
    (('ne', ('X',), 'pas'), ('not', 0), (('EF', -0.3),), ((0, 0), (2, 0)))

    Raises:
        FormatError: names the line and what is wrong with it.
    """
    for number, line in enumerate(lines, start=1):
        fields = [field.strip() for field in line.split("|||")]
        if fields == [""]:
            continue
        try:
            yield _parse_hiero(fields) if _LEFT.match(fields[0]) else _parse_moses(fields, default_left)
        except ValueError as error:
            raise FormatError(
                str(error), path=path, line=number, remedy="write `[X] ||| source ||| target ||| Name=score`"
            ) from None


def _parse_hiero(fields: list[str]) -> RuleText:
    if len(fields) < 3:
        raise ValueError(f"a rule has 3 to 5 fields between ' ||| ', this one {len(fields)}")
    source, links = _parse_source(fields[1].split())
    names = [symbol[0] for symbol in source if isinstance(symbol, tuple)]
    target = _parse_target(fields[2].split(), links, names)
    return RuleText(
        fields[0][1:-1],
        source,
        target,
        tuple(_parse_features(fields[3].split())) if len(fields) > 3 else (),
        _parse_alignment(fields[4], (len(source), len(target))) if len(fields) > 4 else (),
    )


def _parse_moses(fields: list[str], left: str) -> RuleText:
    if len(fields) < 3:
        raise ValueError(f"a phrase has 3 or more fields between ' ||| ', this one {len(fields)}")
    source, target = tuple(fields[0].split()), tuple(fields[1].split())
    if not source or not target:
        raise ValueError("a phrase with an empty side")
    scores = [_number(text) for text in fields[2].split()]
    features = tuple(
        (f"Phrase{place}", math.log(max(score, _LEAST_PROBABILITY))) for place, score in enumerate(scores, start=1)
    )
    return RuleText(
        left,
        source,
        target,
        features,
        _parse_alignment(fields[3], (len(source), len(target))) if len(fields) > 3 else (),
    )


def _parse_source(symbols: list[str]) -> tuple[tuple[str | tuple[str], ...], dict[str, int]]:
    if not symbols:
        raise ValueError("a rule with an empty source side")
    source: list[str | tuple[str]] = []
    links: dict[str, int] = {}
    for symbol in symbols:
        match = _NONTERMINAL.match(symbol)
        if match is None:
            source.append(symbol)
            continue
        if match[2] in links:
            raise ValueError(f"the non-terminal number {match[2]} stands twice on the source side")
        links[match[2]] = len(links)
        source.append((match[1],))
    if len(links) > MAX_GAPS:
        raise ValueError(f"a rule has at most {MAX_GAPS} non-terminals, this one {len(links)}")
    return tuple(source), links


def _parse_target(symbols: list[str], links: dict[str, int], names: list[str]) -> tuple[str | int, ...]:
    target: list[str | int] = []
    for symbol in symbols:
        match = _NONTERMINAL.match(symbol) if symbol[0] == "[" else None
        if match is None:
            target.append(symbol)
        elif match[2] not in links:
            raise ValueError(f"the target's non-terminal number {match[2]} is not on the source side")
        elif names[links[match[2]]] != match[1]:
            raise ValueError(f"the non-terminal {symbol} has another name on the source side")
        else:
            target.append(links[match[2]])
    if sorted(symbol for symbol in target if isinstance(symbol, int)) != list(range(len(links))):
        raise ValueError("source and target do not have the same non-terminals, once each")
    return tuple(target)


def _parse_features(texts: list[str]) -> Iterator[tuple[str, float]]:
    for place, text in enumerate(texts):
        name, equals, value = text.partition("=")
        yield (name, _number(value)) if equals else (f"Feature{place}", _number(text))


def _parse_alignment(text: str, lengths: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    points = []
    for point in text.split():
        source, dash, target = point.partition("-")
        if not (dash and source.isdecimal() and target.isdecimal()):
            raise ValueError(f"{point!r} is no alignment point such as 0-1")
        if len(source) > 4 or len(target) > 4 or int(source) >= lengths[0] or int(target) >= lengths[1]:
            raise ValueError(f"the alignment point {point[:20]!r} lies outside the rule")
        points.append((int(source), int(target)))
    return tuple(points)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"the score {text[:40]!r} is not a number") from None
    if not math.isfinite(value):
        raise ValueError(f"the score {text!r} is not finite")
    return value


def format_rule(rule: RuleText) -> str:
    """Writes a rule as a Hiero line; reading it again gives an equal rule.

    >>> format_rule(RuleText("X", ("ne", ("X",), "pas"), ("not", 0), (("EF", -0.3),), ((0, 0),)))
    '[X] ||| ne [X,1] pas ||| not [X,1] ||| EF=-0.3 ||| 0-0'
    """
    gap_names = [symbol[0] for symbol in rule.source if isinstance(symbol, tuple)]
    numbers = iter(range(1, len(gap_names) + 1))
    source = (symbol if isinstance(symbol, str) else f"[{symbol[0]},{next(numbers)}]" for symbol in rule.source)
    target = (symbol if isinstance(symbol, str) else f"[{gap_names[symbol]},{symbol + 1}]" for symbol in rule.target)
    fields = [f"[{rule.left}]", " ".join(source), " ".join(target)]
    if rule.features or rule.alignment:
        fields.append(" ".join(f"{name}={value!r}" for name, value in rule.features))
    if rule.alignment:
        fields.append(" ".join(f"{source}-{target}" for source, target in rule.alignment))
    return _SEPARATOR.join(fields)

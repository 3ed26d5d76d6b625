"""Reads rule tables: cdec/Hiero synchronous rules, Moses phrase tables and Moses hierarchical tables, a rule a line.

    [X] ||| ne [X,1] pas ||| not [X,1] ||| EF=-0.3 FE=-0.7 ||| 0-0 2-0             cdec/Hiero
    das haus ||| the house ||| 0.5 0.3 0.7 0.2 ||| 0-0 1-1 ||| 10 8 6              Moses (scores are probabilities)
    das [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.3 0.7 0.2 ||| 0-0 1-1 ||| 10 8 6   Moses, hierarchical

A Hiero non-terminal is `[NAME,n]`, or only `[n]` in cdec's targets; n links source and target. In a hierarchical table
the alignment links them, and each side ends with its left-hand side. Feature values are scores, higher is better. A
Hiero table contains them; those of a Moses table are the natural logs of its probabilities, called Phrase1, ...
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import beyond, finite, natural, shown

MAX_SLOTS = 2
"""The most non-terminals of a rule (Chiang 2007)."""

_NONTERMINAL = re.compile(r"\[([^\[\],]+),([1-9])\]\Z")
_LINK = re.compile(r"\[(?:([^\[\],]+),)?([1-9])\]\Z")
_LEFT = re.compile(r"\[([^\[\], \t]+)\]\Z")
_MOSES_LEFT = re.compile(r"\[([^\[\] \t]+)\]\Z")
_MOSES_NONTERMINAL = re.compile(r"\[([^\[\] \t]+)\]\[([^\[\] \t]+)\]\Z")
_POINTS = re.compile(r"[0-9]+-[0-9]+([ \t]+[0-9]+-[0-9]+)*\Z")
_LEAST_PROBABILITY = 1e-40  # Moses writes 0 for probabilities that underflow


class RuleText(NamedTuple):
    """A rule. Source slots are numbered from left to right; a target slot refers to a source slot.

    Attributes:
        left: the left-hand side's name.
        source: words, or `(name,)` for a slot.
        target: words, or the number (from 0) of a source slot.
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
        FormatError: a line is broken; the message has its number.
    """
    kind = None
    for number, line in enumerate(lines, start=1):
        fields = [field.strip(" \t\r\n") for field in line.split("|||")]
        if fields == [""]:
            continue
        try:
            kind = _kind(fields, kind)
            yield _PARSERS[kind](fields, default_left)
        except ValueError as error:
            raise FormatError(
                str(error), path=path, line=number, remedy="write `[X] ||| source ||| target ||| Name=score`"
            ) from None


def _kind(fields: list[str], before: str | None) -> str:
    """Returns the kind of a line; if its brackets may be words, the kind of the lines before decides."""
    left = _LEFT.match(fields[0])
    if left is None:
        return _moses_kind(fields, before)
    if len(fields) < 3 or not fields[2] or None in map(finite, split_tokens(fields[2])):
        return "hiero"
    remaining = [field for field in fields[3:5] if field]  # the third field consists of numbers: scores, or a target
    if remaining:
        aligned_first = bool(_POINTS.match(fields[3])) or (not fields[3] and not _POINTS.match(remaining[0]))
        return "phrases" if aligned_first else "hiero"
    phrase = len(fields) < 5 and (natural(left[1]) is not None or before == "phrases")
    return "phrases" if phrase else "hiero"


def _moses_kind(fields: list[str], before: str | None) -> str:
    sides = [split_tokens(field) for field in fields[:2]]
    if any(_MOSES_NONTERMINAL.match(symbol) for side in sides for symbol in side):
        return "hierarchical"
    ends = [_MOSES_LEFT.match(side[-1]) for side in sides if side]
    names = [end[1] for end in ends if end]
    if len(names) == 2 and len(sides[0]) > 1 and (before == "hierarchical" or (before is None and "X" in names)):
        return "hierarchical"
    return "phrases"


def _parse_hiero(fields: list[str], _: str) -> RuleText:
    if len(fields) < 3:
        raise ValueError(f"a rule has 3 to 5 fields between ' ||| ', this one {len(fields)}")
    source, links = _parse_source(split_tokens(fields[1]))
    names = [symbol[0] for symbol in source if isinstance(symbol, tuple)]
    target = _parse_target(split_tokens(fields[2]), links, names)
    return RuleText(
        fields[0][1:-1],
        source,
        target,
        _parse_features(split_tokens(fields[3])) if len(fields) > 3 else (),
        _parse_alignment(fields[4], (len(source), len(target))) if len(fields) > 4 else (),
    )


def _parse_phrase(fields: list[str], left: str) -> RuleText:
    source, target = _moses_sides(fields)
    if not source:
        raise ValueError("a phrase with an empty source side")
    return RuleText(left, tuple(source), tuple(target), _moses_features(fields[2]), _moses_points(fields))


def _parse_hierarchical(fields: list[str], _: str) -> RuleText:
    sides = _moses_sides(fields)
    ends = [_MOSES_LEFT.match(side.pop()) if side else None for side in sides]
    if ends[0] is None or ends[1] is None or not sides[0]:
        raise ValueError("a side of a hierarchical rule without words, or without its left-hand side such as [X]")
    points = _moses_points(fields)
    source_slots, target_slots = (
        {index: _label(*match.groups()) for index, match in enumerate(map(_MOSES_NONTERMINAL.match, side)) if match}
        for side in sides
    )
    if len(source_slots) > MAX_SLOTS:
        raise ValueError(f"a rule has at most {MAX_SLOTS} non-terminals, this one {len(source_slots)}")
    links = {target: source for source, target in points if source in source_slots and target in target_slots}
    if len(source_slots) == len(target_slots) == 1:
        links = dict(zip(target_slots, source_slots, strict=True))
    if sorted(links) != list(target_slots) or sorted(links.values()) != list(source_slots):
        raise ValueError("the alignment does not link each non-terminal of the source with one of the target")
    if any(target_slots[target] != source_slots[source] for target, source in links.items()):
        raise ValueError("linked non-terminals with other names on the source side")
    ranks = {index: rank for rank, index in enumerate(source_slots)}
    return RuleText(
        _label(ends[0][1], ends[1][1]),
        tuple((source_slots[index],) if index in source_slots else word for index, word in enumerate(sides[0])),
        tuple(ranks[links[index]] if index in links else word for index, word in enumerate(sides[1])),
        _moses_features(fields[2]),
        tuple((s, t) for s, t in points if s not in source_slots and t not in target_slots),
    )


def _label(source: str, target: str) -> str:
    """Returns one name for a pair of labels; X stands for any label."""
    return target if source in ("X", target) else source if target == "X" else f"{source}:{target}"


def _moses_sides(fields: list[str]) -> tuple[list[str], list[str]]:
    if len(fields) < 3:
        raise ValueError(f"a phrase has 3 or more fields between ' ||| ', this one {len(fields)}")
    return split_tokens(fields[0]), split_tokens(fields[1])


def _moses_features(text: str) -> tuple[tuple[str, float], ...]:
    scores = list(map(_number, split_tokens(text)))
    if min(scores, default=0.0) < 0:
        raise ValueError(f"the score {min(scores):g} is below 0, where Moses has probabilities")
    return tuple((f"Phrase{n}", math.log(max(score, _LEAST_PROBABILITY))) for n, score in enumerate(scores, start=1))


def _moses_points(fields: list[str]) -> tuple[tuple[int, int], ...]:
    return (
        _parse_alignment(fields[3], (len(split_tokens(fields[0])), len(split_tokens(fields[1]))))
        if len(fields) > 3
        else ()
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
            raise ValueError(f"the non-terminal number {match[2]} occurs twice on the source side")
        links[match[2]] = len(links)
        source.append((match[1],))
    if len(links) > MAX_SLOTS:
        raise ValueError(f"a rule has at most {MAX_SLOTS} non-terminals, this one {len(links)}")
    return tuple(source), links


def _parse_target(symbols: list[str], links: dict[str, int], names: list[str]) -> tuple[str | int, ...]:
    target: list[str | int] = []
    for symbol in symbols:
        match = _LINK.match(symbol) if symbol[0] == "[" else None
        if match is None or (match[1] is None and match[2] not in links):
            target.append(symbol)
        elif match[2] not in links:
            raise ValueError(f"the target's non-terminal number {match[2]} is not on the source side")
        elif match[1] not in (None, names[links[match[2]]]):
            raise ValueError(f"the non-terminal {symbol} has another name on the source side")
        else:
            target.append(links[match[2]])
    if sorted(symbol for symbol in target if isinstance(symbol, int)) != list(range(len(links))):
        raise ValueError("source and target do not have the same non-terminals, once each")
    return tuple(target)


def _parse_features(texts: list[str]) -> tuple[tuple[str, float], ...]:
    features: dict[str, float] = {}
    for index, text in enumerate(texts):
        name, equals, value = text.partition("=")
        name, value = (name, value) if equals else (f"Feature{index}", text)
        if name in features:
            raise ValueError(f"the feature {name} occurs twice")
        features[name] = _number(value)
    return tuple(features.items())


def _parse_alignment(text: str, lengths: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    points = []
    for point in split_tokens(text):
        source, dash, target = point.partition("-")
        pair = natural(source), natural(target)
        if pair[0] is None or pair[1] is None or not dash:
            raise ValueError(f"{shown(point)} is not an alignment point such as 0-1")
        if pair[0] >= lengths[0] or pair[1] >= lengths[1]:
            raise ValueError(f"the alignment point {shown(point)} is outside the rule")
        points.append((pair[0], pair[1]))
    return tuple(points)


def _number(text: str) -> float:
    value = finite(text)
    if value is None:
        is_number = text.strip("+-").lower() in ("inf", "infinity", "nan")
        is_number |= bool(beyond(text))
        raise ValueError(f"the score {shown(text)} is not {'finite' if is_number else 'a number'}{beyond(text)}")
    return value


_PARSERS = {"hiero": _parse_hiero, "phrases": _parse_phrase, "hierarchical": _parse_hierarchical}

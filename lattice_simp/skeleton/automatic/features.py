"""The features of a deletion tagger for each token of a parsed sentence."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.skeleton.automatic.candidates import choose
from lattice_simp.skeleton.automatic.dependency import all_lengths, nearest
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

FEATURE_VERSION = 1
"""Increment this when the features change: a model works only with the features that it was trained on."""

RATES = (0.35, 0.5, 0.65, 0.8)
"""The compression rates of the dependency skeletons that are features: how long a token outlasts the others."""

_OUTSIDE = "#"
_LONG = 12
"""Subtrees of more tokens all count as long."""


def token_features(parse: Parse) -> list[list[str]]:
    """Returns the names of the features that hold for each token.

    They are words, lemmas, parts of speech and labels of the token, its neighbours and its head; the labels from the
    token up to the root; the phrases that hold it, with their length and surrounding punctuation; its position; and the
    dependency skeletons that keep it.

    >>> parse = Parse(("it", "rained"), (1, -1), ("nsubj", "ROOT"), ("PRON", "VERB"), ("PRP", "VBD"), ("it", "rain"))
    >>> "label=nsubj" in token_features(parse)[0], "chain=nsubj>ROOT" in token_features(parse)[0]
    (True, True)
    """
    phrases = [_phrase(parse, position) for position in range(len(parse))]
    stays = _stays(parse)
    return [
        [*_token(parse, position), *_tree(parse, position, phrases), *_stay(stays, position)]
        for position in range(len(parse))
    ]


def _token(parse: Parse, position: int) -> Iterator[str]:
    length = len(parse)
    word, tag, label = parse.tokens[position].lower(), parse.tags[position], parse.labels[position]
    yield f"word={word}"
    yield f"lemma={parse.lemmas[position].lower()}|{parse.parts[position]}"
    yield f"tag={tag}"
    yield f"label={label}"
    yield f"label={label}|tag={tag}"
    yield f"shape={_shape(parse.tokens[position])}"
    yield f"place={_bucket(position)}"
    yield f"from-end={_bucket(length - 1 - position)}"
    yield f"fifth={5 * position // length}"
    yield f"fifth={5 * position // length}|label={label}"
    yield f"length={min(length // 5, 9)}"
    for offset in (-2, -1, 1, 2):
        neighbour = position + offset
        inside = 0 <= neighbour < length
        yield f"{offset:+}:tag={parse.tags[neighbour] if inside else _OUTSIDE}"
        yield f"{offset:+}:label={parse.labels[neighbour] if inside else _OUTSIDE}"
        if abs(offset) == 1:
            yield f"{offset:+}:word={parse.tokens[neighbour].lower() if inside else _OUTSIDE}"
            yield f"{offset:+}:tags={parse.tags[neighbour] if inside else _OUTSIDE}|{tag}"
    kind = mark_kind(parse.tokens[position])
    if kind:
        yield f"mark={kind}|{word}"


def _tree(parse: Parse, position: int, phrases: list[str]) -> Iterator[str]:
    head = parse.heads[position]
    label = parse.labels[position]
    yield f"depth={min(parse.depths[position], 8)}"
    yield f"depth={min(parse.depths[position], 8)}|label={label}"
    yield f"children={min(len(parse.children[position]), 5)}"
    yield "has=" + ",".join(sorted({parse.labels[child] for child in parse.children[position]} - {"punct"}))
    yield f"phrase={phrases[position]}"
    if head == ROOT:
        yield "no head"
    else:
        distance = head - position
        yield f"head lemma={parse.lemmas[head].lower()}|label={label}"
        yield f"head part={parse.parts[head]}|label={label}"
        yield f"head label={parse.labels[head]}|label={label}"
        yield f"to head={'+' if distance > 0 else '-'}{_bucket(abs(distance))}|label={label}"
        siblings = {parse.labels[dependent] for dependent in parse.children[head]} - {"punct", label}
        for sibling in sorted(siblings):
            yield f"beside={sibling}|label={label}"
    ancestors = list(_ancestors(parse, position))
    labels = [parse.labels[ancestor] for ancestor in ancestors]
    for upto in range(2, 5):
        yield "chain=" + ">".join(labels[:upto])
    for above in sorted(set(labels[1:])):
        yield f"under={above}"
    for ancestor in ancestors:
        yield f"in={phrases[ancestor]}"
        yield f"in={parse.labels[ancestor]}|{parse.lemmas[ancestor].lower()}"


def _stays(parse: Parse) -> list[str]:
    """Returns the dependency skeletons that keep each token, by decreasing compression, as strings."""
    masks = all_lengths(parse)
    chosen = [choose(parse.tokens, nearest(masks, rate), 1)[0].mask for rate in RATES]
    return ["".join("1" if kept else "0" for kept in column) for column in zip(*chosen, strict=True)]


def _stay(stays: list[str], position: int) -> Iterator[str]:
    yield f"stays={stays[position]}"
    yield f"stays={stays[position].count('1')}"
    if position:
        yield f"-1:stays={stays[position - 1].count('1')}|{stays[position].count('1')}"


def _phrase(parse: Parse, position: int) -> str:
    """Describes the phrase of a token: its label, its head's part of speech, its length and how it is set off."""
    head = parse.heads[position]
    subtree = parse.subtree(position)
    first, last = subtree[0], subtree[-1]
    before = mark_kind(parse.tokens[first - 1]) if first else "start"
    after = mark_kind(parse.tokens[last + 1]) if last + 1 < len(parse) else "end"
    side = "root" if head == ROOT else "left" if position < head else "right"
    near = "next" if head != ROOT and first == head + 1 else ""
    part = _OUTSIDE if head == ROOT else parse.parts[head]
    length = "long" if len(subtree) > _LONG else _bucket(len(subtree))
    return "/".join((parse.labels[position], part, side, near, length, before or "", after or ""))


def _ancestors(parse: Parse, position: int) -> Iterator[int]:
    while position != ROOT:
        yield position
        position = parse.heads[position]


def _bucket(number: int) -> str:
    """Names small numbers exactly and larger ones by a range."""
    for bound in (0, 1, 2, 3, 5, 8, 12, 20):
        if number <= bound:
            return str(bound)
    return "more"


def _shape(word: str) -> str:
    return "".join(sorted({"A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else "." for c in word}))

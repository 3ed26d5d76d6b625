"""What a conditional random field sees of each token of a sentence with tags and chunks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import FINITE, NON_FINITE, Chunk, Sentence

Features = list[list[str]]
"""For each token, its attributes."""

Template = Callable[[Sentence], Features]

_WINDOW = 4
_SUFFIXES = (1, 2, 3)
_AHEAD = 3
"""How many phrases on either side are described."""

_FAR = 6
"""Numbers from here on are not told apart."""


def word_features(sentence: Sentence) -> Features:
    """Returns what a field sees where there are no chunks.

    It is the template of Sharma and Paul 2014 (hybrid approach), Table 1.

    The word, its tag and its last one to three characters; words and tags of the four tokens before and after; the
    last characters of the next three.
    """
    found: Features = []
    tokens = sentence.tokens
    for position, token in enumerate(tokens):
        own = [f"word={token.form}", f"tag={token.tag}"]
        own += [f"suffix{size}={token.form[-size:]}" for size in _SUFFIXES]
        for step in range(1, _WINDOW + 1):
            for sign, other in (("-", position - step), ("+", position + step)):
                if 0 <= other < len(tokens):
                    own += [f"word{sign}{step}={tokens[other].form}", f"tag{sign}{step}={tokens[other].tag}"]
        for step, following in enumerate(tokens[position + 1 : position + 4], start=1):
            own += [f"suffix{size}+{step}={following.form[-size:]}" for size in _SUFFIXES]
        found.append(own)
    return found


def phrase_features(sentence: Sentence) -> Features:
    """Returns words, tags and phrases: clauses begin and end with phrases, and verb groups decide where.

    To the words and tags of the nearest tokens come the token's phrase and its neighbours, each by its tag and case
    marker; the verb group that comes next and the one before, with what is between; and how many verb groups of
    each kind, and which conjunctions, the sentence has on either side.
    """
    if not sentence.chunks:
        return word_features(sentence)
    described = [describe_phrase(sentence, chunk) for chunk in sentence.chunks]
    spread = _spread(sentence)
    found: Features = []
    for number, chunk in enumerate(sentence.chunks):
        shared = _phrase(number, described) + _verbs(number, sentence.chunks, described, sentence)
        for position in chunk.positions:
            corner = f"{position == chunk.start}{position == chunk.end - 1}"
            own = [f"{corner} {one}" for one in shared]
            found.append([*own, f"{corner}", *_words(sentence, position), *spread[number]])
    return found


def describe_phrase(sentence: Sentence, chunk: Chunk) -> str:
    """Describes a phrase: a conjunction by its word, a verb group by the end of its verb, others by their markers."""
    if chunk.tag == "CCP":
        return f"CCP:{sentence.head_of(chunk).form}"
    if chunk.is_verbal:
        return f"{chunk.tag}:{sentence.tokens[chunk.end - 1].form[-2:]}"
    return f"{chunk.tag}:{' '.join(sentence.postpositions(chunk)[:2])}"


def _phrase(number: int, described: list[str]) -> list[str]:
    found = []
    for step in range(-_AHEAD, _AHEAD + 1):
        other = number + step
        found.append(f"phrase{step}={described[other] if 0 <= other < len(described) else 'edge'}")
    last = described[number - 1] if number else "edge"
    following = described[number + 1] if number + 1 < len(described) else "edge"
    return [*found, f"phrases-={last} {described[number]}", f"phrases+={described[number]} {following}"]


def _verbs(number: int, chunks: tuple[Chunk, ...], described: list[str], sentence: Sentence) -> list[str]:
    """Describes the nearest verb groups and what is between."""
    found = []
    following = next((position for position in range(number, len(chunks)) if chunks[position].is_verbal), None)
    before = next((position for position in range(number - 1, -1, -1) if chunks[position].is_verbal), None)
    if following is not None:
        between = described[number:following]
        found.append(f"verb+={described[following]} {min(following - number, _FAR)}")
        found.append(
            f"path+={' '.join(between[:_AHEAD])} {chunks[following].tag}" if len(between) <= _AHEAD else "far+"
        )
        found += [f"between+={one} {chunks[following].tag}" for one in dict.fromkeys(between)]
        after = next((one for one in chunks[following + 1 :] if one.is_verbal or one.tag == "CCP"), None)
        found.append(f"verbs+={described[following]} {after.tag if after else 'edge'}")
        found.append(f"behind+={described[following + 1] if following + 1 < len(described) else 'edge'}")
    if before is not None:
        found.append(f"verb-={described[before]} {min(number - before, _FAR)}")
        found += [f"between-={one} {chunks[before].tag}" for one in dict.fromkeys(described[before + 1 : number])]
        if following is not None:
            found.append(f"verbs={described[before]} {described[following]}")
    return found


def _words(sentence: Sentence, position: int) -> list[str]:
    tokens = sentence.tokens
    own = [f"word={tokens[position].form}", f"tag={tokens[position].tag}", f"root={tokens[position].root}"]
    own += [f"suffix{size}={tokens[position].form[-size:]}" for size in (2, 3)]
    for step in (-2, -1, 1, 2):
        if 0 <= position + step < len(tokens):
            own += [f"word{step}={tokens[position + step].form}", f"tag{step}={tokens[position + step].tag}"]
    tags = [tokens[other].tag if 0 <= other < len(tokens) else "edge" for other in range(position - 2, position + 3)]
    return own + [f"tags{step}={one} {two}" for step, (one, two) in enumerate(pairwise(tags))]


def _spread(sentence: Sentence) -> list[list[str]]:
    """Counts what comes before and after each phrase."""
    kinds = {FINITE: 0, NON_FINITE: 0, "CCP": 0}
    before: list[dict[str, int]] = []
    for chunk in sentence.chunks:
        before.append(dict(kinds))
        if chunk.tag in kinds:
            kinds[chunk.tag] += 1
    return [
        [f"before {tag}={min(own[tag], 3)}" for tag in kinds]
        + [f"behind {tag}={min(kinds[tag] - own[tag], 3)}" for tag in kinds]
        for own in before
    ]


def rule_features(sentence: Sentence) -> Features:
    """Returns what `phrase_features` sees, and the brackets that the rules put: the field learns where to believe them.

    Wolpert 1992, "Stacked generalization": one system's output is what another one sees.
    """
    brackets = brackets_of(rule_clauses(sentence), len(sentence))
    found = phrase_features(sentence)
    depth = 0
    for position, (own, here) in enumerate(zip(found, brackets, strict=True)):
        depth += len(here.opens)
        following = brackets[position + 1] if position + 1 < len(brackets) else Brackets()
        before = brackets[position - 1] if position else Brackets()
        tag = sentence.tokens[position].tag
        own += [f"rule={here}", f"rule={here} {tag}", f"rules={before} {here} {following}"]
        own += [f"depth={min(depth, _FAR)}", f"depth={min(depth, _FAR)} {here}"]
        depth -= here.closes
    return found

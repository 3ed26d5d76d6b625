"""Features of conditional random fields for the tokens of sentences with tags and chunks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import CCP, FINITE, NON_FINITE, Chunk, Sentence

Features = list[list[str]]
"""The attributes of each token."""

Template = Callable[[Sentence], Features]

_WINDOW = 4
_SUFFIXES = (1, 2, 3)
_AHEAD = 3
"""The number of phrases described on either side."""

_FAR = 6
"""The number that larger ones are cut to."""


def word_features(sentence: Sentence) -> Features:
    """Returns the features of sentences without chunks, after Sharma and Paul 2014 (hybrid approach), Table 1.

    Each token has its word, its tag and its last one to three characters, the words and tags of the four tokens before
    and after, and the last characters of the next three.
    """
    features: Features = []
    tokens = sentence.tokens
    for position, token in enumerate(tokens):
        attributes = [f"word={token.form}", f"tag={token.tag}"]
        attributes += [f"suffix{size}={token.form[-size:]}" for size in _SUFFIXES]
        for step in range(1, _WINDOW + 1):
            for sign, index in (("-", position - step), ("+", position + step)):
                if 0 <= index < len(tokens):
                    attributes += [f"word{sign}{step}={tokens[index].form}", f"tag{sign}{step}={tokens[index].tag}"]
        for step, following in enumerate(tokens[position + 1 : position + 4], start=1):
            attributes += [f"suffix{size}+{step}={following.form[-size:]}" for size in _SUFFIXES]
        features.append(attributes)
    return features


def phrase_features(sentence: Sentence) -> Features:
    """Returns features of words, tags and phrases, as clauses begin and end with phrases and depend on verb groups.

    They describe the words and tags of the nearest tokens; the token's phrase and its neighbours by tag and case
    marker; the next and the previous verb group with the phrases between; and the number of verb groups of each kind
    and of conjunctions on either side.
    """
    if not sentence.chunks:
        return word_features(sentence)
    described = [describe_phrase(sentence, chunk) for chunk in sentence.chunks]
    spread = _spread(sentence)
    features: Features = []
    for number, chunk in enumerate(sentence.chunks):
        shared = _phrase(number, described) + _verbs(number, sentence.chunks, described, sentence)
        for position in chunk.positions:
            corner = f"{position == chunk.start}{position == chunk.end - 1}"
            attributes = [f"{corner} {attribute}" for attribute in shared]
            features.append([*attributes, f"{corner}", *_words(sentence, position), *spread[number]])
    return features


def describe_phrase(sentence: Sentence, chunk: Chunk) -> str:
    """Describes a phrase: a conjunction by its word, a verb group by its ending, others by their case markers."""
    if chunk.tag == CCP:
        return f"CCP:{sentence.head_of(chunk).form}"
    if chunk.is_verbal:
        return f"{chunk.tag}:{sentence.tokens[chunk.end - 1].form[-2:]}"
    return f"{chunk.tag}:{' '.join(sentence.postpositions(chunk)[:2])}"


def _phrase(number: int, described: list[str]) -> list[str]:
    attributes = []
    for step in range(-_AHEAD, _AHEAD + 1):
        index = number + step
        attributes.append(f"phrase{step}={described[index] if 0 <= index < len(described) else 'edge'}")
    last = described[number - 1] if number else "edge"
    following = described[number + 1] if number + 1 < len(described) else "edge"
    return [*attributes, f"phrases-={last} {described[number]}", f"phrases+={described[number]} {following}"]


def _verbs(number: int, chunks: tuple[Chunk, ...], described: list[str], sentence: Sentence) -> list[str]:
    """Describes the nearest verb groups and the phrases between."""
    attributes = []
    following = next((position for position in range(number, len(chunks)) if chunks[position].is_verbal), None)
    before = next((position for position in range(number - 1, -1, -1) if chunks[position].is_verbal), None)
    if following is not None:
        between = described[number:following]
        attributes.append(f"verb+={described[following]} {min(following - number, _FAR)}")
        attributes.append(
            f"path+={' '.join(between[:_AHEAD])} {chunks[following].tag}" if len(between) <= _AHEAD else "far+"
        )
        attributes += [f"between+={phrase} {chunks[following].tag}" for phrase in dict.fromkeys(between)]
        after = next((chunk for chunk in chunks[following + 1 :] if chunk.is_verbal or chunk.tag == CCP), None)
        attributes.append(f"verbs+={described[following]} {after.tag if after else 'edge'}")
        attributes.append(f"behind+={described[following + 1] if following + 1 < len(described) else 'edge'}")
    if before is not None:
        attributes.append(f"verb-={described[before]} {min(number - before, _FAR)}")
        attributes += [
            f"between-={phrase} {chunks[before].tag}" for phrase in dict.fromkeys(described[before + 1 : number])
        ]
        if following is not None:
            attributes.append(f"verbs={described[before]} {described[following]}")
    return attributes


def _words(sentence: Sentence, position: int) -> list[str]:
    tokens = sentence.tokens
    attributes = [f"word={tokens[position].form}", f"tag={tokens[position].tag}", f"root={tokens[position].root}"]
    attributes += [f"suffix{size}={tokens[position].form[-size:]}" for size in (2, 3)]
    for step in (-2, -1, 1, 2):
        if 0 <= position + step < len(tokens):
            attributes += [f"word{step}={tokens[position + step].form}", f"tag{step}={tokens[position + step].tag}"]
    tags = [tokens[index].tag if 0 <= index < len(tokens) else "edge" for index in range(position - 2, position + 3)]
    return attributes + [f"tags{step}={first} {second}" for step, (first, second) in enumerate(pairwise(tags))]


def _spread(sentence: Sentence) -> list[list[str]]:
    """Counts verb groups and conjunctions before and after each phrase."""
    kinds = {FINITE: 0, NON_FINITE: 0, CCP: 0}
    before: list[dict[str, int]] = []
    for chunk in sentence.chunks:
        before.append(dict(kinds))
        if chunk.tag in kinds:
            kinds[chunk.tag] += 1
    return [
        [f"before {tag}={min(counts[tag], 3)}" for tag in kinds]
        + [f"behind {tag}={min(kinds[tag] - counts[tag], 3)}" for tag in kinds]
        for counts in before
    ]


def rule_features(sentence: Sentence) -> Features:
    """Returns `phrase_features` with the brackets of the rules, which the field learns to trust (Wolpert 1992)."""
    brackets = brackets_of(rule_clauses(sentence), len(sentence))
    features = phrase_features(sentence)
    depth = 0
    for position, (attributes, here) in enumerate(zip(features, brackets, strict=True)):
        depth += len(here.opens)
        following = brackets[position + 1] if position + 1 < len(brackets) else Brackets()
        before = brackets[position - 1] if position else Brackets()
        tag = sentence.tokens[position].tag
        attributes += [f"rule={here}", f"rule={here} {tag}", f"rules={before} {here} {following}"]
        attributes += [f"depth={min(depth, _FAR)}", f"depth={min(depth, _FAR)} {here}"]
        depth -= here.closes
    return features

"""Bilingual safety: the probability that the translation of a phrase is a block of words without links to other words.

It is learned from aligned sentence pairs, without skeletons: a phrase with a separate translation can be deleted
without harm to the rest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from lattice_simp.core.kernel import Ints
from lattice_simp.pipeline.shards import read_shard, shard_paths
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic import Parse
from lattice_simp.text.english.punctuation import mark_kind
from lattice_simp.train.alignment.links import read_links

PRIOR = 20.0
"""The weight of the label's safety in the estimate of a kind, in phrases."""

LENGTHS = (1, 3, 6, 12)
"""The upper bounds of the classes of phrase lengths; longer phrases form another class."""

PARSED_LENGTHS = range(12, 41)
"""The range of lengths, in tokens, of the training sentences."""

Kind = tuple[str, str, bool, int]
"""The kind of a phrase: its label, its head's part of speech, whether it precedes the head, and its class of length."""


@dataclass(frozen=True)
class Safety:
    """Counts of safe and of all phrases, by kind and by label."""

    safe: Counter[Kind | str] = field(default_factory=Counter)
    every: Counter[Kind | str] = field(default_factory=Counter)

    @classmethod
    def learn(cls, pairs: Iterable[tuple[Parse, Ints]]) -> Safety:
        """Counts the phrases of parsed sentences with links, rows of (source, target) positions."""
        counts = cls()
        for parse, links in pairs:
            for position in range(len(parse)):
                verdict = is_safe(parse.subtree(position), links)
                if verdict is not None and mark_kind(parse.tokens[position]) is None:
                    for key in (kind_of(parse, position), parse.labels[position]):
                        counts.every[key] += 1
                        counts.safe[key] += verdict
        return counts

    def probability(self, parse: Parse, position: int) -> float:
        """Returns the probability that the phrase below a token is safe."""
        label, kind = parse.labels[position], kind_of(parse, position)
        of_label = (self.safe[label] + 1) / (self.every[label] + 2)
        return (self.safe[kind] + PRIOR * of_label) / (self.every[kind] + PRIOR)

    def score(self, parse: Parse, skeleton: Skeleton) -> float:
        """Returns the log probability that all deleted phrases of a skeleton are safe."""
        kept = skeleton.mask
        tops = [
            position
            for position, head in enumerate(parse.heads)
            if not kept[position] and (head < 0 or kept[head]) and mark_kind(parse.tokens[position]) is None
        ]
        return sum(math.log(self.probability(parse, top)) for top in tops)


def kind_of(parse: Parse, position: int) -> Kind:
    """Returns the kind of the phrase below a token."""
    head = parse.heads[position]
    length = sum(len(parse.subtree(position)) > limit for limit in LENGTHS)
    return parse.labels[position], parse.parts[head] if head >= 0 else "", position < head, length


def is_safe(span: Sequence[int], links: Ints) -> bool | None:
    """Returns whether the phrase and its translation form a block; None for a discontinuous phrase, or without links.

    >>> import numpy as np
    >>> links = np.array([[0, 0], [1, 2], [2, 1]])
    >>> is_safe([1, 2], links), is_safe([0, 1], links), is_safe([0, 2], links)
    (True, False, None)
    """
    first, last = span[0], span[-1]
    inside = (links[:, 0] >= first) & (links[:, 0] <= last)
    if last - first + 1 != len(span) or not inside.any():
        return None
    block = links[inside, 1]
    covered = (links[:, 1] >= block.min()) & (links[:, 1] <= block.max())
    return bool((covered <= inside).all())


def spread_pairs(prepared: Path, aligned: Path, count: int) -> Iterator[tuple[list[str], Ints]]:
    """Yields tokens and links of sentences of medium length, evenly spread over the training corpus."""
    shards = shard_paths(prepared)
    share = -(-count // len(shards))
    for path in shards:
        sources = [line.split() for line in read_shard(path, ["source"])["source"].to_pylist()]
        offsets, points = read_links(aligned / path.name)
        rows = [row for row, tokens in enumerate(sources) if len(tokens) in PARSED_LENGTHS]
        for row in rows[:: max(1, len(rows) // share)][:share]:
            yield sources[row], points[offsets[row] : offsets[row + 1]]


def gap_counts(skeleton: Skeleton, parse: Parse) -> tuple[int, int]:
    """Returns whether a gap is at the start of the sentence, and the number of gaps inside it.

    Punctuation at the sentence's ends does not count.
    """
    words = [position for position, token in enumerate(parse.tokens) if mark_kind(token) is None]
    kept = [skeleton.mask[position] for position in words] or [True]
    runs = [value for value, _ in groupby(kept)]
    return int(not runs[0]), sum(not value for value in runs[1:-1])

"""The training data of a joint model: the numbered corpus as flat arrays, and batches of its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import chosen_blocks, places_in_blocks, prefix_sums
from lattice_simp.core.kernel import Bools, Ints, Longs
from lattice_simp.rescore.joint.model import ORDER, WIDTH
from lattice_simp.rescore.vocabulary import Sentences

MARGIN = WIDTH // 2
"""Empty rows around the sources of a batch, so that no window of a convolution spans two sentences."""


@dataclass(frozen=True, eq=False)
class Examples:
    """A corpus in the numbers of the network.

    Attributes:
        source: the sources' symbols, each with its end.
        target: the targets' symbols, each with its boundary at the end.
        positions: (target words,) int32 affiliation of each target word within its source.
    """

    source: Sentences
    target: Sentences
    positions: Ints

    @property
    def num_sentences(self) -> int:
        """The number of sentence pairs."""
        return self.source.num_sentences


class Batch(NamedTuple):
    """Some sentences side by side.

    Attributes:
        source: (rows,) int64 source symbols; 0 where `filled` is not set.
        filled: (rows,) whether a row holds a word; MARGIN rows around each sentence do not.
        rows: (target words,) int64 row of each word's affiliation.
        histories: (target words, ORDER - 1) int64 symbols before each word, the nearest last.
        words: (target words,) int64 symbols.
    """

    source: Longs
    filled: Bools
    rows: Longs
    histories: Longs
    words: Longs


def flat(words: Sentences, numbers: Ints, end: int) -> Sentences:
    """Renumbers sentences and appends the end symbol to each."""
    offsets = words.offsets + np.arange(len(words.offsets))
    return Sentences(offsets, np.insert(numbers[words.words], words.offsets[1:], end).astype(np.int32))


def joined(parts: Sequence[Sentences]) -> Sentences:
    """Returns the sentences of all parts as one."""
    begins = prefix_sums([len(part.words) for part in parts])
    offsets = [part.offsets[1:] + begin for part, begin in zip(parts, begins, strict=False)]
    return Sentences(np.concatenate([[0], *offsets]).astype(np.int64), np.concatenate([part.words for part in parts]))


def batches(examples: Examples, sentences: Longs, words: int, seed: int) -> Iterator[Longs]:
    """Yields batches of sentences with about `words` target words each, in an order that depends on the seed."""
    order = np.random.default_rng(seed).permutation(sentences)
    ends = np.cumsum(np.diff(examples.target.offsets)[order])
    cuts = np.flatnonzero(np.diff(ends // words, append=ends[-1:] // words + 1)) + 1
    begin = 0
    for cut in cuts.tolist():
        yield order[begin:cut]
        begin = cut


def batch(examples: Examples, sentences: Longs, boundary: int) -> Batch:
    """Returns the arrays of some sentences; `boundary` is the symbol before the first target word."""
    source, target = examples.source, examples.target
    source_rows, source_begins = chosen_blocks(source.offsets, sentences)
    target_rows, _ = chosen_blocks(target.offsets, sentences)
    source_lengths, target_lengths = (np.diff(side.offsets)[sentences] for side in (source, target))
    shifts = MARGIN * (1 + np.arange(len(sentences)))
    total = len(source_rows) + MARGIN * (len(sentences) + 1)
    places = np.arange(len(source_rows)) + np.repeat(shifts, source_lengths)
    symbols, filled = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=bool)
    symbols[places], filled[places] = source.words[source_rows], True
    rows = examples.positions[target_rows].astype(np.int64) + np.repeat(source_begins[:-1] + shifts, target_lengths)
    columns = places_in_blocks(prefix_sums(target_lengths))
    histories = np.full((len(target_rows), ORDER - 1), boundary, dtype=np.int64)
    for column in range(ORDER - 1):
        back = ORDER - 1 - column
        has_word = columns >= back
        histories[has_word, column] = target.words[target_rows[has_word] - back]
    return Batch(symbols, filled, rows, histories, target.words[target_rows].astype(np.int64))

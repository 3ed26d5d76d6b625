"""Decides which sentence pairs are fit for training."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from lattice_simp.core.blocks import block_numbers
from lattice_simp.core.kernel import Bools, Floats, Longs
from lattice_simp.train.config import Clean
from lattice_simp.train.text.vocabulary import split_words

SHORT = 9
"""Sides of up to this many tokens may have any ratio of lengths: a word may be a whole clause in another language."""

FOREIGN_MARGIN = 1.0
"""A side is left out if the other language's model gives it this many more nats a word."""

FOREIGN_WORDS = 4
"""Sides with fewer words give too little evidence of their language."""

_RESERVED = re.compile(r"(?:^| )(?:<s>|</s>|<unk>|<UNK>|<eps>|\|\|\||\[[^\[\], ]+(?:,[0-9]+)?\])(?: |$)")


def reason_to_drop(source: str, target: str, settings: Clean) -> str | None:
    """Returns why a tokenised pair is dropped; None for a good one.

    >>> reason_to_drop("a b", "", Clean()), reason_to_drop("a b", "c", Clean())
    ('empty', None)
    """
    if not source or not target:
        return "empty"
    lengths = (source.count(" ") + 1, target.count(" ") + 1)
    if min(lengths) < settings.min_words:
        return "short"
    if max(lengths) > settings.max_words:
        return "long"
    if max(lengths) > SHORT and max(lengths) > settings.max_ratio * min(lengths):
        return "ratio"
    if any(len(word) > settings.max_word_letters for side in (source, target) for word in side.split(" ")):
        return "long_word"
    if has_reserved_word(source) or has_reserved_word(target):
        return "reserved"
    return None


def has_reserved_word(sentence: str) -> bool:
    """Returns whether a token has a special meaning in language models or rule tables.

    >>> has_reserved_word("a <s> b"), has_reserved_word("[X,1]"), has_reserved_word("<b> [ X ]")
    (True, True, False)
    """
    return _RESERVED.search(sentence) is not None


def pair_hashes(source: Iterable[str], target: Iterable[str]) -> Longs:
    """Returns a hash of 63 bits for each pair of lines, int64; among a billion pairs, one in ten lets two collide.

    >>> first, second, third = pair_hashes(["a", "a b", "a"], ["b c", "c", "b c"]).tolist()
    >>> first == third, first == second
    (True, False)
    """
    digests = b"".join(
        hashlib.blake2b(f"{source_line}\n{target_line}".encode(), digest_size=8).digest()
        for source_line, target_line in zip(source, target, strict=True)
    )
    return np.frombuffer(digests, dtype="<i8").astype(np.int64) & np.iinfo(np.int64).max


def repeated(hashes: Longs) -> Bools:
    """Marks the hashes that also occur earlier.

    >>> repeated(np.array([7, 8, 7, 7])).tolist()
    [False, False, True, True]
    """
    is_repeated = np.ones(len(hashes), dtype=np.bool_)
    is_repeated[np.unique(hashes, return_index=True)[1]] = False
    return is_repeated


def foreign(column: pa.ChunkedArray, counts: Mapping[str, int], other_counts: Mapping[str, int]) -> Bools:
    """Marks token lines that look like the other side's language, by unigram models of the corpus.

    That is, words of the line (those with letters) are likelier in the other language by `FOREIGN_MARGIN` nats on
    average. This works for any pair of languages without prior models, as long as most of the corpus is sound.

    >>> french, english = {"le": 900, "chat": 90, "dort": 9}, {"the": 900, "cat": 90, "sleeps": 9}
    >>> foreign(pa.chunked_array([["the cat sleeps the", "le chat dort le"]]), french, english).tolist()
    [True, False]

    Args:
        column: the lines, as text.
        counts, other_counts: how often each word occurs in the text of the side's language, and in the other's.
    """
    offsets, words = split_words(column)
    encoded = words.dictionary_encode()
    different = encoded.dictionary.to_pylist()
    counted = np.array([any(map(str.isalpha, word)) for word in different], dtype=np.float64)
    gains = counted * (_costs(counts, different) - _costs(other_counts, different))
    numbers = encoded.indices.to_numpy()
    lines = block_numbers(offsets)
    lengths = np.bincount(lines, weights=counted[numbers], minlength=len(column))
    gain = np.bincount(lines, weights=gains[numbers], minlength=len(column))  # sums in the order of the words
    return (lengths >= FOREIGN_WORDS) & (gain > FOREIGN_MARGIN * lengths)


def _costs(counts: Mapping[str, int], words: list[str]) -> Floats:
    """Returns the cost of each word in a unigram model; an unknown one has half a count."""
    frequencies = np.fromiter((counts.get(word, 0) for word in words), dtype=np.float64, count=len(words))
    costs: Floats = -np.log((frequencies + 0.5) / (sum(counts.values()) + 1))
    return costs

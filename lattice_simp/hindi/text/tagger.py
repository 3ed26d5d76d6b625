"""What the part-of-speech tagger sees of each token: words, their ends and beginnings, and their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lattice_simp.grammars.hindi.spelling import folded

LONGEST_SUFFIX = 5
"""Letters, vowel signs among them: the longest endings of Hindi verbs have as many."""

LONGEST_PREFIX = 3

_OUTSIDE = "#"
_WINDOW = (-2, -1, 1, 2)


def tagger_features(forms: Sequence[str]) -> list[list[bytes]]:
    """Returns the features of each token of a sentence, in UTF-8: the library takes bytes as they are.

    >>> [name.decode() for name in tagger_features(["राम", "सोया"])[1]][:4]
    ['w=सोया', 's1=ा', 's2=या', 's3=ोया']
    """
    words = [_OUTSIDE, _OUTSIDE, *map(folded, forms), _OUTSIDE, _OUTSIDE]
    return [_features(words, position) for position in range(2, len(words) - 2)]


def _features(words: Sequence[str], position: int) -> list[bytes]:
    word, before, after = words[position], words[position - 1], words[position + 1]
    found = [*_own(word)]
    for offset in _WINDOW:
        found += _neighbour(words[position + offset], offset)
    found.append(f"{before}<w={word}".encode())
    found.append(f"w>{after}={word}".encode())
    found.append(f"{before}<>{after}".encode())
    return found


@lru_cache(maxsize=1 << 16)
def _own(word: str) -> tuple[bytes, ...]:
    names = [f"w={word}"]
    names += [f"s{size}={word[-size:]}" for size in range(1, min(LONGEST_SUFFIX, len(word)) + 1)]
    names += [f"p{size}={word[:size]}" for size in range(1, min(LONGEST_PREFIX, len(word)) + 1)]
    names += [f"shape={shape(word)}", f"length={min(len(word), 8)}", "always"]
    return tuple(name.encode() for name in names)


@lru_cache(maxsize=1 << 18)
def _neighbour(word: str, offset: int) -> tuple[bytes, ...]:
    names = [f"{offset:+}w={word}", f"{offset:+}s2={word[-2:]}"]
    if abs(offset) == 1:
        names += [f"{offset:+}s3={word[-3:]}", f"{offset:+}s1={word[-1:]}", f"{offset:+}shape={shape(word)}"]
    return tuple(name.encode() for name in names)


@lru_cache(maxsize=1 << 16)
def shape(word: str) -> str:
    """Returns which kinds of characters a word has, in whatever script.

    >>> shape("दिल्ली"), shape("12वें"), shape("डॉ."), shape("-")
    ('L', '9L', 'L.', '-')
    """
    kinds = ["9" if one.isdecimal() else one if one.isascii() and not one.isalpha() else "L" for one in word]
    return "".join(kind for kind, last in zip(kinds, ["", *kinds], strict=False) if kind != last)

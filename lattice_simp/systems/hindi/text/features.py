"""The features of tagger and chunker, and the labels of chunks.

Features are UTF-8 bytes, which the library uses unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from lattice_simp.grammars.hindi.spelling import folded
from lattice_simp.systems.hindi.sentence import Chunk

LONGEST_SUFFIX = 5
"""The length of the longest endings of Hindi verbs, in letters including vowel signs."""

LONGEST_PREFIX = 3

BEGIN, INSIDE = "B-", "I-"

_OUTSIDE = "#"
_WINDOW = (-2, -1, 1, 2)
_MARGIN = 3
_GROUP = frozenset({"VAUX", "RP", "NEG", "RDP"})
"""The tags of words that follow the main verb in its group."""


def _encoded(*names: str) -> tuple[bytes, ...]:
    return tuple(name.encode() for name in names)


def tagger_features(forms: Sequence[str]) -> list[list[bytes]]:
    """Returns the features of each token of a sentence.

    >>> [name.decode() for name in tagger_features(["राम", "सोया"])[1]][:4]
    ['w=सोया', 's1=ा', 's2=या', 's3=ोया']
    """
    words = [_OUTSIDE, _OUTSIDE, *map(folded, forms), _OUTSIDE, _OUTSIDE]
    return [_tagger_window(words, position) for position in range(2, len(words) - 2)]


def _tagger_window(words: Sequence[str], position: int) -> list[bytes]:
    word, before, after = words[position], words[position - 1], words[position + 1]
    names = [*_spelling(word)]
    for offset in _WINDOW:
        names += _word_beside(words[position + offset], offset)
    return [*names, *_encoded(f"{before}<w={word}", f"w>{after}={word}", f"{before}<>{after}")]


@lru_cache(maxsize=1 << 16)
def _spelling(word: str) -> tuple[bytes, ...]:
    names = [f"w={word}"]
    names += [f"s{size}={word[-size:]}" for size in range(1, min(LONGEST_SUFFIX, len(word)) + 1)]
    names += [f"p{size}={word[:size]}" for size in range(1, min(LONGEST_PREFIX, len(word)) + 1)]
    names += [f"shape={shape(word)}", f"length={min(len(word), 8)}", "always"]
    return _encoded(*names)


@lru_cache(maxsize=1 << 18)
def _word_beside(word: str, offset: int) -> tuple[bytes, ...]:
    names = [f"{offset:+}w={word}", f"{offset:+}s2={word[-2:]}"]
    if abs(offset) == 1:
        names += [f"{offset:+}s3={word[-3:]}", f"{offset:+}s1={word[-1:]}", f"{offset:+}shape={shape(word)}"]
    return _encoded(*names)


@lru_cache(maxsize=1 << 16)
def shape(word: str) -> str:
    """Returns the kinds of characters in a word, for any script.

    >>> shape("दिल्ली"), shape("12वें"), shape("डॉ."), shape("-")
    ('L', '9L', 'L.', '-')
    """
    kinds = [
        "9" if letter.isdecimal() else letter if letter.isascii() and not letter.isalpha() else "L" for letter in word
    ]
    return "".join(kind for kind, last in zip(kinds, ["", *kinds], strict=False) if kind != last)


def chunker_features(forms: Sequence[str], tags: Sequence[str]) -> list[list[bytes]]:
    """Returns the features of each token of a sentence.

    >>> "t=VAUX" in [name.decode() for name in chunker_features(["सो", "गया"], ["VM", "VAUX"])[1]]
    True
    """
    margin = [_OUTSIDE] * _MARGIN
    words = [*margin, *map(folded, forms), *margin]
    parts = [*margin, *tags, *margin]
    return [
        [*_chunker_window(words, parts, position), *_group(words, parts, position)]
        for position in range(3, len(words) - 3)
    ]


def _chunker_window(words: Sequence[str], tags: Sequence[str], position: int) -> Iterable[bytes]:
    names = [*_tags(*tags[position - 3 : position + 4]), *_current(words[position], tags[position])]
    for offset in _WINDOW:
        names += _neighbour(words[position + offset], tags[position], offset)
    before, word, after = words[position - 1 : position + 2]
    return [*names, *_encoded(f"w>{word}>{after}", f"w<{before}<{word}")]


@lru_cache(maxsize=1 << 17)
def _tags(third: str, second: str, before: str, tag: str, after: str, next2: str, next3: str) -> tuple[bytes, ...]:
    return _encoded(
        f"t={tag}",
        f"t-1={before}",
        f"t+1={after}",
        f"t-2={second}",
        f"t+2={next2}",
        f"t-3={third}",
        f"t+3={next3}",
        f"t-1,0={before},{tag}",
        f"t0,1={tag},{after}",
        f"t-2,-1={second},{before}",
        f"t1,2={after},{next2}",
        f"t-2,-1,0={second},{before},{tag}",
        f"t-1,0,1={before},{tag},{after}",
        f"t0,1,2={tag},{after},{next2}",
        f"t0,1,2,3={tag},{after},{next2},{next3}",
    )


@lru_cache(maxsize=1 << 16)
def _current(word: str, tag: str) -> tuple[bytes, ...]:
    names = [f"w={word}", f"w,t={word},{tag}"]
    names += [f"s{size},t={word[-size:]},{tag}" for size in (1, 2, 3)]
    return _encoded(*names)


@lru_cache(maxsize=1 << 18)
def _neighbour(word: str, tag: str, offset: int) -> tuple[bytes, ...]:
    return _encoded(f"w{offset:+}={word}", f"w{offset:+},t={word},{tag}")


def _group(words: Sequence[str], tags: Sequence[str], position: int) -> Iterable[bytes]:
    """Describes the end of a verb group and the word after it, which distinguish finite verbs."""
    if tags[position] not in ("VM", "VAUX"):
        return ()
    end = position + 1
    while tags[end] in _GROUP:
        end += 1
    return _ending(words[position], words[end - 1], words[end], tags[end])


@lru_cache(maxsize=1 << 17)
def _ending(word: str, last: str, after: str, tag_after: str) -> tuple[bytes, ...]:
    ending = last[-2:]
    return _encoded(
        f"last={last}",
        f"last2={ending}",
        f"own,last={word[-2:]},{last}",
        f"behind={after}",
        f"last2,behind={ending},{after}",
        f"last,tag={last},{tag_after}",
        f"last2,tag={ending},{tag_after}",
    )


def chunk_labels(chunks: Iterable[Chunk]) -> list[str]:
    """Returns one chunk label for each token.

    >>> chunk_labels([Chunk("NP", 0, 2), Chunk("VGF", 2, 3)])
    ['B-NP', 'I-NP', 'B-VGF']
    """
    return [
        (INSIDE if position > chunk.start else BEGIN) + chunk.tag for chunk in chunks for position in chunk.positions
    ]


def chunks_of_labels(labels: Sequence[str]) -> tuple[Chunk, ...]:
    """Returns the chunks of labels; a label that continues another type begins a chunk.

    >>> [(chunk.tag, chunk.start, chunk.end) for chunk in chunks_of_labels(["B-NP", "I-NP", "I-VGF", "B-VGF"])]
    [('NP', 0, 2), ('VGF', 2, 3), ('VGF', 3, 4)]
    """
    starts = [
        position
        for position, (last, label) in enumerate(zip(["", *labels], labels, strict=False))
        if label.startswith(BEGIN) or label[len(INSIDE) :] != last[len(BEGIN) :]
    ]
    ends = [*starts[1:], len(labels)]
    return tuple(Chunk(labels[start][len(BEGIN) :], start, end) for start, end in zip(starts, ends, strict=False))

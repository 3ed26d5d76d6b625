"""The source position that each target word is affiliated with (Devlin et al. 2014, section 2.1)."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.rescore.vocabulary import Sentences


def affiliations(source: Sentences, target: Sentences, links: Sentences) -> Ints:
    """Returns the source position of each target word and of each sentence's end, sentence after sentence.

    A word with several links belongs to the middle one (rounded down); a word without links belongs to the position of
    the nearest linked word, on a tie the right one. The end belongs to the end of the source.

    >>> source, target = Sentences.of([[1, 2, 3]]), Sentences.of([[7, 8, 9]])
    >>> links = Sentences(np.array([0, 2]), np.array([[2, 0], [0, 2]], np.int32))
    >>> affiliations(source, target, links).tolist()
    [2, 0, 0, 3]

    Args:
        source, target: the sentences.
        links: (source, target) positions, sorted by target, then source position.

    Returns:
        (target words + sentences,) int32 positions within the source sentence; its length is its end.
    """
    positions = np.empty(len(target.words) + target.num_sentences, dtype=np.int32)
    _affiliate(source.offsets, target.offsets, links.offsets, links.words, positions)
    return positions


@jit
def _affiliate(source: Longs, target: Longs, link_offsets: Longs, links: Ints, positions: Ints) -> None:
    for sentence in range(len(target) - 1):
        begin = target[sentence] + sentence
        length = target[sentence + 1] - target[sentence]
        positions[begin : begin + length] = -1
        link, last = link_offsets[sentence], link_offsets[sentence + 1]
        while link < last:
            word, first = links[link, 1], link
            while link < last and links[link, 1] == word:
                link += 1
            positions[begin + word] = links[(first + link - 1) // 2, 0]
        _fill(positions[begin : begin + length], source[sentence + 1] - source[sentence])
        positions[begin + length] = source[sentence + 1] - source[sentence]


@jit
def _fill(positions: Ints, source_length: int) -> None:
    """Gives unlinked words the position of the nearest linked word; without any links, spreads positions evenly."""
    length = len(positions)
    linked = np.flatnonzero(positions >= 0)
    if len(linked) == 0:
        for word in range(length):
            positions[word] = word * source_length // length
        return
    following = 0
    for word in range(length):
        while following < len(linked) and linked[following] < word:
            following += 1
        if following == len(linked):
            positions[word] = positions[linked[-1]]
        elif linked[following] != word:
            left, right = following - 1, linked[following]
            if left >= 0 and word - linked[left] < right - word:
                positions[word] = positions[linked[left]]
            else:
                positions[word] = positions[right]

"""The source position that each target word of aligned sentences is affiliated with."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.affiliation import affiliate
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.rescore.vocabulary import Sentences


def affiliations(source: Sentences, target: Sentences, links: Sentences) -> Ints:
    """Returns the source position of each target word and of each sentence's end, sentence after sentence, as int32.

    The positions of words are those of `affiliate`. The end belongs to the end of the source, whose position is its
    length. Links are sorted by target, then source position.

    >>> source, target = Sentences.of([[1, 2, 3]]), Sentences.of([[7, 8, 9]])
    >>> links = Sentences(np.array([0, 2]), np.array([[2, 0], [0, 2]], np.int32))
    >>> affiliations(source, target, links).tolist()
    [2, 0, 0, 3]
    """
    positions = np.empty(len(target.words) + target.num_sentences, dtype=np.int32)
    places = np.arange(np.diff(source.offsets).max(initial=1), dtype=np.int32)
    _affiliate(source.offsets, target.offsets, links.offsets, links.words, places, positions)
    return positions


@jit
def _affiliate(source: Longs, target: Longs, link_offsets: Longs, links: Ints, places: Ints, positions: Ints) -> None:
    for sentence in range(len(source) - 1):
        begin, end = target[sentence] + sentence, target[sentence + 1] + sentence
        length = source[sentence + 1] - source[sentence]
        sentence_links = links[link_offsets[sentence] : link_offsets[sentence + 1]]
        affiliate(sentence_links, places[: max(length, 1)], positions[begin:end])
        positions[end] = length

"""The one source position that each target word is affiliated with (Devlin et al. 2014, section 2.1)."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Ints, jit


@jit
def affiliate(links: Ints, places: Ints, positions: Ints) -> None:
    """Writes the position of each target word.

    A word with several links has the position of the middle one (rounded down). A word without links has that of the
    nearest linked word, on a tie the right one. If no word is linked, which the paper does not treat, the words are
    spread evenly over `places`.

    Args:
        links: (links, 2) source position and target word, each once, sorted by target word, then source position.
        places: the source positions of the sentence or rule, in order; at least one.
        positions: (target words,) the result.
    """
    positions[:] = -1
    link = 0
    while link < len(links):
        word, first = links[link, 1], link
        while link < len(links) and links[link, 1] == word:
            link += 1
        positions[word] = links[(first + link - 1) // 2, 0]
    length, linked = len(positions), _linked(positions)
    following = 0  # the first linked word from this one on
    for word in range(length):
        if not len(linked):
            positions[word] = places[word * len(places) // length]
            continue
        while following < len(linked) and linked[following] < word:
            following += 1
        if following == len(linked):
            positions[word] = positions[linked[-1]]
        elif following > 0 and word - linked[following - 1] < linked[following] - word:
            positions[word] = positions[linked[following - 1]]
        else:
            positions[word] = positions[linked[following]]


@jit
def _linked(positions: Ints) -> Ints:
    """Returns the target words that have a position."""
    linked, count = np.empty(len(positions), dtype=np.int32), 0
    for word in range(len(positions)):
        if positions[word] >= 0:
            linked[count] = word
            count += 1
    return linked[:count]

"""The probability of each word of a hypothesis at its place, by a lattice of its alternatives (Wessel et al. 2001).

Every string of the lattice is aligned with the hypothesis by word edit distance (`word_alignment`). The confidence in a
word is the probability of the strings whose alignment has the same word there (as the statistics of Xu, Povey, Mangu
and Zhu 2011, but exact: each string is aligned on its own). So it depends on the strings and their probabilities alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lattice_simp.core.feature_names import POSTERIOR
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import EmptyLatticeError
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.distribution import Distribution, most_probable
from lattice_simp.ops.nbest import shortest_path
from lattice_simp.ops.prune import prune
from lattice_simp.ops.word_alignment import matched


def word_confidences(
    lattice: Lattice,
    hypothesis: str | Iterable[str] | None = None,
    scale: float = 1.0,
    *,
    max_arcs: int | None = None,
    ignore: Collection[str] = MARKS,
) -> Floats:
    """Returns the probability of each word of a hypothesis at its place, (words,) float64, from 0 to 1.

    >>> lattice = Lattice.from_strings([("the law passed", 0.0), ("the law failed", 0.0), ("a law passed", 0.0)])
    >>> word_confidences(lattice, "the law passed").round(3).tolist()
    [0.667, 1.0, 0.667]
    >>> word_confidences(lattice, "the rule passed").round(3).tolist()
    [0.667, 0.0, 0.667]

    It is the share of the strings, by their probabilities, that have the word where they are aligned with it: with the
    fewest edits, then with the most equal words. Equivalent lattices give the same values. They measure how much the
    hypotheses agree, and rank words; they do not estimate quality (`experiments/confidence`). Costs of a tuned decoder
    are not log probabilities: choose a scale for them.

    Args:
        lattice: acyclic; a path with cost c has the probability exp(-scale * c) / Z. Equal strings add up.
        hypothesis: a string or words; None for the most probable string (see `probable_tokens`).
        scale: above 0; the larger, the closer to the best paths alone.
        max_arcs: larger lattices are first pruned to this many arcs; the result depends on the form of the lattice.
        ignore: labels of the lattice that are not words, as in `nbest`.

    Raises:
        EmptyLatticeError: the lattice accepts nothing.
        LatticeSimpError: the scale is not a number above 0, or `max_arcs` below 1.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("word_confidences", lattice)
    lattice = lattice.project_output().connected().without_words(ignore)
    if lattice.empty:
        raise EmptyLatticeError("the lattice accepts nothing, so it has no confidence in any word")
    if max_arcs is not None:
        lattice = prune(lattice, max_arcs=max_arcs)
    tokens = probable_tokens(lattice, scale) if hypothesis is None else as_tokens(hypothesis)
    strings = Distribution.of(lattice, scale)
    return matched(strings, strings.encode(tokens))


def stored_confidences(lattice: Lattice) -> Hypothesis | None:
    """Returns the only path of a lattice, if its words have confidences (the feature "posterior"); else None.

    >>> stored_confidences(Lattice.from_nbest([Hypothesis(("a", "cat"), 1.0, confidences=(0.9, 0.5))])).confidences
    (0.9, 0.5)

    The costs of a single hypothesis say nothing about its words, as all have the probability 1.
    """
    if POSTERIOR not in lattice.features or count_paths(lattice) != 1:
        return None
    return shortest_path(lattice, ignore=())


def ignores_confidences(lattice: Lattice) -> bool:
    """Returns whether a connected lattice has confidences of words that those of its several paths replace."""
    return POSTERIOR in lattice.features and not lattice.empty and stored_confidences(lattice) is None


def probable_tokens(lattice: Lattice, scale: float = 1.0) -> tuple[str, ...]:
    """Returns the words of the most probable string, the probabilities of its paths added up.

    >>> probable_tokens(Lattice.from_strings([("a b", 1.0), ("a c", 1.5)]))
    ('a', 'b')

    Of ties the shortest, then the first in the order of their words. Where so many are nearly as probable that the
    search for it takes too long, it is the best path's string.

    Args:
        lattice: acyclic, and accepts something.
        scale: above 0, a factor of the costs before they become probabilities.
    """
    lattice = lattice.project_output().connected()
    strings = Distribution.of(lattice, scale)
    numbers = most_probable(strings)
    return shortest_path(lattice, ignore=()).tokens if numbers is None else strings.decode(numbers)

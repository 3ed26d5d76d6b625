"""Words with their times and confidences, as files of recognised speech (CTM) hold them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple, get_args

import numpy as np

from lattice_simp.core.arguments import choice
from lattice_simp.core.feature_names import TIME
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.errors import EmptyLatticeError, InvalidLatticeError
from lattice_simp.ops.confusion_network import consensus_entries, consensus_of
from lattice_simp.ops.distribution import Distribution
from lattice_simp.ops.nbest import shortest_path
from lattice_simp.ops.word_confidences import stored_confidences, word_confidences

Decision = Literal["best", "consensus"]


class TimedWord(NamedTuple):
    """A word, its begin and its duration in seconds, and its probability at this place."""

    word: str
    begin: float
    duration: float
    confidence: float


def timed_words(
    lattice: Lattice, decide: Decision = "best", scale: float = 1.0, *, ignore: Collection[str] = MARKS
) -> list[TimedWord]:
    """Returns the words of a lattice's best path or of its consensus, with times and confidences.

    >>> lattice = Lattice.from_strings([("a cat", 0.0), ("the cat", 1.0)])
    >>> for word in timed_words(lattice.with_feature("time", np.full(lattice.num_arcs, 0.25))):
    ...     print(*word[:3], f"{word.confidence:.2f}")
    a 0.0 0.25 0.73
    cat 0.25 0.25 1.00

    Args:
        lattice: acyclic, with the feature "time": the seconds of each arc, also of those without words.
        decide: the words: of the best path, with the times of its arcs and the confidences of `word_confidences`; or
            of the consensus (`confusion_network`), with the average times and the probabilities of its slots.
            A lattice of one path with the feature "posterior" keeps the confidences of that.
        scale: above 0; a path with cost c has the probability exp(-scale * c) / Z.
        ignore: labels that are not words, as in `nbest`; they take time.

    Raises:
        LatticeSimpError: an unknown decision, or the scale is not a number above 0.
        InvalidLatticeError: the lattice has no times.
        EmptyLatticeError: the lattice accepts nothing.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("timed_words", lattice)
    choice(decide, get_args(Decision), "decision")
    start = lattice.header.start
    lattice = lattice.project_output().connected().without_words(ignore)
    if lattice.empty:
        raise EmptyLatticeError("the lattice accepts nothing, so it has no words")
    if not lattice.olabels.any():
        return []
    if TIME not in lattice.features:
        remedy = "SLF needs t= in all nodes, Kaldi's lattices alignments, and n-best lists in JSON times of words"
        raise InvalidLatticeError(f"the lattice has no times ({remedy})")
    stored = stored_confidences(lattice)
    if stored is not None or decide == "best":
        words = _of_best_path(lattice, scale, stored)
    else:
        words = _of_consensus(lattice, scale)
    return [word._replace(begin=start + word.begin) for word in words]


def _spans(lattice: Lattice, arcs: Ints) -> tuple[Floats, Floats]:
    """Returns the begins of the words on a path from the start, and how long they take."""
    seconds = lattice.features[TIME][arcs]
    is_word = lattice.olabels[arcs] > 0
    return (np.cumsum(seconds) - seconds)[is_word], seconds[is_word]


def _of_best_path(lattice: Lattice, scale: float, stored: Hypothesis | None) -> list[TimedWord]:
    path = stored or shortest_path(lattice, ignore=())
    begins, seconds = _spans(lattice, path.arcs)
    if stored is None or stored.confidences is None:
        confidences = word_confidences(lattice, path.tokens, scale, ignore=()).tolist()
    else:
        confidences = list(stored.confidences)
    return list(map(TimedWord, path.tokens, begins.tolist(), seconds.tolist(), confidences))


def _of_consensus(lattice: Lattice, scale: float) -> list[TimedWord]:
    strings = Distribution.of(lattice, scale)
    slots = consensus_of(lattice, strings).slots
    best = consensus_entries(slots)
    begins, ends = slots.spans[best].T
    columns = (begins.tolist(), (ends - begins).tolist(), slots.masses[best].tolist())
    return list(map(TimedWord, strings.decode(slots.words[best]), *columns))

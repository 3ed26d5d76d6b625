"""Words with times, against enumeration of paths."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from format_helpers import random_lattice

import lattice_simp as ls
from lattice_simp import Lattice, nbest, timed_words, word_confidences
from lattice_simp.core.header import Header


def timed_lattice(seed: int) -> Lattice:
    """Returns a random lattice whose states have times, some of its arcs without words."""
    rng = np.random.default_rng([seed, 5])
    lattice = random_lattice(seed, words=("a", "b", "<sil>")).connected()
    times = np.sort(rng.integers(0, 300, lattice.num_states)) / 100
    return lattice.with_feature("time", times[lattice.nextstates] - times[lattice.sources])


def path_rows(lattice: Lattice, path: ls.Hypothesis) -> list[tuple[str, float, float]]:
    """Returns the words of a path with their times, arc by arc."""
    rows, clock = [], lattice.header.start
    for arc in path.arcs.tolist():
        word, seconds = lattice.symbols[lattice.olabels[arc]], float(lattice.features["time"][arc])
        if lattice.olabels[arc] and word not in ls.MARKS:
            rows.append((word, clock, seconds))
        clock += seconds
    return rows


def test_best_path_by_its_arcs():
    filled = 0
    for seed in range(60):
        lattice = replace(timed_lattice(seed), header=Header(start=1.5))
        if lattice.empty:
            continue
        words = timed_words(lattice, scale=0.4)
        best = nbest(lattice, 1)[0]
        rows = path_rows(lattice, best)
        assert [row[0] for row in rows] == [word.word for word in words] == list(best.tokens)
        assert [word[1:3] for word in words] == [pytest.approx(row[1:]) for row in rows]
        assert [word.confidence for word in words] == word_confidences(lattice, best.tokens, 0.4).tolist()
        filled += len(words) > 1
    assert filled >= 15


def test_consensus_has_the_probabilities_and_times_of_its_slots():
    lattice = Lattice.from_strings([("a b", 0.0), ("a c", 1.0), ("d c", 2.0)])
    seconds = {"a": 0.5, "d": 0.5, "b": 0.25, "c": 0.25}
    labels = lattice.symbols.decode(lattice.olabels)
    words = timed_words(lattice.with_feature("time", np.array([seconds[word] for word in labels])), "consensus")
    shares = np.exp([-0.0, -1.0, -2.0]) / sum(map(exp, (-0.0, -1.0, -2.0)))
    assert [word.word for word in words] == ["a", "b"]
    assert [word.confidence for word in words] == pytest.approx([shares[:2].sum(), shares[0]])
    assert [word[1:3] for word in words] == [pytest.approx((0.0, 0.5)), pytest.approx((0.5, 0.25))]


def test_consensus_is_that_of_the_network():
    for seed in range(20):
        lattice = timed_lattice(seed)
        if lattice.empty:
            continue
        network = ls.confusion_network(lattice, 0.4)
        best = nbest(network, 1)[0]
        words = timed_words(lattice, "consensus", 0.4)
        assert tuple(word.word for word in words) == best.tokens
        masses = [float(exp(-network.weights[arc])) for arc in best.arcs if network.olabels[arc]]
        assert [word.confidence for word in words] == pytest.approx(masses)


def test_lattices_without_times_are_refused():
    with pytest.raises(ls.LatticeSimpError, match=r"no times \(SLF needs t= in all nodes"):
        timed_words(Lattice.from_strings([("a", 0.0)]))
    with pytest.raises(ls.EmptyLatticeError):
        timed_words(Lattice.from_strings([]))


def test_an_utterance_without_words_needs_no_times():
    assert ls.timed_words(ls.Lattice.from_strings([("", 1.0)])) == []

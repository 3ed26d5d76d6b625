"""The consensus of lists, against the slots of confusion networks and enumerated alignments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from layouts import expected_slots

from lattice_simp import EmptyLatticeError, Hypothesis, Lattice, LatticeSimpError, confusion_network, consensus_nbest
from lattice_simp.ops import consensus_nbest as module

SCALE = 0.7


def random_list(seed):
    """Returns a list of distinct short strings, where every other one has many equal costs."""
    rng = np.random.default_rng(seed)
    letters = int(rng.integers(1, 7))
    costs = {}
    for _ in range(int(rng.integers(1, 9))):
        words = tuple("abcdef"[letter] for letter in rng.integers(0, letters, rng.integers(0, 8)))
        costs[words] = float(rng.integers(0, 3) if seed % 2 else rng.exponential())
    return [Hypothesis(words, cost) for words, cost in costs.items()]


def first_words(network):
    """Returns the first word of each slot, and what they cost."""
    arcs = network.offsets[:-1][np.diff(network.offsets) > 0]
    return tuple(network.symbols.decode(network.olabels[arcs])), network.weights[arcs].sum()


def assert_same(seed, entries):
    words, cost = first_words(confusion_network(Lattice.from_nbest(entries), SCALE))
    consensus = consensus_nbest(entries, SCALE)
    assert consensus.tokens == words, f"seed {seed}"
    assert consensus.cost == pytest.approx(cost, abs=1e-9), f"seed {seed}"


def test_it_has_the_first_words_of_the_confusion_network():
    for seed in range(200):
        assert_same(seed, random_list(seed))


def test_long_lists_are_lattices(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 0)
    for seed in range(20):
        assert_same(seed, random_list(seed))


def test_it_has_the_most_probable_words_of_enumerated_alignments():
    for seed in range(100):
        entries = random_list(seed)
        shares = {entry.tokens: math.exp(-SCALE * entry.cost) for entry in entries}
        total = sum(shares.values())
        consensus = consensus_nbest(entries, SCALE)
        slots = expected_slots({words: share / total for words, share in shares.items()}, consensus.tokens)
        best = [max(slot.values()) for slot in slots]
        assert consensus.cost == pytest.approx(-sum(map(math.log, best)), abs=1e-5), f"seed {seed}"


def test_equal_strings_add_up():
    entries = [Hypothesis(("a", "b"), 0.1), Hypothesis(("a", "c"), 0.2), Hypothesis(("a", "c"), 0.2)]
    assert consensus_nbest(entries).tokens == ("a", "c")


def test_marks_are_left_out():
    assert consensus_nbest(["<s> a </s>", "a"]).tokens == ("a",)
    assert consensus_nbest(["<s> a"], ignore=()).tokens == ("<s>", "a")


def test_no_hypotheses():
    with pytest.raises(EmptyLatticeError, match="no hypotheses"):
        consensus_nbest([])


def test_bad_scale():
    with pytest.raises(LatticeSimpError, match="above 0"):
        consensus_nbest(["a"], 0.0)

"""The exchange algorithm against the likelihood by its definition, and against all moves."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from rescore.conftest import as_sentences

from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.exchange import _xlogx, exchange_classes
from lattice_simp.rescore.vocabulary import Sentences


def random_text(seed, words=14, count=80):
    """Sentences from a hidden chain of three groups of words, so that there is something to find."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(count):
        group, line = 0, []
        for _ in range(rng.integers(0, 8)):
            group = int(rng.choice(3, p=np.roll([0.1, 0.8, 0.1], group)))
            line.append(int(group + 3 * rng.integers(0, words // 3 + 1)))
        lines.append(line)
    return lines


def likelihood(lines, classes, words):
    """log p(c(w) | c(v)) p(w | c(w)) over the ring of sentences, the boundary and unknown words alone in theirs."""
    values = {**dict(enumerate(classes)), "unknown": "unknown", "|": "|"}
    ring = ["|"]
    for line in lines:
        ring += [word if word < words else "unknown" for word in line] + ["|"]
    pairs = Counter((values[v], values[w]) for v, w in pairwise(ring))
    before, sizes = Counter(values[v] for v in ring[:-1]), Counter(ring[1:])
    members = Counter(values[w] for w in ring[1:])
    total = sum(number * math.log(number / before[pair[0]]) for pair, number in pairs.items())
    return total + sum(number * math.log(number / members[values[word]]) for word, number in sizes.items())


@pytest.mark.parametrize("classes", [1, 2, 3, 5])
def test_the_likelihood_rises_and_is_right(classes):
    for seed in range(4):
        lines, words = random_text(seed), 12
        sweeps = [exchange_classes([as_sentences(lines)], words, classes, sweeps=n) for n in range(5)]
        result = sweeps[-1]
        assert result.classes.shape == (words,), f"seed {seed}"
        assert 0 <= result.classes.min() <= result.classes.max() < classes, f"seed {seed}"
        assert (np.diff(result.likelihoods) >= -1e-9).all(), f"seed {seed}"
        for number, earlier in enumerate(sweeps):
            assert earlier.likelihoods == result.likelihoods[: number + 1], f"seed {seed}"
            assert earlier.likelihoods[-1] == pytest.approx(likelihood(lines, earlier.classes, words), rel=1e-12), (
                f"seed {seed}"
            )
        if classes > 1:
            assert result.likelihoods[-1] > result.likelihoods[0] + 1, f"seed {seed}"


def test_in_the_end_no_single_move_is_better(monkeypatch):
    for seed in range(3):
        monkeypatch.setattr("lattice_simp.rescore.exchange.ENOUGH", 0.0)
        lines, words, classes = random_text(seed), 10, 3
        result = exchange_classes([as_sentences(lines)], words, classes, sweeps=100).classes
        best = likelihood(lines, result, words)
        for word in range(words):
            for other in range(classes):
                moved = result.copy()
                moved[word] = other
                assert likelihood(lines, moved, words) <= best + 1e-6, f"seed {seed}"


def test_hidden_groups_are_found():
    result = exchange_classes([as_sentences(random_text(1, words=29, count=3000))], 30, 3, sweeps=30).classes
    assert [len(set(result[group::3].tolist())) for group in range(3)] == [1, 1, 1]
    assert len(set(result[:3].tolist())) == 3


def test_parts_do_not_matter():
    lines = random_text(5)
    whole = exchange_classes([as_sentences(lines)], 12, 3)
    parts = exchange_classes([as_sentences(lines[:7]), as_sentences(lines[7:])], 12, 3)
    assert whole.classes.tolist() == parts.classes.tolist()
    assert whole.likelihoods == parts.likelihoods


def test_large_counts_are_not_looked_up():
    table = np.array([0.0, 0.0, 2 * math.log(2)])
    assert [_xlogx(number, table) for number in (0, 1, 2, 3)] == pytest.approx([0, 0, 2 * math.log(2), 3 * math.log(3)])


@pytest.mark.parametrize(("words", "classes"), [(3, 4), (3, 0), (0, 1)])
def test_too_few_words(words, classes):
    with pytest.raises(LatticeSimpError, match=r"class(es)? for"):
        exchange_classes([Sentences(np.array([0, 1]), np.array([0], dtype=np.int32))], words, classes)

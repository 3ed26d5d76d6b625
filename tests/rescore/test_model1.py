"""Model 1 in both directions against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore import InverseModel1Scorer, Model1Scorer, PrefixScorer, read_scorers, score_by_prefixes
from lattice_simp.rescore.model1 import FLOOR, LEAST, WordTable

SOURCE, TARGET = ["la", "maison", "bleue"], ["the", "house", "blue", "of"]


@pytest.fixture
def probabilities():
    rng = np.random.default_rng(3)
    chosen = {}
    for s in (-1, 0, 1, 2):
        for t in (-1, 0, 1, 2, 3):
            if rng.random() < 0.6 and (s, t) != (-1, -1):
                chosen[s, t] = tuple(rng.uniform(0.01, 1.0, 2).astype(np.float32).tolist())
    chosen[0, 3] = (LEAST / 2, LEAST / 3)  # left out
    chosen[1, 3], chosen[2, 3] = (FLOOR / 10, 0.5), (0.5, 0.0)  # kept, for they are probable in the other direction
    return chosen


@pytest.fixture
def table(probabilities):
    forward, backward = (np.array([p[side] for p in probabilities.values()]) for side in (0, 1))
    shuffled = np.random.default_rng(1).permutation(len(probabilities))
    pairs = np.array(list(probabilities), dtype=np.int32)
    return WordTable.from_pairs(SOURCE, TARGET, pairs[shuffled], forward[shuffled], backward[shuffled])


def by_definition(probabilities, source, target, direction):
    """-log of the product over one side of the mean over the other side and NULL."""

    def pair(s, t):
        numbers = [-1 if w is None else words.index(w) if w in words else 99 for w, words in ((s, SOURCE), (t, TARGET))]
        response = probabilities.get(tuple(numbers), (0.0, 0.0))
        return max(FLOOR, response[direction]) if max(response) >= LEAST else FLOOR

    if direction == 0:
        return -sum(math.log(sum(pair(s, t) for s in [*source, None]) / (len(source) + 1)) for t in target)
    return -sum(math.log(sum(pair(s, t) for t in [*target, None]) / (len(target) + 1)) for s in source)


HYPOTHESES = [["the", "house"], [], ["of", "new", "the", "the"], ["blue"], ["new"]]


@pytest.mark.parametrize("source", [SOURCE, [], ["maison", "neuve"], ["la", "la"]])
def test_both_directions_are_the_definition(table, probabilities, source):
    for scorer, direction in ((Model1Scorer(table), 0), (InverseModel1Scorer(table), 1)):
        expected = [by_definition(probabilities, source, words, direction) for words in HYPOTHESES]
        np.testing.assert_allclose(scorer.score(source, HYPOTHESES), expected, rtol=1e-6)


def test_no_pair_is_less_probable_than_the_floor():
    assert (FLOOR, LEAST) == (1e-7, 1e-4)
    pairs = np.array([[0, 0], [-1, 0], [1, 0]], dtype=np.int32)
    table = WordTable.from_pairs(SOURCE, TARGET, pairs, np.array([1e-9, 0.0, 0.5]), np.array([0.5, 0.5, 0.0]))
    forward, backward = Model1Scorer(table), InverseModel1Scorer(table)
    assert forward.score(["la"], [["the"]])[0] == pytest.approx(-math.log(1e-7))
    assert backward.score(["maison"], [["the"]])[0] == pytest.approx(-math.log(1e-7))
    for scorer in (forward, backward):
        assert scorer.score(["neuve"], [["new"]])[0] == pytest.approx(-math.log(1e-7))
    assert forward.score([], [["the", "new"]])[0] == pytest.approx(-2.0 * math.log(1e-7))


def test_pairs_are_kept_if_they_are_probable_in_one_direction():
    pairs = np.array([[0, 0], [1, 1], [2, 2], [0, 3]], dtype=np.int32)
    forward, backward = np.array([1e-4, 0.0, 0.9e-4, 1e-6]), np.array([0.0, 1e-4, 0.9e-4, 0.2])
    table = WordTable.from_pairs(SOURCE, TARGET, pairs, forward, backward)
    assert list(zip(*np.diff(table.begins).nonzero(), strict=True)) == [(0,), (1,)]
    assert table.words.tolist() == [0, 3, 1]


def test_words_add_up(table):
    scorer = Model1Scorer(table)
    assert isinstance(scorer, PrefixScorer)
    np.testing.assert_allclose(score_by_prefixes(scorer, SOURCE, HYPOTHESES), scorer.score(SOURCE, HYPOTHESES))
    assert not isinstance(InverseModel1Scorer(table), PrefixScorer)
    assert InverseModel1Scorer(table).score(SOURCE, []).shape == (0,)


def test_files_and_faults(table, tmp_path):
    table.write(tmp_path / "m")
    again = read_scorers(tmp_path / "m")
    assert list(again) == ["Model1", "InverseModel1"]
    assert again["Model1"].score(SOURCE, HYPOTHESES).tolist() == Model1Scorer(table).score(SOURCE, HYPOTHESES).tolist()
    (tmp_path / "cut").write_bytes((tmp_path / "m").read_bytes()[:200])
    with pytest.raises(FormatError):
        WordTable.read(tmp_path / "cut")
    values = np.ones(2)
    with pytest.raises(LatticeSimpError, match="twice"):
        WordTable.from_pairs(SOURCE, TARGET, np.array([[0, 0], [0, 0]]), values, values)
    with pytest.raises(LatticeSimpError, match="without a word"):
        WordTable.from_pairs(SOURCE, TARGET, np.array([[0, 9], [0, 0]]), values, values)

"""Training graphs of the paper, and expectation maximisation against enumeration."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.training import (
    TrainingGraph,
    expectation_maximisation,
    training_graph,
    training_lattice,
)

FEATURES = [("split", "relative"), ("relation", "0-2", "in"), ("modifier", "", "very"), ("orphan", "false", "that")]


def random_graph(rng):
    """Makes one to three ways with a few decisions each, some of them open."""

    def slot():
        feature = FEATURES[rng.integers(1, len(FEATURES))]
        done = bool(rng.integers(2))
        return ((feature, True), (feature, False)) if rng.random() < 0.5 else ((feature, done),)

    ways = []
    for _ in range(rng.integers(1, 4)):
        splits = tuple((FEATURES[0], bool(rng.integers(2))) for _ in range(rng.integers(0, 3)))
        ways.append((splits, tuple(slot() for _ in range(rng.integers(0, 4)))))
    return TrainingGraph(tuple(ways))


def enumerated(graphs, probability):
    """Returns the log likelihood, and the expected (done, chances) of each feature."""
    likelihood, counts = 0.0, defaultdict(lambda: np.zeros(2))
    for graph in graphs:
        paths = [[*splits, *choice] for splits, deletions in graph.ways for choice in product(*deletions)]
        masses = [math.prod(probability[f] if done else 1 - probability[f] for f, done in path) for path in paths]
        likelihood += math.log(sum(masses))
        for path, mass in zip(paths, masses, strict=True):
            for feature, done in path:
                counts[feature] += np.array([done, 1.0]) * mass / sum(masses)
    return likelihood, counts


def test_each_iteration_is_that_of_enumerated_paths():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        graphs = [random_graph(rng) for _ in range(6)]
        if not any(way != ((), ()) for graph in graphs for way in graph.ways):
            continue
        probability = defaultdict(lambda: 0.5)
        for likelihood, model in expectation_maximisation(training_lattice(graphs), 5):
            expected, counts = enumerated(graphs, probability)
            assert likelihood == pytest.approx(expected), seed
            for feature, (done, chances) in model.counts.items():
                assert (done, chances) == pytest.approx(tuple(counts[feature]), abs=1e-6), (seed, feature)
                probability[feature] = min(max(done / chances, 1e-9), 1 - 1e-9) if chances else 0.5


def test_the_likelihood_never_falls():
    for seed in range(20):
        rng = np.random.default_rng([seed, 1])
        graphs = [random_graph(rng) for _ in range(30)]
        likelihoods = [likelihood for likelihood, _ in expectation_maximisation(training_lattice(graphs), 15)]
        assert (np.diff(likelihoods) >= -1e-7).all(), seed
        assert likelihoods[-1] > likelihoods[0]


def decisions(parsed, sentence, reference):
    return training_graph(analyse(parsed(sentence)), reference.split()).ways


def test_a_deletion_that_leads_to_the_reference_is_done(parsed):
    [(splits, deletions)] = decisions(parsed, "In May the very tall man wrote a book .", "The tall man wrote a book .")
    assert splits == ()
    known = {slot[0][0]: slot for slot in deletions}
    assert known["modifier", "", "very"] == ((("modifier", "", "very"), True),)
    assert known["relation", "0-2", "in"] == ((("relation", "0-2", "in"), True),)


def test_a_deletion_that_leads_away_is_not_done_and_others_are_open(parsed):
    [(_, deletions)] = decisions(parsed, "The tall man slowly left .", "The tall man quickly left .")
    known = {slot[0][0][2]: slot for slot in deletions}
    assert known["tall"] == ((("modifier", "", "tall"), False),)
    assert len(known["slowly"]) == 2  # to delete it, or to replace it, is one edit either way


SPLITTABLE = "The judge , who was tired , sentenced the man to death ."


def test_a_sentence_is_split_only_where_the_reference_is(parsed):
    [(splits, _)] = decisions(parsed, SPLITTABLE, "The tired judge sentenced the man to death .")
    assert [done for _, done in splits] == [False]
    [(splits, _)] = decisions(parsed, SPLITTABLE, "The judge sentenced the man . The judge was tired .")
    assert [done for _, done in splits] == [True]


def test_the_model_of_pairs(parsed):
    analysis = analyse(parsed(SPLITTABLE))
    pairs = [(analysis, "The judge sentenced the man . The judge was tired .".split())] * 3
    graphs = (training_graph(analysis, reference) for analysis, reference in pairs)
    steps = list(expectation_maximisation(training_lattice(graphs), 4))
    model, likelihoods = steps[-1][1], [likelihood for likelihood, _ in steps]
    [(feature, (done, chances))] = [row for row in model.counts.items() if row[0][0] == "split"]
    assert (feature[1], done, chances) == ("relative", pytest.approx(3.0), pytest.approx(3.0))
    assert likelihoods == sorted(likelihoods)


def test_nothing_to_learn_from():
    with pytest.raises(LatticeSimpError, match="offers a split or a deletion"):
        list(expectation_maximisation(training_lattice([TrainingGraph((((), ()),))])))

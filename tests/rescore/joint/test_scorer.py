"""The scorer: its probabilities are those of all alignments, and have the sum 1; files."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from rescore.joint.conftest import SOURCE, TARGET, random_model

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore import JointScorer, read_scorers
from lattice_simp.rescore.jumps import transitions
from lattice_simp.rescore.scorer import score_by_prefixes

SEEDS = range(12)


def logistic(values):
    return 1 / (1 + np.exp(-values))


def defined_encoding(model, source):
    """The first hidden layer's part of the source, position by position."""
    weights = {name: weight.astype(np.float64) for name, weight in model.weights.items()}
    numbers = [*model.source.numbers(source).tolist(), model.source.unknown + 1]
    rows = [weights["source_embedding"][number] for number in numbers]

    def around(rows, place, width):
        nothing = np.zeros_like(rows[0])
        places = range(place - width // 2, place + width // 2 + 1)
        return np.concatenate([rows[place] if 0 <= place < len(rows) else nothing for place in places])

    for name in ("first_convolution", "second_convolution"):
        linear = [around(rows, place, 5) @ weights[name] + weights[name + "_bias"] for place in range(len(rows))]
        half = len(linear[0]) // 2
        rows = [row + second[:half] * logistic(second[half:]) for row, second in zip(rows, linear, strict=True)]
    return [around(rows, place, 3) @ weights["source_hidden"] for place in range(len(rows))]


def defined_probability(model, encoded, history, symbol):
    """p(symbol | history, what one position gives)."""
    weights = {name: weight.astype(np.float64) for name, weight in model.weights.items()}
    words = np.concatenate([weights["target_embedding"][entry] for entry in history])
    first = np.maximum(encoded + words @ weights["target_hidden"] + weights["hidden_bias"], 0)
    hidden = np.maximum(first @ weights["second_hidden"] + weights["second_bias"], 0)
    classes = np.exp(hidden @ weights["class_output"] + weights["class_bias"])
    number = model.target.classes[symbol]
    begin, end = model.target.class_begins[number : number + 2]
    result = np.exp(weights["word_output"][begin:end] @ hidden + weights["word_bias"][begin:end])
    return classes[number] / classes.sum() * result[symbol - begin] / result.sum()


def defined_cost(model, encoded, words):
    """Sums over all alignments, one by one."""
    symbols, log_shares = model.target.of(words)
    padded = [model.target.boundary] * 3 + symbols.tolist() + [model.target.boundary]
    jumps = transitions(model.jumps, len(encoded))
    total = 0.0
    for alignment in product(range(len(encoded)), repeat=len(words) + 1):
        probability, before = 1.0, len(encoded)
        for place, position in enumerate(alignment):
            probability *= jumps[before, position]
            history = padded[place : place + 3]
            probability *= defined_probability(model, encoded[position], history, padded[place + 3])
            before = position
        total += probability
    return -np.log(total) - log_shares.sum()


def test_costs_are_those_of_all_alignments():
    for seed in SEEDS:
        model, rng = random_model(seed), np.random.default_rng(seed)
        source = rng.choice([*SOURCE, "other"], rng.integers(0, 3)).tolist()
        hypotheses = [rng.choice([*TARGET, "other"], n).tolist() for n in (0, 1, 2, 3, 2)]
        encoded = defined_encoding(model, source)
        expected = [defined_cost(model, encoded, words) for words in hypotheses]
        assert JointScorer(model).score(source, hypotheses) == pytest.approx(expected, rel=1e-5), seed


def test_whole_hypotheses_cost_what_their_words_cost():
    for seed in SEEDS:
        scorer, rng = JointScorer(random_model(seed)), np.random.default_rng(seed)
        source = rng.choice(SOURCE, 6).tolist()
        hypotheses = [rng.choice([*TARGET, "other"], rng.integers(0, 9)).tolist() for _ in range(30)]
        assert scorer.score(source, hypotheses) == pytest.approx(score_by_prefixes(scorer, source, hypotheses))


def test_what_may_follow_a_prefix_has_the_sum_one():
    for seed in SEEDS:
        scorer = JointScorer(random_model(seed))
        states = [scorer.start(["s1", "s0", "s3"])]
        for word in ("a", "f", "other", "d"):
            costs, _ = scorer.extend(states * (len(TARGET) + 1), [*TARGET, "other"])
            assert np.exp(-costs).sum() + np.exp(-scorer.end(states)).sum() == pytest.approx(1.0, rel=1e-5)
            _, states = scorer.extend(states, [word])


def test_a_part_is_scored_with_the_whole_sentences_encoding():
    for seed in SEEDS:
        model = random_model(seed)
        scorer, source, kept = JointScorer(model), ["s0", "s3", "other"], np.array([True, False, True])
        encoded = defined_encoding(model, source)
        hypotheses = [["a", "c"], ["g"], []]
        expected = [defined_cost(model, [encoded[0], encoded[2], encoded[3]], words) for words in hypotheses]
        assert scorer.score_part(source, kept, hypotheses) == pytest.approx(expected, rel=1e-5), seed
        assert scorer.score_part(source, kept | True, hypotheses) == pytest.approx(scorer.score(source, hypotheses))
    with pytest.raises(LatticeSimpError, match="2 marks for 3 words"):
        scorer.score_part(source, kept[:2], hypotheses)


def test_words_that_no_position_explains_cost_much_but_not_everything():
    model = random_model(1)
    model.weights["word_bias"][int(model.target.symbols[0])] = -5000.0
    costs = JointScorer(model).score(["s1", "s2"], [["a"], ["b"]])
    assert 4000 < costs[0] < 6000
    assert JointScorer(model).score(["s1"], [["a", "b"]]) == pytest.approx(
        score_by_prefixes(JointScorer(model), ["s1"], [["a", "b"]])
    )


def test_no_hypotheses():
    scorer = JointScorer(random_model(1))
    assert scorer.score(["s1"], []).shape == (0,)
    assert scorer.extend([], [])[0].shape == (0,)


def test_a_file_gives_the_same_costs(tmp_path):
    path = tmp_path / "joint.scorer"
    model = random_model(3)
    model.write(path)
    read = read_scorers(path)
    assert list(read) == ["Joint"]
    arguments = ["s1", "s2", "new"], [["a", "b"], ["g", "e", "new"]]
    assert (read["Joint"].score(*arguments) == JointScorer(model).score(*arguments)).all()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError, match=r"joint\.scorer"):
        read_scorers(path)

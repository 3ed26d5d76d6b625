"""Decisions between whole strings against sacrebleu's sentence scores, pair by pair."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sacrebleu
from word_edits import edits

from lattice_simp import Hypothesis, LatticeSimpError, MbrPruning, mbr_nbest
from lattice_simp.ops.mbr_utilities import UTILITIES, BatchUtility

SEEDS = range(15)
WORDS = ["a", "b", "ab", "Haus", "häuser", ","]


def random_list(rng, size, longest=9):
    return [
        Hypothesis(tuple(rng.choice(WORDS, rng.integers(0, longest))), rng.uniform(-1, 3), {"f": float(number)})
        for number in range(size)
    ]


CHRF, BLEU = sacrebleu.CHRF(), sacrebleu.BLEU(tokenize="none", effective_order=True)
PLAIN = {
    "chrf": lambda one, other: CHRF.sentence_score(one, [other]).score,
    "bleu": lambda one, other: BLEU.sentence_score(one, [other]).score,
    "wer": lambda one, other: -edits(one.split(" ") if one else [], other.split(" ") if other else []),
}


def brute_force(hypotheses, evidence, utility, scale):
    """Returns the expected utility of each string, including duplicates."""
    shares = np.exp([-scale * entry.cost for entry in evidence])
    shares /= shares.sum()
    return {
        entry.tokens: sum(
            share * utility(entry.text, other.text) for share, other in zip(shares, evidence, strict=True)
        )
        for entry in hypotheses
    }


@pytest.mark.parametrize("name", UTILITIES)
def test_expected_utilities_are_those_of_all_pairs(name):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hypotheses = random_list(rng, rng.integers(1, 12), 2 + seed)
        evidence = random_list(rng, 5) if seed % 3 == 0 else None
        scale = float(rng.uniform(0.2, 2.0))
        expected = brute_force(hypotheses, evidence or hypotheses, PLAIN[name], scale)
        plain = PLAIN[name]
        batch = BatchUtility(
            lambda texts, others, plain=plain: [plain(*pair) for pair in zip(texts, others, strict=True)]
        )
        truth = hypotheses if evidence is None else evidence
        matrix = np.array([[plain(entry.text, other.text) for other in truth] for entry in hypotheses])
        for utility in (name, plain, batch, matrix.reshape(len(hypotheses), len(truth))):
            actual = mbr_nbest(hypotheses, utility, scale=scale, evidence=evidence)
            gains = {entry.tokens: -entry.cost for entry in actual}
            assert gains == pytest.approx(expected, rel=1e-9, abs=1e-9), f"seed {seed}"
            assert [entry.cost for entry in actual] == sorted(entry.cost for entry in actual)


def test_of_equal_strings_the_cheapest_is_kept_and_their_probabilities_add_up():
    entries = [Hypothesis(("a",), 2.0, {"f": 1.0}), Hypothesis(("b",), 1.5), Hypothesis(("a",), 1.9, {"f": 2.0})]
    result = mbr_nbest(entries, "wer")
    assert [entry.text for entry in result] == ["a", "b"]
    assert result[0].features == {"f": 2.0}
    assert result[0].cost == pytest.approx(1 / (1 + math.exp(-0.5) + math.exp(-0.4)))


class Counted:
    """Counts the calls of a utility."""

    def __init__(self, utility):
        self.utility, self.calls = utility, 0

    def __call__(self, first, other):
        self.calls += 1
        return self.utility(first, other)


@pytest.mark.slow
def test_pruning_keeps_within_its_calls_and_mostly_finds_the_best():
    right = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        centre = rng.choice(WORDS, 12)
        hypotheses = []
        for _ in range(60):
            words = centre.copy()
            changed = rng.random(12) < rng.uniform(0.05, 0.6)
            words[changed] = rng.choice(WORDS, changed.sum())
            hypotheses.append(Hypothesis(tuple(words), rng.uniform(0, 1)))
        exact = mbr_nbest(hypotheses, "chrf")
        limit = int(rng.integers(600, 2500))
        counted = Counted(PLAIN["chrf"])
        result = mbr_nbest(hypotheses, counted, pruning=MbrPruning(max_calls=limit, seed=seed))
        assert counted.calls <= limit, f"seed {seed}"
        gains = {entry.tokens: entry.cost for entry in exact}
        assert {entry.tokens: entry.cost for entry in result} == pytest.approx(
            {entry.tokens: gains[entry.tokens] for entry in result}
        ), "what is left has its exact gain"
        assert -result[0].cost >= -exact[0].cost - 5.0, f"seed {seed}"
        right += result[0].tokens == exact[0].tokens
    assert right >= 11


def test_pruning_is_the_same_in_each_run_and_exact_where_there_are_calls_enough():
    hypotheses = random_list(np.random.default_rng(3), 40)
    few = MbrPruning(max_calls=200)
    assert mbr_nbest(hypotheses, pruning=few) == mbr_nbest(hypotheses, pruning=few)
    counted = Counted(PLAIN["wer"])
    distinct = len({entry.tokens for entry in hypotheses})
    mbr_nbest(hypotheses, counted, pruning=MbrPruning(max_calls=distinct**2))
    assert counted.calls == distinct**2


def test_the_least_number_of_calls_is_enough():
    for seed in SEEDS:
        hypotheses = random_list(np.random.default_rng(seed), 30)
        distinct = len({entry.tokens for entry in hypotheses})
        counted = Counted(PLAIN["wer"])
        result = mbr_nbest(hypotheses, counted, pruning=MbrPruning(max_calls=2 * distinct, seed=seed))
        assert len(result) >= 1
        assert counted.calls <= 2 * distinct


def test_one_sure_hypothesis_and_empty_lists():
    sure = [Hypothesis(("a",), -1000.0), *random_list(np.random.default_rng(0), 50)]
    assert mbr_nbest(sure, pruning=MbrPruning(max_calls=150))[0].tokens == ("a",)
    assert mbr_nbest([]) == []
    assert mbr_nbest([Hypothesis((), 1.0)], "bleu")[0].cost == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"utility": "comet"}, "unknown utility 'comet'; known are chrf, bleu, wer, and functions"),
        ({"scale": 0.0}, "the scale of the costs is 0.0"),
        ({"scale": math.nan}, "the scale of the costs is nan"),
        ({"evidence": []}, "there is no evidence"),
        ({"utility": np.zeros((2, 3))}, r"the shape \(2, 3\); give one of \(2, 2\)"),
        ({"utility": lambda texts, others: [1.0, 2.0]}, "returns several values .* BatchUtility"),
        ({"utility": BatchUtility(lambda texts, others: [1.0, 2.0])}, "the utility gives 2 values for 4 pairs"),
        ({"utility": lambda value, other: math.nan}, "the utility of 'a' given 'a' is not finite"),
        ({"pruning": MbrPruning(max_calls=3)}, "max_calls is 3; 2 hypotheses and 2 references need at least 4"),
    ],
)
def test_what_cannot_be_decided_is_refused(options, message):
    with pytest.raises(LatticeSimpError, match=message):
        mbr_nbest([Hypothesis(("a",), 1.0), Hypothesis(("b",), 2.0)], **options)


@pytest.mark.parametrize("confidence", [0.5, 1.0, math.nan])
def test_confidences_that_are_none_are_refused(confidence):
    with pytest.raises(LatticeSimpError, match="the confidence is"):
        MbrPruning(confidence=confidence)


def test_tokens_may_be_ids():
    """Tokenisers of models return ids, also as arrays; what characters would compare, or a mapping, is refused."""
    entries = [Hypothesis((text,), cost) for text, cost in (("a b c", 1.0), ("a b d", 1.2), ("e f", 1.1))]
    ids = {word: number for number, word in enumerate("abcdef")}
    for utility in ("bleu", "wer"):
        expected = [(entry.text, entry.cost) for entry in mbr_nbest(entries, utility, tokens=str.split)]
        for kind in (list, tuple, np.array):
            result = mbr_nbest(entries, utility, tokens=lambda text, kind=kind: kind([*map(ids.get, text.split())]))
            assert [(entry.text, entry.cost) for entry in result] == expected
    with pytest.raises(TypeError, match=r"chrf compares characters, which the ids .* take bleu or wer"):
        mbr_nbest(entries, "chrf", tokens=lambda text: [1, 2])
    with pytest.raises(TypeError, match=r"a list, not a mapping: .*return its ids"):
        mbr_nbest(entries, "bleu", tokens=lambda text: {"input_ids": [1, 2]})
    with pytest.raises(TypeError, match="words must be strings, not 1"):
        mbr_nbest(entries, "bleu", tokens=lambda text: ["a", 1])

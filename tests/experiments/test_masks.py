"""Several automatic skeletons at once: safety of phrases, choices of settings, and costs of lattices."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.masks.choosing import (
    Candidates,
    Setting,
    bleu,
    choose_setting,
    cross_validated,
    score,
    sentence_oracle,
)
from experiments.masks.safety import Safety, gap_counts, is_safe
from experiments.masks.stages import Sentence
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.ops.nbest import nbest
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic import Parse
from lattice_simp.translate.gappy_composition import compose_with_expected, contained_costs
from lattice_simp.translate.settings import SkeletonSettings

EDITS = EditCosts(deletion=1.5, substitution=2.0, stem=0.5)

RAIN = Parse(
    ("today", ",", "it", "rained", "hard", "here", "."),
    (3, 3, 3, -1, 3, 4, 3),
    ("npadvmod", "punct", "nsubj", "ROOT", "advmod", "advmod", "punct"),
    ("NOUN", "PUNCT", "PRON", "VERB", "ADV", "ADV", "PUNCT"),
    ("X",) * 7,
    ("today", ",", "it", "rain", "hard", "here", "."),
)


def test_a_phrase_is_safe_if_a_block_of_words_is_its_translation():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        links = np.unique(rng.integers(0, 5, size=(rng.integers(1, 7), 2)), axis=0).astype(np.int32)
        first = int(rng.integers(0, 5))
        span = range(first, int(rng.integers(first, 5)) + 1)
        pairs = {tuple(link) for link in links.tolist()}
        blocks = [
            all((source in span) == (target in range(low, high)) for source, target in pairs)
            for low in range(5)
            for high in range(low + 1, 6)
        ]
        linked = any(source in span for source, _ in pairs)
        assert is_safe(span, links) is (any(blocks) if linked else None), seed
    assert is_safe([0, 2], links) is None  # a phrase in pieces


def test_safety_is_learned_from_links():
    together = np.array([[0, 0], [2, 1], [3, 2], [4, 3], [5, 4]])
    crossing = np.array([[0, 1], [2, 2], [3, 3], [4, 0], [5, 2]])  # "hard here" is translated on both sides of "today"
    safety = Safety.learn([(RAIN, together)] * 30 + [(RAIN, crossing)] * 30)
    assert safety.probability(RAIN, 0) > 0.9  # "today" has a word of its own
    assert 0.4 < safety.probability(RAIN, 4) < 0.6
    both = Skeleton.from_mask("0011001", RAIN.tokens)
    expected = math.log(safety.probability(RAIN, 0)) + math.log(safety.probability(RAIN, 4))
    assert safety.score(RAIN, both) == pytest.approx(expected)  # "here" goes with its head, and commas do not count


def test_gaps_are_counted_without_regard_to_marks_at_the_ends():
    assert gap_counts(Skeleton.from_mask("0011111", RAIN.tokens), RAIN) == (1, 0)
    assert gap_counts(Skeleton.from_mask("0011011", RAIN.tokens), RAIN) == (1, 1)
    assert gap_counts(Skeleton.from_mask("1111101", RAIN.tokens), RAIN) == (0, 0)  # at the end
    assert gap_counts(Skeleton.from_mask("1001101", RAIN.tokens), RAIN) == (0, 1)


def random_lists(rng: np.random.Generator, count: int) -> list[list[Hypothesis]]:
    """Skeletons' hypotheses over a few words, the best at no cost."""
    results = []
    for _ in range(count):
        words = {tuple(rng.choice(list("abc"), size=rng.integers(1, 3)).tolist()) for _ in range(3)}
        results.append([Hypothesis(word, float(rank)) for rank, word in enumerate(sorted(words))])
    return results


def test_shares_make_a_lattice_cost_what_is_expected():
    """With shares and edits, a path costs the decoder's cost plus the weighted mean of the skeletons' costs."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        strings = {" ".join(rng.choice(list("abcd"), size=rng.integers(1, 5)).tolist()) for _ in range(6)}
        full = [(string, float(rng.integers(0, 8)) / 4) for string in sorted(strings)]
        lists, shares = random_lists(rng, 3), rng.dirichlet(np.ones(3))
        how = SkeletonSettings(weight=1.0, edits=EDITS)
        joint = compose_with_expected(Lattice.from_strings(full), lists, shares.tolist(), how, beam=50.0)
        words = [first for first, _ in full]
        rows = np.vstack([contained_costs(words, ranked, how) for ranked in lists])
        expected = dict(zip(words, np.array([cost for _, cost in full]) + shares @ rows, strict=True))
        assert {path.text: path.cost for path in nbest(joint, 99)} == pytest.approx(expected), seed


def candidates(reference: str, full: list[float], skeletons: list[list[float]]) -> Candidates:
    """Two hypotheses, one word apart, of a sentence with two skeletons."""
    tokens = tuple("abcdefghijklmnopqrst")
    masks = ["1" * 15 + "0" * 5, "0" * 5 + "1" * 15]
    features = np.array([[0.0, 0, 0, 0], [-1.0, 1, 0, 0]])
    sentence = Sentence(tokens, reference, tuple(Skeleton.from_mask(mask, tokens) for mask in masks), features)
    return Candidates(sentence, ["it is so now .", "it was so now ."], np.array(full), np.array(skeletons))


PAST, NOW = "it was so now .", "it is so now ."


def test_settings_say_how_much_each_skeleton_counts():
    result = candidates(PAST, [0.0, 0.5], [[0.0, 0.0], [2.0, 0.0]])
    assert Setting(masks=1).shares(result.sentence).tolist() == [1.0, 0.0]
    assert Setting(masks=2).shares(result.sentence) == pytest.approx(np.exp([0, -1]) / np.exp([0, -1]).sum())
    assert Setting(masks=2, temperature=1e6).shares(result.sentence) == pytest.approx([0.5, 0.5], abs=1e-4)
    assert Setting(masks=1, start=2.0).shares(result.sentence).tolist() == [0.0, 1.0]
    assert result.best(Setting(weight=5.0, masks=1)) == 0  # the first skeleton does not care
    assert result.best(Setting(weight=5.0, masks=2)) == 1
    assert result.best(Setting(weight=0.1, masks=2)) == 0
    assert result.best(Setting(weight=1.0, masks=2, over="least")) == 0  # the first skeleton allows it
    assert result.best(Setting(weight=1.0, masks=2, over="least", start=10.0)) == 1  # but it is improbable now


def test_the_setting_with_the_best_bleu_is_chosen():
    some = [candidates(PAST, [0.0, 0.5], [[1.0, 0.0], [1.0, 0.0]]), candidates(NOW, [0.0, 2.0], [[1.0, 0.0]] * 2)]
    chosen = choose_setting(some, {"weight": [0.1, 1.0, 5.0]})
    assert chosen.weight == 1.0  # 0.1 changes nothing, 5 changes both
    assert score(some, chosen) == pytest.approx(100.0)


def test_cross_validation_takes_the_setting_of_the_other_half():
    """The first half needs a weight, the second none, so each gets a wrong setting."""
    pushed = [[1.0, 0.0], [1.0, 0.0]]
    some = [candidates(PAST if number % 2 == 0 else NOW, [0.0, 0.5], pushed) for number in range(6)]
    tried = {"weight": [0.0, 1.0]}
    assert cross_validated(some, tried) == [0, 1] * 3
    assert bleu(some, cross_validated(some, tried)) < bleu(some, [1, 0] * 3) == pytest.approx(100.0)


def test_the_oracle_takes_the_better_hypothesis():
    result = candidates(PAST, [0.0, 0.5], [[0.0, 0.0], [2.0, 0.0]])
    assert result.alone(1.0).tolist() == [0, 1]
    assert sentence_oracle(result, result.alone(1.0)) == 1

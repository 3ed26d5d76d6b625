"""Oracles against enumeration of all paths."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from helpers import arc_paths, paths, random_lattice
from word_edits import edits

from lattice_simp import CyclicLatticeError, EmptyLatticeError, Lattice, LatticeSimpError, SymbolTable, oracle, union
from lattice_simp.ops.nbest import path_hypothesis
from lattice_simp.ops.oracle_bleu import ReferenceGrams, linear_oracle
from lattice_simp.scores.bleu import sentence_bleus

SEEDS = range(60)
WORDS = [*"abcd"]


def make(seed):
    """Returns a non-empty lattice, and references with words outside of it."""
    rng = np.random.default_rng(seed)
    while True:
        options = {"numbered": seed % 5 == 0, "columns": ("x",), "shuffled": seed % 4 == 0}
        lattice = random_lattice(rng, 4 + seed % 7, WORDS, seed % 3 == 0, arcs_per_state=2.2, **options)
        if not lattice.connected().empty:
            break
    references = [tuple(map(str, rng.choice([*WORDS, "new"], rng.integers(0, 8)))) for _ in range(1 + seed % 2)]
    return lattice, references


def test_the_fewest_word_errors_and_the_least_cost_among_them():
    for seed in SEEDS:
        lattice, references = make(seed)
        expected = min(
            (min(edits(words, reference) for reference in references), cost) for words, _, cost in paths(lattice)
        )
        actual = oracle(lattice, references)
        assert (actual.score, actual.hypothesis.cost) == pytest.approx(expected), f"seed {seed}"
        assert min(edits(actual.hypothesis.tokens, reference) for reference in references) == actual.score
        held = lattice.connected()
        arcs = actual.hypothesis.arcs
        assert tuple(held.symbols.decode(held.olabels[arcs])) == actual.hypothesis.tokens
        assert actual.hypothesis.features.keys() == {"x"}


def linear_gain(words, references, gains, word_gain):
    grams = {
        tuple(reference[begin : begin + order])
        for reference in references
        for order in range(1, 5)
        for begin in range(len(reference) - order + 1)
    }
    return word_gain * len(words) + sum(
        gains[order - 1] * (tuple(words[begin : begin + order]) in grams)
        for order in range(1, 5)
        for begin in range(len(words) - order + 1)
    )


def test_the_linear_search_is_exact():
    for seed in SEEDS:
        lattice, references = make(seed)
        lattice = lattice.connected()
        gains, word_gain = np.random.default_rng(seed).uniform(0, 2, 4), [-1.0, 0.0, 0.25][seed % 3]
        expected = max(linear_gain(words, references, gains, word_gain) for words, _, _ in paths(lattice))
        grams = ReferenceGrams.of(lattice, references)
        path = linear_oracle(lattice, grams, gains[grams.lengths - 1], word_gain)
        assert linear_gain(path.tokens, references, gains, word_gain) == pytest.approx(expected, abs=1e-7), (
            f"seed {seed}"
        )


def sacrebleus(tokens, references):
    scorer = sacrebleu.BLEU(tokenize="none", effective_order=True)
    return scorer.sentence_score(" ".join(tokens), [" ".join(reference) for reference in references]).score


def test_sentence_bleu_is_sacrebleus():
    seen = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        strings = [tuple(map(str, rng.choice(WORDS, rng.integers(0, 9)))) for _ in range(6)]
        result = sentence_bleus(strings[2:], strings[:2])
        assert result.tolist() == pytest.approx([sacrebleus(string, strings[:2]) for string in strings[2:]]), (
            f"seed {seed}"
        )
        seen.update(result.round(3).tolist())
    assert len(seen) > 100


def test_bleu_oracles_are_mostly_the_best_and_never_worse_than_the_best_path():
    losses = []
    for seed in SEEDS:
        lattice, references = make(seed)
        strings, _, costs = zip(*paths(lattice), strict=True)
        scores = list(zip(sentence_bleus(strings, references), costs, strict=True))
        result = oracle(lattice, references, "bleu")
        assert result.score == pytest.approx(sacrebleus(result.hypothesis.tokens, references))
        assert result.score >= min(scores, key=lambda entry: entry[1])[0] - 1e-9, f"seed {seed}"
        losses.append(max(scores)[0] - result.score)
    assert np.mean(np.array(losses) < 1e-9) >= 0.95
    assert np.mean(losses) < 0.2


def test_of_equal_bleu_the_cheapest_path_is_returned():
    lattice = Lattice.from_arcs([0, 0], [1, 1], [2.0, 1.0], [1, 1], [np.inf, 0.0], SymbolTable("a"))
    assert oracle(lattice, "a", "bleu").hypothesis.cost == 1.0
    assert oracle(lattice, "a", "wer").hypothesis.cost == 1.0


@pytest.mark.parametrize("metric", ["wer", "bleu"])
def test_marks_are_words_where_none_are_ignored(metric):
    lattice = Lattice.from_strings([("<s> a b", 1.0)])
    assert oracle(lattice, "a b", metric, ignore=()).hypothesis.tokens == ("<s>", "a", "b")


@pytest.mark.parametrize("metric", ["wer", "bleu"])
def test_of_equally_good_strings_the_cheapest_is_returned(metric):
    for seed in range(20):
        costs = np.random.default_rng(seed).permutation(4).astype(float)
        strings = [f"a b c {word} e" for word in "wxyz"]
        lattice = union(*(Lattice.from_strings([pair]) for pair in zip(strings, costs, strict=True)))
        result = oracle(lattice, ["a b c d e"], metric)
        assert (result.hypothesis.text, result.hypothesis.cost) == (strings[int(np.argmin(costs))], 0.0), f"seed {seed}"


def test_tokens_with_other_blanks_are_one_token():
    assert sentence_bleus([("a\u00a0b", "c")], [("a\u00a0b", "c")]).tolist() == pytest.approx([100.0])
    assert sentence_bleus([("a", "b")], [("a\u00a0b",)]).tolist() == [0.0]


def test_empty_strings():
    lattice = Lattice.from_strings([("", 1.0), ("a b", 0.0)])
    assert oracle(lattice, "").score == 0.0
    assert oracle(lattice, [()], "wer").hypothesis.tokens == ()
    assert oracle(lattice, "a", "wer").score == 1.0
    assert oracle(lattice, "", "bleu").score == 0.0


def test_paths_of_hypotheses_add_up():
    lattice, _ = make(5)
    lattice = lattice.connected()
    arcs, end = max(arc_paths(lattice), key=lambda path: len(path[0]))
    path = path_hypothesis(lattice, np.array(arcs, dtype=np.int32), end)
    assert path.cost == pytest.approx(float(lattice.weights[arcs].sum() + lattice.finals[end]))
    assert path.inputs == tuple(lattice.ilabels[arcs].tolist())


def test_what_has_no_oracle_is_refused():
    lattice = Lattice.from_strings([("a", 1.0)])
    with pytest.raises(LatticeSimpError, match="unknown metric 'ter'; known are wer, bleu"):
        oracle(lattice, "a", "ter")
    with pytest.raises(LatticeSimpError, match="at least one"):
        oracle(lattice, [])
    with pytest.raises(EmptyLatticeError, match="no oracle"):
        oracle(Lattice.empty_like(lattice), "a")
    with pytest.raises(CyclicLatticeError):
        oracle(Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable("a")), "a")

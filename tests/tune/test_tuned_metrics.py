"""Tuning for chrF, TER and WER: their sums against sacrebleu and rapidfuzz, the searches against brute force."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from rapidfuzz.distance import Levenshtein
from tune_helpers import best_of_line

from lattice_simp import Lattice, SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.tune.feature_lattice import tuning_lattice
from lattice_simp.tune.mert import MertOptions, minimize_error
from lattice_simp.tune.metrics import CHRF, TER, WER
from lattice_simp.tune.mira import MiraOptions, learn_margins

WORDS = ("a", "ab", "ba", "Abc", "über", "日本", "cab", "bcd", "d")


def sentence(rng, longest, least=0):
    return [WORDS[index] for index in rng.integers(0, len(WORDS), rng.integers(least, longest))]


def corpora():
    """Yields a seed, hypotheses and columns of references, of which some are empty and some are near."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        hypotheses = [sentence(rng, 12) for _ in range(6)]
        shuffled = [[words[index] for index in rng.permutation(len(words))] for words in hypotheses]
        columns = [[sentence(rng, 12) for _ in hypotheses], [[*words, "d"] for words in shuffled]]
        yield seed, hypotheses, columns[seed % 2 : 1 + (seed % 3 > 0) + seed % 2]


def score_of(metric, hypotheses, columns):
    """Returns the corpus score; each hypothesis is counted among others, so leaking counts would show."""
    symbols = SymbolTable()
    encoded = [[symbols.encode(words) for words in lines] for lines in zip(*columns, strict=True)]
    prepared = metric.prepared(encoded, symbols=symbols)
    late = [symbols.encode(words) for words in hypotheses]  # words that the table gets after the references
    flat, offsets = np.concatenate(late), np.cumsum([0, *map(len, late)])
    rows = [counts.rows(flat, offsets)[number] for number, counts in enumerate(prepared)]
    return float(metric.score(np.sum(rows, axis=0)))


def texts(lines):
    return [" ".join(words) for words in lines]


def test_chrf_is_that_of_sacrebleu():
    for seed, hypotheses, columns in corpora():
        theirs = sacrebleu.CHRF().corpus_score(texts(hypotheses), list(map(texts, columns))).score
        assert 100.0 * score_of(CHRF, hypotheses, columns) == pytest.approx(theirs, abs=1e-9), f"seed {seed}"


def test_ter_is_that_of_sacrebleu():
    for seed, hypotheses, columns in corpora():
        theirs = sacrebleu.TER().corpus_score(texts(hypotheses), list(map(texts, columns))).score
        rate = TER.reported(score_of(TER, hypotheses, columns))
        assert 100.0 * rate == pytest.approx(theirs, abs=1e-9), f"seed {seed}"


def test_wer_is_the_edits_by_the_words_of_the_nearest_reference():
    for seed, hypotheses, columns in corpora():
        edits, length = 0, 0
        for words, *references in zip(hypotheses, *columns, strict=True):
            pairs = [(Levenshtein.distance(words, reference), len(reference)) for reference in references]
            nearest = min(pairs, key=lambda pair: (pair[0], -pair[1]))  # the fewest edits, then the longest
            edits, length = edits + nearest[0], length + nearest[1]
        rate = WER.reported(score_of(WER, hypotheses, columns))
        assert rate == pytest.approx(edits / length, abs=1e-12), f"seed {seed}"


def test_the_nearest_reference_has_the_fewest_edits():
    """The first is nearer in edits (1 of 1 word), the second would have the lower rate (2 of 8)."""
    near, far = ["a"], "x b c d e f g h".split()
    assert WER.of_strings([["a", "z"]], [[near, far]]) == 1.0
    ties = [["a", "b"], ["a", "b", "c", "d"]]
    assert WER.of_strings([["a", "b", "c"]], [ties]) == WER.of_strings([["a", "b", "c"]], [ties[::-1]]) == 0.25


def lattices_of_words(random_lattice, seed):
    """Returns lattices, references with words of theirs and of others, and weights."""
    rng = np.random.default_rng(seed)
    lattices = [random_lattice(rng, states=10, words=4, arcs_per_state=2.5) for _ in range(4)]
    references = [[rng.integers(1, 5, 5), rng.integers(1, 5, 3)][: 1 + seed % 2] for _ in lattices]
    return lattices, references, rng.normal(size=3)


@pytest.mark.parametrize("metric", [CHRF, TER, WER], ids=lambda metric: metric.name)
def test_no_point_of_the_line_is_better(random_lattice, metric):
    gains = []
    for seed in range(5):
        lattices, references, weights = lattices_of_words(random_lattice, seed)
        prepared = metric.prepared(references, symbols=lattices[0].symbols)
        direction = np.random.default_rng(100 + seed).normal(size=3)
        optimum = best_of_line(lattices, prepared, weights, direction, metric)
        gains.append(optimum.score - optimum.here)
    assert max(gains) > 0.01


@pytest.mark.parametrize("name", ["chrf", "ter", "wer"])
def test_both_optimisers_find_the_reference(name):
    """One feature prefers the references, the other the wrong strings, and starts stronger."""
    pairs = [("the cat sat", "a dog ran off"), ("we like pears", "they eat"), ("so it is", "no")]
    symbols, tuned, references = SymbolTable(), [], []
    for right, wrong in pairs:
        pair = Lattice.from_strings([(right, 0.0), (wrong, 0.0)], symbols=symbols)
        starts, first = pair.sources == 0, symbols.find(right.split()[0])
        scores = np.array([starts & (pair.olabels == first), starts & (pair.olabels != first)], dtype=float)
        tuned.append(tuning_lattice(pair, "xy", scores))
        references.append([symbols.encode(right)])
    start = {"x": 0.5, "y": 1.0}
    for result in (
        minimize_error(tuned, references, start, MertOptions(restarts=0), metric=name),
        learn_margins(tuned, references, start, MiraOptions(step=1.0), metric=name),
    ):
        assert result.score == 1.0
        assert result.initial_score < 0.5


def test_error_rates_above_one_are_scores_below_zero():
    assert score_of(WER, [["a", "b", "d"]], [[["cab"]]]) == -2.0
    assert WER.reported(-2.0) == 3.0


def test_metrics_of_characters_need_the_words():
    for metric in (CHRF, TER):
        with pytest.raises(LatticeSimpError, match=f"{metric.name} compares characters"):
            metric.prepared([[[1]]])
    for metric in (CHRF, TER, WER):
        with pytest.raises(LatticeSimpError, match="no reference"):
            metric.prepared([[]], symbols=SymbolTable("a"))

"""The whole search: the reference lattices, n-best lists as a special case, constraints, threads."""

from __future__ import annotations

import csv
import math
from dataclasses import replace

import numpy as np
import pytest
from tune_helpers import empty_lattice, lattice_of_arcs

from lattice_simp import SymbolTable
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.bleu import References
from lattice_simp.tune.envelope import segments
from lattice_simp.tune.feature_lattice import nbest_lattice
from lattice_simp.tune.line_search import search_line
from lattice_simp.tune.mert import MertOptions, evaluate, feature_units, minimize_error
from lattice_simp.tune.scores import best_hypothesis

# ---------------------------------------------------------------- reference results


@pytest.mark.shared
@pytest.mark.parametrize(
    ("weights", "bleu", "cost"),
    [
        ("params.initial.txt", 0.255110, 1307.1152),
        ("params.final.newparams.1-20.boost1.59.txt", 0.333766, 468.4568),
        ("params.final.newparams.1-20.txt", 0.334811, 1151.8150),
    ],
)
def test_bleu_and_costs_under_given_weights(oracle, weights, bleu, cost):
    vector = oracle.weights(weights)
    counts = [References.of(reference) for reference in oracle.references]
    assert evaluate(oracle.lattices, counts, vector) == pytest.approx(bleu, abs=1e-6)
    assert sum(best_hypothesis(lattice, vector)[1] for lattice in oracle.lattices) == pytest.approx(cost, abs=1e-3)


@pytest.mark.shared
def test_searches_along_the_axes(oracle):
    """Everything as recorded, but that of neighbouring intervals of equal BLEU the record has the leftmost."""
    counts = [References.of(reference) for reference in oracle.references]
    pairs = zip(oracle.lattices, counts, strict=True)
    results = [segments(lattice, second, oracle.start, np.eye(12)) for lattice, second in pairs]
    text = (oracle.folder / "linesearch.axis.iter1.tsv").read_text().splitlines()
    rows = list(csv.DictReader(text, delimiter="\t"))
    assert len(rows) == 12
    for number, row in enumerate(rows):
        optimum = search_line(results, number)
        low, high = float(row["gamma_lo"]), float(row["gamma_hi"])
        if number == 0:
            assert optimum.low == pytest.approx(high, rel=1e-6)
            optimum = search_line(results, number, high=high, min_width=1e-3)
            assert evaluate(oracle.lattices, counts, oracle.start + np.eye(12)[0] * (low + high) / 2) == optimum.score
        assert optimum.segments == int(row["segments_total"])
        assert optimum.at_low_end == pytest.approx(float(row["bleu_at_minus_inf"]), abs=1e-6)
        assert optimum.score == pytest.approx(float(row["best_bleu"]), abs=1e-6)
        assert optimum.detail == pytest.approx(float(row["brevity"]), abs=1e-6)
        assert (optimum.low, optimum.high) == pytest.approx((low, high), rel=1e-5)


@pytest.mark.shared
def test_the_search_ends_above_the_recorded_bleu(oracle):
    result = minimize_error(oracle.lattices, oracle.references, oracle.named(oracle.start), MertOptions(restarts=1))
    assert result.initial_score == pytest.approx(0.255110, abs=1e-6)
    assert result.score >= 0.3337
    assert result.score == pytest.approx(max(step.score for step in result.trace), abs=1e-12)
    for number in (0, 1):
        gains = [step.score for step in result.trace if step.search == number]
        assert gains == sorted(gains)


# ---------------------------------------------------------------- small instances


def corpus(random_lattice, seed, sentences=6):
    rng = np.random.default_rng(seed)
    lattices = [random_lattice(rng, states=12, words=2, arcs_per_state=2.5) for _ in range(sentences)]
    references = [[rng.integers(1, 3, 7), rng.integers(1, 3, 9)] for _ in lattices]
    return lattices, references, dict(zip(lattices[0].features, rng.normal(size=3).tolist(), strict=True))


def named_options(**options):
    return MertOptions(restarts=2, random_directions=4, **options)


def test_the_weights_give_the_promised_bleu_and_it_grows(random_lattice):
    for seed in range(6):
        lattices, references, start = corpus(random_lattice, seed)
        counts = [References.of(reference) for reference in references]
        result = minimize_error(lattices, references, start, named_options())
        assert result.initial_score == evaluate(lattices, counts, list(start.values())), f"seed {seed}"
        assert result.score == evaluate(lattices, counts, list(result.weights.values())), f"seed {seed}"
        assert result.score > result.initial_score, f"seed {seed}"
        assert result.score == pytest.approx(max(step.score for step in result.trace)), f"seed {seed}"


def test_the_best_of_all_searches_counts_and_of_equal_ones_the_first(random_lattice):
    """Each search more is the same but for its own end, which counts if it is better than those before."""
    better, worse, same = 0, 0, 0
    for seed in range(6):
        lattices, references, start = corpus(random_lattice, seed)
        options = MertOptions(random_directions=0, max_rounds=1, kick=2.0)
        before = minimize_error(lattices, references, start, replace(options, restarts=0))
        for restarts in range(1, 6):
            result = minimize_error(lattices, references, start, replace(options, restarts=restarts))
            steps = [step.score for step in result.trace if step.search == restarts]
            if steps and steps[-1] > before.score:
                better += 1
                assert result.score == pytest.approx(steps[-1]), f"seed {seed}"
            else:
                same += bool(steps) and steps[-1] == pytest.approx(before.score, abs=1e-12)
                worse += bool(steps) and steps[-1] < before.score - 1e-12
                assert (result.weights, result.score) == (before.weights, before.score), f"seed {seed}"
            before = result
    assert min(better, worse, same) > 0


def test_no_axis_gains_at_the_end(random_lattice):
    for seed in range(4):
        lattices, references, start = corpus(random_lattice, seed)
        options = MertOptions(restarts=0, random_directions=0, min_width=0.0)
        result = minimize_error(lattices, references, start, options)
        weights = np.array(list(result.weights.values()))
        counts = [References.of(reference) for reference in references]
        units = feature_units(lattices, np.array(list(start.values())))
        parts = [segments(*pair, weights, np.diag(units), 1000.0) for pair in zip(lattices, counts, strict=True)]
        ends = [search_line(parts, axis).score for axis in range(3)]
        assert max(ends) <= result.score + options.min_gain, f"seed {seed}"


def test_any_number_of_threads_gives_the_same(random_lattice):
    lattices, references, start = corpus(random_lattice, 1, sentences=50)
    alone = minimize_error(lattices, references, start, named_options())
    assert minimize_error(lattices, references, start, named_options(jobs=3)) == alone
    assert minimize_error(lattices, references, start, named_options(seed=2)).trace != alone.trace


def test_fixed_weights_stay(random_lattice):
    lattices, references, start = corpus(random_lattice, 2)
    result = minimize_error(lattices, references, start, named_options(fixed=frozenset({"f1"})))
    assert result.weights["f1"] == start["f1"]
    assert result.weights["f0"] != start["f0"]
    everything = minimize_error(lattices, references, start, named_options(fixed=frozenset(start)))
    assert everything.weights == start
    assert everything.score == everything.initial_score


def test_signs_are_kept(random_lattice):
    for seed in range(6):
        lattices, references, start = corpus(random_lattice, seed)
        result = minimize_error(lattices, references, start, named_options(signs={"f0": 1, "f1": -1}))
        assert result.weights["f0"] >= 0.0, f"seed {seed}"
        assert result.weights["f1"] <= 0.0, f"seed {seed}"


def test_signs_matter(random_lattice):
    results = [minimize_error(*corpus(random_lattice, seed), named_options()).weights for seed in range(6)]
    assert any(weights["f0"] < 0.0 or weights["f1"] > 0.0 for weights in results)


def prefix_tree(entries, symbols, names):
    """Returns the lattice of a prefix tree: shared beginnings, features on the last arcs."""
    states = {(): 0}
    arcs = []
    for entry in entries:
        words = symbols.encode(entry.tokens).tolist()
        for length in range(1, len(words)):
            if tuple(words[:length]) not in states:
                states[tuple(words[:length])] = len(states)
                source = states[tuple(words[: length - 1])]
                arcs.append((source, words[length - 1], len(states) - 1, [0.0] * len(names)))
        values = [entry.features[name] for name in names]
        arcs.append((states[tuple(words[:-1])], words[-1], -1, values))
    end = len(states)
    sources, labels, nextstates, features = zip(*arcs, strict=True)
    final = np.arange(end + 1) == end
    return lattice_of_arcs(sources, labels, [end if s < 0 else s for s in nextstates], features, final, names)


def test_lists_and_lattices_of_the_same_hypotheses_give_the_same():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        symbols, names = SymbolTable(["a", "b", "c"]), ["x", "y", "z"]
        lists, references = [], []
        for _ in range(8):
            strings = {" ".join(rng.choice(["a", "b"], rng.integers(4, 9))) for _ in range(12)}
            lists.append(
                [
                    Hypothesis(tuple(string.split()), features={name: float(rng.normal()) for name in names})
                    for string in sorted(strings)
                ]
            )
            references.append([symbols.encode(rng.choice(["a", "b"], 7))])
        flat = [nbest_lattice(ranked, names, symbols) for ranked in lists]
        trees = [prefix_tree(ranked, symbols, names) for ranked in lists]
        assert sum(tree.num_arcs for tree in trees) < 0.7 * sum(entry.num_arcs for entry in flat), f"seed {seed}"
        start = dict(zip(names, rng.normal(size=3).tolist(), strict=True))
        left, right = (minimize_error(each, references, start, named_options()) for each in (flat, trees))
        assert left.score > left.initial_score, f"seed {seed}"
        assert right.score == left.score, f"seed {seed}"
        assert right.weights == pytest.approx(left.weights, rel=1e-6), f"seed {seed}"
        assert [step.direction for step in right.trace] == [step.direction for step in left.trace], f"seed {seed}"


def test_an_empty_lattice_does_no_harm(random_lattice):
    lattices, references, start = corpus(random_lattice, 3)
    nothing = empty_lattice(lattices[0].features)
    result = minimize_error([nothing, *lattices], [[[1, 2]], *references], start, named_options())
    assert math.isfinite(result.score)
    assert result.score > 0.0


@pytest.mark.parametrize("broken", ["none", "counts", "features", "fixed", "signs", "weights"])
def test_broken_input_is_refused(random_lattice, broken):
    lattices, references, start = corpus(random_lattice, 0)
    options = MertOptions()
    if broken == "none":
        lattices, references = [], []
    elif broken == "counts":
        references = references[1:]
    elif broken == "features":
        lattices[2] = random_lattice(np.random.default_rng(0), features=2)
    elif broken == "weights":
        start = {"f0": 1.0}
    else:
        options = MertOptions(**{broken: frozenset({"LM"}) if broken == "fixed" else {"LM": 1}})
    with pytest.raises(LatticeSimpError):
        minimize_error(lattices, references, start, options)


def farthest(weights, start, units):
    """Returns the largest change of a weight, in units of its feature."""
    return max(np.abs(np.array(list(weights.values())) - list(start.values())) / units)


@pytest.mark.parametrize("reach", [0.25, 1.0])
def test_weights_stay_within_reach(random_lattice, reach):
    for seed in range(4):
        lattices, references, start = corpus(random_lattice, seed)
        units = feature_units(lattices, np.array(list(start.values())))
        result = minimize_error(lattices, references, start, named_options(reach=reach))
        free = minimize_error(lattices, references, start, named_options())
        assert farthest(result.weights, start, units) <= reach + 1e-9 < farthest(free.weights, start, units), (
            f"seed {seed}"
        )
        assert result.initial_score <= result.score, f"seed {seed}"


def test_a_start_with_a_forbidden_sign_moves_to_zero_and_within_reach_of_it(random_lattice):
    lattices, references, start = corpus(random_lattice, 3)
    values = {**start, "f0": -2.0}
    result = minimize_error(lattices, references, values, named_options(signs={"f0": 1}, reach=0.5))
    units = feature_units(lattices, np.array(list(values.values())))
    assert 0.0 <= result.weights["f0"] <= 0.5 * units[0] + 1e-9

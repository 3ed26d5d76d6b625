"""Several language models at once against enumeration by brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from helpers import PlainModel, arc_paths, best_by_string, paths, random_arpa, random_lattice
from lattice_simp.ops.lm_joint import WeightedModel, apply_lms

from lattice_simp import LanguageModel, Lattice, SymbolTable, apply_lm
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError

WORDS = ("a", "b", "c", "zz")  # no model knows zz
TOLERANCE = {"rel": 1e-6, "abs": 1e-4}
SEEDS = range(10)
COUNTS = (2, 3)
WEIGHTS = (0.7, 1.5, 0.4)


def make(seed, count, states=7):
    """Returns (lattice, weighted models, plain models); the lattice's input labels number its arcs."""
    rng = np.random.default_rng([seed, count])
    models, references = [], []
    for number in range(count):
        text = random_arpa(
            rng,
            WORDS[: 2 + number % 2],  # each model knows other words
            1 + int(rng.integers(0, 4)),
            density=float(rng.choice([0.1, 0.4, 0.9])),
            pruned=0.2 * (seed % 2),
            unknown=seed % 3 != 0,
        )
        weight = WEIGHTS[(seed + number) % len(WEIGHTS)]
        models.append(WeightedModel(f"m{number}", LanguageModel.from_bytes(text.encode()), weight))
        references.append(PlainModel(text))
    while True:
        lattice = random_lattice(
            rng,
            states,
            WORDS,
            epsilon=seed % 2 == 0,
            arcs_per_state=2.5,
            costs=(-2.0, 3.0),
            finals=1 + seed % 3,
            columns=("x",),
            numbered=True,
            shuffled=seed % 4 >= 2,
        )
        if next(paths(lattice), None):
            return lattice, models, references


def expected_costs(lattice, models, references, word_penalty=0.0, invisible=()):
    """Returns {input labels of a path: its cost with all models}."""
    table = {}
    for words, labels, cost in paths(lattice):
        seen = [word for word in words if word not in invisible]
        joint = sum(own.weight * reference.cost(seen) for own, reference in zip(models, references, strict=True))
        table[labels] = cost + joint + word_penalty * len(seen)
    return table


def path_costs(lattice):
    return {labels: cost for _, labels, cost in paths(lattice)}


def column_sums(lattice, name):
    return {
        tuple(lattice.ilabels[arcs].tolist()): lattice.scores[name][arcs].sum() + lattice.final_scores[name][state]
        for arcs, state in arc_paths(lattice)
    }


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_path_gets_the_sum_of_all_models(seed, count):
    lattice, models, references = make(seed, count)
    scored = apply_lms(lattice, models, word_penalty=0.25)
    scored.validate()
    assert path_costs(scored) == pytest.approx(expected_costs(lattice, models, references, 0.25), **TOLERANCE)


@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_column_is_its_own_models_cost(seed, count, beam):
    lattice, models, references = make(seed, count)
    scored = apply_lms(lattice, models, beam=beam)
    assert set(scored.scores) == {"x", *(own.name for own in models)}
    words_of = {labels: words for words, labels, _ in paths(lattice)}
    for own, reference in zip(models, references, strict=True):
        sums = column_sums(scored, own.name)
        expected = {labels: reference.cost(words_of[labels]) for labels in sums}
        assert sums == pytest.approx(expected, **TOLERANCE)
    before, after = column_sums(lattice, "x"), column_sums(scored, "x")
    assert after == pytest.approx({labels: before[labels] for labels in after})


@pytest.mark.parametrize("beam", [0.0, 0.5, 3.0, 15.0])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_path_within_the_beam_stays_with_its_cost(seed, count, beam):
    lattice, models, references = make(seed, count, states=8)
    expected = expected_costs(lattice, models, references, 0.2)
    best = min(expected.values())
    scored = apply_lms(lattice, models, beam=beam, word_penalty=0.2)
    scored.validate()
    assert scored.is_topsorted
    found = path_costs(scored)
    assert found == pytest.approx({labels: expected[labels] for labels in found}, **TOLERANCE)
    assert min(found.values()) == pytest.approx(best, **TOLERANCE)
    assert {labels for labels, cost in expected.items() if cost <= best + beam - 1e-3} <= set(found)


@pytest.mark.parametrize("beam", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_arc_is_on_a_path_within_the_beam(seed, beam):
    lattice, models, _ = make(seed, 2, states=8)
    scored = apply_lms(lattice, models, beam=beam)
    through = np.full(scored.num_arcs, np.inf)
    for arcs, state in arc_paths(scored):
        through[arcs] = np.minimum(through[arcs], scored.weights[arcs].sum() + scored.finals[state])
    best = min(path_costs(scored).values())
    assert (through <= best + beam + 1e-6).all()


UNIGRAMS = """\\data\\
ngram 1=5
ngram 2=1

\\1-grams:
-2 <unk>
-99 <s> {backoff}
-0.1 </s>
-0.5 a
-0.5 b {backoff}

\\2-grams:
-0.5 b a

\\end\\
"""


@pytest.mark.parametrize("beam", [0.0, 0.5])
def test_a_backoff_weight_above_1_that_pays_for_the_end_loses_no_path(beam):
    first, second = (UNIGRAMS.format(backoff=backoff) for backoff in (0.0, 2.5))
    models = [
        WeightedModel(name, LanguageModel.from_bytes(text.encode()), 1.0)
        for name, text in (("one", first), ("two", second))
    ]
    lattice = Lattice.from_strings([("a", 0.0), ("b", 1.0)])
    scored = apply_lms(lattice, models, beam=beam)
    costs = {
        word: cost + sum(PlainModel(text).cost([word]) for text in (first, second))
        for word, cost in (("a", 0), ("b", 1))
    }
    assert costs["b"] < costs["a"]
    assert best_by_string(scored) == pytest.approx({("b",): costs["b"]}, **TOLERANCE)


@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_models_does_not_matter(seed, beam):
    lattice, models, _ = make(seed, 3)
    first, *others = (
        {(labels, round(cost, 6)) for labels, cost in path_costs(apply_lms(lattice, list(own), beam=beam)).items()}
        for own in permutations(models)
    )
    firsts = dict(first)
    best = min(firsts.values())
    for other in map(dict, others):
        shared = set(other) & set(firsts)
        assert {labels: other[labels] for labels in shared} == pytest.approx(
            {labels: firsts[labels] for labels in shared}, **TOLERANCE
        )
        limit = np.inf if beam is None else best + beam - 1e-3
        assert {labels for labels, cost in other.items() if cost <= limit} == {
            labels for labels, cost in firsts.items() if cost <= limit
        }


@pytest.mark.parametrize("beam", [None, 0.0, 4.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_invisible_words_cost_nothing_in_any_model(seed, beam):
    lattice, models, references = make(seed, 2)
    expected = expected_costs(lattice, models, references, 0.3, invisible=("b", "zz"))
    found = path_costs(apply_lms(lattice, models, beam=beam, word_penalty=0.3, invisible=("b", "zz")))
    assert found == pytest.approx({labels: expected[labels] for labels in found}, **TOLERANCE)
    best = min(expected.values())
    limit = np.inf if beam is None else best + beam - 1e-3
    assert {labels for labels, cost in expected.items() if cost <= limit} <= set(found)


@pytest.mark.parametrize("zeros", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_model_of_weight_0_changes_no_cost_but_has_its_column(seed, beam, zeros):
    lattice, models, references = make(seed, 2)
    models = [
        WeightedModel(own.name, own.model, 0.0 if number in zeros else own.weight) for number, own in enumerate(models)
    ]
    expected = expected_costs(lattice, models, references)
    scored = apply_lms(lattice, models, beam=beam)
    found = path_costs(scored)
    assert found == pytest.approx({labels: expected[labels] for labels in found}, **TOLERANCE)
    limit = np.inf if beam is None else min(expected.values()) + beam - 1e-3
    assert {labels for labels, cost in expected.items() if cost <= limit} <= set(found)
    words_of = {labels: words for words, labels, _ in paths(lattice)}
    for own, reference in zip(models, references, strict=True):
        sums = column_sums(scored, own.name)
        assert sums == pytest.approx({labels: reference.cost(words_of[labels]) for labels in sums}, **TOLERANCE)


@pytest.mark.parametrize("beam", [None, 0.0, 3.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_one_model_is_apply_lm(seed, beam):
    lattice, models, _ = make(seed, 2)
    own = models[0]
    found = apply_lms(lattice, [own], beam=beam, word_penalty=0.5)
    expected = apply_lm(lattice, own.model, own.weight, beam=beam, word_penalty=0.5, name=own.name)
    for field in ("offsets", "olabels", "ilabels", "weights", "nextstates", "finals"):
        assert getattr(found, field).tobytes() == getattr(expected, field).tobytes()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("beam", [0.0, 2.0])
def test_the_same_model_twice_is_twice_its_weight(count, beam):
    lattice, models, _ = make(3, 2)
    own = models[0]
    several = [WeightedModel(f"m{number}", own.model, 0.5) for number in range(count)]
    found = best_by_string(apply_lms(lattice, several, beam=beam))
    expected = best_by_string(apply_lm(lattice, own.model, 0.5 * count, beam=beam))
    best = min(expected.values())
    assert {words: cost for words, cost in found.items() if cost <= best + beam - 1e-3} == pytest.approx(
        {words: cost for words, cost in expected.items() if cost <= best + beam - 1e-3}, **TOLERANCE
    )


@pytest.mark.parametrize("beam", [None, 0.0])
@pytest.mark.parametrize("finals", [[], [np.inf, np.inf]])
def test_a_lattice_that_accepts_nothing_stays_empty(finals, beam):
    _, models, _ = make(1, 2)
    arcs = ([0], [1], [1.0], [1]) if finals else ([], [], [], [])
    lattice = Lattice.from_arcs(*arcs, finals, SymbolTable(["a"]))
    scored = apply_lms(lattice, models, beam=beam)
    assert scored.num_states == 0
    assert set(scored.scores) == {own.name for own in models}


@pytest.mark.parametrize("beam", [None, 0.0])
def test_the_empty_string_is_scored_by_all(beam):
    _, models, _ = make(2, 3)
    scored = apply_lms(Lattice.from_strings([("", 1.5)]), models, beam=beam)
    cost = 1.5 - sum(own.weight * own.model.score([]) for own in models)
    assert best_by_string(scored) == {(): pytest.approx(cost)}


@pytest.mark.parametrize("beam", [None, 1.0])
def test_two_columns_of_one_name_are_refused(beam):
    lattice, models, _ = make(1, 2)
    twins = [WeightedModel("lm", own.model, 1.0) for own in models]
    with pytest.raises(LatticeSimpError, match="'lm' already"):
        apply_lms(lattice, twins, beam=beam)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("beam", [None, 1.0])
def test_a_weight_is_a_number_that_is_not_negative(beam, weight, place):
    lattice, models, _ = make(1, 2)
    models[place] = WeightedModel("other", models[place].model, weight)
    with pytest.raises(LatticeSimpError, match="weight"):
        apply_lms(lattice, models, beam=beam)


def test_a_negative_beam_is_refused():
    lattice, models, _ = make(1, 2)
    with pytest.raises(LatticeSimpError, match="beam"):
        apply_lms(lattice, models, beam=-1.0)


@pytest.mark.parametrize("beam", [None, 1.0])
def test_a_cycle_is_refused(beam):
    _, models, _ = make(1, 2)
    table = SymbolTable(["a"])
    lattice = Lattice.from_arcs([0, 1, 1], [1, 1, 1], [0.0] * 3, [1, 0, 2], [np.inf, np.inf, 0.0], table)
    with pytest.raises(CyclicLatticeError):
        apply_lms(lattice, models, beam=beam)

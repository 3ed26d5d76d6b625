"""Exact application of language models against enumeration by brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from helpers import PlainModel, arc_paths, best_by_string, best_path, paths, random_arpa, random_lattice

from lattice_simp import LanguageModel, Lattice, SymbolTable, apply_lm
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError

WORDS = ("a", "b", "c", "zz")  # no model knows zz
TOLERANCE = {"rel": 1e-6, "abs": 1e-4}
SEEDS = range(8)
ORDERS = (1, 2, 3, 4, 5)


def make(seed, order, states=7, pruned=0.0):
    """Returns (lattice, model, plain model); the lattice's input labels number its arcs."""
    rng = np.random.default_rng([seed, order])
    density = (0.05, 0.3, 0.6, 0.95)[seed % 4]
    text = random_arpa(rng, WORDS[:3], order, density=density, pruned=pruned, unknown=seed % 5 != 0)
    while True:
        lattice = random_lattice(
            rng,
            states,
            WORDS,
            epsilon=seed % 2 == 0,
            arcs_per_state=2.5,
            costs=(-2.0, 3.0) if seed % 3 else (-40.0, -20.0),
            finals=1 + seed % 3,
            columns=("x", "y"),
            numbered=True,
            shuffled=seed % 4 >= 2,
        )
        if next(paths(lattice), None):
            return lattice, LanguageModel.from_bytes(text.encode()), PlainModel(text)


def expected_costs(lattice, reference, weight=1.0, word_penalty=0.0):
    """Returns {input labels of a path: its cost with the model}."""
    return {
        labels: cost + weight * reference.cost(words) + word_penalty * len(words)
        for words, labels, cost in paths(lattice)
    }


def column_sums(lattice, name):
    """Returns {input labels of a path: the sum of a score column}."""
    return {
        tuple(lattice.ilabels[arcs].tolist()): lattice.scores[name][arcs].sum() + lattice.final_scores[name][state]
        for arcs, state in arc_paths(lattice)
    }


def assert_canonical(lattice):
    lattice.validate()
    assert lattice.is_topsorted
    assert lattice.connected().num_states == lattice.num_states
    for column in lattice.final_scores.values():
        assert not column[np.isinf(lattice.finals)].any()


# ---------------------------------------------------------------- without a beam


@pytest.mark.parametrize(("weight", "word_penalty"), [(1.0, 0.0), (0.4, 0.7), (3.0, -1.5)])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_path_gets_the_models_cost(seed, order, weight, word_penalty):
    lattice, model, reference = make(seed, order)
    scored = apply_lm(lattice, model, weight, word_penalty=word_penalty)
    assert_canonical(scored)
    found = [(labels, cost) for _, labels, cost in paths(scored)]
    assert len(found) == len(dict(found))
    assert dict(found) == pytest.approx(expected_costs(lattice, reference, weight, word_penalty), **TOLERANCE)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_paths_keep_their_words(seed, order):
    lattice, model, _ = make(seed, order)
    scored = apply_lm(lattice, model)
    assert {labels: words for words, labels, _ in paths(scored)} == {
        labels: words for words, labels, _ in paths(lattice)
    }
    assert scored.symbols is lattice.symbols
    assert scored.isymbols is lattice.isymbols


@pytest.mark.parametrize("weight", [0.5, 1.0, 1e-9])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_new_column_sums_to_the_models_cost(seed, order, weight):
    lattice, model, reference = make(seed, order)
    scored = apply_lm(lattice, model, weight, name="model")
    expected = {labels: reference.cost(words) for words, labels, _ in paths(lattice)}
    assert column_sums(scored, "model") == pytest.approx(expected, **TOLERANCE)


@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_other_columns_stay(seed, beam):
    lattice, model, _ = make(seed, 3)
    scored = apply_lm(lattice, model, beam=beam)
    for name in ("x", "y"):
        before = column_sums(lattice, name)
        after = column_sums(scored, name)
        assert after == pytest.approx({labels: before[labels] for labels in after})


@pytest.mark.parametrize("seed", SEEDS)
def test_an_acceptor_stays_one_and_keeps_all_its_paths(seed):
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, 7, WORDS, epsilon=True, arcs_per_state=2.5)
    text = random_arpa(rng, WORDS[:3], 3)
    scored = apply_lm(lattice, LanguageModel.from_bytes(text.encode()))
    assert scored.is_acceptor
    assert Counter(words for words, _, _ in paths(scored)) == Counter(words for words, _, _ in paths(lattice))


def test_two_models_add_up():
    lattice, first, first_plain = make(1, 3)
    _, second, second_plain = make(2, 2)
    scored = apply_lm(apply_lm(lattice, first, 0.5, name="one"), second, 2.0, name="two")
    expected = {
        labels: cost + 0.5 * first_plain.cost(words) + 2 * second_plain.cost(words)
        for words, labels, cost in paths(lattice)
    }
    assert {labels: cost for _, labels, cost in paths(scored)} == pytest.approx(expected, **TOLERANCE)
    assert set(scored.scores) == {"x", "y", "one", "two"}


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_start_context_that_nothing_extends_pays_its_backoff(order):
    text = random_arpa(np.random.default_rng(5), ("a", "b"), order, density=0.0)
    text = text.replace("<s>", "<s>\t-0.75", 1) if "<s>\t" not in text else text
    lattice = Lattice.from_strings([("a b", 1.0), ("b", 0.5)])
    reference = PlainModel(text)
    for beam in (None, 9.0):
        scored = apply_lm(lattice, LanguageModel.from_bytes(text.encode()), beam=beam)
        expected = {words: cost + reference.cost(words) for words, cost in best_by_string(lattice).items()}
        assert best_by_string(scored) == pytest.approx(expected, **TOLERANCE)


# ---------------------------------------------------------------- with a beam


@pytest.mark.parametrize("pruned", [0.0, 0.3])
@pytest.mark.parametrize("beam", [0.0, 0.5, 3.0, 15.0])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_path_within_the_beam_stays_with_its_cost(seed, order, beam, pruned):
    lattice, model, reference = make(seed, order, states=8, pruned=pruned)
    weight = (1.0, 0.3, 2.5)[seed % 3]
    expected = expected_costs(lattice, reference, weight, word_penalty=0.2)
    best = min(expected.values())
    scored = apply_lm(lattice, model, weight, beam=beam, word_penalty=0.2)
    assert_canonical(scored)
    found = {labels: cost for _, labels, cost in paths(scored)}
    assert found == pytest.approx({labels: expected[labels] for labels in found}, **TOLERANCE)
    assert min(found.values()) == pytest.approx(best, **TOLERANCE)
    assert {labels for labels, cost in expected.items() if cost <= best + beam - 1e-3} <= set(found)


@pytest.mark.parametrize("beam", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_arc_and_every_end_is_on_a_path_within_the_beam(seed, order, beam):
    lattice, model, _ = make(seed, order, states=8)
    scored = apply_lm(lattice, model, beam=beam)
    through_arc = np.full(scored.num_arcs, np.inf)
    through_end = np.full(scored.num_states, np.inf)
    for arcs, state in arc_paths(scored):
        cost = scored.weights[arcs].sum() + scored.finals[state]
        through_arc[arcs] = np.minimum(through_arc[arcs], cost)
        through_end[state] = min(through_end[state], cost)
    best = through_end.min()
    assert (through_arc <= best + beam + 1e-6).all()
    assert (through_end[np.isfinite(scored.finals)] <= best + beam + 1e-6).all()


def sausage(rng, positions, width, words, skip=0.0):
    """Makes a chain of word choices; with `skip`, some positions may be left out."""
    arcs = [
        (position, 0 if rng.random() < skip else int(label), float(rng.normal()), position + 1)
        for position in range(positions)
        for label in rng.choice(len(words), width, replace=False) + 1
    ]
    sources, labels, weights, nextstates = zip(*arcs, strict=True)
    return Lattice.from_arcs(sources, labels, weights, nextstates, [np.inf] * positions + [0.0], SymbolTable(words))


@pytest.mark.parametrize("skip", [0.0, 0.1])
@pytest.mark.parametrize("pruned", [0.0, 0.3])
@pytest.mark.parametrize("order", [3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_path_of_a_sausage_is_exact(seed, order, pruned, skip):
    rng = np.random.default_rng([seed, order])
    words = [f"w{number}" for number in range(20)]
    text = random_arpa(rng, words, order, density=0.3, pruned=pruned, largest=1500)
    model, reference = LanguageModel.from_bytes(text.encode()), PlainModel(text)
    lattice = sausage(rng, 12, 8, words, skip)
    exact = best_path(apply_lm(lattice, model))
    for beam in (0.0, 1.0):
        found = best_path(apply_lm(lattice, model, beam=beam))
        assert found[2] == pytest.approx(exact[2], rel=1e-9, abs=1e-9)
        assert found[0] == exact[0]
    alone = min(cost for words_, cost in best_by_string(lattice_of(exact[0], lattice)).items())
    assert exact[2] == pytest.approx(alone + reference.cost(exact[0]), **TOLERANCE)


def lattice_of(words, lattice):
    """Returns the part of a sausage that spells `words`: each position's cheapest way to do so."""
    states = {(0, 0): 0.0}
    for position in range(lattice.num_states - 1):
        for done in range(len(words) + 1):
            if (position, done) not in states:
                continue
            for arc in range(lattice.offsets[position], lattice.offsets[position + 1]):
                label = int(lattice.olabels[arc])
                if label and (done == len(words) or lattice.symbols[label] != words[done]):
                    continue
                key, cost = (position + 1, done + (label > 0)), states[position, done] + lattice.weights[arc]
                states[key] = min(cost, states.get(key, np.inf))
    return Lattice.from_strings([(words, states[lattice.num_states - 1, len(words)])])


# ---------------------------------------------------------------- limits


@pytest.fixture
def model():
    return LanguageModel.from_bytes(random_arpa(np.random.default_rng(1), WORDS[:3], 3).encode())


def test_a_cycle_is_refused(model):
    table = SymbolTable(["a"])
    lattice = Lattice.from_arcs([0, 1, 1], [1, 1, 1], [0.0] * 3, [1, 0, 2], [np.inf, np.inf, 0.0], table)
    with pytest.raises(CyclicLatticeError):
        apply_lm(lattice, model)


@pytest.mark.parametrize("beam", [None, 0.0])
@pytest.mark.parametrize("finals", [[], [np.inf], [np.inf, np.inf], [np.inf, np.inf, 0.0]])
def test_a_lattice_that_accepts_nothing_stays_empty(model, finals, beam):
    arcs = ([0], [1], [1.0], [1]) if len(finals) > 1 else ([], [], [], [])
    count = len(arcs[0])
    lattice = Lattice.from_arcs(
        *arcs, finals, SymbolTable(["a"]), scores={"x": [1.0] * count}, final_scores={"x": [0.0] * len(finals)}
    )
    scored = apply_lm(lattice, model, beam=beam)
    assert scored.num_states == 0
    assert set(scored.scores) == set(scored.final_scores) == {"x", "lm"}


@pytest.mark.parametrize("beam", [None, 0.0])
def test_the_empty_string_is_scored(model, beam):
    lattice = Lattice.from_strings([("", 1.5)])
    assert best_by_string(apply_lm(lattice, model, beam=beam)) == {(): pytest.approx(1.5 - model.score([]))}


@pytest.mark.parametrize("beam", [None, 0.0])
def test_a_path_of_epsilons_alone_is_the_empty_string(model, beam):
    lattice = Lattice.from_arcs([0, 1], [0, 0], [1.0, 0.5], [1, 2], [np.inf, np.inf, 0.0], SymbolTable(["a"]))
    assert best_by_string(apply_lm(lattice, model, beam=beam, word_penalty=9.0)) == {
        (): pytest.approx(1.5 - model.score([]))
    }


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_a_weight_is_a_number_that_is_not_negative(model, weight):
    with pytest.raises(LatticeSimpError, match="weight"):
        apply_lm(Lattice.from_strings([("a", 0.0)]), model, weight)


def test_a_column_is_not_overwritten(model):
    scored = apply_lm(Lattice.from_strings([("a", 0.0)]), model)
    with pytest.raises(LatticeSimpError, match="'lm' already"):
        apply_lm(scored, model)


def test_the_lattice_itself_is_not_changed(model):
    lattice = random_lattice(np.random.default_rng(2), 8, WORDS, columns=("x",))
    before = [array.copy() for array in (lattice.weights, lattice.finals, lattice.olabels, lattice.nextstates)]
    apply_lm(lattice, model, 2.0, beam=1.0, word_penalty=1.0)
    for old, new in zip(before, (lattice.weights, lattice.finals, lattice.olabels, lattice.nextstates), strict=True):
        np.testing.assert_array_equal(old, new)
    assert set(lattice.scores) == {"x"}


def test_the_same_input_gives_the_same_bytes():
    lattice, model, _ = make(3, 4)
    first, second = (apply_lm(lattice, model, beam=4.0) for _ in range(2))
    for field in ("offsets", "olabels", "ilabels", "weights", "nextstates", "finals"):
        assert getattr(first, field).tobytes() == getattr(second, field).tobytes()

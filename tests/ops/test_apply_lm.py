"""Exact application of one or several language models against enumeration by brute force."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from helpers import (
    PlainModel,
    arc_paths,
    assert_canonical,
    best_by_string,
    best_path,
    feature_sums,
    path_costs,
    paths,
    random_arpa,
    random_lattice,
)

from lattice_simp import LanguageModel, Lattice, SymbolTable, apply_lm
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError
from lattice_simp.ops.lm_search import search
from lattice_simp.reference import apply_lm as reference_apply_lm

WORDS = ("a", "b", "c", "zz")  # no model knows zz
TOLERANCE = {"rel": 1e-6, "abs": 1e-4}
SEEDS = range(8)
ORDERS = (1, 2, 3, 4, 5)
ONE_MODEL = list(product(SEEDS, ORDERS))
COUNTS = (2, 3)
SEVERAL = list(product(range(10), COUNTS))
WEIGHTS = (0.7, 1.5, 0.4)


@cache
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


@cache
def make_several(seed, count, states=7):
    """Returns (lattice, weighted models by name, plain models by name)."""
    rng = np.random.default_rng([seed, count])
    models, references = {}, {}
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
        models[f"m{number}"] = (LanguageModel.from_bytes(text.encode()), weight)
        references[f"m{number}"] = PlainModel(text)
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
        joint = sum(weight * references[name].cost(seen) for name, (_, weight) in models.items())
        table[labels] = cost + joint + word_penalty * len(seen)
    return table


def scores_of_paths(lattice, reference):
    """Returns {input labels of a path: the log probability of its words}."""
    return {labels: -reference.cost(words) for words, labels, _ in paths(lattice)}


def chosen(table, keys):
    return {key: table[key] for key in keys}


def cheap(costs, beam, slack=1e-3):
    """Returns the paths that are surely within the beam."""
    limit = np.inf if beam is None else min(costs.values()) + beam - slack
    return {labels for labels, cost in costs.items() if cost <= limit}


def arrays(lattice):
    names = ("offsets", "olabels", "ilabels", "weights", "nextstates", "finals")
    return [getattr(lattice, name).tobytes() for name in names]


# ---------------------------------------------------------------- one model without a beam


@pytest.mark.parametrize("weight", [0.5, 1.0, 1e-9])
def test_the_new_feature_sums_to_the_log_probability(weight):
    for seed, order in ONE_MODEL:
        lattice, model, reference = make(seed, order)
        scored = apply_lm(lattice, {"model": (model, weight)})
        expected = scores_of_paths(lattice, reference)
        assert feature_sums(scored, "model") == pytest.approx(expected, **TOLERANCE), f"seed {seed}, order {order}"


@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
def test_other_features_stay(beam):
    for seed in SEEDS:
        lattice, model, _ = make(seed, 3)
        scored = apply_lm(lattice, {"LM": (model, 1.0)}, beam=beam)
        assert list(scored.features) == ["x", "y", "LM"], f"seed {seed}"
        for name in ("x", "y"):
            before, after = feature_sums(lattice, name), feature_sums(scored, name)
            assert after == pytest.approx(chosen(before, after)), f"seed {seed}"


def test_an_acceptor_stays_one_and_keeps_all_its_paths():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 7, WORDS, epsilon=True, arcs_per_state=2.5)
        model = LanguageModel.from_bytes(random_arpa(rng, WORDS[:3], 3).encode())
        scored = apply_lm(lattice, {"LM": (model, 1.0)})
        assert scored.is_acceptor, f"seed {seed}"
        before, after = (Counter(words for words, _, _ in paths(each)) for each in (lattice, scored))
        assert after == before, f"seed {seed}"


def test_models_one_after_the_other_add_up():
    lattice, first, first_plain = make(1, 3)
    _, second, second_plain = make(2, 2)
    scored = apply_lm(apply_lm(lattice, {"one": (first, 0.5)}), {"two": (second, 2.0)})
    expected = {
        labels: cost + 0.5 * first_plain.cost(words) + 2 * second_plain.cost(words)
        for words, labels, cost in paths(lattice)
    }
    assert path_costs(scored) == pytest.approx(expected, **TOLERANCE)
    assert set(scored.features) == {"x", "y", "one", "two"}


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_start_context_that_nothing_extends_pays_its_backoff(order):
    text = random_arpa(np.random.default_rng(5), ("a", "b"), order, density=0.0)
    text = text.replace("<s>", "<s>\t-0.75", 1) if "<s>\t" not in text else text
    lattice = Lattice.from_strings([("a b", 1.0), ("b", 0.5)])
    reference = PlainModel(text)
    for beam in (None, 9.0):
        scored = apply_lm(lattice, {"LM": (LanguageModel.from_bytes(text.encode()), 1.0)}, beam=beam)
        expected = {words: cost + reference.cost(words) for words, cost in best_by_string(lattice).items()}
        assert best_by_string(scored) == pytest.approx(expected, **TOLERANCE)


# ---------------------------------------------------------------- one model with a beam


@pytest.mark.parametrize("pruned", [0.0, 0.3])
@pytest.mark.parametrize("beam", [0.0, 0.5, 3.0, 15.0])
def test_every_path_within_the_beam_stays_with_its_cost(beam, pruned):
    for seed, order in ONE_MODEL:
        case = f"seed {seed}, order {order}"
        lattice, model, reference = make(seed, order, states=8, pruned=pruned)
        models = {"LM": (model, (1.0, 0.3, 2.5)[seed % 3])}
        expected = expected_costs(lattice, models, {"LM": reference}, word_penalty=0.2)
        scored = apply_lm(lattice, models, beam=beam, word_penalty=0.2)
        assert_canonical(scored, case)
        actual = path_costs(scored)
        assert actual == pytest.approx(chosen(expected, actual), **TOLERANCE), case
        assert min(actual.values()) == pytest.approx(min(expected.values()), **TOLERANCE), case
        assert cheap(expected, beam) <= set(actual), case


def assert_nothing_beyond(scored, beam, case):
    """Checks that every arc and every end is on a path within the beam."""
    through_arc = np.full(scored.num_arcs, np.inf)
    through_end = np.full(scored.num_states, np.inf)
    for arcs, state in arc_paths(scored):
        cost = scored.weights[arcs].sum() + scored.finals[state]
        through_arc[arcs] = np.minimum(through_arc[arcs], cost)
        through_end[state] = min(through_end[state], cost)
    best = through_end.min()
    assert (through_arc <= best + beam + 1e-6).all(), case
    assert (through_end[np.isfinite(scored.finals)] <= best + beam + 1e-6).all(), case


@pytest.mark.parametrize("beam", [0.0, 1.0, 6.0])
def test_every_arc_and_every_end_is_on_a_path_within_the_beam(beam):
    for seed, order in ONE_MODEL:
        lattice, model, _ = make(seed, order, states=8)
        scored = apply_lm(lattice, {"LM": (model, 1.0)}, beam=beam)
        assert_nothing_beyond(scored, beam, f"seed {seed}, order {order}")


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
@pytest.mark.parametrize("seeds", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_best_path_of_a_sausage_is_exact(seeds, pruned, skip):
    words = [f"w{number}" for number in range(20)]
    for seed, order in product(range(seeds), (3, 4, 5)):
        case = f"seed {seed}, order {order}"
        rng = np.random.default_rng([seed, order])
        text = random_arpa(rng, words, order, density=0.3, pruned=pruned, largest=1500)
        model, reference = LanguageModel.from_bytes(text.encode()), PlainModel(text)
        lattice = sausage(rng, 12, 8, words, skip)
        exact = best_path(apply_lm(lattice, {"LM": (model, 1.0)}))
        for beam in (0.0, 1.0):
            result = best_path(apply_lm(lattice, {"LM": (model, 1.0)}, beam=beam))
            assert result[2] == pytest.approx(exact[2], rel=1e-9, abs=1e-9), case
            assert result[0] == exact[0], case
        alone = min(best_by_string(lattice_of(exact[0], lattice)).values())
        assert exact[2] == pytest.approx(alone + reference.cost(exact[0]), **TOLERANCE), case


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


@pytest.mark.parametrize("order", ORDERS[1:])
def test_not_all_is_built_for_a_narrow_beam(order):
    rng = np.random.default_rng(order)
    words = [f"w{number}" for number in range(20)]
    model = LanguageModel.from_bytes(random_arpa(rng, words, order, density=0.3, largest=1500).encode())
    lattice, restricted = sausage(rng, 12, 8, words), model.restrict(words)
    arcs = lattice.arcs._replace(labels=restricted.vocabulary[lattice.olabels - 1])
    narrow, everything = (len(search(arcs, restricted, 1.0, beam).states) for beam in (0.0, None))
    assert narrow < everything


# ---------------------------------------------------------------- several models


def test_every_path_gets_the_sum_of_all_models():
    for seed, count in SEVERAL:
        case = f"seed {seed}, {count} models"
        lattice, models, references = make_several(seed, count)
        scored = apply_lm(lattice, models, word_penalty=0.25)
        assert_canonical(scored, case)
        expected = expected_costs(lattice, models, references, 0.25)
        assert path_costs(scored) == pytest.approx(expected, **TOLERANCE), case


@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
def test_each_feature_is_its_own_models_log_probability(beam):
    for seed, count in SEVERAL:
        case = f"seed {seed}, {count} models"
        lattice, models, references = make_several(seed, count)
        scored = apply_lm(lattice, models, beam=beam)
        assert set(scored.features) == {"x", *models}, case
        for name, reference in references.items():
            sums = feature_sums(scored, name)
            assert sums == pytest.approx(chosen(scores_of_paths(lattice, reference), sums), **TOLERANCE), case
        before, after = feature_sums(lattice, "x"), feature_sums(scored, "x")
        assert after == pytest.approx(chosen(before, after)), case


@pytest.mark.parametrize("beam", [0.0, 0.5, 3.0, 15.0])
def test_every_path_within_the_beam_of_all_models_stays_with_its_cost(beam):
    for seed, count in SEVERAL:
        case = f"seed {seed}, {count} models"
        lattice, models, references = make_several(seed, count, states=8)
        expected = expected_costs(lattice, models, references, 0.2)
        scored = apply_lm(lattice, models, beam=beam, word_penalty=0.2)
        assert_canonical(scored, case)
        actual = path_costs(scored)
        assert actual == pytest.approx(chosen(expected, actual), **TOLERANCE), case
        assert min(actual.values()) == pytest.approx(min(expected.values()), **TOLERANCE), case
        assert cheap(expected, beam) <= set(actual), case


@pytest.mark.parametrize("beam", [0.0, 1.0, 6.0])
def test_every_arc_is_on_a_path_within_the_beam_of_all_models(beam):
    for seed in range(10):
        lattice, models, _ = make_several(seed, 2, states=8)
        assert_nothing_beyond(apply_lm(lattice, models, beam=beam), beam, f"seed {seed}")


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
    texts = {name: UNIGRAMS.format(backoff=backoff) for name, backoff in (("one", 0.0), ("two", 2.5))}
    models = {name: (LanguageModel.from_bytes(text.encode()), 1.0) for name, text in texts.items()}
    lattice = Lattice.from_strings([("a", 0.0), ("b", 1.0)])
    scored = apply_lm(lattice, models, beam=beam)
    costs = {
        word: cost + sum(PlainModel(text).cost([word]) for text in texts.values())
        for word, cost in (("a", 0), ("b", 1))
    }
    assert costs["b"] < costs["a"]
    assert best_by_string(scored) == pytest.approx({("b",): costs["b"]}, **TOLERANCE)


@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
def test_the_order_of_the_models_does_not_matter(beam):
    for seed in range(10):
        lattice, models, _ = make_several(seed, 3)
        first, *others = (
            path_costs(apply_lm(lattice, dict(permutation), beam=beam)) for permutation in permutations(models.items())
        )
        for other in others:
            shared = set(other) & set(first)
            assert chosen(other, shared) == pytest.approx(chosen(first, shared), **TOLERANCE), f"seed {seed}"
            assert cheap(other, beam) == cheap(first, beam), f"seed {seed}"


@pytest.mark.parametrize("beam", [None, 0.0, 4.0])
def test_invisible_words_cost_nothing_in_any_model(beam):
    for seed in range(10):
        lattice, models, references = make_several(seed, 2)
        expected = expected_costs(lattice, models, references, 0.3, invisible=("b", "zz"))
        actual = path_costs(apply_lm(lattice, models, beam=beam, word_penalty=0.3, ignore=("b", "zz")))
        assert actual == pytest.approx(chosen(expected, actual), **TOLERANCE), f"seed {seed}"
        assert cheap(expected, beam) <= set(actual), f"seed {seed}"


@pytest.mark.parametrize("zeros", [("m0",), ("m1",), ("m0", "m1")])
@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
def test_a_model_of_weight_0_changes_no_cost_but_has_its_feature(beam, zeros):
    for seed in range(10):
        lattice, models, references = make_several(seed, 2)
        models = {name: (model, 0.0 if name in zeros else weight) for name, (model, weight) in models.items()}
        expected = expected_costs(lattice, models, references)
        scored = apply_lm(lattice, models, beam=beam)
        actual = path_costs(scored)
        assert actual == pytest.approx(chosen(expected, actual), **TOLERANCE), f"seed {seed}"
        assert cheap(expected, beam) <= set(actual), f"seed {seed}"
        for name, reference in references.items():
            sums = feature_sums(scored, name)
            expected_sums = chosen(scores_of_paths(lattice, reference), sums)
            assert sums == pytest.approx(expected_sums, **TOLERANCE), f"seed {seed}"


@pytest.mark.parametrize("beam", [0.0, 2.0])
def test_the_same_model_twice_is_twice_its_weight(beam):
    lattice, models, _ = make_several(3, 2)
    model, _ = models["m0"]
    for count in COUNTS:
        several = {f"m{number}": (model, 0.5) for number in range(count)}
        actual = best_by_string(apply_lm(lattice, several, beam=beam))
        expected = best_by_string(apply_lm(lattice, {"m0": (model, 0.5 * count)}, beam=beam))
        limit = min(expected.values()) + beam - 1e-3
        actual, expected = (
            {words: cost for words, cost in each.items() if cost <= limit} for each in (actual, expected)
        )
        assert actual == pytest.approx(expected, **TOLERANCE), f"{count} models"


@pytest.mark.parametrize("operation", [apply_lm, reference_apply_lm])
def test_without_models_words_are_penalised_and_the_beam_holds(operation):
    for seed in range(20):
        lattice, _, _ = make(seed, 2)
        ignored = lattice.symbols[1]
        costs = {
            words: cost + 3 * sum(word != ignored for word in words) for words, cost in best_by_string(lattice).items()
        }
        limit = min(costs.values()) + 1
        expected = {words: cost for words, cost in costs.items() if cost <= limit}
        actual = best_by_string(operation(lattice, {}, word_penalty=3, beam=1, ignore=[ignored]))
        assert {words: cost for words, cost in actual.items() if cost <= limit} == pytest.approx(expected, abs=1e-4), (
            seed
        )


# ---------------------------------------------------------------- limits, for one model and for two


def test_a_cycle_is_refused():
    table = SymbolTable(["a"])
    lattice = Lattice.from_arcs([0, 1, 1], [1, 1, 1], [0.0] * 3, [1, 0, 2], [np.inf, np.inf, 0.0], table)
    for count, beam in product((1, 2), (None, 1.0)):
        with pytest.raises(CyclicLatticeError):
            apply_lm(lattice, dict(list(make_several(1, 2)[1].items())[:count]), beam=beam)


@pytest.mark.parametrize("finals", [[], [np.inf], [np.inf, np.inf], [np.inf, np.inf, 0.0]])
def test_a_lattice_that_accepts_nothing_stays_empty(finals):
    arcs = ([0], [1], [1.0], [1]) if len(finals) > 1 else ([], [], [], [])
    features = {"x": [1.0] * len(arcs[0])}
    lattice = Lattice.from_arcs(*arcs, finals, SymbolTable(["a"]), features=features)
    for count, beam in product((1, 2), (None, 0.0)):
        models = dict(list(make_several(1, 2)[1].items())[:count])
        scored = apply_lm(lattice, models, beam=beam)
        assert scored.num_states == 0, (count, beam)
        assert list(scored.features) == ["x", *models], (count, beam)


def test_the_empty_string_is_scored_by_all():
    _, models, _ = make_several(2, 3)
    cost = 1.5 - sum(weight * model.score([]) for model, weight in models.values())
    silent = Lattice.from_arcs([0, 1], [0, 0], [1.0, 0.5], [1, 2], [np.inf, np.inf, 0.0], SymbolTable(["a"]))
    for beam in (None, 0.0):
        for lattice in (Lattice.from_strings([("", 1.5)]), silent):  # epsilons alone are the empty string
            scored = apply_lm(lattice, models, beam=beam, word_penalty=9.0)
            assert best_by_string(scored) == {(): pytest.approx(cost)}, beam
            alone = apply_lm(lattice, {"m0": models["m0"]}, beam=beam, word_penalty=9.0)
            model, weight = models["m0"]
            assert best_by_string(alone) == {(): pytest.approx(1.5 - weight * model.score([]))}, beam


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("beam", [None, 0.0, 2.0])
def test_a_negative_weight_takes_a_model_out(seed, beam):
    lattice, models, _ = make_several(seed, 2)
    (old, _), (new, weight) = models["m0"], models["m1"]
    exchanged = apply_lm(lattice, {"old": (old, -0.7), "new": (new, weight)}, beam=beam)
    costs = {
        tokens: cost + 0.7 * old.score(list(tokens)) - weight * new.score(list(tokens))
        for tokens, cost in best_by_string(lattice).items()
    }
    limit = np.inf if beam is None else min(costs.values()) + beam + 1e-9
    result = best_by_string(exchanged)
    kept = {tokens: cost for tokens, cost in costs.items() if cost <= limit}
    assert {tokens: result[tokens] for tokens in kept} == pytest.approx(kept)
    restored = apply_lm(apply_lm(lattice, {"in": (old, 0.7)}), {"out": (old, -0.7)}, beam=beam)
    assert min(best_by_string(restored).values()) == pytest.approx(min(best_by_string(lattice).values()))


@pytest.mark.parametrize("weight", [-np.inf, np.nan, np.inf])
def test_a_weight_is_a_finite_number(weight):
    lattice, models, _ = make_several(1, 2)
    for name, beam in product(models, (None, 1.0)):
        with pytest.raises(LatticeSimpError, match=f"the weight of the language model {name}"):
            apply_lm(lattice, {**models, name: (models[name][0], weight)}, beam=beam)


@pytest.mark.parametrize("beam", [-1.0, np.nan])
def test_a_negative_or_undefined_beam_is_refused(beam):
    lattice, models, _ = make_several(1, 2)
    for each in (models, {"m0": models["m0"]}):
        with pytest.raises(LatticeSimpError, match="beam"):
            apply_lm(lattice, each, beam=beam)


@pytest.mark.parametrize("beam", [None, 1.0])
def test_a_feature_is_not_overwritten(beam):
    lattice, models, _ = make_several(1, 2)
    scored = apply_lm(lattice, {"LM": models["m0"]}, beam=beam)
    with pytest.raises(LatticeSimpError, match="'LM' already"):
        apply_lm(scored, {"LM": models["m1"]}, beam=beam)
    with pytest.raises(LatticeSimpError, match="'x' already"):
        apply_lm(lattice, {"m0": models["m0"], "x": models["m1"]}, beam=beam)


def test_the_lattice_itself_is_not_changed():
    _, model, _ = make(1, 3)
    lattice = random_lattice(np.random.default_rng(2), 8, WORDS, columns=("x",))
    before = arrays(lattice)
    apply_lm(lattice, {"LM": (model, 2.0), "other": (model, 0.5)}, beam=1.0, word_penalty=1.0)
    assert arrays(lattice) == before
    assert set(lattice.features) == {"x"}


def test_the_same_input_gives_the_same_bytes():
    lattice, model, _ = make(3, 4)
    first, second = (apply_lm(lattice, {"LM": (model, 1.0)}, beam=4.0) for _ in range(2))
    assert arrays(first) == arrays(second)


def test_the_header_claims_a_word_score_only_where_all_labels_are_words():
    for text, word_score in (("a b", -1.0), ("<s> a </s>", 0.0)):
        lattice = Lattice.from_strings([(text, 3.0)]).with_feature("x", [-3.0] + [0.0] * (len(text.split()) - 1))
        lattice = replace(lattice, header=lattice.header.with_scale("x", 1.0))
        header = apply_lm(lattice, {}, word_penalty=1.0).header
        assert (header.word_score, header.scales) == (word_score, {"x": 1.0})

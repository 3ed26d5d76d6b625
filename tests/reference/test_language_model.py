"""Language models on lattices: both engines against the textbook's recursion on every path."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from helpers import PlainModel, assert_canonical, beams_between, best_by_string, paths, random_arpa, random_lattice

from lattice_simp import LanguageModel, Lattice, SymbolTable
from lattice_simp.engines import ENGINES
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError
from lattice_simp.reference import language_model

WORDS = ("a", "b", "c", "zz", "GAP")  # no model knows the last two
SEEDS = range(40)
CLOSE = {"rel": 1e-5, "abs": 1e-4}
TINY = Path(__file__).parents[1] / "lm" / "data"


def make(seed):
    """Returns (lattice, model, plain model) of order 1 to 5; the lattice's input labels number its arcs."""
    rng = np.random.default_rng(seed)
    text = random_arpa(
        rng,
        WORDS[:3],
        1 + seed % 5,
        density=(0.05, 0.3, 0.6, 0.95)[seed % 4],
        pruned=0.3 * (seed % 2),
        unknown=seed % 7 != 0,
    )
    while True:
        lattice = random_lattice(
            rng,
            7,
            WORDS,
            epsilon=seed % 2 == 0,
            arcs_per_state=2.5,
            costs=(-2.0, 3.0),
            finals=1 + seed % 3,
            numbered=True,
            shuffled=seed % 4 >= 2,
        )
        if next(paths(lattice), None):
            return lattice, LanguageModel.from_bytes(text.encode()), PlainModel(text)


def test_marks_are_no_words_unless_asked_for():
    for seed in SEEDS[:6]:
        lattice, model, reference = make(seed)
        marked = Lattice.from_strings(
            (f"<s> {' '.join(words)} [noise] !SENT_END </s>", cost) for words, _, cost in paths(lattice)
        )
        for name, engine in ENGINES.items():
            actual = {path.tokens: path.cost for path in engine.nbest(marked, 1000, ignore=())}
            hypotheses = engine.nbest(engine.apply_lm(marked, {"LM": (model, 0.5)}, word_penalty=0.25), 1000, ignore=())
            assert len(hypotheses) == len(actual) > 0, (seed, name)
            for path in hypotheses:
                words = path.tokens[1:-3]
                expected = actual[path.tokens] + 0.5 * reference.cost(words) + 0.25 * len(words)
                assert path.cost == pytest.approx(expected, **CLOSE), (seed, name, path.text)
            seen = best_by_string(engine.apply_lm(marked, {"LM": (model, 0.5)}, ignore=()))
            for words, cost in seen.items():
                assert cost == pytest.approx(actual[words] + 0.5 * reference.cost(words), **CLOSE), (seed, name)


def test_every_path_gets_the_models_cost():
    for seed in SEEDS:
        lattice, model, reference = make(seed)
        weight, penalty = ((1.0, 0.0), (0.4, 0.7), (3.0, -1.5), (0.0, 0.5))[seed % 4]
        invisible = ("GAP",) if seed % 3 == 0 else ()
        expected = {}
        for words, labels, cost in paths(lattice):
            seen = [word for word in words if word not in invisible]
            expected[labels] = (words, cost + weight * reference.cost(seen) + penalty * len(seen))
        for name, engine in ENGINES.items():
            scored = engine.apply_lm(lattice, {"LM": (model, weight)}, word_penalty=penalty, ignore=invisible)
            actual = list(paths(scored))
            assert len(actual) == len(expected), (seed, name)
            assert {labels: words for words, labels, _ in actual} == {k: v[0] for k, v in expected.items()}, (
                seed,
                name,
            )
            costs = {labels: cost for _, labels, cost in actual}
            assert costs == pytest.approx({k: v[1] for k, v in expected.items()}, **CLOSE), (seed, name)
            assert (scored.symbols, scored.isymbols) == (lattice.symbols, lattice.isymbols)
            if name == "arrays":
                assert_canonical(scored, seed)


def test_a_beam_keeps_the_same_paths():
    for seed in SEEDS:
        lattice, model, reference = make(seed)
        expected = {labels: cost + reference.cost(words) for words, labels, cost in paths(lattice)}
        for beam in beams_between(expected.values())[:4]:
            limit = min(expected.values()) + beam
            within = {labels: cost for labels, cost in expected.items() if cost < limit}
            for name, engine in ENGINES.items():
                scored = engine.apply_lm(lattice, {"LM": (model, 1.0)}, beam=beam)
                actual = {labels: cost for _, labels, cost in paths(scored)}
                # Paths beyond the beam may stay, if all their arcs are on others within it.
                assert {k: v for k, v in actual.items() if v < limit} == pytest.approx(within, **CLOSE), (seed, name)


def test_several_models_and_their_beam_add_up():
    for seed in SEEDS:
        lattice, first, plain = make(seed)
        _, second, other = make(seed + len(SEEDS))
        models = {"LM": (first, 0.5), "LM2": (second, 2.0)}
        expected = {
            labels: cost + 0.5 * plain.cost(words) + 2.0 * other.cost(words) + 0.3 * len(words)
            for words, labels, cost in paths(lattice)
        }
        for beam in (math.inf, *beams_between(expected.values())[:3]):
            limit = min(expected.values()) + beam
            within = {labels: cost for labels, cost in expected.items() if cost < limit}
            for name, engine in ENGINES.items():
                scored = engine.apply_lm(lattice, models, beam=beam, word_penalty=0.3)
                actual = {labels: cost for _, labels, cost in paths(scored)}
                assert {k: v for k, v in actual.items() if v < limit} == pytest.approx(within, **CLOSE), (seed, name)


def test_a_binary_model_gives_the_same():
    lattice = random_lattice(np.random.default_rng(3), 8, ("the", "cat", "a", "dog", "zz"), arcs_per_state=2.5)
    arpa, binary = (LanguageModel.read(TINY / name, cache=False) for name in ("tiny.arpa", "tiny.probing.binary"))
    expected = best_by_string(ENGINES["arrays"].apply_lm(lattice, {"LM": (arpa, 1.0)}))
    for name, engine in ENGINES.items():
        actual = best_by_string(engine.apply_lm(lattice, {"LM": (binary, 1.0)}))
        assert actual == pytest.approx(expected, **CLOSE), name


@pytest.mark.parametrize("name", ENGINES)
def test_borders(name):
    apply_lm = ENGINES[name].apply_lm
    _, model, _ = make(3)
    models = {"LM": (model, 1.0)}
    assert apply_lm(Lattice.from_strings([]), models).num_states == 0
    assert best_by_string(apply_lm(Lattice.from_strings([("", 1.5)]), models)) == pytest.approx(
        {(): 1.5 - model.score([])}, **CLOSE
    )
    cyclic = Lattice.from_arcs([0, 0], [1, 1], [1.0, 1.0], [0, 1], [math.inf, 0.0], SymbolTable("a"))
    with pytest.raises(CyclicLatticeError):
        apply_lm(cyclic, models)
    for weight in (math.inf, math.nan):
        with pytest.raises(LatticeSimpError, match="the weight of the language model LM is"):
            apply_lm(Lattice.from_strings([("a", 1.0)]), {"LM": (model, weight)})
    with pytest.raises(LatticeSimpError, match="the beam is"):
        apply_lm(Lattice.from_strings([("a", 1.0)]), models, beam=-1.0)


def test_a_model_that_is_too_large_is_refused(monkeypatch):
    lattice, model, _ = make(3)
    monkeypatch.setattr(language_model, "MAX_ARCS", 5)
    with pytest.raises(LatticeSimpError, match="too many for the engine openfst; use the engine arrays"):
        ENGINES["openfst"].apply_lm(lattice, {"LM": (model, 1.0)})

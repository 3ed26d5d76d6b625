"""N-grams looked up one by one have the model's probabilities, whatever its source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import PlainModel, random_arpa

from lattice_simp import LanguageModel
from lattice_simp.lm.automaton import advance, start_state
from lattice_simp.lm.combined import lookup

WORDS = ["a", "b", "c", "d"]
ASKED = [*WORDS, "unheard", "of"]
DATA = Path(__file__).parent / "data"


def cost_of(model, numbers, words):
    """Reads a sentence word by word."""
    state, cost = start_state(model)
    for word in words:
        state, paid = advance(model, state, model.vocabulary[numbers[ASKED.index(word)]])
        cost += paid
    return cost + advance(model, state, model.end)[1]


def sentences(rng, count=20):
    return [rng.choice(ASKED, int(rng.integers(0, 8))).tolist() for _ in range(count)]


def test_sentences_cost_what_the_model_says():
    for seed in range(40):
        rng = np.random.default_rng([seed, 17])
        text = random_arpa(rng, WORDS, 1 + seed % 5, density=0.4, pruned=0.3 * (seed % 2), unknown=seed % 3 > 0)
        plain, weight = PlainModel(text), float(rng.uniform(0.2, 2.0))
        model, numbers = lookup([(LanguageModel.from_bytes(text.encode()), weight)], ASKED)
        for words in sentences(rng):
            assert cost_of(model, numbers, words) == pytest.approx(weight * plain.cost(words), rel=1e-5), (seed, words)


def test_several_models_cost_their_weighted_sum_and_those_of_weight_0_nothing():
    for seed in range(15):
        rng = np.random.default_rng([seed, 18])
        texts = [random_arpa(rng, WORDS, int(rng.integers(1, 4))) for _ in range(3)]
        weights = [0.7, 0.0 if seed % 2 else 0.2, 0.4]
        models = [LanguageModel.from_bytes(text.encode()) for text in texts]
        model, numbers = lookup(list(zip(models, weights, strict=True)), ASKED)
        plain = [PlainModel(text) for text in texts]
        for words in sentences(rng):
            expected = sum(weight * model_used.cost(words) for model_used, weight in zip(plain, weights, strict=True))
            assert cost_of(model, numbers, words) == pytest.approx(expected, rel=1e-4), (seed, words)


def test_backoffs_of_the_longest_ngrams_are_no_costs():
    """Some tools write a column of zeros there, and some of other numbers."""
    for seed in range(20):
        rng = np.random.default_rng([seed, 19])
        texts = [random_arpa(rng, WORDS, order) for order in (1 + seed % 3, 1 + seed % 4)]
        odd = [with_backoffs_of_the_longest(text) for text in texts]
        assert odd[0] != texts[0]
        for count in (1, 2):
            models = [(LanguageModel.from_bytes(text.encode()), 0.5) for text in odd[:count]]
            model, numbers = lookup(models, ASKED)
            for words in sentences(rng):
                costs = sum(0.5 * PlainModel(text).cost(words) for text in texts[:count])
                assert cost_of(model, numbers, words) == pytest.approx(costs, rel=1e-4), (seed, words)


def with_backoffs_of_the_longest(text):
    before, longest = text.rsplit("-grams:\n", 1)
    lines = [f"{line}\t-0.3" if "\t" in line else line for line in longest.split("\n")]
    return before + "-grams:\n" + "\n".join(lines)


def test_a_model_without_weight_costs_nothing():
    text = random_arpa(np.random.default_rng(0), WORDS, 3)
    model, numbers = lookup([(LanguageModel.from_bytes(text.encode()), 0.0)], ASKED)
    assert cost_of(model, numbers, ["a", "b"]) == 0.0


def test_the_model_s_own_arrays_are_read():
    """An ARPA file's model is not copied; all unknown words are one word."""
    loaded = LanguageModel.from_bytes(random_arpa(np.random.default_rng(1), WORDS, 3).encode())
    model, numbers = lookup([(loaded, 1.0)], ASKED)
    assert np.shares_memory(model.children, loaded.ngrams.children)
    assert np.shares_memory(model.cost, loaded.ngrams.cost)
    assert numbers[ASKED.index("unheard")] == numbers[ASKED.index("of")]
    assert len(set(numbers[:-1].tolist())) == len(WORDS) + 1
    assert model.vocabulary[numbers[-1]] == model.end


def test_a_kenlm_binary_costs_what_its_arpa_does():
    wanted = ["a", "b", "c", "unheard"]
    arpa, binary = (LanguageModel.read(DATA / name, cache=False) for name in ("tiny.arpa", "tiny.trie.binary"))
    rng = np.random.default_rng(3)
    for words in (rng.choice(wanted, int(rng.integers(0, 8))).tolist() for _ in range(20)):
        costs = []
        for each in (arpa, binary):
            model, numbers = lookup([(each, 0.5)], ASKED)
            costs.append(cost_of(model, numbers, words))
        assert costs[1] == pytest.approx(costs[0], rel=1e-4), words
        assert costs[0] == pytest.approx(-0.5 * arpa.score(words), rel=1e-4), words

"""The words that can stand beside each other, against the enumeration of all translations."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import random_arpa
from test_exact_search import expected, make_decoder

from lattice_simp import LanguageModel
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.search.neighbours import neighbours

ASKING = [(SimpleNamespace(needs_successors=True), 1.0)]
SEEDS = range(60)


@pytest.mark.parametrize("kind", ["full", "chain", "phrases"])
def test_no_words_meet_in_a_translation_that_are_no_neighbours(kind):
    actual = possible = nested = 0
    for seed in SEEDS:
        decoder, texts, words = make_decoder(seed, kind)
        table = expected(decoder, texts, words)
        if not table:
            continue
        nested += decoder.grammar.nests
        follows = neighbours(decoder.parse(words), ASKING)
        met = {pair for string in table for pair in pairwise(("<s>", *string))}
        listed = {(word, after) for word, others in follows.items() for after in others}
        assert met <= listed, seed
        actual, possible = actual + len(listed), possible + len(follows) * (len(follows) - 1)
    assert nested > 20
    assert actual < 0.8 * possible


@pytest.mark.parametrize("count", [1, 63, 64, 65, 130])
def test_any_number_of_words(count):
    rules = [f"[X] ||| s{number} ||| t{number}" for number in range(count)]
    grammar = Grammar.from_rules(parse_rules([*rules, "[X] ||| [X,1] no ||| [X,1] no"]))
    model = LanguageModel.from_bytes(random_arpa(np.random.default_rng(0), ["a"], 2).encode())
    decoder = Decoder(grammar, {"LM": model}, {"LM": 1.0})
    follows = neighbours(decoder.parse([f"s{number}" for number in range(count)]), ASKING)
    words = [f"t{number}" for number in range(count)]
    assert follows == {word: [after] for word, after in pairwise(["<s>", *words])} | {words[-1]: []}


def test_words_that_models_do_not_see_are_passed():
    for seed in SEEDS[:30]:
        decoder, texts, words = make_decoder(seed)
        table = expected(decoder, texts, words)
        hidden = sorted({word for string in table for word in string})[:1]
        follows = neighbours(decoder.parse(words), ASKING, hidden)
        seen = [("<s>", *(word for word in string if word not in hidden)) for string in table]
        assert all(after in follows[word] for string in seen for word, after in pairwise(string)), seed
        assert not set(hidden) & set(follows), seed


def test_nothing_is_found_for_models_that_need_no_neighbours():
    decoder, _, words = make_decoder(0)
    assert neighbours(decoder.parse(words), [(SimpleNamespace(needs_successors=False), 1.0)]) is None

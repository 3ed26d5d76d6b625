"""Swaps of neighbouring phrases, and replacements from the table of simpler words, in bold mode."""

from __future__ import annotations

from dataclasses import replace

import pytest
from simplifier_model import ARPA, OPERATIONS, WEIGHTS

from lattice_simp import Decoder
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.lm import LanguageModel
from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.explanation import explanation
from lattice_simp.systems.simplify.simplification import Reordering, Substitution
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.train.rules.swaps import with_swaps
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.settings import DecoderSettings

RULES = """[V] ||| principal ||| main ||| P=-0.2 ||| 0-0
[V] ||| the old ||| the old ||| P=-0.5 ||| 0-0 1-1
[X] ||| [V,1] ||| [V,1] ||| P=0
"""
SPAN = 4


def made(**weights):
    """Returns a simplifier whose model swaps phrases within `SPAN` words."""
    grammar = with_swaps(Grammar.from_rules(parse_rules(RULES.splitlines())))
    model = LanguageModel.from_bytes(ARPA.encode())
    settings = DecoderSettings(max_span=SPAN, beam=60.0)
    decoder = Decoder(grammar, {"LM": model}, {**WEIGHTS, "Swap": 0.5, **weights}, settings)
    return Simplifier(OPERATIONS, decoder, mode="bold", stages=("substitute", "reorder"))


def orders(words):
    """Returns all ways to write words in phrases, of which neighbours swap once: strings, by definition.

    Phrases are words, and `the old`; `principal` may become `main`.
    """
    if not words:
        return {()}

    def phrases(begin, end):
        part = words[begin:end]
        if end - begin == 1:
            return {part, ("main",)} if part == ("principal",) else {part}
        return {part} if part == ("the", "old") else set()

    every = set()
    for end in range(1, len(words) + 1):
        heads = phrases(0, end)
        if end <= SPAN:
            heads |= {b + a for middle in range(1, end) for a in phrases(0, middle) for b in phrases(middle, end)}
        every |= {head + rest for head in heads for rest in orders(words[end:])}
    return every


def test_phrases_swap_once_within_the_span():
    decoder = made().decoder
    words = "the old principal judge held".split()
    settings = replace(decoder.settings, copies="all")
    paths = replace(decoder, settings=settings).translate(words).nbest(1000)
    assert {path.tokens for path in paths} == orders(tuple(words))


def test_a_swap_is_made_where_the_language_model_gains_more_than_it_costs(parsed):
    parse = parsed("He held judge the .")
    [best] = made().simplify(parse)
    assert best.tokens == ("He", "held", "the", "judge", ".")
    assert best.reorderings == (Reordering(("judge",), ("the",)),)
    assert best.features["Swap"] == -1
    assert best.cost == pytest.approx(made(Swap=0.25).simplify(parse)[0].cost + 0.25)
    assert explanation(best)["reorderings"] == [{"first": "judge", "second": "the"}]
    [dear] = made(Swap=9.0).simplify(parse)
    [never] = replace(made(), stages=("substitute",)).simplify(parse)
    assert dear.tokens == never.tokens == ("He", "held", "judge", "the", ".")


def test_substitutions_are_told_where_they_are_after_swaps(parsed):
    swapped = 0
    for simpler in made().simplify(parsed("The principal judge held the old man ."), 200):
        for each in simpler.substitutions:
            assert [word.lower() for word in simpler.tokens[each.start : each.start + 1]] == list(each.target)
            swapped += bool(simpler.reorderings)
    assert swapped > 10


def test_replacements_of_the_table_are_made_by_a_model_that_weights_them(parsed):
    parse = parsed("They purchased the principal building .")
    assert "purchased" in made().simplify(parse)[0].tokens
    [best] = made(**{"Input:Replaced": 5.0}).simplify(parse)
    assert best.tokens == ("They", "bought", "the", "main", "building", ".")
    assert set(best.substitutions) == {
        Substitution(("principal",), ("main",), 3),
        Substitution(("purchased",), ("bought",), 1),
    }
    greedy = replace(made(**{"Input:Replaced": 5.0}), search="greedy").simplify(parse)[0]
    assert greedy.tokens == best.tokens
    alternatives = replace(made(**{"Input:Replaced": 5.0}), stages=()).hypotheses(analyse(parse))
    assert "Replaced" not in alternatives.lattice.features

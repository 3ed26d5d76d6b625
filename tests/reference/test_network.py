"""Recursive transition networks: replacing words, and the lattices of a grammar, against brute force."""

from __future__ import annotations

import math

import pynini
import pytest
from helpers import best_by_string
from test_parse import make as make_grammar
from test_parse import translations
from test_replace import expected_strings
from test_replace import make as make_parts
from tiny_decoder import ARPA, SECOND_ARPA, WEIGHTS, tiny_decoder

from lattice_simp import Lattice, SymbolTable
from lattice_simp.engines import ENGINES
from lattice_simp.errors import CyclicLatticeError, GrammarError, LatticeSimpError
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.reference import apply_lm, expand, network
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.openfst_lattice import openfst_lattice
from lattice_simp.translate.parse import parse_sentence
from lattice_simp.translate.settings import DecoderSettings

SEEDS = range(25)
CLOSE = 1e-4


def test_replaced_words_become_each_of_their_parts_strings():
    for seed in SEEDS:
        lattice, parts = make_parts(seed, numbered=seed % 2 == 0)
        expected = expected_strings(lattice, parts)
        for name, engine in ENGINES.items():
            replaced = engine.replace(lattice, parts)
            assert replaced.is_topsorted
            assert best_by_string(replaced) == pytest.approx(expected, abs=CLOSE), (seed, name)


@pytest.mark.parametrize("name", ENGINES)
def test_borders_of_replacing(name):
    replace = ENGINES[name].replace
    lattice = Lattice.from_strings([("a G", 1.0), ("b", 2.0)])
    nothing = Lattice.from_strings([])
    part = Lattice.from_strings([("", 0.5), ("G x", 1.0)])  # what a part holds is not replaced again
    assert best_by_string(replace(lattice, {"G": part, "missing": part})) == {
        ("a",): 1.5,
        ("a", "G", "x"): 2.0,
        ("b",): 2.0,
    }
    assert best_by_string(replace(lattice, {"G": nothing})) == {("b",): 2.0}
    assert best_by_string(replace(lattice, {})) == best_by_string(lattice)
    assert replace(nothing, {"G": part}).num_states == 0
    cyclic = Lattice.from_arcs([0, 0], [1, 1], [1.0, 1.0], [0, 1], [math.inf, 0.0], SymbolTable("a"))
    for first, parts in ((cyclic, {}), (lattice, {"G": cyclic})):
        with pytest.raises(CyclicLatticeError):
            replace(first, parts)


def test_a_network_without_end_is_refused_and_so_is_one_that_is_too_large(monkeypatch):
    symbols = SymbolTable(list("abc"))
    inner, outer = pynini.accep("\x03"), pynini.accep("\x01\x04\x04")
    with pytest.raises(CyclicLatticeError, match="contains itself"):
        expand([(5, outer), (4, pynini.accep("\x04"))], symbols)
    assert best_by_string(expand([(5, outer), (4, inner)], symbols)) == {("a", "c", "c"): 0.0}
    monkeypatch.setattr(network, "MAX_ARCS", 4)
    with pytest.raises(LatticeSimpError, match="5 arcs are too many"):
        expand([(5, outer), (4, inner)], symbols)


def test_the_lattice_of_a_grammar_holds_all_translations():
    for kind in ("shallow", "chain", "full"):
        for seed in SEEDS:
            grammar, weights, words, settings = make_grammar(seed, kind, longest=5 if kind == "full" else 6)
            costs = Costs.weighted(grammar, weights)
            expected = translations(grammar, costs, words, settings)
            lattices = (
                openfst_lattice(grammar, costs, words, settings),
                parse_sentence(grammar, costs, words, settings).lattice().lattice,
            )
            for lattice in lattices:
                assert best_by_string(lattice) == pytest.approx(expected, abs=CLOSE), (kind, seed, lattice)


def test_a_decoders_lattice_is_that_of_the_definition():
    models = (("LM", ARPA), ("LM2", SECOND_ARPA))
    decoder = tiny_decoder(models=models, weights={**WEIGHTS, "LM2": 0.4})
    for sentence in ("ich habe das alte haus gesehen", "gestern das haus foo", "ich habe haus gestern ich"):
        words = sentence.split()
        rules = openfst_lattice(decoder.grammar, decoder.costs, words, decoder.settings)
        actual = apply_lm(rules, decoder.models, word_penalty=decoder.word_penalty)
        expected = best_by_string(decoder.translate(words).lattice)
        assert best_by_string(actual) == pytest.approx(expected, abs=CLOSE), sentence
        assert len(expected) > 3


def test_unusable_grammars_and_sentences_are_refused():
    rules = ["[X] ||| a ||| u ||| P=0", "[X] ||| [Y,1] ||| [Y,1] ||| P=0", "[Y] ||| [X,1] ||| [X,1] ||| P=0"]
    grammar = Grammar.from_rules(parse_rules(rules))
    costs = Costs.weighted(grammar, {"P": 1.0})
    with pytest.raises(CyclicLatticeError, match="contains itself"):
        openfst_lattice(grammar, costs, ["a"], DecoderSettings())
    with pytest.raises(GrammarError, match="empty sentence"):
        openfst_lattice(grammar, costs, [], DecoderSettings())
    with pytest.raises(GrammarError, match=r"no rules for \[Z\]"):
        openfst_lattice(grammar, costs, ["a"], DecoderSettings(top="Z"))

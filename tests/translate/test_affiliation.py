"""The source token of each word of a lattice, against the word links of derivations, in every strategy."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from helpers import arc_paths, best_by_string
from test_parse import make
from tiny_decoder import tiny_decoder

from lattice_simp import Lattice, compose_gappy, gappy_acceptor, nbest, prune, read, write
from lattice_simp.core.lattice import INFINITY
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import RuleLabels, affiliations
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.parse import parse_sentence
from lattice_simp.translate.search.exact.limits import ExactSearch
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.word_alignment import align_words

SEEDS = range(12)
KINDS = ("shallow", "chain", "full")


def with_random_points(rng, grammar):
    """Returns the grammar with random word links, and none in some rules."""
    rules = []
    for number in range(grammar.num_rules):
        rule = grammar.rule(number)
        sources, targets = (
            [index for index, symbol in enumerate(side) if isinstance(symbol, str)]
            for side in (rule.source, rule.target)
        )
        points = [(source, target) for source in sources for target in targets if rng.random() < 0.3]
        rules.append(rule._replace(alignment=tuple(points[int(order)] for order in rng.permutation(len(points)))))
    return Grammar.from_rules(rules)


def defined_source(rule, target):
    """Returns the source symbol that a target word of a rule with source words belongs to."""
    linked = sorted(source for source, linked_target in rule.alignment if linked_target == target)
    if linked:
        return linked[(len(linked) - 1) // 2]
    others = {linked_target for _, linked_target in rule.alignment}
    if others:
        return defined_source(rule, min(others, key=lambda other: (abs(other - target), -other)))
    words = [index for index, symbol in enumerate(rule.source) if isinstance(symbol, str)]
    return words[target * len(words) // len(rule.target)]


def one_link_a_word(grammar):
    """Returns the grammar in which each word has one link, to its source symbol."""
    rules = []
    for number in range(grammar.num_rules):
        rule = grammar.rule(number)
        words = [index for index, symbol in enumerate(rule.target) if isinstance(symbol, str)]
        rules.append(rule._replace(alignment=tuple((defined_source(rule, word), word) for word in words)))
    return Grammar.from_rules(rules)


def derived(lattice, arcs, words, grammar):
    """Returns the tokens of a path's words by the links of its derivation; `grammar` has one link a word."""
    labels = [lattice.isymbols[label] for label in lattice.ilabels[arcs].tolist() if label]
    return [token for (token,) in align_words(RuleLabels.read(labels).uses(), words, grammar)]


def spelled(lattice, arcs, values_of_arcs):
    return [int(values_of_arcs[arc]) for arc in arcs if lattice.olabels[arc]]


def check(lattice, words, grammar, count):
    """Compares paths with their derivations; returns how many."""
    result, linked = affiliations(lattice), one_link_a_word(grammar)
    checked = 0
    for arcs, _ in islice(arc_paths(lattice), count):
        assert spelled(lattice, arcs, result) == derived(lattice, arcs, words, linked)
        checked += 1
    return checked


@pytest.mark.parametrize("kind", KINDS)
def test_words_belong_to_what_the_links_of_their_derivation_say(kind):
    checked = 0
    for seed in SEEDS:
        plain, weights, words, settings = make(seed, kind, longest=5)
        grammar = with_random_points(np.random.default_rng(seed), plain)
        costs = Costs.weighted(grammar, weights)
        lattice = parse_sentence(grammar, costs, words, replace(settings, word_arcs="affiliated")).lattice().named()
        checked += check(lattice, words, grammar, 200)
        shared = parse_sentence(grammar, costs, words, settings).lattice().lattice
        assert best_by_string(lattice) == pytest.approx(best_by_string(shared), rel=1e-9, abs=1e-9)
    assert checked > 300


def test_a_rule_without_source_words_has_the_middle_of_its_span():
    rules = ("[X] ||| [Y,1] ||| [Y,1] so", "[Y] ||| a b c ||| u ||| ||| 2-0", "[X] ||| d ||| v w ||| ||| 0-0")
    grammar = Grammar.from_rules(parse_rules(rules))
    settings = DecoderSettings(word_arcs="affiliated", max_span=5)
    lattice = parse_sentence(grammar, Costs(np.zeros(3)), ["d", "a", "b", "c", "other"], settings).lattice().named()
    values = {
        tuple(lattice.symbols.decode(lattice.olabels[arcs])): affiliations(lattice)[arcs].tolist()
        for arcs, _ in arc_paths(lattice)
    }
    assert values["v", "w", "u", "so", "other"] == [0, 0, 3, 2, 4]
    assert values["v", "w", "a", "b", "c", "other"] == [0, 0, 1, 2, 3, 4]


def affiliated(decoder, **settings):
    return decoder.with_settings({"word_arcs": "affiliated", **settings})


SENTENCES = ("ich habe das alte haus gestern gesehen".split(), "das haus habe neulich ich gesehen".split())


def test_language_models_pruning_and_files_keep_them(tmp_path):
    decoder = affiliated(tiny_decoder(), beam=12.0)
    for words in SENTENCES:
        lattice = decoder.translate(words).lattice
        assert "LM" in lattice.features
        assert check(lattice, words, decoder.grammar, 300) > 4
        assert check(prune(lattice, 3.0), words, decoder.grammar, 300) > 1
        write(lattice, tmp_path / "a.fst.gz")
        again = read(tmp_path / "a.fst.gz")
        assert check(again, words, decoder.grammar, 300) > 4


@pytest.mark.parametrize("strategy", ["gappy", "skeleton-first"])
def test_translations_with_skeletons_keep_them(strategy):
    across = 0
    decoder = affiliated(tiny_decoder())
    for words in SENTENCES:
        for number in range(1, 2 ** len(words) - 1, 5):
            translation = decoder.translate(words, f"{number:0{len(words)}b}", strategy=strategy)
            assert check(translation.lattice, words, decoder.grammar, 60)
            uses = translation.derivation(translation.best)
            assert translation.features(translation.best)["OOV"] == -("neulich" in words)
            phrases = [use for use in uses if use.rule >= 0]
            rules = [(decoder.grammar.rule(use.rule).source, use.end - use.start) for use in phrases]
            across += any(len(first) < span and all(isinstance(w, str) for w in first) for first, span in rules)
    assert strategy == "gappy" or across > 2


def test_a_composition_with_a_skeletons_list_keeps_them():
    decoder = affiliated(tiny_decoder())
    words = SENTENCES[0]
    joint = compose_gappy(decoder.lattice(words), gappy_acceptor([("i the house", 0.0)]))
    assert check(joint, words, decoder.grammar, 100) > 2


def test_strings_and_costs_are_those_of_shared_arcs():
    for words in SENTENCES:
        for exact in (None, ExactSearch()):
            shared = tiny_decoder().with_settings({"beam": 10.0})
            if exact:
                shared = replace(shared, settings=replace(shared.settings, exact=exact))
            actual = affiliated(shared)
            expected = {path.text: path.cost for path in nbest(shared.translate(words).lattice, 1000)}
            lattice = actual.translate(words).lattice
            assert {path.text: path.cost for path in nbest(lattice, 1000)} == pytest.approx(expected)
            assert check(lattice, words, actual.grammar, 60) > 4


def test_the_exact_search_of_nested_grammars_keeps_them():
    checked = 0
    for seed in SEEDS:
        plain, _, words, _ = make(seed, "full", longest=5)
        grammar = with_random_points(np.random.default_rng(seed), plain)
        decoder = tiny_decoder(rules=[])
        weights = {**decoder.weights, **dict.fromkeys(grammar.feature_names, 1.0)}
        decoder = replace(decoder, grammar=grammar, weights=weights)
        decoder = affiliated(decoder, beam=2.0, exact={"beam": 4.0})
        checked += check(decoder.translate(words).lattice, words, grammar, 30)
    assert checked > 30


def test_an_arc_is_split_only_where_tokens_differ():
    rules = (
        "[X] ||| a b ||| u v ||| ||| 0-0 1-1",
        "[X] ||| b c ||| u v ||| ||| 0-0 1-1",
        "[X] ||| a ||| u ||| ||| 0-0",
    )
    grammar = Grammar.from_rules(parse_rules(rules))
    settings = DecoderSettings(word_arcs="affiliated", copies="all", max_span=3)
    lattice = parse_sentence(grammar, Costs(np.zeros(3)), ["a", "b", "c"], settings).lattice().named()
    counter = Counter(zip(lattice.symbols.decode(lattice.olabels), affiliations(lattice).tolist(), strict=True))
    assert counter["u", 1] == counter["v", 2] == 1
    assert counter["v", 1] == 1


def test_lattices_that_do_not_tell_are_refused():
    with pytest.raises(LatticeSimpError, match=r"the first such word is 'i'.*--word-arcs affiliated"):
        affiliations(tiny_decoder().lattice("ich habe"))
    with pytest.raises(LatticeSimpError, match="does not record the source token"):
        affiliations(Lattice.from_strings([("a", 1.0)]))
    assert not len(affiliations(Lattice.from_strings([("a", INFINITY - INFINITY)][:0])))


def test_word_lattices_and_the_engine_openfst_are_refused():
    decoder = affiliated(tiny_decoder())
    with pytest.raises(LatticeSimpError, match="word lattice have no positions"):
        decoder.translate(Lattice.from_strings([("ich habe", 1.0)]))
    with pytest.raises(LatticeSimpError, match="engine arrays"):
        affiliated(tiny_decoder(), engine="openfst")

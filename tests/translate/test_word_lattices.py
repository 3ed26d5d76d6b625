"""Word lattices as input: against the translations of each of their paths, and against other decoders' examples."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers import best_by_string, keep_least, random_lattice
from test_parse import KINDS, SOURCE, make, make_grammar, rule_uses, step_features, translations
from tiny_decoder import tiny_decoder

from lattice_simp import Lattice, LatticeSimpError, SymbolTable, nbest
from lattice_simp.errors import CyclicLatticeError, EmptyLatticeError, SkeletonError
from lattice_simp.formats.moses.plf import parse_plf
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.openfst_lattice import openfst_lattice
from lattice_simp.translate.parse import parse_sentence
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.source import MAX_STATES, Source

SEEDS = range(12)


def random_input(seed):
    rng = np.random.default_rng([seed, 7])
    lattice = random_lattice(rng, 5, [*SOURCE, "zz"], epsilon=seed % 2 == 0, shuffled=True, columns=("acoustic",))
    return lattice.connected()


def expected_translations(grammar, costs, lattice, settings):
    """Returns {target words: least cost} over all paths, each translated as a sentence."""
    values = {}
    for words, cost in best_by_string(lattice).items():
        if words:
            strings = translations(grammar, costs, words, settings)
            keep_least(values, ((target, rules + cost) for target, rules in strings.items()))
    return values


@KINDS
def test_translations_are_those_of_all_paths(kind):
    for seed in SEEDS:
        grammar, weights, _, settings = make(seed, kind)
        settings = replace(settings, max_span=10)
        lattice = random_input(seed)
        if not any(best_by_string(lattice)):
            continue
        costs, source = Costs.weighted(grammar, weights), Source.from_lattice(lattice)
        expected = expected_translations(grammar, costs, lattice, settings)
        arguments = grammar, costs.of_source(source, {}), source, settings
        actual = parse_sentence(*arguments).lattice().lattice
        assert best_by_string(actual) == pytest.approx(expected, rel=1e-9, abs=1e-9), seed
        derived = parse_sentence(*arguments).lattice()
        for path in nbest(derived.lattice, 100):
            labels = derived.lattice.ilabels[path.arcs].tolist()
            rules = step_features(derived.derivations, labels, grammar)
            total = sum(weight * rules[name] for name, weight in weights.items()) + path.features["Input"]
            assert path.cost == pytest.approx(-total), seed
        slow = openfst_lattice(*arguments)
        assert best_by_string(slow) == pytest.approx(expected, abs=1e-4), seed


@KINDS
def test_spans_are_as_long_as_their_shortest_paths(kind):
    """A span of few words may be crossed on a longer path."""
    seen = set()
    for seed in SEEDS:
        grammar, weights, _, settings = make(seed, kind)
        lattice = random_input(seed)
        if not any(best_by_string(lattice)):
            continue
        source = Source.from_lattice(lattice)
        shortest = np.full((source.num_states, source.num_states), 99)
        np.fill_diagonal(shortest, 0)
        for begin, end in zip(source.begins, source.ends, strict=True):
            shortest[:, end] = np.minimum(shortest[:, end], shortest[:, begin] + 1)
        result = parse_sentence(
            grammar, Costs.weighted(grammar, weights), source, replace(settings, max_span=1)
        ).lattice()
        for path in nbest(result.lattice, 200):
            for use in rule_uses(result.derivations, path.inputs or result.lattice.ilabels[path.arcs].tolist()):
                assert shortest[use.start, use.end] == 1
                seen.add(use.end - use.start)
    assert max(seen) > 1


def test_a_sentence_and_its_lattice_have_the_same_translations():
    decoder = tiny_decoder(beam=6.0)
    for sentence in ("das alte haus gestern", "ich habe das haus gesehen", "haus zz"):
        lattice = Lattice.from_strings([(sentence, 0.0)])
        expected, actual = decoder.translate(sentence), decoder.translate(lattice)
        assert best_by_string(actual.lattice) == pytest.approx(best_by_string(expected.lattice))
        assert actual.source == expected.source
        entries = [("the house", 1.0), ("have", 0.5)]
        expected, actual = (
            decoder.translate(each, skeleton_hypotheses=entries, strategy="gappy") for each in (sentence, lattice)
        )
        assert best_by_string(actual.lattice) == pytest.approx(best_by_string(expected.lattice))
        assert actual.reachable == expected.reachable


def test_scores_of_the_input_become_features_and_weights_apply():
    plf = "((('das',{'ac':-1.0,'lm':-0.5},1),('haus',{'ac':-0.25,'lm':-2.0},2)),(('*EPS*',0,1),('haus',0.5,1)))"
    for engine in ("arrays", "openfst"):
        decoder = tiny_decoder(beam=50.0).with_settings({"engine": engine})
        lattice = parse_plf(plf, scores="log", score_name="ac")
        assert set(lattice.features) == {"lm"}
        weighted = decoder.with_weights({**decoder.weights, "Input": 0.5, "Input:lm": 2.0})
        actual = weighted.translate(lattice)
        sentence_cost = {words: decoder.translate(words).best.cost for words in ("das haus", "das", "haus")}
        scores = {"das haus": (-0.5, -0.5), "das": (-1.0, -0.5), "haus": (-0.25, -2.0)}
        expected = {
            words: cost - 0.5 * scores[words][0] - 2 * scores[words][1] for words, cost in sentence_cost.items()
        }
        assert actual.best.cost == pytest.approx(min(expected.values()), abs=1e-5)
        if engine == "arrays":
            for path in actual.nbest(20):
                features = actual.features(path)
                total = sum(
                    weighted.weights[name] * score for name, score in features.items() if name in weighted.weights
                )
                assert path.cost == pytest.approx(-total)
                assert (features["Input"], features["Input:lm"]) in scores.values()


CDEC_RULES = [
    "[X] ||| A ||| a ||| Cost=0.1",
    "[X] ||| A ||| a' ||| Cost=0.1",
    "[X] ||| B ||| b ||| Cost=0.2",
    "[X] ||| AB ||| ab ||| Cost=0.1",
    "[X] ||| C B ||| cb ||| Cost=0.3",
    "[X] ||| A B ||| a_b ||| Cost=0.2",
]
CDEC_WORD = 0.434294


def test_the_lattice_of_cdecs_system_tests():
    """The input, rules and 5 best of cdec's tests/system_tests/lattice, whose scores count source words as well."""
    grammar = make_grammar(CDEC_RULES)
    source = Source.from_lattice(parse_plf("((('A',0.5,1),('C',0.25,1),('AB',0.125,2),),(('B',2,1),),)", scores="cost"))
    costs = Costs.weighted(grammar, {"Cost": -1.0, "OOV": 100.0}).of_source(source, {"Input": 1.0})
    lattice = parse_sentence(grammar, costs, source, DecoderSettings()).lattice().lattice
    values = {path.text: (path.cost, path.features["Input"]) for path in nbest(lattice, 5)}
    scores = {  # of cdec: the total, the lattice's cost, source and target words
        "ab": (-1.09359, 0.125, 1, 1),
        "cb": (-3.85288, 2.25, 2, 1),
        "a_b": (-4.00288, 2.5, 2, 1),
        "a' b": (-4.53718, 2.5, 2, 2),
        "a b": (-4.53718, 2.5, 2, 2),
    }
    assert values.keys() == scores.keys()
    for text, (total, lattice_cost, read, written) in scores.items():
        assert values[text] == pytest.approx((-total - CDEC_WORD * (read + written), -lattice_cost), abs=1e-5)


def test_the_lattice_of_moses_manual():
    """Compounds and their parts; passed through, every segmentation is there with its probability."""
    plf = (
        "((('einen',1.0,1),),(('wettbewerbsbedingten',0.5,2),('wettbewerbs',0.25,1),('wettbewerb',0.25, 1),),"
        "(('bedingten',1.0,1),),(('preissturz',0.5,2), ('preis',0.5,1),),(('sturz',1.0,1),),)"
    )
    source = Source.from_lattice(parse_plf(plf))
    grammar = make_grammar(["[X] ||| preis sturz ||| price fall ||| P=-0.125"])
    costs = Costs.weighted(grammar, {"P": 1.0}).of_source(source, {})
    lattice = parse_sentence(grammar, costs, source, DecoderSettings()).lattice().lattice
    actual = {path.text: path.cost for path in nbest(lattice, 20)}
    starts = {"wettbewerbsbedingten": 0.5, "wettbewerbs bedingten": 0.25, "wettbewerb bedingten": 0.25}
    ends = {"preissturz": 0.5, "preis sturz": 0.5, "price fall": 0.5 * math.exp(-0.125)}
    expected = {f"einen {name} {key}": -math.log(p * q) for name, p in starts.items() for key, q in ends.items()}
    assert actual == pytest.approx(expected)


def test_what_cannot_be_translated():
    decoder = tiny_decoder()
    table = SymbolTable(["das"])
    with pytest.raises(SkeletonError, match="no tokens to delete; give skeleton_hypotheses"):
        decoder.translate(Lattice.from_strings([("das", 0.0)]), "1")
    with pytest.raises(EmptyLatticeError, match="no words"):
        decoder.translate(Lattice.from_strings([("", 0.0)]))
    with pytest.raises(CyclicLatticeError):
        decoder.translate(Lattice.from_arcs([0], [1], [0.0], [0], [0.0], table))
    long = Lattice.from_strings([(["das"] * (MAX_STATES + 1), 0.0)])
    with pytest.raises(LatticeSimpError, match="at most 10000 can be translated; prune or minimize"):
        decoder.translate(long)


def test_several_final_states_keep_their_costs_and_features():
    finals = [math.inf, 0.5, 0.25]
    lattice = Lattice.from_arcs([0, 1], [1, 2], [1.0, 2.0], [1, 2], finals, SymbolTable(["a", "b"]))
    lattice = lattice.with_feature("x", [1.0, 10.0], [0.0, 100.0, 1000.0])
    source = Source.from_lattice(lattice)
    assert source.num_states == 3
    assert sorted(zip(source.words, *source.scores.tolist(), strict=True)) == [
        ("a", -1.5, 101.0),
        ("a", -1.0, 1.0),
        ("b", -2.25, 1010.0),
    ]
    assert source.best_words == ("a",)

"""The decoder's strategies against brute force over a model written by hand."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from helpers import best_by_string
from tiny_decoder import (
    ARPA,
    EVERYTHING,
    RULES,
    SECOND_ARPA,
    WEIGHTS,
    assert_derivations_spell,
    assert_features_explain_costs,
    expected_gappy,
    expected_hypotheses,
    expected_plain,
    pairs,
    tiny_decoder,
)

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import EmptyLatticeError, FormatError, GrammarError, LatticeSimpError, SkeletonError
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.gappy_composition import compose_with_expected
from lattice_simp.translate.model_files import read_weights, write_weights
from lattice_simp.translate.search.cubes.limits import CubePruning
from lattice_simp.translate.settings import DecoderSettings, SkeletonSettings
from lattice_simp.translate.strategies.gappy import hypotheses_with_positions
from lattice_simp.translate.strategies.task import pool_hypotheses

TOLERANCE = {"rel": 1e-6, "abs": 1e-5}

SENTENCES = (
    "ich habe das haus gestern gesehen",
    "ich habe das alte haus gesehen",
    "das alte haus gestern ich",
    "das haus gestern das haus",
    "haus",
    "zz das zz",
)
MASKED = (
    ("ich habe das alte haus gesehen", "111011"),
    ("ich habe das haus gestern gesehen", "111101"),
    ("das alte haus gestern ich", "01110"),
    ("das alte haus gestern", "1110"),
    ("gestern habe ich das haus gesehen", "011001"),
    ("das zz haus", "101"),
    ("das haus", "11"),
)
TOLERANT = EditCosts(deletion=2.0, substitution=1.5, stem=math.inf)
SENTENCE, MASK = MASKED[0]


def test_a_translation_is_shown_in_one_line():
    shown = repr(tiny_decoder().translate("ich habe das alte haus gesehen", "111011"))
    assert re.fullmatch(
        r"Translation\('ich habe das alte haus gesehen', gappy, skeleton (not )?found, \d+ states, \d+ arcs\)", shown
    )


def costs_of(translation):
    return best_by_string(translation.lattice)


# ---------------------------------------------------------------- plain


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_plain_lattice_holds_every_translation_at_its_least_cost(sentence):
    decoder = tiny_decoder()
    translation = decoder.translate(sentence)
    assert translation.strategy == "plain"
    assert translation.reachable is None
    assert translation.source == tuple(sentence.split())
    assert costs_of(translation) == pytest.approx(expected_plain(decoder, sentence.split()), **TOLERANCE)


@pytest.mark.parametrize("beam", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_translation_within_the_beam_stays(sentence, beam):
    decoder = tiny_decoder(beam=beam)
    expected = expected_plain(decoder, sentence.split())
    actual = costs_of(decoder.translate(sentence))
    best = min(expected.values())
    assert {string for string, cost in expected.items() if cost <= best + beam - 1e-6} <= set(actual)
    assert all(cost >= expected[string] - 1e-6 for string, cost in actual.items())
    assert min(actual.values()) == pytest.approx(best)


def test_nbest_gives_the_best_strings_in_order():
    decoder = tiny_decoder(beam=8.0)
    expected = expected_hypotheses(decoder, SENTENCE.split(), 5)
    nbest = decoder.translate(SENTENCE).nbest(5)
    assert [path.text for path in nbest] == [words for words, _ in expected]
    assert [path.cost for path in nbest] == pytest.approx([cost for _, cost in expected], **TOLERANCE)
    assert decoder.translate(SENTENCE).best.text == expected[0][0]


@pytest.mark.parametrize("words", [SENTENCE.split(), tuple(SENTENCE.split()), f"  {SENTENCE} "])
def test_tokens_may_come_as_a_string_or_apart(words):
    decoder = tiny_decoder()
    assert costs_of(decoder.translate(words)) == costs_of(decoder.translate(SENTENCE))


def test_grammars_that_do_not_nest_are_decoded_exactly_whatever_the_pruning():
    narrow = DecoderSettings(beam=EVERYTHING, cubes=CubePruning(pops=1, beam=0.0, max_arcs=1))
    loose = tiny_decoder()
    decoder = Decoder(loose.grammar, loose.language_models, loose.weights, narrow)
    assert costs_of(decoder.translate(SENTENCE)) == costs_of(loose.translate(SENTENCE))


def test_cells_are_pruned_where_non_terminals_nest():
    rules = [*RULES, "[X] ||| [X,1] gesehen ||| seen [X,1] ||| EF=-1"]
    loose = tiny_decoder(rules)
    narrow = DecoderSettings(beam=EVERYTHING, cubes=CubePruning(pops=1, beam=0.0, max_arcs=1))
    decoder = Decoder(loose.grammar, loose.language_models, loose.weights, narrow)
    everything = costs_of(loose.translate(SENTENCE))
    result = costs_of(decoder.translate(SENTENCE))
    assert 0 < len(result) < len(everything)
    assert all(cost >= everything[string] - 1e-6 for string, cost in result.items())


def test_a_nested_grammar_translates_a_sentence_without_any_gap():
    rules = [*RULES, "[X] ||| [X,1] gesehen ||| seen [X,1] ||| EF=-1"]
    assert tiny_decoder(rules).translate("haus").best.text == "house"


def test_a_grammar_of_phrases_alone_is_enough():
    decoder = tiny_decoder([rule for rule in RULES if ",1]" not in rule])
    assert costs_of(decoder.translate(SENTENCE)) == pytest.approx(
        expected_plain(decoder, SENTENCE.split()), **TOLERANCE
    )


# ---------------------------------------------------------------- every strategy


STRATEGIES = pytest.mark.parametrize(
    ("strategy", "edits"),
    [("plain", None), ("gappy", None), ("gappy", TOLERANT), ("skeleton-first", None)],
    ids=["plain", "gappy", "gappy-edits", "skeleton-first"],
)


@STRATEGIES
@pytest.mark.parametrize(("sentence", "mask"), MASKED)
def test_weights_times_features_are_minus_the_cost_of_every_path(sentence, mask, strategy, edits):
    decoder = tiny_decoder(edits=edits, weight=0.7)
    translation = decoder.translate(sentence, mask, strategy=strategy)
    nbest = translation.nbest(200)
    assert nbest
    assert_features_explain_costs(decoder, translation, nbest)


@STRATEGIES
@pytest.mark.parametrize(("sentence", "mask"), MASKED)
def test_the_rules_of_a_derivation_spell_its_string_and_the_sentence(sentence, mask, strategy, edits):
    decoder = tiny_decoder(edits=edits)
    translation = decoder.translate(sentence, mask, strategy=strategy)
    assert_derivations_spell(decoder, translation, translation.nbest(200))


@STRATEGIES
def test_the_feature_vector_names_what_the_path_is_made_of(strategy, edits):
    decoder = tiny_decoder(edits=edits)
    translation = decoder.translate(SENTENCE, MASK, strategy=strategy)
    for path in translation.nbest(20):
        features = translation.features(path)
        assert features["WordPenalty"] == -len(path.text.split())
        uses = [use.rule for use in translation.derivation(path) if use.rule >= 0]
        for name in decoder.grammar.feature_names:
            result = sum(dict(decoder.grammar.rule(rule).features)[name] for rule in uses)
            assert features[name] == pytest.approx(result, abs=1e-9)
        assert ("Skeleton" in features) == (strategy != "plain")
        assert ("Edits" in features) == (edits is not None)
        assert "matched" not in features


@STRATEGIES
def test_the_same_input_gives_the_same_lattice(strategy, edits):
    first, second = (tiny_decoder(edits=edits).translate(SENTENCE, MASK, strategy=strategy).lattice for _ in range(2))
    for field in ("offsets", "olabels", "ilabels", "weights", "nextstates", "finals"):
        assert getattr(first, field).tobytes() == getattr(second, field).tobytes()


# ---------------------------------------------------------------- gappy


@pytest.mark.parametrize("count", [1, 3, 1000])
@pytest.mark.parametrize(("sentence", "mask"), MASKED)
def test_gappy_is_full_times_skeleton_hypotheses(sentence, mask, count):
    decoder = tiny_decoder(hypotheses=count, weight=0.8)
    skeleton = Skeleton.from_mask(mask, sentence.split())
    hypotheses = expected_hypotheses(decoder, skeleton.words, count)
    translation = decoder.translate(sentence, mask)
    assert translation.strategy == "gappy"
    actual = dict(pairs(translation))
    assert sorted(actual.values()) == pytest.approx([cost for _, cost in hypotheses], **TOLERANCE)
    full = expected_plain(decoder, sentence.split())
    expected = expected_gappy(full, list(actual.items()), 0.8)
    assert translation.reachable == bool(expected)
    assert costs_of(translation) == pytest.approx(expected or full, **TOLERANCE)


@pytest.mark.parametrize(("full_beam", "beam"), [(2.0, EVERYTHING), (EVERYTHING, 1.0), (3.0, 1.5)])
@pytest.mark.parametrize(("sentence", "mask"), MASKED)
def test_gappy_keeps_to_both_beams(sentence, mask, full_beam, beam):
    decoder = tiny_decoder(beam=beam, full_beam=full_beam, weight=0.5)
    translation = decoder.translate(sentence, mask)
    full = expected_plain(decoder, sentence.split())
    least = min(full.values())
    joint = expected_gappy(full, pairs(translation), 0.5)
    sure = {words: cost for words, cost in joint.items() if full[words] <= least + full_beam - 1e-6}
    if not sure:
        return
    result = costs_of(translation)
    best = min(result.values())
    assert best <= min(sure.values()) + 1e-6
    assert {words for words, cost in sure.items() if cost <= best + beam - 1e-6} <= set(result)
    for words, cost in result.items():
        assert cost >= joint[words] - 1e-6


@pytest.mark.parametrize(("sentence", "mask"), MASKED)
def test_skeleton_hypotheses_are_the_n_best_translations_of_the_kept_words(sentence, mask):
    decoder = tiny_decoder(hypotheses=7)
    skeleton = Skeleton.from_mask(mask, sentence.split())
    actual = pairs(decoder.translate(sentence, skeleton))
    expected = expected_hypotheses(decoder, skeleton.words, 7)
    assert [cost for _, cost in actual] == pytest.approx([cost for _, cost in expected], **TOLERANCE)
    everything = expected_plain(decoder, skeleton.words)
    assert all(cost == pytest.approx(everything[tuple(words.split())], **TOLERANCE) for words, cost in actual)
    assert len(set(actual)) == len(expected)


def test_the_whole_skeleton_list_is_found_however_bad_its_last_entries_are():
    weights = {**WEIGHTS, "FE": 40.0}  # costs far apart: the beam must grow until all strings are in it
    decoder = tiny_decoder(weights=weights, hypotheses=1000)
    expected = expected_plain(decoder, "das alte haus".split())
    actual = pairs(decoder.translate("das alte haus gestern", "1110"))
    assert dict(actual) == pytest.approx({" ".join(words): cost for words, cost in expected.items()}, **TOLERANCE)


def test_a_skeleton_may_be_a_mask_or_an_object_or_a_list_of_one():
    decoder = tiny_decoder()
    skeleton = Skeleton.from_mask(MASK, SENTENCE.split())
    first, *others = (costs_of(decoder.translate(SENTENCE, each)) for each in (MASK, skeleton, [skeleton]))
    assert all(other == first for other in others)


@pytest.mark.parametrize(
    ("strategy", "rules", "sentence", "mask"),
    [
        # Apart from each other, the kept words cannot be translated as they are side by side.
        ("gappy", ["[X] ||| a b ||| q", "[X] ||| a c b ||| u v"], "a c b", "101"),
        ("skeleton-first", ["[X] ||| a [V,1] c ||| q [V,1]", "[V] ||| b ||| v", "[X] ||| b ||| w"], "a d b c", "1011"),
    ],
    ids=["gappy", "skeleton-first"],
)
def test_where_nothing_matches_the_plain_lattice_comes_back(strategy, rules, sentence, mask):
    decoder = tiny_decoder(rules, weights={"LM": 0.5, "OOV": 10.0}, hypotheses=1)
    translation = decoder.translate(sentence, mask, strategy=strategy)
    assert translation.reachable is False
    assert translation.strategy == strategy
    assert costs_of(translation) == costs_of(decoder.translate(sentence))
    assert pairs(translation)
    assert "Skeleton" not in translation.features(translation.best)


def test_edits_make_every_skeleton_reachable():
    rules = ["[X] ||| a b ||| q r", "[X] ||| a c b ||| u v r"]
    decoder = tiny_decoder(rules, weights={"LM": 0.5}, hypotheses=1)
    assert decoder.translate("a c b", "101").reachable is False
    tolerant = tiny_decoder(rules, weights={"LM": 0.5}, hypotheses=1, edits=TOLERANT)
    translation = tolerant.translate("a c b", "101")
    assert translation.reachable is True
    assert translation.features(translation.best)["Edits"] == -1.5


@pytest.mark.parametrize("count", [1, 1000])
@pytest.mark.parametrize(("sentence", "mask"), MASKED)
def test_gappy_with_edits_is_full_times_skeleton_hypotheses_with_edits(sentence, mask, count):
    decoder = tiny_decoder(hypotheses=count, edits=TOLERANT, weight=0.5)
    translation = decoder.translate(sentence, mask)
    full = expected_plain(decoder, sentence.split())
    expected = expected_gappy(full, pairs(translation), 0.5, deletion=2.0, substitution=1.5)
    assert translation.reachable is True
    assert set(expected) == set(full)
    assert costs_of(translation) == pytest.approx(expected, **TOLERANCE)


# ---------------------------------------------------------------- several skeletons


@pytest.mark.parametrize("aggregation", ["max", "sum"])
def test_several_skeletons_pool_their_hypotheses(aggregation):
    words = "das haus gestern das haus".split()
    skeletons = [Skeleton.from_mask(mask, words) for mask in ("11000", "00011", "01010", "10100")]
    decoder = tiny_decoder(aggregation=aggregation)
    result = dict(pairs(decoder.translate(words, skeletons)))
    pooled = {}
    for skeleton in skeletons:
        for string, cost in expected_plain(decoder, skeleton.words).items():
            pooled.setdefault(" ".join(string), []).append(cost)
    assert any(len(costs) > 1 for costs in pooled.values())
    joined = {
        "max": min,
        "sum": lambda costs: -math.log(sum(math.exp(-cost) for cost in costs)),
    }[aggregation]
    assert result == pytest.approx({string: joined(costs) for string, costs in pooled.items()}, **TOLERANCE)


@pytest.mark.parametrize("aggregation", ["max", "sum"])
def test_gappy_with_several_skeletons_is_full_times_pooled_hypotheses(aggregation):
    words = "das alte haus gestern".split()
    skeletons = [Skeleton.from_mask(mask, words) for mask in ("1110", "0010", "1011")]
    decoder = tiny_decoder(aggregation=aggregation, hypotheses=5, weight=0.5)
    translation = decoder.translate(words, skeletons)
    assert len(pairs(translation)) == 5
    expected = expected_gappy(expected_plain(decoder, words), pairs(translation), 0.5)
    assert costs_of(translation) == pytest.approx(expected, **TOLERANCE)


@pytest.mark.parametrize("probabilities", [(), (0.6, 0.3, 0.1), (2.0, 1.0, 1.0)])
def test_gappy_with_expected_costs_is_full_plus_the_mean_over_skeletons(probabilities):
    words = "das alte haus gestern".split()
    skeletons = [Skeleton.from_mask(mask, words) for mask in ("1110", "0010", "1011")]
    decoder = tiny_decoder(aggregation="expected", hypotheses=5, weight=0.5, edits=TOLERANT)
    translation = decoder.translate(words, skeletons, probabilities=probabilities)
    assert len(pairs(translation)) > 5
    expected = expected_plain(decoder, words)
    shares = [probability / sum(probabilities) for probability in probabilities] or [1 / 3] * 3
    for share, skeleton in zip(shares, skeletons, strict=True):
        actual = pairs(tiny_decoder(hypotheses=5).translate(words, skeleton))
        beyond = [(text, cost - min(cost for _, cost in actual)) for text, cost in actual]
        added = expected_gappy(dict.fromkeys(expected, 0.0), beyond, 0.5, deletion=2.0, substitution=1.5)
        expected = {string: cost + share * added[string] for string, cost in expected.items()}
    assert costs_of(translation) == pytest.approx(expected, **TOLERANCE)
    assert translation.reachable is True


def test_probabilities_fit_the_skeletons():
    words = "das haus gestern".split()
    skeletons = [Skeleton.from_mask(mask, words) for mask in ("110", "011")]
    decoder = tiny_decoder(aggregation="expected")
    with pytest.raises(SkeletonError, match="3 probabilities, but 2 skeletons"):
        decoder.translate(words, skeletons, probabilities=(0.5, 0.25, 0.25))
    with pytest.raises(SkeletonError, match="above 0"):
        decoder.translate(words, skeletons, probabilities=(1.0, 0.0))
    assert decoder.translate(words, skeletons).reachable is True  # edits are allowed even where none are asked for


def test_expected_costs_with_forbidden_edits_fall_back_to_the_plain_lattice():
    words = "das haus gestern".split()
    skeletons = [Skeleton.from_mask(mask, words) for mask in ("110", "001")]
    never = EditCosts(deletion=math.inf, substitution=math.inf, stem=math.inf)
    decoder = tiny_decoder(aggregation="expected", edits=never, hypotheses=1)
    result = decoder.translate(words, skeletons)
    assert result.reachable is True
    assert all({"yesterday", "house"} <= set(path.tokens) for path in result.nbest(50))
    lost = compose_with_expected(
        Lattice.from_strings([("a", 0.0)]), [[Hypothesis(("b",), 0.0)]], [1.0], SkeletonSettings(edits=never), 8.0
    )
    assert lost.empty


def pooled(lists, aggregation, count):
    results = [[Hypothesis((text,), cost) for text, cost in pairs] for pairs in lists]
    return [(hypothesis.text, hypothesis.cost) for hypothesis in pool_hypotheses(results, aggregation, count)]


def test_pooling_keeps_the_best_n():
    lists = [[("a", 3.0), ("b", 1.0)], [("c", 2.0), ("a", 2.5)], [("a", 3.0)]]
    assert pooled(lists, "max", 2) == [("b", 1.0), ("c", 2.0)]
    total = -math.log(2 * math.exp(-3.0) + math.exp(-2.5))
    assert dict(pooled(lists, "sum", 9)) == pytest.approx({"a": total, "b": 1.0, "c": 2.0})
    assert pooled(lists, "sum", 1) == [("b", 1.0)]
    assert pooled([], "max", 3) == []


def test_loops_at_gaps_alone_need_one_skeleton():
    words = "das alte haus gestern".split()
    skeletons = [Skeleton.from_mask(mask, words) for mask in ("1110", "1010")]
    for aggregation in ("max", "expected"):
        with pytest.raises(SkeletonError, match="one skeleton"):
            tiny_decoder(gaps="at-gaps", aggregation=aggregation).translate(words, skeletons)


# ---------------------------------------------------------------- where words may be skipped


def test_at_gaps_words_are_skipped_only_beside_the_gap():
    sentence, mask = "das alte haus gestern", "1110"  # beside the gap is `haus` alone
    everywhere = costs_of(tiny_decoder().translate(sentence, mask))
    at_gaps = costs_of(tiny_decoder(gaps="at-gaps").translate(sentence, mask))
    early, late = tuple("the yesterday old house".split()), tuple("the old house yesterday".split())
    assert early in everywhere
    assert late in everywhere
    assert early not in at_gaps
    assert late in at_gaps
    assert at_gaps[late] == pytest.approx(everywhere[late])


@pytest.mark.parametrize(("sentence", "mask"), MASKED)
def test_at_gaps_gives_a_part_of_what_everywhere_gives(sentence, mask):
    everywhere = tiny_decoder().translate(sentence, mask)
    at_gaps = tiny_decoder(gaps="at-gaps").translate(sentence, mask)
    assert dict(pairs(at_gaps)) == pytest.approx(dict(pairs(everywhere)), **TOLERANCE)
    if at_gaps.reachable:
        result, more = costs_of(at_gaps), costs_of(everywhere)
        assert set(result) <= set(more)
        assert all(cost >= more[words] - 1e-6 for words, cost in result.items())


@pytest.mark.parametrize(
    ("sentence", "mask", "positions"),
    [
        ("c a b", "011", {0, 1, 2}),  # at the start, and beside y
        ("a c b", "101", {0, 1, 2}),
        ("a b c", "110", {0, 1, 2}),  # beside x, and at the end
        ("a b", "11", set()),
        ("d e c", "110", {1, 2}),  # not at the start
        ("c d e", "011", {0, 1}),  # not at the end
        ("d c e", "101", {0, 1, 2}),
    ],
)
def test_words_may_be_skipped_at_the_ends_of_gaps_and_beside_the_words_beside_them(sentence, mask, positions):
    """`a b` is `x y`, where x translates b and y translates a; `d e` is `u v`, word by word."""
    rules = ["[X] ||| a b ||| x y ||| ||| 0-1 1-0", "[X] ||| d e ||| u v ||| ||| 0-0 1-1", "[X] ||| c ||| w"]
    decoder = tiny_decoder(rules, weights={"LM": 1.0})
    _, (result, *_) = hypotheses_with_positions(decoder, Skeleton.from_mask(mask, sentence.split()))
    assert result == positions


def test_without_a_gap_at_gaps_allows_no_further_words():
    decoder = tiny_decoder(gaps="at-gaps")
    translation = decoder.translate("das haus", "11")
    assert set(costs_of(translation)) == {tuple(words.split()) for words, _ in pairs(translation)}


# ---------------------------------------------------------------- skeleton hypotheses from outside


@pytest.mark.parametrize("mask", [None, MASK])
def test_hypotheses_from_outside_take_the_place_of_our_own(mask):
    decoder = tiny_decoder(weight=0.5)
    entries = [("i the home", 3.0), ("have seen", 1.0), ("not there", 0.0)]
    translation = decoder.translate(SENTENCE, mask, skeleton_hypotheses=entries)
    assert translation.strategy == "gappy"
    assert pairs(translation) == tuple(entries)
    expected = expected_gappy(expected_plain(decoder, SENTENCE.split()), entries, 0.5)
    assert costs_of(translation) == pytest.approx(expected, **TOLERANCE)


def test_hypotheses_from_outside_that_match_nothing_are_not_reachable():
    translation = tiny_decoder().translate(SENTENCE, skeleton_hypotheses=[("elsewhere", 0.0)])
    assert translation.reachable is False
    assert costs_of(translation) == costs_of(tiny_decoder().translate(SENTENCE))


@pytest.mark.parametrize("strategy", ["gappy", "skeleton-first"])
def test_an_empty_list_of_hypotheses_is_refused(strategy):
    with pytest.raises(EmptyLatticeError, match="no skeleton hypotheses"):
        tiny_decoder().translate(SENTENCE, MASK, strategy=strategy, skeleton_hypotheses=[])


def test_rho_loops_must_follow_a_word_that_goes_on():
    entries = [("the house", 1.0), ("i old", 2.0)]
    decoders = {loops: tiny_decoder(loops=loops) for loops in ("sigma", "rho")}
    values = {
        loops: set(costs_of(decoder.translate("ich das alte", skeleton_hypotheses=entries)))
        for loops, decoder in decoders.items()
    }
    assert tuple("i the old".split()) in values["sigma"]
    assert values["rho"] <= values["sigma"]


# ---------------------------------------------------------------- several language models


MODELS = (("LM", ARPA), ("LM2", SECOND_ARPA))
TWO_WEIGHTS = {**WEIGHTS, "LM2": 0.9}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_two_language_models_add_up(sentence):
    decoder = tiny_decoder(models=MODELS, weights=TWO_WEIGHTS)
    translation = decoder.translate(sentence)
    expected = expected_plain(decoder, sentence.split(), MODELS)
    assert costs_of(translation) == pytest.approx(expected, **TOLERANCE)
    assert_features_explain_costs(decoder, translation, translation.nbest(50))


@pytest.mark.parametrize("beam", [0.0, 2.0])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_beam_holds_over_the_sum_of_two_language_models(sentence, beam):
    decoder = tiny_decoder(models=MODELS, weights=TWO_WEIGHTS, beam=beam)
    expected = expected_plain(decoder, sentence.split(), MODELS)
    actual = costs_of(decoder.translate(sentence))
    best = min(expected.values())
    assert min(actual.values()) == pytest.approx(best, **TOLERANCE)
    assert {words for words, cost in expected.items() if cost <= best + beam - 1e-5} <= set(actual)


@STRATEGIES
def test_each_language_model_is_a_feature(strategy, edits):
    decoder = tiny_decoder(models=MODELS, weights=TWO_WEIGHTS, edits=edits)
    translation = decoder.translate(SENTENCE, MASK, strategy=strategy)
    for path in translation.nbest(20):
        features = translation.features(path)
        for name, model in decoder.language_models.items():
            assert features[name] == pytest.approx(model.score(path.text.split()), **TOLERANCE)


# ---------------------------------------------------------------- unknown words


@STRATEGIES
def test_unknown_tokens_pass_through_and_are_counted(strategy, edits):
    decoder = tiny_decoder(edits=edits)
    translation = decoder.translate("zz haus yy", "110", strategy=strategy)
    for path in translation.nbest(10):
        assert {"zz", "yy"} <= set(path.text.split())
        assert translation.features(path)["OOV"] == -2.0


@STRATEGIES
def test_tokens_that_mark_silence_or_noise_elsewhere_stay_in_translations(strategy, edits):
    decoder = tiny_decoder(edits=edits)
    for settings in (decoder.settings, replace(decoder.settings, mbr=MbrSettings())):
        translation = replace(decoder, settings=settings).translate("[music] haus", "11", strategy=strategy)
        assert translation.best.text == "[music] house"
        unmarked = decoder.translate("zz haus", "11", strategy=strategy)
        assert translation.cost(translation.best) == pytest.approx(unmarked.best.cost)


def test_expected_costs_of_skeletons_keep_tokens_that_mark_noise_elsewhere():
    decoder = tiny_decoder(aggregation="expected")
    skeletons = [Skeleton.from_mask(mask, ("[music]", "haus")) for mask in ("11", "01")]
    assert decoder.translate("[music] haus", skeletons).best.text == "[music] house"


@STRATEGIES
def test_earlier_sentences_change_no_later_ones(strategy, edits):
    decoder = tiny_decoder(edits=edits)
    words, results = list(decoder.grammar.target_words), []
    for sentence, mask in (("zz haus yy", "110"), ("xx das haus", "101"), ("zz haus yy", "110")):
        results.append(decoder.translate(sentence, mask, strategy=strategy).lattice)
        decoder.translate(Lattice.from_strings(f"{sentence} ww"))
    assert list(decoder.grammar.target_words) == words
    assert results[0].symbols == results[2].symbols
    assert results[0].olabels.tolist() == results[2].olabels.tolist()


def test_a_token_that_only_longer_rules_know_passes_through_too():
    decoder = tiny_decoder(["[X] ||| a b ||| u v"], weights={"LM": 1.0, "OOV": 1.0})
    assert set(costs_of(decoder.translate("a b"))) == {("u", "v"), ("a", "b")}
    assert set(costs_of(decoder.translate("b a"))) == {("b", "a")}


def test_weights_that_need_not_be_given_are_0():
    weights = {name: weight for name, weight in WEIGHTS.items() if name not in ("OOV", "Glue", "WordPenalty")}
    decoder, same = tiny_decoder(weights=weights), tiny_decoder(weights={**weights, "OOV": 0.0, "Glue": 0.0})
    assert costs_of(decoder.translate("zz haus")) == costs_of(same.translate("zz haus"))


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("mask", ["11", "1110111", "1x1011", "000000", ""])
def test_a_mask_that_does_not_fit_is_refused(mask):
    with pytest.raises(SkeletonError):
        tiny_decoder().translate(SENTENCE, mask)


def test_a_skeleton_of_another_sentence_is_refused():
    skeleton = Skeleton.from_mask("110", "das alte haus".split())
    with pytest.raises(SkeletonError, match="tokens are not those of the sentence"):
        tiny_decoder().translate("das haus gestern", skeleton)
    with pytest.raises(SkeletonError, match="tokens are not those of the sentence"):
        tiny_decoder().translate("Das alte haus", [skeleton])


@pytest.mark.parametrize("sentence", ["", "  ", [], ()])
def test_an_empty_sentence_is_refused(sentence):
    with pytest.raises(GrammarError, match="empty sentence"):
        tiny_decoder().translate(sentence)
    with pytest.raises(SkeletonError):
        tiny_decoder().translate(sentence, "")


@pytest.mark.parametrize("skeleton", [None, MASK])
def test_an_unknown_strategy_is_refused(skeleton):
    with pytest.raises(LatticeSimpError, match=r"'viterbi'.*plain, gappy, skeleton-first"):
        tiny_decoder().translate(SENTENCE, skeleton, strategy="viterbi")


@pytest.mark.parametrize("strategy", ["gappy", "skeleton-first"])
@pytest.mark.parametrize("skeleton", [None, []])
def test_a_strategy_with_skeletons_needs_one(strategy, skeleton):
    with pytest.raises(SkeletonError, match="needs a skeleton"):
        tiny_decoder().translate(SENTENCE, skeleton, strategy=strategy)


@pytest.mark.parametrize("missing", ["LM", "EF"])
def test_a_missing_weight_is_refused(missing):
    weights = {name: weight for name, weight in WEIGHTS.items() if name != missing}
    with pytest.raises(GrammarError, match=f"no weight for .*{missing}"):
        tiny_decoder(weights=weights)


def test_a_missing_weight_of_a_second_model_is_named():
    with pytest.raises(GrammarError, match="no weight for LM2"):
        tiny_decoder(models=MODELS)


def test_a_decoder_without_a_language_model_is_refused():
    with pytest.raises(GrammarError, match="language model"):
        tiny_decoder(models=())


@pytest.mark.parametrize(
    "name", ["WordPenalty", "Glue", "OOV", "LM", "Skeleton", "Skeleton:LM", "Edits", "Input", "Input:asr"]
)
def test_features_of_rules_have_names_of_their_own(name):
    """Else the weight would count twice, and one score would stand for both."""
    rules = [f"[X] ||| haus ||| house ||| {name}=-1"]
    with pytest.raises(GrammarError, match=f"^{name}: features of the rules .* with the name of another one; rename"):
        tiny_decoder(rules, weights={name: 1.0, "LM": 1.0})


def test_language_models_have_names_of_their_own():
    with pytest.raises(GrammarError, match=r"^Glue: features of .* language models"):
        tiny_decoder(models=(("Glue", ARPA),), weights={**WEIGHTS, "Glue": 1.0})


@pytest.mark.parametrize("cost", [50.0, 230.0, 1000.0, 5000.0])
def test_an_exact_list_holds_strings_that_are_far_from_the_best(cost):
    rules = [
        f"[X] ||| haus ||| {text} ||| EF={score}"
        for text, score in (("house", 0.0), ("home", -cost), ("the house", -2.5 * cost))
    ]
    decoder = tiny_decoder(rules, weights={"EF": 1.0, "LM": 0.6})
    for count in (1, 2, 3, 4):
        _, paths = decoder.exact_nbest(["haus"], count)
        assert [path.text for path in paths] == ["house", "home", "the house"][:count]


def test_an_unknown_top_non_terminal_is_refused():
    plain = tiny_decoder()
    decoder = Decoder(plain.grammar, plain.language_models, plain.weights, DecoderSettings(top="Y"))
    with pytest.raises(GrammarError, match=r"\[Y\]"):
        decoder.translate("haus")


# ---------------------------------------------------------------- model directories


@pytest.fixture
def folder(tmp_path):
    """A model directory with everything that it needs."""
    (tmp_path / "rules").write_text("\n".join(RULES) + "\n", encoding="utf-8")
    (tmp_path / "lm.arpa").write_text(ARPA, encoding="utf-8")
    write_weights(tmp_path / "weights.tsv", WEIGHTS)
    return tmp_path


def test_a_model_directory_gives_the_same_decoder(folder):
    (folder / "settings.json").write_text(json.dumps({"beam": EVERYTHING}), encoding="utf-8")
    decoder = Decoder.load(folder)
    assert decoder.settings == DecoderSettings(beam=EVERYTHING)
    assert costs_of(decoder.translate(SENTENCE)) == pytest.approx(
        costs_of(tiny_decoder().translate(SENTENCE)), **TOLERANCE
    )


def test_further_language_models_are_features_by_their_number(folder):
    (folder / "lm2.arpa").write_text(SECOND_ARPA, encoding="utf-8")
    write_weights(folder / "weights.tsv", TWO_WEIGHTS)
    decoder = Decoder.load(folder)
    assert list(decoder.language_models) == ["LM", "LM2"]
    (folder / "lm3.arpa").write_text(SECOND_ARPA, encoding="utf-8")
    with pytest.raises(GrammarError, match="LM3"):
        Decoder.load(folder)


def test_weights_are_read_as_they_were_written(tmp_path):
    write_weights(tmp_path / "w.tsv", {"A": 0.1, "B": -1e-7, "C": 3.0})
    assert read_weights(tmp_path / "w.tsv") == {"A": 0.1, "B": -1e-7, "C": 3.0}


def test_settings_come_from_the_directory(folder):
    values = {"max_span": 4, "skeleton": {"hypotheses": 7, "loops": "rho"}, "cubes": {"max_arcs": 9}}
    (folder / "settings.json").write_text(json.dumps(values), encoding="utf-8")
    settings = Decoder.load(folder).settings
    assert (settings.max_span, settings.skeleton.hypotheses, settings.skeleton.loops) == (4, 7, "rho")
    assert settings.cubes.max_arcs == 9


@pytest.mark.parametrize(
    "values", [{"bean": 8}, {"skeleton": {"hypothesis": 3}}, {"cubes": {"max-arcs": 1}}, {"skeleton": {"top": "X"}}]
)
def test_unknown_settings_are_refused_with_the_known_ones(folder, values):
    (folder / "settings.json").write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(LatticeSimpError, match=r"unknown settings .*; known are "):
        Decoder.load(folder)


def test_settings_that_are_no_json_name_the_file(folder):
    (folder / "settings.json").write_text('{"beam": 8', encoding="utf-8")
    with pytest.raises(FormatError, match=r"settings\.json") as caught:
        Decoder.load(folder)
    assert str(caught.value.path).endswith("settings.json")


@pytest.mark.parametrize(
    "text", ["[1, 2]", "3", '"beam"', "null", '{"skeleton": 3}', '{"skeleton": null}', '{"cubes": [1]}']
)
def test_settings_of_another_shape_are_refused(folder, text):
    (folder / "settings.json").write_text(text, encoding="utf-8")
    with pytest.raises(LatticeSimpError):
        Decoder.load(folder)


@pytest.mark.parametrize(
    ("remove", "message"), [("rules", "rule table"), ("lm.arpa", "language model"), ("weights.tsv", "weights.tsv")]
)
def test_a_missing_file_is_named(folder, remove, message):
    (folder / remove).unlink()
    with pytest.raises(FormatError, match=message) as caught:
        Decoder.load(folder)
    assert str(folder) in str(caught.value)


def test_two_rule_tables_are_one_too_many(folder):
    (folder / "rules.old").write_text("", encoding="utf-8")
    with pytest.raises(FormatError, match=r"found rules, rules\.old"):
        Decoder.load(folder)


def test_a_file_is_no_model_directory(folder):
    for path in (folder / "rules", folder / "nowhere"):
        with pytest.raises(FormatError, match="directory"):
            Decoder.load(path)


def test_weights_need_no_header(folder):
    lines = (folder / "weights.tsv").read_text(encoding="utf-8").splitlines()
    (folder / "weights.tsv").write_text("\n".join(lines[1:]) + "\n", encoding="utf-8")
    assert read_weights(folder / "weights.tsv") == WEIGHTS
    assert Decoder.load(folder).weights == WEIGHTS


def test_a_first_line_that_is_neither_header_nor_weight_is_refused(folder):
    (folder / "weights.tsv").write_text("EF\tmuch\nLM\t1\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"weights\.tsv:1:"):
        read_weights(folder / "weights.tsv")


def test_weights_of_unknown_features_are_refused_with_the_known_ones(folder):
    write_weights(folder / "weights.tsv", {**WEIGHTS, "WordPenalti": 1.0, "Skeleton": 0.5})
    known = "EF, FE, Rare, LM, WordPenalty, Glue, OOV, Skeleton, Edits"
    with pytest.raises(
        FormatError, match=rf"weights\.tsv: WordPenalti: not a feature of this model .known are {known}"
    ):
        Decoder.load(folder)


@pytest.mark.parametrize("weight", [-0.5, float("-1e-9")])
def test_negative_weights_of_language_models_are_refused_at_once(folder, weight):
    write_weights(folder / "weights.tsv", {**WEIGHTS, "LM": weight})
    with pytest.raises(GrammarError, match=r"weights\.tsv: weights of language models .* LM has -"):
        Decoder.load(folder)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"max_span": "ten"}, "max_span is 'ten'; give a whole number"),
        ({"max_span": 3.5}, "max_span is 3.5; give a whole number"),
        ({"max_span": True}, "max_span is True; give a whole number"),
        ({"beam": None}, "beam is None; give a number"),
        ({"beam": [8]}, r"beam is \[8\]; give a number"),
        ({"top": 1}, "top is 1; give a string"),
        ({"engine": "fast"}, "engine is 'fast'; give 'arrays' or 'openfst'"),
        ({"cubes": {"beam": "wide"}}, "cubes.beam is 'wide'; give a number"),
        ({"cubes": {"pops": 0}}, "cubes: pops is 0; give a finite number from 1 up"),
        ({"skeleton": {"loops": "phi"}}, "skeleton.loops is 'phi'; give 'sigma' or 'rho'"),
        ({"skeleton": {"edits": {"stem_of": "x"}}}, "skeleton.edits.stem_of is 'x'; give a function"),
        ({"skeleton": {"edits": {"stem": -1}}}, "skeleton.edits: the stem cost is -1.0; give a number"),
        ({"skeleton": {"weight": -1}}, "skeleton: the skeleton weight is -1"),
        ({"mbr": {"scale": "1"}}, "mbr.scale is '1'; give a number"),
        ({"mbr": {"max_arcs": 0}}, "mbr: max_arcs is 0; give a number from 1 up"),
        ({"mbr": 3}, "mbr: names with values are needed, not 3"),
        ({"mbr": {"skale": 1}}, "unknown settings mbr.skale; known are"),
    ],
)
def test_settings_are_checked_when_they_are_loaded(folder, values, message):
    (folder / "settings.json").write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(FormatError, match=rf"settings\.json: {message}"):
        Decoder.load(folder)


def test_settings_may_be_whole_numbers_and_null(folder):
    (folder / "settings.json").write_text('{"beam": 8, "mbr": {"beam": null, "max_arcs": null}}', encoding="utf-8")
    settings = Decoder.load(folder).with_settings({"max_span": np.int64(3), "beam": np.float32(2)}).settings
    assert (settings.max_span, settings.beam, settings.mbr.max_arcs) == (3, 2, None)


@pytest.mark.parametrize("line", ["LM 0.5", "LM\tmuch", "LM\tnan", "LM\tinf", "EF\t2.0", "LM"])
def test_a_broken_weight_names_its_line(folder, line):
    (folder / "weights.tsv").write_text(f"feature\tweight\nEF\t1.0\n\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"weights\.tsv:4:") as caught:
        Decoder.load(folder)
    assert caught.value.line == 4


def test_a_broken_rule_names_its_line(folder):
    (folder / "rules").write_text(RULES[0] + "\n[X] ||| a [X,1] ||| u ||| EF=1\n", encoding="utf-8")
    with pytest.raises(FormatError, match="rules:2:"):
        Decoder.load(folder)


def test_a_broken_language_model_names_its_file(folder):
    (folder / "lm.arpa").write_text(ARPA.replace("ngram 2=10", "ngram 2=8"), encoding="utf-8")
    with pytest.raises(FormatError, match=r"lm\.arpa"):
        Decoder.load(folder)

"""Weights of the features of a skeleton's translations, against brute force over a model written by hand."""

from __future__ import annotations

import math

import pytest
from helpers import best_by_string
from tiny_decoder import (
    WEIGHTS,
    assert_features_explain_costs,
    expected_gappy,
    expected_plain,
    tiny_decoder,
)

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import GrammarError, LatticeSimpError, SkeletonError
from lattice_simp.ops.compose_gappy import EditCosts, compose_gappy
from lattice_simp.ops.gappy_acceptor import gappy_acceptor
from lattice_simp.ops.nbest import nbest
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import write_weights
from lattice_simp.translate.skeleton_scores import SkeletonScores, with_feature_weights

TOLERANCE = {"rel": 1e-6, "abs": 1e-5}
SENTENCE, MASK = "ich habe das alte haus gesehen", "111011"
KEPT = "ich habe das haus gesehen"
VECTOR = {"Skeleton:EF": 0.3, "Skeleton:LM": -0.2, "Skeleton:Glue": 0.7, "Skeleton:WordPenalty": 0.4}
TOLERANT = EditCosts(deletion=2.0, substitution=1.5, stem=math.inf)


def vector_decoder(weights=None, **skeleton):
    return tiny_decoder(weights={**WEIGHTS, **(VECTOR if weights is None else weights)}, **skeleton)


def scored_by_hand(count, scalar):
    """Returns (string, cost) of the skeleton's n best under the decoder's weights, with the vector's costs."""
    plain = tiny_decoder().translate(KEPT)
    paths = plain.nbest(count)
    features = [plain.features(path) for path in paths]
    return [
        (
            path.text,
            scalar * path.cost
            - sum(weight * values[name.removeprefix("Skeleton:")] for name, weight in VECTOR.items()),
        )
        for path, values in zip(paths, features, strict=True)
    ]


@pytest.mark.parametrize("count", [1, 3, 1000])
@pytest.mark.parametrize("scalar", [0.0, 0.5])
def test_gappy_is_full_times_hypotheses_that_cost_what_their_features_say(count, scalar):
    decoder = vector_decoder(hypotheses=count, weight=scalar)
    translation = decoder.translate(SENTENCE, MASK)
    expected = scored_by_hand(count, scalar)
    assert sorted((entry.text, entry.cost) for entry in translation.skeleton_hypotheses) == [
        (text, pytest.approx(cost, **TOLERANCE)) for text, cost in sorted(expected)
    ]
    joint = expected_gappy(expected_plain(decoder, SENTENCE.split()), expected, 1.0)
    assert translation.reachable == bool(joint)
    if joint:
        assert best_by_string(translation.lattice) == pytest.approx(joint, **TOLERANCE)


@pytest.mark.parametrize("strategy", ["gappy", "skeleton-first"])
@pytest.mark.parametrize("options", [{}, {"gaps": "at-gaps"}, {"edits": TOLERANT}, {"loops": "rho"}])
def test_weights_times_features_are_minus_the_cost_of_every_path(strategy, options):
    decoder = vector_decoder(weight=0.25, **options)
    translation = decoder.translate(SENTENCE, MASK, strategy=strategy)
    paths = translation.nbest(50)
    assert translation.reachable
    assert all(set(VECTOR) <= set(translation.features(path)) for path in paths)
    assert_features_explain_costs(decoder, translation, paths)


def test_weights_of_0_change_no_cost():
    plain, zeros = tiny_decoder(), vector_decoder(dict.fromkeys(VECTOR, 0.0))
    first, second = (decoder.translate(SENTENCE, MASK) for decoder in (plain, zeros))
    assert best_by_string(first.lattice) == pytest.approx(best_by_string(second.lattice), **TOLERANCE)
    best = second.best
    assert second.features(best)["Skeleton"] == pytest.approx(first.features(first.best)["Skeleton"])


def test_two_skeletons_keep_the_features_of_the_cheaper_derivation():
    decoder = vector_decoder()
    translation = decoder.translate(SENTENCE, skeletons(MASK, "111111", "110011"))
    assert_features_explain_costs(decoder, translation, translation.nbest(50))


def skeletons(*masks):
    return [Skeleton.from_mask(mask, SENTENCE.split()) for mask in masks]


@pytest.mark.parametrize("aggregation", ["sum", "expected"])
def test_aggregations_without_features_refuse_their_weights(aggregation):
    decoder = vector_decoder(aggregation=aggregation)
    with pytest.raises(
        SkeletonError, match=f"Skeleton:LM.* have no effect with the aggregation {aggregation}; take max"
    ):
        decoder.translate(SENTENCE, skeletons(MASK, "110011"))


def test_the_reference_engine_refuses_weights_of_features():
    decoder = vector_decoder().with_settings({"engine": "openfst"})
    with pytest.raises(LatticeSimpError, match=r"have no effect with the engine openfst; take arrays"):
        decoder.translate(SENTENCE, MASK)


def test_hypotheses_from_elsewhere_bring_their_own_features():
    decoder = tiny_decoder(weights={**WEIGHTS, "Skeleton:neural": 2.0}, weight=1.0)
    hypotheses = [Hypothesis(("the", "house"), 0.5, {"neural": -1.0}), Hypothesis(("house",), 0.0, {"neural": -4.0})]
    translation = decoder.translate("das haus", skeleton_hypotheses=hypotheses)
    assert [entry.cost for entry in translation.skeleton_hypotheses] == [2.5, 8.0]
    assert translation.features(translation.best)["Skeleton:neural"] == -1.0
    with pytest.raises(SkeletonError, match=r"'house' has no feature 'neural', .* Skeleton:neural; its features are x"):
        decoder.translate("das haus", skeleton_hypotheses=[Hypothesis(("house",), 0.0, {"x": 1.0})])


def test_a_model_directory_may_have_them(tmp_path):
    write_weights(tmp_path / "weights.tsv", {**WEIGHTS, **VECTOR})
    (tmp_path / "rules").write_text("[X] ||| haus ||| house ||| EF=-1 FE=-1 Rare=0\n")
    (tmp_path / "lm.arpa").write_text(LITTLE_MODEL)
    assert Decoder.load(tmp_path).skeleton_scores.features["LM"] == -0.2


LITTLE_MODEL = """\
\\data\\
ngram 1=3

\\1-grams:
-1 <unk>
-1 <s>
-1 </s>

\\end\\
"""


def test_the_names_of_rule_features_are_no_names_of_a_skeleton_s():
    with pytest.raises(GrammarError, match=r"^Skeleton:LM: features of the rules"):
        tiny_decoder(["[X] ||| haus ||| house ||| Skeleton:LM=-1"], weights={**WEIGHTS, "Skeleton:LM": 1.0})


def test_every_feature_gets_a_weight_to_begin_with():
    weights = with_feature_weights({"LM": 1.0, "EF": 0.2, "Skeleton": 0.5, "Edits": 1.0, "Skeleton:EF": 0.3})
    assert weights == {"LM": 1.0, "EF": 0.2, "Skeleton": 0.5, "Edits": 1.0, "Skeleton:EF": 0.3, "Skeleton:LM": 0.0}


def test_hypotheses_are_ranked_anew():
    scores = SkeletonScores(1.0, {"x": 1.0})
    entries = [Hypothesis(("a",), 1.0, {"x": -5.0}), Hypothesis(("b",), 2.0, {"x": -1.0})]
    assert [(entry.text, entry.cost) for entry in scores.ranked(entries)] == [("b", 3.0), ("a", 6.0)]
    assert SkeletonScores(1.0, {}).ranked(entries) == tuple(entries)


def test_an_acceptor_keeps_the_features_of_the_cheapest_of_equal_strings():
    full = Lattice.from_strings([("a b", 1.0), ("c b", 1.5)])
    entries = [
        Hypothesis(("a",), 2.0, {"x": 1.0}),
        Hypothesis(("a",), 1.0, {"x": 2.0}),
        Hypothesis(("c",), 1.0, {"x": 3.0}),
    ]
    joint = compose_gappy(full, gappy_acceptor(entries, features=["x"]))
    assert [(path.text, path.features["x"]) for path in nbest(joint, 5)] == [("a b", 2.0), ("c b", 3.0)]
    assert "Skeleton" not in joint.features


def test_acceptors_refuse_features_that_are_not_there():
    with pytest.raises(LatticeSimpError, match="hypothesis 2 has no feature 'x'"):
        gappy_acceptor([Hypothesis(("a",), 1.0, {"x": 1.0}), Hypothesis(("b",))], features=["x"])
    with pytest.raises(LatticeSimpError, match="hypothesis 1 has no feature 'x'"):
        gappy_acceptor([("a", 1.0)], features=["x"])
    with pytest.raises(LatticeSimpError, match=r"pass nbest\(lattice, n\)"):
        gappy_acceptor(Lattice.from_strings(["a"]), features=["x"])
    named = Lattice.from_strings(["a"]).with_feature("x", [0.0])
    acceptor = gappy_acceptor([Hypothesis(("a",), 1.0, {"x": 1.0})], features=["x"])
    with pytest.raises(LatticeSimpError, match="a feature 'x' already"):
        compose_gappy(named, acceptor)

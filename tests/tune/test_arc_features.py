"""The features on the arcs of a decoder's lattice explain its costs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tiny_decoder import WEIGHTS, expected_plain, tiny_decoder

from lattice_simp import EditCosts
from lattice_simp.ops.prune import prune
from lattice_simp.translate.path_features import path_features
from lattice_simp.tune.arc_features import feature_lattice
from lattice_simp.tune.scores import best_hypothesis, lattice_under

SENTENCE, MASK = "ich habe das alte haus gestern gesehen", "1110111"
CASES = [
    ("plain", {}),
    ("gappy", {}),
    ("gappy", {"edits": EditCosts(1.5, 2.5)}),
    ("skeleton-first", {}),
    ("plain", {"models": (("LM", "first"), ("LM2", "second"))}),
]


def all_weights(decoder):
    return {**decoder.weights, "Skeleton": decoder.settings.skeleton.weight, "Edits": 1.0}


@pytest.mark.parametrize(("strategy", "changes"), CASES)
def test_the_best_path_under_the_model_weights_is_the_decoders(strategy, changes, two_models):
    if "models" in changes:
        changes = {"models": two_models, "weights": {**WEIGHTS, "LM2": 0.4}}
    decoder = tiny_decoder(**changes)
    result = decoder.translate(SENTENCE, None if strategy == "plain" else MASK, strategy=strategy)
    lattice = feature_lattice(result)
    weights = {name: all_weights(decoder).get(name, 0.0) for name in lattice.features}
    words, cost = best_hypothesis(lattice, weights)
    assert cost == pytest.approx(result.best.cost, rel=1e-5, abs=1e-5)
    assert tuple(lattice.symbols.decode(words)) == result.best.tokens


@pytest.mark.parametrize("strategy", ["plain", "gappy", "skeleton-first"])
def test_every_path_has_the_features_of_the_translation(strategy):
    decoder = tiny_decoder()
    result = decoder.translate(SENTENCE, None if strategy == "plain" else MASK, strategy=strategy)
    for path in result.nbest(40):
        expected = result.features(path)
        # Only this path's words are left in a lattice pruned around it: the arcs of the path itself.
        actual = result.lattice.connected()
        matrix = feature_lattice(replace(result, lattice=actual))
        named = matrix.features.of_path(path.arcs, matrix.nextstates[path.arcs[-1]])
        assert named == pytest.approx(expected, abs=1e-4)


def test_a_pruned_lattice_keeps_its_features():
    result = tiny_decoder().translate(SENTENCE)
    pruned = replace(result, lattice=prune(result.lattice, max_arcs=8))
    lattice = feature_lattice(pruned)
    assert lattice.num_arcs <= 8
    assert best_hypothesis(lattice, dict.fromkeys(lattice.features, 0.0) | WEIGHTS)[1] == pytest.approx(
        result.best.cost
    )


@pytest.fixture
def two_models():
    from tiny_decoder import ARPA, SECOND_ARPA

    return (("LM", ARPA), ("LM2", SECOND_ARPA))


def test_an_exact_nbest_list_has_the_features_that_its_costs_are_made_of():
    decoder = tiny_decoder()
    lattice, paths = decoder.exact_nbest(SENTENCE.split(), 30)
    expected_costs = expected_plain(decoder, SENTENCE.split())
    assert [path.cost for path in paths] == pytest.approx(sorted(expected_costs.values())[:30], abs=1e-4)
    assert [path.cost for path in paths] == pytest.approx([expected_costs[path.tokens] for path in paths], abs=1e-4)
    matrix, names = path_features(lattice, paths, decoder.grammar)
    weights = [all_weights(decoder).get(name, 0.0) for name in names]
    assert (-matrix @ weights).tolist() == pytest.approx([path.cost for path in paths])
    plain = decoder.translate(SENTENCE)
    expected = {path.tokens: plain.features(path) for path in plain.nbest(5)}
    for path, row in zip(paths[:5], matrix[:5].tolist(), strict=True):
        assert dict(zip(names, row, strict=True)) == pytest.approx(expected[path.tokens])


@pytest.mark.parametrize("strategy", ["plain", "gappy"])
def test_a_feature_lattice_under_the_models_weights_is_the_decoders_lattice(strategy):
    decoder = tiny_decoder()
    result = decoder.translate(SENTENCE, None if strategy == "plain" else MASK, strategy=strategy)
    features = feature_lattice(result)
    lattice = lattice_under(features, all_weights(decoder))
    assert lattice.num_arcs == features.num_arcs
    again = replace(result, lattice=lattice)
    expected, hypotheses = result.nbest(40), again.nbest(40)
    assert [path.tokens for path in hypotheses] == [path.tokens for path in expected]
    assert [path.cost for path in hypotheses] == pytest.approx([path.cost for path in expected], abs=1e-4)
    weights = all_weights(decoder)
    totals = [sum(weights.get(name, 0.0) * value for name, value in path.features.items()) for path in hypotheses]
    assert [-total for total in totals] == pytest.approx([path.cost for path in hypotheses], abs=1e-4)

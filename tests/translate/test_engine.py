"""Decoding with OpenFst, the reference implementation, against the kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers import best_by_string
from tiny_decoder import pairs, tiny_decoder

from lattice_simp import EditCosts, LatticeSimpError

SENTENCES = [("das alte haus gestern", "1101"), ("ich habe das haus gesehen", "11001"), ("haus zz", "10")]
SETTINGS = [{}, {"loops": "rho"}, {"edits": EditCosts(2.0, 1.5)}, {"hypotheses": 3}]


def both(**skeleton):
    arrays = tiny_decoder(beam=6.0, full_beam=20.0, **skeleton)
    return arrays, replace(arrays, settings=replace(arrays.settings, engine="openfst"))


def costs(translation):
    return {words: cost for words, cost in best_by_string(translation.lattice).items() if cost < worst(translation)}


def worst(translation):
    """Returns the cost just inside the beam, since rounding decides on paths at its border."""
    return translation.best.cost + 6.0 - 1e-3


@pytest.mark.parametrize("strategy", ["plain", "gappy"])
@pytest.mark.parametrize("skeleton", SETTINGS, ids=["sigma", "rho", "edits", "few"])
def test_both_engines_find_the_same_translations_at_the_same_costs(strategy, skeleton):
    arrays, openfst = both(**skeleton)
    for sentence, mask in SENTENCES:
        result = None if strategy == "plain" else mask
        expected = arrays.translate(sentence, result, strategy=strategy)
        actual = openfst.translate(sentence, result, strategy=strategy)
        assert costs(actual) == pytest.approx(costs(expected), abs=1e-4), sentence
        assert actual.reachable == expected.reachable, sentence
        assert dict(pairs(actual)) == pytest.approx(dict(pairs(expected)), abs=1e-4), sentence
        assert actual.features(actual.best) == {}, sentence


def test_what_needs_derivations_is_refused():
    _, openfst = both()
    with pytest.raises(LatticeSimpError, match="use the engine arrays"):
        openfst.translate("das haus", "10", strategy="skeleton-first")
    _, at_gaps = both(gaps="at-gaps")
    with pytest.raises(LatticeSimpError, match="use the engine arrays"):
        at_gaps.translate("das haus", "10")
    translation = openfst.translate("das haus")
    with pytest.raises(LatticeSimpError, match="keeps no derivations"):
        translation.derivation(translation.best)


def test_an_unknown_engine_is_refused():
    with pytest.raises(LatticeSimpError, match="engine is 'foma'; give 'arrays' or 'openfst'"):
        tiny_decoder().with_settings({"engine": "foma"})

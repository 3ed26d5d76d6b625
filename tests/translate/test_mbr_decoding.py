"""Minimum Bayes risk as a decoder's setting: it decides, and its paths still tell rules and features."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_decoder import assert_derivations_spell, assert_features_explain_costs, tiny_decoder

from lattice_simp import nbest
from lattice_simp.commands.inputs.sentences import Sentence
from lattice_simp.commands.runs.translate_worker import TranslateOptions, translate_sentence
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.mbr import MbrSettings, mbr
from lattice_simp.translate.search.exact.limits import ExactSearch, GapBound
from lattice_simp.translate.settings import DecoderSettings

SENTENCE, MASK = "ich habe das alte haus gesehen", "111011"
MBR = MbrSettings(scale=0.3, precision=0.5, ratio=0.5)


def with_mbr(decoder, mbr=MBR):
    return replace(decoder, settings=replace(decoder.settings, mbr=mbr))


@pytest.mark.parametrize("strategy", ["plain", "gappy", "skeleton-first"])
def test_paths_of_the_gain_lattice_tell_their_rules_and_their_model_cost(strategy):
    decoder = tiny_decoder()
    usual = decoder.translate(SENTENCE, MASK, strategy=strategy)
    result = with_mbr(decoder).translate(SENTENCE, MASK, strategy=strategy)
    assert result.lattice.num_arcs == usual.lattice.num_arcs
    costs = {path.text: path.cost for path in usual.nbest(10_000)}
    paths = result.nbest(10_000)
    assert {path.text for path in paths} == costs.keys()
    assert_derivations_spell(decoder, result, paths)
    # Each string has its best derivation: its features explain the least cost of the string.
    by_model_cost = [replace(path, cost=costs[path.text]) for path in paths]
    assert_features_explain_costs(decoder, result, by_model_cost)


def test_the_gain_decides():
    decoder = tiny_decoder()
    usual = decoder.translate(SENTENCE)
    result = with_mbr(decoder).translate(SENTENCE)
    expected = nbest(mbr(usual.lattice, MBR), 20)
    assert [path.text for path in result.nbest(20)] == [path.text for path in expected]
    assert result.best.text == "i have the old house seen"
    assert usual.best.text == "i saw the home"
    assert usual.mbr is None


def test_costs_and_gaps_that_are_reported_are_those_of_the_string_that_is_printed():
    decoder = tiny_decoder()
    usual = {path.text: path.cost for path in decoder.translate(SENTENCE).nbest(10_000)}
    decoding = replace(decoder, settings=replace(decoder.settings, mbr=MBR, optimality_gap=GapBound()))
    result = decoding.translate(SENTENCE)
    assert [result.cost(path) for path in result.nbest(30)] == pytest.approx(
        [usual[path.text] for path in result.nbest(30)]
    )
    record = translate_sentence(decoding, TranslateOptions(Path()), (0, Sentence(tuple(SENTENCE.split()))))
    assert record["line"] == "i have the old house seen"
    assert record["cost"] == pytest.approx(usual[record["line"]])
    assert record["optimality_gap"] == pytest.approx(
        result.optimality_gap + usual[record["line"]] - min(usual.values())
    )
    assert record["optimality_gap"] > 0.1


def test_an_exact_search_for_one_translation_leaves_no_choice():
    with pytest.raises(LatticeSimpError, match="among which MBR cannot choose"):
        DecoderSettings(exact=ExactSearch(), mbr=MBR)
    assert DecoderSettings(exact=ExactSearch(beam=3.0), mbr=MBR).mbr == MBR


def test_settings_come_from_a_mapping():
    text = json.dumps({"mbr": {"scale": 0.3, "precision": 0.5, "ratio": 0.5}})
    assert DecoderSettings.from_mapping(json.loads(text)).mbr == MBR
    assert DecoderSettings.from_mapping({"mbr": {}}).mbr == MbrSettings()
    assert DecoderSettings.from_mapping({"mbr": None}).mbr is None
    assert DecoderSettings.from_mapping({}).mbr is None
    with pytest.raises(LatticeSimpError, match=r"unknown settings mbr\.theta"):
        DecoderSettings.from_mapping({"mbr": {"theta": 1}})

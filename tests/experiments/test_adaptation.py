"""The experiment on several corpora: separate halves, settings, costs, and a run on a toy pair."""

from __future__ import annotations

import pytest
from train.toy import toy_results, write_toy_experiment

from experiments.adaptation import __main__ as program
from experiments.adaptation.__main__ import config_of, other_half, write_texts
from experiments.halving import summed_costs
from lattice_simp.support.textio import read_lines

SETTINGS = {
    "pairs": {"toy": 150, "more": 60},
    "development": {"name": "dev", "source": "dev.fr", "references": ["dev.en"]},
    "tuned": 4,
    "translated": 5,
    "systems": {
        "plain": [],
        "mixed": ["language_model.mix_for={references}"],
        "provenance": ["rules.provenance=true"],
        "ratio": ["tune.length_ratio=1"],
    },
    "baseline": "plain",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adaptation")
    settings = write_toy_experiment(folder, SETTINGS, ("more",), clean={"duplicates": True})
    write_texts(settings, folder, folder / "work")
    return folder


def lines(path):
    return list(read_lines(path))


def test_corpora_are_cut_and_the_development_set_is_halved(folder):
    work = folder / "work"
    assert lines(work / "toy.source") == lines(folder / "train.fr")[:150]
    assert lines(work / "more.target") == lines(folder / "train.en")[:60]
    whole = lines(folder / "dev.en")
    assert lines(work / "half0.reference") == whole[0::2]
    assert lines(work / "half1.reference") == whole[1::2]
    assert lines(work / "half1.source") == lines(folder / "dev.fr")[1::2]


def test_nothing_of_a_half_is_mixed_or_tuned_for_its_own_translation(folder):
    for half in (0, 1):
        changes = SETTINGS["systems"]["mixed"]
        config = config_of(SETTINGS, folder, folder / "work", "mixed", changes, half)
        test = other_half(SETTINGS, folder / "work", half)
        development = config.tune.development
        assert config.language_model.mix_for == development.references[0] == folder / "work" / f"half{half}.reference"
        assert (development.source.name, test.source.name) == (f"half{half}.source", f"half{1 - half}.source")
        assert test.references[0].name == f"half{1 - half}.reference"
        assert (development.lines, test.lines) == (4, 5)
        assert {path.name for path in config.rules.only_for} == {"half0.source", "half1.source"}
        assert config.model_folder.name == f"mixed.{half}"


def test_costs_of_stages_of_a_name_are_added():
    costs = {"seconds": 1.5, "cpu_seconds": 2.0, "peak_mb": 7}
    records = {"tune.a": costs, "tune.b": {**costs, "peak_mb": 5}, "align.c": costs}
    assert summed_costs(records) == {"tune": {"seconds": 3.0, "cpu_seconds": 4.0, "peak_mb": 7}, "align": costs}


@pytest.mark.slow
@pytest.mark.usefixtures("lmplz")
def test_the_experiment_on_a_toy_pair(folder, capsys):
    figures, page = toy_results(program.main, folder, capsys)
    assert figures["sentences"] == 10
    systems = figures["systems"]
    assert list(systems) == list(SETTINGS["systems"])
    assert systems["plain"]["scores"]["BLEU-tok"]["gain"] is None
    for half in systems["mixed"]["halves"]:
        assert half["mixture"].keys() == {"toy", "more"}
        assert half["perplexities"][1] <= half["perplexities"][0]
    assert systems["provenance"]["halves"][0]["provenance"].keys() == {"From-toy", "From-more"}
    assert systems["ratio"]["halves"][1]["tune"]["length_ratio"] > 0
    assert not systems["plain"]["halves"][0]["mixture"]
    assert "10 sentences of the development set" in page

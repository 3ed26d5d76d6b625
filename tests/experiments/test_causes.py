"""What makes the difference between the paper's way and the study's: halves, folds, failures and a toy run."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
import yaml
from toy_study import DECODER, NEWS, ToyStudy, write_skeletons
from train.toy import toy_config, write_toy_data

from experiments.causes import __main__ as program
from experiments.causes.__main__ import Fold, _swapped, failure_figures, study_of
from experiments.study.translating import read_outputs
from lattice_simp.pipeline.stage import Run
from lattice_simp.skeleton import read_skeletons
from lattice_simp.support.textio import read_lines
from lattice_simp.translate.model_files import WEIGHTS, write_weights

PROTOCOL = {
    "systems": ["plain", "gc-strong", "gc-strong-paper", "gc-strong-vector"],
    "rescored": ["plain", "gc-strong"],
    "skeleton": "hand-long",
    "hypotheses": 10,
    "rescored_hypotheses": 5,
    "tuning_hypotheses": 10,
    "tuning_rounds": 1,
    "scorers": ["bilingual", "model1"],
    "automatic": [],
    "variants": ["n=1", "rho"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the experiment, beside that of a study."""
    folder = tmp_path_factory.mktemp("causes")
    data = write_toy_data(folder)
    for name in ("dev", "test"):
        write_skeletons(data, name, 1)
    values = toy_config(data, folder / "unused")
    values["tune"]["development"]["skeletons"] = "dev.1.jsonl"
    values["test"][0]["skeletons"] = "test.1.jsonl"
    (folder / "study").mkdir()
    for name, content in (("config", values), ("protocol", {"automatic": [], "test_sets": {"test": "seen"}})):
        (folder / "study" / f"{name}.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    settings = {
        "study": str(folder / "study"),
        "data": str(data),
        "work": str(folder / "work"),
        "sentences": 6,
        "protocol": PROTOCOL,
        "sizes": {"all pairs": 1},
        "baseline": "plain",
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    return folder


def settings_of(folder):
    return yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))


def test_the_halves_are_of_the_development_set_alone(folder):
    study, config = study_of(settings_of(folder), 1)
    halves = [config.tune.development, *config.test]
    lines = [[record.line for record in read_skeletons(half.skeletons)] for half in halves]
    whole = [record.line for record in read_skeletons(folder / "dev.1.jsonl")]
    assert lines == [[whole[place * len(whole) // 6] for place in range(half, 6, 2)] for half in (0, 1)]
    assert {half.source.name for half in halves} == {"dev.fr"}
    assert config.rules.only_for == tuple(half.skeletons for half in halves)
    assert study.test_sets == {"half1": "seen"}


def test_every_so_manieth_pair_is_trained_on(folder):
    _, whole = study_of(settings_of(folder), 1)
    _, thinned = study_of(settings_of(folder), 7)
    assert thinned.work != whole.work
    for before, after in zip(whole.corpora, thinned.corpora, strict=True):
        for side in ("source", "target"):
            lines = list(read_lines(whole.path(getattr(before, side))))
            assert list(read_lines(thinned.path(getattr(after, side)))) == lines[::7]


def test_the_other_fold_has_the_same_spaces_under_other_names(tmp_path):
    spaces, other = tmp_path / "spaces", tmp_path / "other"
    spaces.mkdir()
    for name in ("development.000000", "development.000001", "half1.000000"):
        (spaces / f"{name}.arrays").write_text(name, encoding="utf-8")
    _swapped(("half0", "half1")).work(Run(folders={"spaces": spaces}), other)
    contents = {path.name: path.read_text(encoding="utf-8") for path in other.iterdir()}
    assert contents == {
        "half0.000000.arrays": "development.000000",
        "half0.000001.arrays": "development.000001",
        "development.000000.arrays": "half1.000000",
    }


def test_sentences_that_fail_are_counted_apart(tmp_path):
    toy = ToyStudy(tmp_path)
    toy.tuned("gc-strong")
    toy.translated("gc-strong")
    folders = {**toy.folders, "tune": toy.made("again")}
    write_weights(folders["tune"] / WEIGHTS, DECODER)
    fold = Fold(SimpleNamespace(folders=folders), NEWS, toy.sentences[NEWS])
    outputs = read_outputs(folders["translated-gc-strong"] / f"{NEWS}.jsonl")
    assert [output.reachable for output in outputs] == [True, True, True, None, True]
    figures = failure_figures(toy.study, [fold], "gc-strong")
    assert figures["failed"] == {"sentences": 0, "missing_word": 0}
    assert (figures["reached"]["sentences"], figures["reached"]["words"]) == (4, 6.0)
    assert figures["reached"]["missing_word"] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("lmplz")
def test_the_experiment_on_a_toy_pair(folder, capsys):
    program.main([str(folder), "--output", str(folder)])
    figures = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    size = figures["sizes"]["all pairs"]
    assert size["sentences"] == 6
    systems = ["plain", "gc-strong", "gc-strong-paper", "gc-strong-vector"]
    assert set(size["rows"]) == {*systems, "gc-strong, n=1", "gc-strong, rho"}
    assert size["rows"]["plain"]["failed"] is None
    assert all(row["failed"] is not None for name, row in size["rows"].items() if name != "plain")
    assert size["failures"]["failed"]["sentences"] + size["failures"]["reached"]["sentences"] == 6
    assert {"tune", "spaces", "weights-gc-strong-vector", "variants"} <= set(figures["stages"])
    assert "6 sentences of the development set" in capsys.readouterr().out

"""The experiment on search errors: on a toy pair from training to the page, and its measures."""

from __future__ import annotations

import json

import pytest
import yaml
from train.toy import toy_config, write_toy_data

from experiments.report import bleu_scores
from experiments.search import __main__ as program
from experiments.search import decoding
from experiments.search.__main__ import losses
from experiments.search.decoding import System, decoded
from lattice_simp.metrics import Lines
from lattice_simp.pipeline.stage import Run
from lattice_simp.text.tokeniser import Tokeniser


def record(number, cost, gap=None, line="a"):
    return {"number": number, "line": line, "cost": cost, "gap": gap, "cpu_seconds": 0.5}


def test_losses_are_those_of_the_sentences_that_are_certain():
    exact = [record(0, 1.0, 0.0), record(1, 2.0, 0.0), record(2, 3.0, 1.5), record(3, 4.0, 0.0)]
    pruned = [record(0, 1.0), record(1, 2.5, 0.75, "b"), record(2, 9.0, 0.25), record(3, 4.00001)]
    row = losses(pruned, exact, 1e-4)
    assert (row["certified"], row["undercut"], row["reported_certain"], row["different"]) == (3, 0, 0, 1)
    assert row["errors"] == pytest.approx(1 / 3, abs=1e-4)
    assert (row["mean_loss"], row["largest_loss"]) == (pytest.approx(0.5 / 3, abs=1e-4), 0.5)
    assert (row["cost"], row["reported_gap"], row["cpu_seconds"]) == (pytest.approx(16.5), 0.5, 0.5)
    assert losses([record(0, 0.5), *pruned[1:]], exact, 1e-4)["undercut"] == 1
    assert losses(exact, exact, 1e-4)["reported_certain"] == 3


def test_quality_is_compared_with_the_exact_search():
    right = [f"w{number} is here today ." for number in range(20)]
    wrong = [f"v{number} is there today ." if number < 3 else line for number, line in enumerate(right)]
    result = bleu_scores({"quick": wrong, "exact": right}, Lines(right, right), "exact", Tokeniser("en"))
    for metric, value in result["quick"].items():
        assert value["gain"] == pytest.approx(value["value"] - 100.0, abs=1e-3), metric
        assert value["gain"] < 0 < value["p"] <= 1
        assert result["exact"][metric]["gain"] is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An experiment on a toy pair."""
    folder = tmp_path_factory.mktemp("search")
    write_toy_data(folder)
    sets = {name: {"name": name, "source": f"{name}.fr", "references": [f"{name}.en"]} for name in ("dev", "test")}
    values = {
        "data": str(folder),
        "work": str(folder / "work"),
        "development": {**sets["dev"], "lines": 5},
        "tests": [sets["test"]],
        "systems": {
            "pops 1": {"grammar": "full", "settings": {"beam": 0.0, "cubes": {"pops": 1}}},
            "exact": {"grammar": "full", "settings": {"beam": 0.0, "exact": {}}},
            "shallow-1": {"grammar": "shallow-1", "settings": {"beam": 0.0}},
        },
        "exact": "exact",
        "gaps": {"gap": {"grammar": "full", "settings": {"beam": 0.0, "optimality_gap": {"order": 1}}}},
        "certain": 0.0001,
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    (folder / "train.yaml").write_text(yaml.safe_dump(toy_config(folder, folder / "work")), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_from_training_to_the_page(folder, monkeypatch, capsys):
    program.main([str(folder), "--data", str(folder), "--work", str(folder / "work")])
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    figures = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    development, test = figures["development"], figures["tests"]["test"]
    assert (development["sentences"], test["sentences"]) == (5, 8)
    assert list(development["losses"]) == ["pops 1", "exact", "shallow-1", "gap"]
    for each in (development, test):
        for name, row in each["losses"].items():
            assert row["certified"] == each["sentences"], name
            assert row["undercut"] == 0, name
            assert row["mean_loss"] >= 0, name
        assert each["losses"]["exact"]["errors"] == 0
    assert development["losses"]["gap"]["reported_gap"] >= development["losses"]["gap"]["mean_loss"]
    assert test["quality"]["pops 1"]["BLEU-tok"]["value"] > 10
    assert "the exact search proves 8." in page
    assert all(folder.joinpath("plots", f"cost-by-time.{ending}").stat().st_size for ending in ("png", "svg"))

    def fail(*_):
        raise AssertionError("translated again")

    monkeypatch.setattr(decoding, "make_translator", fail)
    program.main([str(folder)])
    assert json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"] == figures["tests"]


def test_what_was_translated_is_kept_for_the_same_system_alone(tmp_path, monkeypatch):
    wanted = []

    def make(system, first):
        def translate(task):
            wanted.append(task[0])
            if task[1] == "stop":
                raise KeyboardInterrupt
            return record(task[0], 1.0, 0.0, task[1])

        return translate

    monkeypatch.setattr(decoding, "make_translator", make)
    head, other = (System("a b", tmp_path / "model.1", tmp_path / "tune.1", {"beam": beam}) for beam in (0.0, 1.0))
    with pytest.raises(KeyboardInterrupt):
        decoded(head, "set", {0: "a", 5: "b", 7: "stop"}, tmp_path, Run())
    assert wanted == [0, 5, 7]
    result = decoded(head, "set", {5: "b", 6: "c"}, tmp_path, Run())
    assert wanted == [0, 5, 7, 6]
    assert [entry["line"] for entry in result] == ["b", "c"]
    decoded(other, "set", {5: "b"}, tmp_path, Run())
    assert wanted == [0, 5, 7, 6, 5]


@pytest.mark.slow  # it reads what the run from training to the page wrote
def test_the_translator_measures_itself(folder):
    models = folder / "work"
    tuned = next(path for path in models.glob("tune.*") if path.suffix != ".partial")
    system = System("s", next(models.glob("model.*")), tuned, {"beam": 0.0, "exact": {}})
    result = decoding.make_translator(system, "le chat voit le pont .")((4, "le chien voit la rue ."))
    assert result["number"] == 4
    assert result["line"]
    assert result["gap"] == 0.0
    assert result["cpu_seconds"] > 0

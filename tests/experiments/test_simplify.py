"""The measurement of simplification systems, on made-up sentences: from files to the page."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
import yaml

from experiments.simplify import data
from experiments.simplify.__main__ import main
from experiments.simplify.corpora import Reader
from experiments.simplify.data import normalise, read_sets
from experiments.simplify.report import golden_error, read_published
from lattice_simp.metrics import METRICS

SOURCE = ["The car , which was old , stopped .", "He bought apples and pears .", "It rained in the U.S."]
FILES = {
    "source": SOURCE,
    "reference": ["The car stopped . It was old .", "He bought apples .", "It rained in the U.S."],
    "other": ["the car stopped .", "he bought fruit .", "it was wet ."],
    "glued": ["the car stopped .", "he bought apples.", "it rained in the u.s."],
}


@pytest.fixture
def folder(tmp_path):
    """The folder of the experiment, and its texts."""
    for name, lines in FILES.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    turk = {
        "name": "turk",
        "title": "A small set",
        "source": "source",
        "references": ["reference", "other"],
        "baseline": "Dress",
        "metrics": ["bleu-tok", "sari-legacy", "edits-source", "unchanged", "identical", "split", "fkgl"],
        "outputs": {"unchanged source": "source", "Dress": "glued"},
    }
    values = {"data": str(tmp_path), "work": str(tmp_path / "work"), "samples": 20, "sets": [turk]}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return tmp_path


def test_files_of_all_forms_are_measured_alike(folder, capsys):
    main([str(folder), "--command", "make it"])
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    turk = results["sets"]["turk"]
    assert turk["sentences"] == 3
    source, dress = turk["systems"]["unchanged source"], turk["systems"]["Dress"]
    assert [source[name]["value"] for name in ("edits-source", "unchanged", "split")] == [0, 100, 0]
    assert dress["identical"]["value"] == 100  # without regard to case, and to where the full stop is
    assert dress["edits-source"]["value"] == pytest.approx((5 + 2 + 0) / 3)
    published = read_published()["turk", "Dress", "SARI-legacy"]
    assert results["sari_golden_max_error"] == pytest.approx(abs(dress["SARI-legacy"]["value"] - published), abs=1e-4)
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    assert f"| Dress | {dress['BLEU-tok']['value']:.2f} |" in page
    assert f"| Dress, published | - | {published:.2f} |" in page
    assert "unchanged source, published" not in page


def test_only_a_changed_output_is_measured_again(folder, capsys):
    main([str(folder)])
    capsys.readouterr()
    main([str(folder)])
    assert "done before" in capsys.readouterr().err
    (folder / "glued").write_text("the car stopped .\nhe bought apples .\nit rained .\n", encoding="utf-8")
    main([str(folder)])
    assert "done before" not in capsys.readouterr().err


def test_files_of_other_lengths_are_refused(folder, capsys):
    (folder / "glued").write_text("the car stopped .\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"glued: has 1 lines for 3 sentences"):
        main([str(folder)])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("It grows crops.", "it grows crops ."),
        ("It grows crops .", "it grows crops ."),
        ("in the U.S.", "in the u.s."),
        ("by J.", "by j."),
        ("in 1960.", "in 1960 ."),
        ("why?", "why ?"),
        ("wait ...", "wait ..."),
        ("", ""),
    ],
)
def test_normalised_lines(line, expected):
    assert normalise(line) == expected
    assert normalise(expected) == expected


def test_published_figures_are_of_systems_and_metrics_of_the_config():
    config = Path(data.__file__).with_name("config.yaml")
    sets = {
        test_set.name: test_set
        for test_set in read_sets(yaml.safe_load(config.read_text(encoding="utf-8")), config.parent)
    }
    for name, system, metric in read_published():
        assert system in sets[name].outputs, system
        assert metric.lower() in sets[name].metrics, metric
    for test_set in sets.values():
        assert test_set.baseline in test_set.outputs
        assert set(test_set.metrics) <= set(METRICS)


def test_the_harder_sentence_of_a_pair_comes_first(tmp_path):
    folder = tmp_path / "simplify" / "onestop" / "aligned"
    folder.mkdir(parents=True)
    for levels in ("ADV-ELE", "ADV-INT", "ELE-INT"):
        first, second = levels.split("-")
        with lzma.open(folder / f"{levels}.txt.xz", "wt", encoding="utf-8") as file:
            file.write(f"{first} one\n{second} one\n*******\nalone\n*******\n{first} two\n{second} two\n")
    pairs = [(harder.split()[0], easier.split()[0], harder.split()[1]) for harder, easier in Reader(tmp_path).onestop()]
    expected = [("ADV", "ELE"), ("ADV", "INT"), ("INT", "ELE")]
    assert pairs == [(*levels, number) for levels in expected for number in ("one", "two")]


def test_without_a_golden_system_there_is_no_error():
    assert golden_error({}, read_published()) is None
    systems = {"new": {"SARI-legacy": {"value": 1.0}}}
    assert golden_error({"turk": {"systems": systems}}, read_published()) is None
    systems["Hybrid"] = {"SARI-legacy": {"value": 31.5}}
    assert golden_error({"turk": {"systems": systems}}, read_published()) == pytest.approx(0.1)

"""The comparison of automatic skeletons with compressions, on artificial sentences: from parses to the page."""

from __future__ import annotations

import json
from itertools import product

import pytest
import yaml
from helpers import needs
from train.toy import toy_arpa

from experiments.compression import stages
from experiments.compression.__main__ import main
from lattice_simp.support.textio import open_text

needs("skeletons", "spacy", "pycrfsuite")

SENTENCES = [
    f"the {adjective} {noun} saw a small dog {adverb} ."
    for adjective, noun, adverb in product(("old", "tall", "young"), ("man", "woman", "child"), ("today", "again"))
]
MASKS = ("101110101", "111110101")
"""Without the adverb, and without both adjectives or one."""


@pytest.fixture
def folder(tmp_path):
    """The folder of the experiment, and its texts."""
    for name, value in {"train": SENTENCES[:10], "test": SENTENCES[10:]}.items():
        lines = [{"line": line, "tokens": entry.split(), "keep": MASKS} for line, entry in enumerate(value)]
        (tmp_path / "skeletons").mkdir(exist_ok=True)
        write_lines(tmp_path / "skeletons" / f"{name}.jsonl", lines)
    pairs = [
        {"text": sentence, "summaries": [sentence.replace(" small", "").replace(" .", "")]} for sentence in SENTENCES
    ]
    pairs[0]["summaries"] = ["something else"]
    write_lines(tmp_path / "other.jsonl", pairs)
    (tmp_path / "english.txt").write_text("".join(sentence + "\n" for sentence in SENTENCES), encoding="utf-8")
    values = {
        "data": str(tmp_path),
        "work": str(tmp_path / "work"),
        "sets": [
            {"name": "news", "train": ["skeletons/train.jsonl"], "test": ["skeletons/test.jsonl"]},
            {"name": "other", "both": "other.jsonl"},
        ],
        "train_share": 0.5,
        "raw_text": [],
        "language_model": {"order": 2, "prune": [0], "lines": 100, "texts": ["english.txt"]},
        "candidates": 2,
        "seed": 1,
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return tmp_path


def write_lines(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")


@pytest.fixture
def estimated(monkeypatch):
    """The estimated language models, replaced so that no other program is needed."""
    results = []

    def estimate(text, arpa, **options):
        results.append(arpa)
        with open_text(arpa, "w") as file:
            file.write(toy_arpa(SENTENCES))

    monkeypatch.setattr(stages, "estimate", estimate)
    return results


@pytest.mark.slow
def test_the_methods_are_compared_on_all_sets(folder, estimated, capsys):
    main([str(folder), "--command", "make it"])
    figures = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert {
        name: (domain["train"], domain["test"], domain["skipped"]) for name, domain in figures["domains"].items()
    } == {
        "news": (9, 8, 0),  # a sentence of its training part is a test sentence of the other set
        "other": (8, 9, 1),
    }
    rows = figures["domains"]["news"]["methods"]
    assert rows["keep everything"]["rate"] == 1
    assert rows["tagger (own domain)"]["f1_mean"] > rows["random tokens"]["f1_mean"]
    assert rows["first person, against the others"]["f1_by_reference"][0] == 1
    assert figures["matrix"].keys() == {"news", "other", "all four"}
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    assert "`make it`" in page
    assert f"| keep everything | {100 * rows['keep everything']['f1_mean']:.1f} " in page


@pytest.mark.slow
def test_only_what_depends_on_a_change_is_done_again(folder, estimated, capsys):
    main([str(folder)])
    (stage,) = (folder / "work").glob("measured-other.*")
    (stage / "stage.json").unlink()  # as if killed in this stage, with one row missing
    kept, lost = stage / "00.json", stage / "01.json"
    before = kept.stat().st_mtime_ns
    lost.unlink()
    stage.rename(stage.with_name(stage.name + ".partial"))
    first = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    capsys.readouterr()
    main([str(folder)])
    again = [line.split("] ")[1] for line in capsys.readouterr().err.splitlines() if "done before" not in line]
    assert [line.partition(":")[0] for line in again] == ["measured-other", "measured-other"]
    assert kept.exists()
    assert kept.stat().st_mtime_ns == before
    assert len(estimated) == 1
    second = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert without_times(second["domains"]) == without_times(first["domains"])


def without_times(domains):
    return {
        name: {row: {**values, "cpu_ms_a_sentence": 0} for row, values in domain["methods"].items()}
        for name, domain in domains.items()
    }

"""The experiment with parallel corpora, on made-up articles: from collections to the page."""

from __future__ import annotations

import json

import pytest
import yaml
from systems.corpus.collection import articles

from experiments.corpus import synthetic
from experiments.corpus.__main__ import main
from experiments.corpus.onestop import HALVES, chosen, half_of, score
from lattice_simp.systems.corpus.pipeline import align_collections


@pytest.fixture
def folder(tmp_path):
    """The folder of the experiment; four pairs of the first paragraphs' first sentences are published."""
    head, simpler = articles(8, seed=2)
    with open(tmp_path / "articles.jsonl", "w", encoding="utf-8") as file:
        for level, side in (("Adv-Txt", head), ("Ele-Txt", simpler)):
            for entry in side:
                name = f"{entry['title']}-{level[:3].lower()}.txt"
                file.write(json.dumps({"level": level, "file": name, "text": entry["text"]}) + "\n")
    pairs = [[side["text"].partition(".")[0] + "." for side in both] for both in zip(head, simpler, strict=True)]
    published = [pair for pair in pairs if pair[0] != pair[1]]
    (tmp_path / "aligned.txt").write_text(
        "".join(f"{first}\n{other}\n*******\n" for first, other in published), "utf-8"
    )
    values = {
        "data": str(tmp_path),
        "work": str(tmp_path / "work"),
        "onestop": {
            "articles": "articles.jsonl",
            "aligned": "aligned.txt",
            "complex": "Adv-Txt",
            "simple": "Ele-Txt",
        },
        "thresholds": [0.5],
        "precision": 0.91,
        "synthetic": {"seed": 1, "sentences": 60},
        "killed": {"sentences": 30, "after": []},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return tmp_path


class Ended:
    """A process that has ended well."""

    def wait(self, seconds=None):
        return 0


def test_the_whole_experiment(folder, monkeypatch):
    def start(inputs, output):
        align_collections(*inputs, output)
        return Ended()

    monkeypatch.setattr(synthetic, "_start", start)
    main([str(folder), "--command", "make corpus"])
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    default = results["onestop"]["rows"][0]
    assert default["all"]["right"] > 2
    assert results["onestop_precision"] == default["all"]["precision"]
    assert results["onestop_recall"] == default["all"]["recall"] > 0.3
    assert default["development"]["pairs"] + default["test"]["pairs"] == default["all"]["pairs"]
    assert results["million"]["sentences"] >= 60
    assert results["million_cpu_s"] >= 0
    assert results["million_peak_mb"] > 10
    assert results["killed"]["same_bytes"] is True
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    assert "## OneStop" in page
    assert "the same bytes" in page


def test_pairs_are_judged_by_the_sentences_that_are_published():
    def pair(first, other):
        return {"complex": {"text": first}, "simple": {"text": other}}

    gold = frozenset({("itrained", "rain"), ("snowfell", "snow")})
    results = [
        pair("It rained.", "Rain!"),
        pair("It rained.", "Rain!"),  # in another paragraph: right, but found once
        pair("It rained.", "Snow."),  # both are published, with other partners
        pair("Hail fell.", "Snow."),
        pair("Same.", "“Same”"),
        pair("Wind.", "Air moved."),
    ]
    counts = score(results, gold)
    assert counts == {
        "pairs": 6, "identical": 1, "right": 2, "wrong": 2, "unknown": 1, "precision": 0.5, "recall": 0.5,
    }  # fmt: skip
    assert score([], gold)["precision"] is None


def test_the_choice_looks_at_one_half_only():
    rows = [
        {"development": {"precision": 0.95, "recall": 0.5}, "test": {"precision": 1.0, "recall": 1.0}},
        {"development": {"precision": 0.92, "recall": 0.7}, "test": {"precision": 0.1, "recall": 0.1}},
        {"development": {"precision": 0.90, "recall": 0.9}, "test": {"precision": 1.0, "recall": 1.0}},
    ]
    assert chosen(rows, 0.91) is rows[1]


def test_halves_are_about_equal():
    halves = [half_of(f"title {number}") for number in range(1000)]
    assert abs(halves.count(HALVES[0]) - 500) < 100

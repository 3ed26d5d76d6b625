"""The experiment with parallel corpora, on made-up articles: from collections to the page."""

from __future__ import annotations

import json

import pytest
import yaml
from systems.corpus.collection import articles

from experiments.corpus import __main__ as program
from experiments.corpus import synthetic
from experiments.corpus.__main__ import main
from experiments.corpus.judging import JUDGEMENTS, PAIRS, judged_figures, read_judged
from experiments.corpus.onestop import HALVES, chosen, half_of, letters, part_of, score
from experiments.corpus.simplifiers import (
    CORPORA,
    HELD_OUT,
    PARTS,
    SCORES,
    STAGE,
    UNCHANGED,
    measured_stage,
    pairs_stage,
)
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.stage import Run, read_json
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
        "onestop": {"articles": "articles.jsonl", "aligned": "aligned.txt", "complex": "Adv-Txt", "simple": "Ele-Txt"},
        "thresholds": [0.5],
        "precision": 0.91,
        "synthetic": {"seed": 1, "sentences": 60},
        "killed": {"sentences": 30, "after": []},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return tmp_path


COST = {"seconds": 1.0, "cpu_seconds": 1.0, "peak_mb": 1}
METRICS = ("SARI-corpus", "BLEU-tok")


class Ended:
    """A process that has succeeded."""

    def wait(self, seconds=None):
        return 0


@pytest.mark.slow
def test_the_whole_experiment(folder, monkeypatch):
    def start(inputs, output):
        align_collections(*inputs, output)
        return Ended()

    (folder / HELD_OUT).write_text("", encoding="utf-8")
    scores = {name: {metric: {"value": 30.0, "gain": None, "p": None} for metric in METRICS} for name in CORPORA}
    tested = {"sentences": 7, "scores": scores, "signatures": dict.fromkeys(METRICS, "x")}
    counts = {"pairs": dict.fromkeys(CORPORA, 5), "articles": dict.fromkeys(PARTS, 3), "stages": {"train": COST}}
    trained = {**counts, "onestop": tested, "turk": tested}
    monkeypatch.setattr(synthetic, "_start", start)
    monkeypatch.setattr(program, "simplifiers", lambda config, run: (trained, folder))
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
    assert results["corpus_simplifier_sari"] == results["published_pairs_simplifier_turk_sari"] == 30.0
    assert results["aligned_right_pct"] == results["judged"]["right"] > 50
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


def test_judgements_are_complete():
    judged = read_judged()
    assert len(judged) == PAIRS
    assert set(judged.values()) <= set(JUDGEMENTS)


def test_judgements_of_another_sample_are_told(tmp_path):
    title, first, other = next(iter(read_judged()))
    sides = [dict(zip(("paragraph", "sentence"), map(int, place.split(".")), strict=True)) for place in (first, other)]
    record = {"title": title, "complex": sides[0], "simple": sides[1]}
    (tmp_path / "held-out.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    figures = judged_figures(tmp_path / "held-out.jsonl")
    assert (figures["in_sample"], figures["pairs"]) == (1, PAIRS)
    assert sum(figures[name] for name in JUDGEMENTS) == pytest.approx(100)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """The folder of pairs of thirty made-up articles at three levels."""
    folder = tmp_path_factory.mktemp("pairs")
    head, simpler = articles(30, seed=3)
    levels = {"Adv-Txt": head, "Int-Txt": head, "Ele-Txt": simpler}
    with open(folder / "articles.jsonl", "w", encoding="utf-8") as file:
        for level, side in levels.items():
            for entry in side:
                record = {"level": level, "file": f"{entry['title']}-{level[:3].lower()}.txt", "text": entry["text"]}
                file.write(json.dumps(record) + "\n")
    sentences = [[side["text"].partition(".")[0] + "." for side in both] for both in zip(head, simpler, strict=True)]
    for name, order in (("adv-ele", 1), ("int-ele", -1)):
        text = "".join("\n".join(pair[::order]) + "\n*******\n" for pair in sentences)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    (folder / "easy.txt").write_text("It rained.\n", encoding="utf-8")
    config = {
        "data": str(folder),
        "onestop": {"articles": "articles.jsonl"},
        "simplifiers": {
            "tenths": {"development": 2, "test": 3},
            "easy_texts": ["easy.txt"],
            "levels": [
                {
                    "name": name,
                    "complex": f"{name[:3].title()}-Txt",
                    "simple": "Ele-Txt",
                    "published": f"{name}.txt",
                    "simple_first": name == "int-ele",
                }
                for name in ("adv-ele", "int-ele")
            ],
        },
    }
    return run_stages([pairs_stage(config)], folder / "work", Run()).folders[STAGE], head


def lines_of(folder, name):
    return (folder / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_training_pairs_have_no_sentence_of_a_held_out_article(pairs):
    folder, head = pairs
    part = {entry["title"].lower(): part_of(entry["title"].lower(), 2, 3) for entry in head}
    assert set(part.values()) == set(PARTS)
    unseen = "|".join(letters(entry["text"]) for entry in head if part[entry["title"].lower()] != "training")
    for name in CORPORA:
        sources, targets = (lines_of(folder, f"{name}.{side}") for side in ("source", "target"))
        assert len(sources) == len(targets) > 5
        assert not any(letters(source) in unseen for source in sources)
    held_out = [json.loads(line) for line in lines_of(folder, HELD_OUT)]
    assert {part[record["title"]] for record in held_out} == {"test"}
    assert not any(record["identical"] for record in held_out)


@pytest.mark.slow
def test_the_complex_sentence_is_the_source_in_every_file(pairs):
    """Even in files with the simple sentence first."""
    folder, head = pairs
    first = {entry["text"].partition(".")[0] + "." for entry in head}
    for name in ("published", "test", "development"):
        sources = set(lines_of(folder, f"{name}.source"))
        assert sources
        assert sources <= first


def test_models_are_measured_on_a_set(tmp_path):
    pytest.importorskip("spacy")
    pytest.importorskip("sacremoses")
    from systems.simplify.simplifier_model import write_model

    models = {}
    for name in CORPORA:
        (tmp_path / name).mkdir()
        models[name] = write_model(tmp_path / name)
    (tmp_path / "source").write_text("The principal man was tired.\nIt rained.\n", encoding="utf-8")
    (tmp_path / "target").write_text("The main man was tired.\nIt rained.\n", encoding="utf-8")
    stage = measured_stage(("onestop", tmp_path / "source", (tmp_path / "target",)), models)
    folder = run_stages([stage], tmp_path / "work", Run()).folders[stage.name]
    measured = read_json(folder / SCORES)
    assert measured["scores"]["aligned"]["SARI-corpus"]["value"] > measured["scores"][UNCHANGED]["SARI-corpus"]["value"]
    assert len(lines_of(folder, "aligned.txt")) == 2

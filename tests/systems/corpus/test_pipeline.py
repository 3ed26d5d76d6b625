"""Whole collections: output, counts, and resumed runs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from systems.corpus.collection import articles, dump_of, page_of, write_collection

import lattice_simp as ls
from lattice_simp.pipeline.stage import Run
from lattice_simp.systems.corpus import aligning, collections
from lattice_simp.systems.corpus.pipeline import COUNTS, PAIRS, TEXTS, align_collections

FILES = (*TEXTS, PAIRS, COUNTS)


@pytest.fixture
def align(tmp_path):
    """Aligns two lists of articles; returns the counts, the lines of both texts, and the records."""

    def run(articles, simpler, folder="out", **settings):
        paths = [
            write_collection(tmp_path / f"{name}.jsonl", collection)
            for name, collection in (("c", articles), ("s", simpler))
        ]
        counts = align_collections(*paths, tmp_path / folder, settings=ls.CorpusSettings(**settings))
        lines = [(tmp_path / folder / name).read_text(encoding="utf-8").split("\n")[:-1] for name in (*TEXTS, PAIRS)]
        return counts, lines[:2], [json.loads(line) for line in lines[2]]

    return run


def content(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def test_pairs_are_where_they_say(align):
    first, simpler = articles(12)
    counts, texts, records = align(first, simpler, paragraph_threshold=0.3)
    assert counts.article_pairs == 12
    assert counts.sentence_pairs == len(records) == len(texts[0]) == len(texts[1]) > 20
    assert {record["kind"] for record in records} >= {"1-1", "1-2"}
    assert counts.kinds["identical"] == sum(record["identical"] for record in records) > 0
    for number, record in enumerate(records):
        assert record["id"] == number
        assert record["similarity"] >= 0.5
        assert record["paragraph_similarity"] >= 0.3
        for side, collection, lines in zip(("complex", "simple"), (first, simpler), texts, strict=True):
            place = record[side]
            article = collection[place["article"] - 1]
            assert article["title"] == record["title"]
            paragraph = article["text"].split("\n")[place["paragraph"]]
            assert paragraph[place["begin"] : place["end"]] == place["text"] == lines[number]
            assert place["sentence"] == paragraph[: place["begin"]].count(".")


def test_pairs_are_those_of_the_paragraphs_alone(align):
    """The stages give what `align_sentences` gives with the collection's frequencies."""
    actual, simpler = articles(1, seed=3, paragraphs=1)
    _, _, records = align(actual, simpler, paragraph_threshold=0.0)
    both = [[word + "." for word in side[0]["text"].removesuffix(".").split(". ")] for side in (actual, simpler)]
    both = [[entry.removesuffix(".") + "." for entry in side] for side in both]
    expected = ls.align_sentences(*both)
    assert [(record["complex"]["sentence"], record["simple"]["sentence"], record["kind"]) for record in records] == [
        (pair.complex, pair.simple, pair.kind) for pair in expected
    ]
    assert [record["similarity"] for record in records] == [round(pair.similarity, 6) for pair in expected]


def test_what_is_dropped_is_counted(align):
    first, simpler = articles(3)
    first += [{"title": "List of rivers", "text": first[0]["text"]}, {"title": "Short", "text": "Too short."}]
    first += [{"title": "Article_1", "text": "Another article of the same title, which is not looked at at all."}]
    first += [{"title": "Alone", "text": first[0]["text"]}]
    counts, _, records = align(first, simpler)
    assert counts.articles == {"complex": 7, "simple": 3}
    assert counts.dropped == {"complex": {"list": 1, "stub": 1}, "simple": {}}
    assert counts.duplicate_titles == {"complex": 1, "simple": 0}
    assert counts.without_partner == {"complex": 1, "simple": 0}
    assert counts.article_pairs == 3
    assert {record["complex"]["article"] for record in records} == {1, 2, 3}


def test_order_is_that_of_the_simple_collection(align):
    first, simpler = articles(6)
    forward = align(first, simpler, "forward")[2]
    backward = align(first, simpler[::-1], "backward")[2]
    titles = [list(dict.fromkeys(record["title"] for record in records)) for records in (forward, backward)]
    assert titles[0] == titles[1][::-1]
    assert len(forward) == len(backward)


@pytest.mark.slow
def test_shards_do_not_matter(align, monkeypatch, tmp_path):
    first, simpler = articles(7)
    align(first, simpler, "large")
    monkeypatch.setattr(collections, "SHARD_ARTICLES", 2)
    align(first, simpler, "small")
    monkeypatch.setattr(collections, "SHARD_CHARACTERS", 1)
    align(first, simpler, "one")
    assert content(tmp_path / "large") == content(tmp_path / "small") == content(tmp_path / "one")


def test_another_threshold_needs_the_last_stages_only(align, tmp_path):
    first, simpler = articles(4)
    all_pairs = align(first, simpler, sentence_threshold=0.0, paragraph_threshold=0.0)[2]
    before = {path.name for path in (tmp_path / "out" / "work").iterdir()}
    some = align(first, simpler, sentence_threshold=0.6, paragraph_threshold=0.0)[2]
    added = {path.name.partition(".")[0] for path in (tmp_path / "out" / "work").iterdir() if path.name not in before}
    assert added == {"align", "corpus"}
    kept = [record for record in all_pairs if record["similarity"] >= 0.6]
    assert [{**record, "id": 0} for record in some] == [{**record, "id": 0} for record in kept]


def test_articles_without_a_sentence(align):
    blank = [{"title": "Blank", "text": "\n \n"}]
    counts, texts, _ = align(blank, blank, min_words=0)
    assert (counts.article_pairs, counts.sentence_pairs, texts) == (1, 0, [[], []])


def test_lines_stay_lines(align):
    """A sentence with line breaks of any kind is a line of the text; the record has it as it is."""
    text = "The river\u2028crosses\r the\n old valley. The farmer repairs the bridge."
    results = [{"title": "A", "paragraphs": [text]}]
    _, texts, records = align(results, results)
    assert texts[0] == ["The river crosses the old valley.", "The farmer repairs the bridge."]
    assert records[0]["complex"]["text"] == "The river\u2028crosses\r the\n old valley."


def test_texts_that_are_too_long_are_left_out(align, monkeypatch):
    first, simpler = articles(3)
    first[1]["text"] = "\n".join(first[1]["text"].split("\n") * 7)
    monkeypatch.setattr(aligning, "MAX_CELLS", 20)
    counts, _, records = align(first, simpler)
    assert counts.too_long["articles"] == 1
    assert {record["title"] for record in records} == {"Article 0", "Article 2"}


@pytest.mark.parametrize("side", [0, 1])
def test_errors(align, tmp_path, side):
    first, simpler = articles(2)
    with pytest.raises(ls.LatticeSimpError, match="titles are 'Article 0' and 'Another Article 0'"):
        align(first, [{**entry, "title": "Another " + entry["title"]} for entry in simpler])
    bad = [first, simpler]
    bad[side] = [{"title": "A", "text": "Short."}]
    with pytest.raises(ls.FormatError, match=r"jsonl: none of its 1 articles is usable: 1 stub .*--min-words"):
        align(*bad)
    paths = [write_collection(tmp_path / "good.jsonl", first)] * 2
    paths[side] = tmp_path / "missing.jsonl"
    with pytest.raises(ls.FormatError, match=r"missing.jsonl: is not a file"):
        align_collections(*paths, tmp_path / "out")


@pytest.mark.skipif(find_spec("mwparserfromhell") is None, reason="mwparserfromhell is not installed")
def test_a_dump_and_json_lines(tmp_path):
    first, simpler = articles(2)
    pages = [
        page_of(entry["title"], "== Head ==\n" + entry["text"].replace("\n", "\n\n") + "{{cite}}") for entry in first
    ]
    (tmp_path / "dump.xml").write_text(dump_of(page_of("Main", "#REDIRECT [[Article 0]]"), *pages), encoding="utf-8")
    counts = align_collections(tmp_path / "dump.xml", write_collection(tmp_path / "s", simpler), tmp_path / "dump")
    plain = align_collections(write_collection(tmp_path / "c", first), tmp_path / "s", tmp_path / "plain")
    assert counts.dropped["complex"] == {"redirect": 1}
    assert counts.sentence_pairs == plain.sentence_pairs
    for name in TEXTS:
        assert (tmp_path / "dump" / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()


@pytest.mark.slow
def test_killed_runs(tmp_path):
    """A run that is killed repeatedly resumes, and writes the same bytes."""
    first, simpler = articles(3)
    for name, second in (("c", first), ("s", simpler)):
        write_collection(tmp_path / name, second)
    program = [sys.executable, Path(__file__).with_name("killed_alignments.py"), tmp_path]
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 2
    assert content(tmp_path / "killed") == content(tmp_path / "whole")


@pytest.mark.parametrize("run", [Run(jobs=2), Run(cluster="local:1")], ids=["processes", "dask"])
@pytest.mark.slow
def test_workers_write_the_same(tmp_path, monkeypatch, run):
    if run.cluster:
        pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    monkeypatch.setattr(collections, "SHARD_ARTICLES", 2)
    paths = [write_collection(tmp_path / name, article) for name, article in zip("cs", articles(5), strict=True)]
    align_collections(*paths, tmp_path / "workers", run=run)
    align_collections(*paths, tmp_path / "inline")
    assert content(tmp_path / "workers") == content(tmp_path / "inline")

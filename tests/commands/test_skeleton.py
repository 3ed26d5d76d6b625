"""`lattice-simp skeleton make`, `train` and `score`."""

from __future__ import annotations

import warnings

import pytest
from helpers import needs

from lattice_simp.errors import InputWarning
from lattice_simp.skeleton import read_skeletons

needs("skeletons", "spacy", "pycrfsuite")

TEXT = """In the end , the council closed the bridge that the mayor had built .

Yesterday the old house burned down .
"""
SHORT = """the council closed the bridge .

the house burned down .
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.en").write_text(TEXT, encoding="utf-8")
    (tmp_path / "a.short").write_text(SHORT, encoding="utf-8")
    for name in "xy":
        (tmp_path / f"{name}.jsonl").write_text(f'{{"id": "{name}", "tokens": ["a", "b"], "keep": ["10"]}}\n')
    (tmp_path / "spaces.en").write_text("a\nb\u00a0c d\n", encoding="utf-8")
    return tmp_path


def test_no_break_spaces_belong_to_their_tokens(call, files):
    done = call("skeleton", "make", "--method", "dependency", "spaces.en", "-o", "b.jsonl")
    assert done.returncode == 0, done.stderr
    assert [record.tokens for record in read_skeletons(files / "b.jsonl")] == [("a",), ("b\u00a0c", "d")]


def test_text_in_place_of_tokens_is_reported(call, files):
    (files / "text.en").write_text(TEXT.replace(" .", ".").replace(" ,", ",") * 2, encoding="utf-8")
    (files / "tokens.en").write_text(TEXT * 2, encoding="utf-8")
    message = "text.en: punctuation is attached to words; tokenise the text first: lattice-simp lattice tokens text.en"
    assert message in call("skeleton", "make", "text.en").stderr
    assert "attached" not in call("skeleton", "make", "tokens.en").stderr


def test_dependency_skeletons_are_records_of_the_lines(call, files):
    options = ("--method", "dependency", "--rate", 0.4, "--candidates", 2)
    done = call("skeleton", "make", *options, "a.en", "--output", "b.jsonl")
    assert done.returncode == 0, done.stderr
    assert "en_core_web_sm" in done.stderr
    records = list(read_skeletons("b.jsonl"))
    assert [(record.id, record.line) for record in records] == [("0", 0), ("2", 2)]
    assert " ".join(records[0].skeletons[0].words) == "the council closed the bridge ."
    assert 1 <= len(records[0].skeletons) <= 2
    assert call("skeleton", "make", *options, "-", stdin=TEXT).stdout == (files / "b.jsonl").read_text("utf-8")


def test_a_tagger_is_trained_used_and_scored(call, files):
    done = call("skeleton", "train", "--pairs", "a.en", "a.short", "--output", "model")
    assert done.returncode == 0, done.stderr
    assert "2 compressions; skipped 0" in done.stderr
    done = call("skeleton", "make", "--method", "tagger", "--model", "model", "--rate", 0.6, "a.en", "-o", "t.jsonl")
    assert done.returncode == 0, done.stderr
    done = call("skeleton", "train", "t.jsonl", "--output", "again")
    assert "trained on 2 skeletons" in done.stderr
    done = call("skeleton", "score", "t.jsonl", "t.jsonl")
    figures = dict(line.split("\t") for line in done.stdout.splitlines())
    assert (figures["sentences"], figures["exact"], figures["F1 with skeleton 1"]) == ("2", "1.0000", "1.0000")
    done = call("skeleton", "make", "--method", "optimal", "--model", "model", "a.en", "-o", "optimal.jsonl")
    assert done.returncode == 0, done.stderr
    assert len(list(read_skeletons("optimal.jsonl"))) == 2


def test_optimal_skeletons_with_a_language_model(call, files, model):
    done = call("skeleton", "make", "--method", "optimal", "--lm", model / "lm.arpa", "--rate", 0.4, "a.en")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"keep"') == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["make", "--method", "tagger", "a.en"], "--method tagger needs --model"),
        (["make", "--method", "tagger", "--model", "nowhere", "a.en"], "nowhere/model.json: cannot be read"),
        (["make", "--method", "dependency", "--model", "m", "a.en"], "does not use --model"),
        (["make", "--method", "dependency", "--lm", "m", "a.en"], "does not use --lm"),
        (["make", "--method", "dependency", "--rate", "1.5", "a.en"], "the compression rate is 1.5"),
        (["make", "--method", "dependency", "nowhere"], "nowhere: cannot be read"),
        (["make", "--method", "magic", "a.en"], "--method"),
        (["train", "a.en", "a.short", "--output", "m"], "2 files; give skeletons"),
        (["train", "--pairs", "a.en", "--output", "m"], "1 file; give sentences and compressions, with --pairs"),
        (["score", "nowhere", "a.en"], "nowhere"),
        (["score", "x.jsonl", "y.jsonl"], "x.jsonl and y.jsonl: the two files have no record with the same id"),
    ],
)
def test_errors_are_one_line(call, files, arguments, message):
    done = call("skeleton", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("0 ||| a cat ||| -1\n0 ||| the cat ||| -2\n", "an n-best list"),
        ("utt-1 1 0.0 0.5 cat 0.9\n", "CTM"),
        ("VERSION=1.0\nN=2 L=1\nI=0\nI=1 W=cat\nJ=0 S=0 E=1\n", "a lattice"),
    ],
)
def test_lists_and_lattices_in_place_of_sentences_are_told(call, files, text, kind):
    (files / "a").write_text(text, encoding="utf-8")
    for command in (("info", "a"), ("convert", "a"), ("make", "a"), ("train", "a", "a", "--pairs", "-o", "tagger")):
        with pytest.warns(InputWarning, match=f"^a: looks like {kind}.*, and each line counts as a sentence"):
            call("skeleton", *command)


def test_skeletons_do_not_look_like_something_else(call, files):
    (files / "a").write_text("[[ 'today' ]] it rained\n[[\"a\"]] b\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call("skeleton", "info", "a").returncode == 0

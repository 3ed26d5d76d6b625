"""Commands on tokens warn about languages without blanks, and `lattice tokens` tokenises lists and texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lattice_simp as ls

REFERENCE = ["他昨天去北京参加会议。", "猫坐在垫子上睡觉。"]
OUTPUTS = [["他昨天去北京开会议。", "他今天去上海参加大会。"], ["猫坐在垫子上休息。", "狗坐在垫子上睡觉。"]]
MODEL = str(Path(__file__).parents[2] / "grammars" / "demo" / "data")
SAID = "whole sentences are single tokens"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = [f"{number} ||| {entry} ||| F= -{place} ||| -{place}" for number, row in enumerate(OUTPUTS)
            for place, entry in enumerate(row, 1)]  # fmt: skip
    files = {"list": rows, "ref": REFERENCE, "one": [row[0] for row in OUTPUTS], "two": [row[1] for row in OUTPUTS]}
    files["w"] = ["feature\tweight", "F\t1"]
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = [
    ("lattice", "oracle", "list", "--reference", "ref"),
    ("lattice", "oracle", "list", "--reference", "ref", "--metric", "bleu"),
    ("lattice", "mbr", "list"),
    ("lattice", "mbr", "list", "--utility", "bleu"),
    ("lattice", "mbr", "list", "--utility", "wer", "--id", "1"),
    ("lattice", "tokens", "list"),
    ("lattice", "tokens", "list", "--tokeniser", "13a"),
    ("lattice", "tokens", "ref"),
    ("lattice", "confidence", "list"),
    ("lattice", "confidence", "list", "--hypotheses", "one"),
    ("translate", MODEL, "--input", "one"),
    ("rescore", "nbest", "list", "--model", f"{MODEL}/lm.arpa.gz"),
    ("combine", "one", "one"),
    ("combine", "list", "list"),
    ("tune", "nbest", "list", "--reference", "ref", "--weights", "w", "--output", "tuned"),
    ("evaluate", "a=one", "--reference", "ref"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_whole_sentences_are_reported(call, folder, command):
    done = call(*command)
    assert done.returncode == 0, done
    assert SAID in done.stderr
    assert done.stderr.count(SAID) == (2 if command[0] == "combine" else 1)


def test_tokens_of_lists_and_texts_go_on(call, folder):
    """The tokens of references and outputs meet in the oracle, as sacrebleu's tokens do."""
    for name in ("list", "ref", "one", "two"):
        done = call("lattice", "tokens", name, "--language", "zh", "-o", f"{name}.tok")
        assert (done.returncode, done.stderr) == (0, ""), done
    assert (folder / "ref.tok").read_text("utf-8").splitlines()[1] == "猫 坐 在 垫 子 上 睡 觉 。"
    assert ls.read_nbest(folder / "list.tok")[1][0].text == "猫 坐 在 垫 子 上 休 息 。"
    done = call("lattice", "oracle", "list.tok", "--reference", "ref.tok")
    assert done.stderr == ""
    assert 5 < float(done.stdout.split("oracle WER\t")[1].split()[0]) < 25
    assert call("combine", "one.tok", "two.tok").stderr == ""
    assert call("lattice", "mbr", "list.tok", "--utility", "bleu").stderr == ""
    assert call("lattice", "tokens", "one", "--tokeniser", "char").stdout.startswith("他 昨 天 ")


def test_japanese_falls_back_to_characters_with_a_note(call, folder, monkeypatch):
    import importlib.util

    result = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "MeCab" else result(name))
    done = call("lattice", "tokens", "one", "--language", "ja")
    if "MeCab" in done.stderr:
        assert done.stdout.startswith("他 昨 天 ")
    assert done.returncode == 0


def test_lattices_are_no_text(call, folder):
    (folder / "att").write_text("0 1 a a 0.5\n1\n", encoding="utf-8")
    done = call("lattice", "tokens", "att", "--language", "en")
    assert (done.returncode, "is not an n-best list" in done.stderr) == (2, True)


def test_decisions_on_tokens_of_text(call, folder):
    """The utility sees characters, and the hypotheses stay as they are."""
    answers = ["他去北京开会", "他去北京开会了", "他去北京开大会", "我们吃饭"]
    row = {"id": 0, "hypotheses": answers}
    (folder / "samples.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    for utility in ("bleu", "wer"):
        done = call("lattice", "mbr", "samples.jsonl", "--utility", utility, "--tokeniser", "zh", "-n", 1)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("0 ||| 他去北京开会 ||| ")
    from lattice_simp.metrics import tokeniser

    result = ls.mbr_nbest(ls.from_generator(answers), "bleu", tokens=tokeniser("zh"))
    spaced = ls.mbr_nbest(ls.from_generator([" ".join(answer) for answer in answers]), "bleu")
    assert [entry.text for entry in result] == [entry.text.replace(" ", "") for entry in spaced]
    assert [entry.cost for entry in result] == pytest.approx([entry.cost for entry in spaced])
    for utility in ("linear", "chrf"):
        done = call("lattice", "mbr", "samples.jsonl", "--utility", utility, "--tokeniser", "zh")
        assert (done.returncode, "--tokeniser has no effect" in done.stderr) == (2, True)
    assert call("lattice", "mbr", "samples.jsonl", "--utility", "chrf").stderr == ""


OTHER_FORMS = "the case of words differs (words: mixed, lower: lower): lattice-simp lattice tokens words --case lower"
ATTACHED = "punctuation differs (words: attached, lower: detached): lattice-simp lattice tokens words --language CODE"


@pytest.mark.parametrize(
    "command",
    [
        ("lattice", "oracle", "words"),
        ("tune", "nbest", "words", "--weights", "w", "--output", "tuned"),
    ],
    ids=" ".join,
)
def test_references_of_another_form_are_reported(call, folder, command):
    sentences = ["The mayor resigned, at last.", "Nobody in Vienna came.", "It rained, they say."]
    rows = [f"{number} ||| {sentence} ||| F= -1 ||| -1" for number, sentence in enumerate(sentences)]
    lower = [sentence.lower().replace(".", " .").replace(",", " ,") for sentence in sentences]
    for name, lines in {"words": rows, "lower": lower, "same": sentences}.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    stderr = call(*command, "--reference", "lower").stderr
    assert OTHER_FORMS in stderr
    assert ATTACHED in stderr
    assert "differs" not in call(*command, "--reference", "same").stderr

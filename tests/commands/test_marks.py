"""Commands that count, print or score words skip marks and the labels of --ignore."""

from __future__ import annotations

import re

import pytest

from lattice_simp import Hypothesis, Lattice, write, write_nbest
from lattice_simp.core.marks import MARKS

STRINGS = [
    ("!SENT_START book it !SENT_END </s>", 1.0),
    ("!SENT_START <sil> look it !SENT_END </s>", 2.0),
    ("!ENTER book [noise] uh !EXIT", 3.0),
]
LISTED = [Hypothesis(tuple(words.split()), cost, {"f": -cost}) for words, cost in STRINGS]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Lattice.from_strings(STRINGS), tmp_path / "a.slf")
    write_nbest([(0, LISTED), (1, LISTED[:2])], tmp_path / "a.nbest")
    write_nbest([(0, [Hypothesis(("<s>", "book", "</s>"), 0.0)])], tmp_path / "skeleton.nbest")
    (tmp_path / "reference").write_text("<s> book it </s>\n")
    (tmp_path / "references").write_text("book it\nlook it\n")
    (tmp_path / "hypothesis").write_text("<s> book it </s>\n")
    (tmp_path / "weights.tsv").write_text("feature\tweight\nf\t1\n")
    return tmp_path


PRINTING = [
    "lattice nbest a.slf -n 9",
    "lattice nbest a.nbest -n 9",
    "lattice nbest a.nbest -n 9 --moses",
    "lattice mbr a.nbest",
    "lattice mbr a.nbest --utility chrf",
    "lattice mbr a.slf",
    "lattice mbr a.slf --utility wer",
    "lattice confidence a.slf",
    "lattice confidence a.slf --hypotheses hypothesis",
    "lattice confidence a.nbest",
    "lattice confusion a.slf",
    "lattice compose a.nbest skeleton.nbest",
    "lattice tokens a.nbest",
    "lattice texts a.nbest -n 3",
    "lattice info a.slf",
    "combine a.nbest a.nbest",
]


@pytest.mark.parametrize("command", PRINTING)
def test_no_mark_is_printed(call, files, command):
    done = call(*command.split())
    assert done.returncode == 0, done.stderr
    assert "book" in done.stdout
    printed = set(re.split(r"\s+", done.stdout))
    assert not printed & (MARKS - {"<epsilon>"})
    if command.startswith(("lattice info", "combine", "lattice confidence")):
        return
    assert "uh" in printed or "confidence" in command
    without = call(*command.split(), "--ignore", "uh it")
    assert without.returncode == 0, without.stderr
    assert not set(re.split(r"\s+", without.stdout)) & {"uh", "it"}


@pytest.mark.parametrize("command", ["lattice nbest a.slf", "lattice mbr a.nbest", "lattice confidence a.slf"])
def test_marks_are_words_on_request(call, files, command):
    assert "!SENT_START" in call(*command.split(), "--keep-marks").stdout


@pytest.mark.parametrize("source", ["a.slf", "a.nbest"])
def test_oracles_compare_words(call, files, source):
    reference = "reference" if source == "a.slf" else "references"
    done = call("lattice", "oracle", source, "--reference", reference)
    assert done.returncode == 0, done.stderr
    assert "oracle WER\t0.00" in done.stdout
    bleu = call("lattice", "oracle", source, "--reference", reference, "--metric", "bleu", "-o", "best.txt")
    assert bleu.returncode == 0, bleu.stderr
    assert (files / "best.txt").read_text().splitlines()[0] == "book it"


def test_a_skeleton_between_marks_is_found(call, files):
    done = call("lattice", "compose", "a.nbest", "skeleton.nbest")
    assert "1 without skeleton hypotheses" in done.stderr
    first = [line for line in done.stdout.splitlines() if line.startswith("0 ")]
    assert [line.split(" ||| ")[1] for line in first] == ["book it", "book uh"]


def test_models_score_and_tune_words(call, files):
    (files / "lm.arpa").write_text(
        "\\data\\\nngram 1=5\n\n\\1-grams:\n-9 <unk>\n0 <s> 0\n-1 book\n-2 it\n-0.5 </s>\n\n\\end\\\n"
    )
    done = call("rescore", "nbest", "a.nbest", "--model", "LM=lm.arpa")
    assert done.returncode == 0, done.stderr
    assert "0 ||| book it ||| f= -1 LM= -8.059" in done.stdout
    tuned = call(*"tune nbest a.nbest --reference references --weights weights.tsv --output tuned.tsv".split())
    assert tuned.returncode == 0, tuned.stderr
    assert "BLEU 0.00 before" in tuned.stderr or "before, 100.00 after" not in tuned.stderr

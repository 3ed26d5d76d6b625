"""Operations on n-best lists write lists of the same hypotheses: none is lost or merged silently."""

from __future__ import annotations

import math
from itertools import product

import pytest

from lattice_simp import Hypothesis, read_nbest, write_nbest

MARKED = """0 ||| a !SIL b ||| f= -1 ||| -1
0 ||| a b ||| f= -2 ||| -2
0 ||| a c ||| f= -1 ||| -3
0 ||| a c ||| f= -2 ||| -4
1 ||| a ||| f= -1 ||| -1
"""

ARPA = "\\data\\\nngram 1=5\n\n\\1-grams:\n-2 <unk>\n0 <s> 0\n-1 a\n-1 b\n0 </s>\n\n\\end\\\n"

WORD = math.log(10)
"""The cost of a word that the model knows; it charges twice that for another one."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.nbest").write_text(MARKED)
    (tmp_path / "lm.arpa").write_text(ARPA)
    return tmp_path


def rows(done):
    """Returns the words and the costs of the n-best lists that a command printed."""
    assert done.returncode == 0, done.stderr
    fields = [line.split(" ||| ") for line in done.stdout.splitlines()]
    return [(words, pytest.approx(-float(total))) for _, words, _, total in fields]


@pytest.mark.parametrize(
    "command", [["minimize"], ["determinize"], ["prune", "--beam", 9], ["lm", "--model", "lm.arpa"]]
)
def test_no_hypothesis_is_lost(call, files, command):
    """The minimal lattice of these 128 strings has 14 arcs."""
    strings = [Hypothesis(words, 1.0) for words in product(*(f"a{place} b{place}".split() for place in range(7)))]
    write_nbest([(0, strings), (1, strings)], files / "two.nbest")
    done = call("lattice", command[0], "two.nbest", *command[1:], "--output", "out.nbest")
    assert done.returncode == 0
    unknown = "two.nbest: 508 of 508 words unknown to the model (most often"
    assert done.stderr.startswith(unknown) if command[0] == "lm" else done.stderr == ""
    for entries in read_nbest(files / "out.nbest"):
        assert {entry.tokens for entry in entries} == {entry.tokens for entry in strings}
        assert len(entries) == 128


@pytest.mark.parametrize(
    ("command", "source", "name"),
    [
        (("lattice", "lm", "k.nbest", "--model"), "k.nbest", "the model"),
        (("lattice", "lm", "k.nbest", "--id", 1, "--model"), "k.nbest", "the model"),
        (("rescore", "nbest", "k.nbest", "--model"), "k.nbest", "NGram"),
        (("combine", "k.nbest", "k.nbest", "--lm"), "the systems' outputs", "the model"),
    ],
)
def test_many_unknown_words(call, files, command, source, name):
    """Pieces of words, or words in another case, get scores that mean nothing."""
    assert "unknown" not in call(*command, "lm.arpa").stderr
    (files / "upper.arpa").write_text(ARPA.replace("-1 a", "-1 A"))
    done = call(*command, "upper.arpa")
    assert done.returncode == 0
    assert f"{source}: " in done.stderr
    assert f" words unknown to {name} (most often a" in done.stderr


@pytest.mark.parametrize("command", [["minimize"], ["determinize"], ["prune", "--beam", 9]])
def test_labels_stay_where_words_do_not_matter(call, files, command):
    done = call("lattice", command[0], "k.nbest", *command[1:])
    assert rows(done) == [("a !SIL b", 1.0), ("a b", 2.0), ("a c", 3.0), ("a", 1.0)]


def test_the_words_that_a_model_scored_are_written(call, files):
    scored = ("lattice", "lm", "k.nbest", "--model", "lm.arpa")
    a_b, a_c, a = 2 * WORD, 3 * WORD, WORD
    assert rows(call(*scored)) == [("a b", 1 + a_b), ("a b", 2 + a_b), ("a c", 3 + a_c), ("a", 1 + a)]
    kept = rows(call(*scored, "--keep-marks"))
    assert kept == [("a b", 2 + a_b), ("a c", 3 + a_c), ("a !SIL b", 1 + 4 * WORD), ("a", 1 + a)]
    ignored = rows(call(*scored, "--ignore", "b"))
    assert ignored == [("a", 1 + a), ("a", 2 + a), ("a c", 3 + a_c), ("a", 1 + a)]


@pytest.mark.parametrize(
    ("command", "count"),
    [
        ("prune k.nbest --beam 9", "1 hypothesis"),
        ("prune k.nbest --beam 9 --id 0", "1 hypothesis"),
        ("convert k.nbest out/ --to features", "1 hypothesis"),
        ("nbest k.nbest --no-unique", "1 hypothesis"),
        ("compose k.nbest k.nbest", "2 hypotheses"),
        ("compose k.nbest k.nbest --keep-marks", "1 hypothesis"),
        ("mbr k.nbest", "2 hypotheses"),
        ("mbr k.nbest --keep-marks", "1 hypothesis"),
    ],
)
def test_repeated_strings_are_reported(call, files, command, count):
    done = call("lattice", *command.split())
    assert done.returncode == 0, done.stderr
    assert f"k.nbest: left out {count} with the words of a better one of the same sentence\n" in done.stderr


def test_composed_lists_keep_marks_on_request(call, files):
    """Each string has its own features."""
    (files / "b.nbest").write_text("0 ||| b ||| ||| 0\n")
    done = call("lattice", "compose", "k.nbest", "b.nbest", "--keep-marks")
    assert done.stdout.splitlines()[:2] == [
        "0 ||| a !SIL b ||| f= -1 Skeleton= 0 ||| -1",
        "0 ||| a b ||| f= -2 Skeleton= 0 ||| -2",
    ]


def test_the_best_string_has_marks_on_request(call, files):
    for option, text in (([], "a b"), (["--keep-marks"], "a !SIL b")):
        done = call("lattice", "info", "k.nbest", "--id", 0, *option)
        assert done.stdout.splitlines()[-1] == f"best string\t{text}"

"""N-best lists of SRILM and Decipher."""

from __future__ import annotations

import gzip
import math
import re
import warnings
from pathlib import Path

import pytest
from format_helpers import fuzz_file

import lattice_simp as ls
from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import stream_sentences
from lattice_simp.formats.srilm.lists import is_srilm

BYTELOG = 1024 * math.log(1.0001)
LOG10 = math.log(10)
SCORED = "NBestList1.0\n(-500) the cat\n(-510.5) -pau- a café\n(-600)\n"
TIMED = """NBestList2.0
(-900) the ( st: 0.10 et: 0.29 g: -20 a: -380 ) dh ( st: 0.10 et: 0.19 g: 0 a: -180 ) \
ax ( st: 0.20 et: 0.29 g: -20 a: -200 ) cat ( st: 0.40 et: 0.69 g: -50 a: -450 ) \
k-1 ( st: 0.40 et: 0.40 g: 0 a: -9 ) t ( st: 0.69 et: 0.69 g: 0 a: -9 )
(-950) hat ( st: 0.30 et: 0.69 g: -70 a: -880 )
"""
PLAIN = "-20.5 -4 3 -pau- the old cat\n-21 -3.75 2 the_old cat\n-30 -1e1 0\n"


def sentences(path: Path, text: str, **options: str) -> list[Sentence]:
    path.write_text(text, encoding="utf-8")
    return list(stream_sentences(path, **options))


def test_lists_with_scores(tmp_path: Path) -> None:
    for text in (SCORED, SCORED.replace("\n", "\r\n"), f"\ufeff{SCORED}"):
        [sentence] = sentences(tmp_path / "x", text)
        assert [entry.text for entry in sentence.hypotheses] == ["the cat", "-pau- a café", ""]
        expected = [score * BYTELOG for score in (-500, -510.5, -600)]
        assert [entry.score for entry in sentence.hypotheses] == pytest.approx(expected, rel=1e-7)


def test_lists_with_times(tmp_path: Path) -> None:
    """Phones and states are left out; a word ends a frame after the time of its last frame."""
    [sentence] = sentences(tmp_path / "x", TIMED)
    first, second = sentence.hypotheses
    assert (first.text, first.times) == ("the cat", ((0.1, 0.3), (0.4, 0.7)))
    assert (second.text, second.times) == ("hat", ((0.3, 0.7),))
    assert first.score == pytest.approx(-900 * BYTELOG, rel=1e-7)
    assert first.features == {name: pytest.approx(value * BYTELOG) for name, value in (("acoustic", -830), ("lm", -70))}
    [(name, lattice)] = ls.read_all(tmp_path / "x")
    timed = [(entry.word, round(entry.begin, 6), round(entry.duration, 6)) for entry in ls.timed_words(lattice)]
    assert (name, timed) == ("x", [("the", 0.1, 0.2), ("cat", 0.4, 0.3)])


def test_a_word_may_begin_at_the_time_of_the_last_frame(tmp_path: Path) -> None:
    text = TIMED.replace("cat ( st: 0.40", "cat ( st: 0.29")
    assert sentences(tmp_path / "x", text)[0].hypotheses[0].text == "the cat"


def test_lists_without_a_header(tmp_path: Path) -> None:
    [sentence] = sentences(tmp_path / "x", PLAIN)
    assert [entry.text for entry in sentence.hypotheses] == ["-pau- the old cat", "the_old cat", ""]
    first = sentence.hypotheses[0]
    assert first.features == {"acoustic": -20.5 * LOG10, "lm": -4 * LOG10, "words": 3.0}
    assert first.score == pytest.approx(-24.5 * LOG10)
    [chosen] = sentences(tmp_path / "x", PLAIN, cost="lm")
    assert [entry.score for entry in chosen.hypotheses] == [score * LOG10 for score in (-4, -3.75, -10)]
    lattice = ls.Lattice.from_nbest(sentence.hypotheses)
    assert ls.nbest(ls.reweight(lattice, {"acoustic": 1, "lm": 0, "words": 9}))[0].text == "the old cat"
    assert ls.nbest(ls.reweight(lattice, {"acoustic": 0, "lm": 1, "words": 0}))[0].text == "the_old cat"


@pytest.mark.parametrize(
    "text",
    [
        "120.5 4 2 a cat\n110 3.5 3 -pau- a hat\n",
        "0 0 2 a cat\n0 0 3 an old hat\n",
        "-2000 -30 2 a cat\n",
        "0 -0 1 cat\n",
    ],
)
def test_scores_of_any_sign_without_a_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings(action="ignore"):
        hypotheses = ls.read_nbest(path)[0]
    assert [entry.tokens for entry in hypotheses] == [tuple(line.split()[3:]) for line in text.splitlines()]


@pytest.mark.parametrize(
    "text",
    ["0 1 1 a\n1 2 1 b\n2\n", "0 1 2 3 0.5\n", "3 4 2 large houses stood\n", "1 2 2 a 7\n1\n", "0 0 3 a cat\n0 0 0\n"],
)
def test_other_texts_are_no_lists(text: str) -> None:
    assert not is_srilm(text.encode())


def test_lines_that_are_cut_off_are_named(tmp_path: Path) -> None:
    """The parts of a multiword count; a line may have further words, such as pauses, but no fewer."""
    path = tmp_path / "u.score"
    path.write_text("-20.5 -4.0 3 a_b cat\n-21.5 -4.5 1 -pau- cat\n-22.5 -5.0 2 th")
    with pytest.warns(InputWarning, match=r"u.score:3: fewer words than the line says") as caught:
        assert len(ls.read_nbest(path)[0]) == 3
    assert len(caught) == 1


def test_lists_survive_moses_and_json(tmp_path: Path) -> None:
    for text in (SCORED, PLAIN):
        [sentence] = sentences(tmp_path / "x", text)
        for name in ("y.nbest", "y.jsonl"):
            ls.write_nbest([sentence], tmp_path / name)
            assert ls.read_nbest(tmp_path / name) == [sentence.hypotheses]


def test_files_have_the_names_of_utterances(tmp_path: Path) -> None:
    (tmp_path / "lists" / "a").mkdir(parents=True)
    (tmp_path / "lists" / "talk.0010").write_text(SCORED)
    (tmp_path / "lists" / "talk.0009.score.gz").write_bytes(gzip.compress(PLAIN.encode()))
    (tmp_path / "lists" / "a" / "u").write_text(TIMED + SCORED)
    read = {name: (lattice.header.name, ls.nbest(lattice)[0].text) for name, lattice in ls.read_all(tmp_path / "lists")}
    assert read == {
        "a/u-0": ("a/u-0", "the cat"),
        "a/u-1": ("a/u-1", "the cat"),
        "talk.0009": ("talk.0009", "the old cat"),
        "talk.0010": ("talk.0010", "the cat"),
    }
    assert [name for name, _ in ls.read_all(tmp_path / "lists" / "talk.0010")] == ["talk.0010"]
    assert [sentence.name for sentence in stream_sentences(tmp_path / "lists" / "talk.0010")] == ["talk.0010"]
    assert [name for name, _ in ls.read_all(tmp_path / "lists" / "a" / "u")] == ["0", "1"]


BROKEN = {
    "version": ("NBestList3.0\n(-1) a\n", 1, "the unknown version '3.0'"),
    "no brackets": (SCORED.replace("(-510.5)", "-510.5"), 3, "not a score in brackets: '-510.5'"),
    "no number": (SCORED.replace("-510.5", "nan"), 3, "not a score in brackets: '(nan)'"),
    "large": (SCORED.replace("-510.5", "1e300"), 3, "not a score in brackets: '(1e300)'"),
    "cut off": (TIMED.rstrip(" )\n"), 3, "not a word with its times and scores: 'hat ( st:"),
    "no backtrace": (TIMED.replace("hat (", "hat hat ("), 3, "not a word with its times and scores: 'hat hat"),
    "backwards": (TIMED.replace("0.30", "0.80"), 3, "a word that ends before it begins"),
    "infinite": (TIMED.replace("0.69 g: -70", "1e999 g: -70"), 3, "numbers too large: 'hat'"),
    "too large": (TIMED.replace("-880", "-1e200"), 3, "numbers too large: 'hat'"),
    "no scores": (PLAIN.replace("-21 -3.75", "-21 -inf"), 2, "not two scores and the number of words: '-21 -inf 2'"),
    "no count": (PLAIN.replace(" 2 the", " the"), 2, "not two scores and the number of words: '-21 -3.75 the_old'"),
    "short": (PLAIN.replace("-30 -1e1 0", "-30"), 3, "not two scores and the number of words: '-30'"),
    "no feature": (SCORED, 2, "the feature 'lm', which replaces the score, is missing"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_lists(tmp_path: Path, name: str) -> None:
    text, line, message = BROKEN[name]
    options = {"cost": "lm"} if name == "no feature" else {}
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        sentences(tmp_path / "x", text, **options)
    assert (str(caught.value.path), caught.value.line, bool(caught.value.remedy)) == (str(tmp_path / "x"), line, True)


@pytest.mark.parametrize(
    "text",
    [
        "0 1 2 3 0.5\n1\n",  # an automaton with costs
        "-5 -3 2 cats and dogs\n",  # no score with a point
        "-1.5 -2.5 7 houses\n",  # fewer words than counted
        "-1.5 0.5 a cat\n",
    ],
)
def test_other_files_are_no_lists(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(FormatError, match="not like n-best lists"):
        ls.read_nbest(tmp_path / "x")


def test_any_bytes_are_read_or_refused(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        for sentence in stream_sentences(path):
            ls.Lattice.from_nbest(sentence.hypotheses)

    for text in (SCORED, TIMED, PLAIN):
        fuzz_file(tmp_path / "x", text.encode(), read, seconds=0.1)

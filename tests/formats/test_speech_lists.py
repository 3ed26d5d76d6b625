"""N-best lists of recognisers as text: labels of HTK, results of Julius and icefall, CTM."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import pytest
from format_helpers import fuzz_file, rounded

import lattice_simp as ls
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.formats import format_of_data
from lattice_simp.formats.ctm import ctm_fields, is_ctm, stream_ctm
from lattice_simp.formats.nbest import stream_sentences

MLF = """#!MLF!#
"*/u-1.rec"
0 900000 the -6.5
900000 2100000 cat -9
.

"*/u-2.rec"
.
"*/u-3.rec"
0 2100000 l\\'eau -3
///
0 900000 5 -4
900000 2100000 "caf\\303\\251" -1
.
"""
JULIUS = """### read waveform input
pass1_best: yes
sentence1:  the cat
wseq1: <s> the cat </s>
cmscore1: 1.000 0.812 0.9 1.000
score1: -20.500000 (AM: -18.000000  LM: -2.500000)
sentence2: a cat
score2: -21 (AM: -18  LM: -3)
---- begin confusion network ---
(the:0.700)  (a:0.300)
---- end confusion network ---

<search failed>
<input rejected by short input>
sentence1: yes
score1: -5 (AM: -4  LM: -1)
"""


def lists_of(path: Path, text: str) -> list[list[tuple[str, float]]]:
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings(action="ignore"):
        return [[(entry.text, entry.cost) for entry in entries] for entries in ls.read_nbest(path)]


def test_labels_of_htk(tmp_path: Path) -> None:
    path = tmp_path / "x"
    wanted = [[("the cat", 15.5)], [], [("l'eau", 3.0), ("5 café", 5.0)]]
    for text in (MLF, MLF.replace("\n", "\r\n"), f"\ufeff{MLF}"):
        assert lists_of(path, text) == wanted
    lattices = dict(ls.read_all(path))
    assert list(lattices) == ["u-1", "u-2", "u-3"]
    words = [(word.word, word.begin, word.duration) for word in ls.timed_words(lattices["u-1"])]
    assert words == [("the", 0.0, 0.09), ("cat", 0.09, 0.12)]
    assert lattices["u-3"].header.name == "u-3"


def test_labels_without_scores_and_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "x"
    plain = re.sub(r" -\d.*", "", MLF)
    assert lists_of(path, plain) == [[("the cat", 0.0)], [], [("l'eau", math.log(2)), ("5 café", math.log(2))]]
    assert lists_of(path, re.sub(r"(?m)^\d+ \d+ ", "", plain)) == lists_of(path, plain)
    assert lists_of(path, "0 900000 the -6.5\n900000 2100000 cat -9\n") == [[("the cat", 15.5)]]
    assert lists_of(path, "0 900000 a -6.5\n///\n0 900000 the -7\n") == [[("a", 6.5), ("the", 7.0)]]
    assert format_of_data(b"0 1 a 0.5\n1\n") == format_of_data(b"0 10000 a 0.5\n0 20000 b 0.5\n") == "att"


ALIGNED = """#!MLF!#
"u-1"
0 300000 s2 -2.0 dh -3.0 the -0.5
300000 400000 s3 -1.0
400000 600000 s2 -4 ax -4
600000 900000 s2 -8 k -8 cat -1.5
///
0 900000 s2 -20 ax -20 a
.
"""


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        (ALIGNED, [17.0, 20.0]),
        (re.sub(r"s\d -?[\d.]+ (?=[dak])|.*s3.*\n", "", ALIGNED), [17.0, 20.0]),
        (re.sub(r'(?s)^.*-1"\n|\.\n$', "", ALIGNED), [17.0, 20.0]),
        (ALIGNED.replace("///", "///\n///"), [17.0, 20.0]),
    ],
    ids=["states and phones", "phones", "no header", "empty alternative"],
)
def test_alignments_of_htk_hold_words_in_the_last_level(tmp_path, text, costs):
    assert lists_of(tmp_path / "x", text) == [[*zip(["the cat", "a"], costs, strict=True)]]
    times = [rounded(entry.times) for entry in ls.read_nbest(tmp_path / "x")[0]]
    assert times == [[[0.0, 0.06], [0.06, 0.09]], [[0.0, 0.09]]]


def test_results_of_julius(tmp_path: Path) -> None:
    """Scores become natural logs; inputs without a result are sentences without hypotheses."""
    path = tmp_path / "x"
    nats = math.log(10)
    assert lists_of(path, JULIUS) == [
        [("the cat", 20.5 * nats), ("a cat", 21 * nats)],
        [],
        [],
        [("yes", 5 * nats)],
    ]
    with pytest.warns(InputWarning) as caught:
        first = ls.read_nbest(path, cost="LM")[0]
    assert [entry.cost for entry in first] == pytest.approx([2.5 * nats, 3 * nats])
    assert first[0].features == {"AM": -18 * nats, "LM": -2.5 * nats}
    names = [str(warning.message).split(": ")[1].split(" (")[0] for warning in caught]
    assert names == ["confusion networks of Julius are not read"]
    assert [entry.confidences for entry in first] == [(0.812, 0.9), None]
    path.write_text(JULIUS.replace("wseq1: <s> the cat </s>\ncmscore1: 1.000", "cmscore1: 0.5"))
    assert ls.read_nbest(path)[0][0].confidences == (0.812, 0.9)
    path.write_text(JULIUS.replace("sentence1:  the cat", "sentence1: <s> the cat </s>"))
    assert ls.read_nbest(path)[0][0].confidences == (1.0, 0.812, 0.9, 1.0)
    path.write_text(JULIUS.replace("0.812 ", ""))
    with pytest.warns(InputWarning, match=":3: confidences that are not numbers from 0 to 1, one for each word"):
        assert ls.read_nbest(path)[0][0].confidences is None
    plain = re.sub(r"(?m)^(score|cmscore).*\n", "", JULIUS)
    assert lists_of(path, plain)[0] == [("the cat", math.log(2)), ("a cat", math.log(2))]


ALIGNMENT = """=== begin forced alignment ===
-- word alignment --
 id: from  to    n_score    unit
 ----------------------------------------
[   0   24]  -20.1  <s>\t[]
[  25   49]  -22.1  the\t[the]
[  50   99]  -22.1  cat\t[cat]
[ 100  110]  -22.1  </s>\t[]
re-computed AM score: -2500.5
-- phoneme alignment --
[   0   24]  -20.1  the
=== end forced alignment ===
"""


def test_alignments_of_julius_are_times(tmp_path):
    path = tmp_path / "x"
    path.write_text(JULIUS.replace("sentence2", f"{ALIGNMENT}sentence2"))
    with pytest.warns(InputWarning, match=":16: alignments of phonemes of Julius are not read"):
        assert [entry.times for entry in ls.read_nbest(path)[0]] == [((0.25, 0.5), (0.5, 1.0)), None]
    for before, after in (("[cat]", "[hat]"), ("[  50   99]", "[  50   39]")):
        path.write_text(JULIUS.replace("sentence2", f"{ALIGNMENT}sentence2").replace(before, after))
        with pytest.warns(InputWarning, match=":3: times of an alignment with other words than its sentence"):
            assert ls.read_nbest(path)[0][0].times is None


BROKEN = {
    "cut off": (MLF[:-2], 13, "the last utterance has no end"),
    "no name": (MLF.replace('"*/u-2.rec"', "u-2"), 7, "not the name of a label file: 'u-2'"),
    "words on a line": (MLF.replace("the -6.5", "the small"), 3, "several words on a line: 'the small'"),
    "words beside words": (MLF.replace("the -6.5", "the small").replace("cat -9", "cat"), 3, "several words on a line"),
    "words without times": ('#!MLF!#\n"x"\nthe\na cat\n.\n', 4, "several words on a line: 'a cat'"),
    "levels": (MLF.replace("the -6.5", "s2 x dh the"), 3, "labels of several levels"),
    "alternative without words": (
        MLF.replace("eau -3", "eau -3 l'eau -2"),
        12,
        "no word in this alternative, but labels of 2 levels in others of its utterance",
    ),
    "scores": (MLF.replace("-6.5", "-6.5 -7"), 3, "a score in the place of a label"),
    "score of a label": (MLF.replace("-6.5", "-inf"), 3, "not a finite number"),
    "a score is missing": (MLF.replace(" -6.5", ""), 2, "scores for some words of this utterance only"),
    "huge": (MLF.replace("-6.5", "-1e300"), 3, "not a finite number: '0 900000 the -1e300', beyond 1e100"),
    "escape": (MLF.replace("\\303", "\\377"), 13, "escapes that are not UTF-8"),
    "order": (JULIUS.replace("sentence2", "sentence3"), 7, "sentence3 out of order"),
    "digits": (JULIUS.replace("sentence2", "sentence" + "9" * 5000), 7, f"sentence{'9' * 20} out of order"),
    "score first": (JULIUS.replace("score2", "score3"), 8, "score3 out of order"),
    "no score": (JULIUS.replace("score2: -21", "score 2"), 7, "sentence2 has no score"),
    "infinite": (JULIUS.replace("score2: -21", "score2: -inf"), 8, "not a finite score"),
    "part": (JULIUS.replace("LM: -3", "LM: nan"), 8, "not a finite score"),
    "recognisers": (JULIUS.replace("### read waveform input", "[#0 _default]"), 1, "results of several recognisers"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named_with_their_line(tmp_path: Path, name: str) -> None:
    text, line, message = BROKEN[name]
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        lists_of(tmp_path / "x", text)
    assert (caught.value.line, bool(caught.value.remedy)) == (line, True)


def test_labels_have_no_features(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(MLF, encoding="utf-8")
    with pytest.raises(FormatError, match="the feature 'LM', which replaces the score, is missing"):
        ls.read_nbest(tmp_path / "x", cost="LM")


@pytest.mark.parametrize("text", [MLF, ALIGNED, JULIUS])
def test_any_bytes_are_read_or_refused(tmp_path: Path, text: str) -> None:
    with warnings.catch_warnings(action="ignore"):
        fuzz_file(tmp_path / "x", text.encode(), ls.read_nbest, seconds=0.3)


CTM = """\ufeff;; CATEGORY "0" "" ""
u-1 A 0.50 0.25 a 0.9 lex spk
u-1 A * * <ALT_BEGIN>
u-1 A 0.75 .5 cat NA
u-1 A 0.75 .1 @
u-1 A * * <ALT> 0.5
u-1 A 0.75 0.5 hat 0.4
u-1 A * * <ALT_END>
u-1 B 1 0.5 7
u-1 B 0.5 0.5 yes
2 A 0.25 0.5 no 1.0
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ctm(tmp_path, end):
    """Utterances of several channels have these in their names; alternatives become hypotheses of the same weight."""
    path = tmp_path / "x.ctm"
    path.write_text(CTM, encoding="utf-8", newline=end)
    sentences = list(stream_sentences(path))
    texts = [(sentence.name, [entry.text for entry in sentence.hypotheses]) for sentence in sentences]
    assert texts == [("u-1-A", ["a cat", "a hat"]), ("u-1-B", ["yes 7"]), ("2-A", ["no"])]
    entries = [entry for sentence in sentences for entry in sentence.hypotheses]
    assert [entry.cost for entry in entries] == [math.log(2), math.log(2), 0.0, 0.0]
    assert repr([entry.confidences for entry in entries]) == "[(0.9, nan), (0.9, 0.4), None, (1.0,)]"
    assert [entry.times for entry in entries][1:3] == [((0.5, 0.75), (0.75, 1.25)), ((0.5, 1.0), (1.0, 1.5))]


def alternatives(*choices, begin=0.5):
    """Returns the lines of alternatives, each a text of words, or of words and confidences between bars."""
    texts = [text.split("|" if "|" in text or any(map(str.isdigit, text)) else None) for text in choices]
    lines = [[f"u 1 {begin + place / 4} 0.25 {word}" for place, word in enumerate(words) if word] for words in texts]
    marks = ["u 1 * *  <alt_begin>", *["u 1 * * <ALT>"] * (len(choices) - 1)]
    rows = [row for mark, words in zip(marks, lines, strict=True) for row in (mark, *words)]
    return "".join(f"{row}\n" for row in (*rows, "u 1 * * <ALT_END>"))


def test_alternatives_of_several_words_in_ctm(tmp_path):
    """Alternatives may be empty or several words; all choices are hypotheses."""
    path = tmp_path / "x.ctm"
    path.write_text(alternatives("b c", "@", "", begin=2.0) + "u 1 1.5 0.25 a\n" + alternatives("x", "y", begin=3.0))
    [(name, hypotheses)] = [(sentence.name, sentence.hypotheses) for sentence in stream_sentences(path)]
    costs = {entry.text: round(math.exp(-entry.cost) * 6) for entry in hypotheses}
    assert (name, costs) == ("u", {"a b c x": 1, "a b c y": 1, "a x": 2, "a y": 2})
    assert hypotheses[-1].times is not None
    [(_, lattice)] = ls.read_all(path)
    assert sorted(entry.text for entry in ls.nbest(lattice, 10)) == sorted(costs)


@pytest.mark.parametrize(
    ("choices", "shares"),
    [
        (("b 0.6", "c 0.2"), {"b": 0.75, "c": 0.25}),
        (("c 0.2", "b 0.6", "b 0.2"), {"b": 0.8, "c": 0.2}),
        (("b 0.8|b 0.4", "@ 0.4"), {"b b": 0.6, "": 0.4}),
        (("b 0.25", "c 0.25", ""), {"": 0.5, "b": 0.25, "c": 0.25}),
        (("b 1.0", "c 0.0"), {"b": 1.0, "c": 0.0}),
        (("b 0.6", "c"), {"b": 0.5, "c": 0.5}),
        (("b 0.6", "@"), {"b": 0.5, "": 0.5}),
        (("b 0", "c 0"), {"b": 0.5, "c": 0.5}),
    ],
)
def test_alternatives_in_ctm_weigh_as_their_confidences(tmp_path, choices, shares):
    """The mean of the words of each; one without lines has the rest. Without one of the others, all weigh the same."""
    path = tmp_path / "x.ctm"
    path.write_text(f"u 1 0.5 0.25 a 0.9\n{alternatives(*choices, begin=1.0)}")
    [hypotheses] = ls.read_nbest(path)
    result = [(entry.text, round(math.exp(-entry.cost), 9)) for entry in hypotheses]
    assert result == [(f"a {text}".strip(), share) for text, share in shares.items()]
    assert [entry.cost for entry in hypotheses] == sorted(entry.cost for entry in hypotheses)


def test_many_alternatives_in_ctm(tmp_path):
    path = tmp_path / "x.ctm"
    path.write_text("".join(alternatives("a", "b", begin=float(place)) for place in range(50)))
    with pytest.warns(InputWarning, match=r"x.ctm:32: more than 100 hypotheses, so only the first of these"):
        [hypotheses] = ls.read_nbest(path)
    assert (len(hypotheses), hypotheses[-1].text) == (64, " ".join("b" * 6 + "a" * 44))


def test_unknown_confidences_of_ctm(tmp_path):
    """ROVER writes -1 where it has none; any other number below 0 is an error of the file."""
    path = tmp_path / "x.ctm"
    path.write_text("u 1 0.5 0.25 a -1.000000\nu 1 1.0 0.25 cat 0.5\nv 1 0.5 0.25 no -1\n")
    with warnings.catch_warnings(action="error"):
        [first], [second] = ls.read_nbest(path)
    assert repr(first.confidences) == "(nan, 0.5)"
    assert second.confidences is None


def test_overlapping_words_of_ctm_are_reported(tmp_path):
    """Lattices cannot hold them; lists can, and overlaps within rounding are no matter."""
    path = tmp_path / "x.ctm"
    path.write_text("u 1 0.5 0.50 a\nu 1 0.8 0.5 cat\nv 1 0.5 0.5 b\n")
    with warnings.catch_warnings(action="error"):
        assert ls.read_nbest(path)[0][0].times == ((0.5, 1.0), (0.8, 1.3))
    with pytest.warns(InputWarning, match="words that overlap in time follow each other in lattices"):
        assert len(list(ls.read_all(path))) == 2
    path.write_text("u 1 0.5 0.50 a\nu 1 0.97 0.5 cat\n")
    with warnings.catch_warnings(action="error"):
        assert len(list(ls.read_all(path))) == 1


def test_ctm_of_whole_seconds(tmp_path):
    (tmp_path / "x").write_text("u.wav 1 1 1 a\nu.wav 1 3 1 cat\n")
    assert [entry.times for entry in ls.read_nbest(tmp_path / "x")[0]] == [((1.0, 2.0), (3.0, 4.0))]
    assert not is_ctm(b"see 1 2 3 above\n")


def test_columns_of_whole_numbers_are_no_ctm():
    assert is_ctm(b"u 1 0 1 a\nu 1 1 1 5\n")
    assert is_ctm(b"u 1 0.0 1 5\n")
    assert not is_ctm(b"shared split 1 2 3\nshared split 4 5 6\n")


def test_ctm_of_a_lattice_is_read_again(tmp_path):
    entry = Hypothesis(("a", "cat"), times=((0.5, 0.75), (1.0, 1.5)), confidences=(0.9, 0.5))
    path = tmp_path / "x.ctm"
    path.write_text("".join(f"u 1 {row}\n" for row in ctm_fields(ls.timed_words(ls.Lattice.from_nbest([entry])))))
    [(name, lattice)] = ls.read_all(path)
    again = ls.shortest_path(lattice)
    assert (name, again.tokens, again.times) == ("u", entry.tokens, entry.times)
    assert again.confidences == pytest.approx(entry.confidences)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("u A 0.5 0.25 a\nu A 0.5 -0.25 b\n", r":2: not a word with times"),
        ("u A * * <ALT_BEGIN>\nu A 0.5 0.25 a\nu A * * <ALT>\n", r":3: no <ALT_END> at the end"),
        ("u A * * <ALT_BEGIN>\nu A 0.5 0.25 a\nv A 0.5 0.25 b\n", r":3: no <ALT_END> after <ALT_BEGIN>"),
        ("u A 0.5 0.25 a\nu A * * <ALT>\nu A 0.5 0.25 b\n", r":2: <ALT> without <ALT_BEGIN>"),
        ("u A 0.5 0.25 a\nv A 0.5 0.25 b\nu A 1.5 0.25 c\n", r":3: the utterance 'u' again"),
        ("u A 0.5 0.25 a\n" * 101 + "u A 0.5 0.25 b x\n", r":102: not a confidence"),
    ],
)
def test_broken_ctm(tmp_path, lines, message):
    (tmp_path / "x.ctm").write_text(lines)
    with pytest.raises(FormatError, match=message):
        list(stream_ctm(tmp_path / "x.ctm"))


def test_confidences_of_ctm_that_are_no_probabilities(tmp_path):
    (tmp_path / "x.ctm").write_text("u A 0.5 0.25 a 0.5\nu A 0.75 0.25 b -2\n")
    with pytest.warns(InputWarning, match=r"x.ctm:2: confidences are left out, as -2 is not a probability"):
        assert ls.read_nbest(tmp_path / "x.ctm")[0][0].confidences is None


ICEFALL = """u-1:\tref=['A', 'HAT']
u-1:\thyp=['A', "CAT'S"]
u-1:\ttimestamp_ref=[0.25, 0.5]
u-1:\ttimestamp_hyp=[(0.250, 0.500), (0.500, 1.000)]

u 2:\thyp=[]
u-3:\thyp=['YES', 'NO']
u-3:\ttimestamp_hyp=[0.5, 0.75]
"""


def test_results_of_icefall(tmp_path):
    path = tmp_path / "recogs.txt"
    path.write_text(ICEFALL)
    sentences = list(stream_sentences(path))
    assert [(sentence.name, sentence.hypotheses[0].tokens) for sentence in sentences] == [
        ("u-1", ("A", "CAT'S")),
        ("u 2", ()),
        ("u-3", ("YES", "NO")),
    ]
    times = [sentence.hypotheses[0].times for sentence in sentences]
    assert times == [((0.25, 0.5), (0.5, 1.0)), None, ((0.5, 0.75), (0.75, 0.75))]
    broken = ICEFALL.replace("[0.5, 0.75]", "[0.5, 0.6, 0.75]")
    path.write_text(broken + broken.replace("u", "v"))
    with pytest.warns(InputWarning, match="recogs.txt:8: times that are not those of the words are left out") as caught:
        assert ls.read_nbest(path)[2][0].times is None
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ("hyp=[]", "hyp=[", 6, "not a result"),
        ("hyp=[]", "hyp='A'", 6, "not a result"),
        ("hyp=[]", "hyp=[1]", 6, "not a list of words"),
        ("u 2:", "u 2", 6, "not a result"),
        ("u-1:\thyp", "u-1:\tref", 6, "no line u-1: with hyp="),
        ("u-3:\thyp", "u-3:\tref", None, "no line u-3: with hyp="),
    ],
)
def test_broken_results_of_icefall(tmp_path, before, after, line, message):
    (tmp_path / "x").write_text(ICEFALL.replace(before, after))
    with pytest.raises(FormatError, match=message) as caught:
        ls.read_nbest(tmp_path / "x")
    assert (caught.value.line, bool(caught.value.remedy)) == (line, True)


def test_any_bytes_of_icefall_are_read_or_refused(tmp_path):
    with warnings.catch_warnings(action="ignore"):
        fuzz_file(tmp_path / "x", ICEFALL.encode(), ls.read_nbest, seconds=0.3)

"""N-best lists of Moses and cdec."""

from __future__ import annotations

import itertools

import pytest
from format_helpers import COMPRESSIONS, fuzz_file
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError, InputWarning, InvalidLatticeError, LatticeSimpError, ScoreWarning
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_nbest, read_nbest, stream_sentences, write_nbest

MOSES = (
    "0 ||| a small cat ||| LexicalReordering0= -1.5 0 -0.25 Distortion0= 0 LM0= -12.3456 ||| -4.5\n"
    "0 ||| a cat ||| LexicalReordering0= -1e-05 0 -0.25 Distortion0= -2 LM0= -11 ||| -5\n"
    "1 |||  ||| LM0= -3 ||| -3.25\n"
)
MOSES_1 = {"d_0": 0.0, "d_1": -2.0, "lm": -1.0, "tm": -3.0, "w": -2.0}
CDEC = "0 ||| a small cat ||| Glue=1 LanguageModel=-3.5 ||| -4.5\n0 ||| a cat ||| Glue=2 ||| -5\n"


@pytest.mark.parametrize(("text", "style"), [(MOSES, "moses"), (CDEC, "cdec")])
@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_text_round_trip(tmp_path, text, style, suffix):
    (tmp_path / "in.txt").write_text(text)
    write_nbest(stream_sentences(tmp_path / "in.txt"), tmp_path / f"out{suffix}", style=style)
    groups = list(stream_sentences(tmp_path / f"out{suffix}"))
    write_nbest(groups, tmp_path / "again.txt", style=style)
    assert (tmp_path / "again.txt").read_text() == text
    assert groups == list(stream_sentences(tmp_path / "in.txt"))


def test_moses_line(tmp_path):
    path = tmp_path / "x"
    path.write_text(MOSES)
    (first, _), (last,) = read_nbest(path)
    assert first.text == "a small cat"
    assert [first.features[f"LexicalReordering0_{index}"] for index in range(3)] == [-1.5, 0.0, -0.25]
    assert (first.score, first.cost) == (-4.5, 4.5)
    assert last.tokens == ()


@pytest.mark.parametrize(
    ("line", "features", "total"),
    [
        ("3 ||| a b", {}, 0.0),
        ("3 ||| a b |||", {}, 0.0),
        ("3 ||| a  b ||| -1.5", {}, -1.5),
        ("3 |||\ta b ||| LM=-2 x=y=3 ", {"LM": -2.0, "x=y": 3.0}, 0.0),
        ("3 ||| a b ||| ||| -1.5", {}, -1.5),
        ("3 ||| a b |||  ||| -1.5", {}, -1.5),
        ("3 ||| a b ||| LM= -1 ||| -1.5 ||| 0-0 1-1 ||| more", {"LM": -1.0}, -1.5),
        ("3 ||| a b ||| LM= ||| -1.5", {}, -1.5),
        ("3||| a b ||| LM= -1", {"LM": -1.0}, 0.0),
        ("\ufeff3 ||| a b ||| ||| -1.5", {}, -1.5),
        ("3 ||| a b ||| d: 0 -2 lm: -1 tm: -3 w: -2 ||| -1.5", MOSES_1, -1.5),
        ("3 ||| a b ||| -1 -2e-1 ||| -1.5", {"Feature0": -1.0, "Feature1": -0.2}, -1.5),
        ("3 ||| a b ||| -1 LM= -2 ||| -1.5", {"Feature0": -1.0, "LM": -2.0}, -1.5),
        ("3 ||| a b ||| tm_pt_0=-1 lm_0=-2 ||| -1.5 ||| 0-0 1-1", {"tm_pt_0": -1.0, "lm_0": -2.0}, -1.5),
        ("3 ||| a b ||| 0-0 1-1 ||| F0= -1 ||| -1.5", {"F0": -1.0}, -1.5),
        ("3 ||| a b ||| 0-0 ||| WordScores= -1 -2 -3 ||| F0= -1 F1= -2 ||| -1.5", {"F0": -1.0, "F1": -2.0}, -1.5),
        ("3 ||| a b ||| WordScores= -1 -2 ||| F0= -1 ||| -1.5", {"F0": -1.0}, -1.5),
        ("3 ||| a b ||| 0.9,0.1 1e-05,1 ||| F0= -1 ||| -1.5", {"F0": -1.0}, -1.5),
        ("3 ||| a b ||| 1 1 1 ||| F0= -1 ||| -1.5", {"F0": -1.0}, -1.5),
        ("3 ||| a b ||| ||| F0= -1 ||| -1.5", {"F0": -1.0}, -1.5),
        ("3 ||| a b ||| -1.5 ||| lm=-1 unk=0", {"lm": -1.0, "unk": 0.0}, -1.5),
    ],
)
@pytest.mark.filterwarnings("ignore::lattice_simp.errors.InputWarning")
def test_missing_and_further_columns(tmp_path, line, features, total):
    path = tmp_path / "x"
    path.write_text(f"{line}\n")
    assert read_nbest(path) == [[], [], [], [Hypothesis(("a", "b"), 0.0 - total, features)]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0||| a", True),
        ("\ufeff12 ||| a", True),
        ("0 |||", True),
        ("0 1 ||| 2", False),
        ("0 |||| a", False),
        ("", False),
    ],
)
def test_a_list_is_detected_by_its_first_line(tmp_path, text, expected):
    (tmp_path / "x").write_text(f"{text}\n", encoding="utf-8")
    assert is_nbest(tmp_path / "x") is expected


def test_odd_tokens(tmp_path):
    path = tmp_path / "x"
    path.write_text("0 ||| a|||b || c=1 \u2028\u00a0 ||| f= 1 ||| -2\n", encoding="utf-8")
    assert read_nbest(path)[0][0].text == "a|||b || c=1 \u2028\u00a0"


def test_missing_sentences_come_as_empty_lists(tmp_path):
    path = tmp_path / "x"
    path.write_text("2 ||| a ||| ||| -1\n2 ||| b ||| ||| -2\n5 ||| c ||| ||| -3\n")
    assert [(n, [h.text for h in group]) for n, group, *_ in stream_sentences(path)] == [
        (0, []),
        (1, []),
        (2, ["a", "b"]),
        (3, []),
        (4, []),
        (5, ["c"]),
    ]
    groups = list(stream_sentences(path, first_id=1))
    assert [(n, len(group)) for n, group, *_ in groups] == [(0, 0), (1, 2), (2, 0), (3, 0), (4, 1)]
    write_nbest(groups, tmp_path / "y", first_id=1)
    assert (tmp_path / "y").read_text().replace("|||  |||", "||| |||") == path.read_text()
    with pytest.warns(InputWarning, match="y: no lines for the last 2 sentences, without hypotheses"):
        write_nbest([group.hypotheses for group in groups] + [[], []], tmp_path / "y")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x: the file is empty"),
        ("0 ||| a\n\nb\n", "x:3: not an n-best line"),
        ("a b c\n", "x: looks like plain text, not like n-best lists .*lattice collect"),
        ("-1 ||| a\n", "x:1: not an n-best line"),
        ("x ||| a\n", "x:1: not an n-best line"),
        ("-1.25 ||| a\n", "x:1: not an n-best line: .*write ids before the scores"),
        ("1 ||| a\n0 ||| b\n", "x:2: the id 0 is lower than 1 .*sort the list"),
        ("999999999999 ||| a\n", "x:1: the id jumps from 0 to 999999999999"),
        ("0 ||| a ||| LM= x ||| 1\n", "x:1: neither Name= nor a number: 'x'"),
        ("0 ||| a ||| LM= nan ||| 1\n", "x:1: a feature without a finite value: 'nan'"),
        ("0 ||| a ||| LM=inf ||| 1\n", "x:1: a feature without a finite value"),
        ("0 ||| a ||| LM=1 LM=2 ||| 1\n", "x:1: a feature twice: 'LM=2'"),
        ("0 ||| a ||| =1 ||| 1\n", "x:1: neither Name= nor a number"),
        ("0 ||| a ||| LM=-1.5;W=2 ||| 1\n", "x:1: several features without blanks .*: 'LM=-1.5;W=2'"),
        ("0 ||| a ||| LM= 1 ||| x\n", "x:1: the total is not a finite number: 'x'"),
        ("0 ||| a ||| LM= 1 ||| nan\n", "x:1: the total is not a finite number: 'nan'"),
        ("0 ||| ein ||| a ||| LM= 1 ||| 1\n", "x:1: neither Name= nor a number: 'a' .*columns of words"),
        ("0 ||| a ||| LM= 1 ||| 1\n0 ||| b ||| LM= 1\n", "x:2: no total, unlike the lines before .*give all"),
        ("0 ||| a ||| LM= 1 |||\n1 ||| b ||| LM= 1 ||| 2\n", "x:2: a total, unlike the lines before"),
    ],
)
def test_broken_lines(tmp_path, text, message):
    (tmp_path / "x").write_text(text)
    with pytest.raises(FormatError, match=message):
        list(stream_sentences(tmp_path / "x"))


def at_ids(kind, ids):
    """Returns a list of a hypothesis for each of some ids."""
    return "".join(
        f"{entry} ||| a\n" if kind == "moses" else f'{{"id": {entry}, "hypotheses": ["a"]}}\n' for entry in ids
    )


@pytest.mark.parametrize("kind", ["moses", "json"])
@pytest.mark.parametrize("first", [0, 1, 7, 10**9])
def test_gaps_up_to_the_limit_are_empty_lists_wherever_ids_begin(tmp_path, monkeypatch, kind, first):
    monkeypatch.setattr("lattice_simp.formats.list_lines.MAX_GAP", 3)
    path = tmp_path / "x"
    for before in ([], [first], [first, first + 1]):
        due = before[-1] if before and kind == "moses" else first + len(before)  # the current sentence counts as read
        path.write_text(at_ids(kind, [*before, due + 3]))
        lists = read_nbest(path, first_id=first)
        assert [first + number for number, ranked in enumerate(lists) if ranked] == [*before, due + 3]
        path.write_text(at_ids(kind, [*before, due + 4]))
        with pytest.raises(FormatError, match=f"the id jumps from {due} to {due + 4}"):
            read_nbest(path, first_id=first)
    path.write_text(at_ids(kind, [first]))
    assert len(read_nbest(path, first_id=first)) == 1
    if first:
        with pytest.raises(FormatError, match=f"the id {first} is lower than {first + 1}"):
            read_nbest(path, first_id=first + 1)


def test_ids_below_the_first(tmp_path):
    (tmp_path / "x").write_text("0 ||| a\n")
    with pytest.raises(FormatError, match=r"x:1: the id 0 is lower than 1 .*--first-id 0 \(first_id=0"):
        list(stream_sentences(tmp_path / "x", first_id=1))
    for number, first, remedy in ((0, 1, r"--first-id 0 \(first_id=0"), (-1, 0, "count the sentences from 0")):
        (tmp_path / "x").write_text(at_ids("json", [number]))
        with pytest.raises(FormatError, match=rf"x:1: the id {number} is lower than {first} .*{remedy}"):
            list(stream_sentences(tmp_path / "x", first_id=first))


@pytest.mark.parametrize(
    "entry",
    [
        Hypothesis(("a ||| b",)),
        Hypothesis(("a\nb",)),
        Hypothesis(("a",), 0.0, {"two names": 1.0}),
        Hypothesis(("a",), 0.0, {"": 1.0}),
        Hypothesis(("a",), 0.0, {"WordScores": 1.0}),
        Hypothesis(("a",), 0.0, {"x": float("nan")}),
        Hypothesis(("a",), float("inf")),
    ],
)
def test_what_cannot_be_written(tmp_path, entry):
    with pytest.raises(InvalidLatticeError, match="an n-best list cannot represent"):
        write_nbest([(0, [entry])], tmp_path / "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("names", [("TM", "TM_0", "TM_1"), ("TM_0", "TM_1", "TM")])
def test_numbered_features_beside_one_of_their_common_name(tmp_path, names):
    entry = Hypothesis(("a",), 1.0, dict.fromkeys(names, -2.0))
    write_nbest([(0, [entry])], tmp_path / "x")
    assert read_nbest(tmp_path / "x") == [[entry]]


_FLOATS = st.floats(-1e100, 1e100)
_WORDS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r|"), min_size=1), max_size=4
)
_NAMES = st.text("abXYZ=_019.-", min_size=1, max_size=5)


@given(_WORDS, st.dictionaries(_NAMES, _FLOATS, max_size=5), _FLOATS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_exact_round_trip(tmp_path_factory, words, features, total, moses):
    if not moses:  # a numeric name is safe only as a separate token
        features = {f"f{name}": value for name, value in features.items()}
    entry = Hypothesis(tuple(words), total, features)
    path = tmp_path_factory.getbasetemp() / "nbest"
    write_nbest([(0, [entry])], path, style="moses" if moses else "cdec")
    assert list(stream_sentences(path)) == [Sentence(0, [entry])]


def test_all_lists_at_once(tmp_path):
    (tmp_path / "x").write_text(MOSES)
    assert read_nbest(tmp_path / "x") == [group for _, group, *_ in stream_sentences(tmp_path / "x")]


def test_lists_are_streamed(tmp_path):
    (tmp_path / "x").write_text("0 ||| a\n1 ||| b\n2 ||| c ||| broken\n")
    assert len(list(itertools.islice(stream_sentences(tmp_path / "x"), 1))) == 1


def test_any_bytes_are_read_or_refused(tmp_path):
    for text, seconds in ((MOSES, 0.7), (CDEC, 0.4)):
        fuzz_file(
            tmp_path / "x",
            text.encode(),
            lambda path: list(itertools.islice(stream_sentences(path), 1000)),
            seconds=seconds,
        )


@pytest.mark.parametrize("name", ["x.jsonl", "x.nbest"])
def test_wrong_nesting_is_named_with_its_remedy(tmp_path, name):
    hypotheses = [Hypothesis(("a", "cat"), 1.0)]
    for groups in (hypotheses, [(0,)]):
        with pytest.raises(LatticeSimpError, match=r"expected lists of .* found .*write_nbest\(\[hypotheses\], path"):
            write_nbest(groups, tmp_path / name)
    with pytest.raises(LatticeSimpError, match=r"sentence 3: expected hypotheses, found \"'a cat'\""):
        write_nbest([(3, ["a cat"])], tmp_path / name)
    assert not list(tmp_path.iterdir())
    for groups in ([hypotheses], enumerate([hypotheses])):
        write_nbest(groups, tmp_path / name)
        assert [entry.text for entry in read_nbest(tmp_path / name)[0]] == ["a cat"]


def test_scales_weigh_the_features(tmp_path):
    path = tmp_path / "x"
    path.write_text("0 ||| a ||| f= -1 g= -4 ||| -9\n0 ||| b ||| f= -2 g= -1 ||| -1\n")
    assert [entry.cost for entry in read_nbest(path, scales={"g": 0.5})[0]] == [2.0, 0.5]
    assert [entry.cost for entry in read_nbest(path, scales={"f": 1.0, "g": 2.0})[0]] == [9.0, 4.0]
    with pytest.raises(FormatError, match=r"x: a hypothesis of sentence 0 has no feature 'h' \(its features are: f, g"):
        read_nbest(path, scales={"h": 1.0})
    with pytest.raises(LatticeSimpError, match="give one of them"):
        read_nbest(path, scales={"f": 1.0}, cost="g")


def test_unread_columns_are_reported_once(tmp_path):
    line = "0 ||| a b ||| 0-0 1-1 ||| WordScores= -1 -2 -3 ||| F0= -1 ||| -1.5 ||| 0-1=0-1 ||| \n"
    (tmp_path / "x").write_text(2 * line)
    with pytest.warns(InputWarning) as caught:
        assert [entry.features for entry in read_nbest(tmp_path / "x")[0]] == [{"F0": -1.0}] * 2
    messages = [str(warning.message).partition(" (")[0] for warning in caught]
    assert [message.rpartition("x:1: ")[2] for message in messages] == [
        "the alignments of words are not read",
        "the scores of words are not read",
        "columns after the total are not read",
    ]


def test_blank_lines_are_skipped(tmp_path):
    (tmp_path / "x").write_text("0 ||| a ||| ||| -1\n\n0 ||| b ||| ||| 2\n \n")
    with pytest.warns(ScoreWarning, match="x:3: "):
        assert [entry.text for entry in read_nbest(tmp_path / "x")[0]] == ["a", "b"]

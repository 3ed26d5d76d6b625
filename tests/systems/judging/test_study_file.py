"""The file of a study: valid content, and one line for each fault."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed (the extra 'judging')")
pytest.importorskip("yaml", reason="PyYAML is not installed (the extra 'judging')")

from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.systems.judging.questions import AnswerError, Choice, Errors, Rating, parsed, written
from lattice_simp.systems.judging.study_file import read_study

STUDY = """title: Simpler sentences
source: complex.txt
systems:
  hybrid: hybrid.txt
  moses: moses.txt
questions:
  fluency:
    kind: rating
    ask: Is it fluent?
raters: 2
"""


@pytest.fixture
def folder(tmp_path):
    for name in ("complex", "hybrid", "moses"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name}  line {n}\n" for n in range(4)), encoding="utf-8")
    return tmp_path


def write(folder, text=STUDY, **changes):
    for before, after in changes.values():
        assert before in text
        text = text.replace(before, after)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder / "study.yaml"


def lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def test_lines_of_texts_are_items(folder):
    study = read_study(write(folder))
    assert study.systems == ("hybrid", "moses")
    assert [item.id for item in study.items] == ["1", "2", "3", "4"]
    assert study.items[2].source == "complex line 2"
    assert study.items[2].outputs == {"hybrid": "hybrid line 2", "moses": "moses line 2"}
    assert (study.raters, study.texts, study.training) == (2, 1, ())
    again = type(study).model_validate_json(study.model_dump_json())
    assert again == study


def test_some_items_are_drawn_by_the_seed(folder):
    drawn = read_study(write(folder, items=("raters: 2", "raters: 2\nitems: 2\nseed: 5"))).items
    assert len(drawn) == 2
    assert drawn == read_study(folder / "study.yaml").items
    others = [read_study(write(folder, items=("raters: 2", f"raters: 2\nitems: 2\nseed: {n}"))).items for n in range(9)]
    assert len({tuple(item.id for item in items) for items in others}) > 1
    assert all(item.outputs["moses"] == f"moses line {int(item.id) - 1}" for items in others for item in items)


def test_json_lines_have_ids_and_may_meet_plain_texts(folder):
    lines(folder / "moses.txt", *({"id": f"doc.{n}", "text": f"moses  {n}", "more": 1} for n in range(4)))
    study = read_study(write(folder))
    assert [item.id for item in study.items] == ["doc.0", "doc.1", "doc.2", "doc.3"]
    assert study.items[1].outputs == {"hybrid": "hybrid line 1", "moses": "moses 1"}


def test_lists_in_place_of_outputs_are_told(folder):
    (folder / "moses.txt").write_text("".join(f"{n} ||| line ||| -1\n" for n in range(4)), encoding="utf-8")
    with pytest.warns(InputWarning, match="moses.txt: looks like an n-best list, and each line counts as a sentence"):
        read_study(write(folder))


def test_training_and_checks(folder):
    lines(folder / "some.jsonl", {"text": "cat a", "expect": {"fluency": [1, 2]}, "why": "The order."}, {"text": "a"})
    study = read_study(
        write(folder, some=("raters: 2", "raters: [Ada, Bob]\ntraining: some.jsonl\nchecks: some.jsonl"))
    )
    assert study.names == ("Ada", "Bob")
    assert study.training[0].missed({"fluency": 3}) == ["fluency"]
    assert study.checks[0].missed({"fluency": 2}) == study.checks[1].missed({"fluency": 2}) == []


PREFERENCE = {"question": ("kind: rating", "kind: preference")}

BROKEN = {
    "unknown field": ({"a": ("raters", "reters")}, "unknown field reters (did you mean raters?)"),
    "no questions": ({"a": ("title: Simpler sentences\n", "")}, "the field title is missing"),
    "kind": ({"a": ("kind: rating", "kind: rate")}, "questions.fluency: the kind is 'rate' (write kind: rating, "),
    "field of a question": ({"a": ("ask:", "asks:")}, "unknown field questions.fluency.asks (did you mean ask?)"),
    "scale": ({"a": ("ask:", "low: 5\n    ask:")}, "questions.fluency: the scale from 5 to 5 has no points"),
    "anchor": ({"a": ("ask:", "anchors: {0: bad}\n    ask:")}, "the anchor 0 is not on the scale"),
    "options": ({"a": ("kind: rating", "kind: choice\n    options: [a, a]")}, "names must be different"),
    "a column": ({"a": ("  fluency:", "  text:")}, "'text' is not a name of a question or a system"),
    "a tab": ({"a": ("  moses:", '  "a\\tb":')}, "'a\\tb' is not a name"),
    "no raters": ({"a": ("raters: 2", "raters: 0")}, "there are no raters"),
    "empty raters": ({"a": ("raters: 2", "raters: []")}, "there are no raters"),
    "twice": ({"a": ("raters: 2", "raters: [Ada, ' Ada']")}, "a name occurs twice"),
    "nameless": ({"a": ("raters: 2", "raters: ['']")}, "raters: the name is empty"),
    "too many items": ({"a": ("raters: 2", "items: 9")}, "items: 9 of 4 lines"),
    "missing file": ({"a": ("moses.txt", "moser.txt")}, "moser.txt: cannot be read"),
    "one system": (PREFERENCE | {"a": ("  moses: moses.txt\n", "")}, "a preference needs two systems"),
    "mixed": (
        {"a": ("kind: rating", "kind: preference\n    ask: Which?\n  other:\n    kind: choice")},
        "preferences cannot be mixed with other questions",
    ),
    "two markings": (
        {"a": ("kind: rating", "kind: errors\n    ask: Where?\n  other:\n    kind: errors")},
        "two questions mark errors",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_study_is_one_line(folder, name):
    changes, message = BROKEN[name]
    with pytest.raises(FormatError) as caught:
        read_study(write(folder, **changes))
    assert message in str(caught.value)
    assert str(folder) in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (["plain"] * 3, "has 3 lines, but "),
        ([], "the file is empty"),
        ([{"text": "a"}, {"text": 1}], 'moses.txt:2: "text" is missing or not text'),
        ([{"text": "a", "id": 1}, {"text": "b"}], "moses.txt:2: the id is missing"),
        ([{"text": "a", "id": 1}, {"text": "b", "id": 1}], "moses.txt:2: the id '1' occurs twice"),
        ([{"text": "a"}, [1]], "moses.txt:2: not a JSON object"),
    ],
)
def test_broken_outputs_are_one_line(folder, records, message):
    plain = "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)
    (folder / "moses.txt").write_text(plain, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_study(write(folder))
    assert message in str(caught.value)


def test_empty_lines_are_no_items_and_sources_without_outputs_are_refused(folder):
    (folder / "hybrid.txt").write_text("a\nb\n \nd\n", encoding="utf-8")
    assert len(read_study(write(folder)).items) == 4
    (folder / "moses.txt").write_text("a\nb\n\nd\n", encoding="utf-8")
    sources = (folder / "complex.txt").read_text(encoding="utf-8").splitlines()
    (folder / "complex.txt").write_text("\n".join([*sources[:2], "", *sources[3:]]), encoding="utf-8")
    assert [item.id for item in read_study(write(folder)).items] == ["1", "2", "4"]
    (folder / "complex.txt").write_text("\n".join(sources), encoding="utf-8")
    with pytest.raises(FormatError, match=r"hybrid\.txt:3: no system has a text \(delete the line in all files"):
        read_study(write(folder))


def test_outputs_with_other_ids_are_refused(folder):
    for name, ids in (("hybrid", "abcd"), ("moses", "abdc")):
        lines(folder / f"{name}.txt", *({"id": entry, "text": "x"} for entry in ids))
    with pytest.raises(FormatError, match=r"moses\.txt:3: the id 'd' is 'c' in .*hybrid\.txt"):
        read_study(write(folder))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "a", "hint": "b"}, "unknown field 'hint'"),
        ({"texts": ["a", "b"]}, "the number of texts is not 1"),
        ({"text": "a", "expect": {"style": 1}}, "expect: the study has no question 'style'"),
        ({"text": "a", "expect": {"fluency": [1, 9]}}, "expect: 9 is not a whole number from 1 to 5"),
        ({"text": "a", "expect": [1]}, '"expect" is not an object'),
        ({"text": "a", "why": 1}, '"source" and "why" must be strings'),
    ],
)
def test_broken_examples_are_one_line(folder, record, message):
    lines(folder / "some.jsonl", {"text": "fine"}, record)
    with pytest.raises(FormatError) as caught:
        read_study(write(folder, some=("raters: 2", "raters: 2\nchecks: some.jsonl")))
    assert f"some.jsonl:2: {message}" in str(caught.value)


def test_answers_are_written_and_read_again():
    questions = {
        "fluency": Rating(ask="?", low=-2, high=2),
        "right": Choice(ask="?", options=("right", "partly right")),
        "errors": Errors(ask="?", kinds=("missing word", "x")),
    }
    for answers in (
        {"fluency": -2, "right": "partly right", "errors": ()},
        {"fluency": 0, "right": "right", "errors": ((0, 0, "x"), (2, 5, "missing word"))},
    ):
        texts = {name: written(answer) for name, answer in answers.items()}
        assert parsed(questions, texts) == answers
    assert parsed(questions, {"fluency": " ", "right": "right"}) == {"right": "right"}
    for text in ("grammar", "3-", "x 3", "1 x;", "1-2"):
        with pytest.raises(AnswerError, match="marks no words"):
            parsed(questions, {"errors": text})

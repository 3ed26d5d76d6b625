"""The tables of studies whose judgements are made up: each figure by hand."""

from __future__ import annotations

import csv
import io

import pytest
from helpers import needs

pytest.importorskip("pydantic", reason="pydantic is not installed (the extra 'judging')")

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.judging.analysis import analyse
from lattice_simp.systems.judging.design import Role, Trial
from lattice_simp.systems.judging.export import COLUMNS, write_csv
from lattice_simp.systems.judging.questions import Rating
from lattice_simp.systems.judging.store import Judgement
from lattice_simp.systems.judging.study import Study
from tests.systems.judging.small_study import CHOICE, ERRORS, PREFERENCE, RATING, example, make_study

needs("judging", "nltk", "scipy")


def judgement(rater, item, systems, **answers):
    return Judgement(rater, Trial(Role.ITEM, item, tuple(systems)), answers, 0.0)


def rows(table):
    return [[cell.shown for cell in row] for row in table.rows]


def by_title(study, judgements, **options):
    return {table.title: table for table in analyse(study, judgements, **options)}


def test_ratings():
    study = make_study(items=3, systems="ab", questions=RATING | {"meaning": Rating(ask="?", low=0, high=2)})
    ratings = {"a": [(5, 2), (4, 2), (5, 1)], "b": [(2, 2), (1, 2), (2, 2)]}
    judgements = [
        judgement(rater, item, system, fluency=fluency, meaning=meaning)
        for rater in ("Ada", "Bob")
        for system, answers in ratings.items()
        for item, (fluency, meaning) in enumerate(answers)
    ]
    tables = by_title(study, judgements)
    assert list(tables) == ["Ratings", "Differences: fluency", "Differences: meaning", "Raters"]
    assert tables["Ratings"].columns == ("system", "items", "fluency", "95 %", "meaning", "95 %")
    a, b = rows(tables["Ratings"])
    assert a[:4] == ["a", "3", "4.67", "3.23 to 6.10"]  # as of 5, 4 and 5: the two raters agree
    assert b[:3] == ["b", "3", "1.67"]
    assert b[4:] == ["2.00", "2.00 to 2.00"]
    assert tables["Ratings"].notes[1].startswith("fluency: 12 ratings; ANOVA F(1, 10) = 101.25, p < 0.0001")
    assert tables["Ratings"].notes[1].endswith("Krippendorff's alpha (ordinal) 1.000")
    (row,) = rows(tables["Differences: fluency"])
    assert row[:3] == ["a", "b", "+3.00**"]
    assert row[5:] == ["3", "0", "0.2500"]


def test_the_share_of_right_outputs():
    """91 of 100 right, as such a figure is reported of sentence pairs."""
    study = make_study(items=100, systems="a", questions=CHOICE)
    judgements = [judgement("Ada", item, "a", right="right" if item < 91 else "wrong") for item in range(100)]
    tables = by_title(study, judgements)
    assert tables["right"].columns == ("system", "right", "wrong", "items", "right (items)", "%", "95 %")
    assert rows(tables["right"]) == [["a", "91", "9", "100", "91", "91.0", "83.8 to 95.2"]]
    assert list(tables) == ["right", "Raters"]  # nothing to compare


def test_an_item_is_right_if_most_raters_say_so():
    study = make_study(items=2, systems="ab", questions=CHOICE)
    votes = {("a", 0): "rrw", ("a", 1): "rww", ("b", 0): "rw", ("b", 1): "ww"}
    judgements = [
        judgement(f"rater {number}", item, system, right={"r": "right", "w": "wrong"}[letter])
        for (system, item), letters in votes.items()
        for number, letter in enumerate(letters)
    ]
    tables = by_title(study, judgements)
    assert [row[:6] for row in rows(tables["right"])] == [
        ["a", "3", "3", "2", "1", "50.0"],
        ["b", "1", "3", "2", "0", "0.0"],
    ]
    assert rows(tables["Differences: right"]) == [["a", "b", "1", "0", "1.0000"]]


def test_errors():
    study = make_study(items=2, systems="ab", questions=ERRORS)  # five words each
    judgements = [
        judgement("Ada", 0, "a", errors=((0, 1, "grammar"), (3, 3, "meaning"))),
        judgement("Ada", 1, "a", errors=()),
        judgement("Ada", 0, "b", errors=()),
        judgement("Ada", 1, "b", errors=()),
        judgement("Bob", 0, "a", errors=((0, 1, "grammar"),)),
    ]
    tables = by_title(study, judgements)
    assert tables["errors"].columns == (
        "system", "outputs", "grammar", "meaning", "per 100 words", "without errors, %"
    )  # fmt: skip
    assert rows(tables["errors"]) == [["a", "3", "2", "1", "20.00", "33.3"], ["b", "2", "0", "0", "0.00", "100.0"]]
    assert rows(tables["Differences: errors"]) == [["a", "b", "0", "1", "1.0000"]]
    # Of five words with two raters each, four agree; by hand: 1 - 9 * 2 / (100 - 4 ** 2 - 5 ** 2 - 1)
    assert "alpha (nominal) 0.690" in tables["errors"].notes[0]


def test_preferences():
    study = make_study(items=3, systems="abc", questions=PREFERENCE)
    judgements = [
        judgement("Ada", 0, "ab", better="first"),
        judgement("Bob", 0, "ba", better="second"),
        judgement("Ada", 1, "ba", better="second"),
        judgement("Ada", 2, "ab", better="second"),
        judgement("Ada", 0, "bc", better="tie"),
        judgement("Ada", 1, "cb", better="first"),
        judgement("Ada", 2, "bc", better="first"),
        judgement("Ada", 0, "ac", better="first"),
        judgement("Ada", 1, "ca", better="first"),
    ]
    tables = by_title(study, judgements)
    assert tables["better"].columns == ("system", "other", "better", "tie", "worse", "p")
    assert rows(tables["better"]) == [
        ["a", "b", "3", "0", "1", "1.0000"],
        ["a", "c", "1", "0", "1", "1.0000"],
        ["b", "c", "1", "1", "1", "1.0000"],
    ]
    strengths = {row[0]: float(row[1]) for row in rows(tables["Strengths: better"])}
    assert strengths["a"] > 0 > strengths["b"]
    only = [judgement("Ada", item, "ab", better="first") for item in range(3)]
    tables = by_title(study, only)
    assert [row[1:] for row in rows(tables["Strengths: better"])] == [["-", "-"]] * 3
    assert "undefined" in tables["Strengths: better"].notes[0]


def test_raters_who_fail_checks_are_left_out():
    study = make_study(items=2, systems="a", checks=(example(0), example(1)), training=(example(2),))
    judgements = []
    for rater, answers in (("Ada", (1, 2)), ("Bob", (5, 1)), ("Cleo", (5, 5))):
        judgements += [judgement(rater, item, "a", fluency=len(rater)) for item in range(2)]
        judgements += [
            Judgement(rater, Trial(Role.CHECK, number), {"fluency": answer}, 0.0)
            for number, answer in enumerate(answers)
        ]
        judgements.append(Judgement(rater, Trial(Role.TRAINING, 0), {"fluency": 5}, 0.0))
    judgements.append(Judgement("Ada", Trial(Role.ITEM, 1, ("a",)), {}, 0.0))
    assert rows(by_title(study, judgements)["Ratings"])[0][:3] == ["a", "2", "3.33"]
    tables = by_title(study, judgements, least_checks=0.5)
    assert rows(tables["Ratings"])[0][:3] == ["a", "2", "3.00"]
    assert rows(tables["Raters"]) == [
        ["Ada", "2", "1", "0", "2", "2", "yes"],
        ["Bob", "2", "0", "0", "1", "2", "yes"],
        ["Cleo", "2", "0", "0", "0", "2", "no"],
    ]
    with pytest.raises(LatticeSimpError, match="no judgements to analyse"):
        analyse(study, [entry for entry in judgements if entry.trial.role is not Role.ITEM])


def test_how_quick_raters_are():
    study = make_study(items=4, systems="a")
    times = (100.0, 103.0, 5000.0, 5005.0)  # there was a break
    judgements = [
        Judgement("Ada", Trial(Role.ITEM, item, ("a",)), {"fluency": 3}, time) for item, time in enumerate(times)
    ]
    judgements.append(Judgement("Bob", Trial(Role.ITEM, 0, ("a",)), {"fluency": 3}, 0.0))
    assert [row[3] for row in rows(by_title(study, judgements)["Raters"])] == ["5", "-"]


def test_a_system_without_judgements_has_none():
    study = make_study(items=2, systems="ab", questions=RATING)
    tables = by_title(study, [judgement("Ada", 0, "a", fluency=3)])
    assert rows(tables["Ratings"]) == [["a", "1", "3.00", "-"], ["b", "0", "-", "-"]]
    assert rows(tables["Differences: fluency"]) == [["a", "b", "-", "-", "-", "0", "0", "1.0000"]]
    for questions, answers in ((CHOICE, {"right": "right"}), (ERRORS, {"errors": ()})):
        study = make_study(items=2, systems="ab", questions=questions)
        assert by_title(study, [judgement("Ada", 0, "a", **answers)])


def test_all_answers_as_csv():
    study: Study = make_study(items=2, systems="a,b", questions=RATING | ERRORS, training=(example(0),))
    judgements = [
        Judgement('Ada, "A"', Trial(Role.TRAINING, 0), {"fluency": 5, "errors": ()}, 0.0),
        judgement("Bob", 1, ("b",), fluency=3, errors=((0, 1, "grammar"), (3, 3, "meaning"))),
        judgement("Bob", 0, ("a",)),
    ]
    file = io.StringIO()
    write_csv(study, judgements, file)
    assert list(csv.DictReader(io.StringIO(file.getvalue()))) == [
        dict(zip(COLUMNS, row, strict=True))
        for row in (
            ('Ada, "A"', "training", "example 0", "", "", "fluency", "5", "1970-01-01T00:00:00+00:00"),
            ('Ada, "A"', "training", "example 0", "", "", "errors", "none", "1970-01-01T00:00:00+00:00"),
            ("Bob", "item", "2", "b", "", "fluency", "3", "1970-01-01T00:00:00+00:00"),
            ("Bob", "item", "2", "b", "", "errors", "1-2 grammar; 4 meaning", "1970-01-01T00:00:00+00:00"),
            ("Bob", "item", "1", "a", "", "fluency", "skipped", "1970-01-01T00:00:00+00:00"),
            ("Bob", "item", "1", "a", "", "errors", "skipped", "1970-01-01T00:00:00+00:00"),
        )
    ]

"""`lattice-simp judge`: from a study to its tables without a page, and one line for each mistake."""

from __future__ import annotations

import csv

import pytest
from helpers import needs

needs("judging", "nltk", "pydantic", "scipy", "yaml")

STUDY = """title: A study
source: source.txt
systems: {good: good.txt, bad: bad.txt}
questions:
  right: {kind: choice, ask: Is it right}
  fluency: {kind: rating, ask: Is it fluent}
raters: [Ada, Bob]
"""


@pytest.fixture
def study(tmp_path):
    for name in ("source", "good", "bad"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} text {n}\n" for n in range(6)), encoding="utf-8")
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    return tmp_path / "study.yaml"


def sheet(call, study, rater):
    """Writes a rater's sheet; returns its rows."""
    path = study.with_name(f"{rater}.tsv")
    assert call("judge", "sheet", study, rater, "--output", path).returncode == 0
    return path, [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def fill(path, rows, answer):
    """Answers the rows of a sheet: `answer` maps the text to the answers."""
    lines = [rows[0], *([*row[:3], *answer(row[2])] for row in rows[1:])]
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")


def judged(call, study):
    for rater in ("Ada", "Bob"):
        path, rows = sheet(call, study, rater)
        fill(path, rows, lambda text: ("right", "5") if text.startswith("good") else ("wrong", "2"))
        done = call("judge", "import", study, rater, path)
        assert (done.returncode, done.stdout) == (0, f"6 judgements of {rater}\n"), done


def test_from_sheets_to_tables(call, study):
    path, rows = sheet(call, study, "Ada")
    assert rows[0] == ["number", "source", "text", "right", "fluency"]
    assert [row[0] for row in rows[1:]] == list("123456")
    assert all(row[1].split()[-1] == row[2].split()[-1] for row in rows[1:])
    assert sorted(row[2].split()[0] for row in rows[1:]) == ["bad"] * 3 + ["good"] * 3
    judged(call, study)
    assert call("judge", "progress", study).stdout.splitlines() == [
        "rater\tdone\tskipped\ttotal",
        "Ada\t6\t0\t6",
        "Bob\t6\t0\t6",
    ]
    rows = list(csv.DictReader(call("judge", "export", study).stdout.splitlines()))
    assert len(rows) == 24
    answers = {(row["system"], row["question"]): row["answer"] for row in rows}
    assert answers == {
        ("good", "right"): "right", ("good", "fluency"): "5", ("bad", "right"): "wrong", ("bad", "fluency"): "2"
    }  # fmt: skip
    tables = call("judge", "analyse", study, "--to", "markdown").stdout
    assert "| good | 6 | 5.00 | 5.00 to 5.00 |" in tables
    assert "| good | 6 | 0 | 6 | 6 | 100.0 | 61.0 to 100.0 |" in tables
    assert "\\toprule" in call("judge", "analyse", study, "--to", "latex").stdout
    again = call("judge", "import", study, "Ada", path)  # which changes nothing
    assert (again.returncode, again.stdout) == (0, "6 judgements of Ada\n")


def test_a_sheet_may_be_filled_in_bit_by_bit(call, study):
    path, rows = sheet(call, study, "Ada")
    unfilled = call("judge", "import", study, "Ada", path)
    assert (unfilled.stdout, "no row has answers" in unfilled.stderr) == ("0 judgements of Ada\n", True)
    for count in (2, 5):
        numbers = iter(range(9))
        fill(path, rows, lambda _, n=numbers, c=count: ("?", "?") if next(n) < c else ("", ""))
        assert call("judge", "import", study, "Ada", path).stdout == f"{count} judgements of Ada\n"
    assert call("judge", "progress", study).stdout.splitlines()[1:] == [
        "Ada\t5\t5\t6",
        "raters who have not begun: 1",
    ]


def test_rows_of_a_sheet_may_be_sorted_and_repeated(call, study):
    path, rows = sheet(call, study, "Ada")
    fill(path, [rows[0], *rows[:0:-1], rows[1]], lambda _: ("right", "3"))
    done = call("judge", "import", study, "Ada", path)
    assert (done.returncode, done.stdout) == (0, "6 judgements of Ada\n"), done


def row_of(number, answers):
    return lambda rows: [*rows[:number], [*rows[number][:3], *answers], *rows[number + 1 :]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (row_of(1, ("right", "6")), "Ada.tsv:2: fluency: 6 is not a whole number from 1 to 5"),
        (row_of(1, ("maybe", "3")), "Ada.tsv:2: right: 'maybe' is not one of right, wrong"),
        (row_of(1, ("right", "")), "Ada.tsv:2: fluency: the answer is missing (fix this answer, or write ? for all"),
        (row_of(2, ("right", "3")), "Ada.tsv:3: number 1 before it has no answers"),
        (lambda rows: [rows[0], ["9", *rows[1][1:]]], "Ada.tsv:2: this row is not of the rater's sheet"),
        (lambda rows: [rows[0], ["1", "x", *rows[1][2:]]], "Ada.tsv:2: this row is not of the rater's sheet"),
        (lambda rows: [rows[0], ["9" * 5000, *rows[1][1:]]], "Ada.tsv:2: this row is not of the rater's sheet"),
        (
            lambda rows: [rows[0], [*rows[1][:3], "right", "3"], [*rows[1][:3], "right", "4"]],
            "Ada.tsv:3: number 1 has other answers in an earlier row (keep one of the rows)",
        ),
        (lambda rows: [["number", "text"]], "Ada.tsv:1: the columns are number, text"),
        (lambda rows: [], "Ada.tsv:1: the table is empty"),
    ],
)
def test_a_broken_sheet_is_one_line_and_changes_nothing(call, study, change, message):
    path, rows = sheet(call, study, "Ada")
    path.write_text("".join("\t".join(line) + "\n" for line in change(rows)), encoding="utf-8")
    done = call("judge", "import", study, "Ada", path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert message in done.stderr
    assert call("judge", "progress", study).stdout.splitlines()[1] == "Ada\t0\t0\t6"


COMMANDS = (("sheet", "Ada"), ("import", "Ada", "none.tsv"), ("progress",), ("export",), ("analyse",))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_broken_study_is_one_line(call, study, command):
    name, *rest = command
    for text, message in (
        ("", "study.yaml: holds no fields"),
        ("title: [", "study.yaml:1: invalid YAML"),
        ("questions: {a: {ask: Is it fluent?}}", "put texts that contain `:`, `?`, `#` or commas in quotes"),
        (STUDY.replace("raters", "judges"), "unknown field judges"),
        (STUDY.replace("bad.txt", "worse.txt"), "worse.txt: cannot be read"),
    ):
        study.write_text(text, encoding="utf-8")
        done = call("judge", name, study, *rest)
        assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, ""), done
        assert message in done.stderr
    assert not study.with_suffix(".db").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sheet", "STUDY", "Cleo"), "'Cleo' is not a rater of this study"),
        (("sheet", "STUDY", "Ada", "--output", "no/such/ada.tsv"), "no/such/ada.tsv: cannot be written"),
        (("export", "STUDY", "--output", "no/such/answers.csv"), "no/such/answers.csv: cannot be written"),
        (("progress", "STUDY"), "study.db: no rater has begun (serve the page with "),
        (("export", "STUDY", "--judgements", "no/such/study.db"), "no/such/study.db: no rater has begun"),
        (("sheet", "STUDY", "Ada", "--judgements", "no/a.db"), "no/a.db: unable to open database file"),
        (("analyse", "STUDY", "--min-checks", "2"), "--min-checks"),
    ],
)
def test_what_cannot_be_done_is_one_line(call, study, arguments, message):
    if arguments[-2:] == ("--output", "no/such/answers.csv") or "--min-checks" in arguments:
        sheet(call, study, "Ada")
    done = call("judge", *(study if word == "STUDY" else word for word in arguments))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert message in done.stderr


def test_without_answers_there_are_no_tables(call, study):
    sheet(call, study, "Ada")
    done = call("judge", "analyse", study)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there are no judgements to analyse" in done.stderr


def test_judgements_of_another_study_are_left_alone(call, study):
    judged(call, study)
    before = call("judge", "export", study).stdout
    study.write_text(STUDY.replace("Is it right", "Is it good"), encoding="utf-8")
    done = call("judge", "export", study)
    assert done.returncode == 2
    assert "another version of the study" in done.stderr
    done = call("judge", "sheet", study, "Ada", "--judgements", study.with_name("new.db"))
    assert (done.returncode, done.stdout.count("\n")) == (0, 7)
    study.write_text(STUDY, encoding="utf-8")
    assert call("judge", "export", study).stdout == before

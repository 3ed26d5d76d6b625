"""Sheets: a rater's trials as a table to fill in without the web page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.tables import Row, read_table
from lattice_simp.systems.judging.questions import COLUMNS, AnswerError, checked, parsed
from lattice_simp.systems.judging.store import JudgingError, JudgingStore
from lattice_simp.systems.judging.study import Study

CANNOT_JUDGE = "?"
"""The answer of a rater who cannot judge."""

_DIGITS = 10
"""Numbers of rows have fewer digits than this; Python refuses to convert very long ones."""


def sheet_lines(store: JudgingStore, rater: str) -> Iterator[str]:
    """Yields the lines of a rater's sheet: the number, the texts, and an empty cell for each question.

    >>> import tempfile
    >>> from lattice_simp.systems.judging import Item, Labels, Rating
    >>> items = (Item(id="1", source="", outputs={"old": "it rained", "new": "rain fell"}),)
    >>> questions = {"fluent": Rating(ask="Is it fluent?")}
    >>> study = Study(
    ...     title="Rain", instructions="", labels=Labels(), questions=questions, items=items,
    ...     systems=("old", "new"), raters=2,
    ... )
    >>> with JudgingStore(Path(tempfile.mkdtemp()) / "study.db", study) as store:
    ...     list(sheet_lines(store, "Ada"))
    ['number\\tsource\\ttext\\tfluent', '1\\t\\tit rained\\t']

    Raises:
        JudgingError: the rater may not take part.
    """
    rows = store.texts(rater)
    yield "\t".join(_columns(store.study))
    for number, (source, texts) in enumerate(rows, start=1):
        yield "\t".join((str(number), source, *texts, *("" for _ in store.study.questions)))


def store_sheet(store: JudgingStore, rater: str, path: str | Path) -> int:
    """Stores the answers of a sheet, all or none; the rows after the last answer may be empty.

    >>> import tempfile
    >>> from lattice_simp.systems.judging import Item, Labels, Rating
    >>> items = (Item(id="1", source="", outputs={"old": "it rained", "new": "rain fell"}),)
    >>> study = Study(
    ...     title="Rain", instructions="", labels=Labels(), questions={"fluent": Rating(ask="Is it fluent?")},
    ...     items=items, systems=("old", "new"), raters=2,
    ... )
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "ada.tsv").write_text("number\\tsource\\ttext\\tfluent\\n1\\t\\tit rained\\t4\\n")
    >>> with JudgingStore(folder / "study.db", study) as store:
    ...     store_sheet(store, "Ada", folder / "ada.tsv"), store.judgements()[0].answers
    (1, {'fluent': 4})

    Rows may be in any order. The sheet may repeat answers that are stored already.

    Returns:
        The number of rows with answers.

    Raises:
        FormatError: a row does not belong to the sheet, or its answers do not fit; the message names the line.
        JudgingError: the rater may not take part.
    """
    rows = list(read_table(path, _columns(store.study)))
    expected = [(source, *texts) for source, texts in store.texts(rater)]
    answers: dict[int, Mapping[str, object] | None] = {}
    answered: dict[int, Row] = {}
    for row in rows:
        position = _position(row, expected, store.study)
        filled = {name: row[name] for name in store.study.questions if row[name]}
        if filled:
            values = _values(row, filled, store.study)
            if answers.setdefault(position, values) != values:
                raise row.error(f"number {position + 1} has other answers in an earlier row", "keep one of the rows")
            answered[position] = row
    for position, row in answered.items():
        if position and position - 1 not in answers:
            raise row.error(f"number {position} before it has no answers", "fill in all rows up to here")
    try:
        store.answer_all(rater, answers)
    except JudgingError as error:
        raise FormatError(
            str(error), path=path, remedy="restore the row, or change the judgement on the page"
        ) from None
    return len(answers)


def _columns(study: Study) -> tuple[str, ...]:
    number, source, text, first, second = COLUMNS
    texts = (text,) if study.texts == 1 else (first, second)
    return (number, source, *texts, *study.questions)


def _position(row: Row, expected: list[tuple[str, ...]], study: Study) -> int:
    """Returns the position of a row, whose texts must be unchanged."""
    number = row["number"]
    texts = tuple(row[name] for name in _columns(study)[1 : -len(study.questions)])
    position = int(number) - 1 if number.isdecimal() and len(number) < _DIGITS else -1
    if not 0 <= position < len(expected) or texts != expected[position]:
        raise row.error("this row is not of the rater's sheet", "give the rater of the sheet; leave its texts alone")
    return position


def _values(row: Row, filled: Mapping[str, str], study: Study) -> Mapping[str, object] | None:
    """Returns the answers of a row, or None if the rater cannot judge."""
    if set(filled.values()) == {CANNOT_JUDGE}:
        return None
    try:
        return checked(study.questions, parsed(study.questions, filled), [row["text"]] if study.texts == 1 else ())
    except AnswerError as error:
        raise row.error(str(error), f"fix this answer, or write {CANNOT_JUDGE} for all answers of the row") from None

"""Reads the file of a study: a YAML file that names the systems' outputs, the questions and the raters."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.plain_text import warn_of_lines
from lattice_simp.support.json_text import is_json, parse_json
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.people import person_name
from lattice_simp.support.settings_file import checked_settings, read_settings
from lattice_simp.support.strict_model import StrictModel
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.judging.questions import COLUMNS, KINDS, AnswerError, Errors, Question
from lattice_simp.systems.judging.study import Design, Example, Item, Labels, Study

EXAMPLE_FIELDS = ("source", "text", "texts", "expect", "why")
"""The fields of a line of training items or checks."""


class StudyFile(StrictModel):
    """The fields of the file.

    Attributes:
        title: the title of the page.
        instructions: the text that raters read before they begin; a blank line begins a paragraph.
        questions: for each question its kind and the fields of the kind.
        systems: the file of each system: an output a line, or JSON lines with `text` and optionally `id`.
        source: a file with the texts shown above the outputs.
        items: the number of items to draw; by default, all lines are judged.
        raters: the number of raters, or their names if nobody else may take part.
        design: `latin-square` or `all`; see `Design`.
        training, checks: JSON lines with `source`, `text` (or two `texts`), `expect` and `why`; see `Example`.
        labels: the headings above texts.
        seed: the seed of the random order.
    """

    title: str = Field(min_length=1)
    instructions: str = ""
    questions: dict[str, dict[str, Any]] = Field(min_length=1)
    systems: dict[str, str] = Field(min_length=1)
    source: str | None = None
    items: int | None = Field(None, ge=1)
    raters: int | list[str] = Field(1)
    design: Design = Design.LATIN_SQUARE
    training: str | None = None
    checks: str | None = None
    labels: Labels = Labels()
    seed: int = 1


@dataclass(frozen=True)
class _Texts:
    """The texts of a file, and their ids if it has any."""

    path: Path
    texts: tuple[str, ...]
    ids: tuple[str, ...] | None


def judgements_file(study: str | Path) -> Path:
    """Returns the usual file for the judgements of a study.

    >>> judgements_file("texts/study.yaml").as_posix()
    'texts/study.db'
    """
    return Path(study).with_suffix(".db")


def read_study(path: str | Path) -> Study:
    """Reads a study and the texts that it names; paths are relative to its folder.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "study.yaml"
    >>> _ = (path.parent / "old.txt").write_text("it rained\\n"), (path.parent / "new.txt").write_text("rain fell\\n")
    >>> fields = "title: Rain\\nsystems: {old: old.txt, new: new.txt}\\n"
    >>> _ = path.write_text(fields + "questions: {fluent: {kind: rating, ask: 'Is it fluent?'}}\\n")
    >>> [dict(item.outputs) for item in read_study(path).items]
    [{'old': 'it rained', 'new': 'rain fell'}]

    Raises:
        FormatError: a file is broken, or the systems' files do not have the same items; the message names the field or
            the line.
    """
    path = Path(path)
    fields = checked_settings(StudyFile, read_settings(path), path)
    questions = _questions(fields.questions, path)
    for name in (*fields.systems, *questions):
        _require_name(name, path)
    names = _names(fields.raters, path)
    study = Study(
        title=fields.title,
        instructions=fields.instructions,
        labels=fields.labels,
        questions=questions,
        systems=tuple(fields.systems),
        items=_items(fields, path),
        training=_examples(fields.training, "training", questions, path),
        checks=_examples(fields.checks, "check", questions, path),
        raters=len(names) or _count(fields.raters, path),
        names=names,
        design=fields.design,
        seed=fields.seed,
    )
    if len(study.systems) < study.texts:
        raise FormatError("a preference needs two systems", path=path, remedy="add a system")
    return study


def _questions(values: Mapping[str, Mapping[str, Any]], path: Path) -> dict[str, Question]:
    questions: dict[str, Question] = {}
    for name, fields in values.items():
        kind = KINDS.get(str(fields.get("kind")))
        if kind is None:
            message = f"questions.{name}: the kind is {fields.get('kind')!r}"
            raise FormatError(message, path=path, remedy=f"write kind: {', '.join(KINDS)}")
        questions[name] = checked_settings(kind, fields, path, f"questions.{name}")
    if len({question.texts for question in questions.values()}) > 1:
        raise FormatError(
            "preferences cannot be mixed with other questions: they show two outputs", path=path, remedy="split it"
        )
    if sum(isinstance(question, Errors) for question in questions.values()) > 1:
        raise FormatError("two questions mark errors", path=path, remedy="write one question with several kinds")
    return questions


def _require_name(name: str, path: Path) -> None:
    """Refuses names that tables and sheets cannot hold."""
    if name in COLUMNS or not name.isprintable() or name != " ".join(name.split()) or not name:
        remedy = f"use words with single spaces, and none of {', '.join(COLUMNS)}"
        raise FormatError(f"{name!r} is not a name of a question or a system", path=path, remedy=remedy)


def _names(raters: int | Sequence[str], path: Path) -> tuple[str, ...]:
    if isinstance(raters, int):
        return ()
    try:
        names = tuple(map(person_name, raters))
    except LatticeSimpError as error:
        raise FormatError(f"raters: {error}", path=path, remedy="fix this name") from None
    if len(set(names)) < len(names):
        raise FormatError("raters: a name occurs twice", path=path, remedy="give each rater another name")
    return names


def _count(raters: int | Sequence[str], path: Path) -> int:
    if not isinstance(raters, int) or raters < 1:
        raise FormatError("there are no raters", path=path, remedy="write raters: 4")
    return raters


def _items(fields: StudyFile, path: Path) -> tuple[Item, ...]:
    files = {name: _texts(path.parent / file) for name, file in fields.systems.items()}
    source = None if fields.source is None else _texts(path.parent / fields.source)
    first, *rest = [*files.values(), *([] if source is None else [source])]
    for texts in rest:
        _require_same_lines(first, texts)
    rows = zip(*(file.texts for file in [first, *rest]), strict=True)
    numbers = [number for number, texts in enumerate(rows) if any(texts)]  # blank lines separate paragraphs
    for number in numbers:
        if not any(file.texts[number] for file in files.values()):
            remedy = "delete the line in all files"
            raise FormatError("no system has a text", path=first.path, line=number + 1, remedy=remedy)
    if not numbers:
        raise FormatError("all lines are empty", path=first.path, remedy="write one output on each line")
    ids = next((file.ids for file in [first, *rest] if file.ids), None)
    ids = ids or tuple(str(number) for number in range(1, len(first.texts) + 1))
    if fields.items is not None:
        if fields.items > len(numbers):
            message = f"items: {fields.items} of {len(numbers)} lines"
            raise FormatError(message, path=path, remedy="ask for fewer items")
        numbers = sorted(random.Random(fields.seed).sample(numbers, fields.items))
    return tuple(
        Item(
            id=ids[number],
            source="" if source is None else source.texts[number],
            outputs={name: file.texts[number] for name, file in files.items()},
        )
        for number in numbers
    )


def _require_same_lines(first: _Texts, second: _Texts) -> None:
    require_parallel(second.path, len(second.texts), first.path, len(first.texts))
    if first.ids and second.ids and first.ids != second.ids:
        line = next(number for number, ids in enumerate(zip(first.ids, second.ids, strict=True), 1) if ids[0] != ids[1])
        message = f"the id {second.ids[line - 1]!r} is {first.ids[line - 1]!r} in {first.path}"
        raise FormatError(message, path=second.path, line=line, remedy="sort the files by id")


def _texts(path: Path) -> _Texts:
    lines = list(read_lines(path))
    if not lines:
        raise FormatError("the file is empty", path=path, remedy="write one output on each line")
    if not is_json(lines[0]):
        warn_of_lines(lines, path)
        return _Texts(path, tuple(" ".join(line.split()) for line in lines), None)
    records = [_record(line, path, number) for number, line in enumerate(lines, start=1)]
    texts = tuple(_text_of(record, path, number) for number, record in enumerate(records, start=1))
    with_ids = sum("id" in record for record in records)
    if with_ids not in (0, len(records)):
        number = next(number for number, record in enumerate(records, start=1) if "id" not in record)
        raise FormatError("the id is missing", path=path, line=number, remedy="give each line an id, or none")
    ids = tuple(str(record["id"]) for record in records) if with_ids else None
    if ids and len(set(ids)) < len(ids):
        number = next(number for number, name in enumerate(ids, start=1) if name in ids[: number - 1])
        raise FormatError(f"the id {ids[number - 1]!r} occurs twice", path=path, line=number, remedy="rename one")
    return _Texts(path, texts, ids)


def _record(line: str, path: Path, number: int) -> dict[str, Any]:
    record = parse_json(line, path=path, line=number, remedy='write {"text": "..."}')
    if not isinstance(record, dict):
        raise FormatError("not a JSON object", path=path, line=number, remedy='write {"text": "..."}')
    return record


def _text_of(record: Mapping[str, Any], path: Path, number: int) -> str:
    text = record.get("text")
    if not isinstance(text, str):
        raise FormatError('"text" is missing or not text', path=path, line=number, remedy='write {"text": "..."}')
    return " ".join(text.split())


def _examples(file: str | None, name: str, questions: Mapping[str, Question], study: Path) -> tuple[Example, ...]:
    if file is None:
        return ()
    path = study.parent / file
    records = [_record(line, path, number) for number, line in enumerate(read_lines(path), start=1)]
    if not records:
        raise FormatError("the file is empty", path=path, remedy='write {"text": "...", "expect": {...}}')
    return tuple(
        _example(record, f"{name} {number}", questions, path, number) for number, record in enumerate(records, start=1)
    )


def _example(
    record: Mapping[str, Any], name: str, questions: Mapping[str, Question], path: Path, number: int
) -> Example:
    if unknown := record.keys() - set(EXAMPLE_FIELDS):
        remedy = f"known are {', '.join(EXAMPLE_FIELDS)}"
        raise FormatError(f"unknown field {min(unknown)!r}", path=path, line=number, remedy=remedy)
    texts = record.get("texts", [record.get("text")])
    expected = max(question.texts for question in questions.values())
    if not isinstance(texts, list) or len(texts) != expected or not all(isinstance(text, str) for text in texts):
        remedy = 'write "text": "..."' if expected == 1 else 'write "texts": ["...", "..."]'
        raise FormatError(f"the number of texts is not {expected}", path=path, line=number, remedy=remedy)
    expect = record.get("expect", {})
    if not isinstance(expect, dict):
        raise FormatError('"expect" is not an object', path=path, line=number, remedy='write {"question": [answers]}')
    try:
        accepted = {question: _accepted(questions, question, answers) for question, answers in expect.items()}
    except AnswerError as error:
        raise FormatError(f"expect: {error}", path=path, line=number, remedy="fix this answer") from None
    source, why = record.get("source", ""), record.get("why", "")
    if not isinstance(source, str) or not isinstance(why, str):
        raise FormatError('"source" and "why" must be strings', path=path, line=number, remedy='write "why": "..."')
    return Example(
        id=name,
        source=" ".join(source.split()),
        texts=tuple(" ".join(text.split()) for text in texts),
        expect=accepted,
        why=why,
    )


def _accepted(questions: Mapping[str, Question], name: str, answers: Any) -> tuple[int | str, ...] | bool:
    """Returns the accepted answers to a question."""
    if (question := questions.get(name)) is None:
        raise AnswerError(f"the study has no question {name!r}")
    if isinstance(question, Errors):
        if not isinstance(answers, bool):
            raise AnswerError(f"{name}: {answers!r} is not true (there are errors) or false")
        return answers
    values = answers if isinstance(answers, list) else [answers]
    return tuple(question.checked(value, ()) for value in values)

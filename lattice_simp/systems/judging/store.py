"""Stores raters' judgements in a file, as events that never change."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.database import BUSY_SECONDS, Database, DatabaseStore, Schema, StorageError
from lattice_simp.support.people import person_name
from lattice_simp.systems.judging.design import Role, Trial, plan
from lattice_simp.systems.judging.questions import Answer, AnswerError, checked
from lattice_simp.systems.judging.study import Example, Study

SCHEMA = Schema(
    script=resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8"),
    application=0x6C736A75,  # "lsju"
    version=1,
    content="judgements",
    maker="lattice-simp judge serve",
)


class JudgingError(LatticeSimpError):
    """A judgement that cannot be stored: of a rater who may not take part, of another trial, or a second one."""


@dataclass(frozen=True)
class Screen:
    """The content of a rater's screen, which does not reveal the systems.

    Attributes:
        position: the number of the trial, from 0.
        is_training: whether it is training, which the analysis ignores; raters may know this.
        source: the text shown above the outputs, or "".
        texts: the outputs to judge.
        earlier: the answers before an undo.
        feedback: after a training item, that item and the names of the questions with other answers than expected.
    """

    position: int
    is_training: bool
    source: str
    texts: tuple[str, ...]
    earlier: Mapping[str, Answer] = field(default_factory=dict)
    feedback: tuple[Example, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Standing:
    """The progress of a rater.

    Attributes:
        rater: the rater's name.
        done: the number of trials that the rater has answered or skipped.
        skipped: the number of skipped trials.
        total: the number of trials.
    """

    rater: str
    done: int
    skipped: int
    total: int


@dataclass(frozen=True)
class Judgement:
    """A rater's answers to the questions of a trial.

    Attributes:
        rater: the rater's name.
        trial: the judged trial.
        answers: the answers by question; empty if the rater could not judge.
        time: the time of the answer, in seconds since 1970.
    """

    rater: str
    trial: Trial
    answers: Mapping[str, Answer]
    time: float


class JudgingStore(DatabaseStore):
    """The judgements of a study in an SQLite file, safe for threads and several processes.

    >>> import tempfile
    >>> from lattice_simp.systems.judging import Item, Labels, Rating
    >>> items = (Item(id="1", source="", outputs={"old": "it rained", "new": "rain fell"}),)
    >>> questions = {"fluent": Rating(ask="Is it fluent?")}
    >>> study = Study(
    ...     title="Rain", instructions="", labels=Labels(), questions=questions, items=items,
    ...     systems=("old", "new"), raters=2,
    ... )
    >>> with JudgingStore(Path(tempfile.mkdtemp()) / "study.db", study) as store:
    ...     print(store.screen("Ada").texts)
    ...     store.answer("Ada", 0, {"fluent": 4})
    ...     print(store.judgements()[0].answers, store.screen("Ada"))
    ...     print(store.standings(), store.undo("Ada"))
    ...     print(store.join("Ada").done, store.judgements())
    ('it rained',)
    {'fluent': 4} None
    [Standing(rater='Ada', done=1, skipped=0, total=1)] 0
    0 []

    When a method returns, its changes are on the disk. Each judgement is an event; an undo is another event.

    Args:
        path: the file.
        study: the study, for which a missing file is made; by default, the study in the file.
        clock: a function that returns the seconds since 1970.
        patience: the seconds that a method waits for other programs.

    Raises:
        StorageError: the file cannot be opened, is damaged, or belongs to another study; all methods may raise this.
    """

    def __init__(
        self,
        path: str | Path,
        study: Study | None = None,
        *,
        clock: Callable[[], float] = time.time,
        patience: float = BUSY_SECONDS,
    ) -> None:
        self.database = Database(path, SCHEMA, create=study is not None, patience=patience)
        self.clock = clock
        try:
            with self.database.transaction(write=study is not None) as database:
                self.study = _stored_study(database, Path(path), study)
        except BaseException:
            self.database.close()
            raise

    def join(self, rater: str) -> Standing:
        """Returns the progress of a rater; a new rater gets a place first.

        Raises:
            JudgingError: all places are taken, or the study is for other raters.
        """
        with self.database.transaction(write=True) as database:
            return _standing(database, self._place(database, rater), person_name(rater))

    def standings(self) -> list[Standing]:
        """Returns the progress of each rater, in the order of their places."""
        with self.database.transaction(write=False) as database:
            raters = database.execute("SELECT place, name FROM rater ORDER BY place").fetchall()
            return [_standing(database, place, name) for place, name in raters]

    def screen(self, rater: str) -> Screen | None:
        """Returns the next screen of a rater, or None if nothing is left.

        Raises:
            JudgingError: as `join`.
        """
        with self.database.transaction(write=True) as database:
            place = self._place(database, rater)
            if (position := _next_position(database, place)) is None:
                return None
            trial = _trial(database, place, position)
            source, texts = _texts(self.study, trial)
            return Screen(
                position,
                trial.role is Role.TRAINING,
                source,
                texts,
                _earlier(database, place, position),
                self._feedback(database, place, position - 1),
            )

    def answer(self, rater: str, position: int, values: Mapping[str, Any]) -> None:
        """Stores a rater's answers to the questions of a trial; repeating them changes nothing.

        Args:
            rater: a name.
            position: the number of the trial, from 0.
            values: an answer for each question.

        Raises:
            JudgingError: as `join`; the trial is not the next one, or the rater has judged it differently.
            AnswerError: an answer is missing or does not fit its question.
        """
        with self.database.transaction(write=True) as database:
            self._answer(database, self._place(database, rater), position, values)

    def answer_all(self, rater: str, answers: Mapping[int, Mapping[str, Any] | None]) -> None:
        """Stores answers to several trials, all or none.

        Args:
            rater: a name.
            answers: by the number of the trial, in order; None for a trial that the rater cannot judge.

        Raises:
            JudgingError: as `answer`.
            AnswerError: as `answer`; the message names the trial.
        """
        with self.database.transaction(write=True) as database:
            place = self._place(database, rater)
            for position, values in sorted(answers.items()):
                self._answer(database, place, position, values)

    def skip(self, rater: str, position: int) -> None:
        """Stores that a rater cannot judge a trial.

        Raises:
            JudgingError: as `answer`.
        """
        with self.database.transaction(write=True) as database:
            self._answer(database, self._place(database, rater), position, None)

    def undo(self, rater: str) -> int | None:
        """Undoes a rater's last judgement, so that it comes next again.

        Returns:
            The number of the trial, or None if there is nothing to undo.

        Raises:
            JudgingError: as `join`.
        """
        with self.database.transaction(write=True) as database:
            place = self._place(database, rater)
            query = "SELECT number, position FROM active WHERE place = ? ORDER BY position DESC LIMIT 1"
            if (row := database.execute(query, (place,)).fetchone()) is None:
                return None
            query = "INSERT INTO event (time, place, position, kind, undone) VALUES (?, ?, ?, 'undo', ?)"
            database.execute(query, (self.clock(), place, row[1], row[0]))
            return int(row[1])

    def texts(self, rater: str) -> list[tuple[str, tuple[str, ...]]]:
        """Returns the source and the outputs of all trials of a rater.

        Raises:
            JudgingError: as `join`.
        """
        with self.database.transaction(write=True) as database:
            query = "SELECT role, number, systems FROM trial WHERE place = ? ORDER BY position"
            rows = database.execute(query, (self._place(database, rater),)).fetchall()
        return [_texts(self.study, _made_trial(*row)) for row in rows]

    def judgements(self) -> list[Judgement]:
        """Returns all judgements, by rater and trial."""
        query = (
            "SELECT name, role, trial.number, systems, answers, time FROM active JOIN rater USING (place) "
            "JOIN trial USING (place, position) ORDER BY place, position"
        )
        with self.database.transaction(write=False) as database:
            rows = database.execute(query).fetchall()
        return [
            Judgement(name, _made_trial(role, number, systems), _answers(answers), when)
            for name, role, number, systems, answers, when in rows
        ]

    def _place(self, database: sqlite3.Connection, rater: str) -> int:
        """Returns the number of a rater, adding new ones."""
        name = person_name(rater)
        if (row := database.execute("SELECT place FROM rater WHERE name = ?", (name,)).fetchone()) is not None:
            return int(row[0])
        if self.study.names and name not in self.study.names:
            raise JudgingError(f"{name!r} is not a rater of this study; enter the name that the study has")
        place: int = database.execute("SELECT count(*) FROM rater").fetchone()[0]
        if self.study.names:
            place = self.study.names.index(name)
        if place >= self.study.raters:
            raise JudgingError(f"all {self.study.raters} raters of this study have begun; enter a known name")
        database.execute("INSERT INTO rater VALUES (?, ?)", (place, name))
        return place

    def _answer(
        self, database: sqlite3.Connection, place: int, position: int, values: Mapping[str, Any] | None
    ) -> None:
        """Checks and stores answers or, for None, a skip."""
        _, texts = _texts(self.study, _trial(database, place, position))
        try:
            answers = None if values is None else checked(self.study.questions, values, texts)
        except AnswerError as error:
            raise AnswerError(f"number {position + 1}: {error}") from None
        self._append(database, place, position, None if answers is None else json.dumps(answers, ensure_ascii=False))

    def _append(self, database: sqlite3.Connection, place: int, position: int, answers: str | None) -> None:
        """Adds an answer or, for None, a skip, unless it is stored already."""
        kind = "skip" if answers is None else "answer"
        query = "SELECT kind, answers FROM active WHERE place = ? AND position = ?"
        if (earlier := database.execute(query, (place, position)).fetchone()) is not None:
            if earlier != (kind, answers):
                raise JudgingError(f"number {position + 1} has been judged already; undo that first")
            return
        if position != (coming := _next_position(database, place)):
            remedy = "nothing is left to judge" if coming is None else f"number {coming + 1} comes next"
            raise JudgingError(f"number {position + 1} cannot be judged now; {remedy}")
        query = "INSERT INTO event (time, place, position, kind, answers) VALUES (?, ?, ?, ?, ?)"
        database.execute(query, (self.clock(), place, position, kind, answers))

    def _feedback(
        self, database: sqlite3.Connection, place: int, position: int
    ) -> tuple[Example, tuple[str, ...]] | None:
        """Returns the training item at a position and the questions that were missed."""
        query = "SELECT answers FROM active WHERE place = ? AND position = ?"
        row = database.execute(query, (place, position)).fetchone()
        if row is None or row[0] is None:
            return None
        trial = _trial(database, place, position)
        if trial.role is not Role.TRAINING:
            return None
        example = self.study.training[trial.number]
        return example, tuple(example.missed(_answers(row[0])))


def _stored_study(database: sqlite3.Connection, path: Path, study: Study | None) -> Study:
    """Returns the study of a file, storing a new one and the trials of its raters."""
    row = database.execute("SELECT content FROM study").fetchone()
    if row is None:
        if study is None:
            raise StorageError("no study is in this file", path=path, remedy=SCHEMA.remedy(sqlite3.SQLITE_NOTADB))
        database.execute("INSERT INTO study VALUES (?)", (study.model_dump_json(),))
        _add_trials(database, study, 0)
        return study
    stored = Study.model_validate_json(row[0])
    if study is None:
        return stored
    same_raters = study.names[: len(stored.names)] == stored.names and bool(study.names) == bool(stored.names)
    if study.key != stored.key or not same_raters or study.raters < stored.raters:
        remedy = "restore the files of the study, or give another file for the judgements; raters may only be added"
        raise StorageError("these judgements are of another version of the study", path=path, remedy=remedy)
    if study.raters > stored.raters:
        database.execute("UPDATE study SET content = ?", (study.model_dump_json(),))
        _add_trials(database, study, stored.raters)
    return study


def _add_trials(database: sqlite3.Connection, study: Study, first: int) -> None:
    for place in range(first, study.raters):
        rows = (
            (place, position, trial.role.value, trial.number, json.dumps(trial.systems))
            for position, trial in enumerate(plan(study, place))
        )
        database.executemany("INSERT INTO trial VALUES (?, ?, ?, ?, ?)", rows)


def _next_position(database: sqlite3.Connection, place: int) -> int | None:
    """Returns the first position without a judgement."""
    query = (
        "SELECT min(position) FROM trial WHERE place = ? AND NOT EXISTS ("
        "SELECT 1 FROM active WHERE active.place = trial.place AND active.position = trial.position)"
    )
    position: int | None = database.execute(query, (place,)).fetchone()[0]
    return position


def _trial(database: sqlite3.Connection, place: int, position: int) -> Trial:
    query = "SELECT role, number, systems FROM trial WHERE place = ? AND position = ?"
    if (row := database.execute(query, (place, position)).fetchone()) is None:
        raise JudgingError(f"number {position + 1} does not exist")
    return _made_trial(*row)


def _made_trial(role: str, number: int, systems: str) -> Trial:
    return Trial(Role(role), number, tuple(json.loads(systems)))


def _texts(study: Study, trial: Trial) -> tuple[str, tuple[str, ...]]:
    """Returns the source and the texts of a trial."""
    if trial.role is not Role.ITEM:
        example = (study.training if trial.role is Role.TRAINING else study.checks)[trial.number]
        return example.source, example.texts
    item = study.items[trial.number]
    return item.source, tuple(item.outputs[system] for system in trial.systems)


def _earlier(database: sqlite3.Connection, place: int, position: int) -> dict[str, Answer]:
    """Returns the last answers that the rater undid."""
    query = "SELECT answers FROM event WHERE place = ? AND position = ? AND kind <> 'undo' ORDER BY number DESC LIMIT 1"
    row = database.execute(query, (place, position)).fetchone()
    return {} if row is None else _answers(row[0])


def _answers(text: str | None) -> dict[str, Answer]:
    """Reads stored answers; a skip has none."""
    values = {} if text is None else json.loads(text)
    return {
        name: tuple((first, last, kind) for first, last, kind in value) if isinstance(value, list) else value
        for name, value in values.items()
    }


def _standing(database: sqlite3.Connection, place: int, name: str) -> Standing:
    query = "SELECT count(*), coalesce(sum(kind = 'skip'), 0) FROM active WHERE place = ?"
    done, skipped = database.execute(query, (place,)).fetchone()
    total = database.execute("SELECT count(*) FROM trial WHERE place = ?", (place,)).fetchone()[0]
    return Standing(name, done, skipped, total)

"""Stores sentences and annotations in a file, as events that never change."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from lattice_simp.errors import SkeletonError
from lattice_simp.support.database import BUSY_SECONDS, Database, DatabaseStore, Schema
from lattice_simp.support.people import person_name
from lattice_simp.systems.annotation.judgements import (
    AnnotationError,
    AnnotationSettings,
    Judgement,
    Sentence,
    Task,
    Verdict,
)

SCHEMA = Schema(
    script=resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8"),
    application=0x6C736B61,  # "lska"
    version=1,
    content="annotations",
    maker="lattice-simp skeleton annotation import",
)


class AnnotationStore(DatabaseStore):
    """The judgements of annotators in an SQLite file, safe for threads and several processes.

    >>> import tempfile
    >>> store = AnnotationStore(Path(tempfile.mkdtemp()) / "talk.db", create=True)
    >>> store.add([Sentence("talk.0", 0, ("please", "stop", "now"))])
    1
    >>> store.shorten("Ada", "talk.0", "010")
    >>> [(judgement.annotator, str(judgement.skeleton)) for judgement in store.judgements()]
    [('Ada', '[[please]] stop [[now]]')]
    >>> store.undo("Ada", Task.SHORTEN).id, store.judgements()
    ('talk.0', [])

    When a method returns, its changes are on the disk. Each judgement is an event; an undo is another event.

    Args:
        path: the file.
        create: whether to create a missing file.
        clock: a function that returns the seconds since 1970.
        patience: the seconds that a method waits for other programs.

    Raises:
        StorageError: the file cannot be opened, is damaged, or is not a file of annotations; all methods may raise
            this.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        create: bool = False,
        clock: Callable[[], float] = time.time,
        patience: float = BUSY_SECONDS,
    ) -> None:
        self.database = Database(path, SCHEMA, create=create, patience=patience)
        self.clock = clock

    @property
    def settings(self) -> AnnotationSettings:
        """The number of judgements to collect."""
        with self.database.transaction(write=False) as database:
            return read_settings(database)

    @settings.setter
    def settings(self, settings: AnnotationSettings) -> None:
        with self.database.transaction(write=True) as database:
            database.executemany("INSERT OR REPLACE INTO setting VALUES (?, ?)", asdict(settings).items())

    def add(self, sentences: Iterable[Sentence], judgements: Sequence[Judgement] = ()) -> int:
        """Adds sentences and judgements, all or none, skipping those already stored.

        Returns:
            The number of new sentences.

        Raises:
            AnnotationError: another sentence has the id, or an annotator has judged a sentence differently.
        """
        with self.database.transaction(write=True) as database:
            new = sum(_add_sentence(database, sentence) for sentence in sentences)
            for judgement in judgements:
                mask = judgement.skeleton.to_mask()
                self._shorten(database, judgement.annotator, judgement.sentence.id, mask)
        return new

    def shorten(self, annotator: str, sentence: str, mask: str) -> None:
        """Stores an annotator's skeleton of a sentence; repeating it changes nothing.

        Args:
            annotator: a name.
            sentence: an id.
            mask: `1` for each kept token, `0` for others.

        Raises:
            AnnotationError: the sentence is unknown, the mask does not fit, or the annotator has judged it differently.
        """
        with self.database.transaction(write=True) as database:
            self._shorten(database, annotator, sentence, mask)

    def check(self, annotator: str, sentence: str, bad: Mapping[str, bool]) -> None:
        """Stores an annotator's verdicts on the skeletons of a sentence; repeating them changes nothing.

        Args:
            annotator: a name.
            sentence: an id.
            bad: for each mask shown to the annotator, whether it is bad.

        Raises:
            AnnotationError: the sentence is unknown, there are no masks or unknown ones, or the annotator has judged
                the sentence differently.
        """
        with self.database.transaction(write=True) as database:
            annotator_id, number, _ = _place(database, annotator, sentence)
            query = "SELECT DISTINCT mask FROM event WHERE sentence = ? AND annotator <> ? AND mask IS NOT NULL"
            masks = {mask for (mask,) in database.execute(query, (number, annotator_id))}
            if not bad or not bad.keys() <= masks:
                raise AnnotationError("check only skeletons that other annotators made of the sentence")
            if (earlier := active_event(database, annotator_id, number, Task.CHECK)) is not None:
                marks = dict(database.execute("SELECT mask, bad FROM mark WHERE event = ?", (earlier["number"],)))
                _refuse_another(annotator, sentence, earlier, same=marks == dict(bad))
                return
            event = self._append(database, annotator_id, number, Task.CHECK, "judgement")
            rows = ((event, mask, int(value)) for mask, value in bad.items())
            database.executemany("INSERT INTO mark VALUES (?, ?, ?)", rows)

    def skip(self, annotator: str, task: Task, sentence: str) -> None:
        """Stores that an annotator skips a sentence, which then goes to others.

        Raises:
            AnnotationError: the sentence is unknown, or the annotator has judged it.
        """
        with self.database.transaction(write=True) as database:
            annotator_id, number, _ = _place(database, annotator, sentence)
            if (earlier := active_event(database, annotator_id, number, task)) is not None:
                _refuse_another(annotator, sentence, earlier, same=earlier["kind"] == "skip", skip=True)
                return
            self._append(database, annotator_id, number, task, "skip")

    def undo(self, annotator: str, task: Task) -> Sentence | None:
        """Undoes an annotator's last event in a task and reopens its sentence.

        Returns:
            The sentence, or None if there is nothing to undo.
        """
        with self.database.transaction(write=True) as database:
            annotator_id = annotator_number(database, annotator)
            query = "SELECT number, sentence FROM active WHERE annotator = ? AND task = ? ORDER BY number DESC LIMIT 1"
            row = database.execute(query, (annotator_id, task.value)).fetchone()
            if row is None:
                return None
            event, number = row
            self._append(database, annotator_id, number, task, "undo", undone=event)
            put_lease(database, annotator_id, task, number, self.clock() + read_settings(database).lease)
            return read_sentence(database, number)

    def take_up_skipped(self, annotator: str, task: Task) -> int:
        """Undoes all skips of an annotator in a task and returns their number."""
        with self.database.transaction(write=True) as database:
            annotator_id = annotator_number(database, annotator)
            query = "SELECT number, sentence FROM active WHERE annotator = ? AND task = ? AND kind = 'skip'"
            skips = database.execute(query, (annotator_id, task.value)).fetchall()
            for event, number in skips:
                self._append(database, annotator_id, number, task, "undo", undone=event)
            return len(skips)

    def sentences(self) -> list[Sentence]:
        """Returns all sentences in order."""
        with self.database.transaction(write=False) as database:
            return list(_all_sentences(database).values())

    def judgements(self) -> list[Judgement]:
        """Returns the skeletons of annotators, by sentence, then in chronological order."""
        query = (
            "SELECT shortening.sentence, annotator.name, mask FROM shortening "
            "JOIN annotator ON annotator.number = annotator ORDER BY shortening.sentence, shortening.number"
        )
        sentences, rows = self._sentences_and(query)
        return [Judgement(sentences[number], name, sentences[number].skeleton(mask)) for number, name, mask in rows]

    def verdicts(self) -> list[Verdict]:
        """Returns the verdicts on skeletons, by sentence, then in chronological order."""
        query = (
            "SELECT sentence, annotator.name, mask, bad FROM verdict "
            "JOIN annotator ON annotator.number = annotator ORDER BY sentence, event, mask"
        )
        sentences, rows = self._sentences_and(query)
        return [
            Verdict(sentences[number], name, sentences[number].skeleton(mask), bool(bad))
            for number, name, mask, bad in rows
        ]

    def _sentences_and(self, query: str) -> tuple[dict[int, Sentence], list[Any]]:
        """Returns the sentences by number and the rows of a query, both of one moment."""
        with self.database.transaction(write=False) as database:
            return _all_sentences(database), database.execute(query).fetchall()

    def skips(self) -> Counter[str]:
        """Returns the number of sentences that each annotator skipped in both tasks."""
        query = (
            "SELECT annotator.name, count(*) FROM active JOIN annotator ON annotator.number = annotator "
            "WHERE kind = 'skip' GROUP BY annotator.name"
        )
        with self.database.transaction(write=False) as database:
            return Counter(dict(database.execute(query).fetchall()))

    def events(self) -> list[dict[str, Any]]:
        """Returns the whole history as JSON values, in chronological order."""
        query = (
            "SELECT event.number, time, annotator.name AS annotator, sentence.id AS sentence, task, kind, mask, undone "
            "FROM event JOIN annotator ON annotator.number = annotator JOIN sentence ON sentence.number = sentence "
            "ORDER BY event.number"
        )
        with self.database.transaction(write=False) as database:
            rows = _dicts(database.execute(query))
            marks: dict[int, dict[str, bool]] = {}
            for event, mask, bad in database.execute("SELECT event, mask, bad FROM mark ORDER BY event, mask"):
                marks.setdefault(event, {})[mask] = bool(bad)
        return [
            {name: value for name, value in row.items() if value is not None}
            | ({"bad": marks[row["number"]]} if row["number"] in marks else {})
            for row in rows
        ]

    def _shorten(self, database: sqlite3.Connection, annotator: str, sentence: str, mask: str) -> None:
        annotator_id, number, tokens = _place(database, annotator, sentence)
        try:
            mask = tokens.skeleton(mask).to_mask()
        except SkeletonError as error:
            raise AnnotationError(str(error)) from None
        if (earlier := active_event(database, annotator_id, number, Task.SHORTEN)) is not None:
            _refuse_another(annotator, sentence, earlier, same=earlier["mask"] == mask)
            return
        self._append(database, annotator_id, number, Task.SHORTEN, "judgement", mask=mask)

    def _append(
        self, database: sqlite3.Connection, annotator: int, sentence: int, task: Task, kind: str, **columns: Any
    ) -> int:
        """Adds an event, releases the sentence, and returns the number of the event."""
        row = {"time": self.clock(), "annotator": annotator, "sentence": sentence, "task": task.value, "kind": kind}
        row |= columns
        names = ", ".join(row)
        cursor = database.execute(f"INSERT INTO event ({names}) VALUES ({', '.join(f':{name}' for name in row)})", row)
        query = "DELETE FROM lease WHERE annotator = ? AND task = ? AND sentence = ?"
        database.execute(query, (annotator, task.value, sentence))
        assert cursor.lastrowid is not None
        return cursor.lastrowid


def read_settings(database: sqlite3.Connection) -> AnnotationSettings:
    """Returns the settings."""
    return AnnotationSettings(**dict(database.execute("SELECT name, value FROM setting")))


def read_sentence(database: sqlite3.Connection, number: int) -> Sentence:
    """Returns a sentence by its number."""
    identifier, line, tokens = database.execute(
        "SELECT id, line, tokens FROM sentence WHERE number = ?", (number,)
    ).fetchone()
    return Sentence(identifier, line, tuple(json.loads(tokens)))


def annotator_number(database: sqlite3.Connection, name: str) -> int:
    """Returns the number of an annotator, adding new ones."""
    clean = person_name(name)
    database.execute("INSERT OR IGNORE INTO annotator (name) VALUES (?)", (clean,))
    number: int = database.execute("SELECT number FROM annotator WHERE name = ?", (clean,)).fetchone()[0]
    return number


def active_event(database: sqlite3.Connection, annotator: int, sentence: int, task: Task) -> dict[str, Any] | None:
    """Returns the current judgement or skip of an annotator, or None."""
    query = "SELECT number, kind, mask FROM active WHERE annotator = ? AND sentence = ? AND task = ?"
    return next(iter(_dicts(database.execute(query, (annotator, sentence, task.value)))), None)


def put_lease(database: sqlite3.Connection, annotator: int, task: Task, sentence: int, until: float) -> None:
    """Reserves a sentence, replacing the annotator's previously open one."""
    database.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?)", (annotator, task.value, sentence, until))


def _place(database: sqlite3.Connection, annotator: str, sentence: str) -> tuple[int, int, Sentence]:
    """Returns the numbers of an annotator and of a sentence, and the sentence."""
    row = database.execute("SELECT number FROM sentence WHERE id = ?", (sentence,)).fetchone()
    if row is None:
        raise AnnotationError(f"unknown sentence {sentence!r}")
    return annotator_number(database, annotator), row[0], read_sentence(database, row[0])


def _add_sentence(database: sqlite3.Connection, sentence: Sentence) -> bool:
    """Adds a sentence unless it is already stored; returns whether it was new."""
    tokens = json.dumps(sentence.tokens, ensure_ascii=False)
    stored = database.execute("SELECT tokens FROM sentence WHERE id = ?", (sentence.id,)).fetchone()
    if stored is None:
        query = "INSERT INTO sentence (id, line, tokens) VALUES (?, ?, ?)"
        database.execute(query, (sentence.id, sentence.line, tokens))
    elif stored[0] != tokens:
        raise AnnotationError(f"another sentence already has the id {sentence.id!r}; rename one of the files")
    return stored is None


def _refuse_another(
    annotator: str, sentence: str, earlier: Mapping[str, Any], *, same: bool, skip: bool = False
) -> None:
    """Raises AnnotationError unless a judgement repeats the stored one."""
    if not (same and (earlier["kind"] == "skip") == skip):
        action = "skipped" if earlier["kind"] == "skip" else "judged"
        raise AnnotationError(f"{annotator!r} has already {action} the sentence {sentence!r}; undo that first")


def _all_sentences(database: sqlite3.Connection) -> dict[int, Sentence]:
    rows = database.execute("SELECT number, id, line, tokens FROM sentence ORDER BY number")
    return {number: Sentence(identifier, line, tuple(json.loads(tokens))) for number, identifier, line, tokens in rows}


def _dicts(cursor: sqlite3.Cursor) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]

"""Annotations in a file: sentences, and what annotators said of them, as events of which none is ever changed."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from lattice_simp.errors import SkeletonError
from lattice_simp.systems.annotation.database import BUSY_SECONDS, Database
from lattice_simp.systems.annotation.judgements import (
    AnnotationError,
    AnnotationSettings,
    Judgement,
    Sentence,
    Task,
    Verdict,
    annotator_name,
)


class AnnotationStore:
    """The judgements of annotators in an SQLite file, safe for threads and for several processes at once.

    >>> import tempfile
    >>> store = AnnotationStore(Path(tempfile.mkdtemp()) / "talk.db", create=True)
    >>> store.add([Sentence("talk.0", 0, ("please", "stop", "now"))])
    1
    >>> store.shorten("Ada", "talk.0", "010")
    >>> [(own.annotator, str(own.skeleton)) for own in store.judgements()]
    [('Ada', '[[please]] stop [[now]]')]
    >>> store.undo("Ada", Task.SHORTEN).id, store.judgements()
    ('talk.0', [])

    When a method returns, what it did is on the disk. Each judgement is an event; an undo is a further event.

    Args:
        path: the file.
        create: whether to make it if it is not there.
        clock: seconds since 1970.
        patience: the seconds that a method waits for other programs that use the file.

    Raises:
        StorageError: the file cannot be opened, is damaged, or is not a file of annotations; so any method may.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        create: bool = False,
        clock: Callable[[], float] = time.time,
        patience: float = BUSY_SECONDS,
    ) -> None:
        self.database = Database(path, create=create, patience=patience)
        self.clock = clock

    def __enter__(self) -> AnnotationStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self.database.close()

    @property
    def settings(self) -> AnnotationSettings:
        """How much is wanted of the annotators."""
        with self.database.transaction(write=False) as database:
            return read_settings(database)

    @settings.setter
    def settings(self, settings: AnnotationSettings) -> None:
        with self.database.transaction(write=True) as database:
            database.executemany("INSERT OR REPLACE INTO setting VALUES (?, ?)", asdict(settings).items())

    def add(self, sentences: Iterable[Sentence], judgements: Sequence[Judgement] = ()) -> int:
        """Adds sentences and judgements of them, all or none; those that are there already are passed over.

        Returns:
            How many sentences were new.

        Raises:
            AnnotationError: another sentence has the id, or an annotator has judged a sentence otherwise.
        """
        with self.database.transaction(write=True) as database:
            new = sum(_add_sentence(database, own) for own in sentences)
            for own in judgements:
                self._shorten(database, own.annotator, own.sentence.id, own.skeleton.to_mask())
        return new

    def shorten(self, annotator: str, sentence: str, mask: str) -> None:
        """Stores the skeleton that an annotator made of a sentence; the same once more changes nothing.

        Args:
            annotator: a name.
            sentence: an id.
            mask: `1` for each token that stays, `0` for others.

        Raises:
            AnnotationError: no such sentence, no skeleton of it, or the annotator has judged it otherwise.
        """
        with self.database.transaction(write=True) as database:
            self._shorten(database, annotator, sentence, mask)

    def check(self, annotator: str, sentence: str, bad: Mapping[str, bool]) -> None:
        """Stores which skeletons of a sentence an annotator found bad; the same once more changes nothing.

        Args:
            annotator: a name.
            sentence: an id.
            bad: for the masks that the annotator saw, whether they are bad.

        Raises:
            AnnotationError: no such sentence, a mask that no other annotator made, none at all, or the annotator has
                judged the sentence otherwise.
        """
        with self.database.transaction(write=True) as database:
            own, number, _ = _place(database, annotator, sentence)
            query = "SELECT DISTINCT mask FROM event WHERE sentence = ? AND annotator <> ? AND mask IS NOT NULL"
            known = {mask for (mask,) in database.execute(query, (number, own))}
            if not bad or not bad.keys() <= known:
                raise AnnotationError("a check is of the skeletons that other annotators made of the sentence")
            if (earlier := active_event(database, own, number, Task.CHECK)) is not None:
                marks = dict(database.execute("SELECT mask, bad FROM mark WHERE event = ?", (earlier["number"],)))
                _refuse_another(annotator, sentence, earlier, same=marks == dict(bad))
                return
            event = self._append(database, own, number, Task.CHECK, "judgement")
            rows = ((event, mask, int(value)) for mask, value in bad.items())
            database.executemany("INSERT INTO mark VALUES (?, ?, ?)", rows)

    def skip(self, annotator: str, task: Task, sentence: str) -> None:
        """Stores that an annotator does not want to judge a sentence, which then goes to others.

        Raises:
            AnnotationError: no such sentence, or the annotator has judged it.
        """
        with self.database.transaction(write=True) as database:
            own, number, _ = _place(database, annotator, sentence)
            if (earlier := active_event(database, own, number, task)) is not None:
                _refuse_another(annotator, sentence, earlier, same=earlier["kind"] == "skip", skip=True)
                return
            self._append(database, own, number, task, "skip")

    def undo(self, annotator: str, task: Task) -> Sentence | None:
        """Takes back what an annotator did last in a task, and opens that sentence again.

        Returns:
            The sentence, None if there is nothing to take back.
        """
        with self.database.transaction(write=True) as database:
            own = annotator_number(database, annotator)
            query = "SELECT number, sentence FROM active WHERE annotator = ? AND task = ? ORDER BY number DESC LIMIT 1"
            found = database.execute(query, (own, task.value)).fetchone()
            if found is None:
                return None
            event, number = found
            self._append(database, own, number, task, "undo", undone=event)
            put_lease(database, own, task, number, self.clock() + read_settings(database).lease)
            return read_sentence(database, number)

    def take_up_skipped(self, annotator: str, task: Task) -> int:
        """Takes back all skips of an annotator in a task; returns how many there were."""
        with self.database.transaction(write=True) as database:
            own = annotator_number(database, annotator)
            query = "SELECT number, sentence FROM active WHERE annotator = ? AND task = ? AND kind = 'skip'"
            skips = database.execute(query, (own, task.value)).fetchall()
            for event, number in skips:
                self._append(database, own, number, task, "undo", undone=event)
            return len(skips)

    def sentences(self) -> list[Sentence]:
        """Returns all sentences, in their order."""
        with self.database.transaction(write=False) as database:
            return list(_all_sentences(database).values())

    def judgements(self) -> list[Judgement]:
        """Returns the skeletons that annotators made, by sentences, then in the order in which they were made."""
        query = (
            "SELECT shortening.sentence, annotator.name, mask FROM shortening "
            "JOIN annotator ON annotator.number = annotator ORDER BY shortening.sentence, shortening.number"
        )
        with self.database.transaction(write=False) as database:
            of, rows = _all_sentences(database), database.execute(query).fetchall()
        return [Judgement(of[number], name, of[number].skeleton(mask)) for number, name, mask in rows]

    def verdicts(self) -> list[Verdict]:
        """Returns what annotators said of others' skeletons, by sentences, then in the order in which it was said."""
        query = (
            "SELECT sentence, annotator.name, mask, bad FROM verdict "
            "JOIN annotator ON annotator.number = annotator ORDER BY sentence, event, mask"
        )
        with self.database.transaction(write=False) as database:
            of, rows = _all_sentences(database), database.execute(query).fetchall()
        return [Verdict(of[number], name, of[number].skeleton(mask), bool(bad)) for number, name, mask, bad in rows]

    def skips(self) -> Counter[str]:
        """Returns how many sentences each annotator skipped, in both tasks."""
        query = (
            "SELECT annotator.name, count(*) FROM active JOIN annotator ON annotator.number = annotator "
            "WHERE kind = 'skip' GROUP BY annotator.name"
        )
        with self.database.transaction(write=False) as database:
            return Counter(dict(database.execute(query).fetchall()))

    def events(self) -> list[dict[str, Any]]:
        """Returns all that ever happened, as JSON values, in its order."""
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
        own, number, tokens = _place(database, annotator, sentence)
        try:
            mask = tokens.skeleton(mask).to_mask()
        except SkeletonError as error:
            raise AnnotationError(str(error)) from None
        if (earlier := active_event(database, own, number, Task.SHORTEN)) is not None:
            _refuse_another(annotator, sentence, earlier, same=earlier["mask"] == mask)
            return
        self._append(database, own, number, Task.SHORTEN, "judgement", mask=mask)

    def _append(
        self, database: sqlite3.Connection, annotator: int, sentence: int, task: Task, kind: str, **columns: Any
    ) -> int:
        """Adds an event, and gives the sentence free for others; returns the number of the event."""
        row = {"time": self.clock(), "annotator": annotator, "sentence": sentence, "task": task.value, "kind": kind}
        row |= columns
        names = ", ".join(row)
        done = database.execute(
            f"INSERT INTO event ({names}) VALUES ({', '.join(f':{name}' for name in row)})",
            row,
        )
        query = "DELETE FROM lease WHERE annotator = ? AND task = ? AND sentence = ?"
        database.execute(query, (annotator, task.value, sentence))
        assert done.lastrowid is not None
        return done.lastrowid


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
    """Returns the number of an annotator, who is added if new."""
    own = annotator_name(name)
    database.execute("INSERT OR IGNORE INTO annotator (name) VALUES (?)", (own,))
    number: int = database.execute("SELECT number FROM annotator WHERE name = ?", (own,)).fetchone()[0]
    return number


def active_event(database: sqlite3.Connection, annotator: int, sentence: int, task: Task) -> dict[str, Any] | None:
    """Returns the judgement or the skip of an annotator that counts, if there is one."""
    query = "SELECT number, kind, mask FROM active WHERE annotator = ? AND sentence = ? AND task = ?"
    return next(iter(_dicts(database.execute(query, (annotator, sentence, task.value)))), None)


def put_lease(database: sqlite3.Connection, annotator: int, task: Task, sentence: int, until: float) -> None:
    """Keeps a sentence from others; it takes the place of the one that was open at the annotator before."""
    database.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?)", (annotator, task.value, sentence, until))


def _place(database: sqlite3.Connection, annotator: str, sentence: str) -> tuple[int, int, Sentence]:
    """Returns the numbers of an annotator and of a sentence, and the sentence."""
    found = database.execute("SELECT number FROM sentence WHERE id = ?", (sentence,)).fetchone()
    if found is None:
        raise AnnotationError(f"there is no sentence {sentence!r}")
    return annotator_number(database, annotator), found[0], read_sentence(database, found[0])


def _add_sentence(database: sqlite3.Connection, sentence: Sentence) -> bool:
    """Adds a sentence if it is not there; returns whether it was new."""
    tokens = json.dumps(sentence.tokens, ensure_ascii=False)
    known = database.execute("SELECT tokens FROM sentence WHERE id = ?", (sentence.id,)).fetchone()
    if known is None:
        query = "INSERT INTO sentence (id, line, tokens) VALUES (?, ?, ?)"
        database.execute(query, (sentence.id, sentence.line, tokens))
    elif known[0] != tokens:
        raise AnnotationError(f"another sentence has the id {sentence.id!r} already; rename one of the files")
    return known is None


def _refuse_another(
    annotator: str, sentence: str, earlier: Mapping[str, Any], *, same: bool, skip: bool = False
) -> None:
    """Raises AnnotationError unless a judgement is the one that is there already, sent once more."""
    if not (same and (earlier["kind"] == "skip") == skip):
        done = "skipped" if earlier["kind"] == "skip" else "judged"
        raise AnnotationError(f"{annotator!r} has {done} the sentence {sentence!r} already; undo that first")


def _all_sentences(database: sqlite3.Connection) -> dict[int, Sentence]:
    rows = database.execute("SELECT number, id, line, tokens FROM sentence ORDER BY number")
    return {number: Sentence(own, line, tuple(json.loads(tokens))) for number, own, line, tokens in rows}


def _dicts(cursor: sqlite3.Cursor) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]

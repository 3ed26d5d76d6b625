"""Assigns the next sentence to each annotator."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.support.people import person_name
from lattice_simp.systems.annotation.judgements import Assignment, Sentence, Task
from lattice_simp.systems.annotation.store import (
    AnnotationStore,
    annotator_number,
    put_lease,
    read_sentence,
    read_settings,
)

_OPEN_LEASE = """
SELECT sentence FROM lease
WHERE annotator = :me AND task = :task AND until > :now AND NOT EXISTS (
    SELECT 1 FROM active WHERE active.sentence = lease.sentence AND active.task = :task AND active.annotator = :me)
"""

_LEASES = """(
    SELECT count(*) FROM lease
    WHERE lease.sentence = sentence.number AND lease.task = :task AND lease.until > :now)
"""

_NOT_MINE = """NOT EXISTS (
    SELECT 1 FROM active WHERE active.sentence = sentence.number AND active.task = :task AND active.annotator = :me)
"""

_SHORTENINGS = "(SELECT count(*) FROM shortening WHERE shortening.sentence = sentence.number)"

_OTHERS_SKELETONS = """
SELECT made.mask FROM shortening AS made
WHERE made.sentence = {sentence} AND made.annotator <> :me AND NOT EXISTS (
    SELECT 1 FROM shortening AS own
    WHERE own.sentence = made.sentence AND own.annotator = :me AND own.mask = made.mask)
"""
"""The skeletons of a sentence by other annotators, except those that the annotator also made."""

_VERDICTS = """(
    SELECT count(*) FROM verdict WHERE verdict.sentence = sentence.number AND verdict.mask = made.mask)
"""

_NEXT = {
    Task.SHORTEN: f"""
SELECT number FROM sentence WHERE {_NOT_MINE} AND {_SHORTENINGS} + {_LEASES} < :shortenings ORDER BY number LIMIT 1
""",
    Task.CHECK: f"""
SELECT number FROM sentence
WHERE {_NOT_MINE} AND {_SHORTENINGS} >= :shortenings
AND EXISTS ({_OTHERS_SKELETONS.format(sentence="sentence.number")} AND {_VERDICTS} + {_LEASES} < :checks)
ORDER BY number LIMIT 1
""",
}
"""The first sentence that needs another judgement, counting open ones, and has none of this annotator."""

_COUNTS = {
    Task.SHORTEN: f"SELECT {_SHORTENINGS} AS count FROM sentence",
    Task.CHECK: """
SELECT DISTINCT sentence, mask, (
    SELECT count(*) FROM verdict WHERE verdict.sentence = made.sentence AND verdict.mask = made.mask) AS count
FROM shortening AS made
""",
}
"""The number of times that each sentence was shortened or each skeleton checked."""


@dataclass(frozen=True)
class Tally:
    """The progress of an annotator in a task.

    Attributes:
        judged: the number of sentences that the annotator has judged.
        skipped: the number of sentences that the annotator has skipped.
        done: the number of required judgements made by all annotators.
        wanted: the number of required judgements.
    """

    judged: int
    skipped: int
    done: int
    wanted: int


def tally(store: AnnotationStore, annotator: str, task: Task) -> Tally:
    """Returns the progress of an annotator in a task.

    Raises:
        LatticeSimpError: the name is invalid.
    """
    query = (
        "SELECT coalesce(sum(kind = 'judgement'), 0), coalesce(sum(kind = 'skip'), 0) FROM active "
        "WHERE task = ? AND annotator = (SELECT number FROM annotator WHERE name = ?)"
    )
    total = f"SELECT coalesce(sum(min(count, :wanted)), 0), count(*) * :wanted FROM ({_COUNTS[task]})"
    with store.database.transaction(write=False) as database:
        settings = read_settings(database)
        required = settings.shortenings if task is Task.SHORTEN else settings.checks
        judged, skipped = database.execute(query, (task.value, person_name(annotator))).fetchone()
        return Tally(judged, skipped, *database.execute(total, {"wanted": required}).fetchone())


def assign(store: AnnotationStore, annotator: str, task: Task) -> Assignment | None:
    """Returns the next item for an annotator and reserves it for a while.

    That is the annotator's open sentence, or the first one that needs another judgement and has none of this annotator.
    Skeletons are checked by other annotators once all those of a sentence are complete.

    Returns:
        The item, or None if nothing is left, at least while others work on the rest.

    Raises:
        LatticeSimpError: the name is invalid.
    """
    with store.database.transaction(write=True) as database:
        annotator_id, settings, now = annotator_number(database, annotator), read_settings(database), store.clock()
        values = {"me": annotator_id, "task": task.value, "now": now}
        values |= {"shortenings": settings.shortenings, "checks": settings.checks}
        for query in (_OPEN_LEASE, _NEXT[task]):
            if (row := database.execute(query, values).fetchone()) is None:
                continue
            assignment = _assignment(database, annotator_id, task, row[0])
            if task is Task.SHORTEN or assignment.skeletons:  # others may have undone the skeletons to check
                put_lease(database, annotator_id, task, row[0], now + settings.lease)
                return assignment
    return None


def _assignment(database: sqlite3.Connection, annotator: int, task: Task, number: int) -> Assignment:
    sentence = read_sentence(database, number)
    skeletons = _skeletons(database, annotator, number, sentence) if task is Task.CHECK else ()
    return Assignment(task, sentence, skeletons, _earlier(database, annotator, task, number))


def _skeletons(database: sqlite3.Connection, annotator: int, number: int, sentence: Sentence) -> tuple[Skeleton, ...]:
    query = _OTHERS_SKELETONS.format(sentence=":sentence") + " ORDER BY made.number"
    masks = dict.fromkeys(mask for (mask,) in database.execute(query, {"me": annotator, "sentence": number}))
    return tuple(sentence.skeleton(mask) for mask in masks)


def _earlier(database: sqlite3.Connection, annotator: int, task: Task, number: int) -> frozenset[str]:
    """Returns the masks of the last judgement that the annotator undid."""
    query = (
        "SELECT number, mask FROM event WHERE annotator = ? AND sentence = ? AND task = ? AND kind = 'judgement' "
        "ORDER BY number DESC LIMIT 1"
    )
    if (row := database.execute(query, (annotator, number, task.value)).fetchone()) is None:
        return frozenset()
    if task is Task.SHORTEN:
        return frozenset([row[1]])
    return frozenset(mask for (mask,) in database.execute("SELECT mask FROM mark WHERE event = ? AND bad", row[:1]))

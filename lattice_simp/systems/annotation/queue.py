"""Who is to judge which sentence next."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.systems.annotation.judgements import Assignment, Sentence, Task, annotator_name
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
"""What others made of a sentence, and the annotator did not."""

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
"""The first sentence that needs a further judgement, and one of this annotator, apart from those that are under way."""

_COUNTS = {
    Task.SHORTEN: f"SELECT {_SHORTENINGS} AS count FROM sentence",
    Task.CHECK: """
SELECT DISTINCT sentence, mask, (
    SELECT count(*) FROM verdict WHERE verdict.sentence = made.sentence AND verdict.mask = made.mask) AS count
FROM shortening AS made
""",
}
"""How often each sentence was shortened, each skeleton checked."""


@dataclass(frozen=True)
class Tally:
    """Where an annotator stands in a task.

    Attributes:
        own: sentences that the annotator has judged.
        skipped: those that the annotator has skipped.
        done: judgements that are wanted and there, of all annotators.
        wanted: judgements that are wanted.
    """

    own: int
    skipped: int
    done: int
    wanted: int


def tally(store: AnnotationStore, annotator: str, task: Task) -> Tally:
    """Returns where an annotator stands in a task.

    Raises:
        AnnotationError: the name is none.
    """
    query = (
        "SELECT coalesce(sum(kind = 'judgement'), 0), coalesce(sum(kind = 'skip'), 0) FROM active "
        "WHERE task = ? AND annotator = (SELECT number FROM annotator WHERE name = ?)"
    )
    total = f"SELECT coalesce(sum(min(count, :wanted)), 0), count(*) * :wanted FROM ({_COUNTS[task]})"
    with store.database.transaction(write=False) as database:
        settings = read_settings(database)
        wanted = settings.shortenings if task is Task.SHORTEN else settings.checks
        own, skipped = database.execute(query, (task.value, annotator_name(annotator))).fetchone()
        return Tally(own, skipped, *database.execute(total, {"wanted": wanted}).fetchone())


def assign(store: AnnotationStore, annotator: str, task: Task) -> Assignment | None:
    """Returns what an annotator is to do next, and keeps it from others for a while.

    That is the sentence that is open at the annotator, or else the first one that needs a further judgement and has
    none of this annotator. Skeletons are checked once all of a sentence's are there, by others than their annotators.

    Returns:
        None if nothing is left to do, at least while others work on the rest.

    Raises:
        AnnotationError: the name is none.
    """
    with store.database.transaction(write=True) as database:
        me, settings, now = annotator_number(database, annotator), read_settings(database), store.clock()
        values = {"me": me, "task": task.value, "now": now}
        values |= {"shortenings": settings.shortenings, "checks": settings.checks}
        for query in (_OPEN_LEASE, _NEXT[task]):
            if (found := database.execute(query, values).fetchone()) is None:
                continue
            own = _assignment(database, me, task, found[0])
            if task is Task.SHORTEN or own.skeletons:  # others may have taken back what was to be checked
                put_lease(database, me, task, found[0], now + settings.lease)
                return own
    return None


def _assignment(database: sqlite3.Connection, me: int, task: Task, number: int) -> Assignment:
    sentence = read_sentence(database, number)
    skeletons = _skeletons(database, me, number, sentence) if task is Task.CHECK else ()
    return Assignment(task, sentence, skeletons, _earlier(database, me, task, number))


def _skeletons(database: sqlite3.Connection, me: int, number: int, sentence: Sentence) -> tuple[Skeleton, ...]:
    query = _OTHERS_SKELETONS.format(sentence=":sentence") + " ORDER BY made.number"
    masks = dict.fromkeys(mask for (mask,) in database.execute(query, {"me": me, "sentence": number}))
    return tuple(sentence.skeleton(mask) for mask in masks)


def _earlier(database: sqlite3.Connection, me: int, task: Task, number: int) -> frozenset[str]:
    """Returns the masks of the last judgement that the annotator took back."""
    query = (
        "SELECT number, mask FROM event WHERE annotator = ? AND sentence = ? AND task = ? AND kind = 'judgement' "
        "ORDER BY number DESC LIMIT 1"
    )
    if (found := database.execute(query, (me, number, task.value)).fetchone()) is None:
        return frozenset()
    if task is Task.SHORTEN:
        return frozenset([found[1]])
    return frozenset(mask for (mask,) in database.execute("SELECT mask FROM mark WHERE event = ? AND bad", found[:1]))

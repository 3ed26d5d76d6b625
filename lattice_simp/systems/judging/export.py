"""Judgements as rows of a table, one for each answer."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TextIO

from lattice_simp.systems.judging.design import Role, Trial
from lattice_simp.systems.judging.questions import written
from lattice_simp.systems.judging.store import Judgement
from lattice_simp.systems.judging.study import Study

COLUMNS = ("rater", "role", "item", "system", "other", "question", "answer", "time")
"""The columns; `other` is the system whose output was shown second, for preferences."""

SKIPPED = "skipped"
"""The answer to a question that a rater could not answer."""


def rows(study: Study, judgements: Sequence[Judgement]) -> Iterator[tuple[str, ...]]:
    """Yields a row for each answer; see `COLUMNS`."""
    for judgement in judgements:
        trial = judgement.trial
        systems = (*trial.systems, "", "")[:2]
        time = datetime.fromtimestamp(judgement.time, UTC).isoformat(timespec="seconds")
        for name in study.questions:
            answer = written(judgement.answers[name]) if judgement.answers else SKIPPED
            yield (judgement.rater, trial.role.value, _name(study, trial), *systems, name, answer, time)


def write_csv(study: Study, judgements: Sequence[Judgement], file: TextIO) -> None:
    """Writes the rows under their columns as CSV.

    >>> import sys
    >>> from lattice_simp.systems.judging import Item, Labels, Rating
    >>> items = (Item(id="1", source="", outputs={"old": "it rained", "new": "rain fell"}),)
    >>> study = Study(
    ...     title="Rain", instructions="", labels=Labels(), questions={"fluent": Rating(ask="Is it fluent?")},
    ...     items=items, systems=("old", "new"), raters=2,
    ... )
    >>> judgement = Judgement("Ada", Trial(Role.ITEM, 0, ("old",)), {"fluent": 4}, 0.0)
    >>> write_csv(study, [judgement], sys.stdout)
    rater,role,item,system,other,question,answer,time
    Ada,item,1,old,,fluent,4,1970-01-01T00:00:00+00:00
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(study, judgements))


def _name(study: Study, trial: Trial) -> str:
    if trial.role is Role.ITEM:
        return study.items[trial.number].id
    return (study.training if trial.role is Role.TRAINING else study.checks)[trial.number].id

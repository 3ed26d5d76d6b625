"""The analysis of a study: the raters' judgements of each system, and the certainty of differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.table import Table
from lattice_simp.systems.judging.design import Role
from lattice_simp.systems.judging.questions import Choice, Errors, Preference
from lattice_simp.systems.judging.store import Judgement
from lattice_simp.systems.judging.study import Study
from lattice_simp.systems.judging.tables.choices import choice_tables
from lattice_simp.systems.judging.tables.errors import error_tables
from lattice_simp.systems.judging.tables.preferences import preference_tables
from lattice_simp.systems.judging.tables.raters import rater_table
from lattice_simp.systems.judging.tables.ratings import rating_tables
from lattice_simp.systems.judging.tables.votes import Votes, votes_on


def analyse(study: Study, judgements: Sequence[Judgement], least_checks: float = 0.0) -> list[Table]:
    """Returns the tables of a study.

    >>> from lattice_simp.systems.judging import Item, Labels, Rating, Trial
    >>> items = [Item(id=str(number), source="", outputs={"old": "it rained", "new": "rain"}) for number in range(2)]
    >>> study = Study(
    ...     title="Rain", instructions="", labels=Labels(), questions={"fluent": Rating(ask="Is it fluent?")},
    ...     items=tuple(items), systems=("old", "new"), raters=2,
    ... )
    >>> judgements = [
    ...     Judgement(rater, Trial(Role.ITEM, number, (system,)), {"fluent": {"old": 4, "new": 2}[system]}, 0.0)
    ...     for rater, order in (("Ada", ("old", "new")), ("Ben", ("new", "old")))
    ...     for number, system in enumerate(order)
    ... ]
    >>> means = analyse(study, judgements)[0]
    >>> means.columns[:3], [[cell.shown for cell in row[:3]] for row in means.rows]
    (('system', 'items', 'fluent'), [['old', '2', '4.00'], ['new', '2', '2.00']])

    Args:
        study: the study.
        judgements: the judgements of its raters.
        least_checks: the share of attention checks that a rater must pass for the judgements to count.

    Raises:
        LatticeSimpError: there are no judgements that count.
        MissingExtraError: SciPy or NLTK is not installed.
    """
    raters = rater_table(study, judgements, least_checks)
    left_out = {row[0].value for row in raters.rows if row[-1].value == "no"}
    kept = [judgement for judgement in judgements if judgement.rater not in left_out]
    if not any(judgement.answers and judgement.trial.role is Role.ITEM for judgement in kept):
        raise LatticeSimpError("there are no judgements to analyse; training and checks are ignored")
    tables = [*rating_tables(study, kept)]
    for name, question in study.questions.items():
        if make := TABLES.get(type(question)):
            tables += make(study, name, question, votes_on(kept, name))
    return [*tables, raters]


TABLES: Mapping[type, Callable[[Study, str, Any, Votes], Iterator[Table]]] = {
    Choice: choice_tables,
    Errors: error_tables,
    Preference: preference_tables,
}
"""The functions that make the tables of each kind of question; one call covers all ratings."""

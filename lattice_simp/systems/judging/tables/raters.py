"""The table of raters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from lattice_simp.metrics.table import Cell, Table
from lattice_simp.systems.judging.design import Role
from lattice_simp.systems.judging.store import Judgement
from lattice_simp.systems.judging.study import Study


def rater_table(study: Study, judgements: Sequence[Judgement], least_checks: float = 0.0) -> Table:
    """Returns the table of raters.

    It has the number of judgements and skips, the median of the seconds between judgements, the passed attention
    checks, and whether the rater counts.
    """
    rows = []
    for rater in dict.fromkeys(judgement.rater for judgement in judgements):
        work = [judgement for judgement in judgements if judgement.rater == rater]
        items = [judgement for judgement in work if judgement.trial.role is Role.ITEM]
        checks = [judgement for judgement in work if judgement.trial.role is Role.CHECK]
        passed = sum(not study.checks[check.trial.number].missed(check.answers) for check in checks)
        counts = not checks or passed / len(checks) >= least_checks
        skipped = sum(not judgement.answers for judgement in items)
        numbers = (len(items) - skipped, skipped, _pace(work), passed, len(checks))
        rows.append((Cell(rater), *(Cell(number, 0) for number in numbers), Cell("yes" if counts else "no")))
    columns = ("rater", "judged", "skipped", "seconds", "checks passed", "checks", "counts")
    return Table("Raters", columns, tuple(rows))


def _pace(work: Sequence[Judgement]) -> float | None:
    """Returns the median of the seconds between judgements."""
    times = sorted(judgement.time for judgement in work)
    return median(after - before for before, after in pairwise(times)) if len(times) > 1 else None

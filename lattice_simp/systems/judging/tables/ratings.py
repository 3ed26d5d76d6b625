"""Tables of ratings: means, and the differences of systems for each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from lattice_simp.metrics.report import LEVELS
from lattice_simp.metrics.significance import holm
from lattice_simp.metrics.table import Cell, Table
from lattice_simp.support.plurals import counted
from lattice_simp.systems.judging.questions import Rating
from lattice_simp.systems.judging.statistics import Estimate, anova, clustered_mean, sign_test, tukey
from lattice_simp.systems.judging.store import Judgement
from lattice_simp.systems.judging.study import Study
from lattice_simp.systems.judging.tables.cells import alpha_of, estimate_cells, p_text
from lattice_simp.systems.judging.tables.votes import Votes, count_wins, item_means, votes_by_system, votes_on

_MARKS = "* p < 0.05, ** p < 0.01"


def rating_tables(study: Study, judgements: Sequence[Judgement]) -> Iterator[Table]:
    """Yields the means of all rating questions, then the differences for each."""
    questions = {name: question for name, question in study.questions.items() if isinstance(question, Rating)}
    if not questions:
        return
    votes = {name: votes_on(judgements, name) for name in questions}
    by_system = {name: votes_by_system(study, votes[name]) for name in questions}
    rows = []
    for system in study.systems:
        cells = [Cell(system), Cell(len({vote.item for name in questions for vote in by_system[name][system]}))]
        for name in questions:
            cells += estimate_cells(_mean(by_system[name][system]))
        rows.append(tuple(cells))
    columns = ("system", "items", *(part for name in questions for part in (name, "95 %")))
    notes = [f"{name}: {_rating_note(votes[name], _ratings(by_system[name]))}" for name in questions]
    scales = ", ".join(f"{name} {question.low} to {question.high}" for name, question in questions.items())
    yield Table(
        "Ratings", columns, tuple(rows), (f"mean ratings with intervals that allow for items; {scales}", *notes)
    )
    for name in questions:
        yield from _rating_differences(study, name, by_system[name])


def _rating_note(votes: Votes, groups: Sequence[np.ndarray]) -> str:
    variance = anova(groups)
    test = "ANOVA is undefined"
    if variance is not None:
        test = f"ANOVA F({variance.between}, {variance.within}) = {variance.statistic:.2f}, {p_text(variance.p)}"
    return f"{counted(len(votes), 'rating')}; {test}; {alpha_of(votes, lambda vote: vote.answer, 'ordinal')}"


def _rating_differences(study: Study, name: str, by_system: Mapping[str, Votes]) -> Iterator[Table]:
    if len(study.systems) < 2:
        return
    differences = tukey(_ratings(by_system))
    pairs = list(combinations(range(len(study.systems)), 2))
    means = {system: item_means(votes) for system, votes in by_system.items()}
    counts = [count_wins(means[study.systems[first]], means[study.systems[second]]) for first, second in pairs]
    signs = holm([sign_test(wins, losses) for wins, losses in counts])
    rows = []
    for pair, (wins, losses), sign in zip(pairs, counts, signs, strict=True):
        systems = [Cell(study.systems[index]) for index in pair]
        cells: list[Cell] = [Cell(None), Cell(None), Cell(None)]
        if difference := differences.get(pair):
            mark = next((mark for level, mark in LEVELS if difference.p < level), "")
            value, interval = estimate_cells(difference.estimate, signed=True)
            cells = [Cell(value.value, 2, signed=True, mark=mark), interval, Cell(difference.p, 4)]
        rows.append((*systems, *cells, Cell(wins), Cell(losses), Cell(sign, 4)))
    columns = ("system", "other", "difference", "95 %", "p", "better", "worse", "p (signs)")
    notes = (
        f"difference of the means, interval and p: Tukey's test of all pairs; {_MARKS}",
        "better, worse: items on which the system's mean rating is above or below the other's; p (signs): sign tests, "
        "corrected by Holm's method",
    )
    yield Table(f"Differences: {name}", columns, tuple(rows), notes, words=2)


def _ratings(by_system: Mapping[str, Votes]) -> list[np.ndarray]:
    return [np.array([vote.answer for vote in votes], np.float64) for votes in by_system.values()]


def _mean(votes: Votes) -> Estimate | None:
    if not votes:
        return None
    values = np.array([vote.answer for vote in votes], np.float64)
    return clustered_mean(values, np.array([vote.item for vote in votes]))

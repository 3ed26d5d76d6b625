"""Tables of preferences: the better one of each pair of systems, and the strength of each among all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from lattice_simp.metrics.significance import holm
from lattice_simp.metrics.table import Cell, Table
from lattice_simp.systems.judging.questions import FIRST, TIE, Preference
from lattice_simp.systems.judging.statistics import Estimate, bradley_terry, sign_test
from lattice_simp.systems.judging.study import Study
from lattice_simp.systems.judging.tables.cells import alpha_text, estimate_cells
from lattice_simp.systems.judging.tables.votes import Vote, Votes, item_means


def preference_tables(study: Study, name: str, question: Preference, votes: Votes) -> Iterator[Table]:
    """Yields the preferences between all pairs of systems, then their strengths."""
    pairs = list(combinations(study.systems, 2))
    wins = np.zeros((len(study.systems),) * 2)
    rows, tests = [], []
    for first, second in pairs:
        between = [vote for vote in votes if set(vote.systems) == {first, second}]
        leads = [_lead(vote, first) for vote in between]
        for lead in leads:
            wins[study.systems.index(first), study.systems.index(second)] += (1 + lead) / 2
            wins[study.systems.index(second), study.systems.index(first)] += (1 - lead) / 2
        net = item_means(
            [Vote(vote.rater, vote.item, (first,), lead) for vote, lead in zip(between, leads, strict=True)]
        )
        tests.append(sign_test(sum(value > 0 for value in net.values()), sum(value < 0 for value in net.values())))
        rows.append((Cell(first), Cell(second), *(Cell(leads.count(lead)) for lead in (1, 0, -1))))
    corrected = [(*row, Cell(p, 4)) for row, p in zip(rows, holm(tests), strict=True)]
    columns = ("system", "other", "better", "tie", "worse", "p")
    notes = (
        "p: sign tests of items by the preference of more raters, corrected by Holm's method",
        f"{len(votes)} preferences; {_pair_alpha(votes)}",
    )
    yield Table(name, columns, tuple(corrected), notes, words=2)
    if votes:
        yield _strength_table(study, name, bradley_terry(wins))


def _strength_table(study: Study, name: str, strengths: list[Estimate] | None) -> Table:
    note = "Bradley and Terry's model: the log odds to be preferred to an average system; a tie counts half for both"
    if strengths is None:
        note += "; undefined, as some systems are always preferred to the others"
    estimates = dict(zip(study.systems, strengths or (), strict=False))
    rows = tuple((Cell(system), *estimate_cells(estimates.get(system), signed=True)) for system in study.systems)
    return Table(f"Strengths: {name}", ("system", "strength", "95 %"), rows, (note,))


def _lead(vote: Vote, system: str) -> int:
    """Returns 1 if a system is preferred, -1 if the other one is, 0 for a tie."""
    if vote.answer == TIE:
        return 0
    return 1 if (vote.systems[0] == system) == (vote.answer == FIRST) else -1


def _pair_alpha(votes: Votes) -> str:
    return alpha_text(
        [(vote.item, *sorted(vote.systems)) for vote in votes], [_lead(vote, min(vote.systems)) for vote in votes]
    )

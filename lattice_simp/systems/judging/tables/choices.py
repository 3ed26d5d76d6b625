"""Tables of choices: the shares of answers, and the share of items with the first answer."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.metrics.table import Cell, Table
from lattice_simp.support.groups import grouped
from lattice_simp.systems.judging.questions import Choice
from lattice_simp.systems.judging.statistics import share
from lattice_simp.systems.judging.study import Study
from lattice_simp.systems.judging.tables.cells import alpha_of, estimate_cells, sign_tables
from lattice_simp.systems.judging.tables.votes import Votes, votes_by_system


def choice_tables(study: Study, name: str, question: Choice, votes: Votes) -> Iterator[Table]:
    """Yields the shares of answers and of items with the first answer, then the differences."""
    by_system = votes_by_system(study, votes)
    counted = question.options[0]
    agreed = {system: _majorities(votes, counted) for system, votes in by_system.items()}
    rows = []
    for system, chosen in by_system.items():
        answers = [Cell(sum(vote.answer == option for vote in chosen)) for option in question.options]
        items, hits = len(agreed[system]), int(sum(agreed[system].values()))
        cells = estimate_cells(share(hits, items) if items else None, 100, 1)
        rows.append((Cell(system), *answers, Cell(items), Cell(hits), *cells))
    columns = ("system", *question.options, "items", f"{counted} (items)", "%", "95 %")
    notes = (
        f"an item is {counted} if more than half of its raters say so; Wilson's interval",
        f"{len(votes)} answers; {alpha_of(votes, lambda vote: question.options.index(str(vote.answer)))}",
    )
    yield Table(name, columns, tuple(rows), notes)
    yield from sign_tables(study, name, f"{counted} with one system alone", agreed)


def _majorities(votes: Votes, counted: str) -> dict[int, float]:
    """Returns for each item 1 if more than half of its raters chose an option, else 0."""
    answers = grouped((vote.item, vote.answer == counted) for vote in votes)
    return {item: float(sum(values) * 2 > len(values)) for item, values in answers.items()}

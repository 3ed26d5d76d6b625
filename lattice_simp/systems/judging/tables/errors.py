"""Tables of marked errors: their numbers by kind."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.metrics.table import Cell, Table
from lattice_simp.systems.judging.questions import Errors, words_of
from lattice_simp.systems.judging.study import Study
from lattice_simp.systems.judging.tables.cells import alpha_text, sign_tables
from lattice_simp.systems.judging.tables.votes import Vote, Votes, item_means, votes_by_system


def error_tables(study: Study, name: str, question: Errors, votes: Votes) -> Iterator[Table]:
    """Yields the errors of each kind, then the differences."""
    by_system = votes_by_system(study, votes)
    rows = []
    for system, marked in by_system.items():
        words = sum(_length(study, vote) for vote in marked)
        counts = [sum(kind == mark[2] for vote in marked for mark in _marks(vote)) for kind in question.kinds]
        clean = sum(not vote.answer for vote in marked)
        per_words = 100 * sum(counts) / words if words else None
        without = 100 * clean / len(marked) if marked else None
        rows.append((Cell(system), Cell(len(marked)), *map(Cell, counts), Cell(per_words), Cell(without, 1)))
    columns = ("system", "outputs", *question.kinds, "per 100 words", "without errors, %")
    notes = (f"marked spans; {_word_alpha(study, question, votes)}",)
    yield Table(name, columns, tuple(rows), notes)
    fewer = {
        system: {item: -mean for item, mean in _error_means(marked).items()} for system, marked in by_system.items()
    }
    yield from sign_tables(study, name, "fewer errors than the other system", fewer)


def _error_means(votes: Votes) -> dict[int, float]:
    """Returns the mean number of errors of each item."""
    counted = [Vote(vote.rater, vote.item, vote.systems, len(_marks(vote))) for vote in votes]
    return item_means(counted)


def _marks(vote: Vote) -> tuple[tuple[int, int, str], ...]:
    assert isinstance(vote.answer, tuple)
    return vote.answer


def _length(study: Study, vote: Vote) -> int:
    return len(words_of(study.items[vote.item].outputs[vote.systems[0]]))


def _word_alpha(study: Study, question: Errors, votes: Votes) -> str:
    """Returns the agreement on each word: its kind of error, or none."""
    words, values = [], []
    for vote in votes:
        kinds = [0] * _length(study, vote)
        for first, last, kind in _marks(vote):
            kinds[first : last + 1] = [question.kinds.index(kind) + 1] * (last + 1 - first)
        words += [(vote.item, vote.systems[0], position) for position in range(len(kinds))]
        values += kinds
    return "of words: " + alpha_text(words, values)

"""Precision, recall and F1 of starts, ends, whole clauses and their types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lattice_simp.systems.hindi.clause import Clause, ClauseType
from lattice_simp.systems.hindi.clauses.labels import Brackets, clauses_of, is_balanced

MEASURES = ("starts", "ends", "clauses", "types", *ClauseType)
"""Whole clauses without and with their types; then clauses of each type, with their ends."""


@dataclass(frozen=True)
class Score:
    """Counts: how many things a system found, how many are wanted, and how many of those found are wanted.

    >>> score = Score(correct=3, found=4, wanted=6)
    >>> score.precision, score.recall, score.f1
    (75.0, 50.0, 60.0)
    """

    correct: int
    found: int
    wanted: int

    @property
    def precision(self) -> float:
        """In per cent; 0 where nothing was found."""
        return 100 * self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """In per cent; 0 where nothing was wanted."""
        return 100 * self.correct / self.wanted if self.wanted else 0.0

    @property
    def f1(self) -> float:
        """In per cent."""
        return 200 * self.correct / (self.found + self.wanted) if self.found + self.wanted else 0.0


@dataclass(frozen=True)
class Evaluation:
    """Scores by measure (see `MEASURES`), the per cent of sentences with balanced brackets, and how many there were."""

    scores: dict[str, Score]
    well_formed: float
    sentences: int


def evaluate(pairs: Iterable[tuple[Sequence[Brackets], Sequence[Clause]]]) -> Evaluation:
    """Compares brackets with the clauses that are wanted, both without punctuation at the ends of clauses.

    >>> from lattice_simp.systems.hindi.clauses.labels import brackets_of
    >>> wanted = [Clause(0, 3, ClauseType.MAIN), Clause(1, 2, ClauseType.NON_FINITE)]
    >>> result = evaluate([(brackets_of(wanted[:1], 3), wanted)])
    >>> result.scores["starts"].recall, result.scores["types"].precision, result.well_formed
    (50.0, 100.0, 100.0)
    """
    counts = {measure: [0, 0, 0] for measure in MEASURES}
    sentences = balanced = 0
    for brackets, wanted in pairs:
        sentences += 1
        balanced += is_balanced(brackets)
        found = clauses_of(brackets)
        _add(counts["starts"], [i for i, own in enumerate(brackets) for _ in own.opens], [one.start for one in wanted])
        ends = [i + 1 for i, own in enumerate(brackets) for _ in range(own.closes)]
        _add(counts["ends"], ends, [one.end for one in wanted])
        _add(counts["clauses"], [(c.start, c.end) for c in found], [(c.start, c.end) for c in wanted])
        _add(counts["types"], found, wanted)
        for kind in ClauseType:
            _add(counts[kind], [c for c in found if c.kind == kind], [c for c in wanted if c.kind == kind])
    scores = {measure: Score(*own) for measure, own in counts.items()}
    return Evaluation(scores, 100 * balanced / max(sentences, 1), sentences)


def _add(counts: list[int], found: Sequence[object], wanted: Sequence[object]) -> None:
    correct = (Counter(found) & Counter(wanted)).total()
    for position, number in enumerate((correct, len(found), len(wanted))):
        counts[position] += number

"""Precision, recall and F1 of clause starts, ends, whole clauses and types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lattice_simp.systems.hindi.clause import Clause, ClauseType
from lattice_simp.systems.hindi.clauses.labels import Brackets, clauses_of, is_balanced

MEASURES = ("starts", "ends", "clauses", "types", *ClauseType)
"""Starts, ends, whole clauses without and with their types, then clauses of each type."""


@dataclass(frozen=True)
class Score:
    """The numbers of correct, found and wanted items.

    >>> score = Score(correct=3, found=4, wanted=6)
    >>> score.precision, score.recall, score.f1
    (75.0, 50.0, 60.0)
    """

    correct: int
    found: int
    wanted: int

    @property
    def precision(self) -> float:
        """Per cent of found items that are correct; 0 if there are none."""
        return 100 * self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Per cent of wanted items that were found; 0 if there are none."""
        return 100 * self.correct / self.wanted if self.wanted else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, in per cent."""
        return 200 * self.correct / (self.found + self.wanted) if self.found + self.wanted else 0.0


@dataclass(frozen=True)
class Evaluation:
    """Scores by measure (see `MEASURES`), the per cent of balanced sentences, and the number of sentences."""

    scores: dict[str, Score]
    well_formed: float
    sentences: int


def evaluate(pairs: Iterable[tuple[Sequence[Brackets], Sequence[Clause]]]) -> Evaluation:
    """Compares brackets with the wanted clauses, both without punctuation at the ends of clauses.

    >>> from lattice_simp.systems.hindi.clauses.labels import brackets_of
    >>> reference = [Clause(0, 3, ClauseType.MAIN), Clause(1, 2, ClauseType.NON_FINITE)]
    >>> result = evaluate([(brackets_of(reference[:1], 3), reference)])
    >>> result.scores["starts"].recall, result.scores["types"].precision, result.well_formed
    (50.0, 100.0, 100.0)
    """
    counts = {measure: [0, 0, 0] for measure in MEASURES}
    sentences = balanced = 0
    for brackets, reference in pairs:
        sentences += 1
        balanced += is_balanced(brackets)
        predicted = clauses_of(brackets)
        _add(
            counts["starts"],
            [i for i, token in enumerate(brackets) for _ in token.opens],
            [clause.start for clause in reference],
        )
        ends = [i + 1 for i, token in enumerate(brackets) for _ in range(token.closes)]
        _add(counts["ends"], ends, [clause.end for clause in reference])
        _add(counts["clauses"], [(c.start, c.end) for c in predicted], [(c.start, c.end) for c in reference])
        _add(counts["types"], predicted, reference)
        for kind in ClauseType:
            _add(counts[kind], [c for c in predicted if c.kind == kind], [c for c in reference if c.kind == kind])
    scores = {measure: Score(*measure_counts) for measure, measure_counts in counts.items()}
    return Evaluation(scores, 100 * balanced / max(sentences, 1), sentences)


def _add(counts: list[int], predicted: Sequence[object], reference: Sequence[object]) -> None:
    correct = (Counter(predicted) & Counter(reference)).total()
    for position, number in enumerate((correct, len(predicted), len(reference))):
        counts[position] += number

"""The interface of metrics: statistics of each sentence that add up, and a formula over their sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arguments import whole
from lattice_simp.core.kernel import Floats
from lattice_simp.core.symbols import as_sentences
from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.ratios import ratio
from lattice_simp.support.plurals import counted

References = Sequence[Sequence[str]]
"""The lines of each reference: `references[r][s]` belongs to sentence `s`."""


class Form(str, Enum):
    """The written form of sentences."""

    TOKENS = "tokens"
    """Blanks separate the tokens that the system works with."""
    TEXT = "text"
    """Plain text as readers see it, with punctuation marks in their places."""


@dataclass(frozen=True)
class Lines:
    """The sentences of one system or of one reference: as tokens, as text, or as both.

    >>> Lines(tokens=("yes , sir .",), text=("Yes, sir.",)).count
    1

    Raises:
        LatticeSimpError: neither is given, or they differ in length.
    """

    tokens: Sequence[str] | None = None
    text: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for name in ("tokens", "text"):
            if isinstance(getattr(self, name), str):  # a single sentence
                object.__setattr__(self, name, (getattr(self, name),))
        counts = {len(lines) for lines in (self.tokens, self.text) if lines is not None}
        if len(counts) != 1:
            fault = "neither tokens nor text" if not counts else "tokens and text of different length"
            raise LatticeSimpError(f"a set of sentences with {fault}")

    @property
    def count(self) -> int:
        """The number of sentences."""
        return len(self.tokens if self.tokens is not None else self.text or ())

    def written(self, form: Form) -> Sequence[str] | None:
        """Returns the lines in a form, or None if they lack it."""
        return self.tokens if form is Form.TOKENS else self.text


@dataclass(frozen=True)
class Metric:
    """A corpus metric whose score is a formula over sums of sentence statistics.

    >>> from lattice_simp.metrics import length_ratio
    >>> metric = length_ratio()
    >>> rows = metric.rows(["a b", "a"], [["a b c", "a"]])
    >>> rows.tolist(), float(metric.score(rows.sum(axis=0)))
    ([[2.0, 3.0], [1.0, 1.0]], 0.75)

    So the score of any resample of the sentences is `score(counts @ rows)`, on which significance tests rely.

    Attributes:
        name: the heading of its columns.
        higher_is_better: False for error rates, None if neither direction is better (the length ratio).
        signature: everything that is needed to compute the same numbers again.
        statistics: maps hypotheses (n lines) and references (n lines each) to float64 of shape (n, k); a metric that
            needs the source gets its n lines as the third argument. `rows` checks the lines first.
        score: maps sums of rows, float64 of shape (..., k), to shape (...).
        reads: the forms that the metric reads, the preferred one first. `measure` tokenises text for a metric that
            reads only tokens, and joins tokens for one that reads only text.
        decimals: the decimals in tables.
        needs_source: whether outputs are compared with their sources.
        num_references: the number of references that the signature states; None if the score ignores references.
    """

    name: str
    higher_is_better: bool | None
    signature: str
    statistics: Callable[..., Floats]
    score: Callable[[npt.ArrayLike], Floats]
    reads: tuple[Form, ...] = (Form.TEXT, Form.TOKENS)
    decimals: int = 2
    needs_source: bool = False
    num_references: int | None = None

    def __post_init__(self) -> None:
        if self.num_references is not None:
            whole(self.num_references, "num_references", 1)

    def rows(self, hypotheses: Sequence[str], references: References, source: Sequence[str] | None = None) -> Floats:
        """Returns the statistics, (n, k).

        Args:
            hypotheses: (n,) texts.
            references: texts for each reference, (n,) each.
            source: the sources of the hypotheses; a metric that does not need them ignores them.

        Raises:
            LatticeSimpError: there are no sentences or references, numbers of lines differ, the metric was made for
                another number of references, or it needs the source, and there is none; or `statistics` raises it.
        """
        hypotheses = as_sentences(hypotheses)
        references = [as_sentences(lines) for lines in as_sentences(references)]
        source = None if source is None else as_sentences(source)
        _check_lines(hypotheses, references, source)
        if self.num_references is not None and self.num_references != len(references):
            raise LatticeSimpError(
                f"{self.name} was made for {counted(self.num_references, 'reference')}, but got {len(references)}; "
                f"make it with num_references={len(references)}"
            )
        if not self.needs_source:
            return self.statistics(hypotheses, references)
        if source is None:
            raise LatticeSimpError(f"{self.name} needs --source, the sentences that the outputs were made of")
        return self.statistics(hypotheses, references, source)

    def corpus_score(
        self, hypotheses: Sequence[str], references: References, source: Sequence[str] | None = None
    ) -> float:
        """Returns the score of a corpus; raises the errors of `rows`."""
        return float(self.score(self.rows(hypotheses, references, source).sum(axis=0)))


def _check_lines(hypotheses: Sequence[str], references: References, source: Sequence[str] | None) -> None:
    if not hypotheses or not references:
        raise LatticeSimpError("there is nothing to score; give at least one sentence and one reference")
    expected = counted(len(hypotheses), "hypothesis", "hypotheses")
    for number, lines in enumerate(references, start=1):
        if len(lines) != len(hypotheses):
            raise LatticeSimpError(f"reference {number} has {counted(len(lines), 'line')} for {expected}")
    if source is not None and len(source) != len(hypotheses):
        raise LatticeSimpError(f"the source has {counted(len(source), 'line')} for {expected}")


def ratio_of_sums(sums: npt.ArrayLike) -> Floats:
    """Returns the score of metrics with two statistics, (..., 2) to (...): the first sum by the second one.

    >>> ratio_of_sums([3.0, 4.0]).tolist()
    0.75
    """
    rows = np.asarray(sums, dtype=np.float64)
    return ratio(rows[..., 0], rows[..., 1])


def averaged(values: npt.ArrayLike) -> Floats:
    """Returns statistics, (n, 2), whose `ratio_of_sums` is the mean of the sentences' values.

    >>> averaged([2.0, 3.0]).tolist()
    [[2.0, 1.0], [3.0, 1.0]]
    """
    column = np.asarray(values, dtype=np.float64)
    return np.column_stack([column, np.ones(len(column))])

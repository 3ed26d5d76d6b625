"""The interface of metrics to tune on: statistics of hypotheses that add up over a corpus, and a score of the sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError

References = Sequence[npt.ArrayLike]
"""The references of one sentence, each an array of word ids."""


class Prepared(Protocol):
    """A development sentence prepared for a metric: its references (and source), counted once."""

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns the statistics of hypotheses, (hypotheses, columns) int64.

        Args:
            words: of all hypotheses, one after another.
            offsets: (hypotheses + 1,), where each begins.
        """
        ...


@dataclass(frozen=True)
class TunedMetric:
    """A corpus score of sums of whole numbers.

    >>> import numpy as np
    >>> from lattice_simp.tune.metrics import BLEU
    >>> [sentence] = BLEU.prepared([[[1, 2, 3, 4, 5]]])
    >>> BLEU.score(sentence.rows(np.array([1, 2, 3, 4], dtype=np.int32), np.array([0, 4]))).round(4).tolist()
    [0.7788]

    Attributes:
        name: as it is written beside scores.
        prepare: the references of a sentence, and its source or None, to what counts its hypotheses.
        score: summed statistics, (..., columns), to scores from 0 to 1, (...); higher is better.
        detail: one row of summed statistics to a further figure, as BLEU's brevity penalty.
        needs_source: whether hypotheses are compared with their sources.
    """

    name: str
    prepare: Callable[[References, npt.ArrayLike | None], Prepared]
    score: Callable[[npt.ArrayLike], Floats]
    detail: Callable[[npt.ArrayLike], float] | None = None
    needs_source: bool = False

    def prepared(
        self, references: Sequence[References], sources: Sequence[npt.ArrayLike] | None = None
    ) -> list[Prepared]:
        """Returns what counts the hypotheses of each sentence.

        Args:
            references: of each sentence.
            sources: of each sentence its words; a metric that needs none does not read them.

        Raises:
            LatticeSimpError: the metric needs sources and there are none, or not as many; what `prepare` raises.
        """
        if not self.needs_source:
            return [self.prepare(sentence, None) for sentence in references]
        if sources is None:
            raise LatticeSimpError(f"{self.name} needs --source, the sentences that the hypotheses were made of")
        if len(sources) != len(references):
            raise LatticeSimpError(f"{len(sources)} sources and references of {len(references)} sentences")
        return [self.prepare(sentence, source) for sentence, source in zip(references, sources, strict=True)]

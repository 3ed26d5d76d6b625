"""The interface of metrics to tune on: statistics of hypotheses that add up over a corpus, and a score of the sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.ngrams import joined
from lattice_simp.support.plurals import counted

References = Sequence[npt.ArrayLike]
"""The references of one sentence, each an array of word ids."""


class Prepared(Protocol):
    """A development sentence prepared for a metric: its references (and source), counted once."""

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns the statistics of hypotheses, (hypotheses, columns) int64.

        Args:
            words: the words of all hypotheses, one after another.
            offsets: (hypotheses + 1,), where each begins.
        """
        ...


@dataclass(frozen=True)
class TunedMetric:
    """A corpus score that is computed from sums of whole numbers.

    >>> import numpy as np
    >>> from lattice_simp.tune.metrics import BLEU
    >>> [sentence] = BLEU.prepared([[[1, 2, 3, 4, 5]]])
    >>> BLEU.score(sentence.rows(np.array([1, 2, 3, 4], dtype=np.int32), np.array([0, 4]))).round(4).tolist()
    [0.7788]

    Attributes:
        name: the name in reports.
        prepare: maps the references of a sentence, its source or None, and the table of words to a `Prepared`.
        score: maps summed statistics, (..., columns), to scores up to 1, (...); higher is better.
        detail: maps one row of summed statistics to a further figure, such as BLEU's brevity penalty.
        needs_source: whether hypotheses are compared with their sources.
        needs_words: whether words are compared by their characters.
        is_error_rate: whether the score is 1 minus an error rate.
    """

    name: str
    prepare: Callable[[References, npt.ArrayLike | None, SymbolTable], Prepared]
    score: Callable[[npt.ArrayLike], Floats]
    detail: Callable[[npt.ArrayLike], float] | None = None
    needs_source: bool = False
    needs_words: bool = False
    is_error_rate: bool = False

    def reported(self, score: float) -> float:
        """Returns a score in the form for reports: for an error rate, the rate itself."""
        return 1.0 - score if self.is_error_rate else score

    def of_strings(self, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]) -> float:
        """Returns the reported score of a corpus, one string of tokens for each sentence.

        >>> from lattice_simp.tune.metrics import WER
        >>> WER.of_strings([["a", "b", "c"]], [[["a", "b"], ["a", "b", "c", "d", "e"]]])
        0.5

        Raises:
            LatticeSimpError: as `prepared`, or the metric needs sources.
        """
        symbols = SymbolTable()
        encoded = [[symbols.encode(tokens) for tokens in sentence] for sentence in references]
        counts = self.prepared(encoded, symbols=symbols)
        rows = [
            sentence.rows(*joined([symbols.encode(tokens)]))
            for sentence, tokens in zip(counts, hypotheses, strict=True)
        ]
        return self.reported(float(self.score(np.concatenate(rows).sum(axis=0))))

    def prepared(
        self,
        references: Sequence[References],
        sources: Sequence[npt.ArrayLike] | None = None,
        symbols: SymbolTable | None = None,
    ) -> list[Prepared]:
        """Prepares each sentence for counting its hypotheses.

        Args:
            references: the references of each sentence.
            sources: the words of each source sentence; a metric that needs none ignores them.
            symbols: the table that numbers the words; it may grow later.

        Raises:
            LatticeSimpError: the metric needs sources or words and there are none, or too few or many sources; or
                `prepare` raises it.
        """
        if self.needs_words and symbols is None:
            raise LatticeSimpError(f"{self.name} compares characters, so it needs the table of the words (symbols=)")
        symbols = SymbolTable.of(symbols)
        if not self.needs_source:
            return [self.prepare(sentence, None, symbols) for sentence in references]
        if sources is None:
            raise LatticeSimpError(f"{self.name} needs --source, the sentences that the hypotheses were made of")
        if len(sources) != len(references):
            raise LatticeSimpError(
                f"{counted(len(sources), 'source')} and references of {counted(len(references), 'sentence')}"
            )
        return [self.prepare(*pair, symbols) for pair in zip(references, sources, strict=True)]

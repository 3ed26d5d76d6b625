"""The statistics of the translation edit rate (Snover et al. 2006), as sacrebleu counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.metrics.metric import Metric
from lattice_simp.metrics.sacrebleu_metrics import ter
from lattice_simp.scores.ngrams import require_reference

SHARES = 2520
"""The factor of statistics, by which mean lengths of up to ten references are whole numbers."""


@dataclass(frozen=True, eq=False)
class TerReferences:
    """The references of one sentence, and a cache of hypotheses' statistics, which most lines need again.

    Attributes:
        references: one text each.
        symbols: the table of words.
        metric: the metric that counts edits.
        statistics: the cache: (edits, mean length) by the bytes of a hypothesis's word ids.
    """

    references: tuple[str, ...]
    symbols: SymbolTable
    metric: Metric
    statistics: dict[bytes, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, references: Sequence[npt.ArrayLike], symbols: SymbolTable) -> TerReferences:
        """Spells one sentence's references, each an array of word ids.

        Raises:
            LatticeSimpError: no reference.
        """
        require_reference(references)
        texts = tuple(" ".join(symbols.decode(np.asarray(words).tolist())) for words in references)
        return cls(texts, symbols, ter(len(texts)))

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns edits and the mean reference length, times `SHARES`, (hypotheses, 2), see `tune.metric.Prepared`."""
        hypotheses = [words[begin:end] for begin, end in pairwise(offsets.tolist())]
        keys = [hypothesis.tobytes() for hypothesis in hypotheses]
        new = {key: number for number, key in enumerate(keys) if key not in self.statistics}
        if new:
            texts = [" ".join(self.symbols.decode(hypotheses[number].tolist())) for number in new.values()]
            rows = self.metric.rows(texts, [[reference] * len(texts) for reference in self.references])
            counts = np.rint(SHARES * rows).astype(np.int64).tolist()
            self.statistics.update((key, (edits, length)) for key, (edits, length) in zip(new, counts, strict=True))
        return np.array([self.statistics[key] for key in keys], dtype=np.int64).reshape(len(keys), 2)

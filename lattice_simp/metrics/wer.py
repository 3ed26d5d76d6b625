"""The word error rate of outputs, whose statistics `scores/wer.py` counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.metrics.metric import Form, Metric, References
from lattice_simp.scores.edits import error_rate
from lattice_simp.scores.ngrams import joined, numbered
from lattice_simp.scores.wer import WerReferences


def wer(num_references: int = 1) -> Metric:
    """Returns the word error rate, 0 upwards in per cent, against the reference with the fewest edits.

    >>> wer(2).corpus_score(["a b c"], [["a b"], ["a b c d e f g x"]])
    50.0
    """

    def statistics(hypotheses: Sequence[str], references: References) -> Floats:
        rows = []
        for hypothesis, *lines in zip(hypotheses, *references, strict=True):
            words = numbered([line.split() for line in (hypothesis, *lines)])
            rows.append(WerReferences.of(words[1:]).rows(*joined(words[:1])))
        return np.concatenate(rows).astype(np.float64)

    signature = f"nrefs:{num_references}|case:mixed|tok:blanks|reference:nearest"
    return Metric("WER", False, signature, statistics, _rate, (Form.TOKENS,), num_references=num_references)


def _rate(sums: npt.ArrayLike) -> Floats:
    rows = np.asarray(sums)
    return error_rate(rows[..., 0], rows[..., 1], scale=100.0)

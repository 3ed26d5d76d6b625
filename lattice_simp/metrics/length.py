"""The length ratio: tokens of the hypotheses by tokens of the references."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.metrics.metric import Form, Metric, References, ratio_of_sums


def length_ratio(num_references: int = 1) -> Metric:
    """Returns the ratio of the tokens of hypotheses to those of the closest references (on ties, the shorter).

    >>> length_ratio(2).corpus_score(["a b c", "a"], [["a b", "a b"], ["a b c d", "a b c"]])
    1.0

    The ratio is 0 if the references hold no tokens.
    """
    signature = f"nrefs:{num_references}|tokens:blanks|reference:closest"
    return Metric(
        "length", None, signature, _statistics, ratio_of_sums, (Form.TOKENS,), decimals=3, num_references=num_references
    )


def _statistics(hypotheses: Sequence[str], references: References) -> Floats:
    lengths = np.array([len(line.split()) for line in hypotheses], dtype=np.float64)
    # Sorted, so that ties go to the shorter reference.
    reference_lengths = np.sort([[len(line.split()) for line in lines] for lines in references], axis=0)
    closest = np.abs(reference_lengths - lengths).argmin(axis=0)
    return np.column_stack([lengths, reference_lengths[closest, np.arange(len(lengths))]])

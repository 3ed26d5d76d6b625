"""The distance of outputs from the source and from references in words, as tables on text simplification report it.

They are those of Narayan and Gardent (2014), Table 4: the word Levenshtein distance to the complex sentence and to the
simple one, and how many outputs are equal to either. Case is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.metrics.metric import Form, Metric, References, averaged, ratio_of_sums
from lattice_simp.scores.edits import edit_distances


def edits_source() -> Metric:
    """Returns the mean word Levenshtein distance of outputs to their source.

    >>> edits_source().corpus_score(["a b", "c"], [["a", "c"]], ["A b", "a b c"])
    1.0
    """
    return _to_source("edits-source", lambda distances: distances)


def unchanged() -> Metric:
    """Returns the percentage of outputs that equal their source.

    >>> unchanged().corpus_score(["a b", "c"], [["a", "c"]], ["A b", "a b c"])
    50.0
    """
    return _to_source("unchanged", lambda distances: 100.0 * (distances == 0))


def edits_reference(num_references: int = 1) -> Metric:
    """Returns the mean word Levenshtein distance of outputs to the nearest reference.

    >>> edits_reference(2).corpus_score(["a b", "c"], [["a", "c"], ["b b a", "a"]])
    0.5
    """
    return _to_reference("edits-reference", False, num_references, lambda distances: distances)


def identical(num_references: int = 1) -> Metric:
    """Returns the percentage of outputs that equal one of their references.

    >>> identical(2).corpus_score(["a b", "c"], [["a", "c"], ["b b a", "a"]])
    50.0
    """
    return _to_reference("identical", True, num_references, lambda distances: 100.0 * (distances == 0))


def word_edits(lines: Sequence[str], others: Sequence[str]) -> Floats:
    """Returns the word Levenshtein distances of pairs of lines, (n,): insertions, deletions and substitutions.

    >>> word_edits(["the cat sat"], ["a cat sat there"]).tolist()
    [2.0]
    """
    pairs = zip(lines, others, strict=True)
    return np.array([edit_distances(line.lower().split(), [other.lower().split()])[0] for line, other in pairs])


def _to_source(name: str, values: Callable[[Floats], Floats]) -> Metric:
    def statistics(hypotheses: Sequence[str], references: References, source: Sequence[str]) -> Floats:
        return averaged(values(word_edits(hypotheses, source)))

    return Metric(name, None, "case:lc|tok:blanks", statistics, ratio_of_sums, (Form.TOKENS,), needs_source=True)


def _to_reference(name: str, higher_is_better: bool, num_references: int, values: Callable[[Floats], Floats]) -> Metric:
    def statistics(hypotheses: Sequence[str], references: References) -> Floats:
        nearest = np.min([word_edits(hypotheses, lines) for lines in references], axis=0)
        return averaged(values(nearest))

    signature = f"nrefs:{num_references}|case:lc|tok:blanks|reference:nearest"
    return Metric(
        name, higher_is_better, signature, statistics, ratio_of_sums, (Form.TOKENS,), num_references=num_references
    )

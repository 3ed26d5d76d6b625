"""Rescores n-best lists: adds a feature for each model, and computes new totals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.scorer import Scorer, finite

TOTAL = "TOTAL"
"""The weight of an n-best list's old score, which is not among its features."""


def score_nbest(
    source: Sequence[str], entries: Sequence[Hypothesis], scorers: Mapping[str, Scorer]
) -> list[Hypothesis]:
    """Adds a feature for each scorer, minus its cost, to the entries of a sentence.

    >>> from lattice_simp.lm import LanguageModel
    >>> from lattice_simp.rescore.language_model import NgramScorer
    >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
    >>> scorer = NgramScorer(LanguageModel.from_bytes(text.encode()))
    >>> [entry] = score_nbest([], [Hypothesis(("a",), 1.0)], {"LM": scorer})
    >>> round(entry.features["LM"], 4)   # -0.75 * ln 10
    -1.7269

    Raises:
        LatticeSimpError: an entry has a feature of that name already, or a score is not a number.
    """
    strings = [entry.tokens for entry in entries]
    scored = [dict(entry.features) for entry in entries]
    for name, scorer in scorers.items():
        if any(name in features for features in scored):
            raise LatticeSimpError(f"the n-best list has a feature {name} already; give the model another name")
        costs = finite(scorer.score(source, strings), name).tolist() if strings else []
        for features, cost in zip(scored, costs, strict=True):
            features[name] = 0.0 - cost
    return [replace(entry, features=features) for entry, features in zip(entries, scored, strict=True)]


def with_total(entries: Sequence[Hypothesis], weights: Collection[str]) -> list[Hypothesis]:
    """Keeps the old score of each entry as the feature TOTAL, if TOTAL has a weight and the list lacks it.

    >>> with_total([Hypothesis(("a",), 1.5, {"LM": -2.0})], {"LM": 1.0, "TOTAL": 0.5})[0].features
    {'LM': -2.0, 'TOTAL': -1.5}
    """
    if TOTAL not in weights:
        return list(entries)
    if any(TOTAL in entry.features for entry in entries):
        raise LatticeSimpError(f"the n-best list has a feature {TOTAL}, which names the old score; rename it")
    return [replace(entry, features={**entry.features, TOTAL: entry.score}) for entry in entries]


def weighted_nbest(entries: Sequence[Hypothesis], weights: Mapping[str, float]) -> list[Hypothesis]:
    """Returns the entries with minus the weighted sums of their features as costs, best first.

    >>> entries = [Hypothesis(("a",), 0.0, {"LM": -2.0}), Hypothesis(("b",), 0.0, {"LM": -1.0})]
    >>> [(entry.text, entry.cost) for entry in weighted_nbest(entries, {"LM": 0.5})]
    [('b', 0.5), ('a', 1.0)]

    A weight TOTAL, if there is one, adds the old score (`with_total`, as in tuning). A feature without a weight raises
    LatticeSimpError.
    """
    scores = [_score(entry.features, weights) for entry in with_total(entries, weights)]
    weighted = [entry.with_cost(0.0 - score) for entry, score in zip(entries, scores, strict=True)]
    return sorted(weighted, key=lambda entry: entry.cost)


def _score(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    for name in features:
        if name not in weights:
            raise LatticeSimpError(f"the weights lack the feature {name} of the lists; add it, with 0 to leave it out")
    return sum(weights[name] * score for name, score in features.items())

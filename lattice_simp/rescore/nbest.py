"""Rescoring n-best lists: a feature for each model, and new totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.nbest import Hypothesis
from lattice_simp.rescore.scorer import Scorer


def score_nbest(
    source: Sequence[str], entries: Sequence[Hypothesis], scorers: Mapping[str, Scorer]
) -> list[Hypothesis]:
    """Returns the entries of one sentence with a feature for each scorer: minus its cost, as features are.

    Raises:
        LatticeSimpError: an entry has a feature of that name already.
    """
    words = [split_tokens(entry.words) for entry in entries]
    added: list[dict[str, tuple[float, ...]]] = [{} for _ in entries]
    for name, scorer in scorers.items():
        for entry in entries:
            if name in entry.features:
                raise LatticeSimpError(f"the n-best list has a feature {name} already; give the model another name")
        for features, cost in zip(added, scorer.score(source, words).tolist() if words else [], strict=True):
            features[name] = (0.0 - cost,)
    return [replace(entry, features=entry.features | own) for entry, own in zip(entries, added, strict=True)]


def weighted_nbest(entries: Sequence[Hypothesis], weights: Mapping[str, float]) -> list[Hypothesis]:
    """Returns the entries with the weighted sums of their features as totals, best first.

    >>> entries = [Hypothesis(0, "a", {"LM": (-2.0,)}), Hypothesis(0, "b", {"LM": (-1.0,)})]
    >>> [(entry.words, entry.total) for entry in weighted_nbest(entries, {"LM": 0.5})]
    [('b', -0.5), ('a', -1.0)]

    A feature of several values has the weights NAME_0, NAME_1, ...; the weight TOTAL, if there is one, counts the old
    total in.

    Raises:
        LatticeSimpError: a feature has no weight.
    """
    done = [replace(entry, total=_total(entry, weights)) for entry in entries]
    return sorted(done, key=lambda entry: -entry.total)


def _total(entry: Hypothesis, weights: Mapping[str, float]) -> float:
    total = weights.get("TOTAL", 0.0) * entry.total
    for name, values in entry.features.items():
        names = [name] if len(values) == 1 else [f"{name}_{place}" for place in range(len(values))]
        for own, value in zip(names, values, strict=True):
            if own not in weights:
                raise LatticeSimpError(f"no weight for the feature {own}; add it, or set it to 0")
            total += weights[own] * value
    return total

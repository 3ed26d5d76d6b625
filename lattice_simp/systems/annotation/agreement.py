"""Measures of agreement between annotators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, groupby
from operator import attrgetter
from statistics import fmean

from lattice_simp.metrics.krippendorff import krippendorff_alpha
from lattice_simp.skeleton.automatic.agreement import token_f1
from lattice_simp.support.groups import grouped
from lattice_simp.systems.annotation.decisions import Decisions
from lattice_simp.systems.annotation.judgements import Judgement, Verdict


def token_alpha(judgements: Sequence[Judgement]) -> float | None:
    """Returns Krippendorff's alpha of the decisions to keep or delete each token."""
    decisions = Decisions.of(judgements)
    return krippendorff_alpha(decisions.token, decisions.keep)


def verdict_alpha(verdicts: Sequence[Verdict]) -> float | None:
    """Returns Krippendorff's alpha of the verdicts on skeletons."""
    return krippendorff_alpha([verdict.key for verdict in verdicts], [verdict.bad for verdict in verdicts])


def verdict_agreement(verdicts: Sequence[Verdict]) -> float | None:
    """Returns the share of pairs of annotators that agree on a skeleton, averaged over skeletons.

    Hasler et al. (2016, section 3.1) report 91 %. None if no skeleton has two verdicts.
    """

    def same(first: Verdict, second: Verdict) -> bool:
        return first.bad == second.bad

    key = attrgetter("key")
    groups = [list(group) for _, group in groupby(sorted(verdicts, key=key), key=key)]
    return _mean(fmean(same(*pair) for pair in combinations(group, 2)) for group in groups if len(group) > 1)


def pairwise_f1(judgements: Sequence[Judgement]) -> dict[tuple[str, str], float]:
    """Returns the F1 of kept tokens for each pair of annotators, averaged over their common sentences.

    >>> from lattice_simp.systems.annotation.judgements import Sentence
    >>> sentence = Sentence("talk.0", 0, ("so", "it", "is"))
    >>> masks = {"Ada": "011", "Bob": "110"}
    >>> pairwise_f1([Judgement(sentence, name, sentence.skeleton(mask)) for name, mask in masks.items()])
    {('Ada', 'Bob'): 0.5}
    """
    by_sentence = grouped((judgement.sentence.id, judgement) for judgement in judgements)
    scores = grouped(
        ((first.annotator, second.annotator), token_f1(first.skeleton, second.skeleton))
        for group in by_sentence.values()
        for first, second in combinations(sorted(group, key=lambda judgement: judgement.annotator), 2)
    )
    return {pair: fmean(values) for pair, values in sorted(scores.items())}


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return fmean(numbers) if numbers else None

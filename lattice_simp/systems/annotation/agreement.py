"""How well annotators agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, groupby
from statistics import fmean

import numpy as np

from lattice_simp.skeleton.automatic.agreement import token_f1
from lattice_simp.support.extras import Late
from lattice_simp.systems.annotation.decisions import Decisions
from lattice_simp.systems.annotation.judgements import Judgement, Verdict

nltk_agreement = Late("nltk.metrics.agreement", "annotation")


def krippendorff_alpha(unit: np.ndarray, value: np.ndarray) -> float | None:
    """Returns Krippendorff's alpha of yes-or-no judgements; units that only one annotator judged say nothing.

    One minus the observed by the expected disagreement: 1 where all agree, 0 where they agree as often as by chance.
    (Krippendorff, Computing Krippendorff's alpha-reliability, 2011, section B; his example:)

    >>> values = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], bool)
    >>> round(krippendorff_alpha(np.tile(np.arange(10), 2), values.ravel()), 3)  # doctest: +SKIP
    0.095

    Args:
        unit: what each judgement is of, as indices from 0; int64.
        value: the judgements; bool.

    Returns:
        None where nothing can be expected: no unit has two judgements, or all judgements are the same.

    Raises:
        MissingExtraError: NLTK, which computes it, is not installed.
    """
    pairable = np.bincount(unit)[unit] > 1
    if len(set(value[pairable].tolist())) < 2:
        return None
    # NLTK wants to know who judged, but alpha does not depend on it.
    judgements = zip(range(len(unit)), unit.tolist(), value.tolist(), strict=True)
    return float(nltk_agreement.AnnotationTask(judgements).alpha())


def token_alpha(judgements: Sequence[Judgement]) -> float | None:
    """Returns Krippendorff's alpha of the decisions to keep or delete each token."""
    decisions = Decisions.of(judgements)
    return krippendorff_alpha(decisions.token, decisions.keep)


def verdict_alpha(verdicts: Sequence[Verdict]) -> float | None:
    """Returns Krippendorff's alpha of which skeletons are bad."""
    units: dict[tuple[str, str], int] = {}
    unit = [units.setdefault((own.sentence.id, own.skeleton.to_mask()), len(units)) for own in verdicts]
    return krippendorff_alpha(np.array(unit, np.int64), np.array([own.bad for own in verdicts], bool))


def verdict_agreement(verdicts: Sequence[Verdict]) -> float | None:
    """Returns the share of pairs of annotators that say the same of a skeleton, averaged over skeletons.

    Hasler et al. (2016, section 3.1) report 91 %. None if no skeleton has two judgements.
    """

    def same(one: Verdict, other: Verdict) -> bool:
        return one.bad == other.bad

    def skeleton(own: Verdict) -> tuple[str, str]:
        return own.sentence.id, own.skeleton.to_mask()

    groups = [list(group) for _, group in groupby(sorted(verdicts, key=skeleton), key=skeleton)]
    return _mean(fmean(same(*pair) for pair in combinations(group, 2)) for group in groups if len(group) > 1)


def pairwise_f1(judgements: Sequence[Judgement]) -> dict[tuple[str, str], float]:
    """Returns the F1 of kept tokens for each pair of annotators, averaged over the sentences that both judged.

    >>> from lattice_simp.systems.annotation.judgements import Sentence
    >>> own = Sentence("talk.0", 0, ("so", "it", "is"))
    >>> pairwise_f1([Judgement(own, "Ada", own.skeleton("011")), Judgement(own, "Bob", own.skeleton("110"))])
    {('Ada', 'Bob'): 0.5}
    """
    found: dict[tuple[str, str], list[float]] = {}
    by_sentence: dict[str, list[Judgement]] = {}
    for own in judgements:
        by_sentence.setdefault(own.sentence.id, []).append(own)
    for group in by_sentence.values():
        for one, other in combinations(sorted(group, key=lambda own: own.annotator), 2):
            found.setdefault((one.annotator, other.annotator), []).append(token_f1(one.skeleton, other.skeleton))
    return {pair: fmean(scores) for pair, scores in sorted(found.items())}


def _mean(values: Iterable[float]) -> float | None:
    own = list(values)
    return fmean(own) if own else None

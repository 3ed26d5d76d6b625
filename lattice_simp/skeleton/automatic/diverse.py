"""Several different skeletons of a sentence, with probabilities: where one mask is wrong, another may be right.

The masks of all methods are pooled; the tagger, shifted to the desired compression rate, gives the relative probability
of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.model import LanguageModel
from lattice_simp.skeleton.automatic.candidates import check_wanted, choose
from lattice_simp.skeleton.automatic.dependency import dependency_skeletons
from lattice_simp.skeleton.automatic.optimal import optimal_skeletons
from lattice_simp.skeleton.automatic.tagger import DeletionTagger
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.text.english.parse import Parse

OF_EACH_METHOD = 4
"""How many skeletons each method adds to the pool."""


@dataclass(frozen=True)
class WeightedSkeleton:
    """A skeleton with its probability among the skeletons of the sentence."""

    skeleton: Skeleton
    probability: float


def diverse_skeletons(
    parse: Parse,
    tagger: DeletionTagger,
    model: LanguageModel | None = None,
    *,
    rate: float = 0.6,
    candidates: int = 8,
    temperature: float = 1.0,
) -> list[WeightedSkeleton]:
    """Returns skeletons that differ in a tenth of the tokens or more, the most probable one first.

    Args:
        parse: a parsed sentence.
        tagger: gives the probabilities of masks, and its best masks.
        model: a language model for the globally optimal masks.
        rate: the compression rate to aim at.
        candidates: the most skeletons to return.
        temperature: 1 leaves the tagger's probabilities unchanged; larger values make them more even.

    Raises:
        LatticeSimpError: a rate out of range, fewer than one candidate, or a temperature that is not positive.
    """
    check_wanted(rate, candidates)
    pool = skeleton_pool(parse, tagger, model, rate)
    scores = tagger_scores(parse, tagger, rate, pool)
    order = np.argsort(-scores, kind="stable").tolist()
    chosen = choose(parse.tokens, (pool[index].mask for index in order), candidates)
    score_of = dict(zip((skeleton.mask for skeleton in pool), scores.tolist(), strict=True))
    shares = probabilities(np.array([score_of[skeleton.mask] for skeleton in chosen]), temperature)
    return [WeightedSkeleton(*pair) for pair in zip(chosen, shares.tolist(), strict=True)]


def skeleton_pool(parse: Parse, tagger: DeletionTagger, model: LanguageModel | None, rate: float) -> list[Skeleton]:
    """Returns the skeletons of a sentence by all methods, each mask once."""
    skeletons = [
        *tagger.skeletons(parse, rate, OF_EACH_METHOD),
        *optimal_skeletons(parse, model, tagger=tagger, rate=rate, candidates=OF_EACH_METHOD),
        *dependency_skeletons(parse, rate, OF_EACH_METHOD),
    ]
    return list({skeleton.mask: skeleton for skeleton in skeletons}.values())


def tagger_scores(parse: Parse, tagger: DeletionTagger, rate: float, skeletons: Sequence[Skeleton]) -> Floats:
    """Returns (skeletons,) float64, the tagger's log probabilities of masks up to a constant of the sentence."""
    chain = tagger.chain(parse).at_rate(rate)
    return np.array([chain.score(skeleton.mask) for skeleton in skeletons])


def probabilities(scores: Floats, temperature: float = 1.0) -> Floats:
    """Returns the probabilities of a log-linear model; they sum to 1.

    >>> probabilities(np.log([3.0, 1.0])).round(2).tolist(), probabilities(np.log([4.0, 1.0]), 2.0).round(2).tolist()
    ([0.75, 0.25], [0.67, 0.33])

    Raises:
        LatticeSimpError: the temperature is not positive.
    """
    if not temperature > 0:
        raise LatticeSimpError(f"the temperature is {temperature}; give a number above 0")
    odds = np.exp((scores - scores.max(initial=-np.inf)) / temperature)
    shares: Floats = odds / odds.sum()
    return shares

"""Several skeletons of a sentence: the tagger's most probable ones that differ, with probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic.chain import Chain
from lattice_simp.skeleton.automatic.diverse import diverse_skeletons, skeleton_pool, tagger_scores


@dataclass(frozen=True)
class Tagger:
    """A chain of its own, and its best masks."""

    own: Chain

    def chain(self, parse) -> Chain:
        return self.own

    def skeletons(self, parse, rate, candidates):
        masks = [mask for mask in self.own.at_rate(rate).best_masks(candidates) if any(mask)]
        return [Skeleton(parse.tokens, mask) for mask in masks]


def random_tagger(rng: np.random.Generator, length: int) -> Tagger:
    return Tagger(Chain(rng.normal(size=length), rng.normal(size=(2, 2))))


def test_the_score_of_a_mask_is_its_probability_but_for_a_constant():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        chain = Chain(rng.normal(size=4), rng.normal(size=(2, 2)))
        masks = chain.best_masks(16)
        scores = [chain.score(mask) for mask in masks]
        assert scores == sorted(scores, reverse=True), seed
        shares = np.exp(scores) / np.exp(scores).sum()
        kept = [sum(share for share, mask in zip(shares, masks, strict=True) if mask[place]) for place in range(4)]
        assert kept == pytest.approx(chain.marginals().tolist()), seed


def test_skeletons_differ_and_the_most_probable_is_first(random_parse):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        parse = random_parse(rng, 14)
        tagger = random_tagger(rng, 14)
        pool = skeleton_pool(parse, tagger, None, 0.6)
        assert len({entry.mask for entry in pool}) == len(pool)
        scores = dict(
            zip((entry.mask for entry in pool), tagger_scores(parse, tagger, 0.6, pool).tolist(), strict=True)
        )
        result = diverse_skeletons(parse, tagger, rate=0.6, candidates=5, temperature=2.0)
        strict = [mask for mask in scores if not all(mask)]
        assert result[0].skeleton.mask == max(strict, key=scores.__getitem__), seed
        assert sum(entry.probability for entry in result) == pytest.approx(1.0)
        for first, other in pairwise(result):
            between = (scores[first.skeleton.mask] - scores[other.skeleton.mask]) / 2.0
            assert math.log(first.probability / other.probability) == pytest.approx(between), seed
        for number, entry in enumerate(result):
            for other in result[:number]:
                pairs = zip(entry.skeleton.mask, other.skeleton.mask, strict=True)
                assert sum(a != b for a, b in pairs) >= 2, seed


def test_a_temperature_is_positive(random_parse):
    rng = np.random.default_rng(1)
    with pytest.raises(LatticeSimpError, match="the temperature is 0"):
        diverse_skeletons(random_parse(rng, 6), random_tagger(rng, 6), temperature=0.0)

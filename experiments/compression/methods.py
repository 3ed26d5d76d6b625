"""The compared methods: each takes a parse and a compression rate, and returns candidates."""

from __future__ import annotations

import random
from collections.abc import Callable

from lattice_simp import LanguageModel, Skeleton
from lattice_simp.skeleton.automatic import (
    DeletionTagger,
    OptimalSettings,
    Parse,
    dependency_skeletons,
    optimal_skeletons,
)

Method = Callable[[Parse, float], list[Skeleton]]


def methods(
    tagger: DeletionTagger, news: DeletionTagger, model: LanguageModel, candidates: int, seed: int
) -> dict[str, Method]:
    """Returns the methods by name; `own` is the tagger of the domain, `news` that of the news skeletons."""
    rng = random.Random(seed)
    no_model = OptimalSettings(lm_weight=0.0)

    def at_random(parse: Parse, rate: float) -> list[Skeleton]:
        chosen = set(rng.sample(range(len(parse)), _count(parse, rate)))
        return [Skeleton(parse.tokens, tuple(position in chosen for position in range(len(parse))))]

    return {
        "keep everything": lambda parse, rate: [Skeleton(parse.tokens, (True,) * len(parse))],
        "first tokens": _first,
        "random tokens": at_random,
        "dependency": lambda parse, rate: dependency_skeletons(parse, rate, candidates),
        "dependency, root kept": lambda parse, rate: dependency_skeletons(parse, rate, candidates, promote=False),
        "tagger (own domain)": lambda parse, rate: tagger.skeletons(parse, rate, candidates),
        "tagger (own domain), own rate": lambda parse, rate: tagger.skeletons(parse, None, candidates),
        "tagger (own domain), no repair": lambda parse, rate: tagger.skeletons(parse, rate, candidates, repair=False),
        "tagger (news)": lambda parse, rate: news.skeletons(parse, rate, candidates),
        "optimal: tree": lambda parse, rate: optimal_skeletons(parse, rate=rate, candidates=candidates),
        "optimal: tree, LM": lambda parse, rate: optimal_skeletons(parse, model, rate=rate, candidates=candidates),
        "optimal: tagger (own domain)": lambda parse, rate: optimal_skeletons(
            parse, tagger=tagger, rate=rate, candidates=candidates, settings=no_model
        ),
        "optimal: tagger (own domain), LM": lambda parse, rate: optimal_skeletons(
            parse, model, tagger=tagger, rate=rate, candidates=candidates
        ),
        "optimal: tagger (news), LM": lambda parse, rate: optimal_skeletons(
            parse, model, tagger=news, rate=rate, candidates=candidates
        ),
    }


def _count(parse: Parse, rate: float) -> int:
    return max(1, round(rate * len(parse)))


def _first(parse: Parse, rate: float) -> list[Skeleton]:
    kept = _count(parse, rate)
    return [Skeleton(parse.tokens, tuple(position < kept for position in range(len(parse))))]

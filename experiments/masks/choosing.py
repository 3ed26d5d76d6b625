"""Chooses the number of skeletons of a sentence, and their weighting.

The cost of a hypothesis is the decoder's plus a weight times its cost under the skeletons: the expected cost, or the
least (one weighted acceptor of all skeletons' hypotheses).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from experiments.masks.stages import FEATURES, Sentence
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.metrics import bleu_tok
from lattice_simp.skeleton.automatic.candidates import choose
from lattice_simp.skeleton.automatic.diverse import probabilities

ROUNDS = 2
"""The number of rounds in which each setting is chosen given the others."""


@dataclass(frozen=True)
class Setting:
    """The weighting of a sentence's skeletons.

    Attributes:
        weight: the weight of the skeletons' costs.
        over: how costs under several skeletons combine: `expected`, or `least`, with a penalty for improbable
            skeletons.
        masks: the most skeletons; any two differ in a tenth of the tokens.
        temperature: the temperature of their probabilities.
        start, middle, safety: weights of these features beside the tagger's score.
    """

    weight: float = 0.5
    over: Literal["expected", "least"] = "expected"
    masks: int = 8
    temperature: float = 1.0
    start: float = 0.0
    middle: float = 0.0
    safety: float = 0.0

    def shares(self, sentence: Sentence) -> Floats:
        """Returns the probability of each skeleton, (skeletons,) float64; 0 for unused ones."""
        scores = sentence.features @ np.array([1.0, *(getattr(self, name) for name in FEATURES[1:])])
        order = np.argsort(-scores, kind="stable").tolist()
        tokens = sentence.skeletons[0].tokens
        chosen = {kept.mask for kept in choose(tokens, (sentence.skeletons[index].mask for index in order), self.masks)}
        is_chosen = np.array([kept.mask in chosen for kept in sentence.skeletons])
        return probabilities(np.where(is_chosen, scores, -np.inf), self.temperature)


@dataclass(frozen=True)
class Candidates:
    """A sentence with its hypotheses: (hypotheses,) costs in nats, (skeletons, hypotheses) costs under skeletons."""

    sentence: Sentence
    words: list[str]
    full: Floats
    skeletons: Floats

    @cached_property
    def statistics(self) -> Floats:
        return bleu_tok().rows(self.words, [[self.sentence.reference] * len(self.words)])

    def best(self, setting: Setting) -> int:
        """Returns the index of the best hypothesis under a setting."""
        shares = setting.shares(self.sentence)
        if setting.over == "expected":
            costs = shares @ self.skeletons
        else:
            is_used = shares > 0
            costs = (self.skeletons[is_used] - np.log(shares[is_used])[:, None]).min(axis=0)
        return int(np.argmin(self.full + setting.weight * costs))

    def alone(self, weight: float) -> Longs:
        """Returns the index of the best hypothesis with each skeleton alone, (skeletons,)."""
        indices: Longs = np.argmin(self.full + weight * self.skeletons, axis=1)
        return indices


def bleu(candidates: Sequence[Candidates], indices: Sequence[int]) -> float:
    """Returns BLEU of one hypothesis a sentence."""
    rows = [sentence.statistics[index] for sentence, index in zip(candidates, indices, strict=True)]
    return float(bleu_tok().score(np.sum(rows, axis=0)))


def score(candidates: Sequence[Candidates], setting: Setting) -> float:
    """Returns BLEU under a setting."""
    return bleu(candidates, [sentence.best(setting) for sentence in candidates])


def choose_setting(
    candidates: Sequence[Candidates], tried: Mapping[str, Sequence[Any]], start: Setting | None = None
) -> Setting:
    """Chooses one field after the other by BLEU, `ROUNDS` times; the first of equally good values wins."""
    chosen = start or Setting()
    for _ in range(ROUNDS):
        for name, values in tried.items():
            options = [replace(chosen, **{name: value}) for value in values]
            chosen = max(options, key=lambda option: score(candidates, option))
    return chosen


def cross_validated(candidates: Sequence[Candidates], tried: Mapping[str, Sequence[Any]]) -> list[int]:
    """Returns the chosen hypotheses when each half of the sentences has the setting chosen on the other half."""
    settings = [choose_setting(candidates[half::2], tried) for half in (1, 0)]
    return [sentence.best(settings[number % 2]) for number, sentence in enumerate(candidates)]


def sentence_oracle(sentence: Candidates, indices: Longs) -> int:
    """Returns the index of the hypothesis with the best sentence BLEU, smoothed by adding one to its counts."""
    rows = sentence.statistics[indices] + 1.0
    return int(indices[np.argmax(bleu_tok().score(rows))])

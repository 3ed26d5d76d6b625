"""Aggregates judgements to one skeleton, giving more weight to reliable annotators and less to bad skeletons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.systems.annotation.decisions import Decisions
from lattice_simp.systems.annotation.judgements import Judgement, Sentence, Verdict
from lattice_simp.systems.annotation.reliability import AnnotatorModel

Choice: TypeAlias = Literal["judgement", "tokens"]


@dataclass(frozen=True, eq=False)
class Aggregation:
    """The aggregated judgements of a file.

    Attributes:
        judgements: the aggregated judgements.
        decisions: their decisions on tokens.
        model: the estimated model of annotators.
        keep: for each token, the probability that it is kept.
    """

    judgements: tuple[Judgement, ...]
    decisions: Decisions
    model: AnnotatorModel
    keep: np.ndarray

    @property
    def reliability(self) -> dict[str, float]:
        """The expected share of right decisions of each annotator."""
        keep = self.keep[self.decisions.token]
        right = np.where(self.decisions.keep, keep, 1 - keep)
        shares = np.bincount(self.decisions.annotator, right) / np.bincount(self.decisions.annotator)
        return dict(zip(self.decisions.annotators, shares.tolist(), strict=True))

    def skeletons(self, choice: Choice = "judgement") -> dict[str, Skeleton]:
        """Returns the skeleton of each sentence, by id.

        Args:
            choice: `judgement` for the most probable skeleton made by an annotator, so that it is an intended sentence;
                `tokens` for the more probable decision on each token.
        """
        return self._of_tokens() if choice == "tokens" else self._of_judgements()

    def _probabilities(self) -> dict[str, np.ndarray]:
        starts = self.decisions.starts
        parts = zip(self.decisions.sentences, starts, starts[1:], strict=False)
        return {sentence.id: self.keep[start:end] for sentence, start, end in parts}

    def _of_tokens(self) -> dict[str, Skeleton]:
        keep = self._probabilities()
        return {sentence.id: _more_probable(sentence, keep[sentence.id]) for sentence in self.decisions.sentences}

    def _of_judgements(self) -> dict[str, Skeleton]:
        lengths = [len(judgement.skeleton.mask) for judgement in self.judgements]
        firsts = prefix_sums(lengths)[:-1]
        keep = np.clip(self.keep, 1e-300, 1 - 1e-16)[self.decisions.token]
        log_probabilities = np.log(np.where(self.decisions.keep, keep, 1 - keep))
        # The weight lies between 0 and 1, like a probability that the judgement is good.
        scores = np.add.reduceat(log_probabilities, firsts) + np.log(self.decisions.weight[firsts])
        best: dict[str, tuple[float, Skeleton]] = {}
        for judgement, score in zip(self.judgements, scores.tolist(), strict=True):
            name = judgement.sentence.id
            if name not in best or score > best[name][0]:
                best[name] = score, judgement.skeleton
        return {name: skeleton for name, (_, skeleton) in best.items()}


def aggregate(judgements: Sequence[Judgement], verdicts: Sequence[Verdict] = ()) -> Aggregation:
    """Estimates the reliability of annotators and the probability that each token is kept.

    >>> from lattice_simp.systems.annotation.judgements import Sentence
    >>> sentence = Sentence("talk.0", 0, ("please", "stop", "it", "now"))
    >>> masks = zip("ABC", ("0110", "0110", "1101"))
    >>> judgements = [Judgement(sentence, name, sentence.skeleton(mask)) for name, mask in masks]
    >>> str(aggregate(judgements).skeletons()["talk.0"])
    '[[please]] stop it [[now]]'

    Args:
        judgements: skeletons, at most one for each annotator and sentence.
        verdicts: the verdicts on them, which weight each skeleton by (good + 1) / (all + 1).

    Raises:
        LatticeSimpError: there are no judgements.
        MissingExtraError: crowd-kit is not installed.
    """
    if not judgements:
        raise LatticeSimpError("there are no judgements to aggregate")
    decisions = Decisions.of(judgements, judgement_weights(judgements, verdicts))
    model = AnnotatorModel.of(decisions)
    return Aggregation(tuple(judgements), decisions, model, model.keep(decisions))


def judgement_weights(judgements: Sequence[Judgement], verdicts: Sequence[Verdict]) -> list[float]:
    """Returns the weight of each judgement, above 0 and up to 1, lower the more annotators found it bad."""
    total = Counter(verdict.key for verdict in verdicts)
    good = Counter(verdict.key for verdict in verdicts if not verdict.bad)
    keys = [judgement.key for judgement in judgements]
    return [(good[key] + 1) / (total[key] + 1) for key in keys]


def _more_probable(sentence: Sentence, keep: np.ndarray) -> Skeleton:
    """Keeps the tokens with a probability of at least 0.5; if there are none, the most probable ones."""
    return Skeleton(sentence.tokens, tuple((keep >= min(0.5, keep.max())).tolist()))

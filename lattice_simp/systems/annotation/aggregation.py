"""One skeleton of several annotators' judgements: reliable annotators count more, and bad skeletons less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.systems.annotation.decisions import Decisions
from lattice_simp.systems.annotation.judgements import Judgement, Sentence, Verdict
from lattice_simp.systems.annotation.reliability import AnnotatorModel

Choice: TypeAlias = Literal["judgement", "tokens"]


@dataclass(frozen=True, eq=False)
class Aggregation:
    """What the judgements of a file come to.

    Attributes:
        judgements: what was aggregated.
        decisions: their decisions.
        model: what is found of the annotators.
        keep: for each token, the probability that it stays.
    """

    judgements: tuple[Judgement, ...]
    decisions: Decisions
    model: AnnotatorModel
    keep: np.ndarray

    @property
    def reliability(self) -> dict[str, float]:
        """The share of each annotator's decisions that is expected to be right."""
        keep = self.keep[self.decisions.token]
        right = np.where(self.decisions.keep, keep, 1 - keep)
        shares = np.bincount(self.decisions.annotator, right) / np.bincount(self.decisions.annotator)
        return dict(zip(self.decisions.annotators, shares.tolist(), strict=True))

    def skeletons(self, choice: Choice = "judgement") -> dict[str, Skeleton]:
        """Returns a skeleton for the id of each sentence.

        Args:
            choice: `judgement` for the most probable one among those that annotators made, which is a sentence that
                somebody meant; `tokens` for the more probable decision on each token.
        """
        return self._of_tokens() if choice == "tokens" else self._of_judgements()

    def _probabilities(self) -> dict[str, np.ndarray]:
        starts = self.decisions.starts
        parts = zip(self.decisions.sentences, starts, starts[1:], strict=False)
        return {own.id: self.keep[start:end] for own, start, end in parts}

    def _of_tokens(self) -> dict[str, Skeleton]:
        keep = self._probabilities()
        return {own.id: _more_probable(own, keep[own.id]) for own in self.decisions.sentences}

    def _of_judgements(self) -> dict[str, Skeleton]:
        lengths = [len(own.skeleton.mask) for own in self.judgements]
        firsts = np.cumsum([0, *lengths[:-1]])
        keep = np.clip(self.keep, 1e-300, 1 - 1e-16)[self.decisions.token]
        said = np.log(np.where(self.decisions.keep, keep, 1 - keep))
        # The weight lies between 0 and 1, as a probability that the judgement is good.
        scores = np.add.reduceat(said, firsts) + np.log(self.decisions.weight[firsts])
        best: dict[str, tuple[float, Skeleton]] = {}
        for own, score in zip(self.judgements, scores.tolist(), strict=True):
            if own.sentence.id not in best or score > best[own.sentence.id][0]:
                best[own.sentence.id] = score, own.skeleton
        return {name: skeleton for name, (_, skeleton) in best.items()}


def aggregate(judgements: Sequence[Judgement], verdicts: Sequence[Verdict] = ()) -> Aggregation:
    """Finds how reliable annotators are, and with that which tokens stay.

    >>> from lattice_simp.systems.annotation.judgements import Sentence
    >>> own = Sentence("talk.0", 0, ("please", "stop", "it", "now"))
    >>> made = [Judgement(own, name, own.skeleton(mask)) for name, mask in zip("ABC", ("0110", "0110", "1101"))]
    >>> str(aggregate(made).skeletons()["talk.0"])  # doctest: +SKIP
    '[[please]] stop it [[now]]'

    Args:
        judgements: skeletons, at most one of an annotator and a sentence.
        verdicts: which of them others found bad; these count less: a weight of (good + 1) / (all + 1) verdicts.

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
    """Returns how much each judgement counts, above 0 and up to 1: less the more annotators found it bad."""
    good: dict[tuple[str, str], int] = {}
    said: dict[tuple[str, str], int] = {}
    for own in verdicts:
        skeleton = own.sentence.id, own.skeleton.to_mask()
        said[skeleton] = said.get(skeleton, 0) + 1
        good[skeleton] = good.get(skeleton, 0) + (not own.bad)
    names = [(own.sentence.id, own.skeleton.to_mask()) for own in judgements]
    return [(good.get(name, 0) + 1) / (said.get(name, 0) + 1) for name in names]


def _more_probable(sentence: Sentence, keep: np.ndarray) -> Skeleton:
    """Returns the tokens that rather stay; if there are none, those that are the nearest to it."""
    return Skeleton(sentence.tokens, tuple((keep >= min(0.5, keep.max())).tolist()))

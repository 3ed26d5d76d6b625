"""One skeleton of several annotators' judgements: reliable annotators count more.

The model is that of Dawid and Skene (Maximum likelihood estimation of observer error-rates using the EM algorithm,
1979): each token has a true class, kept or deleted, and each annotator says "keep" with a probability that depends on
that class alone. Expectation maximisation finds the annotators' probabilities together with those of the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.annotation.decisions import Decisions
from lattice_simp.skeleton.annotation.judgements import Judgement, Sentence, Verdict
from lattice_simp.skeleton.skeleton import Skeleton

Choice: TypeAlias = Literal["judgement", "tokens"]

MAX_ROUNDS = 200

TOLERANCE = 1e-7
"""In nats: rounds end where the objective gains less than that, times the number of decisions."""

CLASS_COUNTS = np.array([1.0, 1.0])
"""What is added to the counts of deleted and kept tokens."""

ANNOTATOR_COUNTS = np.array([[2.0, 1.0], [1.0, 2.0]])
"""What is added to each annotator's counts, true class by decision: everybody is a bit better than chance at first."""


@dataclass(frozen=True, eq=False)
class AnnotatorModel:
    """The parameters.

    Attributes:
        classes: the probabilities that a token is deleted, kept; shape (2,).
        annotators: for each annotator and each true class, the probabilities that the annotator deletes, keeps a token;
            shape (annotators, 2, 2).
    """

    classes: np.ndarray
    annotators: np.ndarray

    @property
    def reliability(self) -> np.ndarray:
        """The probability with which each annotator decides rightly."""
        return np.einsum("k,jkk->j", self.classes, self.annotators)

    def log_prior(self) -> float:
        """Returns what the parameters themselves add to the objective, in nats."""
        return float((CLASS_COUNTS * np.log(self.classes)).sum() + (ANNOTATOR_COUNTS * np.log(self.annotators)).sum())

    def log_joint(self, decisions: Decisions) -> np.ndarray:
        """Returns the log probabilities of each token's true class with all decisions on it; shape (tokens, 2)."""
        said = np.log(self.annotators)[decisions.annotator, :, decisions.keep.astype(np.int64)]
        own = [np.bincount(decisions.token, decisions.weight * said[:, k], decisions.size) for k in (0, 1)]
        return np.stack(own, axis=1) + np.log(self.classes)


@dataclass(frozen=True, eq=False)
class Aggregation:
    """What the judgements of a file come to.

    Attributes:
        judgements: what was aggregated.
        decisions: their decisions.
        model: what is found of the annotators.
        keep: for each token, the probability that it stays.
        objectives: the penalised log likelihood after each round, in nats; it never falls.
    """

    judgements: tuple[Judgement, ...]
    decisions: Decisions
    model: AnnotatorModel
    keep: np.ndarray
    objectives: tuple[float, ...]

    @property
    def reliability(self) -> dict[str, float]:
        """The probability with which each annotator decides rightly."""
        return dict(zip(self.decisions.annotators, self.model.reliability.tolist(), strict=True))

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

    >>> from lattice_simp.skeleton.annotation.judgements import Sentence
    >>> own = Sentence("talk.0", 0, ("please", "stop", "it", "now"))
    >>> made = [Judgement(own, name, own.skeleton(mask)) for name, mask in zip("ABC", ("0110", "0110", "1101"))]
    >>> str(aggregate(made).skeletons()["talk.0"])
    '[[please]] stop it [[now]]'

    Args:
        judgements: skeletons, at most one of an annotator and a sentence.
        verdicts: which of them others found bad; these count less: a weight of (good + 1) / (all + 1) verdicts.

    Raises:
        LatticeSimpError: there are no judgements.
    """
    if not judgements:
        raise LatticeSimpError("there are no judgements to aggregate")
    decisions = Decisions.of(judgements, judgement_weights(judgements, verdicts))
    kept = np.bincount(decisions.token, decisions.weight * decisions.keep, decisions.size)
    keep = kept / np.bincount(decisions.token, decisions.weight, decisions.size)
    objectives: list[float] = []
    for _ in range(MAX_ROUNDS):
        model = maximise(decisions, keep)
        keep, objective = expect(decisions, model)
        objectives.append(objective)
        if len(objectives) > 1 and objective - objectives[-2] < TOLERANCE * len(decisions.keep):
            break
    return Aggregation(tuple(judgements), decisions, model, keep, tuple(objectives))


def expect(decisions: Decisions, model: AnnotatorModel) -> tuple[np.ndarray, float]:
    """Returns the probability that each token stays, and the penalised log likelihood of the parameters, in nats."""
    joint = model.log_joint(decisions)
    total = np.logaddexp(joint[:, 0], joint[:, 1])
    return np.exp(joint[:, 1] - total), float(total.sum()) + model.log_prior()


def maximise(decisions: Decisions, keep: np.ndarray) -> AnnotatorModel:
    """Returns the parameters that are best where the tokens stay with the given probabilities."""
    count = len(decisions.annotators)
    truth = np.stack([1 - keep, keep], axis=1)[decisions.token] * decisions.weight[:, None]
    cell = decisions.annotator * 2 + decisions.keep
    counts = np.stack([np.bincount(cell, truth[:, k], 2 * count).reshape(count, 2) for k in (0, 1)], axis=1)
    counts += ANNOTATOR_COUNTS
    classes = np.array([(1 - keep).sum(), keep.sum()]) + CLASS_COUNTS
    return AnnotatorModel(classes / classes.sum(), counts / counts.sum(axis=2, keepdims=True))


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

"""How reliably annotators decide: the model of Dawid and Skene, whose parameters crowd-kit estimates.

Each token has a true class, kept or deleted, and each annotator says "keep" with a probability that depends on that
class alone. Expectation maximisation finds the annotators' probabilities together with those of the classes (Maximum
likelihood estimation of observer error-rates using the EM algorithm, 1979).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lattice_simp.support.extras import Late
from lattice_simp.systems.annotation.decisions import Decisions

pandas = Late("pandas", "annotation")
crowdkit = Late("crowdkit.aggregation", "annotation")

ROUNDS = 50
"""Of expectation maximisation. What crowd-kit could stop at falls where the likelihood rises, for it counts a token's
class once for each decision; so there is no tolerance."""

KNOWN_CLASS = np.array([0, 0, 0, 1, 1, 1])
KNOWN_DECISION = np.array([0, 0, 1, 0, 1, 1])
"""Six tokens that are deleted (0) and kept (1) for certain, and what everybody says of them. They are the prior: all
annotators are a bit better than chance at first, and no probability is 0 where there are few decisions."""

LEAST_WEIGHT = 0.5
"""Of decisions that the estimate is made of: crowd-kit knows no weights."""


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

    @classmethod
    def of(cls, decisions: Decisions) -> AnnotatorModel:
        """Estimates the parameters from the decisions that count for at least `LEAST_WEIGHT`.

        Raises:
            MissingExtraError: crowd-kit is not installed.
        """
        estimator = crowdkit.DawidSkene(ROUNDS, tol=-np.inf)
        count = len(decisions.annotators)
        counts = decisions.weight >= LEAST_WEIGHT
        known = decisions.size + np.arange(len(KNOWN_CLASS))
        data = pandas.DataFrame(
            {
                "task": np.concatenate([decisions.token[counts], np.repeat(known, count)]),
                "worker": np.concatenate([decisions.annotator[counts], np.tile(np.arange(count), len(known))]),
                "label": np.concatenate([decisions.keep[counts].astype(np.int64), np.repeat(KNOWN_DECISION, count)]),
            }
        )
        found = estimator.fit(data, pandas.Series(KNOWN_CLASS, known))
        rows = pandas.MultiIndex.from_product([range(count), (0, 1)])
        said = found.errors_.reindex(rows)[[0, 1]].to_numpy().reshape(count, 2, 2)  # annotator, decision, true class
        return cls(found.priors_[[0, 1]].to_numpy(), said.transpose(0, 2, 1))

    def keep(self, decisions: Decisions) -> np.ndarray:
        """Returns the probability that each token stays, by Bayes' rule; a decision's weight is an exponent."""
        said = np.log(self.annotators)[decisions.annotator, :, decisions.keep.astype(np.int64)]
        own = [np.bincount(decisions.token, decisions.weight * said[:, k], decisions.size) for k in (0, 1)]
        joint = np.stack(own, axis=1) + np.log(self.classes)
        kept: np.ndarray = np.exp(joint[:, 1] - np.logaddexp(joint[:, 0], joint[:, 1]))
        return kept

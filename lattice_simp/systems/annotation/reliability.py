"""The reliability of annotators: the model of Dawid and Skene, estimated by crowd-kit.

Each token has a true class, kept or deleted, and each annotator decides to keep it with a probability that depends only
on this class. Expectation maximisation estimates the probabilities of annotators and classes together (Maximum
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
"""The rounds of expectation maximisation. There is no tolerance: crowd-kit's criterion may fall while the likelihood
rises, as it counts the class of a token once for each decision."""

KNOWN_CLASS = np.array([0, 0, 0, 1, 1, 1])
KNOWN_DECISION = np.array([0, 0, 1, 0, 1, 1])
"""Six tokens that are certainly deleted (0) or kept (1), and each annotator's decisions on them. They are the prior:
annotators start a bit better than chance, and no probability is 0 if there are few decisions."""

LEAST_WEIGHT = 0.5
"""The least weight of a decision in the estimate, as crowd-kit does not support weights."""


@dataclass(frozen=True, eq=False)
class AnnotatorModel:
    """The parameters of the model.

    Attributes:
        classes: the probabilities that a token is deleted and kept; shape (2,).
        annotators: for each annotator and true class, the probabilities that the annotator deletes and keeps a token;
            shape (annotators, 2, 2).
    """

    classes: np.ndarray
    annotators: np.ndarray

    @classmethod
    def of(cls, decisions: Decisions) -> AnnotatorModel:
        """Estimates the parameters from decisions with a weight of at least `LEAST_WEIGHT`."""
        estimator = crowdkit.DawidSkene(ROUNDS, tol=-np.inf)
        count = len(decisions.annotators)
        counts = decisions.weight >= LEAST_WEIGHT
        known_tokens = decisions.size + np.arange(len(KNOWN_CLASS))
        data = pandas.DataFrame(
            {
                "task": np.concatenate([decisions.token[counts], np.repeat(known_tokens, count)]),
                "worker": np.concatenate([decisions.annotator[counts], np.tile(np.arange(count), len(known_tokens))]),
                "label": np.concatenate([decisions.keep[counts].astype(np.int64), np.repeat(KNOWN_DECISION, count)]),
            }
        )
        estimate = estimator.fit(data, pandas.Series(KNOWN_CLASS, known_tokens))
        rows = pandas.MultiIndex.from_product([range(count), (0, 1)])
        # annotator, decision, true class
        errors = estimate.errors_.reindex(rows)[[0, 1]].to_numpy().reshape(count, 2, 2)
        return cls(estimate.priors_[[0, 1]].to_numpy(), errors.transpose(0, 2, 1))

    def keep(self, decisions: Decisions) -> np.ndarray:
        """Returns the probability that each token is kept, by Bayes' rule with weights as exponents."""
        log_probabilities = np.log(self.annotators)[decisions.annotator, :, decisions.keep.astype(np.int64)]
        sums = [
            np.bincount(decisions.token, decisions.weight * log_probabilities[:, k], decisions.size) for k in (0, 1)
        ]
        joint = np.stack(sums, axis=1) + np.log(self.classes)
        kept: np.ndarray = np.exp(joint[:, 1] - np.logaddexp(joint[:, 0], joint[:, 1]))
        return kept

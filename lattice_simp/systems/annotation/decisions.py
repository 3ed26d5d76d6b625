"""Judgements as arrays: for each token and each annotator of its sentence, whether it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.systems.annotation.judgements import Judgement, Sentence


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of annotators on tokens, one for each entry of the parallel arrays.

    Attributes:
        sentences: the judged sentences.
        annotators: the names of the annotators.
        starts: for each sentence, the index of its first token among all tokens, then the number of tokens; int64.
        token: the index of the token; int64.
        annotator: the index of the annotator; int64.
        keep: whether the token is kept; bool.
        weight: the weight of the decision; float64.
    """

    sentences: tuple[Sentence, ...]
    annotators: tuple[str, ...]
    starts: np.ndarray
    token: np.ndarray
    annotator: np.ndarray
    keep: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, judgements: Sequence[Judgement], weights: Sequence[float] | None = None) -> Decisions:
        """Returns the arrays of judgements, with equal weights by default."""
        sentences = list({judgement.sentence.id: judgement.sentence for judgement in judgements}.values())
        annotators = sorted({judgement.annotator for judgement in judgements})
        place: Mapping[str, int] = {sentence.id: index for index, sentence in enumerate(sentences)}
        number = {name: index for index, name in enumerate(annotators)}
        starts = prefix_sums([len(sentence.tokens) for sentence in sentences])
        lengths = [len(judgement.skeleton.mask) for judgement in judgements]
        tokens = [
            np.arange(length) + starts[place[judgement.sentence.id]]
            for judgement, length in zip(judgements, lengths, strict=True)
        ]
        none = np.empty(0, np.int64)
        return cls(
            tuple(sentences),
            tuple(annotators),
            starts,
            np.concatenate([none, *tokens]),
            np.repeat(np.array([number[judgement.annotator] for judgement in judgements], np.int64), lengths),
            np.array([kept for judgement in judgements for kept in judgement.skeleton.mask], bool),
            np.repeat(np.ones(len(judgements)) if weights is None else np.asarray(weights, np.float64), lengths),
        )

    @property
    def size(self) -> int:
        """The number of tokens of all sentences."""
        return int(self.starts[-1])

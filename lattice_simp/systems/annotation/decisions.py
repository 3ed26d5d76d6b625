"""Judgements as arrays: for each token and each annotator who judged its sentence, whether it stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.systems.annotation.judgements import Judgement, Sentence


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of annotators on the tokens of sentences, one an entry of the parallel arrays.

    Attributes:
        sentences: those that somebody judged.
        annotators: their names.
        starts: for each sentence, the index of its first token among all tokens; int64, and their number at the end.
        token: the index of the token; int64.
        annotator: the index of the annotator; int64.
        keep: whether the token stays; bool.
        weight: how much the decision counts; float64.
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
        """Makes the arrays of judgements, which count alike unless there are weights."""
        sentences = list({own.sentence.id: own.sentence for own in judgements}.values())
        annotators = sorted({own.annotator for own in judgements})
        place: Mapping[str, int] = {own.id: index for index, own in enumerate(sentences)}
        number = {name: index for index, name in enumerate(annotators)}
        starts = np.cumsum([0, *(len(own.tokens) for own in sentences)], dtype=np.int64)
        lengths = [len(own.skeleton.mask) for own in judgements]
        tokens = [
            np.arange(length) + starts[place[own.sentence.id]] for own, length in zip(judgements, lengths, strict=True)
        ]
        none = np.empty(0, np.int64)
        return cls(
            tuple(sentences),
            tuple(annotators),
            starts,
            np.concatenate([none, *tokens]),
            np.repeat(np.array([number[own.annotator] for own in judgements], np.int64), lengths),
            np.array([kept for own in judgements for kept in own.skeleton.mask], bool),
            np.repeat(np.ones(len(judgements)) if weights is None else np.asarray(weights, np.float64), lengths),
        )

    @property
    def size(self) -> int:
        """How many tokens the sentences have."""
        return int(self.starts[-1])

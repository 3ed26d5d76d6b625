"""Measures the skeletons of a method on a test set."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from experiments.compression.data import Example
from experiments.compression.methods import Method
from lattice_simp import LanguageModel, Skeleton
from lattice_simp.skeleton.automatic import Parse, agreement, token_f1
from lattice_simp.skeleton.automatic.deletion_tree import deletion_tree
from lattice_simp.skeleton.automatic.optimal import model_form

Row = dict[str, Any]


def measure(method: Method, examples: Sequence[Example], rate: float, model: LanguageModel) -> Row:
    """Makes skeletons of all sentences, and compares them with the references."""
    begin = time.process_time()
    skeletons = [method(example.parse, rate) for example in examples]
    seconds = time.process_time() - begin
    return {**describe(skeletons, examples, model), "cpu_ms_a_sentence": round(1000 * seconds / len(examples), 2)}


def describe(skeletons: Sequence[Sequence[Skeleton]], examples: Sequence[Example], model: LanguageModel) -> Row:
    """Returns the agreement with references, and language model costs and broken bonds of the first candidates."""
    result = agreement(skeletons, [example.references for example in examples])
    first = [candidates[0] for candidates in skeletons]
    scores = [
        fmean(token_f1(skeleton, reference) for reference in example.references)
        for skeleton, example in zip(first, examples, strict=True)
    ]
    return {
        "sentences": result.sentences,
        "f1_mean": round(result.mean_f1, 4),
        "f1_mean_half_width_95": round(1.96 * stdev(scores) / math.sqrt(len(scores)), 4),
        "f1_best": round(result.best_f1, 4),
        "f1_best_of_candidates": round(result.oracle_f1, 4),
        "f1_by_reference": [round(value, 4) for value in result.f1_by_reference],
        "exact": round(result.exact, 4),
        "rate": round(result.rate, 4),
        "reference_rate": round(result.reference_rate, 4),
        "lm_nats_a_token": round(lm_cost(first, model), 3),
        "broken_bonds": round(
            fmean(broken_bonds(skeleton, example.parse) for skeleton, example in zip(first, examples, strict=True)), 4
        ),
        "gap_types": {str(kind): round(share, 3) for kind, share in result.gap_types.items()},
    }


def lm_cost(skeletons: Sequence[Skeleton], model: LanguageModel) -> float:
    """Returns the nats per token, including the ends of sentences."""
    texts = [[model_form(word, model) for word in skeleton.words] for skeleton in skeletons]
    return -sum(model.score(words) for words in texts) / sum(len(words) + 1 for words in texts)


def broken_bonds(skeleton: Skeleton, parse: Parse) -> float:
    """Returns the share of words that are kept without their head, or deleted although obligatory for a kept head.

    The highest kept word needs no head.
    """
    tree = deletion_tree(parse)
    words = [position for position, word in enumerate(tree.words) if word and tree.heads[position] >= 0]
    alone = [position for position in words if skeleton.mask[position] and not skeleton.mask[tree.heads[position]]]
    missing = [
        position
        for position in words
        if not skeleton.mask[position] and skeleton.mask[tree.heads[position]] and math.isinf(tree.costs[position])
    ]
    has_root = any(
        skeleton.mask[position] for position, head in enumerate(tree.heads) if head < 0 and tree.words[position]
    )
    broken = len(alone) + len(missing) - (0 if has_root else min(1, len(alone)))
    return broken / max(1, len(words))

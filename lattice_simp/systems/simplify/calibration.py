"""Calibrates splits: adjusts the share of split sentences in the development set to that of its references.

The share of split sentences depends on the corpus (3 % in TurkCorpus, 30 % in ASSET), and in corpora of splits such as
WikiSplit it is 100 %. A constant controls the share in each search: in greedy search, a shift of the log odds of all
splits; in joint search, the weight of `Input:Splits`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.metrics.sentences import count_sentences
from lattice_simp.systems.simplify.analysis import Analysis
from lattice_simp.systems.simplify.hypotheses import SPLITS_FEATURE, Variant, from_variants
from lattice_simp.systems.simplify.operations import EVEN_ODDS, OperationModel, split_feature
from lattice_simp.systems.simplify.simplifier import CHANGE_BEAM, Simplifier
from lattice_simp.translate.source import INPUT_FEATURE

MAX_SHIFT, BISECTIONS = 20.0, 30
"""The greatest shift of log odds in either direction (nats), and the steps of the search for it."""

SPLITS = f"{INPUT_FEATURE}:{SPLITS_FEATURE}"


def split_rate(sources: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]) -> float:
    """Returns the share of references, 0 to 1, that have more sentences than their source.

    >>> split_rate(["it fell and broke .".split()], [["it fell . it broke .".split(), "it broke .".split()]])
    0.5

    Args:
        sources: the tokens of each sentence.
        references: the tokens of each sentence's references.
    """
    pairs = [(" ".join(source), each) for source, every in zip(sources, references, strict=True) for each in every]
    return sum(count_sentences(" ".join(each)) > count_sentences(source) for source, each in pairs) / len(pairs)


def calibrated(
    simplifier: Simplifier, sentences: Sequence[Analysis], references: Sequence[Sequence[Sequence[str]]]
) -> tuple[Simplifier, float]:
    """Returns the simplifier that splits the same share of sentences as the references, and that share.

    The share is the same in either search.

    Args:
        simplifier: a simplifier in bold mode; with `change`, sentences without splits change otherwise.
        sentences: the development set.
        references: the tokens of each sentence's references.
    """
    rate = split_rate([analysis.tokens for analysis in sentences], references)
    odds = replace(simplifier, operations=calibrated_odds(simplifier.operations, sentences, rate))
    weights = {**simplifier.decoder.weights, SPLITS: calibrated_weight(odds, sentences, rate)}
    return replace(odds, decoder=odds.decoder.with_weights(weights)), rate


def calibrated_odds(model: OperationModel, sentences: Iterable[Analysis], rate: float) -> OperationModel:
    """Returns the model with the odds of splits shifted so that greedy search splits this share of sentences.

    Args:
        model: the probabilities of operations.
        sentences: the development set.
        rate: the share of sentences to split, 0 to 1.
    """
    features = [[split_feature(split) for split in analysis.splits] for analysis in sentences]

    def share(shift: float) -> float:
        shifted = model.with_split_odds(shift)
        chosen = [any(shifted.probability(feature) > EVEN_ODDS for feature in candidates) for candidates in features]
        return sum(chosen) / len(chosen)

    low, high = -MAX_SHIFT, MAX_SHIFT
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) < rate else (low, middle)
    return model.with_split_odds(high)


def calibrated_weight(simplifier: Simplifier, sentences: Iterable[Analysis], rate: float) -> float:
    """Returns the weight of `Input:Splits` at which joint search splits this share of sentences.

    Args:
        simplifier: as for `calibrated`.
        sentences: the development set.
        rate: the share of sentences to split, 0 to 1.
    """
    rewards = np.array([needed_reward(simplifier, analysis) for analysis in sentences])
    return simplifier.decoder.weights.get(SPLITS, 0.0) + threshold(rewards, rate)


def needed_reward(simplifier: Simplifier, analysis: Analysis) -> float:
    """Returns the least additional reward (nats a split) at which the best hypothesis of a sentence has a split.

    It is infinite for a sentence without candidate splits, and negative for one that is split without it.
    """
    costs: dict[int, float] = {}
    for variant in simplifier.hypotheses(analysis).variants:
        splits = len(variant.splits)
        costs[splits] = min(costs.get(splits, math.inf), _cost(simplifier, variant, analysis))
    unsplit = costs.pop(0)
    return min(((cost - unsplit) / splits for splits, cost in costs.items()), default=math.inf)


def _cost(simplifier: Simplifier, variant: Variant, analysis: Analysis) -> float:
    """Returns the cost of a variant's best hypothesis; with `change`, of the best one that differs from the source.

    If there is none, the cost is `CHANGE_BEAM` above the best.
    """
    paths = simplifier.translated(from_variants([variant], simplifier.operations)).nbest(1 + simplifier.change)
    source = [word.lower() for word in analysis.tokens]
    costs = (path.cost for path in paths if not simplifier.change or [word.lower() for word in path.tokens] != source)
    return next(costs, paths[0].cost + CHANGE_BEAM)


def threshold(values: Floats, rate: float) -> float:
    """Returns a number that exceeds this share of the values, or all finite ones if there are fewer.

    >>> [threshold(np.array([3.0, 1.0, 2.0, np.inf]), rate) for rate in (0.0, 0.5, 1.0)]
    [0.0, 2.5, 4.0]
    """
    ordered = np.sort(values[np.isfinite(values)])
    count = min(round(rate * len(values)), len(ordered))
    if not len(ordered):
        return 0.0
    if count in (0, len(ordered)):
        return float(ordered[0]) - 1.0 if count == 0 else float(ordered[-1]) + 1.0
    return float(ordered[count - 1] + ordered[count]) / 2

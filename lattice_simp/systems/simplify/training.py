"""Estimates the probabilities of splits and deletions from complex sentences and their simplifications (section 3.3).

A training graph holds the ways in which operations lead from a sentence to its reference. If the reference has several
sentences, it holds the splits whose parts overlap with it most. Deletions follow in the order of the paper: done if
they bring the sentence closer to the reference (in word edits), not done if they lead away from it, and undecided
otherwise. The training graph is a lattice of decisions; expectation maximisation is the forward-backward algorithm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import shortest_distance
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.sentences import count_sentences
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.scores.edits import edit_distances
from lattice_simp.systems.simplify.analysis import Analysis
from lattice_simp.systems.simplify.deletion import DeletionKind
from lattice_simp.systems.simplify.hypotheses import MAX_SPLITS, Variant, make_variant, split_sets
from lattice_simp.systems.simplify.operations import Feature, OperationModel, deletion_feature, split_feature

Decision: TypeAlias = tuple[Feature, bool]
"""The feature of an operation, and whether it is done."""

DONE, NOT_DONE = "+", "-"
"""The prefixes of labels in a training lattice; the rest is the feature, its parts separated by tabs."""

LEAST_PROBABILITY = 1e-9
"""The lower bound of probabilities, which keeps their logarithms finite."""

ITERATIONS = 20


@dataclass(frozen=True)
class TrainingGraph:
    """The ways from a sentence to its reference.

    Attributes:
        ways: alternatives, one for each fitting set of splits: the decisions on splits, then for each deletion the
            possible decisions (one or both).
    """

    ways: tuple[tuple[tuple[Decision, ...], tuple[tuple[Decision, ...], ...]], ...]


def training_graph(analysis: Analysis, reference: Sequence[str]) -> TrainingGraph:
    """Returns the training graph of a sentence and the tokens of its simplification."""
    model = OperationModel()
    target = tuple(word.lower() for word in reference)
    candidates = analysis.splits[:MAX_SPLITS]
    most = count_sentences(" ".join(target)) - 1
    sets = [splits for splits in split_sets(candidates) if len(splits) <= most]
    if most > 0 and len(sets) > 1:
        sets = sets[1:]
    variants = [make_variant(analysis, model, chosen, candidates) for chosen in sets]
    ways = []
    for variant in _nearest(variants, target):
        splits = tuple((split_feature(split), split in variant.splits) for split in candidates)
        ways.append((splits, tuple(_deletions(variant, target))))
    return TrainingGraph(tuple(ways))


def _nearest(variants: Sequence[Variant], target: Sequence[str]) -> list[Variant]:
    """Returns the variants with the largest sentence-by-sentence overlap with the reference."""
    overlaps = [_overlap(_sentences(_words(variant)), _sentences(target)) for variant in variants]
    return [variant for variant, overlap in zip(variants, overlaps, strict=True) if overlap == max(overlaps)]


def _words(variant: Variant) -> tuple[str, ...]:
    return tuple(token.text.lower() for token in variant.tokens)


def _sentences(words: Sequence[str]) -> list[Counter[str]]:
    counts = [Counter[str]()]
    for word in words:
        counts[-1][word] += 1
        if word in (".", "!", "?"):
            counts.append(Counter())
    return [words for words in counts if words]


def _overlap(sentences: Sequence[Counter[str]], references: Sequence[Counter[str]]) -> int:
    """Returns the number of words that the sentences share with the reference's sentences, pair by pair."""
    pairs = zip(sentences, references, strict=False)
    return sum((sentence & reference).total() for sentence, reference in pairs)


def _deletions(variant: Variant, target: Sequence[str]) -> Iterator[tuple[Decision, ...]]:
    """Yields the possible decisions on each deletion after the previous ones."""
    words = _words(variant)
    deleted = np.zeros(len(words), dtype=np.bool_)
    for kind in DeletionKind:
        for leap in variant.leaps:
            if leap.deletion.kind is not kind or deleted[leap.begin : leap.end].any():
                continue
            feature = deletion_feature(leap.deletion)
            without = deleted.copy()
            without[leap.begin : leap.end] = True
            distances = edit_distances(target, [_rest(words, deleted), _rest(words, without)])
            if distances[1] < distances[0]:
                deleted = without
                yield ((feature, True),)
            elif distances[1] > distances[0]:
                yield ((feature, False),)
            else:
                yield (feature, True), (feature, False)


def _rest(words: Sequence[str], deleted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[str, ...]:
    return tuple(word for word, is_deleted in zip(words, deleted.tolist(), strict=True) if not is_deleted)


# ---------------------------------------------------------------- expectation maximisation


def training_lattice(graphs: Iterable[TrainingGraph]) -> Lattice:
    """Concatenates all training graphs into one lattice; a path takes one way through each graph.

    >>> graph = TrainingGraph((((), ((((("orphan", "also"), True)), (("orphan", "also"), False)),)),))
    >>> training_lattice([graph]).symbols.decode([1, 2])
    ['+orphan\\talso', '-orphan\\talso']

    The sum of all path probabilities is the likelihood of the corpus.
    """
    table = SymbolTable()
    sources, labels, targets = list[int](), list[int](), list[int]()
    begin = 0
    for graph in graphs:
        states = begin
        ends = []
        for splits, deletions in graph.ways:
            current = begin
            for slot in [*((decision,) for decision in splits), *deletions]:
                states += 1
                for feature, done in slot:
                    sources.append(current)
                    labels.append(table.add("\t".join(((DONE if done else NOT_DONE) + feature[0], *feature[1:]))))
                    targets.append(states)
                current = states
            ends.append(current)
        if states == begin:  # nothing to decide
            continue
        states += 1
        for end in ends:
            sources.append(end)
            labels.append(0)
            targets.append(states)
        begin = states
    finals = np.full(begin + 1, np.inf)
    finals[begin] = 0.0
    return Lattice.from_arcs(sources, labels, np.zeros(len(labels)), targets, finals, table).topsorted()


def expectation_maximisation(lattice: Lattice, iterations: int = ITERATIONS) -> Iterator[tuple[float, OperationModel]]:
    """Yields the log likelihood before each iteration and the expected counts after it.

    The first iteration starts from even odds (section 3.3). The likelihood never decreases.

    Raises:
        LatticeSimpError: no sentence offers a split or a deletion.
    """
    names = [name[1:] for name in lattice.symbols.words[1:]]
    if not names:
        raise LatticeSimpError("no sentence of the training data offers a split or a deletion")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    feature = np.array([0, *(numbers[name] for name in names)])
    is_done = np.array([False, *(name.startswith(DONE) for name in lattice.symbols.words[1:])])
    probability = np.full(len(numbers), 0.5)
    features = [tuple(name.split("\t")) for name in numbers]
    for _ in range(iterations):
        log_probability = np.log(np.where(is_done, probability[feature], 1.0 - probability[feature]))
        log_probability[0] = 0.0
        weighted = replace(lattice, weights=-log_probability[lattice.olabels])
        likelihood = -float(shortest_distance(weighted, semiring="log", reverse=True)[0])
        posteriors = arc_posteriors(weighted) * (lattice.olabels > 0)
        chances = np.bincount(feature[lattice.olabels], posteriors, len(numbers))
        expected = np.bincount(feature[lattice.olabels], posteriors * is_done[lattice.olabels], len(numbers))
        rows = zip(features, np.minimum(expected, chances).tolist(), chances.tolist(), strict=True)
        yield likelihood, OperationModel.from_counts(rows)
        probability = np.clip(expected / np.maximum(chances, 1e-300), LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)

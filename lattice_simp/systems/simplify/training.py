"""The probabilities of splits and deletions, from complex sentences and their simplifications (paper, section 3.3).

A training graph holds the ways in which operations lead from a sentence towards its reference: splits where the
reference has several sentences, those whose halves overlap with it most; deletions in the order of the paper, which
are done where they bring the sentence nearer to the reference (in word edits), not done where they lead away from it,
and undecided where they do neither. Here it is a lattice of decisions, and expectation maximisation is the forward-
backward algorithm over all of them.
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
"""An operation's feature, and whether it is done."""

DONE, NOT_DONE = "+", "-"
"""What the labels of a training lattice begin with; the rest is the feature, its parts separated by tabs."""

LEAST_PROBABILITY = 1e-9
"""Below this a probability does not fall, so that its logarithm stays finite."""

ITERATIONS = 20


@dataclass(frozen=True)
class TrainingGraph:
    """The ways to a reference.

    Attributes:
        ways: alternatives (one for each set of splits that fits): the decisions about splits, then, for each deletion,
            the decisions that may be taken (one or both).
    """

    ways: tuple[tuple[tuple[Decision, ...], tuple[tuple[Decision, ...], ...]], ...]


def training_graph(analysis: Analysis, reference: Sequence[str]) -> TrainingGraph:
    """Returns the training graph of a sentence and a simplification of it (tokens)."""
    model = OperationModel()
    target = tuple(word.lower() for word in reference)
    candidates = analysis.splits[:MAX_SPLITS]
    most = count_sentences(" ".join(target)) - 1
    sets = [own for own in split_sets(candidates) if len(own) <= most]
    if most > 0 and len(sets) > 1:
        sets = sets[1:]
    variants = [make_variant(analysis, model, own, candidates) for own in sets]
    ways = []
    for variant in _nearest(variants, target):
        splits = tuple((split_feature(own), own in variant.splits) for own in candidates)
        ways.append((splits, tuple(_deletions(variant, target))))
    return TrainingGraph(tuple(ways))


def _nearest(variants: Sequence[Variant], target: Sequence[str]) -> list[Variant]:
    """Returns the variants with the greatest overlap with the reference, sentence by sentence."""
    overlaps = [_overlap(_sentences(_words(own)), _sentences(target)) for own in variants]
    return [own for own, overlap in zip(variants, overlaps, strict=True) if overlap == max(overlaps)]


def _words(variant: Variant) -> tuple[str, ...]:
    return tuple(token.text.lower() for token in variant.tokens)


def _sentences(words: Sequence[str]) -> list[Counter[str]]:
    found = [Counter[str]()]
    for word in words:
        found[-1][word] += 1
        if word in (".", "!", "?"):
            found.append(Counter())
    return [own for own in found if own]


def _overlap(sentences: Sequence[Counter[str]], references: Sequence[Counter[str]]) -> int:
    """Returns how many words sentences have in common with the reference's sentences, in their order."""
    pairs = zip(sentences, references, strict=False)
    return sum((one & other).total() for one, other in pairs)


def _deletions(variant: Variant, target: Sequence[str]) -> Iterator[tuple[Decision, ...]]:
    """Yields the decisions that may be taken about each deletion, given those before it."""
    words = _words(variant)
    gone = np.zeros(len(words), dtype=np.bool_)
    for kind in DeletionKind:
        for leap in variant.leaps:
            if leap.deletion.kind is not kind or gone[leap.begin : leap.end].any():
                continue
            feature = deletion_feature(leap.deletion)
            without = gone.copy()
            without[leap.begin : leap.end] = True
            distances = edit_distances(target, [_rest(words, gone), _rest(words, without)])
            if distances[1] < distances[0]:
                gone = without
                yield ((feature, True),)
            elif distances[1] > distances[0]:
                yield ((feature, False),)
            else:
                yield (feature, True), (feature, False)


def _rest(words: Sequence[str], gone: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[str, ...]:
    return tuple(word for word, is_gone in zip(words, gone.tolist(), strict=True) if not is_gone)


# ---------------------------------------------------------------- expectation maximisation


def training_lattice(graphs: Iterable[TrainingGraph]) -> Lattice:
    """Makes one lattice of all training graphs, one after the other: a path takes a way through each of them.

    >>> graph = TrainingGraph((((), ((((("orphan", "also"), True)), (("orphan", "also"), False)),)),))
    >>> training_lattice([graph]).symbols.decode([1, 2])
    ['+orphan\\talso', '-orphan\\talso']

    So the sum of all paths' probabilities is the likelihood of the corpus.
    """
    table = SymbolTable()
    sources, labels, targets = list[int](), list[int](), list[int]()
    begin = 0
    for graph in graphs:
        states = begin
        ends = []
        for splits, deletions in graph.ways:
            current = begin
            for slot in [*((own,) for own in splits), *deletions]:
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
    """Yields after each iteration the log likelihood under the probabilities before it, and the new expected counts.

    The first iteration begins with even odds (section 3.3). The likelihood never falls.

    Raises:
        LatticeSimpError: there is nothing to learn from.
    """
    names = [name[1:] for name in lattice.symbols.words[1:]]
    if not names:
        raise LatticeSimpError("no sentence of the training data has anything to split or to delete")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    feature = np.array([0, *(numbers[name] for name in names)])
    done = np.array([False, *(name.startswith(DONE) for name in lattice.symbols.words[1:])])
    probability = np.full(len(numbers), 0.5)
    features = [tuple(name.split("\t")) for name in numbers]
    for _ in range(iterations):
        log_probability = np.log(np.where(done, probability[feature], 1.0 - probability[feature]))
        log_probability[0] = 0.0
        weighted = replace(lattice, weights=-log_probability[lattice.olabels])
        likelihood = -float(shortest_distance(weighted, semiring="log", reverse=True)[0])
        posteriors = arc_posteriors(weighted) * (lattice.olabels > 0)
        chances = np.bincount(feature[lattice.olabels], posteriors, len(numbers))
        expected = np.bincount(feature[lattice.olabels], posteriors * done[lattice.olabels], len(numbers))
        rows = zip(features, np.minimum(expected, chances).tolist(), chances.tolist(), strict=True)
        yield likelihood, OperationModel.from_counts(rows)
        probability = np.clip(expected / np.maximum(chances, 1e-300), LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)

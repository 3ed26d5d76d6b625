"""The progress of an annotation, and the agreement of its annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from lattice_simp.errors import MissingExtraError
from lattice_simp.support.groups import grouped
from lattice_simp.systems.annotation.aggregation import aggregate
from lattice_simp.systems.annotation.agreement import pairwise_f1, token_alpha, verdict_agreement, verdict_alpha
from lattice_simp.systems.annotation.judgements import Judgement, Verdict
from lattice_simp.systems.annotation.store import AnnotationStore


@dataclass(frozen=True)
class TaskProgress:
    """The progress of a task.

    Attributes:
        items: the number of sentences to shorten or skeletons to check.
        done: the number of items with all judgements.
        judgements: the number of judgements; for skeletons, of verdicts.
        missing: the number of missing judgements.
        alpha: Krippendorff's alpha of the judgements, None if undefined.
    """

    items: int
    done: int
    judgements: int
    missing: int
    alpha: float | None


@dataclass(frozen=True)
class AnnotatorProgress:
    """The work of an annotator.

    Attributes:
        name: the annotator's name.
        shortened, checked, skipped: numbers of sentences.
        rate: the mean compression rate, None without skeletons.
        f1: the mean F1 of kept tokens with other annotators, None without common sentences.
        reliability: the expected share of right decisions, None without skeletons.
    """

    name: str
    shortened: int
    checked: int
    skipped: int
    rate: float | None
    f1: float | None
    reliability: float | None


@dataclass(frozen=True)
class Progress:
    """The progress of a whole annotation.

    Attributes:
        shorten, check: the progress of both tasks.
        annotators: the work of each annotator.
        agreement: the share of pairs of annotators that agree on whether a skeleton is bad, None without pairs.
        missing: the uninstalled library without which there are no alphas and reliabilities.
    """

    shorten: TaskProgress
    check: TaskProgress
    annotators: tuple[AnnotatorProgress, ...]
    agreement: float | None
    missing: str | None = None


@dataclass(frozen=True)
class Computed:
    """Results of other libraries, which take seconds for thousands of judgements, or the uninstalled library."""

    shorten_alpha: float | None = None
    check_alpha: float | None = None
    reliability: Mapping[str, float] = field(default_factory=dict)
    missing: str | None = None


def computed(judgements: Sequence[Judgement], verdicts: Sequence[Verdict]) -> Computed:
    """Returns the alphas and reliabilities, or the missing library."""
    try:
        reliability = aggregate(judgements, verdicts).reliability if judgements else {}
        return Computed(token_alpha(judgements), verdict_alpha(verdicts), reliability)
    except MissingExtraError as error:
        return Computed(missing=str(error))


def progress(
    store: AnnotationStore, compute: Callable[[tuple[Judgement, ...], tuple[Verdict, ...]], Computed] = computed
) -> Progress:
    """Returns the progress of an annotation; `compute` may be a function that caches the results of `computed`.

    Raises:
        StorageError: the file cannot be read.
    """
    settings, sentences = store.settings, store.sentences()
    judgements, verdicts, skipped = store.judgements(), store.verdicts(), store.skips()
    shortened = Counter(judgement.sentence.id for judgement in judgements)
    results = compute(tuple(judgements), tuple(verdicts))
    return Progress(
        _task([shortened[sentence.id] for sentence in sentences], settings.shortenings, results.shorten_alpha),
        _task(_verdict_counts(judgements, verdicts), settings.checks, results.check_alpha),
        _annotators(judgements, verdicts, skipped, results.reliability),
        verdict_agreement(verdicts),
        results.missing,
    )


def _task(counts: Sequence[int], required: int, alpha: float | None) -> TaskProgress:
    missing = sum(max(required - count, 0) for count in counts)
    return TaskProgress(len(counts), sum(count >= required for count in counts), sum(counts), missing, alpha)


def _verdict_counts(judgements: Sequence[Judgement], verdicts: Sequence[Verdict]) -> list[int]:
    counts = Counter(verdict.key for verdict in verdicts)
    return [counts[key] for key in dict.fromkeys(judgement.key for judgement in judgements)]


def _annotators(
    judgements: Sequence[Judgement],
    verdicts: Sequence[Verdict],
    skipped: Counter[str],
    reliability: Mapping[str, float],
) -> tuple[AnnotatorProgress, ...]:
    by_annotator = grouped((judgement.annotator, judgement) for judgement in judgements)
    checked = Counter(name for name, _ in {(verdict.annotator, verdict.sentence.id) for verdict in verdicts})
    shared = grouped((name, score) for pair, score in pairwise_f1(judgements).items() for name in pair)
    return tuple(
        AnnotatorProgress(
            name,
            len(by_annotator.get(name, ())),
            checked[name],
            skipped[name],
            fmean(judgement.skeleton.compression_rate for judgement in by_annotator[name])
            if name in by_annotator
            else None,
            fmean(shared[name]) if name in shared else None,
            reliability.get(name),
        )
        for name in sorted({*by_annotator, *checked, *skipped})
    )

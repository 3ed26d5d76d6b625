"""How far the annotation is, and how well the annotators agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from lattice_simp.errors import MissingExtraError
from lattice_simp.systems.annotation.aggregation import aggregate
from lattice_simp.systems.annotation.agreement import pairwise_f1, token_alpha, verdict_agreement, verdict_alpha
from lattice_simp.systems.annotation.judgements import Judgement, Verdict
from lattice_simp.systems.annotation.store import AnnotationStore


@dataclass(frozen=True)
class TaskProgress:
    """How far a task is.

    Attributes:
        items: sentences to shorten, or skeletons to check.
        done: those that have all the judgements that are wanted.
        judgements: how many there are; of the skeletons, how many times one was marked as good or bad.
        missing: how many are wanted yet.
        alpha: Krippendorff's alpha of the judgements, None where it says nothing.
    """

    items: int
    done: int
    judgements: int
    missing: int
    alpha: float | None


@dataclass(frozen=True)
class AnnotatorProgress:
    """What an annotator did.

    Attributes:
        shortened, checked, skipped: sentences.
        rate: the mean compression rate, None without any skeletons.
        f1: the F1 of kept tokens with other annotators, averaged over these, None if they have no sentence in common.
        reliability: the share of right decisions that the aggregation expects, None without any skeletons.
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
    """The whole.

    Attributes:
        agreement: the share of pairs of annotators that agree on whether a skeleton is bad, None without pairs.
        missing: why there are no alphas and no reliabilities, where what computes them is not installed.
    """

    shorten: TaskProgress
    check: TaskProgress
    annotators: tuple[AnnotatorProgress, ...]
    agreement: float | None
    missing: str | None = None


@dataclass(frozen=True)
class Computed:
    """What other libraries compute, in seconds where there are thousands of judgements.

    Attributes:
        shorten_alpha, check_alpha: Krippendorff's alphas of the two tasks.
        reliability: of the annotators, by name.
        missing: which library is not installed.
    """

    shorten_alpha: float | None = None
    check_alpha: float | None = None
    reliability: Mapping[str, float] = field(default_factory=dict)
    missing: str | None = None


def computed(judgements: Sequence[Judgement], verdicts: Sequence[Verdict]) -> Computed:
    """Computes it, or says what is missing."""
    try:
        reliability = aggregate(judgements, verdicts).reliability if judgements else {}
        return Computed(token_alpha(judgements), verdict_alpha(verdicts), reliability)
    except MissingExtraError as error:
        return Computed(missing=str(error))


def progress(
    store: AnnotationStore,
    compute: Callable[[tuple[Judgement, ...], tuple[Verdict, ...]], Computed] = computed,
) -> Progress:
    """Returns how far the annotation is.

    Args:
        store: the annotations.
        compute: `computed`, or what remembers its results.

    Raises:
        StorageError: the file cannot be read.
    """
    settings, sentences = store.settings, store.sentences()
    judgements, verdicts, skipped = store.judgements(), store.verdicts(), store.skips()
    shortened = Counter(own.sentence.id for own in judgements)
    found = compute(tuple(judgements), tuple(verdicts))
    return Progress(
        _task([shortened[own.id] for own in sentences], settings.shortenings, found.shorten_alpha),
        _task(_verdict_counts(judgements, verdicts), settings.checks, found.check_alpha),
        _annotators(judgements, verdicts, skipped, found.reliability),
        verdict_agreement(verdicts),
        found.missing,
    )


def _task(counts: Sequence[int], wanted: int, alpha: float | None) -> TaskProgress:
    missing = sum(max(wanted - count, 0) for count in counts)
    return TaskProgress(len(counts), sum(count >= wanted for count in counts), sum(counts), missing, alpha)


def _verdict_counts(judgements: Sequence[Judgement], verdicts: Sequence[Verdict]) -> list[int]:
    said = Counter((own.sentence.id, own.skeleton.to_mask()) for own in verdicts)
    return [said[name] for name in dict.fromkeys((own.sentence.id, own.skeleton.to_mask()) for own in judgements)]


def _annotators(
    judgements: Sequence[Judgement],
    verdicts: Sequence[Verdict],
    skipped: Counter[str],
    reliability: Mapping[str, float],
) -> tuple[AnnotatorProgress, ...]:
    made: dict[str, list[Judgement]] = {}
    for own in judgements:
        made.setdefault(own.annotator, []).append(own)
    checked = Counter(name for name, _ in {(own.annotator, own.sentence.id) for own in verdicts})
    shared: dict[str, list[float]] = {}
    for pair, score in pairwise_f1(judgements).items():
        for name in pair:
            shared.setdefault(name, []).append(score)
    return tuple(
        AnnotatorProgress(
            name,
            len(made.get(name, ())),
            checked[name],
            skipped[name],
            fmean(own.skeleton.compression_rate for own in made[name]) if name in made else None,
            fmean(shared[name]) if name in shared else None,
            reliability.get(name),
        )
        for name in sorted({*made, *checked, *skipped})
    )

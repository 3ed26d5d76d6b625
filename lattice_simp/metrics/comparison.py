"""Measures systems by metrics, and compares them with a baseline: on all sentences, or group by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.groups import Groups
from lattice_simp.metrics.metric import Form, Lines, Metric
from lattice_simp.metrics.significance import (
    FEWEST_FOR_BOOTSTRAP,
    SignificanceTest,
    TestKind,
    bootstrap_p,
    bootstrap_sums,
    interval,
    randomisation_p,
)
from lattice_simp.support.plurals import counted
from lattice_simp.text.sacrebleu_tokenisers import USUAL, tokeniser, tokeniser_signature

Interval = tuple[float, float]


@dataclass(frozen=True)
class Measurements:
    """The sentence statistics of systems.

    Attributes:
        metrics: one for each column; the signature records a conversion between text and tokens.
        forms: for each metric, the form of the files that was used: tokens or text.
        statistics: by system, for each metric an array (sentences, k); the systems keep their order.
    """

    metrics: tuple[Metric, ...]
    forms: tuple[Form, ...]
    statistics: Mapping[str, tuple[Floats, ...]]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names, in order."""
        return tuple(self.statistics)

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(next(iter(self.statistics.values()))[0])


@dataclass(frozen=True)
class Score:
    """A system's score by one metric.

    Attributes:
        value: the score on all sentences.
        interval: its confidence interval, by bootstrap resampling.
        gain: the score less the baseline's; None for the baseline, or without one.
        gain_interval: the confidence interval of the gain.
        p: the p-value of the gain; None for the baseline, and if there are too few sentences.
    """

    value: float
    interval: Interval
    gain: float | None = None
    gain_interval: Interval | None = None
    p: float | None = None


@dataclass(frozen=True)
class Comparison:
    """The scores of systems on the same sentences.

    >>> from lattice_simp.metrics import Lines, bleu_tok, compare, measure
    >>> reference = Lines(tokens=["the cat sat here .", "it was late ."] * 10)
    >>> worse = Lines(tokens=["the cat sat there .", "it was late ."] * 10)
    >>> measured = measure({"plain": worse, "new": reference}, [reference], [bleu_tok()])
    >>> score = compare(measured, "plain").scores["new"]["BLEU-tok"]
    >>> round(score.value, 2), round(score.gain, 2), round(score.p, 3)
    (100.0, 40.31, 0.001)

    Attributes:
        sentences: the number of sentences.
        baseline: the system that the others are compared with.
        test: the test behind p-values and intervals.
        scores: by system, then by the metric's name.
    """

    sentences: int
    baseline: str | None
    test: SignificanceTest
    scores: Mapping[str, Mapping[str, Score]]


def measure(
    systems: Mapping[str, Lines],
    references: Sequence[Lines],
    metrics: Sequence[Metric],
    source: Lines | None = None,
    extra_references: Mapping[str, Lines] | None = None,
    tokens: str = USUAL,
) -> Measurements:
    """Computes the statistics of every sentence.

    >>> from lattice_simp.metrics import Lines, bleu_tok, measure
    >>> measured = measure({"one": Lines(text=["It fell."])}, [Lines(text=["it fell."])], [bleu_tok()])
    >>> measured.metrics[0].signature.split("|")[-1], measured.statistics["one"][0][0, :2].tolist()
    ('tokens-of-text:13a', [3.0, 3.0])

    Args:
        systems: the output of each, by name.
        references: one or more.
        metrics: for as many references.
        source: the sources of the outputs, for metrics that compare with them.
        extra_references: a further reference for each system, for that system alone (`closest_references`).
        tokens: the tokeniser of text for metrics that read only tokens, one of
            `text.sacrebleu_tokenisers.TOKENISERS`. Metrics that read only text get tokens joined by blanks if there is
            no text.

    Raises:
        LatticeSimpError: no systems, different numbers of lines, tokens of some lines and text of others, or a metric
            that needs a missing source; or as `text.sacrebleu_tokenisers.tokeniser`.
    """
    if not systems or not metrics:
        raise LatticeSimpError("there is nothing to evaluate; give at least one system and one metric")
    extra = extra_references or {}
    writing = _Writing([*systems.values(), *references, *extra.values()], source, tokens)
    columns = [writing.column(metric) for metric in metrics]
    statistics = {}
    for name, lines in systems.items():
        compared = [*references, extra[name]] if extra else references
        statistics[name] = tuple(
            metric.rows(
                writing.written(lines, form, required),
                [writing.written(reference, form, required) for reference in compared],
                None if source is None else writing.written(source, form, required),
            )
            for metric, form, required in columns
        )
    return Measurements(tuple(metric for metric, _, _ in columns), tuple(form for _, form, _ in columns), statistics)


def compare(
    measured: Measurements,
    baseline: str | None = None,
    test: SignificanceTest | None = None,
    rows: npt.NDArray[np.intp] | None = None,
) -> Comparison:
    """Scores all systems, and tests their differences to the baseline.

    >>> from lattice_simp.metrics import bleu_tok
    >>> reference = Lines(tokens=["the cat sat here .", "it was late ."] * 10)
    >>> worse = Lines(tokens=["the cat sat there .", "it was late ."] * 10)
    >>> comparison = compare(measure({"plain": worse, "new": reference}, [reference], [bleu_tok()]), "plain")
    >>> [round(scores["BLEU-tok"].value, 1) for scores in comparison.scores.values()]
    [59.7, 100.0]

    Args:
        measured: the statistics of all systems.
        baseline: a system's name; None for scores and intervals alone.
        test: by default bootstrap resampling with 1000 samples.
        rows: the sentences to use; None for all.

    Raises:
        LatticeSimpError: no such baseline, or no sentences.
    """
    test = test or SignificanceTest()
    if baseline is not None and baseline not in measured.statistics:
        raise LatticeSimpError(f"no system {baseline!r} for a baseline; there are {', '.join(measured.systems)}")
    chosen = np.arange(measured.sentences) if rows is None else rows
    if not len(chosen):
        raise LatticeSimpError("there are no sentences to compare systems on")
    scores: dict[str, dict[str, Score]] = {name: {} for name in measured.systems}
    statistics = {name: [part[chosen] for part in parts] for name, parts in measured.statistics.items()}
    resampled = _resampled(statistics, measured.metrics, test)
    for position, metric in enumerate(measured.metrics):
        for name, parts in statistics.items():
            system, samples = parts[position], resampled[name][position]
            value = float(metric.score(system.sum(axis=0)))
            score = scores[name][metric.name] = Score(value, interval(samples, test.confidence))
            if baseline is None or name == baseline:
                continue
            baseline_system, baseline_samples = statistics[baseline][position], resampled[baseline][position]
            gain = value - float(metric.score(baseline_system.sum(axis=0)))
            p = None
            if test.kind is TestKind.RANDOMISATION:
                p = randomisation_p(baseline_system, system, metric, test.trials, test.seed)
            elif len(chosen) >= FEWEST_FOR_BOOTSTRAP:
                p = bootstrap_p(baseline_samples, samples, gain)
            gain_interval = interval(samples - baseline_samples, test.confidence)
            scores[name][metric.name] = replace(score, gain=gain, gain_interval=gain_interval, p=p)
    return Comparison(len(chosen), baseline, test, scores)


def compare_groups(
    measured: Measurements, groups: Groups, baseline: str | None = None, test: SignificanceTest | None = None
) -> dict[str, Comparison]:
    """Compares systems on each group of sentences separately, in the groups' order.

    >>> from lattice_simp.metrics import bleu_tok
    >>> lines = Lines(tokens=["the cat sat here .", "it was very late ."])
    >>> measured = measure({"plain": lines}, [lines], [bleu_tok()])
    >>> groups = compare_groups(measured, Groups.of("register", ["formal", "casual"]))
    >>> {label: group.sentences for label, group in groups.items()}
    {'formal': 1, 'casual': 1}

    Raises:
        LatticeSimpError: as `compare`; labels for another number of sentences.
    """
    if len(groups.labels) != measured.sentences:
        raise LatticeSimpError(
            f"{counted(len(groups.labels), 'label')} ({groups.name}) for {counted(measured.sentences, 'sentence')}"
        )
    return {label: compare(measured, baseline, test, groups.rows(label)) for label in groups.order}


class _Writing:
    """Converts the lines of all files between text and tokens as each metric needs."""

    def __init__(self, lines: Sequence[Lines], source: Lines | None, tokens: str) -> None:
        self._lines, self._source, self._tokens = lines, source, tokens
        self._tokenised: dict[int, list[str]] = {}

    def column(self, metric: Metric) -> tuple[Metric, Form, Form]:
        """Returns a metric with its final signature, the form that all files have, and the form that it reads."""
        compared = list(self._lines)
        if metric.needs_source and self._source is not None:
            compared.append(self._source)
        for form in (*metric.reads, *Form):
            if all(lines.written(form) is not None for lines in compared):
                if form in metric.reads:
                    return metric, form, form
                signature = "tokens-of-text:" + tokeniser_signature(self._tokens)
                if form is Form.TOKENS:
                    signature = "text-of-tokens:blanks"
                return replace(metric, signature=f"{metric.signature}|{signature}"), form, metric.reads[0]
        needed = " or ".join(form.value for form in metric.reads)
        raise LatticeSimpError(
            f"{metric.name} needs {needed} of all systems and references"
            + (", and of the source" if metric.needs_source else "")
        )

    def written(self, lines: Lines, form: Form, target: Form) -> Sequence[str]:
        """Converts lines from a form that they have to the form `target`."""
        sentences = lines.written(form) or ()
        if target is form or target is Form.TEXT:  # tokens are joined by blanks already
            return sentences
        if id(lines) not in self._tokenised:
            split = tokeniser(self._tokens)
            self._tokenised[id(lines)] = [" ".join(split(line)) for line in sentences]
        return self._tokenised[id(lines)]


def _resampled(
    statistics: Mapping[str, Sequence[Floats]], metrics: Sequence[Metric], test: SignificanceTest
) -> dict[str, list[Floats]]:
    """Returns the scores of the same bootstrap resamples for all systems and metrics."""
    columns = [part for parts in statistics.values() for part in parts]
    sums = bootstrap_sums(np.concatenate(columns, axis=1), test.bootstrap_samples, test.seed)
    parts = iter(np.split(sums, np.cumsum([part.shape[1] for part in columns])[:-1], axis=1))
    return {name: [metric.score(next(parts)) for metric in metrics] for name in statistics}

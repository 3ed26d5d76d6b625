"""The evaluation of systems' outputs: the run of `lattice-simp evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lattice_simp.commands.evaluate_files import (
    BREAKDOWNS,
    BreakdownOptions,
    Files,
    metric_columns,
    read_closest,
    read_sentences,
    warn_of_forms,
)
from lattice_simp.commands.options import refuse_idle
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import (
    METRICS,
    JarOptions,
    MetricOptions,
    SignificanceTest,
    compare,
    compare_groups,
    measure,
    read_groups,
)
from lattice_simp.metrics.comparison import Comparison, Measurements
from lattice_simp.metrics.report import Breakdown


@dataclass(frozen=True)
class Evaluation:
    """The input and the options of an evaluation.

    Attributes:
        files: the files of sentences.
        tokens: whether they hold tokens, not text.
        language: the ISO code of the text's language.
        tokeniser: the name of sacrebleu's tokeniser.
        lattices: a file of reference lattices.
        metrics, by: names in `METRICS` (or `BOTH_BLEU`) and in `BREAKDOWNS`.
        groups: a file of labels for another break-down.
        skeletons, mask_index, length_edges: options of the break-downs.
        lowercase, paraphrases, jar: options of the metrics.
        baseline: the system to compare with; None for the first of several.
        test: the test of significance.
    """

    files: Files
    tokens: bool
    language: str | None
    tokeniser: str
    lattices: Path | None
    metrics: list[str]
    by: list[str]
    groups: Path | None
    skeletons: Path | None
    mask_index: int
    length_edges: str
    lowercase: bool
    paraphrases: Path | None
    jar: JarOptions
    baseline: str | None
    test: SignificanceTest

    def run(self) -> tuple[Measurements, Comparison, list[Breakdown]]:
        """Returns the scores of the systems, their comparison, and the break-downs.

        Raises:
            LatticeSimpError: a file is broken, or options contradict each other or the files.
        """
        named = self.files.outputs
        if self.baseline is not None and self.baseline not in named:
            raise LatticeSimpError(f"--baseline {self.baseline}: no such system; known are {', '.join(named)}")
        sentences = read_sentences(self.files, self.tokens, self.language)
        if self.metrics != ["chrf"]:
            warn_of_forms(self.files, sentences, self.tokeniser)
        systems, references = sentences.systems, sentences.references
        closest = None if self.lattices is None else read_closest(self.lattices, sentences, self.language)
        breakdown = BreakdownOptions(
            references[0], self.skeletons, self.mask_index, sentences.source, self.length_edges, self.tokeniser
        )
        groupings = [BREAKDOWNS[name](breakdown) for name in self.by]
        groupings += [read_groups(self.groups, references[0].count)] if self.groups else []
        options = MetricOptions(
            len(references) + (closest is not None),
            self.language,
            self.tokeniser,
            self.lowercase,
            self.paraphrases,
            self.jar,
        )
        names = metric_columns(self.metrics, next(iter(systems.values())))
        columns = list({column.name: column for column in (METRICS[name](options) for name in names)}.values())
        _refuse_idle(names, self.by, needs_source=any(column.needs_source for column in columns))
        measured = measure(systems, references, columns, sentences.source, closest, tokens=self.tokeniser)
        against = self.baseline if self.baseline is not None or len(systems) == 1 else next(iter(systems))
        comparison = compare(measured, against, self.test)
        breakdowns = [Breakdown(groups, compare_groups(measured, groups, against, self.test)) for groups in groupings]
        return measured, comparison, breakdowns


def _refuse_idle(columns: list[str], breakdowns: list[str], *, needs_source: bool) -> None:
    """Refuses options that the metrics and break-downs do not use.

    Raises:
        LatticeSimpError: names the first one.
    """
    if "meteor" not in columns:
        refuse_idle(["meteor_paraphrases", "meteor_heap", "meteor_seconds"], "without --metrics meteor")
    if not {"bleu", "bleu-13a", "bleu-text", "chrf"} & {*columns}:
        refuse_idle(["lowercase"], "without BLEU-13a and chrF")
    if not {"gap-type", "gaps"} & {*breakdowns}:
        refuse_idle(["skeletons", "mask_index"], "without --by gap-type or gaps")
    if "length" not in breakdowns:
        refuse_idle(["length_edges"], "without --by length")
        if not needs_source:
            refuse_idle(["source"], f"with --metrics {','.join(columns)}, which do not use the source")

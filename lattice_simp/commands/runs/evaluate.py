"""The run of `lattice-simp evaluate`: the scores of systems' outputs, their comparison, and break-downs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lattice_simp.commands.runs.evaluate_files import (
    BOTH_BLEU,
    BREAKDOWNS,
    BreakdownOptions,
    Files,
    Sentences,
    choose,
    metric_columns,
    read_closest,
    read_sentences,
    warn_of_empty_lines,
    warn_of_forms,
)
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import (
    METRICS,
    Groups,
    JarOptions,
    MetricOptions,
    SignificanceTest,
    TestKind,
    compare,
    compare_groups,
    measure,
    read_groups,
)
from lattice_simp.metrics.comparison import Comparison, Measurements
from lattice_simp.metrics.meteor import OTHER
from lattice_simp.metrics.report import Breakdown
from lattice_simp.metrics.significance import DEFAULT_SEED
from lattice_simp.support.options import option
from lattice_simp.text.sacrebleu_tokenisers import USUAL

METRIC_NAMES = (BOTH_BLEU, *METRICS)
"""The names in `--metrics`."""

USUAL_METRICS = "bleu,chrf,ter,length"


@dataclass(frozen=True)
class EvaluateOptions:
    """The options of an evaluation; those without a flag here are shared with other commands.

    Attributes:
        tokens: whether the files hold tokens, not text.
        language: the ISO code of the text's language.
        tokeniser: the name of sacrebleu's tokeniser.
        skeletons, mask_index: the skeletons for break-downs.
        seed: the seed of the significance test.
    """

    tokens: bool = False
    language: str | None = None
    tokeniser: str = USUAL
    skeletons: Path | None = None
    mask_index: int = 0
    seed: int = DEFAULT_SEED
    metrics: str = option(USUAL_METRICS, "metrics", f"metrics: {', '.join(METRIC_NAMES)} (default: {USUAL_METRICS})")
    by: str | None = option(None, "by", f"score groups of sentences by {', '.join(BREAKDOWNS)}")
    text_reference: list[Path] | None = option(
        None, "text-reference", "text of each reference, if the other files hold tokens"
    )
    reference_lattices: Path | None = option(
        None, "reference-lattices", "lattices, one per sentence; the closest path is one more reference"
    )
    lowercase: bool = option(False, "lowercase", "ignore case in BLEU on text and chrF")
    meteor_paraphrases: Path | None = option(None, "meteor-paraphrases", "paraphrase table for METEOR")
    meteor_heap: str = option("2G", "meteor-heap", "Java heap size for METEOR (default: 2G)")
    meteor_seconds: float | None = option(None, "meteor-seconds", "time limit in seconds for METEOR")
    baseline: str | None = option(None, "baseline", "system to test the others against (default: the first)")
    test: TestKind = option(TestKind.BOOTSTRAP, "test", "paired significance test (default: bootstrap)")
    samples: int | None = option(None, "samples", "samples of the test (default: 1000; randomisation: 10000)", least=1)
    groups: Path | None = option(None, "groups", "labels that define groups of sentences, one per line")
    length_edges: str = option("10,20,30,40", "length-edges", "maximum length of each group (default: 10,20,30,40)")
    plots: Path | None = option(None, "plots", "folder for plots of the groups' scores")

    @property
    def metric_names(self) -> list[str]:
        """The names of the metrics, in `METRICS`, or `BOTH_BLEU`."""
        return choose(self.metrics, METRIC_NAMES, "--metrics")

    @property
    def breakdown_names(self) -> list[str]:
        """The names of the break-downs, in `BREAKDOWNS`."""
        return [] if self.by is None else choose(self.by, BREAKDOWNS, "--by")

    def check(self) -> None:
        """Checks the options before any file is read.

        Raises:
            LatticeSimpError: a name is unknown, or there are plots without groups.
        """
        if not self.breakdown_names and self.groups is None and self.plots is not None:
            raise LatticeSimpError("--plots draws scores of groups; choose groups with --by or --groups")
        _ = self.metric_names, self.significance, self.jar

    def require_no_references(self) -> None:
        """Checks that no metric and no option reads references.

        Raises:
            LatticeSimpError: one does.
        """
        options = MetricOptions(language=OTHER)
        for name in self.metric_names:
            if name == BOTH_BLEU or METRICS[name](options).num_references is not None:
                raise LatticeSimpError(f"{name} compares with references; give --reference")
        if self.text_reference or self.reference_lattices:
            raise LatticeSimpError("--text-reference and --reference-lattices need --reference")

    @property
    def significance(self) -> SignificanceTest:
        """The test of significance."""
        return SignificanceTest(self.test, self.samples, self.seed)

    @property
    def jar(self) -> JarOptions:
        """How METEOR's jar is run."""
        return JarOptions(self.meteor_heap, self.meteor_seconds)


def evaluated(files: Files, chosen: EvaluateOptions) -> tuple[Measurements, Comparison, list[Breakdown]]:
    """Returns the scores of the systems, their comparison, and the break-downs.

    Raises:
        LatticeSimpError: a file is broken, or options contradict each other or the files.
    """
    metrics, by, test = chosen.metric_names, chosen.breakdown_names, chosen.significance
    if chosen.baseline is not None and chosen.baseline not in files.outputs:
        available = ", ".join(files.outputs)
        raise LatticeSimpError(f"--baseline {chosen.baseline}: no such system; known are {available}")
    sentences = read_sentences(files, chosen.tokens, chosen.language)
    if metrics != ["chrf"]:
        warn_of_forms(files, sentences, chosen.tokeniser)
    warn_of_empty_lines(files, sentences)
    systems, references, lattices = sentences.systems, sentences.references, chosen.reference_lattices
    closest = None if lattices is None else read_closest(lattices, sentences, chosen.language)
    groupings = _groupings(sentences, chosen)
    names = metric_columns(metrics, next(iter(systems.values())))
    options = MetricOptions(
        len(references) + (closest is not None),
        chosen.language,
        chosen.tokeniser,
        chosen.lowercase,
        chosen.meteor_paraphrases,
        chosen.jar,
    )
    columns = list({column.name: column for column in (METRICS[name](options) for name in names)}.values())
    _refuse_idle(names, by, needs_source=any(column.needs_source for column in columns))
    measured = measure(systems, references, columns, sentences.source, closest, tokens=chosen.tokeniser)
    against = chosen.baseline if chosen.baseline is not None or len(systems) == 1 else next(iter(systems))
    comparison = compare(measured, against, test)
    breakdowns = [Breakdown(groups, compare_groups(measured, groups, against, test)) for groups in groupings]
    return measured, comparison, breakdowns


def _groupings(sentences: Sentences, chosen: EvaluateOptions) -> list[Groups]:
    """Returns the groups of sentences of each break-down."""
    reference = sentences.references[0]
    breakdown = BreakdownOptions(
        reference, chosen.skeletons, chosen.mask_index, sentences.source, chosen.length_edges, chosen.tokeniser
    )
    groupings = [BREAKDOWNS[name](breakdown) for name in chosen.breakdown_names]
    return groupings + ([] if chosen.groups is None else [read_groups(chosen.groups, reference.count)])


def _refuse_idle(columns: list[str], breakdowns: list[str], *, needs_source: bool) -> None:
    """Refuses options that the metrics and break-downs do not use."""
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

"""`lattice-simp evaluate`: scores, significance and break-downs of systems' outputs, as tables and plots."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lattice_simp.commands.evaluate_files import (
    BOTH_BLEU,
    BREAKDOWNS,
    BreakdownOptions,
    Files,
    choose,
    metric_columns,
    named_files,
    read_closest,
    read_sentences,
    warn_of_forms,
)
from lattice_simp.commands.options import TOKENISER_HELP, PanelCommand, command_app, refuse_idle
from lattice_simp.commands.whole_sentences import chosen_tokeniser
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import (
    METRICS,
    JarOptions,
    MetricOptions,
    SignificanceTest,
    TestKind,
    compare,
    compare_groups,
    measure,
    read_groups,
)
from lattice_simp.metrics.plots import draw_results
from lattice_simp.metrics.report import Breakdown, ResultFormat, render_results
from lattice_simp.support.textio import open_text

app = command_app()

_FORMS = "the files hold text as readers see it (the default), or tokens separated by blanks"


@app.command(cls=PanelCommand)
def evaluate(
    outputs: Annotated[list[str] | None, typer.Argument(metavar="[NAME=FILE]...", help="systems' outputs")] = None,
    hypothesis: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE", help="a system's output, one sentence a line; more may follow", rich_help_panel="Input"
        ),
    ] = None,
    reference: Annotated[
        list[Path] | None, typer.Option(help="reference sentences; may be given several times", rich_help_panel="Input")
    ] = None,
    text_reference: Annotated[
        list[Path] | None,
        typer.Option(help="the text of each reference, where the other files hold tokens", rich_help_panel="Input"),
    ] = None,
    reference_lattices: Annotated[
        Path | None,
        typer.Option(
            help="lattices, one a sentence: of each, the path closest to an output is one more reference",
            rich_help_panel="Input",
        ),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens/--text", help=_FORMS, show_default=False, rich_help_panel="Input")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(
            help="ISO code: chooses the tokeniser, makes text of --tokens, and is METEOR's", rich_help_panel="Input"
        ),
    ] = None,
    tokeniser: Annotated[str | None, typer.Option(help=TOKENISER_HELP, rich_help_panel="Input")] = None,
    metrics: Annotated[
        str, typer.Option(help=f"of {', '.join([BOTH_BLEU, *METRICS])}", rich_help_panel="Metrics")
    ] = "bleu,chrf,ter,length",
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="BLEU on text and chrF without case", rich_help_panel="Metrics")
    ] = False,
    baseline: Annotated[
        str | None, typer.Option(help="what the others are tested against; the first", rich_help_panel="Significance")
    ] = None,
    test: Annotated[
        TestKind, typer.Option(help="paired, of the differences", rich_help_panel="Significance")
    ] = TestKind.BOOTSTRAP,
    samples: Annotated[
        int | None,
        typer.Option(min=1, help="of the test; 1000, for randomisation 10000", rich_help_panel="Significance"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="of the test", rich_help_panel="Significance")] = 12345,
    by: Annotated[
        str | None, typer.Option(help=f"break-downs, of {', '.join(BREAKDOWNS)}", rich_help_panel="Break-downs")
    ] = None,
    skeletons: Annotated[
        Path | None,
        typer.Option(help="JSON lines or bracket text, for gap-type and gaps", rich_help_panel="Break-downs"),
    ] = None,
    mask_index: Annotated[
        int, typer.Option(min=0, help="which of several skeletons", rich_help_panel="Break-downs")
    ] = 0,
    groups: Annotated[
        Path | None, typer.Option(help="a label a line: a break-down of your own", rich_help_panel="Break-downs")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            help="what the outputs were made of: for SARI and edits, and for lengths", rich_help_panel="Input"
        ),
    ] = None,
    length_edges: Annotated[
        str, typer.Option(help="the greatest length of each group", rich_help_panel="Break-downs")
    ] = "10,20,30,40",
    format: Annotated[ResultFormat, typer.Option(help="of the results", rich_help_panel="Output")] = ResultFormat.TEXT,
    output: Annotated[
        str, typer.Option("--output", "-o", help="the file to write, or - for stdout", rich_help_panel="Output")
    ] = "-",
    plots: Annotated[
        Path | None, typer.Option(help="a folder for plots of the break-downs", rich_help_panel="Output")
    ] = None,
    meteor_paraphrases: Annotated[
        Path | None, typer.Option(help="METEOR's table for the language", rich_help_panel="Metrics")
    ] = None,
    meteor_heap: Annotated[
        str, typer.Option(help="the most memory of METEOR's Java", rich_help_panel="Metrics")
    ] = "2G",
    meteor_seconds: Annotated[
        float | None, typer.Option(help="after which METEOR is stopped", rich_help_panel="Metrics")
    ] = None,
) -> None:
    """Score outputs against references. Example: lattice-simp evaluate plain=a.txt gc=b.txt --reference ref.txt

    Text is scored as it is, with sacrebleu's tokens and signatures: 13a, or those of --language or --tokeniser. With
    --tokens, BLEU is that of lower-cased tokens, and with --language also that of the text made of them. Metrics that
    compare outputs with what they were made of (SARI, edits-source, unchanged, split) need --source. Lattices of
    references (n-best lists, a folder, an archive, PLF) hold tokens; by word edit distance, each output is given the
    reference it is closest to.
    """
    named = named_files([*(hypothesis or []), *(outputs or [])])
    if not reference:
        raise LatticeSimpError("there is nothing to compare with; give --reference")
    if baseline is not None and baseline not in named:
        raise LatticeSimpError(f"--baseline {baseline}: no such system; there are {', '.join(named)}")
    names = choose(metrics, [BOTH_BLEU, *METRICS], "--metrics")
    breakdowns = choose(by, BREAKDOWNS, "--by") if by is not None else []
    if plots is not None and not (breakdowns or groups):
        raise LatticeSimpError("--plots draws break-downs; choose some with --by or --groups")
    name = chosen_tokeniser(tokeniser, language)
    files = Files(named, reference, text_reference or [], source)
    sentences = read_sentences(files, tokens, language)
    if names != ["chrf"]:
        warn_of_forms(files, sentences, name)
    systems, references = sentences.systems, sentences.references
    closest = None if reference_lattices is None else read_closest(reference_lattices, sentences, language)
    given = BreakdownOptions(references[0], skeletons, mask_index, sentences.source, length_edges, name)
    groupings = [BREAKDOWNS[name](given) for name in breakdowns]
    groupings += [read_groups(groups, references[0].count)] if groups else []
    jar = JarOptions(meteor_heap, meteor_seconds)
    options = MetricOptions(len(references) + (closest is not None), language, name, lowercase, meteor_paraphrases, jar)
    chosen = metric_columns(names, next(iter(systems.values())))
    columns = list({column.name: column for column in (METRICS[metric](options) for metric in chosen)}.values())
    _refuse_idle(chosen, breakdowns, needs_source=any(column.needs_source for column in columns))
    measured = measure(systems, references, columns, sentences.source, closest, tokens=name)
    against = baseline if baseline is not None or len(systems) == 1 else next(iter(systems))
    settings = SignificanceTest(test, samples, seed)
    comparison = compare(measured, against, settings)
    grouped = [Breakdown(one, compare_groups(measured, one, against, settings)) for one in groupings]
    with open_text(output, "w") as file:
        file.write(render_results(measured, comparison, grouped, format, ["lattice-simp", *sys.argv[1:]]))
    if plots is not None:
        draw_results(plots, measured, grouped)


def _refuse_idle(columns: list[str], breakdowns: list[str], *, needs_source: bool) -> None:
    """Refuses options that the metrics and break-downs have no use for.

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
            refuse_idle(["source"], f"with --metrics {','.join(columns)}, which do not look at the source")

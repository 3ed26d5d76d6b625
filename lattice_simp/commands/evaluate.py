"""`lattice-simp evaluate`: scores, significance and break-downs of systems' outputs, as tables and plots."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lattice_simp.commands.evaluate_files import BOTH_BLEU, BREAKDOWNS, Files, choose, named_files
from lattice_simp.commands.evaluation import Evaluation
from lattice_simp.commands.options import (
    INPUT,
    Detail,
    Language,
    Output,
    References,
    Seed,
    Skeletons,
    Source,
    TokeniserName,
    command_app,
)
from lattice_simp.commands.whole_sentences import chosen_tokeniser
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import METRICS, JarOptions, SignificanceTest, TestKind
from lattice_simp.metrics.plots import draw_results
from lattice_simp.metrics.report import ResultFormat, render_results
from lattice_simp.support.textio import open_text

app = command_app()

_SIGNIFICANCE, _BREAKDOWNS, _METRICS = "Significance", "Break-downs", "Metrics"


@app.command()
def evaluate(
    outputs: Annotated[list[str] | None, typer.Argument(metavar="[NAME=FILE]...", help="outputs of systems")] = None,
    hypothesis: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="output of a system, instead of an argument (repeatable)"),
    ] = None,
    reference: Annotated[References | None, Detail()] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens/--text", help="read tokens separated by spaces, not text", show_default=False)
    ] = False,
    language: Annotated[Language, Detail("chooses the tokeniser and METEOR's rules")] = None,
    tokeniser: Annotated[TokeniserName, Detail("default: that of --language, else 13a", INPUT)] = None,
    metrics: Annotated[str, typer.Option(help=f"metrics: {', '.join([BOTH_BLEU, *METRICS])}")] = "bleu,chrf,ter,length",
    by: Annotated[str | None, typer.Option(help=f"score groups of sentences by {', '.join(BREAKDOWNS)}")] = None,
    source: Annotated[Source | None, Detail("for SARI, edits and lengths")] = None,
    format: Annotated[ResultFormat, typer.Option("--to", help="output format")] = ResultFormat.TEXT,
    output: Output = "-",
    text_reference: Annotated[
        list[Path] | None,
        typer.Option(help="text of each reference, if the other files hold tokens", rich_help_panel=INPUT),
    ] = None,
    reference_lattices: Annotated[
        Path | None,
        typer.Option(help="lattices, one per sentence; the closest path is one more reference", rich_help_panel=INPUT),
    ] = None,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="ignore case in BLEU on text and chrF", rich_help_panel=_METRICS)
    ] = False,
    meteor_paraphrases: Annotated[
        Path | None, typer.Option(help="paraphrase table for METEOR", rich_help_panel=_METRICS)
    ] = None,
    meteor_heap: Annotated[str, typer.Option(help="Java heap size for METEOR", rich_help_panel=_METRICS)] = "2G",
    meteor_seconds: Annotated[
        float | None, typer.Option(help="time limit in seconds for METEOR", rich_help_panel=_METRICS)
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="system to test the others against (default: the first)", rich_help_panel=_SIGNIFICANCE),
    ] = None,
    test: Annotated[TestKind, typer.Option(help="paired significance test", rich_help_panel=_SIGNIFICANCE)] = (
        TestKind.BOOTSTRAP
    ),
    samples: Annotated[
        int | None,
        typer.Option(
            min=1, help="samples of the test (default: 1000; randomisation: 10000)", rich_help_panel=_SIGNIFICANCE
        ),
    ] = None,
    seed: Annotated[Seed, Detail(panel=_SIGNIFICANCE)] = 12345,
    skeletons: Annotated[Skeletons, Detail("for gap-type and gaps", _BREAKDOWNS)] = None,
    mask_index: Annotated[
        int, typer.Option(min=0, help="which skeleton to use if a sentence has several", rich_help_panel=_BREAKDOWNS)
    ] = 0,
    groups: Annotated[
        Path | None,
        typer.Option(help="labels that define groups of sentences, one per line", rich_help_panel=_BREAKDOWNS),
    ] = None,
    length_edges: Annotated[
        str, typer.Option(help="maximum length of each group", rich_help_panel=_BREAKDOWNS)
    ] = "10,20,30,40",
    plots: Annotated[
        Path | None, typer.Option(help="folder for plots of the groups' scores", rich_help_panel=_BREAKDOWNS)
    ] = None,
) -> None:
    """Score outputs against references. Example: lattice-simp evaluate plain=a.txt gc=b.txt --reference ref.txt

    Text is scored with sacrebleu's tokenisers (default: 13a) and signatures. With --tokens, BLEU compares lower-cased
    tokens; add --language to score the detokenised text as well. SARI, edits-source, unchanged and split need --source.
    Reference lattices hold tokens; each output is compared with the path that has the lowest word edit distance.
    """
    named = named_files([*(hypothesis or []), *(outputs or [])])
    if not reference:
        raise LatticeSimpError("nothing to compare with; give --reference")
    files = Files(named, reference, text_reference or [], source)
    evaluation = Evaluation(
        files,
        tokens=tokens,
        language=language,
        tokeniser=chosen_tokeniser(tokeniser, language),
        lattices=reference_lattices,
        metrics=choose(metrics, [BOTH_BLEU, *METRICS], "--metrics"),
        by=choose(by, BREAKDOWNS, "--by") if by is not None else [],
        groups=groups,
        skeletons=skeletons,
        mask_index=mask_index,
        length_edges=length_edges,
        lowercase=lowercase,
        paraphrases=meteor_paraphrases,
        jar=JarOptions(meteor_heap, meteor_seconds),
        baseline=baseline,
        test=SignificanceTest(test, samples, seed),
    )
    if plots is not None and not (evaluation.by or groups):
        raise LatticeSimpError("--plots draws scores of groups; choose groups with --by or --groups")
    results = evaluation.run()
    with open_text(output, "w") as file:
        file.write(render_results(*results, format, ["lattice-simp", *sys.argv[1:]]))
    if plots is not None:
        measured, _, breakdowns = results
        draw_results(plots, measured, breakdowns)

"""`lattice-simp evaluate`: scores, significance and break-downs of systems' outputs, as tables and plots."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from lattice_simp.commands.inputs.whole_sentences import chosen_tokeniser
from lattice_simp.commands.runs.evaluate import EvaluateOptions, evaluated
from lattice_simp.commands.runs.evaluate_files import Files, named_files
from lattice_simp.commands.shared.options import (
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
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.metrics.plots import draw_results
from lattice_simp.metrics.report import ResultFormat, render_results
from lattice_simp.support.textio import open_text

app = command_app()

_SIGNIFICANCE, _BREAKDOWNS = "Significance", "Break-downs"

_PANELS = {
    **dict.fromkeys(("text_reference", "reference_lattices"), INPUT),
    **dict.fromkeys(("lowercase", "meteor_paraphrases", "meteor_heap", "meteor_seconds"), "Metrics"),
    **dict.fromkeys(("baseline", "test", "samples"), _SIGNIFICANCE),
    **dict.fromkeys(("groups", "length_edges", "plots"), _BREAKDOWNS),
}


@app.command()
@takes_settings(EvaluateOptions, _PANELS)
def evaluate(
    outputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=FILE]...", help="outputs of systems; NAME may be left out"),
    ] = None,
    hypothesis: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="output of a system, as an option instead of an argument (repeatable)"),
    ] = None,
    reference: Annotated[References | None, Detail()] = None,
    tokens: Annotated[
        bool,
        typer.Option(
            "--tokens/--text",
            help="read tokens separated by spaces, not text; BLEU then ignores case",
            show_default=False,
        ),
    ] = False,
    language: Annotated[Language, Detail("chooses the tokeniser and METEOR's rules")] = None,
    tokeniser: Annotated[TokeniserName, Detail("default: that of --language, else 13a", INPUT)] = None,
    source: Annotated[Source | None, Detail("for SARI, edits and lengths")] = None,
    format: Annotated[ResultFormat, typer.Option("--to", help="output format")] = ResultFormat.TEXT,
    output: Output = "-",
    seed: Annotated[Seed, Detail(panel=_SIGNIFICANCE)] = 12345,
    skeletons: Annotated[Skeletons, Detail("for gap-type and gaps", _BREAKDOWNS)] = None,
    mask_index: Annotated[
        int, typer.Option(min=0, help="which of several skeletons to use, from 0", rich_help_panel=_BREAKDOWNS)
    ] = 0,
    settings: Any = None,
) -> None:
    """Score outputs against references. Example: lattice-simp evaluate plain=a.txt gc=b.txt --reference ref.txt

    Text is scored with sacrebleu's tokenisers (default: 13a) and signatures. With --tokens, BLEU compares lower-cased
    tokens; add --language to score the detokenised text as well. SARI, edits-source, unchanged and split need --source.
    FKGL, edits-source, unchanged, split and sentences need no --reference.
    Reference lattices hold tokens; each output is compared with the path that has the lowest word edit distance.
    """
    named = named_files([*(hypothesis or []), *(outputs or [])])
    settings |= {"tokens": tokens, "language": language, "tokeniser": chosen_tokeniser(tokeniser, language)}
    options = EvaluateOptions(**settings, skeletons=skeletons, mask_index=mask_index, seed=seed)
    options.check()
    if not reference:
        options.require_no_references()
        reference = [next(iter(named.values()))]  # only its number of lines counts
    results = evaluated(Files(named, reference, options.text_reference or [], source), options)
    with open_text(output, "w") as file:
        file.write(render_results(*results, format, ["lattice-simp", *sys.argv[1:]]))
    if options.plots is not None:
        measured, _, breakdowns = results
        draw_results(options.plots, measured, breakdowns)

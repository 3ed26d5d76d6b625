"""`lattice-simp translate`: many sentences, in parallel, with a journal to continue interrupted runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.running.sentences import RunOptions
from lattice_simp.commands.runs.translate import TranslationInput, run_translation
from lattice_simp.commands.runs.translate_worker import TranslateOptions
from lattice_simp.commands.shared.options import (
    INPUT,
    OUTPUT,
    PLF_SCORES_HELP,
    RUNNING,
    SEARCH,
    TERMS_HELP,
    Cost,
    Dask,
    Detail,
    FirstId,
    Jobs,
    LatticeFolder,
    NbestOutput,
    Output,
    Quiet,
    Resume,
    SentenceFile,
    Skeletons,
    Strategy,
    Tokenised,
    command_app,
)
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.formats.moses.plf import Scores as PlfScores
from lattice_simp.translate.settings import DecoderSettings

app = command_app()

_PANELS = {
    **dict.fromkeys(("engine", "word_arcs", "cubes"), SEARCH),
    "skeleton": "Skeletons",
    **dict.fromkeys(("exact", "optimality_gap"), "Exact search"),
    "mbr": "Minimum Bayes risk",
}


@app.command()
@takes_settings(DecoderSettings, _PANELS)
def translate(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="model directory (rules.gz, lm.arpa.gz, weights.tsv)")],
    source: SentenceFile = None,
    output: Annotated[Output, Detail("one translation per line")] = "-",
    skeletons: Skeletons = None,
    strategy: Strategy = None,
    nbest: Annotated[
        int, typer.Option("--nbest", "-n", min=0, help="hypotheses per sentence; written to --nbest-output")
    ] = 0,
    nbest_output: NbestOutput = None,
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
    tokenised: Annotated[Tokenised, Detail("so is the output", INPUT)] = False,
    input_lattices: Annotated[
        Path | None,
        typer.Option(help="translate word lattices: PLF, a folder, or an archive", rich_help_panel=INPUT),
    ] = None,
    plf_scores: Annotated[PlfScores | None, typer.Option(help=PLF_SCORES_HELP, rich_help_panel=INPUT)] = None,
    mask_index: Annotated[
        str, typer.Option(help="which of several skeletons to use, from 0; or all", rich_help_panel=INPUT)
    ] = "0",
    skeleton_nbest: Annotated[
        Path | None, typer.Option(help="n-best lists of the skeletons from another system", rich_help_panel=INPUT)
    ] = None,
    terms: Annotated[str | None, typer.Option("--terms", help=TERMS_HELP, rich_help_panel=INPUT)] = None,
    first_id: Annotated[FirstId, Detail(panel=INPUT)] = None,
    cost: Annotated[Cost, Detail(panel=INPUT)] = None,
    stats: Annotated[
        str | None, typer.Option(help="JSON lines: cost, optimality gap, ... per sentence", rich_help_panel=OUTPUT)
    ] = None,
    lattices: Annotated[LatticeFolder, Detail("OpenFst, numbered from 0", OUTPUT)] = None,
    dask: Annotated[Dask, Detail(panel=RUNNING)] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="time limit in seconds; per sentence", rich_help_panel=RUNNING)
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with status 1 if a sentence fails", rich_help_panel=RUNNING)
    ] = False,
    settings: Any = None,
) -> None:
    """Translate sentences, with or without skeletons. Example: lattice-simp translate model < a.en > a.de

    Input and output are plain text if the model has a text.json, else tokens separated by spaces. N-best lists,
    lattices and skeletons hold tokens. Without --input, the sentences of --skeletons are translated. A sentence that
    fails is reported and copied to the output. Dask workers use the same paths for the model and --lattices.
    The model's settings.json may have other defaults.
    """
    options = TranslateOptions(model, strategy, nbest, lattices, settings)
    run = RunOptions(output, nbest_output, jobs, time_limit, resume, quiet, bool(context.obj), dask, stats=stats)
    source_files = TranslationInput(
        source, skeletons, mask_index, input_lattices, plf_scores, skeleton_nbest, first_id, cost, terms
    )
    run_translation(source_files, options, run, tokenised=tokenised, strict=strict)

"""`lattice-simp translate`: many sentences, in parallel, with a journal for runs that are killed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lattice_simp.commands.options import COST, FAILED, FIRST_ID, INTERRUPTED, PanelCommand, command_app, refuse_idle
from lattice_simp.commands.sentence_run import Job, RunOptions, is_stream, name_run, run_sentences
from lattice_simp.commands.sentences import ALL_MASKS, Sentence, SkeletonLists, read_lattices, read_sentences
from lattice_simp.commands.settings_options import setting_options, takes_settings
from lattice_simp.commands.worker import TranslateOptions, lattice_path, make_translator
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.common import natural
from lattice_simp.formats.plf import Scores as PlfScores
from lattice_simp.pipeline import check_cluster
from lattice_simp.support.extras import extra
from lattice_simp.text.settings import TEXT
from lattice_simp.translate.model_files import decoder_settings
from lattice_simp.translate.settings import DecoderSettings, SkeletonSettings
from lattice_simp.translate.strategies import STRATEGIES

app = command_app()

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

    Strategy = str
else:
    Strategy = Literal[tuple(STRATEGIES)]

STDOUT = "-"


@app.command(cls=PanelCommand)
@takes_settings(DecoderSettings, panel="Search")
def translate(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="a model directory: rules.gz, lm.arpa.gz, weights.tsv")],
    source: Annotated[
        str | None, typer.Option("--input", "-i", help="sentences, one a line; stdin", rich_help_panel="Input")
    ] = None,
    input_lattices: Annotated[
        Path | None, typer.Option(help="word lattices: PLF, a folder, an archive", rich_help_panel="Input")
    ] = None,
    plf_scores: Annotated[
        PlfScores | None, typer.Option(help="what the numbers of PLF are", rich_help_panel="Input")
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="translations, one a line", rich_help_panel="Output")
    ] = "-",
    tokenised: Annotated[
        bool, typer.Option("--tokenised", help="the input is tokens, and so is the output", rich_help_panel="Input")
    ] = False,
    skeletons: Annotated[Path | None, typer.Option(help="JSON lines or bracket text", rich_help_panel="Input")] = None,
    mask_index: Annotated[str, typer.Option(help="which of several skeletons, or all", rich_help_panel="Input")] = "0",
    strategy: Annotated[
        Strategy | None, typer.Option(help="gappy with skeletons, else plain", rich_help_panel="Search")
    ] = None,
    skeleton_nbest: Annotated[
        Path | None, typer.Option(help="the skeletons' n-best lists from elsewhere", rich_help_panel="Input")
    ] = None,
    first_id: FIRST_ID = None,
    cost: COST = None,
    nbest: Annotated[int, typer.Option(help="hypotheses for each sentence", rich_help_panel="Output")] = 0,
    nbest_output: Annotated[
        str | None, typer.Option(help="where they go, in Moses format", rich_help_panel="Output")
    ] = None,
    stats: Annotated[
        str | None,
        typer.Option(help="a JSON line for each sentence: number, cost, gap (nats)", rich_help_panel="Output"),
    ] = None,
    lattices: Annotated[
        Path | None, typer.Option(help="a folder for OpenFst lattices, ids from 0", rich_help_panel="Output")
    ] = None,
    jobs: Annotated[int, typer.Option(help="worker processes", rich_help_panel="Running")] = 1,
    dask: Annotated[
        str | None,
        typer.Option(help="a Dask cluster: tcp://HOST:PORT, local, or local:N", rich_help_panel="Running"),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="go on where a killed run stopped (needs --output)", rich_help_panel="Running"),
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option(help="seconds for each sentence", rich_help_panel="Running")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with 1 if a sentence failed", rich_help_panel="Running")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="no progress, no summary", rich_help_panel="Running")
    ] = False,
    settings: Any = None,
) -> None:
    """Translate sentences, with or without skeletons. Example: lattice-simp translate model < a.en > a.de

    A trained model says how text becomes tokens: its input and output are text as readers see it, unless --tokenised
    or --skeletons (whose tokens are taken as they are) is given; n-best lists and lattices hold tokens. Other models
    take and give tokens separated by blanks.

    --input-lattices takes word lattices (of a speech recogniser, of several segmentations) in the place of sentences,
    in any format that `lattice convert` reads; their costs are the feature Input, their words tokens.

    A sentence that fails is reported and passed through, so that line counts stay equal. With --skeletons and no
    --input, the sentences are those of the skeleton file. With --output, finished sentences are kept in a file beside
    it (.partial) until the run is complete, and --resume continues a run that was stopped. The workers of a Dask
    cluster read the model under the path that is given here, and write --lattices so, too.
    """
    options = TranslateOptions(model, strategy, nbest, lattices, settings)
    run = RunOptions(output, nbest_output, jobs, time_limit, resume, quiet, bool(context.obj), dask, stats=stats)
    check(options, run, mask_index, skeletons is not None, skeleton_nbest is not None)
    text = model_text(model, tokenised=tokenised or skeletons is not None)
    if input_lattices is None:
        refuse_idle(["plf_scores"], "without --input-lattices")
    if input_lattices is not None and not (source is None and skeletons is None):
        raise LatticeSimpError("--input-lattices takes the place of --input and --skeletons: give one of them")
    if skeleton_nbest is None:
        refuse_idle(["first_id", "cost"], "without --skeleton-nbest")
    if skeletons is None:
        refuse_idle(["mask_index"], "without --skeletons")
    if strategy == "plain":
        idle = [own.flag.replace("-", "_") for own in setting_options(SkeletonSettings)]
        refuse_idle([*idle, "skeleton_nbest", "mask_index"], "with --strategy plain")
        if source is not None:
            refuse_idle(["skeletons"], "with --strategy plain and --input")
    given = None if skeleton_nbest is None else SkeletonLists(skeleton_nbest, first_id or 0, cost)
    tokens = None
    if text is not None:
        tokens, run = text[0].tokens, replace(run, text=text[1].text)
    chosen = source if source is not None or skeletons is not None else "-"
    try:
        if input_lattices is None:
            sentences = read_sentences(chosen, skeletons, mask_index, given, tokens)
        else:
            sentences = read_lattices(input_lattices, given, plf_scores)
        summary = run_sentences(sentences, translation_job(sentences, options, run), run)
    except KeyboardInterrupt:
        kept = "the same command with --resume goes on from here" if output != "-" else "--output FILE keeps results"
        print(f"lattice-simp: interrupted; {kept}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if not quiet:
        print(summary, file=sys.stderr)
    if summary.all_failed:
        print("lattice-simp: every sentence failed; the reasons are above", file=sys.stderr)
    if summary.all_failed or (strict and summary.failed):
        raise typer.Exit(FAILED)


def model_text(model: Path, *, tokenised: bool) -> tuple[Tokeniser, Tokeniser] | None:
    """Returns the tokenisers of both sides of a model that says how its text becomes tokens, if text is to be.

    Raises:
        FormatError: the model's text settings are broken.
        MissingExtraError: what makes tokens is not installed.
    """
    if tokenised or not (model / TEXT).is_file():
        return None
    with extra("text"):
        from lattice_simp.text.tokeniser import model_tokenisers
    return model_tokenisers(model)


def check(options: TranslateOptions, run: RunOptions, mask_index: str, skeletons: bool, skeleton_nbest: bool) -> None:
    """Finds options that make no sense before any work is done; the last two say which files are there.

    Raises:
        LatticeSimpError: says which option is wrong and what to give.
    """
    stored = decoder_settings(options.model)
    settings = stored.updated(options.settings)
    wrong = []
    if options.settings.get("mbr") == {} and stored.mbr is None:
        wrong.append(
            "--mbr needs parameters that fit the model: find them with `lattice-simp tune mbr "
            f"{options.model} --source FILE --reference FILE --write`, or give --mbr-scale and its like"
        )
    if natural(mask_index) is None and mask_index != ALL_MASKS:
        wrong.append(f"--mask-index {mask_index}: give a number from 0, or {ALL_MASKS}")
    if run.resume and is_stream(run.output):
        wrong.append("--resume needs --output FILE: only a file can be continued")
    if options.nbest < 0 or (options.nbest > 0) != (run.nbest_output is not None):
        wrong.append("--nbest needs --nbest-output FILE, and the other way round; the number is above 0")
    if options.nbest > 1 and settings.exact is not None and settings.exact.beam == 0:
        wrong.append(
            f"--nbest {options.nbest}: the exact search keeps the best translation alone; give --exact-beam, the nats "
            "above it within which it keeps all"
        )
    outputs = {"--output": run.output, "--nbest-output": run.nbest_output, "--stats": run.stats}
    for (one, name), (other, same) in combinations(outputs.items(), 2):
        if name is not None and same is not None and _is_same_file(name, same):
            both = f"both {name!r}" if name == same else f"one file, {name!r} and {same!r}"
            wrong.append(f"{one} and {other} are {both}; give them different names")
    given = {"skeletons": skeletons, "hypotheses": skeleton_nbest}
    needs = STRATEGIES[options.strategy].needs if options.strategy else ()
    if needs and not any(given[need] for need in needs):
        flags = " or ".join(_NEEDS[need] for need in needs)
        wrong.append(f"--strategy {options.strategy} needs {flags}")
    own = options.settings.get("skeleton", {})
    if not any(given.values()) and (idle := [opt for opt in setting_options(SkeletonSettings) if opt.path[0] in own]):
        wrong.append(f"--{idle[0].flag} has no effect without {' or '.join(_NEEDS.values())}")
    if wrong:
        raise LatticeSimpError(wrong[0])
    if run.dask is not None:
        check_cluster(run.dask, jobs=run.jobs, time_limit=run.time_limit)


def _is_same_file(one: str, other: str) -> bool:
    if is_stream(one) or is_stream(other):
        return one == other
    return os.path.realpath(one) == os.path.realpath(other)


_NEEDS = {"skeletons": "--skeletons", "hypotheses": "--skeleton-nbest"}


def translation_job(sentences: Sequence[Sentence], options: TranslateOptions, run: RunOptions) -> Job:
    """Returns what `run_sentences` has to know of a translation.

    Raises:
        LatticeSimpError: the folder of the lattices cannot be made.
    """
    if options.lattices:
        try:
            options.lattices.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LatticeSimpError(f"{options.lattices}: cannot be made: {error.strerror}") from error

    def discard(number: int) -> None:
        """Removes the lattice of a sentence that failed: it is an old one."""
        if options.lattices:
            with suppress(OSError):
                lattice_path(options.lattices, number).unlink(missing_ok=True)

    own = options
    if run.dask is not None:  # its workers have working directories of their own
        lattices = options.lattices.absolute() if options.lattices else None
        own = replace(options, model=options.model.absolute(), lattices=lattices)
    factory = partial(make_translator, own, run.time_limit is not None)
    return Job("translating", factory, run_parts(sentences, options), discard)


def run_parts(sentences: Iterable[Sentence], options: TranslateOptions) -> dict[str, str]:
    """Names a run of the command; see `name_run`."""
    return name_run(sentences, options.model, options)

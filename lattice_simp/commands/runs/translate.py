"""The run of `lattice-simp translate`: checks options, reads sentences and translates them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from lattice_simp.commands.inputs.sentences import (
    ALL_MASKS,
    Sentence,
    SkeletonLists,
    model_text,
    read_lattices,
    read_sentences,
    with_terms,
)
from lattice_simp.commands.running.line_output import is_stream
from lattice_simp.commands.running.losses import Losses
from lattice_simp.commands.running.sentences import (
    Job,
    RunOptions,
    end_run,
    line_place,
    name_run,
    resumable,
    run_sentences,
)
from lattice_simp.commands.runs.translate_worker import TranslateOptions, lattice_path, make_translator
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.commands.shared.settings_options import setting_options
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.common import natural
from lattice_simp.formats.moses.plf import Scores as PlfScores
from lattice_simp.support.tasks import check_cluster
from lattice_simp.translate.model_files import decoder_settings, require_folder
from lattice_simp.translate.settings import SkeletonSettings
from lattice_simp.translate.strategies import STRATEGIES

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

_NEEDS = {"skeletons": "--skeletons", "hypotheses": "--skeleton-nbest"}


@dataclass(frozen=True)
class TranslationInput:
    """The files of a translation, as named by options.

    Attributes:
        source: sentences, one per line; - for stdin.
        skeletons, mask_index: a skeleton file, and the masks of a sentence to use.
        lattices, plf_scores: word lattices instead of sentences, and the meaning of numbers in PLF.
        skeleton_nbest, first_id, cost: n-best lists of the skeletons; see `SkeletonLists`.
        terms: the terms that the translation of each sentence must hold.
    """

    source: str | None = None
    skeletons: Path | None = None
    mask_index: str = "0"
    lattices: Path | None = None
    plf_scores: PlfScores | None = None
    skeleton_nbest: Path | None = None
    first_id: int | None = None
    cost: str | None = None
    terms: str | None = None

    def read(self, text: tuple[Tokeniser, Tokeniser] | None = None) -> list[Sentence]:
        """Returns the sentences; `text` makes tokens of lines of text, and of terms."""
        sentences = self._read(None if text is None else text[0].tokens)
        return sentences if self.terms is None else with_terms(sentences, self.terms, text[1].tokens if text else None)

    def place(self, sentences: Sequence[Sentence], number: int) -> str:
        """Returns the file and the line of a sentence, or the name of a lattice."""
        if self.lattices is not None:
            return f"{self.lattices}: {sentences[number].name or number}"
        return line_place(self.skeletons if self.source is None else self.source, number)

    def _read(self, tokens: Callable[[str], str] | None) -> list[Sentence]:
        lists = None
        if self.skeleton_nbest is not None:
            lists = SkeletonLists(self.skeleton_nbest, self.first_id or 0, self.cost)
        if self.lattices is not None:
            return read_lattices(self.lattices, lists, self.plf_scores)
        source = self.source if self.source is not None or self.skeletons is not None else "-"
        return read_sentences(source, self.skeletons, self.mask_index, lists, tokens)


def run_translation(
    files: TranslationInput, options: TranslateOptions, run: RunOptions, *, tokenised: bool, strict: bool
) -> None:
    """Translates sentences and writes the output; see `run_sentences`.

    Blanks separate the tokens of input and output if `tokenised`. If `strict`, a failed sentence is an error of the
    command.
    """
    check(files, options, run)
    text = model_text(options.model, tokenised=tokenised or files.skeletons is not None)
    _refuse_idle(files, options.strategy)
    losses = Losses()
    with resumable(run):
        sentences = files.read(text)
        run = run if text is None else replace(run, text=text[1].text)
        job = translation_job(sentences, partial(files.place, sentences), options, run, losses)
        report = run_sentences(sentences, job, run)
    if options.lattices is not None and not run.quiet:
        losses.print(options.lattices)
    end_run(report, run, strict=strict)


def _refuse_idle(files: TranslationInput, strategy: str | None) -> None:
    """Refuses options that have no effect with the files."""
    if files.lattices is None:
        refuse_idle(["plf_scores"], "without --input-lattices")
    elif files.source is not None or files.skeletons is not None:
        raise LatticeSimpError("--input-lattices replaces --input and --skeletons; give only one of them")
    if files.skeleton_nbest is None:
        refuse_idle(["first_id", "cost"], "without --skeleton-nbest")
    if files.skeletons is None:
        refuse_idle(["mask_index"], "without --skeletons")
    if strategy == "plain":
        idle = [option.flag.replace("-", "_") for option in setting_options(SkeletonSettings)]
        refuse_idle([*idle, "skeleton_nbest", "mask_index"], "with --strategy plain")
        if files.source is not None:
            refuse_idle(["skeletons"], "with --strategy plain and --input")


def check(files: TranslationInput, options: TranslateOptions, run: RunOptions) -> None:
    """Checks options before any work is done.

    Raises:
        LatticeSimpError: an option is invalid; the message names it and a remedy.
    """
    stored = decoder_settings(require_folder(options.model))
    settings = stored.updated(options.settings)
    if options.settings.get("mbr") == {} and stored.mbr is None:
        raise LatticeSimpError(
            "--mbr needs parameters tuned for the model: run `lattice-simp tune mbr "
            f"{options.model} --source FILE --reference FILE --write`, or give --mbr-scale and the other --mbr options"
        )
    if natural(files.mask_index) is None and files.mask_index != ALL_MASKS:
        raise LatticeSimpError(f"--mask-index {files.mask_index}: give a number from 0, or {ALL_MASKS}")
    run.check(options.nbest)
    if options.nbest > 1 and settings.exact is not None and settings.exact.beam == 0:
        raise LatticeSimpError(
            f"--nbest {options.nbest}: the exact search keeps only the best translation; give --exact-beam NATS to "
            "keep others"
        )
    outputs = {"--output": run.output, "--nbest-output": run.nbest_output, "--stats": run.stats}
    for (option, name), (other_option, other_name) in combinations(outputs.items(), 2):
        if name is not None and other_name is not None and _is_same_file(name, other_name):
            names = f"both {name!r}" if name == other_name else f"one file, {name!r} and {other_name!r}"
            raise LatticeSimpError(f"{option} and {other_option} are {names}; give them different names")
    _check_skeletons(files, options)
    if run.dask is not None:
        check_cluster(run.dask, jobs=run.jobs, time_limit=run.time_limit)


def _check_skeletons(files: TranslationInput, options: TranslateOptions) -> None:
    present = {"skeletons": files.skeletons is not None, "hypotheses": files.skeleton_nbest is not None}
    needs = STRATEGIES[options.strategy].needs if options.strategy else ()
    if needs and not any(present[need] for need in needs):
        flags = " or ".join(_NEEDS[need] for need in needs)
        raise LatticeSimpError(f"--strategy {options.strategy} needs {flags}")
    chosen = options.settings.get("skeleton", {})
    idle = [option for option in setting_options(SkeletonSettings) if option.path[0] in chosen]
    if idle and not any(present.values()):
        raise LatticeSimpError(f"--{idle[0].flag} has no effect without {' or '.join(_NEEDS.values())}")


def _is_same_file(first: str, second: str) -> bool:
    if is_stream(first) or is_stream(second):
        return first == second
    return os.path.realpath(first) == os.path.realpath(second)


def translation_job(
    sentences: Sequence[Sentence],
    place: Callable[[int], str],
    options: TranslateOptions,
    run: RunOptions,
    losses: Losses,
) -> Job:
    """Returns the job of `run_sentences`, which translates sentences; `losses` receives those of lattice files.

    Raises:
        LatticeSimpError: the folder of the lattices cannot be created.
    """
    if options.lattices:
        try:
            options.lattices.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LatticeSimpError(f"{options.lattices}: cannot be created: {error.strerror}") from error

    def discard(number: int) -> None:
        """Removes the lattice of a failed sentence, which an earlier run may have left."""
        if options.lattices:
            with suppress(OSError):
                lattice_path(options.lattices, number).unlink(missing_ok=True)

    absolute = options
    if run.dask is not None:  # its workers have other working directories
        lattices = options.lattices.absolute() if options.lattices else None
        absolute = replace(options, model=options.model.absolute(), lattices=lattices)
    factory = partial(make_translator, absolute, run.time_limit is not None)
    parts = name_run(sentences, options.model, options)
    return Job("translating", factory, parts, place, discard, lambda record: losses.add_phrases(record.get("lost", {})))

"""`lattice-simp combine`: one output of several systems' outputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.lattice_input import LabelOptions, ignored_labels, read_outputs, take_options
from lattice_simp.commands.lattice_run import with_progress
from lattice_simp.commands.line_output import Result, write_lines
from lattice_simp.commands.options import (
    FAILED,
    INPUT,
    LABELS,
    OUTPUT,
    RUNNING,
    SEARCH,
    Detail,
    FirstId,
    Ignore,
    Jobs,
    LatticeFolder,
    Lm,
    Nbest,
    NbestOutput,
    Output,
    Weights,
    check_stdin,
    command_app,
    refuse_idle,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.commands.token_forms import checked_forms
from lattice_simp.commands.whole_sentences import checked_lists
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import EmptyLatticeError, FormatError, MissingExtraError
from lattice_simp.formats import check_labels, is_text, write
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.nbest import has_pieces, is_nbest
from lattice_simp.formats.pieces import join_words, pieces_named
from lattice_simp.lm.model import LanguageModel
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines, readable
from lattice_simp.systems.combination.combine import (
    CombinationSettings,
    check_weights,
    combine,
    default_weights,
    expansion_of,
    feature_names,
)
from lattice_simp.systems.combination.combine import Output as SystemOutput
from lattice_simp.systems.paraphrase.paraphraser import Paraphraser
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights

app = command_app()

_NOTHING: list[Hypothesis] = []


@dataclass(frozen=True)
class _CombineOptions(LabelOptions, CombinationSettings):
    """How to combine systems, and how to interpret labels."""


_PANELS = {
    **dict.fromkeys(LabelOptions.__dataclass_fields__, LABELS),
    **dict.fromkeys(("strings", "lm_weight", "max_arcs", "beam"), SEARCH),
}


@app.command("combine")
@takes_settings(_CombineOptions, _PANELS)
def combine_outputs(
    sources: Annotated[
        list[str], typer.Argument(help="a file per system: n-best lists, a sentence per line, lattices, or one lattice")
    ],
    output: Annotated[Output, Detail("one translation per line")] = "-",
    lm: Lm = None,
    weights: Annotated[Weights | None, Detail("as `tune lattices` writes them")] = None,
    share: Annotated[
        list[float] | None, typer.Option(help="weight of each system, once per file in order (default: equal)")
    ] = None,
    scale: Annotated[
        list[float] | None,
        typer.Option(help="multiply costs by this before converting them to probabilities; once for all, or per file"),
    ] = None,
    n: Annotated[Nbest, Detail(panel=OUTPUT)] = 100,
    nbest_output: Annotated[NbestOutput, Detail("with features", panel=OUTPUT)] = None,
    lattices: Annotated[LatticeFolder, Detail("with features and start weights, for `tune lattices`", OUTPUT)] = None,
    parse: Annotated[
        bool,
        typer.Option("--parse", help="add phrases of English parses (extra `skeletons`)", rich_help_panel=SEARCH),
    ] = False,
    first_id: Annotated[FirstId, Detail(panel=INPUT)] = None,
    ignore: Annotated[Ignore, Detail(panel=LABELS)] = None,
    jobs: Annotated[Jobs, Detail(panel=RUNNING)] = 1,
    settings: Any = None,
) -> None:
    """Combine several systems' outputs for the same sentences into one translation.

    The best output agrees with most systems, n-gram by n-gram. --lm adds a language model. `lattice-simp tune lattices`
    tunes weights on the folder that --lattices writes. A system may have no output for a sentence. --pieces joins the
    subwords of systems that have them. Warnings report systems whose tokens differ in form.

    Example: lattice-simp combine one.nbest two.nbest > combined.txt
    """
    labels = take_options(LabelOptions, settings)
    chosen = CombinationSettings(**settings, shares=tuple(share) if share else None, scales=tuple(scale or (1.0,)))
    chosen.of_systems(len(sources))  # refuses wrong options before any file is read
    check_stdin(sources)
    _refuse_idle(
        chosen.method, has_model=lm is not None, has_weights=weights is not None, has_lists=nbest_output is not None
    )
    expand = expansion_of(Paraphraser()) if parse else None
    model = None if lm is None else LanguageModel.read(lm)
    weighted = None if weights is None else read_weights(weights)
    names = feature_names(len(sources), lm=lm is not None)
    ignored = ignored_labels(ignore)
    check_weights(weighted or {}, names)

    def combined(outputs: tuple[SystemOutput, ...]) -> Lattice:
        return combine(outputs, chosen, lm=model, weights=weighted, expand=expand, ignore=ignored)

    if lattices is not None:
        lattices.mkdir(parents=True, exist_ok=True)
        start = weighted or default_weights(len(sources), chosen, lm=lm is not None)
        write_weights(lattices / WEIGHTS, {name: start.get(name, 0.0) for name in names})
    with ExitStack() as stack:
        files = [stack.enter_context(readable(source)) for source in sources]
        results = _Results(combined, jobs)
        sentences = checked_forms(sources, _aligned(sources, files, first_id or 0, labels), labels.pieces)
        decided = _decided(results.of(sentences), n if nbest_output else 1, lattices)
        write_lines(decided, output, nbest_output)
    if results.failed:
        print(f"lattice-simp: {counted(results.failed, 'sentence')} failed", file=sys.stderr)
        raise typer.Exit(FAILED)


def _refuse_idle(method: str, *, has_model: bool, has_weights: bool, has_lists: bool) -> None:
    """Refuses options without effect.

    Raises:
        LatticeSimpError: names the first one.
    """
    if method != "phrases":
        refuse_idle(["parse"], f"with --method {method}")
    if method == "union":
        refuse_idle(["strings"], "with --method union, which uses all strings")
    if not has_model:
        refuse_idle(["lm_weight", "gain_beam"], "without --lm")
    if has_weights:
        refuse_idle(["lm_weight"], "with --weights")
    if not has_lists:
        refuse_idle(["n"], "without --nbest-output")


class _Results:
    """The lattices of sentences, in order; None for a sentence that fails, which is reported.

    Attributes:
        failed: the number of failed sentences.
    """

    def __init__(self, combined: Callable[[tuple[SystemOutput, ...]], Lattice], jobs: int) -> None:
        self._combined, self._jobs, self.failed = combined, jobs, 0

    def of(self, sentences: Iterable[tuple[SystemOutput, ...]]) -> Iterator[Lattice | None]:
        results = with_progress(self._combined, sentences, self._jobs, "sentences")
        for number, (_, lattice, error) in enumerate(results):
            if isinstance(error, MissingExtraError):  # every sentence would fail
                raise error
            if error is not None and not isinstance(error, EmptyLatticeError):
                self.failed += 1
                print(f"lattice-simp: sentence {number}: {error}; left empty", file=sys.stderr)
            yield lattice


def _decided(results: Iterable[Lattice | None], n: int, folder: Path | None) -> Iterator[Result]:
    """Yields each sentence's number, best string and best hypotheses; writes the lattices to the folder, if any."""
    for number, lattice in enumerate(results):
        if folder is not None and lattice is not None:
            write(lattice, folder / f"{number:06d}.txt", "features")
        entries = [] if lattice is None else nbest(lattice, n)
        yield number, entries[0].text if entries else "", entries


# ---------------------------------------------------------------- reading


def _aligned(
    sources: list[str], files: list[str], first_id: int, labels: LabelOptions
) -> Iterator[tuple[SystemOutput, ...]]:
    """Yields the systems' outputs for each sentence; reports systems without output if others have one.

    Raises:
        FormatError: the systems have different numbers of sentences.
    """
    ended = object()
    named = list(zip(files, sources, strict=True))
    streams = [_outputs(file, name, first_id, _with_pieces(file, name, labels)) for file, name in named]
    for number, outputs in enumerate(zip_longest(*streams, fillvalue=ended)):
        has_output = [output is not ended for output in outputs]
        if not all(has_output):
            shorter, longer = sources[has_output.index(False)], sources[has_output.index(True)]
            message = f"ends after {counted(number, 'sentence')}, but {longer} has more"
            raise FormatError(message, path=shorter, remedy="give each system's output for the same sentences")
        silent = [source for source, output in zip(sources, outputs, strict=True) if output is _NOTHING]
        if len(silent) < len(sources):
            for source in silent:
                print(f"lattice-simp: {source}: no output for sentence {number}", file=sys.stderr)
        yield outputs  # type: ignore[misc]


def _outputs(file: str, name: str, first_id: int, labels: LabelOptions) -> Iterator[SystemOutput]:
    """Yields a system's output for each sentence, or `_NOTHING`."""
    if is_nbest(file):
        lists = ((0, output) for _, output in read_outputs(file, name, labels, first_id) if isinstance(output, list))
        yield from (hypotheses or _NOTHING for _, hypotheses in checked_lists(lists, name))
    elif is_collection(file) or not is_text(file):
        for _, output in read_outputs(file, file, labels):
            yield output if isinstance(output, Lattice) and not output.empty else _NOTHING
    else:
        check_labels(labels.of_lattices(file), "text", file)
        lines = (join_words(as_tokens(line), labels.pieces) for line in _lines(file))
        texts = ([Hypothesis(tokens)] if tokens else _NOTHING for tokens in lines)
        yield from (hypotheses for _, hypotheses in checked_lists(enumerate(texts), name))


def _with_pieces(file: str, name: str, labels: LabelOptions) -> LabelOptions:
    """Returns the options; without --pieces, and with a message, if a list or a text has no subwords."""
    kind = pieces_named(labels.pieces)
    is_list = is_nbest(file)
    if kind is None or (not is_list and (is_collection(file) or not is_text(file))):
        return labels
    if has_pieces(file, labels.pieces) if is_list else kind.mark_any(as_tokens(line) for line in read_lines(file)):
        return labels
    print(f"lattice-simp: {name}: no subwords of {labels.pieces}, so its tokens are words", file=sys.stderr)
    return replace(labels, pieces="none")


def _lines(path: str) -> Iterator[str]:
    is_empty = True
    for line in read_lines(path):
        is_empty = False
        yield line
    if is_empty:
        raise FormatError("the file is empty", path=path, remedy="give a sentence per line, n-best lists, or lattices")

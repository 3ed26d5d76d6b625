"""`lattice-simp combine`: one output of several systems' outputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.lattice_input import (
    LabelOptions,
    SharedNames,
    features_of,
    ignored_labels,
    read_outputs,
    same_sentences,
    take_options,
    utterance,
)
from lattice_simp.commands.lattice_run import with_progress
from lattice_simp.commands.line_output import Result, write_lines
from lattice_simp.commands.losses import Losses
from lattice_simp.commands.options import (
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
    Shares,
    Weights,
    check_stdin,
    command_app,
    refuse_idle,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.commands.token_forms import checked_forms
from lattice_simp.commands.whole_sentences import checked_lists
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import EmptyLatticeError, FormatError, MissingExtraError
from lattice_simp.formats import check_labels, is_text, write
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.common import LOST_HEADER
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import has_pieces, is_nbest, stream_sentences
from lattice_simp.formats.pieces import join_words, pieces_named
from lattice_simp.lm.model import LanguageModel
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.exit_status import FAILED
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
    share: Shares = None,
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
        inputs = _Inputs(sources, labels)
        sentences = checked_forms(sources, inputs.aligned(files, first_id or 0), labels.pieces)
        decided = _decided(results.of(sentences), n if nbest_output else 1, lattices, inputs)
        write_lines(decided, output, nbest_output)
        for losses, place in ((inputs.losses, nbest_output or output), (inputs.of_folder, lattices)):
            losses.print(str(place))
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


def _decided(results: Iterable[Lattice | None], n: int, folder: Path | None, inputs: _Inputs) -> Iterator[Result]:
    """Yields each sentence's best string and best hypotheses; writes the lattices to the folder, if any."""
    for number, lattice in enumerate(results):
        name = inputs.names[number]
        if folder is not None and lattice is not None:
            write(lattice, folder / f"{number:06d}.txt", "features")
            inputs.of_folder.add_phrases({LOST_HEADER: ["utterance"] if name else []})
        entries = [] if lattice is None else nbest(lattice, n, ignore=())
        yield Result(number, entries[0].text if entries else "", entries, name)


# ---------------------------------------------------------------- reading


class _Inputs:
    """The systems' outputs.

    Attributes:
        names: the name of each sentence read so far, or None.
        losses, of_folder: the losses of the combination, and those of a folder of lattices.
    """

    def __init__(self, sources: list[str], labels: LabelOptions) -> None:
        self._sources, self._labels = sources, labels
        self.names, self.losses, self.of_folder = list[str | None](), Losses(), Losses()

    def aligned(self, files: list[str], first_id: int) -> Iterator[tuple[SystemOutput, ...]]:
        """Yields the systems' outputs for each sentence; reports systems without output if others have one.

        Raises:
            FormatError: the systems have different numbers of sentences.
        """
        sources, shared = self._sources, SharedNames(self._sources)
        named = list(zip(files, sources, strict=True))
        streams = [_outputs(file, name, first_id, _with_pieces(file, name, self._labels)) for file, name in named]
        for number, members in enumerate(same_sentences(sources, streams)):
            names, outputs = zip(*members, strict=True)
            silent = [source for source, output in zip(sources, outputs, strict=True) if output is _NOTHING]
            if len(silent) < len(sources):
                for source in silent:
                    print(f"lattice-simp: {source}: no output for sentence {number}", file=sys.stderr)
            self.names.append(shared.of(number, names))
            features = {name for output in outputs for name in features_of(output)}
            # The combination has features of its own.
            self.losses.add_features(name for name in (TIME, POSTERIOR) if name in features)
            yield outputs


def _outputs(file: str, name: str, first_id: int, labels: LabelOptions) -> Iterator[tuple[str | None, SystemOutput]]:
    """Yields a system's output for each sentence, or `_NOTHING`, with the sentence's name."""
    if is_nbest(file):
        for sentence in checked_lists(stream_sentences(file, first_id, **labels.of_lists(name)), name):
            yield sentence.name, sentence.hypotheses or _NOTHING
    elif is_collection(file) or not is_text(file):
        is_many = is_collection(file)
        for member, output in read_outputs(file, file, labels):
            if isinstance(output, Lattice):
                yield utterance(member) if is_many else output.header.name, _NOTHING if output.empty else output
    else:
        check_labels(labels.of_lattices(file), "text", file)
        lines = (join_words(as_tokens(line), labels.pieces) for line in _lines(file))
        texts = (Sentence(number, [Hypothesis(tokens)] if tokens else _NOTHING) for number, tokens in enumerate(lines))
        yield from ((None, sentence.hypotheses) for sentence in checked_lists(texts, name))


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

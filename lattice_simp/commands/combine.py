"""`lattice-simp combine`: one output of several systems' outputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from lattice_simp.commands.options import (
    FAILED,
    FIRST_ID,
    IGNORE,
    LabelOptions,
    command_app,
    ignored_labels,
    labels_of_lattices,
    labels_of_lists,
    pieces_of,
    read_full,
    readable,
    reader_options,
    refuse_idle,
    require_numbers,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.commands.whole_sentences import checked_lists
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import EmptyLatticeError, FormatError, LatticeSimpError, MissingExtraError
from lattice_simp.formats import is_text, write
from lattice_simp.formats.collections import is_collection, read_all
from lattice_simp.formats.nbest import is_nbest, stream_nbest, write_nbest
from lattice_simp.formats.pieces import join_words
from lattice_simp.lm.model import LanguageModel
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.ops.nbest import nbest
from lattice_simp.pipeline.progress import progress_bar
from lattice_simp.pipeline.threads import in_threads
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.systems.combination.combine import (
    CombinationSettings,
    Output,
    check_weights,
    combine,
    default_weights,
    expansion_of,
    feature_names,
)
from lattice_simp.systems.paraphrase.paraphraser import Paraphraser
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights

app = command_app()

_NOTHING: list[Hypothesis] = []


@dataclass(frozen=True)
class _CombineOptions(LabelOptions, CombinationSettings):
    """How systems are combined, and what labels are."""


@app.command("combine")
@takes_settings(_CombineOptions)
def combine_outputs(
    sources: Annotated[
        list[str], typer.Argument(help="of each system: n-best lists, a line a sentence, lattices, or one lattice")
    ],
    lm: Annotated[Optional[Path], typer.Option(help="a language model: ARPA, or KenLM's binary")] = None,  # noqa: UP045
    share: Annotated[
        Optional[list[float]],  # noqa: UP045
        typer.Option(help="of each system's probabilities, one for each file in order; equal ones by default"),
    ] = None,
    scale: Annotated[
        Optional[list[float]],  # noqa: UP045
        typer.Option(help="what costs are multiplied with before they become probabilities, one for all or for each"),
    ] = None,
    weights: Annotated[Optional[Path], typer.Option(help="a weights.tsv, as `tune lattices` writes it")] = None,  # noqa: UP045
    parse: Annotated[
        bool, typer.Option("--parse", help="phrases are also those of English parses (the extra skeletons)")
    ] = False,
    first_id: FIRST_ID = None,
    ignore: IGNORE = None,
    output: Annotated[str, typer.Option("--output", "-o", help="a line for each sentence, or - for stdout")] = "-",
    n: Annotated[int, typer.Option("--nbest", "-n", min=1, help="hypotheses for each sentence")] = 100,
    nbest_output: Annotated[Optional[str], typer.Option(help="n-best lists with the features")] = None,  # noqa: UP045
    lattices: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="a folder for the lattices with features, and for the weights that tuning starts from"),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="threads")] = 1,
    settings: Any = None,
) -> None:
    """Combine several systems' outputs for the same sentences to one translation.

    What most systems agree on, n-gram by n-gram, is best; --lm adds a language model, and `lattice-simp tune lattices`
    finds weights for the features in the folder that --lattices makes. Where a system has nothing for a sentence, the
    others decide.

    Example: lattice-simp combine one.nbest two.nbest > combined.txt
    """
    labels = {field.name: settings.pop(field.name) for field in fields(LabelOptions) if field.name in settings}
    own = CombinationSettings(**settings, shares=tuple(share) if share else None, scales=tuple(scale or (1.0,)))
    own.of_systems(len(sources))  # before anything is read
    if sources.count("-") > 1:
        raise LatticeSimpError("standard input can be one file only; give the others by their names")
    _refuse_idle(
        own.method, has_model=lm is not None, has_weights=weights is not None, has_lists=nbest_output is not None
    )
    expand = expansion_of(Paraphraser()) if parse else None
    model = None if lm is None else LanguageModel.read(lm)
    weighted = None if weights is None else read_weights(weights)
    names = feature_names(len(sources), lm=lm is not None)
    ignored = ignored_labels(ignore)
    check_weights(weighted or {}, names)

    def combined(outputs: tuple[Output, ...]) -> Lattice:
        return combine(outputs, own, lm=model, weights=weighted, expand=expand, ignore=ignored)

    if lattices is not None:
        lattices.mkdir(parents=True, exist_ok=True)
        start = weighted or default_weights(len(sources), own, lm=lm is not None)
        write_weights(lattices / WEIGHTS, {name: start.get(name, 0.0) for name in names})
    with ExitStack() as stack:
        files = [stack.enter_context(readable(source)) for source in sources]
        results = _Results(combined, jobs)
        lists = _decided(
            results.of(_aligned(sources, files, first_id or 0, labels)), n if nbest_output else 1, lattices
        )
        _write(lists, output, nbest_output)
    if results.failed:
        print(f"lattice-simp: {results.failed} sentences failed", file=sys.stderr)
        raise typer.Exit(FAILED)


def _refuse_idle(method: str, *, has_model: bool, has_weights: bool, has_lists: bool) -> None:
    """Refuses options without effect.

    Raises:
        LatticeSimpError: names the first one.
    """
    if method != "phrases":
        refuse_idle(["parse"], f"with --method {method}")
    if method == "union":
        refuse_idle(["strings"], "with --method union, which takes all strings")
    if not has_model:
        refuse_idle(["lm_weight", "beam"], "without --lm")
    if has_weights:
        refuse_idle(["lm_weight"], "with --weights")
    if not has_lists:
        refuse_idle(["n"], "without --nbest-output")


class _Results:
    """The lattices of sentences, in order; where one fails, that is told, and it has none.

    Attributes:
        failed: how many failed.
    """

    def __init__(self, combined: Callable[[tuple[Output, ...]], Lattice], jobs: int) -> None:
        self._combined, self._jobs, self.failed = combined, jobs, 0

    def of(self, sentences: Iterable[tuple[Output, ...]]) -> Iterator[Lattice | None]:
        with progress_bar(transient=True) as bar:
            task = bar.add_task("sentences", total=None)
            results = in_threads(self._combined, sentences, self._jobs)
            for number, (_, lattice, error) in enumerate(results):
                if isinstance(error, MissingExtraError):  # all sentences want it
                    raise error
                if isinstance(error, LatticeSimpError) and not isinstance(error, EmptyLatticeError):
                    self.failed += 1
                    print(f"lattice-simp: sentence {number}: {error}; left empty", file=sys.stderr)
                elif error is not None and not isinstance(error, EmptyLatticeError):
                    raise error
                yield lattice
                bar.advance(task)


def _decided(results: Iterable[Lattice | None], n: int, folder: Path | None) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Yields the best hypotheses of each sentence; the lattices go to a folder, if there is one."""
    for number, lattice in enumerate(results):
        if folder is not None and lattice is not None:
            write(lattice, folder / f"{number:06d}.txt", "features")
        yield number, [] if lattice is None else nbest(lattice, n)


def _write(lists: Iterable[tuple[int, list[Hypothesis]]], output: str, nbest_output: str | None) -> None:
    with open_text(output, "w") as file:

        def groups() -> Iterator[tuple[int, list[Hypothesis]]]:
            for number, entries in lists:
                file.write((entries[0].text if entries else "") + "\n")
                yield number, entries

        if nbest_output is None:
            for _ in groups():
                pass
        else:
            write_nbest(groups(), nbest_output)


# ---------------------------------------------------------------- reading


def _aligned(
    sources: list[str], files: list[str], first_id: int, labels: Mapping[str, Any]
) -> Iterator[tuple[Output, ...]]:
    """Yields what each system has for a sentence; tells where only some have nothing.

    Raises:
        FormatError: one has more sentences than another.
    """
    ended = object()
    streams = [_outputs(file, name, first_id, labels) for file, name in zip(files, sources, strict=True)]
    for number, outputs in enumerate(zip_longest(*streams, fillvalue=ended)):
        there = [own is not ended for own in outputs]
        if not all(there):
            shorter, longer = sources[there.index(False)], sources[there.index(True)]
            message = f"ends after {number} sentences, but {longer} has more"
            raise FormatError(message, path=shorter, remedy="give each system's output for the same sentences")
        silent = [source for source, own in zip(sources, outputs, strict=True) if own is _NOTHING]
        if len(silent) < len(sources):
            for source in silent:
                print(f"lattice-simp: {source}: nothing for sentence {number}; the others decide", file=sys.stderr)
        yield outputs  # type: ignore[misc]


def _outputs(file: str, name: str, first_id: int, labels: Mapping[str, Any]) -> Iterator[Output]:
    """Yields a system's output for each sentence, `_NOTHING` where it has none."""
    pieces = pieces_of(labels)
    if is_nbest(file):
        require_numbers(file, "nbest", labels)
        lists = checked_lists(stream_nbest(file, first_id, **labels_of_lists(labels)), name)
        yield from (hypotheses or _NOTHING for _, hypotheses in lists)
        return
    others = labels_of_lattices(file, labels)
    if is_collection(file):
        members = read_all(file, **reader_options(others))
        yield from (join_pieces(lattice, pieces) if not lattice.empty else _NOTHING for _, lattice in members)
    elif is_text(file):
        require_numbers(file, "text", others)
        lines = (join_words(as_tokens(line), pieces) for line in _lines(file))
        texts = ([Hypothesis(tokens)] if tokens else _NOTHING for tokens in lines)
        yield from (hypotheses for _, hypotheses in checked_lists(enumerate(texts), name))
    else:
        yield read_full(file, labels=labels)


def _lines(path: str) -> Iterator[str]:
    is_empty = True
    for line in read_lines(path):
        is_empty = False
        yield line
    if is_empty:
        raise FormatError("the file is empty", path=path, remedy="give a sentence a line, n-best lists, or lattices")

"""The run of `lattice-simp combine`: reads the outputs of systems, combines them, and writes the results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lattice_simp.commands.inputs.lattices import features_of, read_outputs, utterance
from lattice_simp.commands.inputs.pairing import SharedNames, same_sentences
from lattice_simp.commands.inputs.reference_lines import readable_sources
from lattice_simp.commands.inputs.token_forms import checked_forms
from lattice_simp.commands.inputs.unknown_words import ScoredWords
from lattice_simp.commands.inputs.whole_sentences import checked_lists
from lattice_simp.commands.running.lattices import with_progress
from lattice_simp.commands.running.line_output import Result, write_lines
from lattice_simp.commands.running.losses import CONFIDENCES, TIMES, Losses
from lattice_simp.commands.shared.label_options import LabelOptions
from lattice_simp.commands.shared.messages import end_failed, say
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import as_tokens, without_breaks
from lattice_simp.errors import EmptyLatticeError, FormatError, MissingExtraError
from lattice_simp.formats import check_labels, is_text, write
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.common import LOST_HEADER
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import has_pieces, is_nbest, stream_sentences
from lattice_simp.formats.pieces import join_words, pieces_named
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.lm.model import LanguageModel
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.combination.combine import (
    CombinationSettings,
    check_weights,
    combine,
    default_weights,
    feature_names,
)
from lattice_simp.systems.combination.combine import Output as SystemOutput
from lattice_simp.systems.combination.methods import METHODS, Expand
from lattice_simp.translate.model_files import WEIGHTS, write_weights

_NOTHING: list[Hypothesis] = []

_NOT_TUNED = "lattices for tuning do not have {}"
_UNUSED = "{} do not count and are lost; --method rover uses them"


@dataclass(frozen=True)
class CombinedFiles:
    """The files of a combination.

    Attributes:
        output: the best string of each sentence, a line for each.
        nbest_output: n-best lists, if any.
        n: the number of their hypotheses.
        lattices: a folder for lattices and starting weights, if any.
    """

    output: str
    nbest_output: str | None = None
    n: int = 1
    lattices: Path | None = None


@dataclass(frozen=True)
class Combination:
    """How the outputs of systems are combined.

    Attributes:
        sources: a file for each system.
        labels: how to interpret the labels of each source.
        settings: the method and its settings.
        lm: a language model.
        weights: the weights of the features; None for those that follow from the settings.
        expand: adds phrases of parses to hypotheses; see `expansion_of`.
        ignored: labels that are not words.

    Raises:
        LatticeSimpError: a weight of no feature.
    """

    sources: list[str]
    labels: Sequence[LabelOptions]
    settings: CombinationSettings
    lm: LanguageModel | None
    weights: Mapping[str, float] | None
    expand: Expand | None
    ignored: Collection[str]

    def __post_init__(self) -> None:
        check_weights(self.weights or {}, self.features)

    @property
    def features(self) -> Sequence[str]:
        """The names of the features of combined lattices."""
        return feature_names(len(self.sources), lm=self.lm is not None)

    def of(self, outputs: tuple[SystemOutput, ...]) -> Lattice:
        """Returns the combination of the systems' outputs for a sentence."""
        return combine(
            outputs, self.settings, lm=self.lm, weights=self.weights, expand=self.expand, ignore=self.ignored
        )

    def write(self, files: CombinedFiles, *, first_id: int, jobs: int) -> None:
        """Combines the outputs for all sentences; `first_id` is the id of the first one in n-best lists.

        Raises:
            LatticeSimpError: a file is broken, or the systems have different numbers of sentences.
            typer.Exit: sentences failed.
        """
        if files.lattices is not None:
            self._write_weights(files.lattices)
        words = None if self.lm is None else ScoredWords(self.lm)

        def combined(outputs: tuple[SystemOutput, ...]) -> Lattice:
            lattice = self.of(outputs)
            if words is not None:
                words.add_arcs(lattice, self.ignored)
            return lattice

        with readable_sources(self.sources) as paths:
            results = _Results(combined, jobs)
            inputs = _Inputs(self.sources, self.labels, self.settings)
            sentences = checked_forms(self.sources, inputs.aligned(paths, first_id), self.labels[0].pieces)
            decided = _decided(results.of(sentences), files.n if files.nbest_output else 1, files.lattices, inputs)
            write_lines(decided, files.output, files.nbest_output)
        if words is not None:
            words.warn("the systems' outputs")
        inputs.losses.print(files.nbest_output or files.output)
        if files.lattices is not None:
            inputs.of_folder.print(files.lattices)
        end_failed(results.failed, "sentence")

    def _write_weights(self, folder: Path) -> None:
        """Writes the weights from which tuning starts to a new folder of lattices."""
        folder.mkdir(parents=True, exist_ok=True)
        start = self.weights or default_weights(len(self.sources), self.settings, lm=self.lm is not None)
        write_weights(folder / WEIGHTS, {name: start.get(name, 0.0) for name in self.features})


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
                say(f"lattice-simp: sentence {number}: {error}; left empty")
            yield lattice


def _decided(results: Iterable[Lattice | None], n: int, folder: Path | None, inputs: _Inputs) -> Iterator[Result]:
    """Yields each sentence's best string and best hypotheses; writes the lattices to the folder, if any."""
    for number, lattice in enumerate(results):
        name = inputs.names[number]
        if folder is not None and lattice is not None:
            write(lattice.without_features(TIME, POSTERIOR), folder / f"{number:06d}.txt", "features")
            marks = {TIME: TIMES, POSTERIOR: CONFIDENCES}
            inputs.of_folder.add_phrases(
                {
                    LOST_HEADER: ["utterance"] if name else [],
                    _NOT_TUNED: [fact for feature, fact in marks.items() if feature in lattice.features],
                }
            )
        entries = [] if lattice is None else nbest(lattice, n, ignore=())
        yield Result(number, without_breaks(entries[0].text) if entries else "", entries, name)


# ---------------------------------------------------------------- reading


class _Inputs:
    """The systems' outputs.

    Attributes:
        names: the name of each sentence read so far, or None.
        losses, of_folder: the losses of the combination, and those of a folder of lattices.
    """

    def __init__(self, sources: list[str], labels: Sequence[LabelOptions], settings: CombinationSettings) -> None:
        self._sources, self._labels = sources, labels
        self._is_vote = METHODS[settings.method].is_vote
        self._uncertain = set(sources) if self._is_vote and settings.confidence_weight else set()
        self.names, self.losses, self.of_folder = list[str | None](), Losses(), Losses()

    def aligned(self, files: list[str], first_id: int) -> Iterator[tuple[SystemOutput, ...]]:
        """Yields the systems' outputs for each sentence; reports systems without output if others have one.

        Raises:
            FormatError: the systems have different numbers of sentences.
        """
        sources, shared = self._sources, SharedNames(self._sources)
        named = list(zip(files, sources, self._labels, strict=True))
        streams = [_outputs(file, name, first_id, _with_pieces(file, name, labels)) for file, name, labels in named]
        for number, members in enumerate(same_sentences(sources, streams, _NOTHING)):
            names, outputs = zip(*members, strict=True)
            silent = [source for source, output in zip(sources, outputs, strict=True) if output is _NOTHING]
            self.names.append(shared.of(number, names))
            if len(silent) < len(sources):
                for source in silent:
                    say(f"lattice-simp: {source}: no output for {self.names[-1] or f'sentence {number}'}")
            features = [features_of(output) for output in outputs]
            is_timed = [
                TIME in names for names, output in zip(features, outputs, strict=True) if output is not _NOTHING
            ]
            if any(is_timed) and not (self._is_vote and all(is_timed)):
                self.losses.add_features([TIME])
            confident = {source for source, names in zip(sources, features, strict=True) if POSTERIOR in names}
            if not self._is_vote:
                self.losses.add_phrases({_UNUSED: [CONFIDENCES] if confident else []})
            self._uncertain -= confident
            yield outputs
        for source in sorted(self._uncertain):
            say(f"lattice-simp: {source}: no confidences of words, so these count by frequency")


def _outputs(file: str, name: str, first_id: int, labels: LabelOptions) -> Iterator[tuple[str | None, SystemOutput]]:
    """Yields a system's output for each sentence, or `_NOTHING`, with the sentence's name."""
    if is_nbest(file):
        for sentence in checked_lists(stream_sentences(file, first_id, **labels.of_lists(name)), name):
            yield sentence.name, sentence.hypotheses or _NOTHING
    elif labels.cost is not None:
        remedy = "leave --cost out, or give it once per file, with total for this one"
        raise FormatError("is not an n-best list", path=name, remedy=remedy)
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
    say(f"lattice-simp: {name}: no subwords of {labels.pieces}, so its tokens are words")
    return replace(labels, pieces="none")


def _lines(path: str) -> Iterator[str]:
    is_empty = True
    for line in sentence_lines(path):
        is_empty = False
        yield line
    if is_empty:
        raise FormatError("the file is empty", path=path, remedy="give a sentence per line, n-best lists, or lattices")

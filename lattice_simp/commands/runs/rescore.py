"""The run of `lattice-simp rescore`: scores n-best lists, searches lattices, and writes the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lattice_simp.commands.inputs.lattices import named, require_hypotheses
from lattice_simp.commands.inputs.reference_lines import for_lines
from lattice_simp.commands.inputs.unknown_words import ScoredWords
from lattice_simp.commands.inputs.whole_sentences import checked_lists
from lattice_simp.commands.running.losses import IN_TEXT, Losses, write_lists
from lattice_simp.commands.shared.label_options import ListFile
from lattice_simp.commands.shared.options import named_path
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import read
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.ops.nbest import nbest
from lattice_simp.rescore import JointScorer, read_scorers
from lattice_simp.rescore.combine import combine
from lattice_simp.rescore.joint.lattice import apply_weighted
from lattice_simp.rescore.language_model import KenlmScorer, NgramScorer
from lattice_simp.rescore.lattice_search import LATTICE, rescore_lattice
from lattice_simp.rescore.nbest import score_nbest, weighted_nbest
from lattice_simp.rescore.scorer import PrefixScorer, Scorer, reads_source
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text
from lattice_simp.translate.model_files import read_weights

Search = Callable[[int, list[str], Lattice], list[Hypothesis]]
"""Returns the hypotheses of a sentence, given its number, its source tokens and its lattice."""

NGRAMS = (NgramScorer, KenlmScorer)

_LATTICE_NAME = re.compile(r"(\d+)\.fst(\.gz)?", re.ASCII)


@dataclass(frozen=True)
class RescoredFile:
    """The file for rescored hypotheses.

    Attributes:
        path: its name.
        best: whether it holds the best line of each sentence, not n-best lists.
    """

    path: str
    best: bool

    def write(self, sentences: Iterator[Sentence], count: int | None, first_id: int = 0) -> None:
        """Writes n-best lists as they come, or one line for each of `count` sentences (None: each list)."""
        if not self.best:
            write_lists(sentences, self.path, first_id=first_id)
            return
        losses = Losses()
        watched = losses.watched(sentences, IN_TEXT)
        texts = {number: entries[0].text if entries else "" for number, entries, *_ in watched}
        lines = [texts.get(number, "") for number in range(max(texts, default=-1) + 1 if count is None else count)]
        with open_text(self.path, "w") as file:
            file.writelines(f"{line}\n" for line in lines)
        losses.print(self.path)


@dataclass(frozen=True)
class ListRescoring:
    """Models for the hypotheses of n-best lists.

    Attributes:
        lists: the n-best lists.
        scorers: the models by their feature names.
        weights: the weights of all features; None to keep the totals and the order.
        source: the file of source sentences; None if no model reads them.
        lines: their tokens.
    """

    lists: ListFile
    scorers: Mapping[str, Scorer]
    weights: Mapping[str, float] | None
    source: Path | None
    lines: list[list[str]] | None

    @classmethod
    def read(
        cls, lists: ListFile, models: Sequence[str], weights: Path | None = None, source: Path | None = None
    ) -> ListRescoring:
        """Reads models from PATH or NAME=PATH, weights and source sentences.

        Raises:
            LatticeSimpError: a model needs source sentences, and there are none; or a file is broken.
        """
        scorers = _read_models(models)
        weighted = None if weights is None else read_weights(weights)
        needing = [name for name, scorer in scorers.items() if reads_source(scorer)]
        if source is None and needing:
            raise LatticeSimpError(f"{', '.join(needing)}: the model needs source sentences; give them with --source")
        return cls(lists, scorers, weighted, source, None if source is None else _token_lines(source))

    def write(self, output: RescoredFile) -> None:
        """Writes the lists with a feature for each model.

        Raises:
            LatticeSimpError: a list is broken, has no source sentence or cannot be scored.
        """
        path, first_id = self.lists.path, self.lists.first_id
        count = None if self.lines is None else len(self.lines)
        with self.lists.sentences() as read_lists:
            sentences = read_lists if count is None else for_lines(read_lists, count, self.source, path, first_id)
            watched = self._watched(checked_lists(sentences, path))
            output.write(map(self._rescored, watched), count, first_id)

    def _watched(self, sentences: Iterator[Sentence]) -> Iterator[Sentence]:
        """Yields n-best lists unchanged; warns at the end if an n-gram model does not know many of their words."""
        models = {name: scorer.model for name, scorer in self.scorers.items() if isinstance(scorer, NGRAMS)}
        scored = [ScoredWords(model, name) for name, model in models.items()]
        for sentence in sentences:
            for words in scored:
                words.add(token for entry in sentence.hypotheses for token in entry.tokens)
            yield sentence
        for words in scored:
            words.warn(named(self.lists.path))

    def _rescored(self, sentence: Sentence) -> Sentence:
        words = [] if self.lines is None else self.lines[sentence.number]
        try:
            entries = score_nbest(words, sentence.hypotheses, self.scorers)
            entries = entries if self.weights is None else weighted_nbest(entries, self.weights)
        except LatticeSimpError as error:
            number = sentence.number + self.lists.first_id
            raise LatticeSimpError(f"{named(self.lists.path)}: sentence {number}: {error}") from error
        return sentence._replace(hypotheses=entries)


@dataclass(frozen=True)
class LatticeRescoring:
    """Models for the lattices of a folder.

    Attributes:
        folder: the lattices `0.fst.gz`, `1.fst.gz`, ... (or `.fst`).
        source: the source sentence of each lattice, tokenised.
        models: PATH or NAME=PATH.
        model_weights: the weight of each model; None for 1.
        lattice_weight: the weight of the lattices' costs.
        n: the number of hypotheses of a sentence.
        output: the file for the hypotheses.
    """

    folder: Path
    source: Path
    models: Sequence[str]
    model_weights: Sequence[float] | None
    lattice_weight: float
    n: int
    output: RescoredFile

    def search_prefixes(self, beam: int) -> None:
        """Writes the best hypotheses under models of unbounded context; keeps `beam` prefixes for each state.

        Raises:
            LatticeSimpError: a model needs complete hypotheses; or a file is missing or broken.
        """
        scorers = _read_models(self.models)
        for name, scorer in scorers.items():
            if not isinstance(scorer, PrefixScorer):
                raise LatticeSimpError(f"{name} needs complete hypotheses; use it with `lattice-simp rescore nbest`")
        joint = combine(list(zip(scorers.values(), self._weights(scorers), strict=True)))
        assert isinstance(joint, PrefixScorer)

        def best_prefixes(number: int, words: list[str], lattice: Lattice) -> list[Hypothesis]:
            lattice = lattice.without_words(MARKS)
            paths = rescore_lattice(lattice, words, joint, n=self.n, beam=beam, lattice_weight=self.lattice_weight)
            entries = [replace(path, features={"Lattice": path.features[LATTICE]}) for path in paths]
            return score_nbest(words, entries, scorers)

        self._write(best_prefixes)

    def apply_joint(self, lattices: Path | None) -> None:
        """Writes the best hypotheses under joint models, and the lattices with the new costs to a folder.

        Raises:
            LatticeSimpError: a model is not a joint model; or a file is missing or broken.
        """
        scorers = _read_models(self.models)
        weighted = {}
        for (name, scorer), weight in zip(scorers.items(), self._weights(scorers), strict=True):
            if not isinstance(scorer, JointScorer):
                raise LatticeSimpError(f"{name} is not a joint model; use it with `lattice-simp rescore lattices`")
            weighted[f"{name}Aligned"] = (scorer.model, weight)
        losses = Losses()
        if lattices is not None:
            lattices.mkdir(parents=True, exist_ok=True)

        def best_paths(number: int, words: list[str], lattice: Lattice) -> list[Hypothesis]:
            scored = apply_weighted(lattice, words, weighted, self.lattice_weight)
            if lattices is not None:
                losses.write(scored, lattices / f"{number}.fst.gz")
            return nbest(scored, self.n)

        self._write(best_paths)
        if lattices is not None:
            losses.print(lattices)

    def _write(self, search: Search) -> None:
        lines = self._source_lines()
        self.output.write(self._searched(lines, search), len(lines))

    def _searched(self, lines: list[list[str]], search: Search) -> Iterator[Sentence]:
        """Yields what a search finds in the lattice of each sentence; none for an empty line, which has no lattice."""
        for number, words in enumerate(lines):
            paths = (self.folder / f"{number}.fst.gz", self.folder / f"{number}.fst")
            path = next((path for path in paths if path.is_file()), None)
            if path is None and words:
                remedy = "give a lattice for each source line"
                raise FormatError(f"holds no lattice {number}.fst.gz", path=self.folder, remedy=remedy)
            hypotheses: list[Hypothesis] = []
            if path is not None:
                lattice = read(path)
                require_hypotheses(lattice, path)
                try:
                    hypotheses = search(number, words, lattice)
                except LatticeSimpError as error:
                    raise LatticeSimpError(f"{path}: {error}") from error
            yield Sentence(number, hypotheses)

    def _source_lines(self) -> list[list[str]]:
        """Reads the source line of each lattice."""
        lines = _token_lines(self.source)
        names = (_LATTICE_NAME.fullmatch(path.name) for path in self.folder.glob("*.fst*"))
        last = max((int(name[1]) for name in names if name), default=-1)
        if last >= len(lines):
            message = f"has {counted(len(lines), 'line')}, but {self.folder} holds the lattice {last}, counted from 0"
            raise FormatError(message, path=self.source, remedy="give a source line for each lattice")
        return lines

    def _weights(self, scorers: Mapping[str, Scorer]) -> list[float]:
        """Returns the weight of each model."""
        weights = list(self.model_weights or [1.0] * len(scorers))
        if len(weights) != len(scorers):
            raise LatticeSimpError(
                f"{counted(len(weights), 'model weight')} for {counted(len(scorers), 'model')}: {', '.join(scorers)}"
            )
        return weights


def _read_models(models: Sequence[str]) -> dict[str, Scorer]:
    """Reads models from PATH or NAME=PATH; returns the scorers by their feature names."""
    scorers: dict[str, Scorer] = {}
    for text in models:
        name, path = named_path(text)
        loaded = dict(read_scorers(path))
        if name:
            loaded = {name if len(loaded) == 1 else f"{name}{usual}": scorer for usual, scorer in loaded.items()}
        for feature, scorer in loaded.items():
            if feature in scorers:
                raise LatticeSimpError(f"two models are named {feature}; rename one with --model NAME=PATH")
            scorers[feature] = scorer
    return scorers


def _token_lines(path: Path) -> list[list[str]]:
    return [split_tokens(line) for line in sentence_lines(path)]

"""A trained Hindi model: an analyser of plain text, a clause model and a parser, in one folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from lattice_simp.errors import FormatError, LatticeSimpError, MissingExtraError
from lattice_simp.support.extras import is_installed
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.parsing import Parser
from lattice_simp.systems.hindi.parsing.projection import folds, projected
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.text import Analyser

ANALYSER, CLAUSES, PARSER = "analyser", "clauses", "parser"


@dataclass(frozen=True)
class HindiModel:
    """The model that `lattice-simp hindi train` makes: an analyser of text, a model of clauses, and maybe a parser."""

    analyser: Analyser
    clauses: ClauseModel
    parser: Parser | None = None

    @classmethod
    def train(cls, folder: Path, sentences: Iterable[Sentence], *, with_parser: bool = False) -> HindiModel:
        """Trains the parts on a treebank and writes them to a folder; the parser takes most of the time.

        Raises:
            LatticeSimpError: the sentences have no clauses.
            MissingExtraError: python-crfsuite, or spaCy for the parser, is not installed.
        """
        real = list(sentences)
        examples = [Example.of(sentence, clauses_of_tree(sentence)) for sentence in real]
        if not any(example.clauses for example in examples):
            raise LatticeSimpError("no clauses to learn: train on sentences with chunks and dependencies")
        folder.mkdir(parents=True, exist_ok=True)
        analyser = Analyser.train(folder / ANALYSER, real)
        pairs = [(example.sentence, example.clauses) for example in examples if example.sentence.tokens]
        model = replace(ClauseModel.train(pairs), participles=StartClassifier.train(pairs))
        model.write(folder / CLAUSES)
        parser = Parser.train(folder / PARSER, analysed_trees(real)) if with_parser else None
        return cls(analyser, model, parser)

    @classmethod
    def load(cls, folder: Path, *, with_parser: bool = False) -> HindiModel:
        """Reads a model, and its parser on request.

        Raises:
            FormatError: a file is missing or broken.
            MissingExtraError: python-crfsuite, or spaCy for the parser, is not installed.
        """
        parser = Parser.load(folder / PARSER) if with_parser else None
        return cls(Analyser.load(folder / ANALYSER), ClauseModel.read(folder / CLAUSES), parser)

    def parsed(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yields analysed sentences with dependency trees, or unchanged without a parser."""
        return iter(sentences) if self.parser is None else self.parser.parsed(sentences)


def analysed_trees(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yields the training data of a parser: the trees of a treebank on the tags and chunks of an analyser.

    Two analysers, each trained on half of the sentences, analyse the other half, so that their errors are those of new
    text."""
    first, second = folds(sentences)
    for training, fold in ((first, second), (second, first)):
        shown = [sentence.without_empty for sentence in fold if sentence.has_tree]
        with TemporaryDirectory() as folder:
            analyser = Analyser.train(folder, training)
            for sentence in shown:
                tree = projected(sentence, analyser.analyse([token.form for token in sentence.tokens]))
                if tree is not None:
                    yield tree


def parser_problem(folder: Path) -> LatticeSimpError | None:
    """Returns why a model cannot parse: it has no parser, or spaCy is not installed; None if it can."""
    if not (folder / PARSER).is_dir():
        remedy = "train it again with `lattice-simp hindi train`"
        return FormatError("the model has no parser", path=folder, remedy=remedy)
    if not is_installed("spacy"):
        return MissingExtraError("spacy is missing; pip install 'lattice-simp[hindi-parser]'")
    return None


def load_what_works(folder: Path) -> HindiModel:
    """Reads a model, with its parser if it has one and spaCy is installed; raises as `HindiModel.load`."""
    return HindiModel.load(folder, with_parser=parser_problem(folder) is None)

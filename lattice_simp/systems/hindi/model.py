"""A trained Hindi model: an analyser of plain text, a clause model and a parser, in one folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.parsing import Parser
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
            MissingExtraError: python-crfsuite, or spaCy for the parser, is not installed.
            LatticeSimpError: the sentences have no clauses.
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
        trees = [sentence.without_empty for sentence in real]
        return cls(analyser, model, Parser.train(folder / PARSER, trees) if with_parser else None)

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


def has_parser(folder: Path) -> bool:
    """Returns whether the model in a folder includes a parser."""
    return (folder / PARSER).is_dir()

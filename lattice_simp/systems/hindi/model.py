"""A trained Hindi model: an analyser of plain text and a clause model, in one folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.text import Analyser

ANALYSER, CLAUSES = "analyser", "clauses"


@dataclass(frozen=True)
class HindiModel:
    """The model that `lattice-simp hindi train` makes: an analyser of text and a model of clauses."""

    analyser: Analyser
    clauses: ClauseModel

    @classmethod
    def train(cls, folder: Path, sentences: Iterable[Sentence]) -> HindiModel:
        """Trains both parts on a treebank and writes them to a folder.

        Raises:
            MissingExtraError: python-crfsuite is not installed.
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
        return cls(analyser, model)

    @classmethod
    def load(cls, folder: Path) -> HindiModel:
        """Reads a model.

        Raises:
            FormatError: a file is missing or broken.
            MissingExtraError: python-crfsuite is not installed.
        """
        return cls(Analyser.load(folder / ANALYSER), ClauseModel.read(folder / CLAUSES))

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
    """What `lattice-simp hindi train` makes: what adds tags, chunks and morphology to text, and what finds clauses."""

    analyser: Analyser
    clauses: ClauseModel

    @classmethod
    def train(cls, folder: Path, sentences: Iterable[Sentence]) -> HindiModel:
        """Trains both parts on a treebank, and writes them into a folder.

        Raises:
            MissingExtraError: python-crfsuite is not installed.
            LatticeSimpError: the sentences have no clauses.
        """
        real = list(sentences)
        examples = [Example.of(one, clauses_of_tree(one)) for one in real]
        if not any(one.clauses for one in examples):
            raise LatticeSimpError("no clauses to learn: training needs sentences with chunks and dependencies")
        folder.mkdir(parents=True, exist_ok=True)
        analyser = Analyser.train(folder / ANALYSER, real)
        pairs = [(one.sentence, one.clauses) for one in examples if one.sentence.tokens]
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

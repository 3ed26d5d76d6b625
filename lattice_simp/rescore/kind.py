"""The entries of the table of rescoring models: how each kind is recognised, read and trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.lm.model import LanguageModel
from lattice_simp.rescore.scorer import Scorer
from lattice_simp.rescore.vocabulary import Sentences

FOLDER, FILE = "folder", "file"
"""The content of models in formats other than our array files."""


@dataclass(frozen=True)
class TrainingOptions:
    """How rescoring models are trained.

    Attributes:
        least_triple: rarer events of the bilingual model are dropped.
        classes: the number of word classes of the class model.
        least_class_word: words that occur less often are in the class of unknown words.
        sweeps: the most sweeps of the exchange algorithm.
        order: the order of the n-grams of classes.
        prune, memory: for these n-grams, see `lattice_simp.train.ngrams.estimate`.
        progress: called with the sweep, the number of words moved and the log-likelihood.
    """

    least_triple: int = 2
    classes: int = 300
    least_class_word: int = 3
    sweeps: int = 10
    order: int = 5
    prune: tuple[int, ...] = (0, 0, 0, 1)
    memory: str | int = "30%"
    progress: Callable[[int, int, float], None] = lambda sweep, moves, likelihood: None


class Corpus(Protocol):
    """An aligned corpus to train on; `lattice_simp.train.scorers` reads it from the stages of a training run."""

    def words(self, side: Literal["source", "target"]) -> list[str]:
        """Returns the words of a side by number."""

    def sentences(self, side: Literal["source", "target"]) -> list[Sentences]:
        """Returns the sentences of a side as numbers of words, part by part."""

    def links(self) -> list[Sentences]:
        """Returns the links of the parts: `words` are (links, 2) positions, sorted by target position."""

    def lexicon(self) -> tuple[Ints, Floats, Floats]:
        """Returns (pairs, 2) word numbers, -1 for NULL, with p(target | source) and p(source | target)."""

    def ngram_model(self, lines: Iterable[str], options: TrainingOptions) -> LanguageModel:
        """Estimates an n-gram model of token lines."""


class Trained(Protocol):
    """A model that can be written."""

    def write(self, path: str | Path) -> None:
        """Writes the model to one file."""


class ScorerKind(NamedTuple):
    """A kind of rescoring model.

    Attributes:
        content: identifies a model of this kind: the kind in its file (`files.file_kind`), or FOLDER or FILE.
        read: reads a model; returns its scorers by their usual feature names.
        train: trains a model; None if other programs do.
        needs: the stages of a training run that training needs, besides `number`.
    """

    content: str
    read: Callable[[Path], dict[str, Scorer]]
    train: Callable[[Corpus, TrainingOptions], Trained] | None = None
    needs: tuple[str, ...] = ()

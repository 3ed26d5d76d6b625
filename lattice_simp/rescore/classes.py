"""A class-based language model: p(class | earlier classes) p(word | class) (Brown et al. 1992).

Classes see more context than words can: with a few hundred classes, even 5-grams and longer n-grams occur often.
Unknown words form a separate class. To apply the model exactly to a lattice, relabel the words with their classes and
use `lattice_simp.apply_lm`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.automaton import END, START, UNKNOWN
from lattice_simp.lm.build import FIELDS, from_arrays, to_arrays
from lattice_simp.lm.model import LanguageModel
from lattice_simp.rescore.exchange import exchange_classes
from lattice_simp.rescore.files import read_fields, write_fields
from lattice_simp.rescore.kind import Corpus, ScorerKind, TrainingOptions
from lattice_simp.rescore.language_model import NgramScorer
from lattice_simp.rescore.scorer import PrefixScorer, State
from lattice_simp.rescore.vocabulary import Sentences, Vocabulary, frequent, word_counts
from lattice_simp.support.array_checks import BrokenArrayError, check_array, check_finite, check_indices, sound_arrays
from lattice_simp.support.plurals import counted

_CONTENT = "classes"


@dataclass(frozen=True, eq=False)
class ClassScorer(PrefixScorer):
    """Scores with a class model; a `PrefixScorer`.

    Attributes:
        vocabulary: the words.
        classes: (words + 1,) the number of each word's class in the n-gram model, the unknown word's last.
        membership: (words + 1,) -log p(word | class); 0 for the unknown word, which is alone in its class.
        ngrams: the n-gram model over classes.
    """

    needs_source: ClassVar[bool] = False

    vocabulary: Vocabulary
    classes: Ints
    membership: Floats
    ngrams: NgramScorer

    @classmethod
    def from_classes(cls, words: Sequence[str], counts: Longs, classes: Ints, model: LanguageModel) -> ClassScorer:
        """Joins the classes of words (from 0), which occur `counts` times, and an n-gram model of `class_name`s.

        Both `counts`, at least 1, and `classes` are (words,).

        Raises:
            LatticeSimpError: a class that the n-gram model lacks, or arrays of different lengths.
        """
        if not len(words) == len(counts) == len(classes):
            raise LatticeSimpError(
                f"{counted(len(words), 'word')}, {counted(len(counts), 'count')} and "
                f"{counted(len(classes), 'class', 'classes')}"
            )
        names = [class_name(number) for number in range(int(classes.max(initial=-1)) + 1)]
        names.append(class_name(None))
        used = {class_name(number) for number in np.unique(classes).tolist()}
        missing = [name for name in names if name in used and name not in model]
        if missing:
            raise LatticeSimpError(f"the n-gram model has no class {missing[0]}; estimate it on the same classes")
        totals = np.bincount(classes, weights=counts)
        membership = np.append(np.log(totals[classes]) - np.log(counts), 0.0)
        return cls(
            Vocabulary(tuple(words)),
            model.word_ids(names)[np.append(classes, len(names) - 1)],
            membership,
            NgramScorer(model),
        )

    @classmethod
    def read(cls, path: str | Path) -> ClassScorer:
        """Maps a file written by `write`; raises FormatError if it is broken or of another kind."""
        (words, names), (classes, membership, *arrays) = read_fields(
            path, _CONTENT, ("words", "ngram_words"), ("classes", "membership", *FIELDS)
        )
        with sound_arrays(path, "train the model again"):
            model = from_arrays(list(names.words), dict(zip(FIELDS, arrays, strict=True)))
            check_array("classes", classes, np.int32, words.unknown + 1)
            check_indices("classes", classes, names.unknown)
            check_array("membership", membership, np.float64, words.unknown + 1)
            check_finite("membership", membership)
            if missing := {START, END, UNKNOWN} - {*names.words}:
                raise BrokenArrayError(f"ngram_words: {min(missing)} is missing")
        return cls(words, classes, membership, NgramScorer(LanguageModel(list(names.words), model, str(path))))

    def write(self, path: str | Path) -> None:
        """Writes the model to one file."""
        model = self.ngrams.model
        fields = to_arrays(model.ngrams) | {"classes": self.classes, "membership": self.membership}
        write_fields(
            path, _CONTENT, {**fields, "words": self.vocabulary, "ngram_words": Vocabulary(tuple(model.words))}
        )

    def start(self, source: Sequence[str]) -> State:
        return self.ngrams.start(source)

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        numbers = self.vocabulary.numbers(words)
        costs, following = self.ngrams.extend_nodes(states, self.classes[numbers])
        return costs + self.membership[numbers], following.tolist()

    def end(self, states: Sequence[State]) -> Floats:
        return self.ngrams.end(states)


def class_name(number: int | None) -> str:
    """Returns the name of a class in the n-gram model's text; None is the class of unknown words."""
    return "unknown" if number is None else f"c{number}"


def _train(corpus: Corpus, options: TrainingOptions) -> ClassScorer:
    """Learns classes of the target words, then an n-gram model over classes."""
    parts, words = corpus.sentences("target"), corpus.words("target")
    counts = word_counts(parts, len(words))
    vocabulary, numbers = frequent(counts, words, options.least_class_word)
    parts = [Sentences(part.offsets, numbers[part.words]) for part in parts]
    exchanged = exchange_classes(
        parts, vocabulary.unknown, options.classes, sweeps=options.sweeps, progress=options.progress
    )
    model = corpus.ngram_model(_class_lines(parts, exchanged.classes), options)
    kept = counts[counts >= options.least_class_word]
    return ClassScorer.from_classes(vocabulary.words, kept, exchanged.classes, model)


def _class_lines(parts: Sequence[Sentences], classes: Ints) -> Iterator[str]:
    names = [class_name(number) for number in range(int(classes.max()) + 1)] + [class_name(None)]
    shown = np.array(names, dtype=object)[np.append(classes, len(names) - 1)]
    for part in parts:
        class_names = shown[part.words].tolist()
        for begin, end in pairwise(part.offsets.tolist()):
            yield " ".join(class_names[begin:end])


KIND = ScorerKind(_CONTENT, lambda path: {"Class": ClassScorer.read(path)}, _train)

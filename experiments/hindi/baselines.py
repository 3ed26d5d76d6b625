"""The papers' alternatives to the lattice of bracketings: independent best labels, and two fields in sequence.

Sharma and Paul 2014 (hybrid approach): one field marks ends, and a second one, with the ends among its features, marks
starts. In the paper, labels mark the words that begin or end a clause (`Labelling.WORDS`); most models here also have
the numbers and types of clauses (`Labelling.TYPES`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.systems.hindi.clause import Clause, ClauseType
from lattice_simp.systems.hindi.clauses.bracket_lattice import BracketSearch
from lattice_simp.systems.hindi.clauses.crf import CrfSettings, LinearChain
from lattice_simp.systems.hindi.clauses.features import Features, Template, word_features
from lattice_simp.systems.hindi.clauses.labels import NOTHING, Brackets, brackets_of
from lattice_simp.systems.hindi.clauses.model import ClauseModel, bare, learnable, without_rare
from lattice_simp.systems.hindi.clauses.rule_costs import RuleCosts, token_classes
from lattice_simp.systems.hindi.clauses.scoring import Score
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Sentence

ENDS, STARTS = "ends.crf", "starts.crf"


class Labelling(StrEnum):
    """The content of labels: the types of starting clauses and the number of ends, or whether any start or end."""

    TYPES = "types"
    WORDS = "words"


def unconstrained(model: ClauseModel, sentence: Sentence) -> list[Brackets]:
    """Returns the best labels of a model's field, which need not be balanced."""
    return [Brackets.parse(label) for label in _labels(model.chain, model.template(sentence))]


@dataclass(frozen=True)
class TwoFields:
    """A field for numbers of ends, and one for the types of starting clauses, whose features include the ends."""

    ends: LinearChain
    starts: LinearChain
    template: Template = word_features

    @classmethod
    def train(
        cls,
        examples: Sequence[tuple[Sentence, Sequence[Clause]]],
        settings: CrfSettings | None = None,
        template: Template = word_features,
        labelling: Labelling = Labelling.TYPES,
    ) -> TwoFields:
        """Trains both on sentences with tags and chunks, and their clauses."""
        labelled = [(sentence, learnable(sentence, clauses)) for sentence, clauses in examples]
        if labelling is Labelling.WORDS:
            labelled = [(sentence, boundary_words(brackets)) for sentence, brackets in labelled]
        ends = ((template(tokens), [str(brackets.closes) for brackets in labels]) for tokens, labels in labelled)
        opens = without_rare([[_opens(brackets) for brackets in labels] for _, labels in labelled], NOTHING)
        starts = (
            (with_ends(template(tokens), [brackets.closes for brackets in labels]), opened)
            for (tokens, labels), opened in zip(labelled, opens, strict=True)
        )
        return cls(LinearChain.train(ends, settings), LinearChain.train(starts, settings), template)

    def unconstrained(self, sentence: Sentence) -> list[Brackets]:
        """Returns the best labels of the two fields, which need not be balanced."""
        features = self.template(sentence)
        closes = [int(label) for label in _labels(self.ends, features)]
        opens = _labels(self.starts, with_ends(features, closes))
        return [Brackets.parse(f"{opened}/{count}") for opened, count in zip(opens, closes, strict=True)]

    def brackets(self, sentence: Sentence) -> list[Brackets]:
        """Returns the best well-formed bracketing; starts are scored given the best ends, but others may win."""
        labels = [f"{opens}/{count}" for count in self.ends.labels for opens in self.starts.labels]
        size = len(labels)
        transitions = self.ends.transitions[:, None, :, None] + self.starts.transitions[None, :, None, :]
        features = self.template(sentence)
        closes = [int(label) for label in _labels(self.ends, features)]
        ends, starts = self.ends.scores(features), self.starts.scores(with_ends(features, closes))
        scores = (ends[:, :, None] + starts[:, None, :]).reshape(len(sentence), size)
        search = BracketSearch(labels, transitions.reshape(size, size), RuleCosts())
        results = search.nbest(scores, token_classes(sentence), 1)
        return results[0][0] if results else brackets_of(bare(sentence, rule_clauses(sentence)), len(sentence))

    def write(self, folder: Path) -> None:
        """Writes both fields to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.ends.write(folder / ENDS)
        self.starts.write(folder / STARTS)

    @classmethod
    def read(cls, folder: Path, template: Template = word_features) -> TwoFields:
        """Reads both fields from their folder."""
        return cls(LinearChain.read(folder / ENDS), LinearChain.read(folder / STARTS), template)


def train_boundary_words(
    examples: Sequence[tuple[Sentence, Sequence[Clause]]],
    settings: CrfSettings | None = None,
    template: Template = word_features,
) -> ClauseModel:
    """Trains a field whose labels are start, end and neither.

    A word that starts and ends clauses, such as a participle without arguments, counts as an end.
    """
    labelled = []
    for sentence, clauses in examples:
        words = boundary_words(learnable(sentence, clauses))
        labelled.append((template(sentence), [str(replace(word, opens=()) if word.closes else word) for word in words]))
    return ClauseModel(LinearChain.train(labelled, settings), template=template)


def boundary_words(brackets: Sequence[Brackets]) -> list[Brackets]:
    """Returns brackets reduced to boundaries: at most one start and one end at a token, without types.

    >>> [str(word) for word in boundary_words([Brackets.parse("main+nonfin/0"), Brackets.parse("-/2")])]
    ['main/0', '-/1']
    """
    return [Brackets((ClauseType.MAIN,) if word.opens else (), min(word.closes, 1)) for word in brackets]


def boundary_scores(pairs: Iterable[tuple[Sequence[Brackets], Sequence[Clause]]]) -> dict[str, Score]:
    """Returns the scores of the words that begin a clause ("starts") and that end one ("ends").

    >>> wanted = [Clause(0, 3, ClauseType.MAIN), Clause(1, 3, ClauseType.COMPLEMENT)]
    >>> boundary_scores([(brackets_of(wanted[:1], 3), wanted)])["ends"].f1
    100.0
    """
    counts = {"starts": np.zeros(3, dtype=int), "ends": np.zeros(3, dtype=int)}
    for brackets, wanted in pairs:
        marked = {
            "starts": ({at for at, word in enumerate(brackets) if word.opens}, {clause.start for clause in wanted}),
            "ends": ({at + 1 for at, word in enumerate(brackets) if word.closes}, {clause.end for clause in wanted}),
        }
        for name, (predicted, right) in marked.items():
            counts[name] += len(predicted & right), len(predicted), len(right)
    return {name: Score(*map(int, values)) for name, values in counts.items()}


def with_ends(features: Features, closes: Sequence[int]) -> Features:
    """Adds features of ends for the field of starts: the number here, the distance of the next, the number after it."""
    extended: Features = []
    following, distance = 0, 0
    for token_features, count in zip(reversed(features), reversed(closes), strict=True):
        if count:
            distance = 0
        following += count
        extended.append([*token_features, f"ends={count}", f"ends+={min(following, 4)}", f"end in={min(distance, 9)}"])
        distance += 1
    return extended[::-1]


def _opens(brackets: Brackets) -> str:
    return str(brackets).partition("/")[0]


def _labels(chain: LinearChain, features: Features) -> list[str]:
    if not features:
        return []
    return [chain.labels[label] for label in best_labels(chain.scores(features), chain.transitions)]


def best_labels(scores: Floats, transitions: Floats) -> list[int]:
    """Returns the best labelling (Viterbi) by (tokens, labels) scores and (labels, labels) transitions.

    >>> import numpy as np
    >>> best_labels(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([[2.0, 0.0], [0.0, 0.0]]))
    [0, 0]
    """
    best = scores[0]
    origins = []
    for token_scores in scores[1:]:
        moves = best[:, None] + transitions
        origins.append(moves.argmax(axis=0))
        best = moves.max(axis=0) + token_scores
    labels = [int(best.argmax())]
    for origin in reversed(origins):
        labels.append(int(origin[labels[-1]]))
    return labels[::-1]

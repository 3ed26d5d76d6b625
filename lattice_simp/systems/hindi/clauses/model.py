"""The clause model: a field over brackets, composed with the automaton of rules."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.crfsuite import read_meta
from lattice_simp.support.textio import write_text
from lattice_simp.systems.hindi.clause import Clause, nested_order, without_edges
from lattice_simp.systems.hindi.clauses.bracket_lattice import BracketSearch
from lattice_simp.systems.hindi.clauses.crf import CrfSettings, LinearChain
from lattice_simp.systems.hindi.clauses.features import Template, rule_features
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of, clauses_of
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.clauses.rule_costs import RuleCosts, token_classes
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import PUNCTUATION, Sentence

META, FIELD, PARTICIPLES = "model.json", "merged.crf", "participles.crf"

FEATURE_VERSION = 1
"""The version of the template and its rules; a model only works with the version that it was trained on."""

REMEDY = "train the model again"

MAX_OPENS, MAX_CLOSES = 4, 6
"""The most brackets on one token; labels with more are too rare to be learnt."""

MIN_LABEL_COUNT = 3
"""The least occurrences of a learnt label; tokens with rarer labels get no brackets in training."""


@dataclass(frozen=True)
class ClauseModel:
    """A trained model.

    Attributes:
        chain: the field, whose labels are brackets.
        costs: the costs of the rules.
        participles: a classifier that moves the starts of non-finite clauses; None to leave them.
        template: the features of the field, which model files do not record.
    """

    chain: LinearChain
    costs: RuleCosts = field(default_factory=RuleCosts)
    participles: StartClassifier | None = None
    template: Template = rule_features

    @classmethod
    def train(
        cls,
        examples: Sequence[tuple[Sentence, Sequence[Clause]]],
        settings: CrfSettings | None = None,
        template: Template = rule_features,
    ) -> ClauseModel:
        """Trains a field on sentences with tags, chunks and clauses; raises as `train_tagger`."""
        labels = without_rare([list(map(str, learnable(*example))) for example in examples], str(Brackets()))
        pairs = ((template(sentence), names) for (sentence, _), names in zip(examples, labels, strict=True))
        return cls(LinearChain.train(pairs, settings), template=template)

    def clauses(self, sentence: Sentence) -> list[Clause]:
        """Returns the clauses of a sentence with tags and chunks; none cross."""
        return with_punctuation(sentence, clauses_of(self.brackets(sentence)))

    def brackets(self, sentence: Sentence) -> list[Brackets]:
        """Returns the brackets of each token."""
        if not sentence.tokens:
            return []
        best_bracketings = self.nbest(sentence, 1)
        if not best_bracketings:
            # The lattice would be too large, or the rules allow no labelling; the grammars handle all sentences.
            return brackets_of(bare(sentence, rule_clauses(sentence)), len(sentence))
        best = best_bracketings[0][0]
        if self.participles is None:
            return best
        return brackets_of(self.participles.moved(sentence, clauses_of(best)), len(sentence))

    def nbest(self, sentence: Sentence, n: int) -> list[tuple[list[Brackets], float]]:
        """Returns the n best well-formed bracketings with their costs (nats above the best labelling).

        Returns fewer or none if there are no more or the search would need too much memory. Does not use the classifier
        of participles.
        """
        return self._search.nbest(self.chain.scores(self.template(sentence)), token_classes(sentence), n)

    @cached_property
    def _search(self) -> BracketSearch:
        return BracketSearch(self.chain.labels, self.chain.transitions, self.costs)

    def write(self, folder: Path) -> None:
        """Writes the model to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.chain.write(folder / FIELD)
        if self.participles is not None:
            self.participles.chain.write(folder / PARTICIPLES)
        meta = {"features": FEATURE_VERSION, "participles": self.participles is not None, "costs": asdict(self.costs)}
        write_text(folder / META, json.dumps(meta) + "\n")

    @classmethod
    def read(cls, folder: Path, template: Template = rule_features) -> ClauseModel:
        """Reads a model from its folder; raises FormatError if a file is missing or broken."""
        path = folder / META
        meta = read_meta(path, FEATURE_VERSION, REMEDY)
        try:
            # Older models call the classifier `judge`.
            costs, has_participles = RuleCosts(**meta["costs"]), meta.get("participles", meta.get("judge"))
        except (KeyError, TypeError):
            raise FormatError("not a description of a clause model", path=path, remedy=REMEDY) from None
        participles = StartClassifier(LinearChain.read(folder / PARTICIPLES)) if has_participles else None
        return cls(LinearChain.read(folder / FIELD), costs, participles, template)


def bare(sentence: Sentence, clauses: Iterable[Clause]) -> list[Clause]:
    """Removes punctuation at the ends of clauses, which models do not learn."""
    return nested_order(without_edges(clauses, [token.tag == PUNCTUATION for token in sentence.tokens]))


def with_punctuation(sentence: Sentence, clauses: Sequence[Clause]) -> list[Clause]:
    """Removes punctuation at the ends of clauses, except for the final mark, which the outermost last clause gets."""
    clauses = bare(sentence, clauses)
    last = len(sentence)
    while last and sentence.tokens[last - 1].tag == PUNCTUATION:
        last -= 1
    outermost = next((clause for clause in clauses if clause.end == last), None)
    length = len(sentence)
    return [Clause(clause.start, length, clause.kind) if clause is outermost else clause for clause in clauses]


def learnable(sentence: Sentence, clauses: Iterable[Clause]) -> list[Brackets]:
    """Returns the brackets of a sentence's clauses, cut to the learnt number."""
    brackets = brackets_of(bare(sentence, clauses), len(sentence))
    return [
        Brackets(token_brackets.opens[:MAX_OPENS], min(token_brackets.closes, MAX_CLOSES))
        for token_brackets in brackets
    ]


def without_rare(labels: Sequence[Sequence[str]], otherwise: str) -> list[list[str]]:
    """Replaces labels that are too rare to be learnt.

    >>> without_rare([["a", "b"], ["a", "a"]], "-")
    [['a', '-'], ['a', 'a']]
    """
    counts = Counter(label for sentence in labels for label in sentence)
    return [[label if counts[label] >= MIN_LABEL_COUNT else otherwise for label in sentence] for sentence in labels]

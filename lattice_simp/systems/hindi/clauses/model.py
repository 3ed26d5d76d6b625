"""The clause model: a field over brackets, composed with the rules' automaton."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.crfsuite import read_meta
from lattice_simp.support.textio import open_text
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
"""Goes up when the template or the rules that it sees change: a model works with what it was trained on alone."""

REMEDY = "train the model again"

MAX_OPENS, MAX_CLOSES = 4, 6
"""More brackets on one token are cut: such labels are too rare to be learnt."""

MIN_LABEL_COUNT = 3
"""Labels that are seen less often are not learnt; their tokens open and close nothing, and the rules do the rest."""


@dataclass(frozen=True)
class ClauseModel:
    """A trained model.

    Attributes:
        chain: the field, whose labels are brackets.
        costs: of the rules.
        participles: moves the starts of non-finite clauses of the best bracketing; None to leave them.
        template: what the field sees; files do not say it.
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
        """Trains a field on sentences with tags and chunks, and their clauses.

        Raises:
            MissingExtraError: python-crfsuite is not installed.
            LatticeSimpError: no examples.
        """
        labels = without_rare([[str(own) for own in learnable(*example)] for example in examples], str(Brackets()))
        texts = ((template(sentence), own) for (sentence, _), own in zip(examples, labels, strict=True))
        return cls(LinearChain.train(texts, settings), template=template)

    def clauses(self, sentence: Sentence) -> list[Clause]:
        """Finds the clauses of a sentence with tags and chunks; none cross."""
        return with_punctuation(sentence, clauses_of(self.brackets(sentence)))

    def brackets(self, sentence: Sentence) -> list[Brackets]:
        """Returns the brackets of each token."""
        if not sentence.tokens:
            return []
        found = self.nbest(sentence, 1)
        if not found:
            # No lattice has room for it, or the rules allow none of its labels: the grammars answer all sentences.
            return brackets_of(bare(sentence, rule_clauses(sentence)), len(sentence))
        best = found[0][0]
        if self.participles is None:
            return best
        return brackets_of(self.participles.moved(sentence, clauses_of(best)), len(sentence))

    def nbest(self, sentence: Sentence, n: int) -> list[tuple[list[Brackets], float]]:
        """Returns the n best well-formed bracketings, with what each costs (nats) beyond the best labelling of all.

        Fewer, or none, if there are no more, or if the search for them would need too much memory. The classifier of
        participles is not asked.
        """
        return self._search.nbest(self.chain.scores(self.template(sentence)), token_classes(sentence), n)

    @cached_property
    def _search(self) -> BracketSearch:
        return BracketSearch(self.chain.labels, self.chain.transitions, self.costs)

    def write(self, folder: Path) -> None:
        """Writes the model into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.chain.write(folder / FIELD)
        if self.participles is not None:
            self.participles.chain.write(folder / PARTICIPLES)
        meta = {"features": FEATURE_VERSION, "participles": self.participles is not None, "costs": asdict(self.costs)}
        with open_text(folder / META, "w") as file:
            file.write(json.dumps(meta) + "\n")

    @classmethod
    def read(cls, folder: Path, template: Template = rule_features) -> ClauseModel:
        """Reads a model from its folder.

        Raises:
            FormatError: a file is missing or broken.
        """
        path = folder / META
        meta = read_meta(path, FEATURE_VERSION, REMEDY)
        try:
            # Models that were trained earlier call the classifier `judge`.
            costs, has_participles = RuleCosts(**meta["costs"]), meta.get("participles", meta.get("judge"))
        except (KeyError, TypeError):
            raise FormatError("no description of a clause model", path=path, remedy=REMEDY) from None
        participles = StartClassifier(LinearChain.read(folder / PARTICIPLES)) if has_participles else None
        return cls(LinearChain.read(folder / FIELD), costs, participles, template)


def bare(sentence: Sentence, clauses: Iterable[Clause]) -> list[Clause]:
    """Returns clauses without punctuation at their ends, which models do not learn."""
    return nested_order(without_edges(clauses, [token.tag == PUNCTUATION for token in sentence.tokens]))


def with_punctuation(sentence: Sentence, clauses: Sequence[Clause]) -> list[Clause]:
    """Returns the sentence's last punctuation to the outermost clause that ends before it, and no other to any end."""
    clauses = bare(sentence, clauses)
    last = len(sentence)
    while last and sentence.tokens[last - 1].tag == PUNCTUATION:
        last -= 1
    outermost = next((clause for clause in clauses if clause.end == last), None)
    whole = len(sentence)
    return [Clause(one.start, whole, one.kind) if one is outermost else one for one in clauses]


def learnable(sentence: Sentence, clauses: Iterable[Clause]) -> list[Brackets]:
    """Returns the brackets of a sentence's clauses, cut to what is learnt."""
    brackets = brackets_of(bare(sentence, clauses), len(sentence))
    return [Brackets(own.opens[:MAX_OPENS], min(own.closes, MAX_CLOSES)) for own in brackets]


def without_rare(labels: Sequence[Sequence[str]], otherwise: str) -> list[list[str]]:
    """Replaces labels that are too rare to be learnt by another one.

    >>> without_rare([["a", "b"], ["a", "a"]], "-")
    [['a', '-'], ['a', 'a']]
    """
    counts = Counter(label for own in labels for label in own)
    return [[label if counts[label] >= MIN_LABEL_COUNT else otherwise for label in own] for own in labels]

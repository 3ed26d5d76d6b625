"""The systems that are compared, and their training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lattice_simp.hindi.clause import Clause
from lattice_simp.hindi.clauses.examples import Example
from lattice_simp.hindi.clauses.labels import Brackets, brackets_of
from lattice_simp.hindi.clauses.model import ClauseModel, Constraint, Kind, bare
from lattice_simp.hindi.from_tree import clauses_of_tree
from lattice_simp.hindi.rules.pipeline import rule_clauses
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.hindi.text import Analyser

Find = Callable[[Example], Sequence[Brackets]]
"""Returns the brackets of an example's sentence."""


CONSTRAINTS: tuple[Constraint, ...] = ("none", "counts", "lattice")
"""What fixes the bracketings of a trained model, a row of the table each."""


@dataclass(frozen=True)
class Trained:
    """A model that is trained.

    Attributes:
        kind: one field or two.
        template: what they see.
    """

    kind: Kind
    template: str

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return f"{self.kind}-{self.template}"


SHIPPED = Trained("merged", "rules")
"""What `lattice-simp hindi train` makes, with the judge of participles."""

TRAINED = (Trained("merged", "paper"), Trained("steps", "paper"), SHIPPED)

SEEN = {"paper": "paper's features", "rules": "phrases and rules"}

BEST = "merged, phrases and rules, lattice, judge"
"""The system whose figures sum the experiment up: the one that `lattice-simp hindi train` makes."""


def systems(models: dict[Trained, ClauseModel], analyser: Analyser) -> dict[str, Find]:
    """Returns the systems by the names of their rows."""
    found: dict[str, Find] = {}
    for one, trained in models.items():
        for constraint in CONSTRAINTS:
            plain = replace(trained, judge=None)
            found[f"{one.kind}, {SEEN[one.template]}, {constraint}"] = _modelled(plain, constraint)
    best = models[SHIPPED]
    found[BEST] = _modelled(best, "lattice")
    found["rules"] = lambda example: _bracketed(example.sentence, rule_clauses(example.sentence))
    found[f"{BEST}; tags by the analyser"] = lambda example: best.brackets(_retagged(analyser, example.sentence))
    found["rules; tags by the analyser"] = lambda example: _bracketed(
        example.sentence, rule_clauses(_retagged(analyser, example.sentence))
    )
    found["trees"] = lambda example: _bracketed(example.sentence, example.reduced(clauses_of_tree(example.full)))
    return found


def _modelled(trained: ClauseModel, constraint: Constraint) -> Find:
    return lambda example: trained.brackets(example.sentence, constraint)


def _bracketed(sentence: Sentence, clauses: Sequence[Clause]) -> list[Brackets]:
    return brackets_of(bare(sentence, clauses), len(sentence))


def _retagged(analyser: Analyser, sentence: Sentence) -> Sentence:
    return analyser.analyse([token.form for token in sentence.tokens])

"""The compared systems, and their training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from experiments.hindi.baselines import Labelling, TwoFields, unconstrained
from experiments.hindi.bracket_acceptors import AcceptorSearch, token_symbols
from experiments.hindi.counts import Participle, corrected_counts
from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.features import Template, rule_features, word_features
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of, clauses_of
from lattice_simp.systems.hindi.clauses.model import ClauseModel, bare
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.clauses.rule_costs import token_classes
from lattice_simp.systems.hindi.from_tree import clauses_of_words
from lattice_simp.systems.hindi.parsing import Parser
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.text import Analyser

Find = Callable[[Example], Sequence[Brackets]]
"""A function that returns the brackets of an example's sentence."""


@dataclass(frozen=True)
class Trained:
    """A trained model.

    Attributes:
        kind: one field that marks starts and ends ("merged"), or two ("steps").
        template: the name of their features, a key of `TEMPLATES`.
        labelling: the content of their labels.
    """

    kind: Literal["merged", "steps"]
    template: str
    labelling: Labelling = Labelling.TYPES

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return f"{self.kind}-{self.template}" + ("" if self.labelling is Labelling.TYPES else f"-{self.labelling}")

    @property
    def title(self) -> str:
        """The beginning of the names of its rows."""
        return f"{self.kind}, {SEEN[self.template]}" + ("" if self.labelling is Labelling.TYPES else f", {WORDS}")


SEEN = {"paper": "paper's features", "rules": "phrases and rules"}

TEMPLATES: dict[str, Template] = {"paper": word_features, "rules": rule_features}

SHIPPED = Trained("merged", "rules")
"""The model of `lattice-simp hindi train`, with the classifier of participles' starts."""

WORDS = "start/end/none"
"""The name of the paper's labels in rows."""

TRAINED = (
    Trained("merged", "paper", Labelling.WORDS),
    Trained("steps", "paper", Labelling.WORDS),
    Trained("merged", "paper"),
    Trained("steps", "paper"),
    SHIPPED,
)

PAPER_STEPS = f"steps, {SEEN['paper']}, {WORDS}, counts"
"""The paper's best system: two fields with its labels and its rules."""

BEST = "merged, phrases and rules, lattice, participle starts"
"""The system of the headline figures: the model of `lattice-simp hindi train`."""

PLAIN = f"{BEST}; tags by the analyser"
"""The same system on plain text."""

PARSED = "trees; tags and trees by the analyser and the parser"
"""The clauses of the parser's trees, on plain text."""


Model = ClauseModel | TwoFields


@dataclass(frozen=True)
class Reader:
    """Analyses and parses plain text."""

    analyser: Analyser
    parser: Parser

    def analysed(self, sentence: Sentence) -> Sentence:
        """Returns a sentence with tags and chunks of the analyser."""
        return self.analyser.analyse([token.form for token in sentence.tokens])

    def parsed(self, sentence: Sentence) -> Sentence:
        """Returns a sentence with tags, chunks and dependencies of analyser and parser."""
        return next(self.parser.parsed([self.analysed(sentence)]))


def systems(models: dict[Trained, Model], best: ClauseModel, reader: Reader) -> dict[str, Find]:
    """Returns the systems by the names of their rows: each model without and with several kinds of correction."""
    finders: dict[str, Find] = {}
    for trained, model in models.items():
        name = trained.title
        finders[f"{name}, none"] = partial(_by_itself, model)
        finders[f"{name}, counts"] = partial(_counted, model, Participle.START)
        finders[f"{name}, counts, 1c: ends"] = partial(_counted, model, Participle.END)
        if trained.labelling is Labelling.WORDS:  # its brackets cannot be balanced
            continue
        finders[f"{name}, lattice"] = partial(_well_formed, model)
        if isinstance(model, ClauseModel):
            finders[f"{name}, acceptors"] = partial(_accepted, model, _search(model), None)
    finders[BEST] = partial(_well_formed, best)
    finders[BEST.replace("lattice", "acceptors")] = partial(_accepted, best, _search(best), best.participles)
    finders["rules"] = lambda example: _bracketed(example.sentence, rule_clauses(example.sentence))
    finders[PLAIN] = lambda example: best.brackets(reader.analysed(example.sentence))
    finders["rules; tags by the analyser"] = lambda example: _bracketed(
        example.sentence, rule_clauses(reader.analysed(example.sentence))
    )
    finders[PARSED] = lambda example: _bracketed(example.sentence, clauses_of_words(reader.parsed(example.sentence)))
    finders["trees"] = lambda example: _bracketed(example.sentence, clauses_of_words(example.full))
    return finders


def _by_itself(model: Model, example: Example) -> list[Brackets]:
    sentence = example.sentence
    return model.unconstrained(sentence) if isinstance(model, TwoFields) else unconstrained(model, sentence)


def _counted(model: Model, participle: Participle, example: Example) -> list[Brackets]:
    sentence = example.sentence
    return corrected_counts(sentence, _by_itself(model, example), token_classes(sentence), participle)


def _well_formed(model: Model, example: Example) -> list[Brackets]:
    return model.brackets(example.sentence)


def _search(model: ClauseModel) -> AcceptorSearch:
    return AcceptorSearch(model.chain.labels, model.chain.transitions)


def _accepted(
    model: ClauseModel, search: AcceptorSearch, participles: StartClassifier | None, example: Example
) -> list[Brackets]:
    """Returns the best bracketing by the field's lattice, composed with the acceptors of the rules."""
    sentence = example.sentence
    results = search.nbest(model.chain.scores(model.template(sentence)), token_symbols(sentence))
    best = results[0][0] if results else _bracketed(sentence, rule_clauses(sentence))
    return best if participles is None else brackets_of(participles.moved(sentence, clauses_of(best)), len(sentence))


def _bracketed(sentence: Sentence, clauses: Sequence[Clause]) -> list[Brackets]:
    return brackets_of(bare(sentence, clauses), len(sentence))

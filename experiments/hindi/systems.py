"""The compared systems, and the stages that train them on the files of the treebank that are not held out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from experiments.hindi.baselines import Labelling, TwoFields, train_boundary_words, unconstrained
from experiments.hindi.bracket_acceptors import AcceptorSearch, token_symbols
from experiments.hindi.counts import Participle, corrected_counts
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.tables import grammar_path
from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.clauses.crf import CrfSettings
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.features import Template, rule_features, word_features
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of, clauses_of
from lattice_simp.systems.hindi.clauses.model import FEATURE_VERSION as CLAUSE_VERSION
from lattice_simp.systems.hindi.clauses.model import PARTICIPLES as PARTICIPLES_FILE
from lattice_simp.systems.hindi.clauses.model import ClauseModel, bare
from lattice_simp.systems.hindi.clauses.participles import SETTINGS as PARTICIPLE_SETTINGS
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.clauses.rule_costs import token_classes
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.from_tree import clauses_of_tree, clauses_of_words
from lattice_simp.systems.hindi.model import analysed_trees
from lattice_simp.systems.hindi.parsing import Parser, ParserSettings
from lattice_simp.systems.hindi.parsing.phrases import FEATURE_VERSION as PARSER_VERSION
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.text import Analyser, AnalyserSettings
from lattice_simp.systems.hindi.text.analyser import FEATURE_VERSION as ANALYSER_VERSION

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


def systems(models: dict[Trained, Model], best: ClauseModel, analyser: Analyser, parser: Parser) -> dict[str, Find]:
    """Returns the systems by the names of their rows: each model without and with several kinds of correction."""

    def analysed(example: Example) -> Sentence:
        return analyser.analyse([token.form for token in example.sentence.tokens])

    def parsed(example: Example) -> Sentence:
        return next(parser.parsed([analysed(example)]))

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
    finders[PLAIN] = lambda example: best.brackets(analysed(example))
    finders["rules; tags by the analyser"] = lambda example: _bracketed(
        example.sentence, rule_clauses(analysed(example))
    )
    finders[PARSED] = lambda example: _bracketed(example.sentence, clauses_of_words(parsed(example)))
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


ANALYSER, PARTICIPLES, PARSER = "analyser", "participles", "parser"

TABLES = ("markers.tsv", "conjunctions.tsv", "clause_pronouns.tsv")
"""The tables for trees and lattices, beside those of the grammars."""


@dataclass(frozen=True)
class Treebank:
    """The sentences of an archive of SSF files without the held-out files, read when the first model needs them."""

    path: Path
    held_out: Collection[str]

    @cached_property
    def sentences(self) -> list[Sentence]:
        """All readable sentences; the others are reported on stderr."""
        problems: list[FormatError] = []
        sentences = [sentence for name, sentence in read_treebank(self.path, problems) if name not in self.held_out]
        for problem in problems:
            print(f"left out: {problem}", file=sys.stderr)
        return sentences

    @cached_property
    def examples(self) -> list[tuple[Sentence, list[Clause]]]:
        """The sentences without elided words, and the clauses of their trees."""
        every = (Example.of(sentence, clauses_of_tree(sentence)) for sentence in self.sentences)
        return [(example.sentence, example.clauses) for example in every if example.sentence.tokens]


def training_stages(treebank: Treebank) -> list[Stage]:
    """Returns the stages that train the analyser, the clause models, the classifier of participles and the parser."""
    held_out, bank = sorted(treebank.held_out), treebank.path
    tables = [grammar_path(f"hindi/{name}") for name in TABLES]
    inputs = [bank, *sorted(tables[0].parent.glob("rule_*.tsv")), *tables]
    settings: list[Any] = [held_out, ANALYSER_VERSION, asdict(AnalyserSettings())]
    stages = [Stage(ANALYSER, (), settings, [bank], partial(_train_analyser, treebank))]
    for trained in TRAINED:
        settings = [trained.kind, trained.template, held_out, CLAUSE_VERSION, asdict(CrfSettings())]
        settings += [] if trained.labelling is Labelling.TYPES else [trained.labelling]
        stages.append(Stage(trained.folder, (), settings, inputs, partial(_train_model, trained, treebank)))
    settings = [held_out, CLAUSE_VERSION, asdict(PARTICIPLE_SETTINGS)]
    stages.append(Stage(PARTICIPLES, (), settings, inputs, partial(_train_participles, treebank)))
    settings = [held_out, PARSER_VERSION, asdict(ParserSettings()), ANALYSER_VERSION]
    return [*stages, Stage(PARSER, (), settings, [bank], partial(_train_parser, treebank))]


def _train_analyser(treebank: Treebank, run: Run, folder: Path) -> dict[str, Any]:
    Analyser.train(folder, treebank.sentences)
    return {"sentences": len(treebank.sentences)}


def _train_parser(treebank: Treebank, run: Run, folder: Path) -> dict[str, Any]:
    parser = Parser.train(folder, analysed_trees(treebank.sentences))
    return {"sentences": parser.meta["sentences"]}


def _train_participles(treebank: Treebank, run: Run, folder: Path) -> dict[str, Any]:
    StartClassifier.train(treebank.examples).chain.write(folder / PARTICIPLES_FILE)
    return {"sentences": len(treebank.examples)}


def _train_model(trained: Trained, treebank: Treebank, run: Run, folder: Path) -> dict[str, Any]:
    examples, template = treebank.examples, TEMPLATES[trained.template]
    if trained.kind == "steps":
        TwoFields.train(examples, template=template, labelling=trained.labelling).write(folder)
    elif trained.labelling is Labelling.WORDS:
        train_boundary_words(examples, template=template).write(folder)
    else:
        ClauseModel.train(examples, template=template).write(folder)
    return {"sentences": len(treebank.examples)}

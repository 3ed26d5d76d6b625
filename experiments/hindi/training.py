"""The stages that train an analyser and the clause models on all files of the treebank that are not held out."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from experiments.hindi.baselines import Labelling, TwoFields, train_boundary_words
from experiments.hindi.systems import TEMPLATES, Trained
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.tables import grammar_path
from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.clauses.crf import CrfSettings
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.model import FEATURE_VERSION as CLAUSE_VERSION
from lattice_simp.systems.hindi.clauses.model import PARTICIPLES as PARTICIPLES_FILE
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.participles import SETTINGS as PARTICIPLE_SETTINGS
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.model import analysed_trees
from lattice_simp.systems.hindi.parsing import Parser, ParserSettings
from lattice_simp.systems.hindi.parsing.phrases import FEATURE_VERSION as PARSER_VERSION
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.text import Analyser, AnalyserSettings
from lattice_simp.systems.hindi.text.analyser import FEATURE_VERSION as ANALYSER_VERSION

ANALYSER, PARTICIPLES, PARSER = "analyser", "participles", "parser"

TABLES = ("markers.tsv", "conjunctions.tsv", "clause_pronouns.tsv")
"""The tables for trees and lattices."""


@dataclass(frozen=True)
class Treebank:
    """The training sentences, which are read once, when the first model needs them.

    Attributes:
        path: an archive of SSF files.
        held_out: the names of files to skip.
    """

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


def analyser_stage(treebank: Treebank) -> Stage:
    """Returns the stage that trains the analyser of plain text."""
    settings = [sorted(treebank.held_out), ANALYSER_VERSION, asdict(AnalyserSettings())]
    return Stage(ANALYSER, (), settings, [treebank.path], partial(_train_analyser, treebank))


def model_stage(trained: Trained, treebank: Treebank) -> Stage:
    """Returns the stage that trains a clause model."""
    settings = [trained.kind, trained.template, sorted(treebank.held_out), CLAUSE_VERSION, asdict(CrfSettings())]
    if trained.labelling is not Labelling.TYPES:
        settings.append(trained.labelling)
    return Stage(trained.folder, (), settings, [treebank.path, *_tables()], partial(_train_model, trained, treebank))


def parser_stage(treebank: Treebank) -> Stage:
    """Returns the stage that trains the parser."""
    settings = [sorted(treebank.held_out), PARSER_VERSION, asdict(ParserSettings()), ANALYSER_VERSION]
    return Stage(PARSER, (), settings, [treebank.path], partial(_train_parser, treebank))


def participle_stage(treebank: Treebank) -> Stage:
    """Returns the stage that trains the classifier of participles' starts."""
    settings = [sorted(treebank.held_out), CLAUSE_VERSION, asdict(PARTICIPLE_SETTINGS)]
    return Stage(PARTICIPLES, (), settings, [treebank.path, *_tables()], partial(_train_participles, treebank))


def _tables() -> list[Path]:
    """Returns the tables on which clauses depend: those of grammars, trees and the field's lattice."""
    tables = [grammar_path(f"hindi/{name}") for name in TABLES]
    return [*sorted(tables[0].parent.glob("rule_*.tsv")), *tables]


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

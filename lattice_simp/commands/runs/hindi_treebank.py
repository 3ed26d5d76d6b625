"""The runs of `lattice-simp hindi train|evaluate`: train models on treebanks, and score clauses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lattice_simp.commands.runs.hindi_sentences import System, finder, load_model, print_problems
from lattice_simp.commands.shared.messages import say
from lattice_simp.errors import FormatError
from lattice_simp.support.extras import is_installed
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.clauses.examples import marked_examples, tree_examples
from lattice_simp.systems.hindi.clauses.labels import brackets_of
from lattice_simp.systems.hindi.clauses.model import bare
from lattice_simp.systems.hindi.clauses.scoring import evaluate
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.model import HindiModel
from lattice_simp.systems.hindi.parsing.scoring import attachment
from lattice_simp.systems.hindi.sentence import Sentence


def train_model(treebank: Path, output: Path, without: Path | None, *, with_parser: bool) -> None:
    """Trains a model on the files of a treebank, except for those that `without` lists.

    Raises:
        FormatError: a listed file is not in the treebank, or there are no sentences.
    """
    excluded = _names(without) if without else set[str]()
    problems: list[FormatError] = []
    named = list(read_treebank(treebank, problems))
    print_problems(problems)
    if unknown := sorted(excluded.difference(name for name, _ in named)):  # else misspelt files would stay in
        message = f"{counted(len(unknown), 'file')} not in {treebank}, the first {unknown[0]!r}"
        raise FormatError(message, path=without, remedy="give file names without folders")
    sentences = [sentence for name, sentence in named if name not in excluded]
    if not sentences:
        remedy = "give files in SSF, not CoNLL-U; a folder of them, or a tar archive"
        raise FormatError("no sentences to train on", path=treebank, remedy=remedy)
    has_library = is_installed("spacy")
    trained = HindiModel.train(output, sentences, with_parser=with_parser and has_library)
    say(f"{output}: trained on {counted(len(sentences), 'sentence')}")
    if with_parser and not has_library:
        say("no parser: spacy is missing; pip install 'lattice-simp[hindi-parser]'")
    if trained.parser is not None and excluded:
        _print_attachment(trained, [sentence.without_empty for name, sentence in named if name in excluded])


def _print_attachment(model: HindiModel, sentences: Sequence[Sentence]) -> None:
    """Prints the attachment scores of sentences as plain text."""
    parsed = model.parsed(model.analyser.analyse([token.form for token in sentence.tokens]) for sentence in sentences)
    score = attachment(zip(sentences, parsed, strict=True))
    say(f"parser: UAS {score.uas:.1f}, LAS {score.las:.1f} on {len(sentences):,} excluded sentences")


def print_scores(treebank: Path, model: Path | None, system: System, marked: Path | None, files: Path | None) -> None:
    """Prints the scores of a system's clauses, against hand-marked ones (`marked`) or those of the trees.

    Args:
        treebank: SSF files.
        model: the folder of a model.
        system: the system that finds clauses.
        marked: the file of hand-marked clauses.
        files: a list of the files to use; None for all.
    """
    problems: list[FormatError] = []
    only = _names(files) if files else None
    examples = marked_examples(treebank, marked, problems) if marked else tree_examples(treebank, problems, only=only)
    find = finder(load_model(model, system, "ssf"), system)
    result = evaluate(
        (brackets_of(bare(example.sentence, find(example.full)), len(example.sentence)), example.clauses)
        for example in examples
    )
    print_problems(problems)
    if not result.sentences:
        remedy = "give files in SSF, not CoNLL-U, and names that they hold"
        raise FormatError("no sentences to evaluate", path=treebank, remedy=remedy)
    print(f"sentences\t{result.sentences}\nwell-formed\t{result.well_formed:.1f}")
    print("measure\tprecision\trecall\tF1\tcount")
    for measure, score in result.scores.items():
        print(f"{measure}\t{score.precision:.1f}\t{score.recall:.1f}\t{score.f1:.1f}\t{score.wanted}")


def _names(path: Path) -> set[str]:
    """Reads names of files, one per line."""
    return {line.strip() for line in read_lines(path)} - {""}

"""`lattice-simp hindi ...`: clauses of Hindi sentences, their types, and simpler sentences."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from lattice_simp.commands.hindi_sentences import (
    Format,
    Found,
    System,
    finder,
    found_clauses,
    load_model,
    tell_problems,
)
from lattice_simp.commands.options import command_app, refuse_idle
from lattice_simp.errors import FormatError, LatticeSimpError

app = command_app("Clauses of Hindi sentences, their types, and simpler sentences.")


Output = Literal["brackets", "json", "terminal"]
"""How clauses are written."""

Source = Annotated[Path, typer.Argument(help="text, SSF or CoNLL-U; - for text on stdin")]
Model = Annotated[Optional[Path], typer.Option(help="a folder that `hindi train` wrote")]  # noqa: UP045
FileFormat = Annotated[Optional[Format], typer.Option("--format", help="by default by the file's name")]  # noqa: UP045
Romanised = Annotated[bool, typer.Option("--romanised", help="read words in Latin letters of a text as Hindi")]
How = Annotated[System, typer.Option("--system", help="model, rules, or tree (of SSF and CoNLL-U)")]
To = Annotated[Output, typer.Option(help="brackets, json (one object a line), or coloured for a terminal")]


@app.command()
def clauses(
    source: Source,
    model: Model = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
    to: To = "brackets",
) -> None:
    """Mark clauses. Example: lattice-simp hindi clauses a.hi --model hindi/"""
    _write_clauses(found_clauses(source, model, file_format, romanised, system), to, kinds=False)


@app.command()
def classify(
    source: Source,
    model: Model = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
    to: To = "brackets",
) -> None:
    """Mark clauses with their types. Example: lattice-simp hindi classify a.hi --model hindi/ --to terminal"""
    _write_clauses(found_clauses(source, model, file_format, romanised, system), to, kinds=True)


@app.command()
def simplify(
    source: Source,
    model: Model = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
    to: Annotated[
        Output, typer.Option(help="brackets (plain lines, a blank line between sentences) or json")
    ] = "brackets",
) -> None:
    """Split complex sentences into simple ones. Example: lattice-simp hindi simplify a.hi --model hindi/"""
    from lattice_simp.systems.hindi.simplify import simplify as simplified

    if to == "terminal":
        raise LatticeSimpError("--to terminal is for clauses; simple sentences have none to colour")
    for one in found_clauses(source, model, file_format, romanised, system):
        result = simplified(one.sentence, one.clauses)
        if to == "json":
            parts = [{"words": simple.words, "tokens": simple.kept} for simple in result.sentences]
            told = {"id": one.sentence.id, "source": str(one.sentence), "sentences": parts}
            print(json.dumps(told, ensure_ascii=False))
        else:
            print("\n".join(map(str, result.sentences)), end="\n\n")


@app.command()
def skeletons(
    source: Source,
    target: Annotated[Path, typer.Argument(help="the JSON lines to write, or - for stdout")],
    model: Model = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
) -> None:
    """Delete subordinate clauses. Example: lattice-simp hindi skeletons a.hi a.jsonl --model hindi/

    Writes a record for each line of a text, or sentence of a treebank, from which something is deleted.
    """
    from lattice_simp.skeleton import SkeletonRecord, write_skeletons
    from lattice_simp.systems.hindi.skeletons import line_skeleton

    by_line = groupby(found_clauses(source, model, file_format, romanised, system), key=lambda one: one.line)
    made = ((line, line_skeleton([(one.sentence, one.clauses) for one in own])) for line, own in by_line)
    write_skeletons(target, (SkeletonRecord(str(line), line, (one,)) for line, one in made if one is not None))


@app.command()
def train(
    treebank: Annotated[Path, typer.Argument(help="SSF files: a folder, a tar archive, or one file")],
    model: Annotated[Path, typer.Argument(help="the folder to write")],
    without: Annotated[Optional[Path], typer.Option(help="names of files to leave out, one a line")] = None,  # noqa: UP045
) -> None:
    """Train a model on a treebank. Example: lattice-simp hindi train hdtb-ssf.tar.xz hindi/"""
    from lattice_simp.systems.hindi.formats.treebank import read_treebank
    from lattice_simp.systems.hindi.model import HindiModel

    left_out = _names(without) if without else set[str]()
    problems: list[FormatError] = []
    named = list(read_treebank(treebank, problems))
    tell_problems(problems)
    if unknown := sorted(left_out.difference(name for name, _ in named)):  # a misspelt one would be trained on
        message = f"{len(unknown)} files are not in {treebank}, the first is {unknown[0]!r}"
        raise FormatError(message, path=without, remedy="write the names of files, without folders")
    sentences = [one for name, one in named if name not in left_out]
    if not sentences:
        raise LatticeSimpError(f"{treebank} has no sentences to train on")
    HindiModel.train(model, sentences)
    print(f"{model}: trained on {len(sentences):,} sentences", file=sys.stderr)


@app.command()
def evaluate(
    treebank: Annotated[Path, typer.Argument(help="SSF files: a folder, a tar archive, or one file")],
    model: Model = None,
    marked: Annotated[Optional[Path], typer.Option(help="hand-marked clauses; else those of the trees")] = None,  # noqa: UP045
    files: Annotated[Optional[Path], typer.Option(help="names of the files to look at, one a line")] = None,  # noqa: UP045
    system: How = "model",
) -> None:
    """Score clauses against marked ones. Example: lattice-simp hindi evaluate hdtb/ --model hindi/ --marked a.tsv"""
    from lattice_simp.systems.hindi.clauses.examples import marked_examples, tree_examples
    from lattice_simp.systems.hindi.clauses.labels import brackets_of
    from lattice_simp.systems.hindi.clauses.model import bare
    from lattice_simp.systems.hindi.clauses.scoring import evaluate as scored

    if marked and files:
        raise LatticeSimpError("--marked names its sentences; leave --files out")
    if marked is None and system == "tree":
        raise LatticeSimpError("clauses of trees are what is compared with; give --marked, or another --system")
    if system != "model":
        refuse_idle(["model"], f"with --system {system}")
    problems: list[FormatError] = []
    only = _names(files) if files else None
    examples = marked_examples(treebank, marked, problems) if marked else tree_examples(treebank, problems, only=only)
    find = finder(load_model(model, system, "ssf"), system)
    result = scored(
        (brackets_of(bare(one.sentence, find(one.full)), len(one.sentence)), one.clauses) for one in examples
    )
    tell_problems(problems)
    if not result.sentences:
        raise LatticeSimpError(f"{treebank} has none of the sentences that are asked for")
    print(f"sentences\t{result.sentences}\nwell-formed\t{result.well_formed:.1f}")
    print("measure\tprecision\trecall\tF1\tcount")
    for measure, score in result.scores.items():
        print(f"{measure}\t{score.precision:.1f}\t{score.recall:.1f}\t{score.f1:.1f}\t{score.wanted}")


def _names(path: Path) -> set[str]:
    """Reads names of files, one a line."""
    from lattice_simp.support.textio import read_lines

    return {line.strip() for line in read_lines(path)} - {""}


def _write_clauses(sentences: Iterable[Found], to: Output, *, kinds: bool) -> None:
    from lattice_simp.systems.hindi.clause import bracketed

    for one in sentences:
        words = [token.form for token in one.sentence.tokens]
        if to == "json":
            spans = [  # tokens from 0, the last one excluded
                {"start": clause.start, "end": clause.end} | ({"type": clause.kind} if kinds else {})
                for clause in one.clauses
            ]
            print(json.dumps({"id": one.sentence.id, "tokens": words, "clauses": spans}, ensure_ascii=False))
        else:
            print(bracketed(words, one.clauses, kinds=kinds, colours=to == "terminal"))

"""`lattice-simp hindi ...`: clauses of Hindi sentences, their types, and simpler sentences."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from lattice_simp.commands.runs.hindi_sentences import (
    Format,
    MarkedSentence,
    System,
    marked_sentences,
    parsed_sentences,
)
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import Detail, Model, Output, OutputFolder, command_app, refuse_idle
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text

app = command_app("Mark and classify clauses of Hindi sentences, and simplify sentences.")


Form = Literal["brackets", "json", "terminal"]
"""The format of clauses."""

Source: TypeAlias = Annotated[Path, typer.Argument(help="text, SSF or CoNLL-U; - for text on stdin")]
HindiFolder: TypeAlias = Annotated[Model | None, Detail("written by `hindi train`")]
FileFormat: TypeAlias = Annotated[Format | None, typer.Option("--from", help="input format; inferred by default")]
Romanised: TypeAlias = Annotated[bool, typer.Option("--romanised", help="read words in Latin script as Hindi")]
How: TypeAlias = Annotated[
    System, typer.Option("--system", help="find clauses by model, rules, or tree (SSF and CoNLL-U)")
]
To: TypeAlias = Annotated[
    Form, typer.Option("--to", help="output format; brackets, JSON lines, or coloured brackets for a terminal")
]


@app.command()
def clauses(
    source: Source,
    model: HindiFolder = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
    to: To = "brackets",
    output: Output = "-",
) -> None:
    """Mark clauses. Example: lattice-simp hindi clauses a.hi --model hindi/"""
    _write_clauses(marked_sentences(source, model, file_format, romanised, system), output, to, kinds=False)


@app.command()
def classify(
    source: Source,
    model: HindiFolder = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
    to: To = "brackets",
    output: Output = "-",
) -> None:
    """Mark clauses with their types. Example: lattice-simp hindi classify a.hi --model hindi/ --to terminal"""
    _write_clauses(marked_sentences(source, model, file_format, romanised, system), output, to, kinds=True)


@app.command()
def parse(
    source: Source,
    model: Annotated[Model, Detail("written by `hindi train`")],
    file_format: FileFormat = None,
    romanised: Romanised = False,
    output: Output = "-",
) -> None:
    """Parse dependencies, and write CoNLL-U. Example: lattice-simp hindi parse a.hi --model hindi/"""
    from lattice_simp.systems.hindi.formats.conllu_writer import conllu_lines

    with open_text(output, "w") as file:
        for sentence in parsed_sentences(source, model, file_format, romanised):
            print(*conllu_lines(sentence), sep="\n", file=file)


@app.command()
def simplify(
    source: Source,
    model: HindiFolder = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
    to: Annotated[
        Form, typer.Option("--to", help="output format; lines with a blank line after each sentence, or JSON lines")
    ] = "brackets",
    every_clause: Annotated[
        bool, typer.Option("--every-clause", help="split at every clause, also where the meaning may change")
    ] = False,
    output: Output = "-",
) -> None:
    """Split complex sentences into simple ones. Example: lattice-simp hindi simplify a.hi --model hindi/"""
    from lattice_simp.systems.hindi.simplify import simplify as simplified

    if to == "terminal":
        raise LatticeSimpError("--to terminal is for clauses; simple sentences have no colours")
    with open_text(output, "w") as file:
        for marked in marked_sentences(source, model, file_format, romanised, system, with_trees=True):
            result = simplified(marked.sentence, marked.clauses, every_clause=every_clause)
            if to == "json":
                parts = [{"words": simple.words, "tokens": simple.kept} for simple in result.sentences]
                record = {"id": marked.sentence.id, "source": str(marked.sentence), "sentences": parts}
                print(json.dumps(record, ensure_ascii=False), file=file)
            else:
                print("\n".join(map(str, result.sentences)), end="\n\n", file=file)


@app.command()
def skeletons(
    source: Source,
    model: HindiFolder = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = "model",
    output: Annotated[Output, Detail("JSON lines")] = "-",
) -> None:
    """Delete subordinate clauses. Example: lattice-simp hindi skeletons a.hi --model hindi/ --output a.jsonl

    The output has a record for each line of a text, or sentence of a treebank, that loses a clause.
    """
    from lattice_simp.skeleton import SkeletonRecord, write_skeletons
    from lattice_simp.systems.hindi.skeletons import line_skeleton

    sentences = marked_sentences(source, model, file_format, romanised, system, with_trees=True)
    by_line = groupby(sentences, key=lambda marked: marked.line)
    skeletons_by_line = [
        (line, line_skeleton([(marked.sentence, marked.clauses) for marked in group])) for line, group in by_line
    ]
    records = [
        SkeletonRecord(str(line), line, (skeleton,)) for line, skeleton in skeletons_by_line if skeleton is not None
    ]
    write_skeletons(output, records)
    say(f"{counted(len(skeletons_by_line), 'line')}, {len(records):,} with a skeleton")


@app.command()
def train(
    treebank: Annotated[Path, typer.Argument(help="SSF files: a folder, a tar archive, or a file")],
    output: Annotated[OutputFolder, Detail("holds the model")],
    without: Annotated[Path | None, typer.Option(help="list of the files to exclude, one name per line")] = None,
    parser: Annotated[
        bool, typer.Option(help="also train a parser, which takes most of the time (needs the extra hindi-parser)")
    ] = True,
) -> None:
    """Train a model on a treebank. Example: lattice-simp hindi train hdtb-ssf.tar.xz --output hindi"""
    from lattice_simp.commands.runs.hindi_treebank import train_model

    train_model(treebank, output, without, with_parser=parser)


@app.command()
def evaluate(
    treebank: Annotated[Path, typer.Argument(help="SSF files: a folder, a tar archive, or a file")],
    model: HindiFolder = None,
    marked: Annotated[Path | None, typer.Option(help="hand-marked clauses (default: those of the trees)")] = None,
    files: Annotated[Path | None, typer.Option(help="list of the files to use, one name per line")] = None,
    system: How = "model",
) -> None:
    """Score clauses against marked ones. Example: lattice-simp hindi evaluate hdtb/ --model hindi/ --marked a.tsv"""
    from lattice_simp.commands.runs.hindi_treebank import print_scores

    if marked and files:
        raise LatticeSimpError("--marked selects its own sentences; leave --files out")
    if marked is None and system == "tree":
        raise LatticeSimpError("--system tree would be compared with itself; give --marked, or another --system")
    if system != "model":
        refuse_idle(["model"], f"with --system {system}")
    print_scores(treebank, model, system, marked, files)


def _write_clauses(sentences: Iterable[MarkedSentence], output: str, to: Form, *, kinds: bool) -> None:
    with open_text(output, "w") as file:
        file.writelines(f"{_clause_line(marked, to, kinds=kinds)}\n" for marked in sentences)


def _clause_line(marked: MarkedSentence, to: Form, *, kinds: bool) -> str:
    """Returns the clauses of a sentence as brackets or JSON."""
    from lattice_simp.systems.hindi.clause import bracketed

    words = [token.form for token in marked.sentence.tokens]
    if to != "json":
        return bracketed(words, marked.clauses, kinds=kinds, colours=to == "terminal")
    spans = [  # token indices from 0, the end exclusive
        {"start": clause.start, "end": clause.end} | ({"type": clause.kind} if kinds else {})
        for clause in marked.clauses
    ]
    return json.dumps({"id": marked.sentence.id, "tokens": words, "clauses": spans}, ensure_ascii=False)

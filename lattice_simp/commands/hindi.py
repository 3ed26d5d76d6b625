"""`lattice-simp hindi ...`: clauses of Hindi sentences, their types, and simpler sentences."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from lattice_simp.errors import FormatError, LatticeSimpError

if TYPE_CHECKING:
    from lattice_simp.hindi.clause import Clause
    from lattice_simp.hindi.model import HindiModel
    from lattice_simp.hindi.sentence import Sentence
    from lattice_simp.hindi.text import Analyser

app = typer.Typer(no_args_is_help=True, help="Clauses of Hindi sentences, their types, and simpler sentences.")


class Format(str, Enum):
    """What a file holds."""

    TEXT = "text"
    SSF = "ssf"
    CONLLU = "conllu"


class System(str, Enum):
    """How clauses are found."""

    MODEL = "model"
    RULES = "rules"
    TREE = "tree"


class Output(str, Enum):
    """How clauses are written."""

    BRACKETS = "brackets"
    JSON = "json"
    TERMINAL = "terminal"


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
    system: How = System.MODEL,
    to: To = Output.BRACKETS,
) -> None:
    """Mark clauses. Example: lattice-simp hindi clauses a.hi --model hindi/"""
    _write_clauses(_found(source, model, file_format, romanised, system), to, kinds=False)


@app.command()
def classify(
    source: Source,
    model: Model = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = System.MODEL,
    to: To = Output.BRACKETS,
) -> None:
    """Mark clauses with their types. Example: lattice-simp hindi classify a.hi --model hindi/ --to terminal"""
    _write_clauses(_found(source, model, file_format, romanised, system), to, kinds=True)


@app.command()
def simplify(
    source: Source,
    model: Model = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = System.MODEL,
    to: Annotated[Output, typer.Option(help="brackets (plain lines, a blank line between sentences) or json")] = (
        Output.BRACKETS
    ),
) -> None:
    """Split complex sentences into simple ones. Example: lattice-simp hindi simplify a.hi --model hindi/"""
    from lattice_simp.hindi.simplify import simplify as simplified

    for sentence, found in _found(source, model, file_format, romanised, system):
        result = simplified(sentence, found)
        if to is Output.JSON:
            parts = [{"words": one.words, "tokens": one.kept} for one in result.sentences]
            print(json.dumps({"id": sentence.id, "source": str(sentence), "sentences": parts}, ensure_ascii=False))
        else:
            print("\n".join(map(str, result.sentences)), end="\n\n")


@app.command()
def skeletons(
    source: Source,
    target: Annotated[Path, typer.Argument(help="the JSON lines to write, or - for stdout")],
    model: Model = None,
    file_format: FileFormat = None,
    romanised: Romanised = False,
    system: How = System.MODEL,
) -> None:
    """Delete subordinate clauses. Example: lattice-simp hindi skeletons a.hi a.jsonl --model hindi/"""
    from lattice_simp.hindi.skeletons import clause_skeleton
    from lattice_simp.skeleton import SkeletonRecord, write_skeletons

    made = (
        clause_skeleton(sentence, found) for sentence, found in _found(source, model, file_format, romanised, system)
    )
    records = (SkeletonRecord(str(line), line, (one,)) for line, one in enumerate(made) if one is not None)
    write_skeletons(target, records)


@app.command()
def train(
    treebank: Annotated[Path, typer.Argument(help="SSF files: a folder, a tar archive, or one file")],
    model: Annotated[Path, typer.Argument(help="the folder to write")],
    without: Annotated[Optional[Path], typer.Option(help="names of files to leave out, one a line")] = None,  # noqa: UP045
) -> None:
    """Train a model on a treebank. Example: lattice-simp hindi train hdtb-ssf.tar.xz hindi/"""
    from lattice_simp.formats.textio import read_lines
    from lattice_simp.hindi.formats.treebank import read_treebank
    from lattice_simp.hindi.model import HindiModel

    left_out = {line.strip() for line in read_lines(without)} if without else set()
    problems: list[FormatError] = []
    sentences = [one for name, one in read_treebank(treebank, problems) if name not in left_out]
    _tell(problems)
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
    system: How = System.MODEL,
) -> None:
    """Score clauses against marked ones. Example: lattice-simp hindi evaluate hdtb/ --model hindi/ --marked a.tsv"""
    from lattice_simp.formats.textio import read_lines
    from lattice_simp.hindi.clauses.examples import marked_examples, tree_examples
    from lattice_simp.hindi.clauses.labels import brackets_of
    from lattice_simp.hindi.clauses.model import bare
    from lattice_simp.hindi.clauses.scoring import evaluate as scored

    only = {line.strip() for line in read_lines(files)} if files else None
    problems: list[FormatError] = []
    if marked is None and system is System.TREE:
        raise LatticeSimpError("clauses of trees are what is compared with; give --marked, or another --system")
    examples = marked_examples(treebank, marked, problems) if marked else tree_examples(treebank, problems, only=only)
    find = _finder(_load(model, system, Format.SSF), system)
    result = scored(
        (brackets_of(bare(one.sentence, one.reduced(find(one.full))), len(one.sentence)), one.clauses)
        for one in examples
    )
    _tell(problems)
    print(f"sentences\t{result.sentences}\nwell-formed\t{result.well_formed:.1f}")
    print("measure\tprecision\trecall\tF1\tcount")
    for measure, score in result.scores.items():
        print(f"{measure}\t{score.precision:.1f}\t{score.recall:.1f}\t{score.f1:.1f}\t{score.wanted}")


def _write_clauses(sentences: Iterator[tuple[Sentence, list[Clause]]], to: Output, *, kinds: bool) -> None:
    from lattice_simp.hindi.clause import bracketed
    from lattice_simp.hindi.terminal import coloured

    for sentence, found in sentences:
        words = [token.form for token in sentence.tokens]
        if to is Output.JSON:
            spans = [_span(clause, kinds) for clause in found]
            print(json.dumps({"id": sentence.id, "tokens": words, "clauses": spans}, ensure_ascii=False))
        elif to is Output.TERMINAL:
            print(coloured(words, found, kinds=kinds))
        else:
            print(bracketed(words, found, kinds=kinds))


def _span(clause: Clause, kinds: bool) -> dict[str, Any]:
    """Gives the tokens of a clause, counted from 0, the last one excluded."""
    span: dict[str, Any] = {"start": clause.start, "end": clause.end}
    return span | ({"type": clause.kind} if kinds else {})


def _found(
    source: Path, model: Path | None, file_format: Format | None, romanised: bool, system: System
) -> Iterator[tuple[Sentence, list[Clause]]]:
    """Reads sentences and finds their clauses."""
    form = file_format or _format(source)
    if system is System.TREE and form is Format.TEXT:
        raise LatticeSimpError("text has no trees; choose --system model or rules, or give SSF or CoNLL-U")
    if romanised and form is not Format.TEXT:
        raise LatticeSimpError("--romanised is for text; SSF and CoNLL-U files are read as they are")
    loaded = _load(model, system, form)
    find = _finder(loaded, system)
    problems: list[FormatError] = []
    analyser = loaded.analyser if loaded and form is Format.TEXT else None
    if analyser and romanised:
        analyser = analyser.for_romanised()
    for sentence in _sentences(source, form, analyser, problems):
        yield sentence, find(sentence)
    _tell(problems)


def _format(source: Path) -> Format:
    endings = {".ssf": Format.SSF, ".dat": Format.SSF, ".conllu": Format.CONLLU}
    return next((endings[suffix] for suffix in reversed(source.suffixes) if suffix in endings), Format.TEXT)


def _load(model: Path | None, system: System, form: Format) -> HindiModel | None:
    from lattice_simp.hindi.model import HindiModel

    if model is not None:
        return HindiModel.load(model)
    if system is System.MODEL or form is Format.TEXT:
        raise LatticeSimpError("--model is missing: a folder that `lattice-simp hindi train` wrote")
    return None


def _finder(model: HindiModel | None, system: System) -> Callable[[Sentence], list[Clause]]:
    from lattice_simp.hindi.from_tree import clauses_of_tree
    from lattice_simp.hindi.rules.pipeline import rule_clauses

    if system is System.MODEL:
        assert model is not None
        return model.clauses.clauses
    return rule_clauses if system is System.RULES else clauses_of_tree


def _sentences(
    source: Path, form: Format, analyser: Analyser | None, problems: list[FormatError]
) -> Iterator[Sentence]:
    from lattice_simp.formats.textio import read_lines
    from lattice_simp.hindi.formats.conllu import read_conllu
    from lattice_simp.hindi.formats.conllu_tree import treebank_tree
    from lattice_simp.hindi.formats.ssf import read_ssf

    if form is Format.SSF:
        yield from (one.without_empty for one in read_ssf(source, problems))
    elif form is Format.CONLLU:
        yield from (treebank_tree(one).without_empty for one in read_conllu(source, problems))
    else:
        assert analyser is not None
        for line in read_lines(source):
            yield from analyser(line)


def _tell(problems: list[FormatError]) -> None:
    """Says which sentences were left out."""
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)

"""`lattice-simp skeleton annotation import|export|progress`: judgements of annotators, without the web page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import Detail, Language, Output, command_app, refuse_idle
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError, SkeletonError
from lattice_simp.support.json_text import is_json
from lattice_simp.support.plurals import counted, number_or_dash
from lattice_simp.support.textio import STDIN, readable
from lattice_simp.systems.annotation.files import EXPORTS
from lattice_simp.systems.annotation.judgements import AnnotationSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from lattice_simp.systems.annotation import Progress

app = command_app("Judgements of several annotators: import sentences, show progress, export results.")

Database: TypeAlias = Annotated[Path, typer.Argument(help="annotation database (SQLite)")]
if TYPE_CHECKING:
    Content = str
else:
    Content = Literal[tuple(EXPORTS)]

What: TypeAlias = Annotated[
    Content,
    typer.Option(
        help="judgements: all skeletons of each sentence; skeletons: the best of them; tokens: one decided token by "
        "token; events: the log of all judgements"
    ),
]


@app.command("import")
@takes_settings(AnnotationSettings)
def import_(
    database: Annotated[Path, typer.Argument(help="annotation database (SQLite); created if missing")],
    source: Annotated[
        str, typer.Argument(help="tokenised sentences, one per line, or JSON lines of skeletons; - for stdin")
    ],
    annotator: Annotated[
        list[str] | None,
        typer.Option(help="annotator of the first skeleton of each sentence; repeat it for the second, and so on"),
    ] = None,
    language: Annotated[Language, Detail("tokenises plain text")] = None,
    settings: Any = None,
) -> None:
    """Add sentences, or skeletons as judgements. Example: lattice-simp skeleton annotation import talk.db talk.en"""
    from lattice_simp.systems.annotation import AnnotationStore

    with readable(source) as path:
        sentences, judgements = _read(path, _name(source), annotator or [], language)
        if not sentences:
            raise FormatError("the file is empty", path=STDIN if source == "-" else source, remedy="give sentences")
    with AnnotationStore(database, create=True) as store:
        if settings:
            store.settings = replace(store.settings, **settings)
        new = store.add(sentences, judgements)
        goal = store.settings
    print(f"{counted(new, 'new sentence')} of {len(sentences)}, {counted(len(judgements), 'judgement')}")
    shortenings, checks = counted(goal.shortenings, "shortening"), counted(goal.checks, "check")
    print(f"required: {shortenings} of each sentence, {checks} of each skeleton")


@app.command()
def export(
    database: Database,
    output: Annotated[Output, Detail("JSON lines")] = "-",
    what: What = "judgements",
) -> None:
    """Write the annotators' judgements. Example: lattice-simp skeleton annotation export talk.db --what skeletons"""
    from lattice_simp.support.textio import open_text
    from lattice_simp.systems.annotation import AnnotationStore

    with AnnotationStore(database) as store:
        lines = list(EXPORTS[what](store))
    with open_text(output, "w") as file:
        file.writelines(line + "\n" for line in lines)


@app.command("progress")
def show_progress(database: Database) -> None:
    """Print progress and agreement. Example: lattice-simp skeleton annotation progress talk.db"""
    from lattice_simp.systems.annotation import AnnotationStore, progress

    with AnnotationStore(database) as store:
        figures = progress(store)
    for line in _lines(figures):
        print(line)
    if figures.missing:
        say(f"lattice-simp: alpha and reliability are missing: {figures.missing}")


def _name(source: str) -> str:
    """Returns the prefix of the ids of a file's sentences."""
    return "stdin" if source == "-" else Path(source).name.split(".")[0]


def _read(path: str, name: str, annotators: list[str], language: str | None) -> tuple[list[Any], list[Any]]:
    """Returns the sentences and the judgements of a file: skeletons if its first line looks like JSON."""
    from lattice_simp.skeleton import read_skeletons
    from lattice_simp.support.textio import read_lines
    from lattice_simp.systems.annotation import judgements_of, read_sentences

    if not is_json(next((line for line in read_lines(path) if line.strip()), "")):
        _refuse_brackets(path)
        refuse_idle(["annotator"], "with sentences; it applies to JSON lines of skeletons")
        return list(read_sentences(path, name, _tokens(language) if language else split_tokens)), []
    if language:
        raise LatticeSimpError("--language tokenises text, but JSON lines hold tokens; leave it out")
    judgements = list(judgements_of(read_skeletons(path), annotators))
    return list(dict.fromkeys(judgement.sentence for judgement in judgements)), judgements


def _refuse_brackets(path: str) -> None:
    """Raises FormatError for a line of bracket text, whose brackets would appear as words."""
    from lattice_simp.skeleton.brackets import parse_brackets
    from lattice_simp.support.textio import read_lines

    for number, line in enumerate(read_lines(path), start=1):
        if "[[" not in line:
            continue
        try:
            _, mask = parse_brackets(line)
        except SkeletonError:
            continue
        if not all(mask):
            remedy = "make JSON lines: lattice-simp skeleton convert FILE --output skeletons.jsonl"
            raise FormatError("holds a skeleton as bracket text", path=path, line=number, remedy=remedy)


def _tokens(language: str) -> Callable[[str], list[str]]:
    from lattice_simp.text.tokeniser import Tokeniser

    tokeniser = Tokeniser(language, normalise=False, case="keep")
    return lambda line: split_tokens(tokeniser.tokens(line))


def _lines(figures: Progress) -> list[str]:
    tasks = (("sentences to shorten", "shortenings", figures.shorten), ("skeletons to check", "checks", figures.check))
    lines = []
    for items, judgements, task in tasks:
        lines += [
            f"{items}\t{task.items}",
            f"{items}, done\t{task.done}",
            f"{judgements}\t{task.judgements}",
            f"{judgements}, remaining\t{task.missing}",
            f"{judgements}, Krippendorff's alpha\t{number_or_dash(task.alpha)}",
        ]
    lines.append(f"checks, agreement of two annotators\t{number_or_dash(figures.agreement)}")
    if figures.annotators:
        lines += ["", "annotator\tshortened\tchecked\tskipped\tcompression rate\tF1 with others\treliability"]
    for annotator in figures.annotators:
        counts = f"{annotator.name}\t{annotator.shortened}\t{annotator.checked}\t{annotator.skipped}"
        values = map(number_or_dash, (annotator.rate, annotator.f1, annotator.reliability))
        lines.append("\t".join((counts, *values)))
    return lines

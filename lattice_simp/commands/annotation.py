"""`lattice-simp skeleton annotation import|export|progress`: judgements of annotators, without the web page."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from lattice_simp.commands.options import STDIN, command_app, readable, refuse_idle
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.json_text import is_json
from lattice_simp.systems.annotation.files import EXPORTS
from lattice_simp.systems.annotation.judgements import AnnotationSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from lattice_simp.systems.annotation import Progress

app = command_app("Judgements of several annotators: fill their queue, see how far they are, take out what they made.")

Database = Annotated[Path, typer.Argument(help="the file of the annotations (SQLite)")]
if TYPE_CHECKING:
    Content = str
else:
    Content = Literal[tuple(EXPORTS)]

What = Annotated[
    Content,
    typer.Option(help="each sentence's skeletons; one that they come to, or one of tokens; or all that happened"),
]


@app.command("import")
@takes_settings(AnnotationSettings)
def import_(
    database: Annotated[Path, typer.Argument(help="the file of the annotations (SQLite); made if it is not there")],
    source: Annotated[str, typer.Argument(help="sentences (tokens), one a line, or JSON lines of skeletons; -: stdin")],
    annotator: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="who made the first skeleton of each sentence; again for the second, and so on"),
    ] = None,
    language: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="sentences are plain text of this language (an ISO code): make tokens of it"),
    ] = None,
    settings: Any = None,
) -> None:
    """Add sentences, or skeletons as judgements. Example: lattice-simp skeleton annotation import talk.db talk.en"""
    from lattice_simp.systems.annotation import AnnotationStore

    with readable(source) as path:
        sentences, judgements = _read(path, _name(source), annotator or [], language)
        if not sentences:
            raise FormatError("the file is empty", path=STDIN if source == "-" else source, remedy="write sentences")
    with AnnotationStore(database, create=True) as store:
        if settings:
            store.settings = replace(store.settings, **settings)
        new = store.add(sentences, judgements)
        own = store.settings
    print(f"{new} new sentences of {len(sentences)}, {len(judgements)} judgements")
    print(f"wanted: {own.shortenings} shortenings of each sentence, {own.checks} checks of each skeleton")


@app.command()
def export(
    database: Database,
    target: Annotated[Path, typer.Argument(help="the JSON lines to write, or - for stdout")],
    what: What = "judgements",
) -> None:
    """Write what annotators made. Example: lattice-simp skeleton annotation export talk.db - --what skeletons"""
    from lattice_simp.support.textio import open_text
    from lattice_simp.systems.annotation import AnnotationStore

    with AnnotationStore(database) as store:
        lines = list(EXPORTS[what](store))
    with open_text(target, "w") as file:
        file.writelines(line + "\n" for line in lines)


@app.command("progress")
def show_progress(database: Database) -> None:
    """Print what is done and how annotators agree. Example: lattice-simp skeleton annotation progress talk.db"""
    from lattice_simp.systems.annotation import AnnotationStore, progress

    with AnnotationStore(database) as store:
        found = progress(store)
    for line in _lines(found):
        print(line)
    if found.missing:
        print(f"lattice-simp: no alpha, no reliability: {found.missing}", file=sys.stderr)


def _name(source: str) -> str:
    """Returns what the ids of a file's sentences begin with."""
    return "stdin" if source == "-" else Path(source).name.split(".")[0]


def _read(path: str, name: str, annotators: list[str], language: str | None) -> tuple[list[Any], list[Any]]:
    """Returns the sentences and the judgements of a file: skeletons if its first line looks like JSON.

    Raises:
        FormatError: the file is broken.
        LatticeSimpError: a language is given, and the file holds tokens already.
    """
    from lattice_simp.skeleton import read_skeletons
    from lattice_simp.support.textio import read_lines
    from lattice_simp.systems.annotation import judgements_of, read_sentences

    if not is_json(next((line for line in read_lines(path) if line.strip()), "")):
        refuse_idle(["annotator"], "on sentences, but on JSON lines of skeletons")
        return list(read_sentences(path, name, _tokens(language) if language else split_tokens)), []
    if language:
        raise LatticeSimpError("--language makes tokens of text, but JSON lines hold tokens; leave it out")
    judgements = list(judgements_of(read_skeletons(path), annotators))
    return list(dict.fromkeys(own.sentence for own in judgements)), judgements


def _tokens(language: str) -> Callable[[str], list[str]]:
    from lattice_simp.text.tokeniser import Tokeniser

    own = Tokeniser(language, normalise=False, case="keep")
    return lambda line: split_tokens(own.tokens(line))


def _lines(found: Progress) -> list[str]:
    tasks = (("sentences to shorten", "shortenings", found.shorten), ("skeletons to check", "checks", found.check))
    lines = []
    for items, judgements, task in tasks:
        lines += [
            f"{items}\t{task.items}",
            f"{items}, done\t{task.done}",
            f"{judgements}\t{task.judgements}",
            f"{judgements}, wanted yet\t{task.missing}",
            f"{judgements}, Krippendorff's alpha\t{_number(task.alpha)}",
        ]
    lines.append(f"checks, agreement of two annotators\t{_number(found.agreement)}")
    if found.annotators:
        lines += ["", "annotator\tshortened\tchecked\tskipped\tcompression rate\tF1 with others\treliability"]
    for own in found.annotators:
        counts = f"{own.name}\t{own.shortened}\t{own.checked}\t{own.skipped}"
        lines.append(f"{counts}\t{_number(own.rate)}\t{_number(own.f1)}\t{_number(own.reliability)}")
    return lines


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"

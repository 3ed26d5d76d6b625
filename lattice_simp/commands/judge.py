"""`lattice-simp judge ...`: studies in which people judge the outputs of systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from lattice_simp.commands.running.serving import HOST, AllowedHosts, Host, Port, serve_app
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import Output, command_app
from lattice_simp.errors import FormatError
from lattice_simp.support.extras import extra
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text

if TYPE_CHECKING:
    from lattice_simp.systems.judging.store import JudgingStore

app = command_app("Have people judge outputs: ratings, preferences, right or wrong, marked errors.")

StudyFile: TypeAlias = Annotated[Path, typer.Argument(metavar="STUDY", help="study file (YAML)")]
Rater: TypeAlias = Annotated[str, typer.Argument(help="name of the rater")]
Judgements: TypeAlias = Annotated[
    Path | None,
    typer.Option("--judgements", help="file for judgements (SQLite; default: the study file with the suffix .db)"),
]


@app.command()
def serve(
    study: StudyFile,
    judgements: Judgements = None,
    port: Port = 8000,
    host: Host = HOST,
    allowed_host: AllowedHosts = None,
) -> None:
    """Serve the page for raters. Example: lattice-simp judge serve study.yaml

    Raters enter a name and see one output after the other, never the name of its system. Each judgement is saved before
    the next output appears. After an interruption, run the same command again to continue.
    """
    with extra("judging"):
        from lattice_simp.serve.app import app_of
        from lattice_simp.serve.judge.section import study_section
        from lattice_simp.serve.limits import Limits

    section = study_section(study, judgements)
    serve_app(lambda names: app_of([section], Limits(), names), host, port, allowed_host)


@app.command()
def sheet(study: StudyFile, rater: Rater, judgements: Judgements = None, output: Output = "-") -> None:
    """Write a table for a rater to fill in. Example: lattice-simp judge sheet study.yaml Ada --output ada.tsv"""
    with _opened(study, judgements, create=True) as store, open_text(output, "w") as file:
        from lattice_simp.systems.judging.sheet import sheet_lines

        file.writelines(f"{line}\n" for line in sheet_lines(store, rater))


@app.command("import")
def import_(
    study: StudyFile,
    rater: Rater,
    filled: Annotated[Path, typer.Argument(metavar="SHEET", help="table that the rater has filled in")],
    judgements: Judgements = None,
) -> None:
    """Store the answers of a filled-in table. Example: lattice-simp judge import study.yaml Ada ada.tsv"""
    with _opened(study, judgements, create=True) as store:
        from lattice_simp.systems.judging.sheet import store_sheet

        count = store_sheet(store, rater, filled)
    print(f"{counted(count, 'judgement')} of {rater}")
    if not count:
        say(f"{filled}: no row has answers; write them into the last columns")


@app.command()
def progress(study: StudyFile, judgements: Judgements = None) -> None:
    """Print the progress of each rater. Example: lattice-simp judge progress study.yaml"""
    with _opened(study, judgements) as store:
        standings, raters = store.standings(), store.study.raters
    print("rater\tdone\tskipped\ttotal")
    for standing in standings:
        print(f"{standing.rater}\t{standing.done}\t{standing.skipped}\t{standing.total}")
    if missing := raters - len(standings):
        print(f"raters who have not begun: {missing}")


@app.command()
def export(study: StudyFile, judgements: Judgements = None, output: Output = "-") -> None:
    """Write all answers as CSV. Example: lattice-simp judge export study.yaml --output answers.csv"""
    with _opened(study, judgements) as store, open_text(output, "w") as file:
        from lattice_simp.systems.judging.export import write_csv

        write_csv(store.study, store.judgements(), file)


@app.command()
def analyse(
    study: StudyFile,
    judgements: Judgements = None,
    format: Annotated[Literal["text", "markdown", "latex"], typer.Option("--to", help="output format")] = "text",
    least_checks: Annotated[
        float, typer.Option("--min-checks", min=0, max=1, help="exclude raters who pass a smaller share of checks")
    ] = 0.0,
    output: Output = "-",
) -> None:
    """Print tables: means or shares with intervals, tests of differences, agreement.

    Example: lattice-simp judge analyse study.yaml --to markdown
    """
    with _opened(study, judgements) as store, extra("judging"):
        from lattice_simp.metrics.table import TABLE_WRITERS
        from lattice_simp.systems.judging.analysis import analyse as tables_of

        tables = tables_of(store.study, store.judgements(), least_checks)
    with open_text(output, "w") as file:
        file.write("\n".join(map(TABLE_WRITERS[format], tables)))


def _opened(study: Path, judgements: Path | None, *, create: bool = False) -> JudgingStore:
    """Opens the judgements of a study."""
    with extra("judging"):
        from lattice_simp.systems.judging.store import JudgingStore
        from lattice_simp.systems.judging.study_file import judgements_file, read_study

    content, path = read_study(study), judgements or judgements_file(study)
    if not create and not path.exists():
        raise FormatError("no rater has begun", path=path, remedy="serve the page with `lattice-simp judge serve`")
    return JudgingStore(path, content)

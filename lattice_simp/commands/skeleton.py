"""`lattice-simp skeleton ...`: statistics and conversion of skeleton files."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

app = typer.Typer(no_args_is_help=True, help="Statistics and conversion of skeleton files.")


class SkeletonFormat(str, Enum):
    """What can be written."""

    BRACKETS = "brackets"
    JSONL = "jsonl"
    MASKS = "masks"


Source = Annotated[Path, typer.Argument(help="JSON lines or bracket text; - for stdin")]
To = Annotated[
    Optional[SkeletonFormat],  # noqa: UP045
    typer.Option(help="by default jsonl for a name with .jsonl, else brackets"),
]


@app.command()
def info(source: Source) -> None:
    """Print how many, of which gap types, and how short. Example: lattice-simp skeleton info skeletons.jsonl"""
    from rich.console import Console

    from lattice_simp.commands.sentences import read_records
    from lattice_simp.skeleton import skeleton_statistics, statistics_table

    skeletons = [skeleton for record in read_records(source) for skeleton in record.skeletons]
    Console().print(statistics_table(skeleton_statistics(skeletons), title=str(source)))


@app.command()
def convert(
    source: Source,
    target: Annotated[Path, typer.Argument(help="the file to write, or - for stdout")],
    to: To = None,
    mask_index: Annotated[int, typer.Option(min=0, help="which of several skeletons, where one is written")] = 0,
) -> None:
    """Convert skeletons. Example: lattice-simp skeleton convert a.txt a.jsonl --to jsonl"""
    from lattice_simp.commands.sentences import read_records
    from lattice_simp.formats.textio import open_text
    from lattice_simp.skeleton import write_brackets, write_skeletons

    chosen = to or (SkeletonFormat.JSONL if ".jsonl" in target.suffixes else SkeletonFormat.BRACKETS)
    records = read_records(source)
    if chosen is SkeletonFormat.JSONL:
        write_skeletons(target, records)
        return
    skeletons = (record.skeletons[min(mask_index, len(record.skeletons) - 1)] for record in records)
    if chosen is SkeletonFormat.BRACKETS:
        write_brackets(target, skeletons)
        return
    with open_text(target, "w") as file:
        file.writelines(skeleton.to_mask() + "\n" for skeleton in skeletons)

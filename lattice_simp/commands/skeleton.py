"""`lattice-simp skeleton ...`: statistics and conversion of skeleton files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Statistics and conversion of skeleton files.")

Source = Annotated[Path, typer.Argument(help="JSON lines or bracket text; - for stdin")]


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
    target: Annotated[Path, typer.Argument(help="the file to write, or -")],
    to: Annotated[str, typer.Option(help="brackets, jsonl or masks")] = "jsonl",
    mask_index: Annotated[int, typer.Option(help="which of several skeletons, where one is written")] = 0,
) -> None:
    """Convert skeletons. Example: lattice-simp skeleton convert a.txt a.jsonl --to jsonl"""
    from lattice_simp.commands.sentences import read_records
    from lattice_simp.errors import LatticeSimpError
    from lattice_simp.formats.textio import open_text
    from lattice_simp.skeleton import write_brackets, write_skeletons

    if to not in ("brackets", "jsonl", "masks"):
        raise LatticeSimpError(f"--to {to}: write brackets, jsonl or masks")
    records = read_records(source)
    if to == "jsonl":
        write_skeletons(target, records)
        return
    chosen = (record.skeletons[min(mask_index, len(record.skeletons) - 1)] for record in records)
    if to == "brackets":
        write_brackets(target, chosen)
        return
    with open_text(target, "w") as file:
        for skeleton in chosen:
            file.write(skeleton.to_mask() + "\n")

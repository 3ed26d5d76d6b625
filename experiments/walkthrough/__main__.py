"""Writes the walk-through: python -m experiments.walkthrough [experiments/walkthrough]."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from experiments.walkthrough.steps import walk
from lattice_simp import Decoder
from lattice_simp.skeleton import read_skeletons
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import write_text


def main(arguments: Sequence[str] | None = None) -> None:
    """Translates a held-out sentence of the demo step by step; writes README.md and the drawings."""
    parser = argparse.ArgumentParser(prog="python -m experiments.walkthrough", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent)
    parser.add_argument("--sentence", default="demo.21", help="the id of one of the demo's sentences")
    options = parser.parse_args(arguments)
    records = {record.id: record for record in read_skeletons(grammar_path("demo/data/test.jsonl"))}
    if options.sentence not in records:
        parser.error(f"there is no sentence {options.sentence!r}; there are {', '.join(list(records)[:3])} ...")
    record = records[options.sentence]
    reference = grammar_path("demo/data/test.de").read_text(encoding="utf-8").split("\n")[record.line]
    page, drawings = walk(Decoder.load(grammar_path("demo/data/rules.gz").parent), record.skeletons[0], reference)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings.items():
        write_text(options.folder / name, drawing)
    write_text(options.folder / "README.md", page)
    print(f"{options.folder / 'README.md'} and {len(drawings)} drawings")


if __name__ == "__main__":
    main()

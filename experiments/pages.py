"""Lays out the pages of experiments again from their results, configs and notes, and reports pages that differ.

python -m experiments.pages [--write] [FOLDER ...]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from experiments.experiment import CONFIG, FIGURES, PAGE, joined_parts
from lattice_simp.pipeline.stage import read_json
from lattice_simp.support.settings_file import read_settings
from lattice_simp.support.textio import write_text

EXPERIMENTS = Path(__file__).parent
TRAINING = "experiments.results"
"""The module that lays out folders with only a training config, which are not packages."""

STUDY = "protocol.yaml"
"""The file beside the config of a study, whose tables come from the systems' outputs."""

_STAGES = re.compile(r"^\| stage \|.*(?:\n\|.*)+", re.MULTILINE)

Layout = Callable[[Mapping[str, Any], Mapping[str, Any]], list[str]]


def layout_of(folder: Path) -> Layout:
    """Returns the function that lays out an experiment's page from its figures and its config."""
    is_package = (EXPERIMENTS / folder.name / "report.py").exists()
    layout: Layout = import_module(f"experiments.{folder.name}.report" if is_package else TRAINING).page
    return layout


def rendered(folder: Path) -> str:
    """Returns the page of an experiment.

    The title, the command, and a table of stages missing in the results are copied from the existing page.
    """
    figures = read_json(folder / FIGURES)
    page = (folder / PAGE).read_text(encoding="utf-8")
    parts = layout_of(folder)(figures, read_settings(folder / CONFIG, ()))
    if not any(map(_STAGES.match, parts)):
        parts += _STAGES.findall(page)
    return joined_parts("\n\n".join(page.split("\n\n")[:2]), parts, folder)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compares the pages, or writes them; the status is 1 if an unwritten page differs."""
    parser = argparse.ArgumentParser(prog="python -m experiments.pages", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER", help="experiments (all)")
    parser.add_argument("--write", action="store_true", help="write the pages that differ")
    options = parser.parse_args(arguments)
    every = options.folders or [path.parent for path in sorted(EXPERIMENTS.glob(f"*/{FIGURES}"))]
    differing = 0
    for folder in every:
        if (folder / STUDY).exists():
            print(f"{folder}: left out; the tables of a study are of its systems' outputs")
            continue
        page = rendered(folder)
        if page == (folder / PAGE).read_text(encoding="utf-8"):
            continue
        differing += 1
        print(f"{folder}: {'written' if options.write else 'differs'}")
        if options.write:
            write_text(folder / PAGE, page)
    sys.exit(int(differing > 0 and not options.write))


if __name__ == "__main__":
    main()

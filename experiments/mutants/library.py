"""`python -m experiments.mutants.library --seed 1`: checks that tests detect errors in all rooms of the library.

The seed determines the sample, so that nobody writes tests for a fixed set of errors. For each error, the tests of its
file run (those that name its module or its definitions, and its room's) until one fails.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path

from experiments.mutants.operators import Edit, edits
from experiments.mutants.running import Outcome, Workshop
from lattice_simp.support.textio import read_bytes

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("experiments", "lattice_simp", "grammars", "tests", "docs", "pyproject.toml", "README.md", "Makefile")
LEAST = 3
"""The least number of errors in each room."""

OF_ALL_FILES = ("tests/test_defaults.py",)
"""Tests of all files of the library."""

MOST_NAMING = 12
"""The most test files that name a module, or that test files which import it, shortest first; more take too long."""


@dataclass(frozen=True)
class LibraryMutant:
    """An error at a place; `tests` are arguments of pytest between blanks."""

    file: str
    edit: Edit
    tests: str

    @property
    def name(self) -> str:
        """The error and its place."""
        return f"{self.file}:{self.edit.line}: {self.edit.what}"

    @property
    def room(self) -> str:
        """The folder of the library; each of `systems` is a room."""
        parts = self.file.split("/")[1:-1]
        return "/".join(parts[: 2 if parts[:1] == ["systems"] else 1]) or "."

    def applied(self, text: str) -> str:
        """Returns the file's text with the error in it."""
        return self.edit.applied(text)


def sampled(count: int, seed: int) -> list[LibraryMutant]:
    """Draws errors from all rooms: by the number of places, and `LEAST` of each room."""
    rng = random.Random(seed)
    rooms = _places()
    total = sum(map(len, rooms.values()))
    chosen: list[LibraryMutant] = []
    for mutants in rooms.values():
        share = max(LEAST, round(count * len(mutants) / total))
        chosen += islice(filter(_compiles, rng.sample(mutants, len(mutants))), share)
    rng.shuffle(chosen)
    return [replace(mutant, tests=" ".join(tests_of(mutant.file))) for mutant in chosen[:count]]


@cache
def _places() -> dict[str, list[LibraryMutant]]:
    """Returns all possible errors by room."""
    rooms: dict[str, list[LibraryMutant]] = defaultdict(list)
    for path in sorted((ROOT / "lattice_simp").rglob("*.py")):
        if "grammars" not in path.parts:
            file = path.relative_to(ROOT).as_posix()
            for edit in edits(read_bytes(path).decode()):
                mutant = LibraryMutant(file, edit, "")
                rooms[mutant.room].append(mutant)
    return rooms


def _compiles(mutant: LibraryMutant) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            ast.parse(mutant.applied(read_bytes(ROOT / mutant.file).decode()))
    except SyntaxError:
        return False
    return True


def tests_of(file: str) -> list[str]:
    """Returns the tests of a file of the library.

    These are its examples, those with its name, those of the files that import it, those that name it, and its room's.
    """
    path = Path(file)
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    tree = ast.parse(read_bytes(ROOT / file).decode())
    public = [
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_"
    ]
    naming = re.compile(
        "|".join([re.escape(module) + r"\b", *(rf"\b{re.escape(name)}\b" for name in public if len(name) > 5)])
    )
    name = re.compile(rf"\b{re.escape(module)}\b")
    importing = {f"test_{source.stem}" for source, text in _sources().items() if name.search(text)}
    same = [test for test in _tests() if test.stem == f"test_{path.stem}"]
    near = [test for test in _tests() if test.stem in importing and test not in same]
    named = [test for test, text in _tests().items() if test not in same and naming.search(text)]
    room = ROOT.joinpath("tests", *path.parts[1:-1])
    while not room.is_dir():  # the tests of rooms above cover it
        room = room.parent
    rest = [test for test in _tests() if room != ROOT / "tests" and room in test.parents]
    chosen = [test.relative_to(ROOT).as_posix() for test in (*same, *near[:MOST_NAMING], *named[:MOST_NAMING], *rest)]
    return list(dict.fromkeys([file, *chosen, *OF_ALL_FILES]))


@cache
def _tests() -> dict[Path, str]:
    """Returns the texts of all test files but those of the experiments, the shortest first."""
    paths = [path for path in (ROOT / "tests").rglob("test_*.py") if "experiments" not in path.parts]
    texts = {path: read_bytes(path).decode() for path in sorted(paths)}
    return dict(sorted(texts.items(), key=lambda item: len(item[1])))


@cache
def _sources() -> dict[Path, str]:
    """Returns the texts of all files of the library."""
    return {path: read_bytes(path).decode() for path in sorted((ROOT / "lattice_simp").rglob("*.py"))}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a sample, and prints the survivors, then a table by room."""
    parser = argparse.ArgumentParser(prog="experiments.mutants.library", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300.0, help="that the tests of an error may take")
    options = parser.parse_args(arguments)
    mutants = sampled(options.count, options.seed)
    workshop = Workshop(ROOT, COPIED, options.seconds)
    count = Counter[tuple[str, Outcome]]()
    for mutant, outcome in workshop.outcomes(mutants, options.jobs, check=False):
        count[mutant.room, outcome] += 1
        print(f"{sum(count.values())} of {len(mutants)}: {outcome}: {mutant.name}", flush=True)
    print(_table(count))


def _table(count: Counter[tuple[str, Outcome]]) -> str:
    """Returns the outcomes by room; errors whose tests took too long count as undetected."""
    rows = ["", f"| room | errors | {' | '.join(kind.lower() for kind in Outcome)} |", "|---|---|---|---|---|"]
    for room in sorted({room for room, _ in count}):
        figures = [count[room, outcome] for outcome in Outcome]
        rows.append(f"| {room} | {sum(figures)} | {' | '.join(map(str, figures))} |")
    sums = [sum(number for (_, kind), number in count.items() if kind is outcome) for outcome in Outcome]
    share = f"{sums[0]} ({100 * sums[0] / sum(sums):.0f} %)"
    return "\n".join([*rows, f"| all | {sum(sums)} | {share} | {' | '.join(map(str, sums[1:]))} |"])


if __name__ == "__main__":
    main()

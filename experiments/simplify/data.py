"""The test sets, in the common form for measuring all their files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError
from lattice_simp.metrics import Lines
from lattice_simp.support.textio import read_lines

Config = Mapping[str, Any]

_GLUED_STOP = re.compile(r"(?<=[^\W_]{2})([.?!])$")


@dataclass(frozen=True)
class TestSet:
    """Complex sentences, their references, and outputs.

    Attributes:
        title: a heading.
        source: the file of the complex sentences.
        references: one or more files.
        outputs: the file of each system's output, by name.
        model: the name of our model for it; empty for none.
        given: the input file of our systems: tokens in their original case.
        systems: the names of our systems to run; all if empty.
        baseline: the system with which the others are compared.
        metrics: names of `METRICS`.
    """

    __test__ = False  # else pytest would collect the class

    name: str
    title: str
    source: Path
    references: tuple[Path, ...]
    outputs: Mapping[str, Path]
    baseline: str
    metrics: tuple[str, ...]
    model: str
    given: Path
    systems: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """All files."""
        return (self.source, *self.references, *self.outputs.values())


def read_sets(config: Config, corpora: Path) -> list[TestSet]:
    """Returns the test sets of the config, in order; paths that begin with `corpora/` are in the folder `corpora`."""

    def place(path: str) -> Path:
        return corpora / path.removeprefix("corpora/") if path.startswith("corpora/") else Path(config["data"], path)

    return [
        TestSet(
            settings["name"],
            settings["title"],
            place(settings["source"]),
            tuple(map(place, settings["references"])),
            {name: place(path) for name, path in settings["outputs"].items()},
            settings["baseline"],
            tuple(settings["metrics"]),
            settings.get("model", ""),
            place(settings.get("input", settings["source"])),
            tuple(settings.get("systems", ())),
        )
        for settings in config["sets"]
    ]


def read_normalised(path: Path, count: int | None = None) -> Lines:
    """Returns the sentences of a file of tokens, normalised.

    Raises:
        FormatError: the number of lines is not `count`.
    """
    lines = [normalise(line) for line in read_lines(path)]
    if count is not None and len(lines) != count:
        remedy = "give files of equally many lines"
        raise FormatError(f"has {len(lines)} lines for {count} sentences", path=path, remedy=remedy)
    return Lines(tokens=lines)


def normalise(line: str) -> str:
    """Returns lower-cased tokens, with a stop attached to the last word of a line as a separate token.

    >>> normalise("Wheat and other crops."), normalise("He lives in the U.S.")
    ('wheat and other crops .', 'he lives in the u.s.')
    """
    return " ".join(_GLUED_STOP.sub(r" \1", line.lower().strip()).split())

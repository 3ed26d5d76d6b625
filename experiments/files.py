"""Shared by experiments that keep lines, records and sentences in files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from lattice_simp.pipeline.stage import RECORD
from lattice_simp.support.textio import open_text, read_lines

_SEPARATOR = "*****"


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """Writes lines to a file; returns its path."""
    with open_text(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


def write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Writes records as JSON lines; returns the path of the file."""
    return write_lines(path, (json.dumps(record, ensure_ascii=False) for record in records))


def read_records(path: Path) -> list[dict[str, Any]]:
    """Reads a file of JSON lines."""
    return [json.loads(line) for line in read_lines(path)]


def separated_pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the pairs of OneStop's files: groups of two lines between lines of asterisks; skips other groups.

    >>> list(separated_pairs(["a", "b", "*****", "c", "*****", "d", "e"]))
    [('a', 'b'), ('d', 'e')]
    """
    group: list[str] = []
    for line in chain(lines, [_SEPARATOR]):
        if not line.startswith(_SEPARATOR):
            group += [line] if line.strip() else []
            continue
        if len(group) == 2:
            yield group[0], group[1]
        group = []


def sentence_file(folder: Path, number: int, name: str = "", ending: str = "arrays") -> Path:
    """Returns the file of a sentence; `name` is that of its set.

    >>> str(sentence_file(Path("lists"), 7, "test", "json"))
    'lists/test.000007.json'
    """
    return folder / f"{name}{'.' if name else ''}{number:06d}.{ending}"


def output_file(folder: Path, system: str) -> Path:
    """Returns the file of a system's outputs.

    >>> str(output_file(Path("outputs"), "joint, changed"))
    'outputs/joint-changed.txt'
    """
    return folder / f"{system.replace(',', '').replace(' ', '-')}.txt"


def finished_stages(work: Path, name: str) -> list[Path]:
    """Returns the folders of finished stages in a work folder, the newest last; `name` may have wildcards."""
    folders = (path.parent for path in work.glob(f"{name}.*/{RECORD}"))
    done = [folder for folder in folders if not folder.name.endswith(".partial")]
    return sorted(done, key=lambda folder: (folder / RECORD).stat().st_mtime)


def parallel_corpus(name: str) -> dict[str, str]:
    """Returns the entry of a training config for the files `NAME.source` and `NAME.target`."""
    return {"name": name, "source": f"{name}.source", "target": f"{name}.target"}

"""Running eflomal (Östling and Tiedemann 2016) for both directions."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.pipeline.shards import read_shard, shard_paths
from lattice_simp.pipeline.stage import Run
from lattice_simp.support.textio import read_lines

Links = tuple[Longs, Ints]
"""(offsets, links): the links of pair p are `links[offsets[p]:offsets[p + 1]]`, source and target positions."""

_FOLDER, _FILES = "eflomal", ("forward.txt", "backward.txt")


def find_eflomal() -> type[Any]:
    """Returns eflomal's class.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        from eflomal import Aligner
    except ImportError:
        raise MissingExtraError("eflomal is missing; pip install 'lattice-simp[train]'") from None
    found: type[Any] = Aligner
    return found


def run_eflomal(run: Run, folder: Path) -> tuple[Links, Links]:
    """Returns the links of both directions; they stay in `folder` until `forget_eflomal`, for a run that is killed.

    Raises:
        MissingExtraError: eflomal is not installed.
        LatticeSimpError: it failed.
    """
    paths = [folder / _FOLDER / name for name in _FILES]
    if not all(path.exists() for path in paths):
        forget_eflomal(folder)
        _align(run, folder)
    expected = sum(len(read_shard(path, ["source"])) for path in shard_paths(run.folders["number"]))
    links = _parse_links(paths[0]), _parse_links(paths[1])
    for path, (offsets, _) in zip(paths, links, strict=True):
        if len(offsets) != expected + 1:
            forget_eflomal(folder)
            message = f"eflomal aligned {len(offsets) - 1} of {expected} pairs ({path.name}); is the disk full?"
            raise LatticeSimpError(message)
    return links


def forget_eflomal(folder: Path) -> None:
    """Removes the links of both directions."""
    shutil.rmtree(folder / _FOLDER, ignore_errors=True)


def _align(run: Run, folder: Path) -> None:
    """Runs the aligner; its files get their names when complete, whatever a killed run's aligner still does."""
    aligner = find_eflomal()()
    scratch = folder / f"{_FOLDER}.{os.getpid()}.new"
    scratch.mkdir()
    try:
        aligner.align(
            _tokens(run, "source"),
            _tokens(run, "target"),
            links_filename_fwd=str(scratch / _FILES[0]),
            links_filename_rev=str(scratch / _FILES[1]),
        )
        os.replace(scratch, folder / _FOLDER)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        shutil.rmtree(scratch, ignore_errors=True)
        raise LatticeSimpError(f"eflomal failed: {error}; is the disk or the memory full?") from error


def _tokens(run: Run, side: str) -> Iterator[str]:
    for path in shard_paths(run.folders["prepare"]):
        yield from read_shard(path, [side])[side].to_pylist()


def _parse_links(path: Path) -> Links:
    """Reads lines of `0-0 1-2`."""
    nothing = np.zeros(0, dtype=np.int32)
    numbers = [
        np.fromstring(line.replace("-", " "), dtype=np.int32, sep=" ") if line else nothing for line in read_lines(path)
    ]
    offsets = np.zeros(len(numbers) + 1, dtype=np.int64)
    np.cumsum([len(found) // 2 for found in numbers], out=offsets[1:])
    return offsets, np.concatenate([nothing, *numbers]).reshape(-1, 2)

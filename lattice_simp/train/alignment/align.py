"""The stage `align`: word alignments of both directions, joined; a shard of links for each shard of pairs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.formats.textio import read_lines
from lattice_simp.kernel import Ints, Longs
from lattice_simp.train.alignment.hmm import Side, align_both
from lattice_simp.train.alignment.symmetrise import symmetrise
from lattice_simp.train.config import Align, Config
from lattice_simp.train.shards import list_column, lists_of, read_shard, shard_paths, write_shard
from lattice_simp.train.stage import Run, Stage
from lattice_simp.train.text.prepare import SIDES

Links = tuple[Longs, Ints]


def align_stage(config: Config) -> Stage:
    """Gives the stage that aligns the words of all pairs."""
    return Stage("align", ("prepare", "number"), config.align.model_dump(), (), partial(_align, config.align))


def _align(settings: Align, run: Run, folder: Path) -> dict[str, Any]:
    shards = shard_paths(run.folders["number"])
    directed = _eflomal(run, folder) if settings.method == "eflomal" else _hmm(run)
    begin = links = 0
    for done, path in enumerate(shards, start=1):
        table = read_shard(path, ["source", "target"])
        end = begin + len(table)
        forward, backward = (_part(one, begin, end) for one in directed)
        lengths = tuple(np.diff(lists_of(table[side])[0]).astype(np.int32) for side in ("source", "target"))
        offsets, points = symmetrise(forward, backward, (lengths[0], lengths[1]), settings.symmetrisation)
        write_shard(folder / path.name, {"links": list_column(2 * offsets, points.ravel())})
        begin, links = end, links + len(points)
        run.progress(done, len(shards))
    for name in _LINK_FILES:
        (folder / name).unlink(missing_ok=True)
    return {"links": links}


def read_links(path: Path) -> Links:
    """Reads a shard of links: (offsets, (points, 2) source and target positions)."""
    offsets, flat = lists_of(read_shard(path, ["links"])["links"])
    return offsets // 2, flat.reshape(-1, 2)


def _part(links: Links, begin: int, end: int) -> Links:
    offsets, points = links
    return offsets[begin : end + 1] - offsets[begin], points[offsets[begin] : offsets[end]]


# ---------------------------------------------------------------- eflomal

_LINK_FILES = ("forward.txt", "backward.txt")


def _eflomal(run: Run, folder: Path) -> tuple[Links, Links]:
    """Runs eflomal (Östling and Tiedemann 2016) for both directions.

    Raises:
        MissingExtraError: it is not installed.
        LatticeSimpError: it failed.
    """
    try:
        from eflomal import Aligner
    except ImportError:
        raise MissingExtraError("eflomal is missing; pip install 'lattice-simp[train]'") from None
    paths = [folder / name for name in _LINK_FILES]
    finished = folder / "eflomal.done"
    if not finished.exists():
        try:
            Aligner().align(
                _tokens(run, "source"),
                _tokens(run, "target"),
                links_filename_fwd=str(paths[0]),
                links_filename_rev=str(paths[1]),
            )
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            raise LatticeSimpError(f"eflomal failed: {error}; is the disk or the memory full?") from error
        if not all(map(Path.exists, paths)):
            raise LatticeSimpError("eflomal wrote no links; is the disk or the memory full?")
        finished.touch()
    links = _parse_links(paths[0]), _parse_links(paths[1])
    expected = sum(len(read_shard(path, ["source"])) for path in shard_paths(run.folders["number"]))
    for path, one in zip(paths, links, strict=True):
        if len(one[0]) != expected + 1:
            finished.unlink()
            raise LatticeSimpError(f"{path}: {len(one[0]) - 1} lines for {expected} pairs; run again")
    return links


def _tokens(run: Run, side: str) -> Iterator[str]:
    for path in shard_paths(run.folders["prepare"]):
        yield from read_shard(path, [side])[side].to_pylist()


def _parse_links(path: Path) -> Links:
    """Reads lines of `0-0 1-2`."""
    counts, numbers = [], []
    for line in read_lines(path):
        found = np.fromstring(line.replace("-", " "), dtype=np.int32, sep=" ") if line else _NO_LINKS
        counts.append(len(found) // 2)
        numbers.append(found)
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets, np.concatenate([_NO_LINKS, *numbers]).reshape(-1, 2)


_NO_LINKS = np.zeros(0, dtype=np.int32)


def _hmm(run: Run) -> tuple[Links, Links]:
    """Runs our own HMM aligner for both directions."""
    columns: dict[str, list[tuple[Longs, Ints]]] = {side: [] for side in SIDES}
    for path in shard_paths(run.folders["number"]):
        table = read_shard(path, SIDES)
        for side in SIDES:
            columns[side].append(lists_of(table[side]))
    source, target = (_side(columns.pop(side)) for side in SIDES)
    return align_both(source, target, jobs=run.jobs, progress=lambda done, total, _: run.progress(done, total))


def _side(shards: list[tuple[Longs, Ints]]) -> Side:
    words = np.concatenate([_NO_LINKS, *(flat for _, flat in shards)])
    offsets = np.zeros(1 + sum(len(own) - 1 for own, _ in shards), dtype=np.int64)
    np.cumsum(np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(own) for own, _ in shards)]), out=offsets[1:])
    return Side(words, offsets, int(words.max(initial=-1)) + 1)

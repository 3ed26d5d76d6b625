"""The stage `align`: word alignments of both directions, joined; a shard of links for each shard of pairs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.pipeline.shards import SIDES, list_column, lists_of, read_shard, shard_paths, write_shard
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.train.alignment.eflomal import Links, find_eflomal, forget_eflomal, run_eflomal
from lattice_simp.train.alignment.hmm import Side, align_both
from lattice_simp.train.alignment.symmetrise import symmetrise
from lattice_simp.train.config import Align, Config


def align_stage(config: Config) -> Stage:
    """Returns the stage that aligns the words of all pairs."""
    check = find_eflomal if config.align.method == "eflomal" else lambda: None
    work = partial(_align, config.align)
    return Stage("align", ("prepare", "number"), config.align.model_dump(), (), work, check=check)


def _align(settings: Align, run: Run, folder: Path) -> dict[str, Any]:
    shards = shard_paths(run.folders["number"])
    directed = run_eflomal(run, folder) if settings.method == "eflomal" else _hmm(run)
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
    forget_eflomal(folder)
    return {"links": links}


def read_links(path: Path) -> Links:
    """Reads a shard of links: (offsets, (points, 2) source and target positions)."""
    offsets, flat = lists_of(read_shard(path, ["links"])["links"])
    return offsets // 2, flat.reshape(-1, 2)


def _part(links: Links, begin: int, end: int) -> Links:
    offsets, points = links
    return offsets[begin : end + 1] - offsets[begin], points[offsets[begin] : offsets[end]]


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
    words = np.concatenate([np.zeros(0, dtype=np.int32), *(flat for _, flat in shards)])
    offsets = np.zeros(1 + sum(len(own) - 1 for own, _ in shards), dtype=np.int64)
    np.cumsum(np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(own) for own, _ in shards)]), out=offsets[1:])
    return Side(words, offsets, int(words.max(initial=-1)) + 1)

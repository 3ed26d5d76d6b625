"""The stage `align`: word alignments from our HMM aligner or from files; one shard of links for each shard of pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.blocks import block_numbers, prefix_sums
from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.shards import SIDES, list_column, lists_of, read_shard, shard_paths, taken, write_shard
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines
from lattice_simp.train.alignment.hmm import Side, align_both
from lattice_simp.train.alignment.links import Links, read_pharaoh
from lattice_simp.train.alignment.symmetrise import symmetrise
from lattice_simp.train.config import Config

Lengths = tuple[Ints, Ints]
"""The words of each source and each target of a shard."""


def align_stage(config: Config) -> Stage:
    """Returns the stage that aligns the words of all pairs."""
    settings = config.align.model_dump(exclude={"links"})
    files = _link_files(config)
    check = partial(_check_lines, config)
    return Stage("align", ("prepare", "number"), settings, files, partial(_align, config), check=check)


def _align(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    shards = shard_paths(run.folders["number"])
    links_of = _from_files(config, run) if config.align.method == "links" else _from_hmm(config, run)
    begin = links = 0
    for path in run.each(shards):
        table = read_shard(path, SIDES)
        source, target = (np.diff(lists_of(table[side])[0]).astype(np.int32) for side in SIDES)
        offsets, points = links_of(path.name, begin, (source, target))
        write_shard(folder / path.name, {"links": list_column(2 * offsets, points.ravel())})
        begin, links = begin + len(table), links + len(points)
    return {"links": links}


# ---------------------------------------------------------------- from files


def _link_files(config: Config) -> list[Path]:
    """Returns the files of links, one for each corpus, if the settings use them."""
    return [config.path(config.align.links[corpus.name]) for corpus in config.corpora if config.align.method == "links"]


def _check_lines(config: Config) -> None:
    """Checks the files of links before any stage runs."""
    for corpus, path in zip(config.corpora, _link_files(config), strict=False):
        lines, link_lines = sum(1 for _ in read_lines(config.path(corpus.source))), len(read_pharaoh(path)[0]) - 1
        require_parallel(path, link_lines, config.path(corpus.source), lines)


def _from_files(config: Config, run: Run) -> Callable[[str, int, Lengths], Links]:
    """Returns the function that finds the links of a shard's pairs by their corpus and line."""
    files = _link_files(config)
    link_files = [read_pharaoh(path) for path in files]
    starts = prefix_sums([len(offsets) - 1 for offsets, _ in link_files])
    offsets = prefix_sums(np.concatenate([np.diff(begins) for begins, _ in link_files]))
    points = np.concatenate([links for _, links in link_files])

    def links_of(name: str, begin: int, lengths: Lengths) -> Links:
        table = read_shard(run.folders["prepare"] / name, ["corpus", "line"])
        corpora, lines = table["corpus"].to_numpy(), table["line"].to_numpy()
        begins, links = taken(offsets, points, starts[corpora] + lines)
        pairs = block_numbers(begins)
        outside = np.flatnonzero((links >= np.stack(lengths, axis=1)[pairs]).any(axis=1))
        if len(outside):
            pair = pairs[outside[0]]
            link = "-".join(map(str, links[outside[0]].tolist()))
            message = (
                f"the link {link} leads out of a pair of {lengths[0][pair]} and {counted(lengths[1][pair], 'word')}"
            )
            remedy = "align the tokens that training makes, or switch text.tokenise and text.normalise off"
            raise FormatError(message, path=files[corpora[pair]], line=int(lines[pair]) + 1, remedy=remedy)
        return symmetrise((begins, links), (begins, links), lengths, "union")  # sorts the links and drops duplicates

    return links_of


# ---------------------------------------------------------------- by the HMM aligner


def _from_hmm(config: Config, run: Run) -> Callable[[str, int, Lengths], Links]:
    """Aligns both directions; returns the function that joins the links of a shard's pairs."""
    columns: dict[str, list[tuple[Longs, Ints]]] = {side: [] for side in SIDES}
    for path in shard_paths(run.folders["number"]):
        table = read_shard(path, SIDES)
        for side in SIDES:
            columns[side].append(lists_of(table[side]))
    source, target = (_side(columns.pop(side)) for side in SIDES)
    directed = align_both(source, target, jobs=run.jobs, progress=lambda done, total, _: run.progress(done, total))

    def links_of(name: str, begin: int, lengths: Lengths) -> Links:
        forward, backward = (_part(links, begin, begin + len(lengths[0])) for links in directed)
        return symmetrise(forward, backward, lengths, config.align.symmetrisation)

    return links_of


def _part(links: Links, begin: int, end: int) -> Links:
    offsets, points = links
    return offsets[begin : end + 1] - offsets[begin], points[offsets[begin] : offsets[end]]


def _side(shards: list[tuple[Longs, Ints]]) -> Side:
    words = np.concatenate([np.zeros(0, dtype=np.int32), *(flat for _, flat in shards)])
    lengths = np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(offsets) for offsets, _ in shards)])
    return Side(words, prefix_sums(lengths), int(words.max(initial=-1)) + 1)

"""Links between the words of sentence pairs: as arrays, in the shards of the stage `align`, and in Pharaoh files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.shards import lists_of, read_shard
from lattice_simp.support.textio import read_lines

Links = tuple[Longs, Ints]
"""(offsets, points): pair p has `points[offsets[p]:offsets[p + 1]]`, rows of (source, target) position, int32."""

_LINE = re.compile(r"(?:[0-9]{1,9}-[0-9]{1,9}(?:[ \t]+|$))*")


class Bitext(NamedTuple):
    """Numbered sentence pairs with links; sentence s is `offsets[s]:offsets[s + 1]` of each.

    Attributes:
        source_offsets, source, target_offsets, target: int64 and int32.
        link_offsets, links: int64 and (points, 2) int32, sorted by source position.
    """

    source_offsets: Longs
    source: Ints
    target_offsets: Longs
    target: Ints
    link_offsets: Longs
    links: Ints


def read_bitext(numbered: Path, aligned: Path, name: str) -> Bitext:
    """Reads a shard of the stages `number` and `align`."""
    table = read_shard(numbered / name, ["source", "target"])
    return Bitext(*lists_of(table["source"]), *lists_of(table["target"]), *read_links(aligned / name))


def read_links(path: Path) -> Links:
    """Reads a shard of the stage `align`."""
    offsets, flat = lists_of(read_shard(path, ["links"])["links"])
    return offsets // 2, flat.reshape(-1, 2)


def read_pharaoh(path: Path) -> Links:
    """Reads links as other aligners write them: a line for each sentence pair, such as `0-0 1-2`, positions from 0.

    Raises:
        FormatError: names the line that holds anything else.
    """
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        if not _LINE.fullmatch(line.strip(" \t")):
            wrong = next(part for part in split_tokens(line) if not _LINE.fullmatch(part))
            remedy = "write source-target positions from 0, such as 0-0 1-2"
            raise FormatError(f"{wrong[:50]!r} is not a link", path=path, line=number, remedy=remedy)
        rows.append(np.array(line.replace("-", " ").split(), dtype=np.int32))
    offsets = prefix_sums([len(row) // 2 for row in rows])
    return offsets, np.concatenate([np.zeros(0, dtype=np.int32), *rows]).reshape(-1, 2)

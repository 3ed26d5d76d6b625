"""Aligns the collections `c` and `s` of a folder, and kills each run before its 24th operation on the disk.

`killed_alignments.py FOLDER`: each run is a fork that kills itself with SIGKILL; prints the number of killed runs.
"""

from __future__ import annotations

import signal
import sys
from functools import partial
from pathlib import Path

import spacy  # once, not in each fork

sys.path.insert(0, str(Path(__file__).parents[2]))

from inline_tasks import inline_batch
from train.killed_runs import forked, kill_at_operation

from lattice_simp.support.tasks import batch
from lattice_simp.systems.corpus import collections
from lattice_simp.systems.corpus.pipeline import align_collections


def align(folder: Path, output: str, operation: int) -> None:
    if operation:
        kill_at_operation(operation)
    align_collections(folder / "c", folder / "s", folder / output)


def main(folder: Path) -> int:
    spacy.blank("en")
    batch.run_batch = inline_batch
    collections.SHARD_ARTICLES = 2
    if forked(partial(align, folder, "whole", 0)) != 0:
        return 1
    kills = 0
    while (
        status := forked(partial(align, folder, "killed", 24))
    ) == -signal.SIGKILL:  # fewer operations get no further
        kills += 1
        if kills > 20:
            return 1
    print(kills)
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

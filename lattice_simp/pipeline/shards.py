"""Shards: Parquet files of a fixed number of sentence pairs, numbered from 0, each the work of one task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lattice_simp.core.blocks import chosen_blocks
from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import LatticeSimpError, one_line
from lattice_simp.pipeline.stage import Run
from lattice_simp.support.atomic import replacing
from lattice_simp.support.tasks.batch import all_results

SIDES = ("source", "target")
"""The columns of sentences, in the order of all pairs."""


def shard_path(folder: Path, number: int) -> Path:
    """Names a shard."""
    return folder / f"{number:06d}.parquet"


def shard_paths(folder: Path) -> list[Path]:
    """Returns all shards of a folder, in order."""
    return sorted(folder.glob("[0-9]*.parquet"))


def write_shard(path: Path, columns: dict[str, Any]) -> None:
    """Writes a shard, complete or not at all, the same bytes for the same columns."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as growing:
            pq.write_table(pa.table(columns), growing, compression="zstd", compression_level=1)
    except OSError as error:
        raise LatticeSimpError(f"{path}: cannot be written: {error.strerror or error}; is the disk full?") from error


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Reads a shard's columns; raises LatticeSimpError if the file is missing or damaged."""
    with _readable(path, "Parquet"):
        return pq.read_table(path, columns=columns and list(columns), memory_map=True, partitioning=None)


def count_rows(paths: Iterable[Path]) -> int:
    """Returns the number of rows of all these shards; raises as `read_shard`."""
    total = 0
    for path in paths:
        with _readable(path, "Parquet"):
            total += pq.read_metadata(path).num_rows
    return total


def read_npz(path: Path, *names: str) -> list[npt.NDArray[Any]]:
    """Reads these arrays of an `.npz` file; raises LatticeSimpError if the file is damaged or lacks one."""
    with _readable(path, ".npz"), np.load(path) as stored:
        arrays = [stored[name] for name in names]
        if not all(isinstance(array, np.ndarray) for array in arrays):  # numpy returns damaged ones as bytes
            raise ValueError("a member is not an array")
        return arrays


@contextmanager
def _readable(path: Path, kind: str) -> Iterator[None]:
    """Turns the errors of libraries that read a stage's file into one that names the file and the remedy."""
    try:
        yield
    except Exception as error:  # the libraries raise many types for damaged files
        message = f"{path}: not a readable {kind} file: {one_line(error)}; remove its folder and run again"
        raise LatticeSimpError(message) from error


def lists_of(column: pa.ChunkedArray) -> tuple[Longs, Ints]:
    """Returns a column of lists of numbers as (offsets, flat)."""
    combined = column.combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.chunk(0) if combined.num_chunks else pa.array([], column.type)
    offsets = combined.offsets.to_numpy().astype(np.int64)
    flat = combined.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], flat.astype(np.int32)


def taken(offsets: Longs, flat: Ints, rows: Longs) -> tuple[Longs, Ints]:
    """Returns the lists of some rows, in the order of `rows`.

    >>> taken(np.array([0, 2, 3]), np.array([7, 8, 9]), np.array([1, 0]))[1].tolist()
    [9, 7, 8]
    """
    indices, chosen = chosen_blocks(offsets, rows)
    return chosen, flat[indices]


def list_column(offsets: Longs, flat: Ints) -> pa.Array:
    """Returns a column of lists of int32 numbers."""
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(flat.astype(np.int32)))


def over_shards(
    run: Run, factory: Callable[[], Callable[[Any], Any]], tasks: Iterable[Any], done: Callable[[Any], bool]
) -> Iterator[tuple[Any, Any]]:
    """Runs the unfinished tasks in processes or on the cluster; yields (task, result) as they come.

    Raises LatticeSimpError if a task failed; the others' shards stay for the next run.
    """
    all_tasks = list(tasks)
    todo = [task for task in all_tasks if not done(task)]
    finished = len(all_tasks) - len(todo)
    run.progress(finished, len(all_tasks))
    if not todo:
        return
    for number, result in all_results(enumerate(todo), factory, jobs=run.jobs, cluster=run.cluster):
        finished += 1
        run.progress(finished, len(all_tasks))
        yield todo[number], result


def results_in_order(
    run: Run, factory: Callable[[], Callable[[Any], Any]], tasks: Iterable[Any], what: str = ""
) -> list[Any]:
    """Runs tasks in processes or on the cluster; returns their results in the order of the tasks.

    >>> from functools import partial
    >>> results_in_order(Run(), partial(partial, abs), [-3, 4])
    [3, 4]

    Raises LatticeSimpError if a task failed; `what` is the noun for a task in the message.
    """
    all_tasks = list(tasks)
    results: list[Any] = [None] * len(all_tasks)
    done = all_results(enumerate(all_tasks), factory, jobs=run.jobs, cluster=run.cluster, what=what)
    for finished, (number, result) in enumerate(done, start=1):
        results[number] = result
        run.progress(finished, len(all_tasks))
    return results


def run_all(results: Iterator[Any]) -> None:
    """Runs an iterator for its effects."""
    for _ in results:
        pass

"""Tables larger than memory: DuckDB with a memory limit, which spills to disk, over columns of bytes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

MEMORY = "1500MB"
"""The memory limit of one worker's DuckDB."""


@contextmanager
def open_database(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a database in memory that spills to a temporary subfolder."""
    spill = folder / f"spill.{os.getpid()}"
    connection = duckdb.connect()
    try:
        connection.execute(f"SET memory_limit='{MEMORY}'; SET threads=1; SET preserve_insertion_order=false")
        connection.execute("SET enable_progress_bar=false")
        connection.execute(f"SET temp_directory='{str(spill).replace(chr(39), chr(39) * 2)}'")
        yield connection
    finally:
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)


def binary_column(offsets: npt.NDArray[Any], values: npt.NDArray[Any]) -> pa.Array:
    """Returns a column of bytes: row r holds `values[offsets[r]:offsets[r + 1]]`."""
    starts = pa.py_buffer((offsets * values.dtype.itemsize).astype(np.int32))
    flat = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, [None, starts, flat])


def rows_of(column: pa.ChunkedArray, kind: npt.DTypeLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Returns a column of bytes as (offsets, flat values)."""
    joined = pa.concat_arrays([pa.array([], pa.large_binary()), *column.cast(pa.large_binary()).chunks])
    _, offsets, data = joined.buffers()
    if not len(joined) or data is None:
        return np.zeros(len(joined) + 1, dtype=np.int64), np.zeros(0, dtype=kind)
    starts = np.frombuffer(offsets, dtype=np.int64)[joined.offset : joined.offset + len(joined) + 1]
    flat = np.frombuffer(data, dtype=np.uint8)[starts[0] : starts[-1]].view(kind)
    return (starts - starts[0]) // np.dtype(kind).itemsize, flat


def first_line(error: BaseException) -> str:
    """Returns an error's first line."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__

"""The stages `count` and `targets`: counts of rules, and of their target sides, over all shards.

`count` reads bucket after bucket from all shards, sums the counts (DuckDB, in bounded memory), and keeps the most
frequent target sides of each source side. `targets` reads the pairs once more and counts the remaining target sides
with any source side, so a table for only some sentences has the same probabilities as the complete one.
"""

from __future__ import annotations

import glob
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.shards import (
    count_rows,
    over_shards,
    read_npz,
    read_shard,
    run_all,
    shard_path,
    shard_paths,
    write_shard,
)
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.array_cache import read_arrays, write_arrays
from lattice_simp.support.atomic import replacing
from lattice_simp.train.alignment.links import read_bitext
from lattice_simp.train.config import Config
from lattice_simp.train.rules.extract import Limits, count_targets, hash_rows
from lattice_simp.train.rules.extract_stage import bucket_count, limits_of
from lattice_simp.train.rules.out_of_core import first_line, open_database, rows_of

TARGETS = "targets.npz"
_TABLE = "table.arrays"

_COUNT = """
WITH by_points AS (
    SELECT source, target, points, sum(count) AS n, bit_or(corpora) AS corpora, any_value(has_gaps) AS has_gaps
    FROM read_parquet(?, hive_partitioning = false) WHERE bucket = ? GROUP BY source, target, points
), by_rule AS (
    SELECT source, target, CAST(sum(n) AS BIGINT) AS n, bit_or(corpora) AS corpora,
           first(points ORDER BY n DESC, points) AS points, any_value(has_gaps) AS has_gaps
    FROM by_points GROUP BY source, target
), ranked AS (
    SELECT *, CAST(sum(n) OVER (PARTITION BY source) AS BIGINT) AS source_count,
           row_number() OVER (PARTITION BY source ORDER BY n DESC, target) AS rank
    FROM by_rule
)
SELECT source, target, points, corpora, has_gaps, n AS count, source_count FROM ranked
WHERE rank <= ? AND (n >= ? OR NOT has_gaps)
ORDER BY source, target
"""


# ---------------------------------------------------------------- the stage `count`


def count_stage(config: Config) -> Stage:
    """Returns the stage that sums the shards' counts."""
    rules = config.rules
    settings = {"min_count_hierarchical": rules.min_count_hierarchical, "max_targets": rules.max_targets}
    return Stage("count", ("number", "extract"), settings, (), partial(_count, config))


def _count(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    rules = config.rules
    make = partial(_count_bucket, run.folders["extract"], folder, rules.max_targets, rules.min_count_hierarchical)
    buckets = range(bucket_count(run.folders["number"]))
    run_all(over_shards(run, partial(partial, make), buckets, lambda bucket: shard_path(folder, bucket).exists()))
    return {"rules": count_rows(shard_paths(folder))}


def _count_bucket(extracted: Path, folder: Path, max_targets: int, min_count: int, bucket: int) -> None:
    # Unless this is disabled, DuckDB expands patterns and takes folders called `name=value` for columns.
    files = [glob.escape(str(path)) for path in shard_paths(extracted)]
    try:
        with open_database(folder) as connection:
            counted = connection.sql(_COUNT, params=[files, bucket, max_targets, min_count]).to_arrow_table()
    except duckdb.Error as error:
        raise LatticeSimpError(f"{folder}: {first_line(error)}; is the disk full?") from error
    write_shard(shard_path(folder, bucket), {name: counted[name] for name in counted.column_names})


# ---------------------------------------------------------------- the stage `targets`


def targets_stage(config: Config) -> Stage:
    """Returns the stage that counts the target sides."""
    return Stage("targets", ("number", "align", "count"), None, (), partial(_targets, config))


def _targets(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    if not (folder / _TABLE).exists():
        columns = (read_shard(path, ["target"])["target"] for path in run.each(shard_paths(run.folders["count"])))
        different = np.unique(np.concatenate([hash_rows(*rows_of(column, np.int32)) for column in columns]))
        keys, values = _table_of(different)
        write_arrays(folder / _TABLE, {"targets": different, "keys": keys, "values": values})
    targets = read_arrays(folder / _TABLE)["targets"]
    make = partial(_count_shard, run.folders["number"], run.folders["align"], limits_of(config.rules))
    paths = [folder / f"{path.stem}.arrays" for path in shard_paths(run.folders["number"])]
    run_all(over_shards(run, partial(partial, make), paths, Path.exists))
    counts = np.zeros(len(targets), dtype=np.int64)
    occurrences = 0
    for path in run.each(paths):
        shard = read_arrays(path)
        counts += shard["counts"]
        occurrences += int(shard["occurrences"])
    with replacing(folder / TARGETS) as growing, growing.open("xb") as file:
        np.savez(file, targets=targets, counts=counts)
    for path in (*paths, folder / _TABLE):
        path.unlink()
    return {"targets": len(targets), "occurrences": occurrences}


def read_target_counts(folder: Path) -> tuple[Longs, Longs]:
    """Reads the stage's result: sorted hashes of target sides, and their counts."""
    targets, counts = read_npz(folder / TARGETS, "targets", "counts")
    return targets, counts


def _count_shard(numbered: Path, aligned: Path, limits: Limits, path: Path) -> None:
    table = read_arrays(path.with_name(_TABLE))
    counts = np.zeros(len(table["targets"]), dtype=np.int64)
    bitext = read_bitext(numbered, aligned, f"{path.stem}.parquet")
    occurrences = count_targets(bitext, limits, table["keys"], table["values"], counts)
    write_arrays(path, {"counts": counts, "occurrences": np.array(occurrences)})


@jit
def _table_of(different: Longs) -> tuple[Longs, Ints]:
    size = 1024
    while size < 2 * len(different):
        size *= 2
    keys = np.full(size, -1, dtype=np.int64)
    values = np.full(size, -1, dtype=np.int32)
    for index in range(len(different)):
        slot = find_slot(keys, different[index])
        keys[slot], values[slot] = different[index], index
    return keys, values

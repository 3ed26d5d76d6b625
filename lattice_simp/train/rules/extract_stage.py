"""The stage `extract`: the rules of all pairs, counted shard by shard.

Each shard's Parquet file holds its distinct rules with their counts, in row groups by bucket (a hash of the source
side), so that the next stage can read one bucket from all files.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lattice_simp.core.kernel import Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.shards import count_rows, over_shards, read_shard, run_all, shard_paths
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.array_cache import read_arrays, write_arrays
from lattice_simp.support.atomic import replacing
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.alignment.links import read_bitext
from lattice_simp.train.config import Config, Rules
from lattice_simp.train.rules.extract import Limits, RuleBlock, extract_block, hash_rows
from lattice_simp.train.rules.grammar_filter import EVERYTHING, filter_sentences, matching_patterns
from lattice_simp.train.rules.out_of_core import binary_column, first_line, open_database
from lattice_simp.train.text.vocabulary import read_words

BUCKET_PAIRS, MAX_BUCKETS = 15_000, 64
"""The table has a bucket for this many pairs, so that the rules of a bucket fit into memory, and buckets are few."""

BLOCK_RULES = 3_000_000
"""How many rules a worker collects before it counts and writes them."""

FILTER = "filter.arrays"


def limits_of(rules: Rules) -> Limits:
    """Returns the kernels' limits."""
    return Limits(rules.max_span, rules.max_symbols, rules.max_gaps)


def extract_stage(config: Config) -> Stage:
    """Returns the stage that extracts the rules of each shard."""
    rules = config.rules
    text = config.text.model_dump() if rules.only_for else None
    settings = limits_of(rules)._asdict() | {"text": text}
    files = [config.path(path) for path in rules.only_for]
    return Stage("extract", ("prepare", "number", "align"), settings, files, partial(_extract, config))


def bucket_count(numbered: Path) -> int:
    """Returns the number of buckets for the numbered pairs; it depends on their number alone."""
    return min(MAX_BUCKETS, count_rows(shard_paths(numbered)) // BUCKET_PAIRS + 1)


def _extract(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    if not (folder / FILTER).exists():
        write_arrays(folder / FILTER, {"patterns": _allowed_patterns(config, run)})
    inputs = (run.folders["number"], run.folders["align"])
    make = partial(_extract_shard, *inputs, limits_of(config.rules), bucket_count(inputs[0]))
    paths = [folder / path.name for path in shard_paths(inputs[0])]
    run_all(over_shards(run, partial(partial, make), paths, Path.exists))
    return {"shard_rules": count_rows(paths)}


def _allowed_patterns(config: Config, run: Run) -> Longs:
    if not config.rules.only_for:
        return EVERYTHING
    tokeniser = tokenisers(config.text, run.folders["prepare"])[0]
    sentences = filter_sentences(map(config.path, config.rules.only_for), tokeniser)
    return matching_patterns(sentences, read_words(run.folders["number"], "source"), limits_of(config.rules))


def _extract_shard(numbered: Path, aligned: Path, limits: Limits, buckets: int, path: Path) -> None:
    allowed = read_arrays(path.with_name(FILTER))["patterns"]
    bitext = read_bitext(numbered, aligned, path.name)
    corpus = read_shard(numbered / path.name, ["corpus"])["corpus"].to_numpy()
    try:
        with (
            replacing(path) as growing,
            open_database(path.parent) as connection,
            pq.ParquetWriter(growing, SCHEMA, compression="zstd") as writer,
        ):
            begin = 0
            while begin < len(corpus):
                block = extract_block(bitext, begin, limits, allowed, BLOCK_RULES)
                begin = block.end
                for group in _counted(connection, block, corpus, buckets):
                    writer.write_table(group)
    except (OSError, duckdb.Error) as error:
        raise LatticeSimpError(f"{path}: {first_line(error)}; is the disk full?") from error


SCHEMA = pa.schema(
    [
        ("bucket", pa.int16()),
        ("source", pa.binary()),
        ("target", pa.binary()),
        ("points", pa.binary()),
        ("corpora", pa.int64()),
        ("has_gaps", pa.bool_()),
        ("count", pa.int64()),
    ]
)


def _counted(
    connection: duckdb.DuckDBPyConnection, block: RuleBlock, corpus: np.ndarray[Any, Any], buckets: int
) -> Iterator[pa.Table]:
    """Returns the distinct rules with their counts, bucket by bucket."""
    if not len(block.sentence):
        return
    sides = block.sides
    columns = {
        "bucket": (hash_rows(sides.source_offsets, sides.source) % buckets).astype(np.int16),
        "source": binary_column(sides.source_offsets, sides.source),
        "target": binary_column(sides.target_offsets, sides.target),
        "points": binary_column(sides.point_offsets, sides.points),
        "corpora": np.left_shift(np.int64(1), corpus[block.sentence].astype(np.int64)),
        "has_gaps": np.minimum.reduceat(sides.source, sides.source_offsets[:-1]) < 0,
    }
    connection.register("rules", pa.table(columns))
    counted = connection.sql(
        """SELECT bucket, source, target, points, bit_or(corpora) AS corpora,
                  any_value(has_gaps) AS has_gaps, CAST(count(*) AS BIGINT) AS count
           FROM rules GROUP BY bucket, source, target, points
           ORDER BY bucket, source, target, points"""
    ).to_arrow_table()
    connection.unregister("rules")
    ends = np.searchsorted(counted["bucket"].to_numpy(), np.arange(buckets + 1))
    for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        if end > begin:
            yield counted.slice(begin, end - begin)

"""The stages that read two collections and pair their articles in bounded memory.

read-complex, read-simple   shards of usable articles: number, key, title, paragraphs, is_wikitext
pair                        shards of article pairs: title, and number, paragraphs, is_wikitext of each side

DuckDB pairs the titles and spills to disk if necessary. The pairs have the order of the simple collection. Of several
articles with the same title only the first is used; the others are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.pipeline.shards import shard_path, shard_paths, write_shard
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.tables import grammar_path
from lattice_simp.systems.corpus.articles import Article, read_articles
from lattice_simp.systems.corpus.settings import CorpusSettings
from lattice_simp.systems.corpus.usable import TABLE, unusable
from lattice_simp.train.rules.out_of_core import first_line, open_database

SIDES = ("complex", "simple")

PAIR = "pair"

SHARD_ARTICLES, SHARD_CHARACTERS = 500, 4_000_000
"""A shard ends with the article, or the pair of articles (in bytes), that reaches either limit."""

_SORTED = "sorted.parquet"
_PROGRESS_STEP = 1000
"""The number of articles between progress reports."""

_COLUMNS = {
    "number": pa.int64(),
    "key": pa.string(),
    "title": pa.string(),
    "paragraphs": pa.list_(pa.string()),
    "is_wikitext": pa.bool_(),
}


def read_stage(side: str, path: Path, settings: CorpusSettings) -> Stage:
    """Returns the stage that reads a collection and drops unusable articles."""
    work = partial(_read, path, settings.min_words)
    return Stage(f"read-{side}", (), [settings.min_words], [path, grammar_path(TABLE)], work)


def pair_stage() -> Stage:
    """Returns the stage that pairs articles by title."""
    return Stage(PAIR, [f"read-{side}" for side in SIDES], None, (), _pair)


def _read(path: Path, min_words: int, run: Run, folder: Path) -> dict[str, Any]:
    dropped: Counter[str] = Counter()
    read = 0

    def usable() -> Iterator[Article]:
        nonlocal read
        for read, article in enumerate(read_articles(path), start=1):
            if read % _PROGRESS_STEP == 0:
                run.progress(read, None)
            reason = unusable(article.title, article.paragraphs, min_words) if article.is_titled else None
            if reason is None:
                yield article
            else:
                dropped[reason] += 1

    for number, articles in enumerate(_in_shards(usable(), lambda article: sum(map(len, article.paragraphs)))):
        rows = {
            name: pa.array([getattr(article, name) for article in articles], kind) for name, kind in _COLUMNS.items()
        }
        write_shard(shard_path(folder, number), rows)
    if read == sum(dropped.values()):
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(dropped.items()))
        remedy = "give running text, or lower --min-words"
        raise FormatError(f"none of its {read} articles is usable: {reasons}", path=path, remedy=remedy)
    return {"articles": read, "dropped": dict(sorted(dropped.items()))}


Item = TypeVar("Item")


def _in_shards(items: Iterable[Item], size_of: Callable[[Item], int]) -> Iterator[list[Item]]:
    shard: list[Item] = []
    size = 0
    for item in items:
        shard.append(item)
        size += size_of(item)
        if len(shard) == SHARD_ARTICLES or size >= SHARD_CHARACTERS:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


# ---------------------------------------------------------------- pairs of articles

_PAIRED = """
    SELECT simple.title AS title, {columns}
    FROM (SELECT key, min(number) AS number FROM complex GROUP BY key) AS first_complex
    JOIN (SELECT key, min(number) AS number FROM simple GROUP BY key) AS first_simple USING (key)
    JOIN complex ON complex.number = first_complex.number
    JOIN simple ON simple.number = first_simple.number
    ORDER BY simple.number"""


def _pair(run: Run, folder: Path) -> dict[str, Any]:
    columns = ", ".join(
        f"{side}.{name} AS {side}_{name}" for side in SIDES for name in ("number", "paragraphs", "is_wikitext")
    )
    try:
        with open_database(folder) as connection:
            for side in SIDES:
                files = _quoted(run.folders[f"read-{side}"] / "[0-9]*.parquet")
                connection.execute(f"CREATE VIEW {side} AS SELECT * FROM read_parquet({files})")
            options = "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES '32MB'"
            query = _PAIRED.format(columns=columns)
            connection.execute(f"COPY ({query}) TO {_quoted(folder / _SORTED)} ({options})")
            counts = {side: connection.execute(_COUNTED.format(side=side)).fetchone() for side in SIDES}
            firsts = [connection.execute(_FIRST_TITLE.format(side=side)).fetchone() for side in SIDES]
    except duckdb.Error as error:
        raise LatticeSimpError(f"{folder}: {first_line(error)}; is the disk full?") from error
    paired = _shards_of(folder)
    if not paired:
        titles = " and ".join(f"{first[0]!r}" for first in firsts if first is not None)
        remedy = "paired articles must have equal titles; articles of plain text have the numbers of their lines"
        raise LatticeSimpError(f"the collections have no title in common: their first titles are {titles} ({remedy})")
    totals = {side: counts[side] or (0, 0) for side in SIDES}
    return {
        "pairs": paired,
        "duplicate_titles": {side: usable - titles for side, (usable, titles) in totals.items()},
        "without_partner": {side: titles - paired for side, (_, titles) in totals.items()},
    }


_FIRST_TITLE = "SELECT title FROM {side} ORDER BY number LIMIT 1"
_COUNTED = "SELECT count(*), count(DISTINCT key) FROM {side}"


def _shards_of(folder: Path) -> int:
    """Splits the sorted file into shards; returns the number of pairs."""
    count = 0
    with pq.ParquetFile(folder / _SORTED) as file:
        rows = (batch.slice(row, 1) for batch in file.iter_batches(batch_size=16) for row in range(len(batch)))
        for number, shard in enumerate(_in_shards(rows, lambda row: row.nbytes)):
            table = pa.Table.from_batches(shard).combine_chunks()
            write_shard(shard_path(folder, number), dict(zip(table.column_names, table.columns, strict=True)))
            count += len(shard)
    (folder / _SORTED).unlink()
    return count


def pair_shards(run: Run) -> list[Path]:
    """Returns the shards of article pairs."""
    return shard_paths(run.folders[PAIR])


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"

"""The stage that aligns the sentences of each shard's articles.

align   000000.parquet: a row for each sentence pair, in the order of the simple text
        000000.json: counts
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lattice_simp.core.kernel import Bools
from lattice_simp.pipeline.shards import lists_of, over_shards, read_shard, run_all, write_shard
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.systems.corpus.alignment import MAX_CELLS, Ranges, align_ranges
from lattice_simp.systems.corpus.collections import SIDES, pair_shards
from lattice_simp.systems.corpus.grid import MOVES
from lattice_simp.systems.corpus.paragraphs import pair_paragraphs
from lattice_simp.systems.corpus.settings import CorpusSettings
from lattice_simp.systems.corpus.splitting import FREQUENCIES, SPLIT, read_frequencies
from lattice_simp.systems.corpus.tfidf import Frequencies, Vectors

ALIGN = "align"

PLACE = ("paragraph", "sentence", "begin", "end", "text")
"""The columns of a sentence in its pair."""

_USED = ("paragraph_threshold", "sentence_threshold", "skip_cost")


def align_stage(settings: CorpusSettings) -> Stage:
    """Returns the stage that aligns the sentences of each shard."""
    used = {name: value for name, value in asdict(settings).items() if name in _USED}
    return Stage(ALIGN, ("pair", SPLIT, FREQUENCIES), used, (), partial(_align, settings))


def _align(settings: CorpusSettings, run: Run, folder: Path) -> dict[str, Any]:
    work = partial(_align_shard, settings, run.folders[SPLIT], run.folders[FREQUENCIES], folder)
    shards = pair_shards(run)
    run_all(over_shards(run, partial(partial, work), shards, lambda path: (folder / path.name).exists()))
    counted: Counter[str] = Counter()
    for path in shards:
        counted.update(read_json((folder / path.name).with_suffix(".json")))
    return dict(counted)


class _Side(NamedTuple):
    """A row for each sentence of a shard's side, the vectors, and the ranges of each paragraph and each article."""

    table: pa.Table
    sentences: Vectors
    paragraphs: Vectors
    members: Ranges
    articles: Ranges


@cache
def _frequencies(folder: Path) -> Frequencies:
    """Reads the table once in each worker."""
    return read_frequencies(folder)


def _align_shard(settings: CorpusSettings, split: Path, frequencies: Path, folder: Path, pairs: Path) -> None:
    titles = read_shard(pairs, ["title", *(f"{side}_number" for side in SIDES)])
    left, right = (_read_side(split / side / pairs.name, len(titles), _frequencies(frequencies)) for side in SIDES)
    fits = _small(left.articles, right.articles)
    chosen = np.flatnonzero(fits)
    articles = left.articles.taken(chosen), right.articles.taken(chosen)
    paragraphs = pair_paragraphs(left.paragraphs, right.paragraphs, *articles, settings.paragraph_threshold)
    complex_ranges, simple_ranges = left.members.taken(paragraphs.complex), right.members.taken(paragraphs.simple)
    small = _small(complex_ranges, simple_ranges)
    kept = np.flatnonzero(small)
    alignment = align_ranges(
        left.sentences, right.sentences, complex_ranges.taken(kept), simple_ranges.taken(kept), settings
    )
    columns: dict[str, Any] = {
        "kind": pa.array(np.array([move.name for move in MOVES])[alignment.move], pa.string()),
        "similarity": alignment.similarity,
        "paragraph_similarity": paragraphs.cosine[kept][alignment.grid],
    }
    article = left.table["article"].take(pa.array(alignment.row))
    columns["title"] = titles["title"].take(article)
    for side, rows_of_side, rows in zip(SIDES, (left, right), (alignment.row, alignment.column), strict=True):
        columns[f"{side}_article"] = titles[f"{side}_number"].take(article)
        columns |= {f"{side}_{name}": rows_of_side.table[name].take(pa.array(rows)) for name in PLACE}
    counted = {
        "too_long_articles": int((~fits).sum()),
        "too_long_paragraph_pairs": int((~small).sum()),
        "paragraph_pairs": len(kept),
        "sentence_pairs": len(alignment.row),
    }
    write_json((folder / pairs.name).with_suffix(".json"), counted)
    write_shard(folder / pairs.name, columns)


def _read_side(path: Path, articles: int, frequencies: Frequencies) -> _Side:
    table = read_shard(path)
    offsets, words = lists_of(table["words"])
    article, paragraph = table["article"].to_numpy(), table["paragraph"].to_numpy()
    is_first = (np.diff(article, prepend=-1) != 0) | (np.diff(paragraph, prepend=-1) != 0)
    starts = np.append(np.flatnonzero(is_first), len(table))
    vectors = Vectors.of(offsets, words, frequencies)
    bounds = np.searchsorted(article[starts[:-1]], np.arange(articles + 1))
    return _Side(
        table.drop_columns(["words"]),
        vectors,
        Vectors.of(offsets[starts], words, frequencies),
        Ranges(starts[:-1], starts[1:]),
        Ranges(bounds[:-1], bounds[1:]),
    )


def _small(complex_ranges: Ranges, simple_ranges: Ranges) -> Bools:
    return np.asarray(complex_ranges.sizes * simple_ranges.sizes <= MAX_CELLS)

"""The stages that split paired articles into sentences and count sentence frequencies of words.

split         complex/000000.parquet, simple/000000.parquet: the sentences of a shard's articles, and their words
                      counts/000000.parquet: the number of sentences with each word
              frequencies   table.arrays: the sums over all shards

This is the first of two passes over the text, restricted to articles with a partner.
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.pipeline.shards import list_column, over_shards, read_shard, run_all, shard_paths, write_shard
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.array_cache import read_arrays, write_arrays
from lattice_simp.support.extras import extra
from lattice_simp.systems.corpus.collections import SIDES, pair_shards
from lattice_simp.systems.corpus.mediawiki import paragraphs_of
from lattice_simp.systems.corpus.sentences import Splitter
from lattice_simp.systems.corpus.settings import CorpusSettings
from lattice_simp.systems.corpus.tfidf import SLOTS, Frequencies, count_words

SPLIT, FREQUENCIES = "split", "frequencies"

_COUNTS, _TABLE = "counts", "table.arrays"


def split_stage(settings: CorpusSettings) -> Stage:
    """Returns the stage that splits the articles of each shard."""
    with extra("corpus"):
        used = [settings.language, version("spacy")]
    splitter = Splitter(settings.language)
    return Stage(SPLIT, ("pair",), used, splitter.tables, partial(_split, splitter), check=splitter.check)


def frequencies_stage() -> Stage:
    """Returns the stage that sums the counts of shards."""
    return Stage(FREQUENCIES, (SPLIT,), SLOTS, (), _sum)


def read_frequencies(folder: Path) -> Frequencies:
    """Reads the table of a complete stage."""
    table = read_arrays(folder / _TABLE)
    return Frequencies(int(table["sentences"][0]), table["counts"])


def _split(splitter: Splitter, run: Run, folder: Path) -> dict[str, Any]:
    shards = pair_shards(run)
    paths = [folder / _COUNTS / path.name for path in shards]
    work = partial(_split_shard, splitter, shards[0].parent)
    run_all(over_shards(run, partial(partial, work), paths, Path.exists))
    return {}


def _split_shard(splitter: Splitter, pairs: Path, path: Path) -> None:
    """Writes a shard's sentences, then its counts, which mark it as complete."""
    table = read_shard(pairs / path.name)
    words = []
    for side in SIDES:
        columns, offsets, numbers = _sentence_columns(splitter, table, side)
        write_shard(path.parents[1] / side / path.name, columns)
        words.append((offsets, numbers))
    (offsets, first), (simple_offsets, second) = words
    slots, counts = count_words(
        np.concatenate([offsets, offsets[-1] + simple_offsets[1:]]), np.concatenate([first, second])
    )
    write_shard(path, {"slot": slots, "count": counts})


def _sentence_columns(splitter: Splitter, table: pa.Table, side: str) -> tuple[dict[str, Any], Longs, Ints]:
    """Returns the columns of the sentences, one row each, with their words."""
    articles = [
        paragraphs_of("\n".join(paragraphs)) if is_wikitext else paragraphs
        for paragraphs, is_wikitext in zip(
            table[f"{side}_paragraphs"].to_pylist(), table[f"{side}_is_wikitext"].to_pylist(), strict=True
        )
    ]
    paragraphs = [paragraph for article in articles for paragraph in article]
    sizes = list(map(len, articles))
    article = np.repeat(np.arange(len(articles), dtype=np.int32), sizes)
    number = np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])
    sentences = splitter.split(paragraphs)
    places = zip(sentences.paragraph.tolist(), sentences.begin.tolist(), sentences.end.tolist(), strict=True)
    first = np.searchsorted(sentences.paragraph, sentences.paragraph)
    columns = {
        "article": article[sentences.paragraph],
        "paragraph": number[sentences.paragraph],
        "sentence": (np.arange(len(sentences.paragraph)) - first).astype(np.int32),
        "begin": sentences.begin.astype(np.int32),
        "end": sentences.end.astype(np.int32),
        "text": pa.array([paragraphs[place][begin:end] for place, begin, end in places], pa.string()),
        "words": list_column(sentences.offsets, sentences.words),
    }
    return columns, sentences.offsets, sentences.words


def _sum(run: Run, folder: Path) -> dict[str, Any]:
    split = run.folders[SPLIT]
    counts = np.zeros(SLOTS, dtype=np.int64)
    for path in shard_paths(split / _COUNTS):
        shard = read_shard(path)
        counts[shard["slot"].to_numpy()] += shard["count"].to_numpy()
    sentences = {side: sum(len(read_shard(path, ["article"])) for path in shard_paths(split / side)) for side in SIDES}
    total = np.array([sum(sentences.values())])
    write_arrays(folder / _TABLE, {"counts": counts, "sentences": total})
    return {"sentences": sentences, "entries": int((counts > 0).sum())}

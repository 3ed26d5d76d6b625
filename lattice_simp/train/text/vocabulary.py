"""Words of token lines: split, counted, and (the stage `number`) numbered, the frequent ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.pipeline.shards import SIDES, list_column, read_shard, shard_paths, write_shard
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import open_text, read_lines


def number_stage() -> Stage:
    """Returns the stage that numbers the words of the prepared shards."""
    return Stage("number", ("prepare",), None, (), _number)


def _number(run: Run, folder: Path) -> dict[str, Any]:
    shards = shard_paths(run.folders["prepare"])
    counts = [word_counts(read_shard(path, [side])[side] for path in run.each(shards)) for side in SIDES]
    vocabularies = []
    for side, counter in zip(SIDES, counts, strict=True):
        ordered = sorted(counter, key=lambda word: (-counter[word], word))
        with open_text(folder / f"words.{side}.txt", "w") as file:
            file.writelines(f"{word}\n" for word in ordered)
        vocabularies.append(pa.array(ordered, pa.string()))
    for path in run.each(shards):
        table = read_shard(path)
        columns = {side: _numbered(table[side], words) for side, words in zip(SIDES, vocabularies, strict=True)}
        write_shard(folder / path.name, columns | {"corpus": table["corpus"]})
    return {
        f"{side}_{name}": value
        for side, counter in zip(SIDES, counts, strict=True)
        for name, value in (("words", sum(counter.values())), ("types", len(counter)))
    }


def _numbered(column: pa.ChunkedArray, words: pa.Array) -> pa.Array:
    offsets, split = split_words(column)
    return list_column(offsets, pc.index_in(split, words).to_numpy())


def read_words(folder: Path, side: str) -> list[str]:
    """Reads the words of a side in the order of their numbers."""
    return list(read_lines(folder / f"words.{side}.txt"))


def numbers_of(sentences: list[str], words: list[str]) -> tuple[Longs, Ints]:
    """Numbers token lines by a word list; unknown words are -1. Returns (offsets, flat)."""
    number_of = {word: number for number, word in enumerate(words)}
    lines = [sentence.split(" ") if sentence else [] for sentence in sentences]
    flat = np.array([number_of.get(word, -1) for line in lines for word in line], dtype=np.int32)
    return prefix_sums([len(line) for line in lines]), flat


def split_words(column: pa.ChunkedArray) -> tuple[Longs, pa.Array]:
    """Returns the words of all lines, flat, and where each line begins: (lines + 1,) int64.

    >>> offsets, words = split_words(pa.chunked_array([["a b", "c"]]))
    >>> offsets.tolist(), words.to_pylist()
    ([0, 2, 3], ['a', 'b', 'c'])
    """
    split = pa.concat_arrays([pa.array([], pa.list_(pa.string())), *pc.split_pattern(column, " ").chunks])
    return split.offsets.to_numpy().astype(np.int64), split.flatten()


def word_counts(columns: Iterable[pa.ChunkedArray], *, firsts: bool = True) -> Counter[str]:
    """Counts the words of columns; without `firsts`, the first word of each line is not counted.

    >>> word_counts([pa.chunked_array([["a b", "c a a"]])], firsts=False)
    Counter({'a': 2, 'b': 1})
    """
    counts: Counter[str] = Counter()
    for column in columns:
        offsets, words = split_words(column)
        if not firsts:
            rest = np.ones(len(words), dtype=np.bool_)
            rest[offsets[:-1]] = False
            words = words.filter(pa.array(rest))
        counted = words.value_counts()
        # A plain loop is enough: `Counter.update` also sums in Python.
        for word, count in zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True):
            counts[word] += count
    return counts

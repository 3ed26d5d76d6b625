"""The stage `number`: words to numbers, the frequent ones first, so that all later stages work on arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.pipeline.shards import SIDES, list_column, read_shard, shard_paths, write_shard
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.train.text.columns import split_words, word_counts


def number_stage() -> Stage:
    """Returns the stage that numbers the words of the prepared shards."""
    return Stage("number", ("prepare",), None, (), _number)


def _number(run: Run, folder: Path) -> dict[str, Any]:
    shards = shard_paths(run.folders["prepare"])
    counts = [word_counts(read_shard(path, [side])[side] for path in shards) for side in SIDES]
    vocabularies = []
    for side, counter in zip(SIDES, counts, strict=True):
        ordered = sorted(counter, key=lambda word: (-counter[word], word))
        with open_text(folder / f"words.{side}.txt", "w") as file:
            file.writelines(f"{word}\n" for word in ordered)
        vocabularies.append(pa.array(ordered, pa.string()))
    for done, path in enumerate(shards, start=1):
        table = read_shard(path)
        columns = {side: _numbered(table[side], words) for side, words in zip(SIDES, vocabularies, strict=True)}
        write_shard(folder / path.name, columns | {"corpus": table["corpus"]})
        run.progress(done, len(shards))
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
    """Numbers token lines by a word list; unknown words are -1. Gives (offsets, flat)."""
    known = {word: number for number, word in enumerate(words)}
    lines = [sentence.split(" ") if sentence else [] for sentence in sentences]
    offsets = np.zeros(len(lines) + 1, dtype=np.int64)
    np.cumsum([len(line) for line in lines], out=offsets[1:])
    flat = np.array([known.get(word, -1) for line in lines for word in line], dtype=np.int32)
    return offsets, flat

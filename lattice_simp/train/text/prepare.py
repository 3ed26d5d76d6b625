"""The stage `prepare`: raw text files to shards of clean, tokenised sentence pairs.

raw/000000.parquet      source, target, corpus, line: as the files have them
tokens/000000.parquet   the same columns, tokenised, and a hash; without pairs that are unfit on their own
000000.parquet          without duplicates and sides in the wrong language, cased
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lattice_simp.core.kernel import Bools
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.pipeline.shards import SIDES, over_shards, read_shard, run_all, shard_path, shard_paths, write_shard
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.support.parallel import parallel_lines
from lattice_simp.support.plurals import counted
from lattice_simp.text.tokeniser import Tokeniser, tokenisers
from lattice_simp.text.truecase import read_casing, truecased, write_casing
from lattice_simp.train.config import Clean, Config, Corpus
from lattice_simp.train.text.clean import foreign, pair_hashes, reason_to_drop, repeated
from lattice_simp.train.text.truecase import learn_casing
from lattice_simp.train.text.vocabulary import word_counts

_RAW, _TOKENS = "raw", "tokens"

_SPLIT, _SELECTED = "split.json", "selected.json"
"""The files that mark complete raw shards and complete final shards; a killed run resumes after them."""

_HASH = "hash"


def prepare_stage(config: Config) -> Stage:
    """Returns the stage that makes clean, tokenised shards of all corpora."""
    files = [config.path(path) for corpus in config.corpora for path in (corpus.source, corpus.target)]
    settings = {
        "corpora": [corpus.name for corpus in config.corpora],
        "text": config.text.model_dump(),
        "clean": config.clean.model_dump(),
        "shard_lines": config.shard_lines,
    }
    work = partial(_prepare, config)
    side_tokenisers = tokenisers(config.text)  # fails early if a package is missing
    return Stage(
        "prepare", (), settings, files, work, check=lambda: [tokeniser.tokens("") for tokeniser in side_tokenisers]
    )


def _prepare(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    if not (folder / _SELECTED).exists():
        write_json(folder / _SELECTED, _make_shards(config, run, folder))
    counted: dict[str, Any] = read_json(folder / _SELECTED)
    for intermediate in (folder / _RAW, folder / _TOKENS):
        shutil.rmtree(intermediate, ignore_errors=True)
    (folder / _SELECTED).unlink()
    return counted


def _make_shards(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    read = _split(config, run, folder)
    tokenise = partial(_tokenise_shard, tokenisers(config.text), config.clean, folder / _RAW)
    paths = [folder / _TOKENS / path.name for path in shard_paths(folder / _RAW)]
    run_all(over_shards(run, partial(partial, tokenise), paths, Path.exists))
    if config.text.case == "true":
        for side in SIDES:
            columns = (read_shard(path, [side])[side] for path in run.each(paths))
            write_casing(learn_casing(columns), folder / f"casing.{side}.txt")
    kept, dropped = _select(config, run, folder)
    for path in paths:
        dropped.update(read_json(path.with_suffix(".json")))
    if not kept:
        raise LatticeSimpError(
            f"none of {counted(read, 'sentence pair')} is usable for training; relax the limits of `clean`"
        )
    return {"pairs": kept, "read": read, "dropped": dict(sorted(dropped.items()))}


# ---------------------------------------------------------------- raw shards


def _split(config: Config, run: Run, folder: Path) -> int:
    """Reads the corpora side by side into shards; returns the number of pairs."""
    marker = folder / _RAW / _SPLIT
    if marker.exists():
        read: int = read_json(marker)
        return read
    number = read = 0
    for index, corpus in enumerate(config.corpora):
        pairs = read_pairs(config, corpus)
        line = 0
        while block := list(islice(pairs, config.shard_lines)):
            columns = {
                "source": pa.array([source for source, _ in block], pa.string()),
                "target": pa.array([target for _, target in block], pa.string()),
                "corpus": pa.array(np.full(len(block), index, dtype=np.int16)),
                "line": pa.array(np.arange(line, line + len(block), dtype=np.int64)),
            }
            write_shard(shard_path(folder / _RAW, number), columns)
            number, line = number + 1, line + len(block)
            run.progress(number, None)
        read += line
    write_json(marker, read)
    return read


def read_pairs(config: Config, corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Reads the pairs of a corpus.

    Raises:
        FormatError: a file is missing, broken, empty or not UTF-8, or the files have different numbers of lines.
    """
    source, target = config.path(corpus.source), config.path(corpus.target)
    is_empty = True
    for first, second in parallel_lines(source, target, lines_of=sentence_lines):
        is_empty = False
        yield first, second
    if is_empty:
        raise FormatError("is empty", path=source, remedy="give a file with sentences, or remove the corpus")


# ---------------------------------------------------------------- tokens


def _tokenise_shard(side_tokenisers: tuple[Tokeniser, Tokeniser], clean: Clean, raw: Path, path: Path) -> None:
    table = read_shard(raw / path.name)
    sides = [
        [tokeniser.tokens(line) for line in table[side].to_pylist()]
        for side, tokeniser in zip(SIDES, side_tokenisers, strict=True)
    ]
    reasons = [reason_to_drop(source, target, clean) for source, target in zip(*sides, strict=True)]
    good = np.array([reason is None for reason in reasons], dtype=np.bool_)
    columns: dict[str, Any] = {
        side: pa.array([line for line, keep in zip(lines, good.tolist(), strict=True) if keep], pa.string())
        for side, lines in zip(SIDES, sides, strict=True)
    }
    columns |= {name: table[name].filter(pa.array(good)) for name in ("corpus", "line")}
    columns[_HASH] = pa.array(pair_hashes(columns["source"].to_pylist(), columns["target"].to_pylist()))
    write_json(path.with_suffix(".json"), Counter(filter(None, reasons)))
    write_shard(path, columns)


# ---------------------------------------------------------------- final shards


def _select(config: Config, run: Run, folder: Path) -> tuple[int, Counter[str]]:
    """Writes the final shards; returns the number of pairs and the counts of dropped pairs."""
    paths = shard_paths(folder / _TOKENS)
    casings = [read_casing(folder / f"casing.{side}.txt") for side in SIDES] if config.text.case == "true" else []
    if config.clean.language:
        source_words, target_words = (
            word_counts(read_shard(path, [side])[side] for path in run.each(paths)) for side in SIDES
        )
    hashes = [read_shard(path, [_HASH])[_HASH].to_numpy() for path in paths]
    copies = repeated(np.concatenate([np.zeros(0, dtype=np.int64), *hashes]))
    dropped: Counter[str] = Counter()
    kept = begin = 0
    for path in run.each(paths):
        table = read_shard(path)
        good = np.ones(len(table), dtype=np.bool_)
        if not config.clean.duplicates:
            _drop(good, copies[begin : begin + len(table)], "duplicate", dropped)
        begin += len(table)
        if config.clean.language:
            _drop(good, foreign(table["source"], source_words, target_words), "language", dropped)
            _drop(good, foreign(table["target"], target_words, source_words), "language", dropped)
        table = table.drop_columns([_HASH]).filter(pa.array(good))
        columns = dict(zip(table.column_names, table.columns, strict=True))
        for side, casing in zip(SIDES, casings, strict=False):
            columns[side] = pa.array([truecased(line, casing) for line in table[side].to_pylist()], pa.string())
        write_shard(folder / path.name, columns)
        kept += len(table)
    return kept, dropped


def _drop(good: Bools, unfit: Bools, reason: str, dropped: Counter[str]) -> None:
    dropped[reason] += int((good & unfit).sum())
    good &= ~unfit

"""Synthetic articles and simpler versions, and the costs of aligning a million of their sentences."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.pipeline.stage import RECORD, Run, Stage, read_json, write_json
from lattice_simp.support.textio import open_text
from lattice_simp.systems.corpus.pipeline import COUNTS, PAIRS, TEXTS, WORK, align_collections

Config = dict[str, Any]
Words = np.ndarray[Any, Any]

MILLION, KILLED, ARTICLES = "million", "killed", "million-articles"

FILES = ("complex.jsonl", "simple.jsonl")

_SYLLABLES = [first + second for first, second in product("bdfgklmnprst", "aeiou")]
_VOCABULARY = 40_000


def synthetic_stages(config: Config) -> list[Stage]:
    """Returns the stages that generate the articles, align them, and kill and resume runs."""
    settings = {**config["killed"], "seed": config["synthetic"]["seed"]}
    return [
        Stage(ARTICLES, (), config["synthetic"], (), partial(_write_articles, **config["synthetic"])),
        Stage(MILLION, (ARTICLES,), None, (), _align),
        Stage(KILLED, (), settings, (), partial(_kill, settings)),
    ]


def _align(run: Run, folder: Path) -> dict[str, Any]:
    complex_articles, simple_articles = (run.folders[ARTICLES] / name for name in FILES)
    align_collections(complex_articles, simple_articles, folder, run=run)
    records = [read_json(path) for path in sorted((folder / WORK).glob(f"*/{RECORD}"))]
    records.sort(key=lambda record: (folder / WORK / f"{record['stage']}.{record['key']}" / RECORD).stat().st_mtime_ns)
    return {"stages": {record.pop("stage"): record for record in records}, "jobs": run.jobs}


def _kill(settings: Config, run: Run, folder: Path) -> dict[str, Any]:
    """Runs the command once undisturbed, and once with repeated kills (signal 9); compares the files."""
    _write_articles(run, folder, sentences=settings["sentences"], seed=settings["seed"])
    inputs = [folder / name for name in FILES]
    killed = 0
    for seconds in settings["after"]:
        process = _start(inputs, folder / "killed")
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
    for name in ("killed", "peace"):
        if _start(inputs, folder / name).wait():
            raise SystemExit(f"the run in {folder / name} failed")
    digests = [_digest(folder / name) for name in ("killed", "peace")]
    return {"killed": killed, "same_bytes": digests[0] == digests[1], "digest": digests[1]}


def _start(inputs: list[Path], output: Path) -> subprocess.Popen[bytes]:
    words = ["--complex", inputs[0], "--simple", inputs[1], "--output", output, "--quiet"]
    command = [sys.executable, "-m", "lattice_simp", "corpus", "align", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def _digest(folder: Path) -> str:
    digest = blake2b(digest_size=16)
    for name in (*TEXTS, PAIRS, COUNTS):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


# ---------------------------------------------------------------- the articles


def _write_articles(run: Run, folder: Path, *, sentences: int, seed: int) -> dict[str, Any]:
    count = 0
    with open_text(folder / FILES[0], "w") as complex_file, open_text(folder / FILES[1], "w") as simple_file:
        for number, (article, simpler) in enumerate(_articles(np.random.default_rng(seed))):
            for file, paragraphs in ((complex_file, article), (simple_file, simpler)):
                texts = [" ".join(map(_sentence, paragraph)) for paragraph in paragraphs]
                file.write(json.dumps({"title": f"Article {number}", "paragraphs": texts}) + "\n")
            count += sum(map(len, article))
            if count >= sentences:
                break
    write_json(folder / "made.json", {"articles": number + 1})
    return {"articles": number + 1, "complex_sentences": count}


def _articles(rng: np.random.Generator) -> Iterator[tuple[list[list[Words]], list[list[Words]]]]:
    """Yields articles and simpler versions, as paragraphs of sentences of word numbers with Zipf's distribution."""
    shares = 1 / (np.arange(_VOCABULARY) + 3.0)
    bounds = np.cumsum(shares / shares.sum())
    while True:
        lengths = [rng.integers(8, 25, rng.integers(3, 8)) for _ in range(rng.integers(3, 9))]
        article = [[np.searchsorted(bounds, rng.random(size)) for size in sizes] for sizes in lengths]
        yield article, [_simpler(paragraph, rng) for paragraph in article if rng.random() < 0.8]


def _simpler(paragraph: list[Words], rng: np.random.Generator) -> list[Words]:
    """Deletes a fifth of the sentences and a seventh of the words, replaces a tenth, splits and swaps sentences."""
    simpler: list[Words] = []
    for sentence in paragraph:
        chance = rng.random()
        if chance < 0.2:
            continue
        if chance < 0.9:
            sentence = sentence[rng.random(len(sentence)) > 0.15]
            replaced = rng.random(len(sentence)) < 0.1
            sentence = np.where(replaced, rng.integers(0, _VOCABULARY, len(sentence)), sentence)
        half = len(sentence) // 2
        simpler += [sentence[:half], sentence[half:]] if 0.2 <= chance < 0.35 and half > 3 else [sentence]
        if len(simpler) > 1 and rng.random() < 0.05:
            simpler[-2:] = simpler[:-3:-1]
    return simpler


def _sentence(words: Words) -> str:
    base = len(_SYLLABLES)
    text = " ".join(
        _SYLLABLES[word % base] + _SYLLABLES[word // base % base] + _SYLLABLES[word // base**2]
        for word in (words.tolist() or [0])
    )
    return text.capitalize() + "."

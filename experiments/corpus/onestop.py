"""OneStop: its articles at three levels, and the recall and precision of the alignment against the published pairs."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from experiments.files import read_records, separated_pairs, write_records
from lattice_simp import CorpusSettings
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.corpus.pipeline import PAIRS, align_collections

Pair = tuple[str, str]
Levels = dict[str, str]
"""The text of an article by level."""

_LEVEL = re.compile(r"[-_ ]*(adv|ele|int)\b.*", re.IGNORECASE)


def letters(text: str) -> str:
    """Returns a key of a sentence's text: its ASCII letters and digits, in lower case.

    >>> letters("Don’t: it’s “.com”!")
    'dontitscom'
    """
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def read_levels(path: Path) -> dict[str, Levels]:
    """Returns the texts of each article, by title."""
    articles: dict[str, Levels] = defaultdict(dict)
    for record in read_records(path):
        articles[_LEVEL.sub("", record["file"]).strip().lower()][record["level"]] = record["text"]
    return dict(articles)


def write_side(articles: Mapping[str, Levels], level: str, path: Path) -> Path:
    """Writes the texts of one level as a collection for `align_collections`."""
    sides = ({"title": title, "text": texts[level]} for title, texts in articles.items() if level in texts)
    return write_records(path, sides)


def part_of(title: str, development: int, test: int) -> str:
    """Returns the part of an article: `development`, `test` or `training`.

    >>> [part_of(title, 1, 2) for title in ("amazon", "food", "lions")]
    ['training', 'test', 'development']

    Args:
        title: any text, whose checksum determines the part.
        development, test: the sizes of these parts, in tenths of all articles.
    """
    tenth = zlib.crc32(title.encode()) % 10
    if tenth < test:
        return "test"
    return "development" if tenth < test + development else "training"


Config = dict[str, Any]

ONESTOP = "onestop"

DEFAULT = CorpusSettings()

HALVES = ("development", "test")


def onestop_stage(config: Config) -> Stage:
    """Returns the stage that aligns the articles at several thresholds and counts the right pairs."""
    onestop = config[ONESTOP]
    articles, aligned = (Path(config["data"], onestop[name]) for name in ("articles", "aligned"))
    settings = [onestop, config["thresholds"], DEFAULT.__dict__]
    return Stage(
        ONESTOP, (), settings, [articles, aligned, *alignment_programs()], partial(_measure, config, articles, aligned)
    )


def alignment_programs() -> list[Path]:
    """Returns the files of the code of the alignment and of this module."""
    return [*sorted(Path(align_collections.__code__.co_filename).parent.glob("*.py")), Path(__file__)]


def _measure(config: Config, articles: Path, aligned: Path, run: Run, folder: Path) -> dict[str, Any]:
    texts = _write_sides(config[ONESTOP], articles, folder)
    gold, halves = _read_gold(aligned, texts)
    complex_articles, simple_articles = (folder / f"{side}.jsonl" for side in ("complex", "simple"))
    rows = []
    for paragraphs, sentences in product(config["thresholds"], repeat=2):
        settings = CorpusSettings(paragraph_threshold=paragraphs, sentence_threshold=sentences)
        counts = align_collections(complex_articles, simple_articles, folder / "out", settings=settings, run=run)
        pairs = read_records(folder / "out" / PAIRS)
        row: dict[str, Any] = {"paragraph_threshold": paragraphs, "sentence_threshold": sentences}
        row |= {"paragraph_pairs": counts.paragraph_pairs, "all": score(pairs, gold)}
        for half in HALVES:
            row[half] = score([pair for pair in pairs if half == half_of(pair["title"])], halves[half])
        if settings == DEFAULT:
            row["kinds"] = {
                kind: score([pair for pair in pairs if pair["kind"] == kind], gold) for kind in counts.kinds
            }
        rows.append(row)
    write_json(folder / "rows.json", rows)
    return {
        "gold": len(gold),
        "reachable": reachable(gold, folder),
        "several": sum(count > 1 for side in zip(*gold, strict=True) for count in Counter(side).values()),
        "articles": len(texts),
    }


def score(pairs: Iterable[Mapping[str, Any]], gold: frozenset[Pair]) -> dict[str, Any]:
    """Counts pairs: right ones are in `gold`; wrong ones are not, but a sentence of theirs has another partner there.

    >>> pair = lambda one, other: {"complex": {"text": one}, "simple": {"text": other}}
    >>> counts = score([pair("A.", "b"), pair("a", "c"), pair("d", "e"), pair("f", "F")], frozenset({("a", "b")}))
    >>> [counts[name] for name in ("pairs", "identical", "right", "wrong", "unknown", "precision", "recall")]
    [4, 1, 1, 1, 1, 0.5, 1.0]

    Other pairs are identical, or unknown if neither sentence is in the published pairs.
    """
    known_complex, known_simple = {complex_text for complex_text, _ in gold}, {simple_text for _, simple_text in gold}
    keys = [(letters(pair["complex"]["text"]), letters(pair["simple"]["text"])) for pair in pairs]
    right = [key for key in keys if key in gold]
    others = [key for key in keys if key not in gold]
    identical = sum(first == other for first, other in others)
    wrong = sum(first != other and (first in known_complex or other in known_simple) for first, other in others)
    judged = len(right) + wrong
    return {
        "pairs": len(keys),
        "identical": identical,
        "right": len(right),
        "wrong": wrong,
        "unknown": len(keys) - identical - judged,
        "precision": round(len(right) / judged, 4) if judged else None,
        "recall": round(len(set(right)) / len(gold), 4) if gold else None,
    }


def reachable(gold: frozenset[Pair], folder: Path) -> int:
    """Returns the number of pairs whose sentences both occur in the articles, comparing letters only."""
    texts = [
        [letters(record["text"]) for record in read_records(folder / f"{side}.jsonl")] for side in ("complex", "simple")
    ]
    articles = list(zip(*texts, strict=True))
    return sum(any(first in normal and second in simple for normal, simple in articles) for first, second in gold)


def chosen(rows: Sequence[Mapping[str, Any]], precision: float) -> Mapping[str, Any]:
    """Returns the row with the best recall on the development half among those with a least precision there."""
    good = [row for row in rows if row["development"]["precision"] >= precision]
    return max(good or rows, key=lambda row: row["development"]["recall"])


def half_of(title: str) -> str:
    """Returns the half of an article, by the characters of its title."""
    return HALVES[sum(map(ord, title)) % 2]


def _write_sides(settings: Config, path: Path, folder: Path) -> dict[str, str]:
    """Writes both levels as collections; returns the letters of each article's texts."""
    articles = read_levels(path)
    for side in ("complex", "simple"):
        write_side(articles, settings[side], folder / f"{side}.jsonl")
    levels = (settings["complex"], settings["simple"])
    return {
        title: "|".join(letters(texts[level]) for level in levels if level in texts)
        for title, texts in articles.items()
        if any(level in texts for level in levels)
    }


def _read_gold(aligned: Path, texts: Mapping[str, str]) -> tuple[frozenset[Pair], dict[str, frozenset[Pair]]]:
    """Returns the published pairs, as `letters`, and for each half those with a sentence in one of its articles."""
    pairs = [(letters(first), letters(other)) for first, other in separated_pairs(read_lines(aligned))]
    halves: dict[str, set[Pair]] = {half: set() for half in HALVES}
    for pair in pairs:
        for title, text in texts.items():
            if pair[0] in text or pair[1] in text:
                halves[half_of(title)].add(pair)
    return frozenset(pairs), {half: frozenset(half_pairs) for half, half_pairs in halves.items()}

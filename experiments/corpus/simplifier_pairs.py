"""Training pairs from most of OneStop's articles, aligned and published, and test pairs from the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from experiments.corpus import articles as onestop_articles
from experiments.corpus.articles import Levels, Pair, letters, part_of, published_pairs, read_levels, write_side
from experiments.corpus.onestop import alignment_programs
from experiments.files import read_records, write_lines, write_records
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.corpus.pipeline import PAIRS, align_collections

Config = dict[str, Any]

SIMPLIFIERS, STAGE = "simplifiers", "simplifier-pairs"

CORPORA = ("aligned", "published")
"""The training corpora of models; the second one is the baseline's."""

IDENTITY = "identity"
"""The suffix of a corpus of complex sentences paired with themselves, which aligns unchanged words."""

SIMPLE_TEXT = "simple.text"

HELD_OUT = "held-out.jsonl"
"""The aligned pairs of test articles without identical ones, from which the judged sample is drawn."""

PARTS = ("training", "development", "test")


def pairs_stage(config: Config) -> Stage:
    """Returns the stage that writes all pairs."""
    settings, data = config[SIMPLIFIERS], Path(config["data"])
    paths = [config["onestop"]["articles"], *(levels["published"] for levels in settings["levels"])]
    files = [data / path for path in (*paths, *settings["easy_texts"])]
    programs = [*alignment_programs(), Path(__file__), Path(onestop_articles.__file__)]
    values = {name: settings[name] for name in ("levels", "tenths", "easy_texts")}
    return Stage(STAGE, (), values, [*files, *programs], partial(_write_corpora, config))


def _write_corpora(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    settings, data = config[SIMPLIFIERS], Path(config["data"])
    articles = read_levels(data / config["onestop"]["articles"])
    part = {title: part_of(title, **settings["tenths"]) for title in articles}
    titles = {name: [title for title in articles if part[title] == name] for name in PARTS}
    records = [_aligned(articles, levels, folder / levels["name"], run) for levels in settings["levels"]]
    published = [pair for levels in settings["levels"] for pair in _published(data, levels)]
    pairs = {
        CORPORA[0]: [_texts(record) for pairs in records for record in pairs],
        CORPORA[1]: published,
    }
    unseen = _all_letters(articles, [*titles["development"], *titles["test"]])
    for name in CORPORA:
        pairs[name] = [pair for pair in pairs[name] if not any(letters(side) in unseen for side in pair)]
        sources = dict.fromkeys(source for source, _ in pairs[name])
        _write_sides(folder, f"{name}-{IDENTITY}", [(source, source) for source in sources])
    for name in PARTS[1:]:
        known = _all_letters(articles, titles[name])
        pairs[name] = list(dict.fromkeys(pair for pair in published if letters(pair[0]) in known))
    for name, chosen in pairs.items():
        _write_sides(folder, name, chosen)
    easy = [*_easy(articles, titles["training"], settings), *_more(data, settings)]
    write_lines(folder / SIMPLE_TEXT, map(_in_one_line, easy))
    held_out = [record for record in records[0] if part[record["title"]] == "test" and not record["identical"]]
    write_records(folder / HELD_OUT, held_out)
    return {
        "pairs": {name: len(chosen) for name, chosen in pairs.items()},
        "held_out": len(held_out),
        "articles": {name: len(chosen) for name, chosen in titles.items()},
    }


def _published(data: Path, levels: Config) -> Iterable[Pair]:
    """Returns the published pairs of two levels, the complex sentence first."""
    pairs = published_pairs(data / levels["published"])
    return ((other, first) for first, other in pairs) if levels["simple_first"] else pairs


def _aligned(articles: Mapping[str, Levels], levels: Config, folder: Path, run: Run) -> list[dict[str, Any]]:
    """Aligns two levels of all articles; returns the records of the pairs, with texts."""
    folder.mkdir(exist_ok=True)
    sides = [write_side(articles, levels[side], folder / f"{side}.jsonl") for side in ("complex", "simple")]
    align_collections(sides[0], sides[1], folder / "out", run=run)
    return read_records(folder / "out" / PAIRS)


def _texts(record: Mapping[str, Any]) -> Pair:
    first, other = (_in_one_line(record[side]["text"]) for side in ("complex", "simple"))
    return first, other


def _all_letters(articles: Mapping[str, Levels], titles: Collection[str]) -> str:
    return "|".join(letters(text) for title in titles for text in articles[title].values())


def _easy(articles: Mapping[str, Levels], titles: Collection[str], settings: Config) -> Iterable[str]:
    """Returns the paragraphs of articles at the levels of the simple side."""
    levels = dict.fromkeys(entry["simple"] for entry in settings["levels"])
    texts = (articles[title].get(level, "") for title in titles for level in levels)
    return [line.strip() for text in texts for line in text.split("\n") if line.strip()]


def _more(data: Path, settings: Config) -> list[str]:
    return sorted({line for path in settings["easy_texts"] for line in read_lines(data / path)})


def _write_sides(folder: Path, name: str, pairs: Iterable[Pair]) -> None:
    for side, lines in zip(("source", "target"), zip(*pairs, strict=True), strict=True):
        write_lines(folder / f"{name}.{side}", map(_in_one_line, lines))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())

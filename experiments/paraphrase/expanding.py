"""The collections of sets, parsed once, and the counts of their phrases and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any

from experiments.files import write_lines, write_records
from lattice_simp import LatticeSimpError, Paraphraser, ParaphraseSettings, Thesaurus, Tree, count_paths
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.paraphrase.constituents import constituents
from lattice_simp.systems.paraphrase.filters import FILTERS, SentenceSet
from lattice_simp.text.english.parse import read_parses, write_parses
from lattice_simp.text.english.spacy_parser import parse_sentences, tokenise

Config = dict[str, Any]

PARSES, SIZES = "parses.jsonl.gz", "sizes.txt"

CODE = sorted(Path(constituents.__code__.co_filename).parent.rglob("*.py"))
"""The files of the library on which expansions depend."""


def parsed_stage(config: Config, name: str) -> Stage:
    """Returns the stage that tokenises and parses a collection."""
    settings = config["collections"][name]
    files = [Path(config["data"], file) for file in settings["files"]]
    return Stage(f"parse {name}", (), settings, files, partial(_parse, files, (0, settings.get("sets"))))


def unread_stage(config: Config, name: str) -> Stage:
    """Returns the stage that parses the sets of a collection for the sample."""
    settings = {**config["sample"]["sets"][name], "files": config["collections"][name]["files"]}
    files = [Path(config["data"], file) for file in settings["files"]]
    return Stage(unread(name), (), settings, files, partial(_parse, files, (settings["from"], settings["to"])))


def unread(name: str) -> str:
    """Returns the name of the stage that parses sets for the sample."""
    return f"parse sampled {name}"


def _parse(files: list[Path], bounds: tuple[int, int | None], run: Run, folder: Path) -> dict[str, Any]:
    rows = zip(*map(read_lines, files), strict=True)
    texts = [[tokens for line in row if (tokens := tokenise(line))] for row in islice(rows, *bounds)]
    write_parses(folder / PARSES, parse_sentences(tokens for text in texts for tokens in text))
    write_lines(folder / SIZES, map(str, map(len, texts)))
    return {"sets": len(texts), "sentences": sum(map(len, texts))}


def read_sets(folder: Path) -> Iterator[list[Tree]]:
    """Yields the trees of each set of a parsed collection."""
    parses = map(constituents, read_parses(folder / PARSES))
    for size in map(int, read_lines(folder / SIZES)):
        yield list(islice(parses, size))


def thesaurus(config: Config) -> Thesaurus:
    """Returns WordNet joined with the groups of numerals and abbreviations."""
    return Thesaurus.english().joined(Thesaurus.read_wordnet(config["wordnet"], config["senses"]))


COUNTS = "counts.jsonl"


def expanded_stage(config: Config, name: str) -> Stage:
    """Returns the stage that expands and counts a collection's sets with all filters."""
    settings, sets = ParaphraseSettings(), config["counted_sets"].get(name)
    values = [str(settings), sets, config["senses"]]
    work = partial(_expand, config, f"parse {name}", settings, sets)
    return Stage(f"expand {name}", (f"parse {name}",), values, CODE, work)


def alone_stage(config: Config, name: str) -> Stage:
    """Returns the stage that counts the sentences of some sets that each filter alone removes."""
    settings = [config["some_sets"], config["senses"]]
    work = partial(_count_alone, config, f"parse {name}")
    return Stage(f"alone {name}", (f"parse {name}",), settings, CODE, work, version=2)


def _expand(
    config: Config, parsed: str, settings: ParaphraseSettings, sets: int | None, run: Run, folder: Path
) -> dict[str, Any]:
    paraphraser = Paraphraser(settings, thesaurus(config))
    rows = [counted(paraphraser, trees) for trees in islice(read_sets(run.folders[parsed]), sets)]
    write_records(folder / COUNTS, rows)
    return {"sets": len(rows), "failed": sum(row["failed"] for row in rows)}


def _count_alone(config: Config, parsed: str, run: Run, folder: Path) -> dict[str, Any]:
    paraphraser = Paraphraser(ParaphraseSettings(filters=()), thesaurus(config))
    rows = []
    for trees in islice(read_sets(run.folders[parsed]), config["some_sets"]):
        row = counted(paraphraser, trees)
        rows.append(row if row["failed"] else row | {"removed": removed_alone(paraphraser, trees)})
    write_records(folder / COUNTS, rows)
    return {"sets": len(rows)}


def removed_alone(paraphraser: Paraphraser, trees: Sequence[Tree]) -> dict[str, int]:
    """Returns the number of sentences of an expansion that each filter alone removes.

    First words are in lower case, so that filters know those of new sentences.
    """
    lowered = [replace(tree, tokens=(tree.tokens[0].lower(), *tree.tokens[1:])) for tree in trees]
    expansion = paraphraser.expand_trees(lowered)
    alone = replace(SentenceSet.of(trees), sentences=expansion.sentences)
    lattice, total = expansion.lattice, expansion.count
    return {name: total - count_paths(keep(lattice, alone)) for name, keep in FILTERS.items()}


def counted(paraphraser: Paraphraser, trees: Sequence[Tree]) -> dict[str, Any]:
    """Returns the counts of a set, or a note that its expansion failed because it is too large."""
    try:
        expansion = paraphraser.expand_trees(trees)
    except LatticeSimpError:
        return {"originals": len({tree.tokens for tree in trees}), "failed": True}
    return {
        "originals": len(set(expansion.sentences)),
        "failed": False,
        "phrases": len(expansion.grammar.pairs),
        "all": expansion.count + sum(expansion.removed.values()),
        "sentences": expansion.count,
        "removed": dict(expansion.removed),
        "links": dict(expansion.grammar.links),
        "bounded": expansion.bounded is not None,
    }


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns means and medians over the sets of a collection.

    >>> row = {"originals": 2, "failed": False, "phrases": 3, "all": 8, "sentences": 8, "removed": {}, "links": {},
    ...        "bounded": False}
    >>> figures = summary([row, {**row, "sentences": 6}, {"originals": 2, "failed": True}])
    >>> figures["sets"], figures["failed"], figures["phrases"], figures["filtered_median"], figures["growth_median"]
    (2, 1, 3, 7.0, 4.0)
    """
    good = [row for row in rows if not row["failed"]]
    names = list(dict.fromkeys(name for row in good for name in row["removed"]))
    links: Counter[str] = sum((Counter(row["links"]) for row in good), Counter())
    return {
        "sets": len(good),
        "failed": len(rows) - len(good),
        "originals": round(mean(row["originals"] for row in good), 2),
        "phrases": round(mean(row["phrases"] for row in good), 1),
        "phrases_median": median(row["phrases"] for row in good),
        "sentences": _number(mean(row["all"] for row in good)),
        "sentences_median": median(row["all"] for row in good),
        "filtered": _number(mean(row["sentences"] for row in good)),
        "filtered_median": median(row["sentences"] for row in good),
        "growth_median": round(median(row["all"] / row["originals"] for row in good), 1),
        "with_new": sum(row["all"] > row["originals"] for row in good),
        "bounded": sum(row["bounded"] for row in good),
        "removed": {name: _removed(good, name) for name in names},
        "links": dict(links),
    }


def _removed(rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Returns the number of sets in which a filter removes sentences, and the mean share of removed sentences."""
    shares = [row["removed"][name] / row["all"] for row in rows]
    return {"sets": sum(share > 0 for share in shares), "share": round(mean(shares), 4)}


def _number(value: float) -> float:
    return round(float(value), 1)

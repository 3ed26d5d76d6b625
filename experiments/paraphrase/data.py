"""The collections of sets, parsed once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from experiments.files import write_lines
from lattice_simp import Thesaurus, Tree
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.paraphrase.constituents import constituents
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

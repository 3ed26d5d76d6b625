"""The sets of sentences and their compressions, split and parsed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lattice_simp.pipeline.stage import Run
from lattice_simp.skeleton import Skeleton, read_skeletons
from lattice_simp.skeleton.automatic import Parse, align_pairs, parse_sentences, read_parses, write_parses
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import Tokeniser

Config = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """A parsed sentence, and its human skeletons."""

    parse: Parse
    references: tuple[Skeleton, ...]


@dataclass(frozen=True)
class Domain:
    """One kind of text; no test sentence is among the training sentences of any domain.

    `skipped` counts compressions that are not subsequences of their sentences, `compressions` all of them.
    """

    name: str
    train: tuple[Example, ...]
    test: tuple[Example, ...]
    compressions: int
    skipped: int

    @property
    def rate(self) -> float:
        """The mean compression rate of the training part, which is the target of methods."""
        rates = [reference.compression_rate for example in self.train for reference in example.references]
        return sum(rates) / len(rates)


_Pair = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
_Kept = list[tuple[tuple[str, ...], tuple[Skeleton, ...]]]

_PARTS = ("train", "test")


def domain_files(entry: dict[str, Any], config: Config) -> list[Path]:
    """Returns the files of a set."""
    names = [entry["both"]] if "both" in entry else [name for part in _PARTS for name in entry[part]]
    paths = [Path(config["data"], name) for name in names]
    return [file for path in paths for file in (_pair_files(path) if _is_pair(path) else (path,))]


def parse_domain(entry: dict[str, Any], config: Config, run: Run, folder: Path) -> dict[str, Any]:
    """Parses the sentences of a set with a compression by deletion; resumes a killed run."""
    counts = {}
    for part, pairs in _pairs(entry, config).items():
        sentences = [tokens for tokens, _ in _aligned(pairs)[0]]
        if not _parse_file(folder, part).exists():
            write_parses(_parse_file(folder, part), parse_sentences(sentences))
        counts[part] = len(sentences)
    return counts


def load_domains(config: Config, folders: Mapping[str, Path]) -> list[Domain]:
    """Reads, aligns and splits all sets; the stages' folders hold their parses."""
    domains = [_load(entry, config, folders[f"parses-{entry['name']}"]) for entry in config["sets"]]
    tested = {example.parse.tokens for domain in domains for example in domain.test}
    return [
        replace(domain, train=tuple(pair for pair in domain.train if pair.parse.tokens not in tested))
        for domain in domains
    ]


def _load(entry: dict[str, Any], config: Config, folder: Path) -> Domain:
    examples: dict[str, tuple[Example, ...]] = {}
    skipped, compressions = 0, 0
    for part, pairs in _pairs(entry, config).items():
        kept, others = _aligned(pairs)
        parses = read_parses(_parse_file(folder, part))
        examples[part] = tuple(Example(parse, references) for parse, (_, references) in zip(parses, kept, strict=True))
        skipped += others
        compressions += sum(len(words) for _, words in pairs)
    return Domain(entry["name"], **examples, compressions=compressions, skipped=skipped)


def _pairs(entry: dict[str, Any], config: Config) -> dict[str, list[_Pair]]:
    data, raw = Path(config["data"]), entry["name"] in config["raw_text"]
    if "both" not in entry:
        return {part: [pair for path in entry[part] for pair in _read(data / path, raw)] for part in _PARTS}
    pairs = list(_read(data / entry["both"], raw))
    cut = round(config["train_share"] * len(pairs))
    return {"train": pairs[:cut], "test": pairs[cut:]}


def _parse_file(folder: Path, part: str) -> Path:
    return folder / f"{part}.parses.jsonl"


def _is_pair(path: Path) -> bool:
    return path.name.endswith(".valid")


def _pair_files(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}.orig.xz"), path.with_name(f"{path.name}.comp.xz")


def _read(path: Path, raw: bool) -> Iterator[_Pair]:
    if path.parent.name == "skeletons":
        for record in read_skeletons(path):
            yield record.tokens, tuple(skeleton.words for skeleton in record.skeletons)
        return
    tokeniser = Tokeniser("en", case="keep")

    def tokens(text: str) -> tuple[str, ...]:
        return tuple((tokeniser.tokens(text) if raw else text).split())

    if _is_pair(path):
        lines = zip(*map(read_lines, _pair_files(path)), strict=True)
        for original, compressed in lines:
            yield tokens(original), (tokens(compressed),)
        return
    for line in read_lines(path):
        fields = json.loads(line)
        yield tokens(fields["text"]), tuple(map(tokens, fields["summaries"]))


def _aligned(pairs: Sequence[_Pair]) -> tuple[_Kept, int]:
    """Returns the sentences with their compressions as skeletons, and the number of those that are not subsequences."""
    kept_pairs, skipped = [], 0
    for tokens, summaries in pairs:
        skeletons, others = align_pairs((tokens, words) for words in summaries)
        skipped += others
        kept = tuple(skeleton for skeleton in skeletons if skeleton)
        if kept:
            kept_pairs.append((tokens, kept))
    return kept_pairs, skipped

"""The sets of sentences and their compressions, split and parsed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lattice_simp.skeleton import Skeleton, read_skeletons
from lattice_simp.skeleton.automatic import Parse, align_pairs, parse_sentences, read_parses, write_parses
from lattice_simp.support.textio import read_lines
from lattice_simp.train.text.tokeniser import Tokeniser

Config = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """A parsed sentence, and the skeletons that people made of it."""

    parse: Parse
    references: tuple[Skeleton, ...]


@dataclass(frozen=True)
class Domain:
    """One kind of text; no test sentence is among the training sentences of any domain.

    `skipped` counts the compressions that are no subsequence, `compressions` all of them.
    """

    name: str
    train: tuple[Example, ...]
    test: tuple[Example, ...]
    compressions: int
    skipped: int

    @property
    def rate(self) -> float:
        """The mean compression rate of the training part: what methods are asked for."""
        rates = [reference.compression_rate for example in self.train for reference in example.references]
        return sum(rates) / len(rates)


_Pair = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def load_domains(config: Config) -> list[Domain]:
    """Reads, aligns, splits and parses all sets."""
    domains = [_load(entry, config) for entry in config["sets"]]
    tested = {example.parse.tokens for domain in domains for example in domain.test}
    return [
        replace(domain, train=tuple(one for one in domain.train if one.parse.tokens not in tested))
        for domain in domains
    ]


def _load(entry: dict[str, Any], config: Config) -> Domain:
    name, data = entry["name"], Path(config["data"])
    raw = name in config["raw_text"]
    if "both" in entry:
        pairs = list(_read(data / entry["both"], raw))
        cut = round(config["train_share"] * len(pairs))
        parts = [pairs[:cut], pairs[cut:]]
    else:
        parts = [[pair for path in entry[part] for pair in _read(data / path, raw)] for part in ("train", "test")]
    made = [_examples(part, Path(config["work"], f"{name}.{number}.parses.jsonl")) for number, part in enumerate(parts)]
    return Domain(
        name,
        made[0][0],
        made[1][0],
        sum(len(words) for part in parts for _, words in part),
        made[0][1] + made[1][1],
    )


def _read(path: Path, raw: bool) -> Iterator[_Pair]:
    if path.parent.name == "skeletons":
        for record in read_skeletons(path):
            yield record.tokens, tuple(skeleton.words for skeleton in record.skeletons)
        return
    tokeniser = Tokeniser("en", case="keep")

    def tokens(text: str) -> tuple[str, ...]:
        return tuple((tokeniser.tokens(text) if raw else text).split())

    if path.name.endswith(".valid"):
        lines = zip(read_lines(f"{path}.orig.xz"), read_lines(f"{path}.comp.xz"), strict=True)
        for original, compressed in lines:
            yield tokens(original), (tokens(compressed),)
        return
    for line in read_lines(path):
        fields = json.loads(line)
        yield tokens(fields["text"]), tuple(map(tokens, fields["summaries"]))


def _examples(pairs: Sequence[_Pair], cache: Path) -> tuple[tuple[Example, ...], int]:
    """Aligns and parses; gives the number of compressions that are no subsequence, too."""
    found, skipped = [], 0
    for tokens, summaries in pairs:
        skeletons, others = align_pairs((tokens, words) for words in summaries)
        skipped += others
        kept = tuple(skeleton for skeleton in skeletons if skeleton)
        if kept:
            found.append((tokens, kept))
    parses = _parses([tokens for tokens, _ in found], cache)
    return tuple(Example(parse, kept) for parse, (_, kept) in zip(parses, found, strict=True)), skipped


def _parses(sentences: list[tuple[str, ...]], cache: Path) -> list[Parse]:
    known = list(read_parses(cache)) if cache.exists() else []
    if [parse.tokens for parse in known] == sentences:
        return known
    parses = list(parse_sentences(sentences))
    write_parses(cache, parses)
    return parses

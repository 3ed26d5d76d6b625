"""The stage that writes the training, tuning and test data, one sentence per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import separated_pairs, write_lines
from experiments.simplify.data import Config
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import Tokeniser

TURK, ASSET = "simplify/turk", "simplify/asset"
TURK_REFERENCES, ASSET_REFERENCES = 8, 10
HELD_OUT = 1000
"""The first line of ASSET's test set; ASSET's validation sentences are those of TurkCorpus' part for tuning."""

SPLIT_MARK = " <::::> "

_PENN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-lrb-": "(", "-rrb-": ")"}
_PENN_TOKENS = re.compile("|".join(rf"(?<!\S){re.escape(token)}(?!\S)" for token in _PENN))

Pairs = Iterable[tuple[str, str]]


def corpora_stage(config: Config) -> Stage:
    """Returns the stage."""
    data = Path(config["data"])
    files = [data / path for path in _files()]
    return Stage("corpora", (), config["train_lines"], [*files, Path(__file__)], partial(_write_corpora, config))


def _files() -> list[str]:
    return [
        f"{TURK}/tune.truecase.detok.orig.xz",
        *(f"{TURK}/tune.truecase.detok.simp.{number}.xz" for number in range(TURK_REFERENCES)),
        f"{TURK}/legacy/tune.8turkers.tok.simp.xz",
        f"{TURK}/test.truecase.detok.orig.xz",
        f"{ASSET}/asset.valid.orig.xz",
        *(f"{ASSET}/asset.valid.simp.{number}.xz" for number in range(ASSET_REFERENCES)),
        *(f"simplify/onestop/aligned/{levels}.txt.xz" for levels in ("ADV-ELE", "ADV-INT", "ELE-INT")),
        "simplify/onestop/articles.jsonl.xz",
        *(f"simplify/wikisplit/{part}.tsv.xz" for part in ("tune", "validation")),
        *(f"simplify/pwkp/pwkp.{part}.{side}.xz" for part in ("valid", "test") for side in ("orig", "simp")),
        *(f"parallel/tatoeba.en-{language}.en.xz" for language in ("de", "fr")),
    ]


def _write_corpora(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    reader = Reader(Path(config["data"]))
    last: int = config["train_lines"]
    turk, asset = reader.lines(f"{TURK}/tune.truecase.detok.orig.xz"), reader.lines(f"{ASSET}/asset.valid.orig.xz")
    turked = [reader.lines(f"{TURK}/tune.truecase.detok.simp.{number}.xz") for number in range(TURK_REFERENCES)]
    asseted = [reader.lines(f"{ASSET}/asset.valid.simp.{number}.xz") for number in range(ASSET_REFERENCES)]
    wikipedia = reader.lines(f"{TURK}/legacy/tune.8turkers.tok.simp.xz")
    test = [*reader.lines("simplify/pwkp/pwkp.test.orig.xz"), *reader.lines(f"{TURK}/test.truecase.detok.orig.xz")]
    valid = reader.lines("simplify/pwkp/pwkp.valid.orig.xz")
    unseen = {_letters(line) for line in (*test, *valid, *turk[last:], *asset[last:])}
    simple = [recased(line, source) for line, source in zip(wikipedia, turk, strict=True)]
    counts = {
        name: _write_pairs(folder, name, ((a, b) for a, b in pairs if _letters(a) not in unseen))
        for name, pairs in {
            "asset": [(asset[line], reference[line]) for line in range(last) for reference in asseted],
            "turk": [(turk[line], reference[line]) for line in range(last) for reference in turked],
            "wikipedia": list(zip(turk[:last], simple, strict=False)),
            "onestop": reader.onestop(),
            "wikisplit": reader.wikisplit(),
        }.items()
    }
    counts["identity"] = _write_identity(folder, counts)
    tuned = range(last, HELD_OUT)
    counts["tune-turk"] = _write_set(folder, "tune-turk", turk, turked, tuned)
    pairs = [*zip(valid, reader.lines("simplify/pwkp/pwkp.valid.simp.xz"), strict=True)]
    counts["tune-pwkp"] = _write_pairs(folder, "tune-pwkp", pairs)
    pairs += [(turk[line], simple[line]) for line in tuned]
    counts["tune-wikipedia"] = _write_pairs(folder, "tune-wikipedia", pairs)
    tokens = Tokeniser("en", case="keep").tokens
    held_out = range(HELD_OUT, len(asset))
    counts["asset-test"] = _write_set(
        folder,
        "asset-test",
        list(map(tokens, asset)),
        [list(map(tokens, reference)) for reference in asseted],
        held_out,
    )
    write_lines(folder / "turk-test.source", map(tokens, reader.lines(f"{TURK}/test.truecase.detok.orig.xz")))
    texts = [*reader.easy_articles(), *reader.tatoeba()]
    write_lines(folder / "simple.text", texts)
    return {**counts, "simple text": len(texts)}


class Reader:
    """Reads the texts of the reference data."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def lines(self, path: str) -> list[str]:
        """Returns the lines of a file, with ordinary quotation marks and brackets for the Penn Treebank's."""
        return [_PENN_TOKENS.sub(lambda match: _PENN[match[0]], line) for line in read_lines(self.data / path)]

    def onestop(self) -> Pairs:
        """Yields the harder and the easier sentence of each pair; in the file ELE-INT, the easier one is first."""
        for levels in ("ADV-ELE", "ADV-INT", "ELE-INT"):
            lines = (line.strip() for line in self.lines(f"simplify/onestop/aligned/{levels}.txt.xz"))
            for pair in separated_pairs(lines):
                yield pair[::-1] if levels == "ELE-INT" else pair

    def wikisplit(self) -> Pairs:
        for part in ("tune", "validation"):
            for line in self.lines(f"simplify/wikisplit/{part}.tsv.xz"):
                source, _, target = line.partition("\t")
                yield source, target.replace(SPLIT_MARK, " ")

    def easy_articles(self) -> Iterable[str]:
        for line in self.lines("simplify/onestop/articles.jsonl.xz"):
            article = json.loads(line)
            if article["level"] != "Adv-Txt":
                yield from (paragraph.strip() for paragraph in article["text"].split("\n") if paragraph.strip())

    def tatoeba(self) -> list[str]:
        return sorted(
            {line for language in ("de", "fr") for line in self.lines(f"parallel/tatoeba.en-{language}.en.xz")}
        )


def recased(line: str, source: str) -> str:
    """Restores the case of a lower-cased line's words from the source.

    >>> recased("in paris it rained .", "It rained heavily in Paris.")
    'in Paris it rained .'
    """
    known = {word.lower(): word for word in reversed(re.findall(r"[^\W_]+", source)[1:])}
    return " ".join(known.get(word, word) for word in line.split())


def _letters(line: str) -> str:
    return "".join(character for character in line.lower() if character.isalnum())


def _write_pairs(folder: Path, name: str, pairs: Pairs) -> int:
    usable = [(source, target) for source, target in pairs if source.strip() and target.strip()]
    write_lines(folder / f"{name}.source", (source for source, _ in usable))
    write_lines(folder / f"{name}.target", (target for _, target in usable))
    return len(usable)


def _write_identity(folder: Path, names: Iterable[str]) -> int:
    """Pairs all complex sentences with themselves, so that unchanged words are aligned to themselves."""
    sources = dict.fromkeys(line for name in names for line in read_lines(folder / f"{name}.source"))
    for side in ("source", "target"):
        write_lines(folder / f"identity.{side}", sources)
    return len(sources)


def _write_set(
    folder: Path, name: str, source: Sequence[str], references: Sequence[Sequence[str]], lines: range
) -> int:
    write_lines(folder / f"{name}.source", (source[line] for line in lines))
    for number, reference in enumerate(references):
        write_lines(folder / f"{name}.target.{number}", (reference[line] for line in lines))
    return len(lines)

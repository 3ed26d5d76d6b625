"""Converts our tokens to a model's subwords.

A model's folder configures this in `lattice_simp.json`; all fields are optional:

    {"subwords": "sentencepiece",            or "bpe" (codes of subword-nmt), or "words"
     "source": "source.spm", "target": "target.spm",
     "joined": true,                         words are cut one by one; false: the text between blanks as a whole
     "detokenise": {"source": "en", "target": "fr"},   Moses tokens become text first (sacremoses)
     "capitalise": false,                    the first letter of a sentence becomes a capital one
     "source_prefix": [], "source_suffix": [], "target_prefix": []}     such as [">>fra<<"], or [] and ["</s>"]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeVar

from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.support.extras import Late
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.options import updated
from lattice_simp.support.textio import decode, read_bytes, read_lines, write_text

sentencepiece = Late("sentencepiece", "neural")

SETTINGS = "lattice_simp.json"

Cut = Callable[[str], list[str]]
"""Returns the subwords of a word, or of a text."""

_REMEMBERED = 1 << 16
"""How many words' subwords are cached."""


_Settings = TypeVar("_Settings")


def read_settings(folder: Path, kind: type[_Settings]) -> _Settings:
    """Reads the settings in a model's folder, or the defaults if it has none; raises FormatError for invalid ones."""
    path = folder / SETTINGS
    if not path.is_file():
        return kind()
    values = parse_json(decode(read_bytes(path), path), path=path, remedy="fix the file")
    try:
        return updated(kind(), values)
    except LatticeSimpError as error:
        raise FormatError(str(error), path=path, remedy="fix the file") from None


@dataclass(frozen=True)
class SegmentationSettings:
    """The fields of `lattice_simp.json`; see the module docstring."""

    subwords: Literal["sentencepiece", "bpe", "words"] = "sentencepiece"
    source: str = "source.spm"
    target: str = "target.spm"
    joined: bool = True
    detokenise: dict[str, str] = field(default_factory=dict)
    capitalise: bool = False
    source_prefix: tuple[str, ...] = ()
    source_suffix: tuple[str, ...] = ()
    target_prefix: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        """Writes the file."""
        write_text(folder / SETTINGS, json.dumps(asdict(self), indent=1) + "\n")


@dataclass(frozen=True)
class Segmentation:
    """Cuts both sides of a model into subwords."""

    source: Callable[[Sequence[str]], list[str]]
    target: Callable[[Sequence[str]], list[str]]
    target_prefix: tuple[str, ...] = ()

    @classmethod
    def read(cls, folder: str | Path) -> Segmentation:
        """Makes the segmentation that a model's folder specifies; raises FormatError if a file is missing or broken."""
        path = Path(folder)
        settings = read_settings(path, SegmentationSettings)
        side = cache(partial(_side, path, settings))
        source = side(settings.source, settings.detokenise.get("source"))
        target = side(settings.target, settings.detokenise.get("target"))
        before, after = list(settings.source_prefix), list(settings.source_suffix)
        return cls(lambda words: before + source(words) + after, target, settings.target_prefix)


def _side(
    folder: Path, settings: SegmentationSettings, name: str, language: str | None
) -> Callable[[Sequence[str]], list[str]]:
    cut = lru_cache(_REMEMBERED)(_cutter(settings.subwords, folder / name))
    text = detokeniser(language) if language else " ".join

    def pieces(words: Sequence[str]) -> list[str]:
        if settings.joined and not language:
            cased = [words[0][:1].upper() + words[0][1:], *words[1:]] if settings.capitalise and words else words
            return [piece for word in cased for piece in cut(word)]
        line = text(words)
        return list(cut(line[:1].upper() + line[1:] if settings.capitalise else line)) if words else []

    return pieces


def _cutter(kind: str, path: Path) -> Cut:
    if kind == "words":
        return lambda text: text.split(" ")
    if not path.is_file():
        raise FormatError("does not exist, so the model's subwords are unknown", path=path, remedy=f"see {SETTINGS}")
    if kind == "bpe":
        return bpe_cutter(path)
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.Load(str(path))
    except (RuntimeError, OSError) as error:
        reason = one_line(error)
        raise FormatError(f"not a SentencePiece model: {reason}", path=path, remedy="get the file again") from None
    return lambda text: list(processor.EncodeAsPieces(text))


def bpe_cutter(path: Path) -> Cut:
    """Cuts by the merges of subword-nmt (Sennrich, Haddow and Birch 2016): `lo w@@`, ends marked with `</w>`."""
    ranks: dict[tuple[str, str], int] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if number == 1 and line.startswith("#version"):
            continue
        parts = line.strip("\r\n ").split(" ")
        if len(parts) != 2:
            message = f"{line[:50]!r} is not a merge"
            raise FormatError(message, path=path, line=number, remedy="write two symbols on each line")
        ranks.setdefault((parts[0], parts[1]), number)

    def cut(word: str) -> list[str]:
        symbols = [*word[:-1], word[-1] + "</w>"]
        while len(symbols) > 1:
            pairs = list(pairwise(symbols))
            best = min(pairs, key=lambda pair: ranks.get(pair, len(ranks) + 2))
            if best not in ranks:
                break
            merged, position = [], 0
            while position < len(symbols):
                joins = position + 1 < len(symbols) and (symbols[position], symbols[position + 1]) == best
                merged.append("".join(best) if joins else symbols[position])
                position += 2 if joins else 1
            symbols = merged
        last = symbols[-1].removesuffix("</w>")
        return [*(f"{symbol}@@" for symbol in symbols[:-1]), last]

    return lambda text: [piece for word in text.split(" ") for piece in cut(word)]


@cache
def detokeniser(language: str) -> Callable[[Sequence[str]], str]:
    """Returns a function that joins Moses tokens to text."""
    moses = Late("sacremoses", "text").MosesDetokenizer(lang=language)
    return lambda words: str(moses.detokenize(list(words)))

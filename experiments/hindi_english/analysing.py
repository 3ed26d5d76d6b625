"""Analyses lines with the Hindi tools: the skeleton without subordinate clauses, and the simple sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from experiments.files import read_records, write_records
from lattice_simp.skeleton import Skeleton
from lattice_simp.systems.hindi.model import HindiModel
from lattice_simp.systems.hindi.simplify import simplify
from lattice_simp.systems.hindi.skeletons import line_skeleton
from lattice_simp.systems.hindi.text import tokenised_sentences


@dataclass(frozen=True)
class Analysed:
    """A line of the source.

    Attributes:
        words: its tokens.
        kept: whether each token belongs to the skeleton; all do if nothing can be deleted.
        simple: the tokens of each simple sentence.
    """

    words: tuple[str, ...]
    kept: tuple[bool, ...]
    simple: tuple[str, ...]

    @property
    def skeleton(self) -> Skeleton | None:
        """The skeleton; None if nothing can be deleted."""
        return None if all(self.kept) else Skeleton(self.words, self.kept)

    @property
    def is_changed(self) -> bool:
        """Whether simplification changes the line."""
        return " ".join(self.simple) != " ".join(self.words)


def analyse(model: HindiModel, tokens: str) -> Analysed:
    """Analyses a line of tokens, sentence by sentence."""
    sentences = list(model.parsed(model.analyser.analyse(words) for words in tokenised_sentences(tokens)))
    parts = [(sentence, model.clauses.clauses(sentence)) for sentence in sentences]
    skeleton = line_skeleton(parts)
    words = tuple(tokens.split())
    kept = (True,) * len(words) if skeleton is None else skeleton.mask
    simple = tuple(str(result) for part in parts for result in simplify(*part, every_clause=True).sentences)
    return Analysed(words, kept, simple)


def write_analysed(path: Path, lines: Iterable[Analysed]) -> None:
    """Writes one JSON object a line."""
    write_records(
        path,
        (
            {"words": " ".join(line.words), "kept": "".join("01"[kept] for kept in line.kept), "simple": line.simple}
            for line in lines
        ),
    )


def read_analysed(path: Path) -> list[Analysed]:
    """Reads a file of `write_analysed`."""
    return [
        Analysed(
            tuple(values["words"].split()), tuple(digit == "1" for digit in values["kept"]), tuple(values["simple"])
        )
        for values in read_records(path)
    ]

"""Sentences to choose from, with the skeletons that came with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lattice_simp.serve.translate.skeletons import Facts, skeleton_facts
from lattice_simp.skeleton import SkeletonRecord, read_skeletons
from lattice_simp.support.tables import grammar_path

MOST_EXAMPLES = 12

METHOD = "example"
"""What a skeleton from a file is called among the suggestions."""


@dataclass(frozen=True)
class Examples:
    """Sentences to choose from."""

    records: tuple[SkeletonRecord, ...] = ()

    @classmethod
    def read(cls, path: Path | None, *, demo: bool) -> Examples:
        """Reads the first few sentences of a skeleton file; without one, those of the demo for its grammar.

        Raises:
            FormatError: the file is broken.
        """
        if path is None and not demo:
            return cls()
        return cls(tuple(islice(_chosen(read_skeletons(path or grammar_path("demo/data/test.jsonl"))), MOST_EXAMPLES)))

    @property
    def sentences(self) -> list[str]:
        """The sentences, as text."""
        return [" ".join(record.skeletons[0].tokens) for record in self.records]

    def suggestions(self, text: str) -> list[Facts]:
        """Returns the skeletons of the file for a sentence, with the `method` that stands for them."""
        own = next((own for own in self.records if " ".join(own.skeletons[0].tokens) == text), None)
        if own is None:
            return []
        return [skeleton_facts(one) | {"method": METHOD} for one in own.skeletons if one.is_strict]


def _chosen(records: Iterable[SkeletonRecord]) -> Iterable[SkeletonRecord]:
    """Leaves out sentences of which nothing is deleted."""
    return (own for own in records if own.skeletons[0].is_strict)

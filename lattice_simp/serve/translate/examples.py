"""Example sentences with their skeletons."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lattice_simp.serve.translate.skeletons import Facts, skeleton_facts
from lattice_simp.skeleton import SkeletonRecord, read_skeletons
from lattice_simp.support.tables import grammar_path

MOST_EXAMPLES = 12

DEMO_LINES = (12, 54, 21, 33, 53, 19, 45, 25, 58, 0, 1, 31)
"""The demo's sentences whose translations mostly change with the skeleton."""

METHOD = "example"
"""The method shown for skeletons from a file."""


@dataclass(frozen=True)
class Examples:
    """Example sentences to choose from."""

    records: tuple[SkeletonRecord, ...] = ()

    @classmethod
    def read(cls, path: Path | None, *, demo: bool) -> Examples:
        """Reads the first sentences of a skeleton file, or those of the demo for its grammar."""
        if path is not None:
            strict = (record for record in read_skeletons(path) if record.skeletons[0].is_strict)
            return cls(tuple(islice(strict, MOST_EXAMPLES)))
        if not demo:
            return cls()
        records = list(read_skeletons(grammar_path("demo/data/test.jsonl")))
        return cls(tuple(records[line] for line in DEMO_LINES))

    @property
    def sentences(self) -> list[str]:
        """The sentences, as text."""
        return [" ".join(record.skeletons[0].tokens) for record in self.records]

    def suggestions(self, text: str) -> list[Facts]:
        """Returns the skeletons of a sentence in the file, with their `method`."""
        record = next((record for record in self.records if " ".join(record.skeletons[0].tokens) == text), None)
        if record is None:
            return []
        return [skeleton_facts(skeleton) | {"method": METHOD} for skeleton in record.skeletons if skeleton.is_strict]

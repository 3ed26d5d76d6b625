"""Sentences to choose from, with the skeletons that came with them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lattice_simp.serve.translate.skeletons import Facts, skeleton_facts
from lattice_simp.skeleton import SkeletonRecord, read_skeletons
from lattice_simp.support.tables import grammar_path

MOST_EXAMPLES = 12

DEMO_LINES = (12, 54, 21, 33, 53, 19, 45, 25, 58, 0, 1, 31)
"""Of the demo's sentences: most translations of these change with the skeleton."""

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
        """Returns the skeletons of the file for a sentence, with the `method` that stands for them."""
        own = next((own for own in self.records if " ".join(own.skeletons[0].tokens) == text), None)
        if own is None:
            return []
        return [skeleton_facts(one) | {"method": METHOD} for one in own.skeletons if one.is_strict]

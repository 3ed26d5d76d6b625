"""A parsed sentence as plain data, so that automatic skeletons work with any parser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.groups import children_of
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text, read_lines

ROOT = -1
"""The head of a token without a head."""

PENN_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
"""The brackets of the Penn Treebank."""

_COLUMNS = ("heads", "labels", "parts", "tags", "lemmas")
_REMEDY = "delete the file, and parse again"


@dataclass(frozen=True)
class Parse:
    """A dependency tree over the tokens of a sentence.

    >>> parse = Parse(("it", "rained", "hard"), (1, -1, 1), ("nsubj", "ROOT", "advmod"), ("PRON", "VERB", "ADV"),
    ...               ("PRP", "VBD", "RB"), ("it", "rain", "hard"))
    >>> parse.children[1], parse.subtree(1), parse.depths
    ((0, 2), (0, 1, 2), (1, 0, 1))

    Attributes:
        tokens: the sentence.
        heads: the position of each token's head; -1 for a root. There may be several roots.
        labels: the dependency label of each token, in the parser's scheme.
        parts: coarse parts of speech (universal ones).
        tags: fine parts of speech.
        lemmas: the lemma of each token.

    Raises:
        LatticeSimpError: the columns differ in length, a head is outside the sentence, or the heads form a cycle.
    """

    tokens: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    parts: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            if len(getattr(self, name)) != len(self.tokens):
                raise LatticeSimpError(
                    f"a parse of {counted(len(self.tokens), 'token')} with {len(getattr(self, name))} {name}"
                )
        for position, head in enumerate(self.heads):
            if not ROOT <= head < len(self.tokens) or head == position:
                raise LatticeSimpError(f"token {position} of a parse has the head {head}")
        if any(depth < 0 for depth in self.depths):
            raise LatticeSimpError("the heads of a parse form a cycle")

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The dependents of each token, from left to right."""
        return tuple(map(tuple, children_of(self.heads)))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The tokens without a head."""
        return tuple(position for position, head in enumerate(self.heads) if head == ROOT)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """The distance of each token from its root; -1 in a cycle."""
        depths = [-1] * len(self.tokens)
        pending = [(root, 0) for root in self.roots]
        while pending:
            position, depth = pending.pop()
            depths[position] = depth
            pending += [(child, depth + 1) for child in self.children[position]]
        return tuple(depths)

    def subtree(self, position: int) -> tuple[int, ...]:
        """Returns the token and all its descendants, from left to right."""
        positions, pending = [], [position]
        while pending:
            positions.append(pending.pop())
            pending += self.children[positions[-1]]
        return tuple(sorted(positions))


def write_parses(path: str | Path, parses: Iterable[Parse]) -> None:
    """Writes parses as JSON lines that `read_parses` reads back exactly."""
    with open_text(path, "w") as file:
        for parse in parses:
            fields = {name: getattr(parse, name) for name in ("tokens", *_COLUMNS)}
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")


def read_parses(path: str | Path) -> Iterator[Parse]:
    """Yields the parses of a JSON-lines file; raises FormatError for any other line."""
    for number, line in enumerate(read_lines(path), start=1):
        fields = parse_json(line, path=path, line=number, remedy=_REMEDY)
        try:
            yield Parse(*(tuple(fields[name]) for name in ("tokens", *_COLUMNS)))
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"not a parse: {error}", path=path, line=number, remedy=_REMEDY) from error

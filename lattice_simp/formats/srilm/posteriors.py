r"""Word posterior lattices of SRILM (`nbest-lattice -write`), in the format of its manual page wlat-format.

After `version 2`, there are lines `initial NODE` and `final NODE`, and for each node `node NODE word slot posterior`,
followed by `node posterior` for each transition. `NULL` is the empty word. The cost of an arc is minus the log of its
share in the posteriors of the transitions from its node, so the probabilities of all paths have the sum 1.

>>> nodes = b"node 0 NULL 0 1 2 0.75 1 0.25\nnode 1 NULL 2 1\nnode 2 a 1 0.75 1 0.75\n"
>>> lattice = parse_wlat(b"version 2\nname u\ninitial 0\nfinal 1\n" + nodes)
>>> lattice.weights.round(3).tolist(), lattice.symbols.decode(lattice.olabels)
([0.288, 1.386, 0.0], ['a'])
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lattice_simp.core.feature_names import POSTERIOR
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.formats.common import (
    Format,
    finite,
    natural,
    refuse_writing,
    share_costs,
    shown,
)
from lattice_simp.formats.srilm.lines import NO_WORD, LineReader, Nodes

_SNIFFED = re.compile(rb"version[ \t]+2\s*?\n(?:name|initial|node)\b")
_VERSION = "2"


class _Node(NamedTuple):
    """A node: its line, its word, and the posteriors of the transitions to other nodes."""

    line: int
    word: str
    transitions: list[tuple[int, float]]


def parse_wlat(data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    """Parses the bytes of a word lattice; an arc has the word of the node that it leads to.

    The feature `posterior` is the log of a transition's posterior, divided by that of all paths. Transitions with the
    posterior 0, slots and the posteriors of nodes are left out.

    Raises:
        FormatError: a line is broken (the message has its number), lines are missing, or there are several lattices.
    """
    return _Reader(path).parse(data, symbols)


@dataclass
class _Reader(LineReader):
    """Collects the lines of a lattice."""

    remedy = "write node NODE word slot posterior, then node posterior for each transition"
    name: str | None = None
    ends: dict[str, tuple[int, int]] = field(default_factory=dict)
    nodes: dict[int, _Node] = field(default_factory=dict)

    def line(self, number: int, fields: list[str]) -> None:
        kind, *values = fields
        node = natural(values[0]) if values else None
        if kind == "node" and node is not None and node not in self.nodes:
            self.nodes[node] = self.node(values, number)
        elif kind in ("initial", "final") and len(values) == 1 and node is not None and kind not in self.ends:
            self.ends[kind] = node, number
        elif kind == "name" and values and not self.nodes:
            self.name = " ".join(values)
        elif kind == "version" and self.nodes:
            raise self.error("another word lattice begins", number, "write each lattice to a separate file")
        elif kind != "version" or values != [_VERSION]:
            raise self.error(f"not a line of a word lattice, or a second one: {shown(' '.join(fields))}", number)

    def node(self, values: list[str], line: int) -> _Node:
        """Reads the word and the transitions of a node."""
        targets = [natural(text) for text in values[4::2]]
        posteriors = [_posterior(text) for text in values[3::2]]
        if len(values) < 4 or len(values) % 2 or None in targets or None in posteriors or natural(values[2]) is None:
            raise self.error(f"not the numbers of a node and its transitions: {shown(' '.join(values))}", line)
        pairs = zip(targets, posteriors[1:], strict=True)
        return _Node(line, values[1], [(target, share) for target, share in pairs if target is not None and share])

    def check(self) -> None:
        """Checks that all nodes have lines, and that the initial one has no word."""
        missing = [name for name in ("initial", "final") if name not in self.ends]
        if missing:
            raise self.error(f"no line {' and no line '.join(missing)}", None, "is the file cut off?")
        references = [*self.ends.values()]
        references += [(target, node.line) for node in self.nodes.values() for target, _ in node.transitions]
        for name, line in references:
            if name not in self.nodes:
                raise self.error(f"the node {name} has no line", line, "is the file cut off?")
        initial, line = self.ends["initial"]
        if self.nodes[initial].word != NO_WORD:
            raise self.error(f"the initial node has the word {shown(self.nodes[initial].word)}", line, "write NULL")

    def lattice(self, symbols: SymbolTable) -> Lattice:
        self.check()
        order = {name: state for state, name in enumerate(self.nodes)}
        start, final = (order[self.ends[name][0]] for name in ("initial", "final"))
        transitions = [
            (order[name], order[target], share)
            for name, node in self.nodes.items()
            for target, share in node.transitions
        ]
        columns = np.array(transitions, dtype=np.float64).reshape(-1, 3).T
        sources, targets = columns[:2].astype(np.int64)
        total = columns[2][sources == start].sum() or 1.0
        features = {POSTERIOR: np.minimum(np.log(columns[2]) - np.log(total), 0.0)}
        nodes = Nodes([node.word for node in self.nodes.values()], start, final)
        table = sources, targets, share_costs(sources, columns[2])
        return nodes.lattice(table, symbols, self.path, self.name, features=features)


def _posterior(text: str) -> float | None:
    value = finite(text)
    return value if value is not None and value >= 0.0 else None


FORMAT = Format((".wlat",), _SNIFFED.match, parse_wlat, refuse_writing)

"""PFSG, the probabilistic finite-state grammars of SRILM (`lattice-tool -write-pfsg` and others), with words on nodes.

A line `nodes COUNT word word ...`, lines `initial NODE` and `final NODE`, and after `transitions COUNT` one line for
each, `source target score`. A score is 10000.5 times a natural log probability, rounded to an integer. `NULL` is the
empty word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Bools, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.formats.common import (
    Format,
    beyond,
    field_of,
    finite,
    natural,
    require_acceptor,
    shown,
    single_final,
)
from lattice_simp.formats.networks import field_words, lost
from lattice_simp.formats.srilm.lines import NO_WORD, LineReader, Nodes
from lattice_simp.support.textio import open_text

SCALE = 10000.5
"""The factor from nats to scores."""

_SNIFFED = re.compile(rb"name[ \t]+\S+\s*?\nnodes[ \t]+\d")
_ORDER = "name, nodes, initial, final, transitions"


def parse_pfsg(data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    """Parses the bytes of a PFSG file; an arc has the word of the node that it leads to.

    >>> data = b"name u\\nnodes 3 NULL a NULL\\ninitial 0\\nfinal 2\\ntransitions 2\\n0 1 -10000\\n1 2 0\\n"
    >>> [(arc.word, round(arc.weight, 3)) for arc in parse_pfsg(data).arcs_of(0)]
    [('a', 1.0)]

    Args:
        data: the file's bytes.
        path: the file's name, for errors.
        symbols: the table that numbers the words; it grows as needed. A new one if None.

    Raises:
        FormatError: a line is broken (the message has its number), counts are wrong, or there are several grammars.
    """
    return _Reader(path).parse(data, symbols)


def write_pfsg(lattice: Lattice, path: str | Path) -> None:
    """Writes an acceptor as PFSG; costs are rounded to 1/10000.5 nats.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.pfsg"
    >>> write_pfsg(Lattice.from_strings([("a", 1.0)]), path)
    >>> path.read_text().splitlines()
    ['name 0', 'nodes 2 NULL a', 'initial 0', 'final 1', 'transitions 1', '0 1 -10000']

    A state whose incoming arcs have the same word becomes a node of this word; other arcs with words get nodes.

    Raises:
        InvalidLatticeError: the lattice is a transducer, or the format cannot hold a word.
        EmptyLatticeError: no state is final.
        LatticeSimpError: the file cannot be written.
    """
    require_acceptor(lattice, "PFSG")
    lattice, end = single_final(lattice)
    words = field_words(lattice, NO_WORD, "PFSG")
    on_state, state_labels = _labels_of_states(lattice)
    apart = np.flatnonzero(~on_state[lattice.nextstates] & (lattice.olabels != EPSILON))
    nodes = np.concatenate((state_labels, lattice.olabels[apart])).tolist()
    targets = lattice.nextstates.astype(np.int64)
    targets[apart] = lattice.num_states + np.arange(len(apart))
    scores = np.concatenate((np.rint(-SCALE * lattice.weights), np.zeros(len(apart)))) + 0.0
    sources = np.concatenate((lattice.sources, targets[apart])).tolist()
    targets = np.concatenate((targets, lattice.nextstates[apart]))
    rows = zip(sources, targets.tolist(), scores.tolist(), strict=True)
    with open_text(path, "w") as file:
        file.write(f"name {field_of(lattice.header.name or '', path)}\n")
        file.write(f"nodes {len(nodes)} {' '.join(words[label] for label in nodes)}\n")
        file.write(f"initial 0\nfinal {end}\ntransitions {len(scores)}\n")
        file.writelines(f"{source} {target} {score:.0f}\n" for source, target, score in rows)


def _labels_of_states(lattice: Lattice) -> tuple[Bools, Longs]:
    """Returns for each state whether all incoming arcs have the same label, and this label or epsilon."""
    lowest = np.full(lattice.num_states, np.iinfo(np.int64).max)
    highest = np.full(lattice.num_states, -1, dtype=np.int64)
    np.minimum.at(lowest, lattice.nextstates, lattice.olabels)
    np.maximum.at(highest, lattice.nextstates, lattice.olabels)
    on_state = lowest == highest
    on_state[:1] = False  # the start has no word, even if arcs lead to it
    return on_state, np.where(on_state, highest, EPSILON)


@dataclass
class _Reader(LineReader):
    """Collects the lines of a grammar."""

    name: str | None = None
    words: list[str] | None = None
    ends: dict[str, int] = field(default_factory=dict)
    count: int | None = None
    transitions: list[tuple[int, int, float]] = field(default_factory=list)

    def line(self, number: int, fields: list[str]) -> None:
        kind, values = fields[0], fields[1:]
        if kind == "name" and values:
            if self.name is not None:
                raise self.error("another grammar begins", number, "expand it: lattice-tool; one grammar in each file")
            self.name = " ".join(values)
        elif kind == "nodes" and self.words is None and values and natural(values[0]) == len(values) - 1:
            self.words = values[1:]
        elif kind in ("initial", "final") and len(values) == 1 and natural(values[0]) is not None:
            self.ends[kind] = self.node(values[0], number)
        elif kind == "transitions" and len(values) == 1 and self.count is None:
            self.count = natural(values[0])
        elif self.count is not None and len(fields) == 3:
            score = finite(fields[2])
            if score is None:
                message = f"not a score: {shown(fields[2])}{beyond(fields[2])}"
                raise self.error(message, number, "write source target score")
            self.transitions.append((self.node(fields[0], number), self.node(fields[1], number), score))
        else:
            message = f"not a line of a PFSG: {shown(' '.join(fields))}"
            raise self.error(message, number, f"write {_ORDER}, with as many nodes and transitions as announced")

    def node(self, text: str, line: int) -> int:
        node = natural(text)
        if self.words is None or node is None or node >= len(self.words):
            raise self.error(f"not a node: {shown(text)}", line, "nodes have numbers from 0; their line comes first")
        return node

    def lattice(self, symbols: SymbolTable) -> Lattice:
        if self.words is None or len(self.ends) != 2 or len(self.transitions) != self.count:
            message = f"{len(self.transitions)} transitions, but {self.count} are announced"
            if self.words is None or len(self.ends) != 2 or self.count is None:
                message = f"lines are missing; there must be {_ORDER}"
            raise self.error(message, None, "is the file cut off?")
        table = np.array(self.transitions, dtype=np.float64).reshape(-1, 3)
        transitions = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), 0.0 - table[:, 2] / SCALE
        nodes = Nodes(self.words, self.ends["initial"], self.ends["final"])
        return nodes.lattice(transitions, symbols, self.path, self.name)


FORMAT = Format((".pfsg",), _SNIFFED.match, parse_pfsg, write_pfsg, lost)

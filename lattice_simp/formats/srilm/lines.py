"""Shared by the lattice formats of SRILM: readers of lines of fields, and lattices with words on their nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lattice_simp.core.arcs import start_first
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import checked_lattice, field_lines

NO_WORD = "NULL"
"""The word of nodes without one."""


@dataclass
class LineReader(ABC):
    """Collects the lines of a lattice; `remedy` is what errors advise if they know nothing better."""

    path: str | Path | None
    remedy: ClassVar[str] = ""

    def parse(self, data: bytes, symbols: SymbolTable | None) -> Lattice:
        """Reads all lines; returns their lattice."""
        for number, fields in field_lines(data, self.path):
            self.line(number, fields)
        return self.lattice(SymbolTable.of(symbols))

    @abstractmethod
    def line(self, number: int, fields: list[str]) -> None:
        """Reads a line."""

    @abstractmethod
    def lattice(self, symbols: SymbolTable) -> Lattice:
        """Returns the lattice of the lines."""

    def error(self, message: str, line: int | None, remedy: str = "") -> FormatError:
        """Returns an error that names the file and a line."""
        return FormatError(message, path=self.path, line=line, remedy=remedy or self.remedy)


@dataclass(frozen=True)
class Nodes:
    """The nodes of a lattice: their words, in the order of their numbers, the initial and the final one."""

    words: Sequence[str]
    start: int
    final: int

    def lattice(
        self,
        transitions: tuple[Longs, Longs, Floats],
        symbols: SymbolTable,
        path: str | Path | None,
        name: str | None,
        **columns: Any,
    ) -> Lattice:
        """Returns the lattice of transitions (sources, targets, costs); an arc has the word of the node it leads to."""
        sources, targets, costs = transitions
        words = [EPSILON if word == NO_WORD else symbols.add(word) for word in self.words]
        of_node = np.array(words, dtype=np.int64)
        labels, start, finals = of_node[targets], self.start, np.full(len(of_node), INFINITY)
        finals[self.final] = 0.0
        if of_node[start] != EPSILON:  # no arc reads the start's word, so a new one does
            sources, targets = np.append(sources, len(finals)), np.append(targets, start)
            labels, costs = np.append(labels, of_node[start]), np.append(costs, 0.0)
            start, finals = len(finals), np.append(finals, INFINITY)
        sources, targets, finals = start_first(start, sources, targets, finals)
        lattice = checked_lattice(path, sources, labels, costs, targets, finals, symbols, **columns)
        return replace(lattice, header=Header(name))

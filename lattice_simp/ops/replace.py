"""Replacing arcs by lattices: a word that stands for other words is expanded in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as replace_fields

import numpy as np

from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable


def replace(lattice: Lattice, parts: Mapping[str, Lattice]) -> Lattice:
    """Replaces every arc with the output word `w` by a copy of `parts[w]`, at the sum of both costs.

    >>> gap = Lattice.from_strings([("x", 0.5), ("y z", 2.0)])
    >>> full = replace(Lattice.from_strings([("a GAP b", 1.0)]), {"GAP": gap})
    >>> from lattice_simp.ops.nbest import nbest
    >>> [(path.words, path.cost) for path in nbest(full, 3)]
    [('a x b', 1.5), ('a y z b', 3.0)]

    The parts are not searched for further words to replace. Score columns that one side lacks are 0 there. The arc's
    own input label stands before those of the part.

    Raises:
        CyclicLatticeError: a part or the lattice has a cycle.
    """
    isymbols = lattice.isymbols.copy() if lattice.isymbols is not None else None
    if isymbols is None and any(part.isymbols is not None for part in parts.values()):
        isymbols = SymbolTable()
    labels = {}
    for word, part in parts.items():
        label = lattice.symbols.find(word)
        if label is not None:
            labels[label] = _prepare(part, lattice.symbols, isymbols)
    builder = _Builder(lattice, isymbols, labels)
    for arc in np.flatnonzero(np.isin(lattice.olabels, list(labels))).tolist():
        builder.insert(arc, labels[int(lattice.olabels[arc])])
    return builder.finish()


def _prepare(part: Lattice, symbols: SymbolTable, isymbols: SymbolTable | None) -> Lattice:
    part = part.connected().with_symbols(symbols)
    if isymbols is None:
        return part
    if part.isymbols is None:
        return replace_fields(part, ilabels=np.zeros(part.num_arcs, dtype=np.int32), isymbols=isymbols)
    return replace_fields(part, ilabels=part.isymbols.mapping_to(isymbols)[part.ilabels], isymbols=isymbols)


class _Builder:
    """Collects blocks of arcs: (source, target, input label, output label, cost, columns)."""

    def __init__(self, lattice: Lattice, isymbols: SymbolTable | None, labels: Mapping[int, Lattice]) -> None:
        self.lattice, self.isymbols = lattice, isymbols
        self.columns = sorted({*lattice.scores, *(name for part in labels.values() for name in part.scores)})
        self.states = lattice.num_states
        kept = ~np.isin(lattice.olabels, list(labels))
        self.ilabels = lattice.ilabels
        if isymbols is not None and lattice.isymbols is None:
            self.ilabels = np.zeros(lattice.num_arcs, dtype=np.int32)
        self.blocks: list[tuple[Ints, Ints, Ints, Ints, Floats, list[Floats]]] = []
        self._add(
            lattice.sources[kept],
            lattice.nextstates[kept],
            self.ilabels[kept],
            lattice.olabels[kept],
            lattice.weights[kept],
            [self._column(lattice, name)[kept] for name in self.columns],
        )

    def _add(
        self, sources: Ints, targets: Ints, ilabels: Ints, olabels: Ints, weights: Floats, scores: list[Floats]
    ) -> None:
        self.blocks.append((sources, targets, ilabels, olabels, weights, scores))

    @staticmethod
    def _column(lattice: Lattice, name: str, final: bool = False) -> Floats:
        columns = lattice.final_scores if final else lattice.scores
        return columns.get(name, np.zeros(lattice.num_states if final else lattice.num_arcs))

    def insert(self, arc: int, part: Lattice) -> None:
        """Puts a copy of `part` in the place of an arc; epsilons enter and leave it."""
        base = self.states
        self.states += part.num_states
        self._add(
            part.sources + base,
            part.nextstates + base,
            part.ilabels,
            part.olabels,
            part.weights,
            [self._column(part, name) for name in self.columns],
        )
        ends = np.flatnonzero(np.isfinite(part.finals)).astype(np.int32)
        if not len(ends):
            return
        source = int(np.searchsorted(self.lattice.offsets, arc, side="right")) - 1
        zeros = np.zeros(len(ends) + 1, dtype=np.int32)
        ilabels = zeros.copy()
        ilabels[0] = self.ilabels[arc] if self.isymbols is not None else 0
        self._add(
            np.append(np.int32(source), ends + base).astype(np.int32),
            np.append(np.int32(base), np.full(len(ends), self.lattice.nextstates[arc])).astype(np.int32),
            ilabels,
            zeros,
            np.append(self.lattice.weights[arc], part.finals[ends]),
            [
                np.append(self._column(self.lattice, name)[arc], self._column(part, name, final=True)[ends])
                for name in self.columns
            ],
        )

    def finish(self) -> Lattice:
        lattice = self.lattice
        sources, targets, ilabels, olabels, weights = (
            np.concatenate([block[place] for block in self.blocks]) for place in range(5)
        )
        added = self.states - lattice.num_states
        return Lattice.from_arcs(
            sources,
            olabels,
            weights,
            targets,
            np.append(lattice.finals, np.full(added, np.inf)),
            lattice.symbols,
            ilabels=None if self.isymbols is None else ilabels,
            isymbols=self.isymbols,
            scores={
                name: np.concatenate([block[5][place] for block in self.blocks])
                for place, name in enumerate(self.columns)
            },
            final_scores={
                name: np.append(self._column(lattice, name, final=True), np.zeros(added)) for name in self.columns
            },
        ).connected()

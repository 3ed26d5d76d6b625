"""Replacing arcs by lattices: a word that stands for other words is expanded in place (a recursive network, once)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as replace_fields

import numpy as np

from lattice_simp.core.arguments import mapping
from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Bools, Floats, Ints
from lattice_simp.core.lattice import Lattice, require_lattice, share_symbols
from lattice_simp.core.symbols import SymbolTable


def replace(lattice: Lattice, parts: Mapping[str, Lattice]) -> Lattice:
    """Replaces every arc with the output word `w` by a copy of `parts[w]`, at the sum of both costs.

    >>> gap = Lattice.from_strings([("x", 0.5), ("y z", 2.0)])
    >>> full = replace(Lattice.from_strings([("a GAP b", 1.0)]), {"GAP": gap})
    >>> from lattice_simp.ops.nbest import nbest
    >>> [(path.text, path.cost) for path in nbest(full, 3)]
    [('a x b', 1.5), ('a y z b', 3.0)]

    The parts are not searched for further words to replace. Features that one side lacks are 0 there. The arc's own
    input label comes before those of the part.

    Raises:
        CyclicLatticeError: a part or the lattice has a cycle.
    """
    require_lattice("replace", lattice)
    require_lattice("replace", *mapping(parts, "the parts").values())
    isymbols = lattice.isymbols.copy() if lattice.isymbols is not None else None
    if isymbols is None and any(part.isymbols is not None for part in parts.values()):
        isymbols = SymbolTable()
        lattice = replace_fields(lattice, ilabels=np.zeros(lattice.num_arcs, dtype=np.int32), isymbols=isymbols)
    names = tuple(dict.fromkeys(name for piece in (lattice, *parts.values()) for name in piece.features))
    lattice = replace_fields(lattice, isymbols=isymbols, features=lattice.features.select(names))
    used = {word: part for word, part in parts.items() if word in lattice.symbols}
    lattice, *shared = share_symbols([lattice, *(part.connected() for part in used.values())])
    labels = lattice.symbols.lookup(list(used)).tolist()
    prepared = {label: _prepare(part, isymbols, names) for label, part in zip(labels, shared, strict=True)}
    replaced = np.isin(lattice.olabels, list(prepared))
    blocks = [_kept(lattice, ~replaced)]
    base = lattice.num_states
    for arc in np.flatnonzero(replaced).tolist():
        part = prepared[int(lattice.olabels[arc])]
        blocks += [_copied(part, base), _entry_and_exits(lattice, arc, part, base)]
        base += part.num_states
    return _joined(lattice, blocks, base).connected()


def _prepare(part: Lattice, isymbols: SymbolTable | None, names: tuple[str, ...]) -> Lattice:
    part = replace_fields(part, features=part.features.select(names))
    if isymbols is None:
        return part
    if part.isymbols is None:
        return replace_fields(part, ilabels=np.zeros(part.num_arcs, dtype=np.int32), isymbols=isymbols)
    return replace_fields(part, ilabels=isymbols.encode(part.isymbols)[part.ilabels], isymbols=isymbols)


@dataclass(frozen=True)
class _Block:
    """Some arcs of the result; `features` is (features, arcs)."""

    sources: Ints
    nextstates: Ints
    ilabels: Ints
    olabels: Ints
    weights: Floats
    features: Floats


def _kept(lattice: Lattice, kept: Bools) -> _Block:
    return _Block(
        lattice.sources[kept],
        lattice.nextstates[kept],
        lattice.ilabels[kept],
        lattice.olabels[kept],
        lattice.weights[kept],
        lattice.features.arcs[:, kept],
    )


def _copied(part: Lattice, base: int) -> _Block:
    return _Block(
        part.sources + base,
        part.nextstates + base,
        part.ilabels,
        part.olabels,
        part.weights,
        part.features.arcs,
    )


def _entry_and_exits(lattice: Lattice, arc: int, part: Lattice, base: int) -> _Block:
    """Returns the epsilon arcs into a copy whose states begin at `base`, and out of its final states."""
    ends = np.flatnonzero(np.isfinite(part.finals)).astype(np.int32)
    entry = np.full(min(len(ends), 1), arc, dtype=np.int32)  # an empty part cannot be entered
    silent = np.zeros(len(entry) + len(ends), dtype=np.int32)
    ilabels = silent.copy()
    if lattice.isymbols is not None:
        ilabels[: len(entry)] = lattice.ilabels[entry]
    return _Block(
        np.concatenate((lattice.sources[entry], ends + base)),
        np.concatenate((np.full(len(entry), base), np.full(len(ends), lattice.nextstates[arc]))),
        ilabels,
        silent,
        np.concatenate((lattice.weights[entry], part.finals[ends])),
        np.hstack((lattice.features.arcs[:, entry], part.features.finals[:, ends])),
    )


def _joined(lattice: Lattice, blocks: list[_Block], num_states: int) -> Lattice:
    added, features, isymbols = num_states - lattice.num_states, lattice.features, lattice.isymbols
    return Lattice.from_arcs(
        np.concatenate([block.sources for block in blocks]),
        np.concatenate([block.olabels for block in blocks]),
        np.concatenate([block.weights for block in blocks]),
        np.concatenate([block.nextstates for block in blocks]),
        np.append(lattice.finals, np.full(added, np.inf)),
        lattice.symbols,
        inputs=None if isymbols is None else (np.concatenate([block.ilabels for block in blocks]), isymbols),
        features=Features(
            features.names,
            np.hstack([block.features for block in blocks]),
            np.hstack((features.finals, np.zeros((len(features.names), added)))),
        ),
    )

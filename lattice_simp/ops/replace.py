"""Replacing arcs by lattices: a word that stands for other words is expanded in place (a recursive network, once)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as replace_fields

import numpy as np

from lattice_simp.core.arguments import mapping
from lattice_simp.core.joining import dead_state, side_by_side, with_epsilons
from lattice_simp.core.kernel import Bools, Ints, Longs
from lattice_simp.core.lattice import Lattice, require_lattice, share_symbols
from lattice_simp.core.symbols import EPSILON, SymbolTable


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
    names = tuple(dict.fromkeys(name for piece in (lattice, *parts.values()) for name in piece.features))
    lattice = replace_fields(lattice, features=lattice.features.select(names))
    pieces = [lattice, *(part.connected() for part in parts.values())]
    if any(piece.isymbols is not None for piece in pieces):
        pieces = list(map(_with_inputs, pieces))
    lattice, *shared = share_symbols(pieces)
    labels = lattice.symbols.lookup(list(parts)).tolist()
    part_of = {label: part for label, part in zip(labels, shared, strict=True) if label >= 0}
    lattice, entries = _sorted_last(lattice, np.isin(lattice.olabels, list(part_of)))
    copies = [part_of[label] for label in lattice.olabels[entries].tolist()]
    joined, begins = side_by_side([lattice, *(part if part.num_states else dead_state(part) for part in copies)])
    ends = np.flatnonzero(np.isfinite(joined.finals[lattice.num_states :])) + lattice.num_states
    targets = lattice.nextstates[entries][np.searchsorted(begins, ends, side="right") - 2]
    entered = _entered(joined, lattice.num_states, entries, begins[1:-1])
    scores = joined.features.finals[:, ends]
    return with_epsilons(entered, ends.astype(np.int32), targets, joined.finals[ends], scores).connected()


def _with_inputs(lattice: Lattice) -> Lattice:
    """Returns a transducer; the words of an acceptor have no input labels."""
    if lattice.isymbols is not None:
        return lattice
    return replace_fields(lattice, ilabels=np.zeros(lattice.num_arcs, dtype=np.int32), isymbols=SymbolTable())


def _sorted_last(lattice: Lattice, chosen: Bools) -> tuple[Lattice, Longs]:
    """Moves the chosen arcs behind the others of their states; returns their numbers, too."""
    order = np.lexsort((chosen, lattice.sources))
    states = np.arange(lattice.num_states)
    return lattice.gather(order, lattice.offsets, lattice.nextstates[order], states), np.flatnonzero(chosen[order])


def _entered(joined: Lattice, count: int, entries: Longs, begins: Ints) -> Lattice:
    """Leads arcs without their words to other states, and lets only the first `count` states be final."""
    nextstates, olabels = joined.nextstates.copy(), joined.olabels.copy()
    nextstates[entries], olabels[entries] = begins, EPSILON
    states = np.arange(joined.num_states)
    states[count:] = -1
    entered = joined.gather(np.arange(joined.num_arcs), joined.offsets, nextstates, states)
    return replace_fields(entered, olabels=olabels, ilabels=olabels if joined.is_acceptor else joined.ilabels)

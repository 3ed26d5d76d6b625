"""Limits the number of kept tokens of a lattice: its composition with an acceptor of strings of certain lengths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.blocks import block_numbers, places_in_blocks, prefix_sums
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import backward_costs, forward_costs
from lattice_simp.errors import LatticeSimpError


def limit_length(lattice: Lattice, fewest: int, most: int) -> Lattice:
    """Returns the paths with `fewest` to `most` words (epsilons are ignored).

    >>> lattice = Lattice.from_strings([("a", 1.0), ("b c", 2.0), ("d e f", 0.5)])
    >>> short = limit_length(lattice, 2, 2)
    >>> short.num_arcs, short.symbols.decode(short.olabels)
    (2, ['b', 'c'])

    States become pairs of a state and a count, but only pairs on a path of an allowed length. The lattice must be
    acyclic; input labels and features stay.

    Raises:
        LatticeSimpError: an empty range of lengths.
        CyclicLatticeError: the lattice has a cycle.
    """
    if not 0 <= fewest <= most:
        raise LatticeSimpError(f"lengths from {fewest} to {most}; give a range of numbers from 0 up")
    lattice = lattice.connected()
    if lattice.num_states == 0:
        return lattice
    counted = (lattice.olabels != 0).astype(np.int64)
    ends = np.where(np.isfinite(lattice.finals), 0.0, np.inf)
    short, long = (replace(lattice, weights=sign * counted, finals=ends) for sign in (1.0, -1.0))
    low = np.maximum(forward_costs(short), fewest + backward_costs(long)).astype(np.int64)
    high = np.minimum(-forward_costs(long), most - backward_costs(short)).astype(np.int64)
    width = np.maximum(high - low + 1, 0)
    if width[0] == 0:
        return Lattice.empty_like(lattice)
    first = prefix_sums(width)
    # Each arc occurs once for each count of its source that leads to an allowed count of its target.
    sources = lattice.sources
    copies = prefix_sums(width[sources])
    arcs, within = block_numbers(copies), places_in_blocks(copies)
    targets = lattice.nextstates[arcs]
    count = low[sources[arcs]] + within + counted[arcs]
    fits = (count >= low[targets]) & (count <= high[targets])
    new_sources = first[sources[arcs]] + within
    order = np.argsort(new_sources[fits], kind="stable")
    new_sources, arcs, targets, count = (each[fits][order] for each in (new_sources, arcs, targets, count))
    states = block_numbers(first)
    counts_of_states = places_in_blocks(first) + low[states]
    is_allowed = (counts_of_states >= fewest) & (counts_of_states <= most)
    return lattice.gather(
        arcs.astype(np.int32),
        offsets_of(new_sources, first[-1]),
        (first[targets] + count - low[targets]).astype(np.int32),
        states,
        finals=np.where(is_allowed, lattice.finals[states], np.inf),
    ).connected()

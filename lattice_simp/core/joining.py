"""Several lattices side by side in one, and epsilon arcs between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.features import Features, Scores
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.core.lattice import Lattice, share_symbols
from lattice_simp.core.symbols import EPSILON


def side_by_side(lattices: Sequence[Lattice]) -> tuple[Lattice, Ints]:
    """Returns one lattice with the states and arcs of all, and each lattice's first state, (lattices + 1,) int32.

    The start state is that of the first lattice, so the states of the others are not reachable yet. All share one
    table of words, one of input labels, and the names of features; a feature that a lattice lacks is 0 there. The
    header is kept if all lattices have the same one; of different ones, a common name and the first start time.
    """
    lattices = _share_inputs(share_symbols(lattices))
    names = tuple(dict.fromkeys(chain.from_iterable(lattice.features for lattice in lattices)))
    features = [lattice.features.select(names) for lattice in lattices]
    kind = np.result_type(*(lattice.features.arcs for lattice in lattices if lattice.features), np.float32)
    begins = prefix_sums([lattice.num_states for lattice in lattices]).astype(np.int32)
    first_arcs = prefix_sums([lattice.num_arcs for lattice in lattices])
    olabels = np.concatenate([lattice.olabels for lattice in lattices])
    acceptors = all(lattice.is_acceptor for lattice in lattices)
    ends = [lattice.offsets[1:] + first for lattice, first in zip(lattices, first_arcs, strict=False)]
    joined = Lattice(
        offsets=np.concatenate([np.zeros(1, dtype=np.int32), *ends]).astype(np.int32),
        ilabels=olabels if acceptors else np.concatenate([lattice.ilabels for lattice in lattices]),
        olabels=olabels,
        weights=np.concatenate([lattice.weights for lattice in lattices]),
        nextstates=np.concatenate(
            [lattice.nextstates + begin for lattice, begin in zip(lattices, begins, strict=False)]
        ).astype(np.int32),
        finals=np.concatenate([lattice.finals for lattice in lattices]),
        symbols=lattices[0].symbols,
        isymbols=lattices[0].isymbols,
        features=Features(
            names,
            np.hstack([feature.arcs for feature in features], dtype=kind),
            np.hstack([feature.finals for feature in features], dtype=kind),
        ),
        header=_common_header([lattice.header for lattice in lattices]),
    )
    return joined, begins


def _common_header(headers: Sequence[Header]) -> Header:
    first = headers[0]
    if all(header == first for header in headers):
        return first
    return Header(first.name if all(header.name == first.name for header in headers) else None, start=first.start)


def _share_inputs(lattices: list[Lattice]) -> list[Lattice]:
    """Renumbers the input labels by one table if any of the lattices is a transducer."""
    tables = [lattice.isymbols for lattice in lattices]
    if all(table is tables[0] for table in tables):
        return lattices
    inputs = [lattice.isymbols or lattice.symbols for lattice in lattices]
    used = (symbols.words_of(lattice.ilabels) for lattice, symbols in zip(lattices, inputs, strict=True))
    table = inputs[0].with_words(chain.from_iterable(used))
    return [
        replace(lattice, ilabels=table.labels_of(input_table, lattice.ilabels), isymbols=table)
        for lattice, input_table in zip(lattices, inputs, strict=True)
    ]


def with_epsilons(
    lattice: Lattice, sources: Ints, nextstates: Ints, weights: Floats, scores: Scores | None = None
) -> Lattice:
    """Adds epsilon arcs, (epsilons,), to the lattice, each after the other arcs of its source state.

    Their weights are in nats, their scores (features, epsilons), 0 if None.
    """
    features = lattice.features
    if scores is None:
        scores = np.zeros((len(features.names), len(sources)))
    all_sources = np.concatenate((lattice.sources, sources))
    order = np.argsort(all_sources, kind="stable")
    blank = np.full(len(sources), EPSILON, dtype=np.int32)
    olabels = np.concatenate((lattice.olabels, blank))[order]
    inputs = olabels if lattice.is_acceptor else np.concatenate((lattice.ilabels, blank))[order]
    matrix = np.hstack((features.arcs, scores), dtype=features.arcs.dtype)
    return replace(
        lattice,
        offsets=offsets_of(all_sources, lattice.num_states),
        ilabels=inputs,
        olabels=olabels,
        weights=np.concatenate((lattice.weights, weights))[order],
        nextstates=np.concatenate((lattice.nextstates, nextstates)).astype(np.int32)[order],
        features=Features(features.names, matrix[:, order], features.finals),
    )


def dead_state(like: Lattice) -> Lattice:
    """Makes a lattice of one non-final state, a new start state, with the tables and the header of `like`."""
    none = np.zeros(0, dtype=np.int32)
    return like.gather(none, np.zeros(2, dtype=np.int32), none, np.full(1, -1, dtype=np.int32))

"""Applies a joint model exactly to all paths of a lattice whose arcs name affiliations (Devlin et al. 2014).

The cost of a path is the sum over its words of -log p(word | three words before it, the source around its affiliation),
including the sentence's end, which belongs to the source's end. States are split by their last three words, which
changes nothing in a lattice that has been split by the full histories of a language model of order 4 or more. The same
word after the same words at the same position is computed once. So nothing is approximate on the paths that a first
pass kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lattice_simp.core.arguments import finite_real
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.expand_history import MAX_EXPANDED_ARCS, expand_history
from lattice_simp.rescore.joint.model import ORDER, JointModel
from lattice_simp.rescore.lattice_search import LATTICE
from lattice_simp.translate.derivation import affiliations

ALIGNED = "JointAligned"
"""The usual name of the feature; `Joint` is the score of a string, with the alignment summed over."""


def apply_joint(
    lattice: Lattice,
    source: Sequence[str],
    model: JointModel,
    *,
    weight: float = 1.0,
    name: str = ALIGNED,
    max_arcs: int = MAX_EXPANDED_ARCS,
) -> Lattice:
    """Adds the model's cost of every path, given the affiliations of its words, to the paths of a lattice.

    >>> from lattice_simp.core.symbols import SymbolTable
    >>> from lattice_simp.rescore.joint.model import Widths, weight_shapes
    >>> from lattice_simp.rescore.joint.symbols import target_symbols
    >>> from lattice_simp.rescore.vocabulary import Vocabulary
    >>> target = target_symbols(Vocabulary(("la", "maison")), np.array([2, 1]), np.array([0, 0]), 2)
    >>> shapes = weight_shapes(Widths(1, 1, 1), source=3, target=target.size, classes=3)
    >>> zeros = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    >>> model = JointModel(Vocabulary(("the",)), target, np.ones(1), zeros)   # all classes are equally likely
    >>> lattice = Lattice.from_arcs([0, 1], [1, 2], [0.5, 0.0], [1, 2], [np.inf, np.inf, 0.0],
    ...     SymbolTable(["la", "maison"]), inputs=([1, 2], SymbolTable(["word@0", "word@1"])))
    >>> scored = apply_joint(lattice, ["the", "house"], model)
    >>> np.exp(scored.features["JointAligned"]).round(3).tolist()   # 1 of 3 classes, 1 of 2 words
    [0.167, 0.167]

    Args:
        lattice: acyclic; translated with `word_arcs` "affiliated" (see `lattice_simp.translate.derivation`).
        source: the sentence that was translated.
        model: the joint model (`JointScorer.model`).
        weight: the factor of its costs.
        name: the feature with minus the model's costs.
        max_arcs: the most arcs of the lattice after its states are split by their last three words.

    Raises:
        LatticeSimpError: the lattice does not name the affiliations of its words, or was made for another sentence, or
            has such a feature already, or becomes too large; or the weight is not finite.
        CyclicLatticeError: the lattice has a cycle.
    """
    weight = finite_real(weight, "the weight of the joint model")
    if name in lattice.features:
        raise LatticeSimpError(f"the lattice has a feature {name!r} already; give this model another name")
    tokens = affiliations(lattice)
    if tokens.max(initial=-1) >= len(source):
        raise LatticeSimpError(
            f"a word of the lattice belongs to token {tokens.max()}, and the source has {len(source)}; "
            "give the sentence that was translated, as tokens"
        )
    split = expand_history(lattice, ORDER, max_arcs=max_arcs).lattice
    costs, ends = _costs(split, affiliations(split), source, model)
    scored = replace(split, weights=split.weights + weight * costs, finals=split.finals + weight * ends)
    return scored.with_feature(name, 0.0 - costs, 0.0 - ends)


def apply_weighted(
    lattice: Lattice, source: Sequence[str], models: Mapping[str, tuple[JointModel, float]], lattice_weight: float = 1.0
) -> Lattice:
    """Applies weighted models, by the names of their features, to a lattice whose own costs are weighted, too.

    The feature `Lattice` holds minus the lattice's own costs, unweighted. Raises the errors of `apply_joint`.
    """
    if LATTICE in lattice.features:
        raise LatticeSimpError(f"the lattice has a feature {LATTICE!r} already")
    lattice_weight = finite_real(lattice_weight, "the weight of the lattice")
    is_final = np.isfinite(lattice.finals)
    finals = np.where(is_final, lattice.finals, 0.0)
    scored = replace(
        lattice, weights=lattice_weight * lattice.weights, finals=np.where(is_final, lattice_weight * finals, np.inf)
    ).with_feature(LATTICE, 0.0 - lattice.weights, 0.0 - finals)
    for name, (model, weight) in models.items():
        scored = apply_joint(scored, source, model, weight=weight, name=name)
    return scored


def _costs(lattice: Lattice, tokens: Ints, source: Sequence[str], model: JointModel) -> tuple[Floats, Floats]:
    """Returns the costs of the arcs, and of ending in the states, of a lattice split by its last words."""
    target = model.target
    used, label_of_arc = np.unique(lattice.olabels, return_inverse=True)
    symbol_of_label, log_shares = target.of([lattice.symbols[label] for label in used.tolist()])
    symbols = np.where(lattice.olabels == EPSILON, -1, symbol_of_label[label_of_arc]).astype(np.int32)
    histories = np.full((lattice.num_states, ORDER - 1), target.boundary, dtype=np.int64)
    _follow(lattice.offsets, symbols, lattice.nextstates, histories)
    arcs, ends = np.flatnonzero(symbols >= 0), np.flatnonzero(np.isfinite(lattice.finals))
    distinct_costs = _distinct_costs(
        np.concatenate([histories[lattice.sources[arcs]], histories[ends]]),
        np.append(tokens[arcs], np.full(len(ends), len(source))).astype(np.int64),
        np.append(symbols[arcs], np.full(len(ends), target.boundary)).astype(np.int64),
        source,
        model,
    )
    costs, end_costs = np.zeros(lattice.num_arcs), np.zeros(lattice.num_states)
    costs[arcs] = distinct_costs[: len(arcs)] - log_shares[label_of_arc[arcs]]
    end_costs[ends] = distinct_costs[len(arcs) :]
    return costs, end_costs


@jit
def _follow(offsets: Ints, symbols: Ints, nextstates: Ints, histories: Longs) -> None:
    """Fills in the last symbols before each state except the start; all arcs into a state agree on them."""
    last = histories.shape[1] - 1
    for state in range(len(histories)):
        for arc in range(offsets[state], offsets[state + 1]):
            after = nextstates[arc]
            if symbols[arc] < 0:
                histories[after] = histories[state]
            else:
                histories[after, :last] = histories[state, 1:]
                histories[after, last] = symbols[arc]


def _distinct_costs(
    histories: Longs, positions: Longs, symbols: Longs, source: Sequence[str], model: JointModel
) -> Floats:
    """Returns the costs of (n,) symbols after (n, 3) histories at (n,) positions; equal events are computed once."""
    size, length = model.target.size, len(source) + 1
    packed = np.zeros(len(histories), dtype=np.int64)
    for column in histories.T:
        packed = packed * size + column
    _, first, history_of = np.unique(packed, return_index=True, return_inverse=True)
    pair_keys, pair_of = np.unique(history_of * length + positions, return_inverse=True)
    event_keys, event_of = np.unique(pair_of * size + symbols, return_inverse=True)
    pairs = np.stack(np.divmod(pair_keys, length), axis=1)
    rows, columns = np.divmod(event_keys, size)
    costs = model.costs_at(model.encode(source), histories[first], pairs, rows, columns)
    return costs.astype(np.float64)[event_of]

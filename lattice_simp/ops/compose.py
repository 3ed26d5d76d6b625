"""Gappy composition: the full hypotheses that contain a skeleton hypothesis, with both costs (Hasler et al. 2016, 4.2).

Edits make it tolerant: a skeleton word may be missing, or stand there as another word, at a cost, so that the
composition need not fail (their section 6.3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.kernel import Bytes, Floats, Ints, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.gap_product import DELETION, ENTRY, MATCH, STEM, SUBSTITUTION, completion_costs, gap_product
from lattice_simp.ops.gappy_acceptor import GappyAcceptor
from lattice_simp.ops.prune import prune, rounding_slack

MAX_PAIRS = 250_000_000
"""Pairs of states for which the tables (12 bytes a pair) are still made."""

MAX_ARCS = 200_000_000
"""Arcs of a result that is still built (about 100 bytes an arc, all told)."""

ARCS_PER_EDGE = 20
"""How many entries the table of completion costs takes in the time of one arc of the product."""

FEW_ARCS = 1000
"""So many arcs of a product are always tried without the table."""

STEM_LETTERS = 5
"""The default stem is a word's first letters: crude, but the same for every language with inflected endings."""


def prefix_stem(word: str) -> str:
    """Returns the first letters of a word as its stem.

    >>> prefix_stem("unterstützt") == prefix_stem("unterstützen"), prefix_stem("in")
    (True, 'in')
    """
    return word[:STEM_LETTERS]


@dataclass(frozen=True)
class EditCosts:
    """What deviations from a skeleton hypothesis cost, in nats; infinity forbids them.

    Attributes:
        deletion: a skeleton word that the full hypothesis lacks.
        substitution: another word in its place.
        stem: another word with the same stem in its place.
        stem_of: gives a word's stem.
    """

    deletion: float = 6.0
    substitution: float = 6.0
    stem: float = 1.0
    stem_of: Callable[[str], str] = prefix_stem


def compose(
    full: Lattice,
    skeleton: GappyAcceptor,
    *,
    weight: float = 1.0,
    beam: float | None = None,
    edits: EditCosts | None = None,
) -> Lattice:
    """Composes a full lattice with a gappy acceptor.

    >>> import lattice_simp as ls
    >>> full = ls.Lattice.from_strings([("a b d", 1.0), ("a x c", 2.0)])
    >>> skeletons = [("a c", 0.25), ("b d", 0.5)]
    >>> [(p.words, p.cost) for p in ls.nbest(compose(full, ls.gappy_acceptor(skeletons, loops="sigma")), 2)]
    [('a b d', 1.5), ('a x c', 2.25)]
    >>> [p.words for p in ls.nbest(compose(full, ls.gappy_acceptor(skeletons, loops="rho")), 2)]
    ['a x c']

    Args:
        full: acyclic; the output labels are the words, epsilons are skipped.
        skeleton: from `gappy`.
        weight: what the skeleton's costs are multiplied with; not negative.
        beam: keep what costs at most so much more than the best path (nats), as `prune` does; None keeps everything.
        edits: tolerate deviations at these costs.

    Returns:
        A sorted lattice of full hypotheses; empty (`.empty`) if none contains a skeleton hypothesis. Several
        embeddings of a skeleton in a hypothesis are several paths: ask `nbest` for unique strings. The columns
        of `full` stay; new ones are `skeleton` (unweighted cost), `matched` (1 for a word that stands for a skeleton
        word) and, with edits, `edits` (their cost).

    Raises:
        CyclicLatticeError: `full` has a cycle.
        LatticeSimpError: a negative weight or beam, or lattices so large that they must be pruned first.
    """
    if not (weight >= 0 and np.isfinite(weight)) or (beam is not None and not beam >= 0):
        raise LatticeSimpError(f"weight {weight} and beam {beam}: both must be numbers from 0 up")
    if edits is not None and not all(cost >= 0 for cost in (edits.deletion, edits.substitution, edits.stem)):
        raise LatticeSimpError(f"{edits}: edit costs are numbers from 0 up")
    full = full.connected()
    if full.empty:
        return _with_columns(full, edits is not None)
    acceptor = skeleton.acceptor.with_symbols(full.symbols)
    if acceptor.num_arcs and not _arcs_sorted(acceptor):
        acceptor = _sort_arcs(acceptor)
    if full.num_states * acceptor.num_states > MAX_PAIRS:
        raise LatticeSimpError(
            f"{full.num_states} states of the full lattice times {acceptor.num_states} of the skeleton's are too "
            "many; prune the lattice, or take fewer skeleton hypotheses"
        )
    moves = edits or EditCosts(np.inf, np.inf, np.inf)
    stem_of = _stem_classes(full, moves)
    costs = (moves.stem, moves.substitution, moves.deletion)
    gap_weights = weight * acceptor.weights
    gap_finals = np.array([np.inf if np.isinf(final) else weight * final for final in acceptor.finals])
    loops = (skeleton.has_loop, skeleton.loops == "rho")
    pairs = (full.num_states, acceptor.num_states)

    def product_within(completion: Floats, bound: float, most_arcs: int) -> Lattice | None:
        product = gap_product(
            full.offsets,
            full.olabels,
            full.weights,
            full.nextstates,
            acceptor.offsets,
            acceptor.olabels,
            gap_weights,
            acceptor.nextstates,
            stem_of,
            *loops,
            *costs,
            completion,
            bound,
            most_arcs,
            np.zeros(pairs, dtype=np.int32),
        )
        if not len(product[0]):
            return None
        return _assemble(full, acceptor, product, weight, moves, edits is not None, bound)

    if skeleton.loops == "rho" and edits is None:
        # At most a few ways lead on from a pair, and most pairs are out of reach: the costs of all cost more to find.
        affordable = min(FEW_ARCS + full.num_arcs * acceptor.num_states // ARCS_PER_EDGE, MAX_ARCS)
        joint = product_within(np.zeros(pairs), np.inf, affordable)
        if joint is not None:
            return joint.connected() if beam is None else prune(joint, beam)
    completion = np.empty(pairs)  # numpy's large arrays are faster than the kernel's
    completion_costs(
        full.offsets,
        full.olabels,
        full.weights,
        full.nextstates,
        full.finals,
        acceptor.offsets,
        acceptor.olabels,
        gap_weights,
        acceptor.nextstates,
        gap_finals,
        *_grouped(acceptor.olabels, len(full.symbols)),
        *_grouped(stem_of[acceptor.olabels], int(stem_of.max()) + 1),
        stem_of,
        acceptor.sources,
        *loops,
        *costs,
        completion,
    )
    best = float(completion[0, 0])
    if np.isinf(best):
        return _with_columns(Lattice.empty_like(full), edits is not None)
    bound = np.inf if beam is None else best + beam + rounding_slack(completion)
    joint = product_within(completion, bound, MAX_ARCS)
    if joint is None:
        raise LatticeSimpError(f"more than {MAX_ARCS} arcs; give a (smaller) beam, or prune the lattice")
    return joint.connected()


def _assemble(
    full: Lattice,
    acceptor: Lattice,
    product: tuple[Ints, Ints, Floats, Ints, Ints, Ints, Ints, Bytes],
    weight: float,
    moves: EditCosts,
    with_edits: bool,
    bound: float,
) -> Lattice:
    """Builds the lattice of the product's edges; an arc -1 is a move without a word."""
    states, gaps, forward, offsets, target, arc, own, kind = product

    def of_full(values: Floats) -> Floats:
        return np.append(values, 0.0)[arc]  # the number -1 takes the appended 0

    skeleton_cost = np.append(acceptor.weights, 0.0)[own]
    final_skeleton = acceptor.finals[gaps]
    is_final = np.isfinite(full.finals[states]) & np.isfinite(final_skeleton)
    final_skeleton[~is_final] = 0.0
    finals = np.where(is_final, full.finals[states] + weight * final_skeleton, np.inf)
    is_final &= forward + finals <= bound
    finals[~is_final], final_skeleton[~is_final] = np.inf, 0.0
    olabels = np.append(full.olabels, np.int32(0))[arc]
    same_sides = full.ilabels is full.olabels
    scores = {name: of_full(values) for name, values in full.scores.items()}
    scores["skeleton"] = skeleton_cost
    scores["matched"] = _by_kind({MATCH: 1.0, STEM: 1.0, SUBSTITUTION: 1.0})[kind]
    final_scores = {name: np.where(is_final, values[states], 0.0) for name, values in full.final_scores.items()}
    final_scores["skeleton"] = final_skeleton
    final_scores["matched"] = np.zeros(len(states))
    weights = of_full(full.weights) + weight * skeleton_cost
    if with_edits:
        prices = _by_kind({STEM: moves.stem, SUBSTITUTION: moves.substitution, DELETION: moves.deletion})
        scores["edits"], final_scores["edits"] = prices[kind], np.zeros(len(states))
        weights += scores["edits"]
    return replace(
        full,
        offsets=offsets,
        olabels=olabels,
        ilabels=olabels if same_sides else np.append(full.ilabels, np.int32(0))[arc],
        weights=weights,
        nextstates=target,
        finals=finals,
        scores=scores,
        final_scores=final_scores,
    )


def _by_kind(values: dict[int, float]) -> Floats:
    """Returns an array that holds the value of each kind of move, 0 for the others."""
    table = np.zeros(ENTRY + 1)
    table[list(values)] = list(values.values())
    return table


def _with_columns(lattice: Lattice, with_edits: bool) -> Lattice:
    names = ["skeleton", "matched"] + (["edits"] if with_edits else [])
    return replace(
        lattice,
        scores={**lattice.scores, **{name: np.zeros(lattice.num_arcs) for name in names}},
        final_scores={**lattice.final_scores, **{name: np.zeros(lattice.num_states) for name in names}},
    )


def _grouped(groups: Ints, count: int) -> tuple[Ints, Longs]:
    """Returns the arcs sorted by group (by source state within a group), and where each group begins."""
    order = np.argsort(groups, kind="stable").astype(np.int32)
    return order, np.searchsorted(groups[order], np.arange(count + 1)).astype(np.int64)


def _stem_classes(full: Lattice, edits: EditCosts) -> Ints:
    """Returns each label its stem's class, (labels,) int32; without stem matches all are in one class."""
    classes = np.zeros(len(full.symbols), dtype=np.int32)
    if np.isfinite(edits.stem):
        known: dict[str, int] = {}
        for label, word in enumerate(full.symbols):
            classes[label] = known.setdefault(edits.stem_of(word) if label else "", len(known))
    return classes


def _arcs_sorted(lattice: Lattice) -> bool:
    same_state = lattice.sources[1:] == lattice.sources[:-1]
    return bool((np.diff(lattice.olabels)[same_state] >= 0).all())


def _sort_arcs(lattice: Lattice) -> Lattice:
    order = np.lexsort((lattice.olabels, lattice.sources))
    olabels = lattice.olabels[order]
    return replace(
        lattice,
        olabels=olabels,
        ilabels=olabels,
        weights=lattice.weights[order],
        nextstates=lattice.nextstates[order],
    )

"""Gappy composition: the full hypotheses that contain a skeleton hypothesis, with both costs (Hasler et al. 2016, 4.2).

Edits make it tolerant: a skeleton word may be missing, or be replaced by another word, at a cost, so that the
composition need not fail (their section 6.3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.arguments import beam_of, finite_real, instance, real
from lattice_simp.core.features import Features, gather
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.lattice import Lattice, require_lattice, share_symbols
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.gap_product import (
    DELETION,
    ENTRY,
    MATCH,
    STEM,
    SUBSTITUTION,
    GapProduct,
    Matcher,
    completion_costs,
    gap_product,
)
from lattice_simp.ops.gappy_acceptor import GappyAcceptor
from lattice_simp.ops.prune import prune, rounding_slack
from lattice_simp.support.options import option

MAX_PAIRS = 250_000_000
"""The most pairs of states; the tables take 12 bytes a pair."""

MAX_ARCS = 200_000_000
"""The most arcs of a result, which takes about 100 bytes an arc in all."""

ARCS_PER_EDGE = 20
"""How many entries of the table of completion costs are computed in the time of one arc of the product."""

FEW_ARCS = 1000
"""A product of up to this many arcs is always tried without the table."""

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
    """The costs of deviations from a skeleton hypothesis, in nats; infinity forbids them.

    >>> import lattice_simp as ls
    >>> full = ls.Lattice.from_strings([("a dog sleeps", 1.0), ("a cat sleeps", 1.5)])
    >>> edits = EditCosts(deletion=2.0, substitution=3.0)    # "a cat" lacks "big"; "a dog" also has another noun
    >>> composed = ls.compose_gappy(full, ls.gappy_acceptor([("big cat", 0.0)]), edits=edits)
    >>> [(hypothesis.text, hypothesis.cost) for hypothesis in ls.nbest(composed, 2)]
    [('a cat sleeps', 3.5), ('a dog sleeps', 5.0)]

    Attributes:
        deletion: a skeleton word that the full hypothesis lacks.
        substitution: another word in its place.
        stem: another word with the same stem in its place.
        stem_of: returns a word's stem.
    """

    deletion: float = option(6.0, "deletion-cost", "cost in nats of a missing skeleton word; implies --edits")
    substitution: float = option(
        6.0, "substitution-cost", "cost in nats of a substituted skeleton word; implies --edits"
    )
    stem: float = option(1.0, "stem-cost", "cost in nats of a substitute with the same stem; implies --edits")
    stem_of: Callable[[str], str] = prefix_stem

    def __post_init__(self) -> None:
        for name in ("deletion", "substitution", "stem"):
            object.__setattr__(self, name, real(getattr(self, name), f"the {name} cost"))
            if getattr(self, name) < 0:
                raise LatticeSimpError(
                    f"the {name} cost is {getattr(self, name)}; give a number from 0 up (inf forbids these edits)"
                )


SKELETON, EDITS, MATCHED = "Skeleton", "Edits", "matched"


class FeatureNames(NamedTuple):
    """The features that a composition adds: the skeleton's score, minus the edits' cost, and a mark.

    The mark is 1 on words that stand for a word of the skeleton; it is not a part of any cost.
    """

    skeleton: str = SKELETON
    edits: str = EDITS
    matched: str = MATCHED

    @classmethod
    def of(cls, name: str) -> FeatureNames:
        """Returns the names of a composition; all but those of `Skeleton` begin with its own name."""
        instance(name, str, "the name of the features")
        return cls() if name == SKELETON else cls(name, name + EDITS, f"{name}Matched")


def compose_gappy(
    full: Lattice,
    skeleton: GappyAcceptor | Lattice,
    *,
    weight: float = 1.0,
    beam: float | None = None,
    edits: EditCosts | None = None,
    name: str = SKELETON,
) -> Lattice:
    """Keeps the paths of a lattice that contain a hypothesis of a gappy acceptor, and adds its cost.

    >>> import lattice_simp as ls
    >>> full = ls.Lattice.from_strings([("a b d", 1.0), ("a x c", 2.0)])
    >>> skeletons = [("a c", 0.25), ("b d", 0.5)]
    >>> [(p.text, p.cost) for p in ls.nbest(compose_gappy(full, ls.gappy_acceptor(skeletons, loops="sigma")), 2)]
    [('a b d', 1.5), ('a x c', 2.25)]
    >>> [p.text for p in ls.nbest(compose_gappy(full, ls.gappy_acceptor(skeletons, loops="rho")), 2)]
    ['a x c']

    Args:
        full: acyclic; the output labels are the words, epsilons are skipped.
        skeleton: from `gappy_acceptor`; or an acyclic lattice, whose output words must then be all of `full`'s.
        weight: the factor of the skeleton's costs; not negative.
        beam: prune the result by this beam in nats, as `prune` does; None keeps everything.
        edits: tolerate deviations at these costs.
        name: the feature that receives the skeleton's score; further compositions of a lattice need other names.

    Returns:
        A sorted lattice of full hypotheses; empty (`.empty`) if none contains a skeleton hypothesis. If a hypothesis
        contains a skeleton in several ways, it has several paths; `nbest` returns each string once. The features of
        `full` stay; new ones are those of `FeatureNames`: `Skeleton` (minus the unweighted cost; if the acceptor has
        features, these come in its place), with edits `Edits` (minus their cost), and the mark `matched`.

    Raises:
        CyclicLatticeError: `full` has a cycle.
        LatticeSimpError: a negative weight or beam, a feature that exists already, or lattices so large that they
            must be pruned first.
    """
    require_lattice("compose_gappy", full)
    weight, width = finite_real(weight, "the weight"), beam_of(beam)
    if weight < 0:
        raise LatticeSimpError(f"the weight is {weight}; give a number from 0 up")
    if not isinstance(edits, EditCosts | None):
        raise TypeError(f"edits must be EditCosts, such as EditCosts(deletion=6.0), not {edits!r:.80}")
    names = FeatureNames.of(name)
    if isinstance(skeleton, Lattice):
        skeleton = GappyAcceptor.without_gaps(skeleton)
    if not isinstance(skeleton, GappyAcceptor):
        kind = type(skeleton).__name__
        raise TypeError(f"compose_gappy takes a gappy acceptor, not a {kind}; make one: gappy_acceptor(hypotheses)")
    scores = tuple(skeleton.acceptor.features) or (names.skeleton,)
    for added in (*scores, names.matched, *([] if edits is None else [names.edits])):
        if added in full.features:
            raise LatticeSimpError(f"the lattice has a feature {added!r} already; give this composition another name")
    full = full.connected()
    composition = _Composition(full, skeleton, weight, edits, names)
    if full.empty or skeleton.acceptor.empty:
        return composition.nothing()
    if (skeleton.loops == "rho" or not skeleton.has_loop.any()) and edits is None:
        # Few edges leave a pair, and most pairs are unreachable: completion costs of all take longer than the product.
        affordable = min(FEW_ARCS + full.num_arcs * composition.gaps.num_states // ARCS_PER_EDGE, MAX_ARCS)
        joint = composition.product(np.zeros(composition.shape), np.inf, affordable)
        if joint is not None:
            return joint.connected() if beam is None else prune(joint, beam)
    completion = np.empty(composition.shape)  # numpy's large arrays are faster than the kernel's
    completion_costs(full.arcs, composition.gap_arcs, composition.matcher, completion)
    best = float(completion[0, 0])
    if np.isinf(best):
        return composition.nothing()
    bound = np.inf if beam is None else best + width + rounding_slack(completion)
    joint = composition.product(completion, bound, MAX_ARCS)
    if joint is None:
        raise LatticeSimpError(f"more than {MAX_ARCS} arcs; give a (smaller) beam, or prune the lattice")
    return joint.connected()


class _Composition:
    """A lattice and an acceptor with one symbol table, and the rules by which their arcs match."""

    def __init__(
        self, full: Lattice, skeleton: GappyAcceptor, weight: float, edits: EditCosts | None, names: FeatureNames
    ) -> None:
        full, acceptor = share_symbols([full, skeleton.acceptor])
        self.full, self.weight, self.edits, self.names = full, weight, edits, names
        self.gaps = _arcs_sorted(acceptor)
        self.scores = self.gaps.features or _costs_as_scores(self.gaps, names.skeleton)
        deletes = edits is not None and np.isfinite(edits.deletion)
        both_silent = full.has_epsilons() and (deletes or self.gaps.has_epsilons())
        self.shape = (full.num_states, self.gaps.num_states * (2 if both_silent else 1))  # see `gap_product.py`
        if self.shape[0] * self.shape[1] > MAX_PAIRS:
            raise LatticeSimpError(
                f"{full.num_states} states of the full lattice times {self.gaps.num_states} of the skeleton's are too "
                "many; prune the lattice, or take fewer skeleton hypotheses"
            )
        self.gap_arcs: Arcs = self.gaps.arcs._replace(
            weights=weight * self.gaps.weights,
            finals=np.array([np.inf if np.isinf(final) else weight * final for final in self.gaps.finals]),
        )
        costs = edits or EditCosts(np.inf, np.inf, np.inf)
        stem_of = _stem_classes(full, costs)
        self.matcher = Matcher(
            skeleton.has_loop,
            skeleton.loops == "rho",
            stem_of,
            costs.stem,
            costs.substitution,
            costs.deletion,
            *_grouped(self.gaps.olabels, len(full.symbols)),
            *_grouped(stem_of[self.gaps.olabels], int(stem_of.max()) + 1),
            self.gaps.sources,
        )

    def nothing(self) -> Lattice:
        """Returns the empty lattice with the features of the composition."""
        lattice, none = Lattice.empty_like(self.full), np.zeros(0)
        edit_costs = None if self.edits is None else none
        scores = self.scores.gather(none.astype(np.int32), none.astype(np.int32))
        return self._with_features(lattice, scores, none, edit_costs)

    def product(self, completion: Floats, bound: float, most_arcs: int) -> Lattice | None:
        """Returns the lattice of the product within a bound, or None if it has too many arcs."""
        room = np.zeros(self.shape, dtype=np.int32)
        pairs = gap_product(self.full.arcs, self.gap_arcs, self.matcher, completion, bound, most_arcs, room)
        return self._lattice(pairs, bound) if len(pairs.states) else None

    def _lattice(self, product: GapProduct, bound: float) -> Lattice:
        full = self.full
        arc, kind = (np.ascontiguousarray(product.edges[name]) for name in ("arc", "kind"))
        costs = gather(self.gaps.weights, product.edges["gap_arc"], 0.0)
        weights = gather(full.weights, arc, 0.0) + self.weight * costs
        edit_costs = None
        if self.edits is not None:
            prices = {STEM: self.edits.stem, SUBSTITUTION: self.edits.substitution, DELETION: self.edits.deletion}
            edit_costs = _by_kind(prices)[kind]
            weights += edit_costs
        final_costs = self.gaps.finals[product.gaps]
        finals = full.finals[product.states] + self.weight * np.where(np.isfinite(final_costs), final_costs, 0.0)
        is_final = np.isfinite(final_costs) & np.isfinite(finals) & (product.forward + finals <= bound)
        joint = full.gather(
            arc,
            product.offsets,
            np.ascontiguousarray(product.edges["target"]),
            product.states,
            weights=weights,
            finals=np.where(is_final, finals, np.inf),
        )
        matched = _by_kind({MATCH: 1.0, STEM: 1.0, SUBSTITUTION: 1.0})[kind]
        scores = self.scores.gather(product.edges["gap_arc"], np.where(is_final, product.gaps, -1))
        return self._with_features(joint, scores, matched, edit_costs)

    def _with_features(self, lattice: Lattice, scores: Features, matched: Floats, edit_costs: Floats | None) -> Lattice:
        columns = {**scores, self.names.matched: matched}
        if edit_costs is not None:
            columns[self.names.edits] = 0.0 - edit_costs
        features = lattice.features.with_columns(columns, {name: scores.final(name) for name in scores})
        return replace(lattice, features=features)


def _costs_as_scores(acceptor: Lattice, name: str) -> Features:
    """Returns one feature: minus the costs of arcs and final states."""
    finals = np.where(np.isfinite(acceptor.finals), acceptor.finals, 0.0)
    return Features((name,), 0.0 - acceptor.weights[None], 0.0 - finals[None])


def _by_kind(values: dict[int, float]) -> Floats:
    """Returns a table of values by kind of move, 0 for the other kinds."""
    table = np.zeros(ENTRY + 1)
    table[list(values)] = list(values.values())
    return table


def _grouped(groups: Ints, count: int) -> tuple[Ints, Longs]:
    """Returns the arcs sorted by group (by source state within a group), and where each group begins."""
    order = np.argsort(groups, kind="stable").astype(np.int32)
    return order, np.searchsorted(groups[order], np.arange(count + 1)).astype(np.int64)


def _stem_classes(full: Lattice, edits: EditCosts) -> Ints:
    """Returns the stem class of each label, (labels,) int32; without stem matches there is one class."""
    classes = np.zeros(len(full.symbols), dtype=np.int32)
    if np.isfinite(edits.stem):
        class_of_stem: dict[str, int] = {}
        for label, word in enumerate(full.symbols):
            classes[label] = class_of_stem.setdefault(edits.stem_of(word) if label else "", len(class_of_stem))
    return classes


def _arcs_sorted(lattice: Lattice) -> Lattice:
    """Returns the acceptor with each state's arcs sorted by word."""
    order = np.lexsort((lattice.olabels, lattice.sources)).astype(np.int32)
    states = np.arange(lattice.num_states, dtype=np.int32)
    return lattice.gather(order, lattice.offsets, lattice.nextstates[order], states)

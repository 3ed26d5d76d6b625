"""Lattice minimum Bayes-risk decoding with a linear BLEU gain (Tromble, Kumar, Och and Macherey 2008).

Instead of the most probable hypothesis, it chooses the one with the greatest expected gain: a word gains `theta_0`
(negative), and an n-gram gains `theta_n` times the probability that it occurs in a hypothesis.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.arguments import beam_of, real, scale_of_costs, whole
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.shortest_distance import backward_costs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.expand_history import HistoryLattice, expand_history, pruned_history
from lattice_simp.ops.ngram_posteriors import NgramPosteriors, posterior_values
from lattice_simp.ops.prune import paths_within
from lattice_simp.support.options import option

WORD_GAIN = -1.0
"""theta_0 = -1 / T. T, the length of all hypotheses, multiplies every gain alike and changes no decision: it is 1."""

TIE_BREAK = 1e-9
"""The cost of each nat above the best path: of hypotheses with the same gain the most probable one wins, and a string
keeps its best derivation. It is too small to reorder different gains."""


@dataclass(frozen=True)
class MbrSettings:
    """Settings to choose hypotheses by their expected gain.

    >>> MbrSettings(precision=0.5, ratio=0.5).ngram_gains.tolist()
    [0.5, 1.0, 2.0, 4.0]

    The best scale, precision and ratio depend on the model; `lattice-simp tune mbr` finds them. Untuned values may
    lower BLEU by more than a point. The defaults are those of the Moses decoder.

    Attributes:
        scale: a factor of the lattice's costs before they become probabilities.
        precision: p, the average unigram precision, above 0 and up to 1.
        ratio: r, by which the precision falls from one order to the next, above 0 and up to 1.
        max_order: the order of the longest n-grams.
        max_arcs: the lattice is pruned until it has at most this many arcs after its states are split by their last
            words, which bounds the time for a sentence; None keeps all.
        beam: only hypotheses whose costs are within this many nats of the best path are candidates; None for all.
    """

    scale: float = option(1.0, "mbr-scale", "multiply costs by this before converting them to probabilities")
    precision: float = option(0.8, "mbr-precision", "parameter of linear BLEU: the average precision of unigrams")
    ratio: float = option(
        0.6, "mbr-ratio", "parameter of linear BLEU: the precision of n-grams divided by that of (n-1)-grams"
    )
    max_order: int = 4
    max_arcs: int | None = option(100_000, "mbr-max-arcs", "maximum number of arcs to compute probabilities from")
    beam: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("precision", self.precision), ("ratio", self.ratio)):
            if not 0 < real(value, f"the {name}") <= 1:
                raise LatticeSimpError(f"the {name} is {value}; give a number above 0 and up to 1")
        scale_of_costs(self.scale)
        for name, number in (("max_order", self.max_order), ("max_arcs", self.max_arcs)):
            if number is not None:
                whole(number, name, 1)
        beam_of(self.beam)

    @property
    def ngram_gains(self) -> Floats:
        """(max_order,) float64, theta_n = 1 / (N T p r^(n - 1)) for the orders n = 1..N, with T = 1."""
        lower_orders = np.arange(self.max_order, dtype=np.float64)
        return 1.0 / (self.max_order * self.precision * self.ratio**lower_orders)


def mbr(lattice: Lattice, settings: MbrSettings | None = None, *, ignore: Collection[str] = MARKS) -> Lattice:
    """Returns a lattice of the same strings and derivations whose costs are minus the expected gain.

    The most probable string has little in common with the others here, and another one wins:

    >>> from lattice_simp import shortest_path
    >>> lattice = Lattice.from_strings([("a b c", 1.0), ("x y c", 1.1), ("x y d", 1.1)])
    >>> shortest_path(mbr(lattice)).text
    'x y c'

    Args:
        lattice: acyclic; its costs are negative log probabilities, up to the scale and a constant.
        settings: see `MbrSettings`.
        ignore: labels that are not words, as in `nbest`; they become epsilons.

    Returns:
        A topologically sorted lattice. Input labels and features are kept on the arcs. Of strings with equal gains, the
        one with the lowest old cost is the best: a billionth of the old costs is added to the new ones.

    Raises:
        LatticeSimpError: an order out of range, or too large a lattice where `max_arcs` is None.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("mbr", lattice)
    settings = MbrSettings() if settings is None else settings
    if not isinstance(settings, MbrSettings):
        raise TypeError(f"the settings must be MbrSettings, not {type(settings).__name__}")
    history = evidence(lattice.without_words(ignore), settings)
    return gain_lattice(NgramPosteriors(history, posterior_values(history, settings.scale)), settings)


def evidence(lattice: Lattice, settings: MbrSettings) -> HistoryLattice:
    """Returns the paths that the posteriors are computed from."""
    if settings.max_arcs is None:
        return expand_history(lattice, settings.max_order)
    return pruned_history(lattice, settings.max_order, settings.max_arcs)


def gain_lattice(posteriors: NgramPosteriors, settings: MbrSettings) -> Lattice:
    """Returns the lattice of expected gains for known posteriors; `max_order` must match theirs."""
    lattice = posteriors.history.lattice
    if lattice.num_states == 0:
        return lattice
    backward = backward_costs(lattice)
    gains = WORD_GAIN * (lattice.olabels != 0) + settings.ngram_gains @ posteriors.on_arcs
    excess = lattice.weights + backward[lattice.nextstates] - backward[lattice.sources]
    final_excess = np.where(np.isfinite(lattice.finals), lattice.finals - backward, np.inf)
    cost, final_cost = TIE_BREAK * excess - gains, TIE_BREAK * final_excess
    gains_as_costs = replace(lattice, weights=cost, finals=final_cost)
    if settings.beam is None:
        return gains_as_costs
    return gains_as_costs.keep_arcs(*paths_within(lattice, settings.beam)).connected()

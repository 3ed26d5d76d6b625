"""The settings of the pruned search."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import option


@dataclass(frozen=True)
class CubePruning:
    """Limits of the pruned search in nested grammars.

    Attributes:
        pops: the number of hypotheses to visit for each non-terminal in each span, and for each position at the top.
            Larger values improve quality and take longer. The search stops at hypotheses that cost 20 nats more than
            the first, and visits fewer (down to a hundredth) in spans that are in no good derivation of a narrower
            search.
        beam: a rule is kept if its best derivation costs at most this many nats more than the best one of all.
        max_arcs: the most arcs of the lattice of the kept rules, counted without sharing; the beam shrinks until it
            fits. Compositions need many; for the best translation alone, a twentieth is enough.
    """

    pops: int = option(1000, "pops", "hypotheses to expand per span of a nested grammar")
    beam: float = 10.0
    max_arcs: int = 1_000_000

    def __post_init__(self) -> None:
        for name, bound in {"pops": 1, "beam": 0, "max_arcs": 1}.items():
            if not bound <= getattr(self, name) < math.inf:
                raise LatticeSimpError(f"{name} is {getattr(self, name)}; give a finite number from {bound} up")

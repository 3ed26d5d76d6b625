"""What can be set of the pruned search."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import option


@dataclass(frozen=True)
class CubePruning:
    """How much of a nested grammar's derivations is looked at, and how much of that is kept.

    Attributes:
        pops: hypotheses that are looked at of each non-terminal in each span, and of each position at the top: more
            find better translations, and take longer. Those that cost 20 nats more than the first are not, and of
            spans in no good derivation of a narrower search, fewer are (down to a hundredth).
        beam: nats that the best derivation with a rule may cost more than the best of all, for the rule to be kept.
        max_arcs: of the lattice of the rules that are kept, were no part of it shared; the beam shrinks until it fits.
            Compositions need many; for the best translation alone, a twentieth does.
    """

    pops: int = option(1000, "pops", "hypotheses to expand per span of a nested grammar")
    beam: float = 10.0
    max_arcs: int = 1_000_000

    def __post_init__(self) -> None:
        for name, bound in {"pops": 1, "beam": 0, "max_arcs": 1}.items():
            if not bound <= getattr(self, name) < math.inf:
                raise LatticeSimpError(f"{name} is {getattr(self, name)}; give a finite number from {bound} up")

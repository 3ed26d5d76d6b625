"""The settings of the exact search, and of its bounds alone."""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import option


@dataclass(frozen=True)
class ExactSearch:
    """Limits of the exact search in nested grammars; a search that does not finish reports its optimality gap.

    Attributes:
        seconds: CPU seconds for each sentence, so that the result does not depend on other load of the machine.
        edges: the most edges of a forest; a million take up to 500 MB while it grows.
        beam: the returned lattice is complete within this many nats of the best translation.
    """

    seconds: float = option(60.0, "exact-seconds", "CPU seconds per sentence for the exact search; implies --exact")
    edges: int = option(
        10_000_000, "exact-edges", "memory limit: the most applications of rules, up to 500 bytes each; implies --exact"
    )
    beam: float = option(0.0, "exact-beam", "keep all paths within this many nats of the best; implies --exact")

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("edges", self.edges), ("beam", self.beam)):
            if not value >= 0:
                raise LatticeSimpError(f"the exact search's {name} is {value}; give a number from 0 up")


@dataclass(frozen=True)
class GapBound:
    """How the gap of the pruned search is bounded, without an exact search.

    Attributes:
        order: the order of the last relaxation of the language model. Higher orders bound more tightly and take longer.
    """

    order: int = option(
        2, "optimality-gap-order", "order of the bound: 1 is faster, 2 is tighter; implies --optimality-gap"
    )

    def __post_init__(self) -> None:
        if self.order < 1:
            raise LatticeSimpError(
                f"the order of the bound on the optimality gap is {self.order}; give a number from 1 up"
            )

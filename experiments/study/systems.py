"""The systems of a study: what is decoded with which skeletons, and how its weights are found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from experiments.study.sentences import HAND
from lattice_simp.ops.gappy_acceptor import Loops

Scorer = Literal["decoder", "strong"]
"""Who scores the skeleton's hypotheses: the decoder's own features, or its cost and the stronger model's."""


@dataclass(frozen=True)
class System:
    """A system whose weights are tuned.

    Attributes:
        name: of its files and rows.
        title: of its row in a table.
        strategy: one of the library's `STRATEGIES`.
        skeleton: the kind of skeleton.
        scorer: of the skeleton's hypotheses.
        as_paper: does as the paper does: rho loops, the first judgement as the skeleton, all weights tuned together.
            The others have sigma loops, the skeletons that the protocol names, and one tuned weight.
    """

    name: str
    title: str
    strategy: str
    skeleton: str | None = None
    scorer: Scorer | None = None
    as_paper: bool = False

    @property
    def loops(self) -> Loops:
        """Of the acceptors of skeletons."""
        return "rho" if self.as_paper else "sigma"

    @property
    def decodes_anew(self) -> bool:
        """Whether each sentence is decoded for it; the others compose the stored spaces, under any weights."""
        return self.strategy not in ("plain", "gappy")


_GAPPY, _GAPPY_STRONG = "Gappy composition, Hiero + Hiero", "Gappy composition, Hiero + strong"

AS_PAPER = "-paper"
"""Ends the names of systems that do as the paper does."""

SYSTEMS = (
    System("plain", "Hiero", "plain"),
    System("gc", f"{_GAPPY}(skeleton)", "gappy", HAND, "decoder"),
    System("gc-strong", f"{_GAPPY_STRONG}(skeleton)", "gappy", HAND, "strong"),
    System("gc-paper", f"{_GAPPY}(skeleton), as the paper", "gappy", HAND, "decoder", as_paper=True),
    System("gc-strong-paper", f"{_GAPPY_STRONG}(skeleton), as the paper", "gappy", HAND, "strong", as_paper=True),
    System("sfd", "Skeleton-first, Hiero + Hiero(skeleton)", "skeleton-first", HAND, "decoder"),
    System("sfd-strong", "Skeleton-first, Hiero + strong(skeleton)", "skeleton-first", HAND, "strong"),
)


def systems_with(skeleton: str) -> tuple[System, ...]:
    """Returns the systems with skeletons of another kind, but for those that do as the paper does."""
    return tuple(
        system if system.skeleton is None or system.as_paper else replace(system, skeleton=skeleton)
        for system in SYSTEMS
    )


RESCORED = "+rescored"
"""Ends the name of a system whose n-best list is rescored with the stronger model."""

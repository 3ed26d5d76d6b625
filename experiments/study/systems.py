"""The systems of a study: what is decoded with which skeletons, and how its weights are found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from experiments.study.sentences import HAND

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
    """

    name: str
    title: str
    strategy: str
    skeleton: str | None = None
    scorer: Scorer | None = None

    @property
    def decodes_anew(self) -> bool:
        """Whether each sentence is decoded for it; the others compose the stored spaces, under any weights."""
        return self.strategy not in ("plain", "gappy")


SYSTEMS = (
    System("plain", "Hiero", "plain"),
    System("gc", "Gappy composition, Hiero + Hiero(skeleton)", "gappy", HAND, "decoder"),
    System("gc-strong", "Gappy composition, Hiero + strong(skeleton)", "gappy", HAND, "strong"),
    System("sfd", "Skeleton-first, Hiero + Hiero(skeleton)", "skeleton-first", HAND, "decoder"),
    System("sfd-strong", "Skeleton-first, Hiero + strong(skeleton)", "skeleton-first", HAND, "strong"),
)


def systems_with(skeleton: str) -> tuple[System, ...]:
    """Returns the systems with skeletons of another kind."""
    return tuple(one if one.skeleton is None else replace(one, skeleton=skeleton) for one in SYSTEMS)


RESCORED = "+rescored"
"""Ends the name of a system whose n-best list is rescored with the stronger model."""

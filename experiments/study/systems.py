"""The systems of a study: their skeletons, their scorers, and their tuning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from experiments.study.sentences import HAND, HAND_LONG
from lattice_simp.ops.gappy_acceptor import Loops

Scorer = Literal["decoder", "strong"]
"""The scorer of the skeleton's hypotheses: the decoder's features, or its cost with the stronger model's."""

Tuned = Literal["skeleton", "all", "all of both"]
"""The tuned weights: that of the skeleton's cost; this and those of the full sentence; or these and one for each
feature of the skeleton's hypotheses."""

PROTOCOL_KIND: Final = "of the protocol"
"""The kind of skeletons of systems that use those of the protocol."""


@dataclass(frozen=True)
class System:
    """A system whose weights are tuned.

    Attributes:
        name: the name of its files and rows.
        title: the title of its row in a table.
        strategy: one of the library's `STRATEGIES`; `alone` for a network that translates by itself.
        skeleton: the kind of skeleton.
        scorer: the scorer of the skeleton's hypotheses.
        loops: the loops of the acceptors of skeletons.
        tuned: its weights.
    """

    name: str
    title: str
    strategy: str
    skeleton: str | None = None
    scorer: Scorer | None = None
    loops: Loops = "sigma"
    tuned: Tuned = "skeleton"

    @property
    def decodes_anew(self) -> bool:
        """Whether it decodes each sentence; other systems compose the stored spaces, under any weights."""
        return self.strategy not in ("plain", "gappy")


_GAPPY, _GAPPY_STRONG = "Gappy composition, Hiero + Hiero", "Gappy composition, Hiero + strong"

AS_PAPER = "-paper"
"""The suffix of systems that follow the paper: rho loops, the first judgement, all weights tuned together."""


def _gappy_strong(change: str, title: str, skeleton: str, loops: Loops, tuned: Tuned) -> System:
    """Returns a system that scores the skeleton's hypotheses with the stronger model."""
    return System(f"gc-strong{change}", f"{_GAPPY_STRONG}(skeleton){title}", "gappy", skeleton, "strong", loops, tuned)


SYSTEMS = (
    System("plain", "Hiero", "plain"),
    System("gc", f"{_GAPPY}(skeleton)", "gappy", PROTOCOL_KIND, "decoder"),
    _gappy_strong("", "", PROTOCOL_KIND, "sigma", "skeleton"),
    System("gc-paper", f"{_GAPPY}(skeleton), as in the paper", "gappy", HAND, "decoder", "rho", "all"),
    _gappy_strong(AS_PAPER, ", as in the paper", HAND, "rho", "all"),
    System("sfd", "Skeleton-first, Hiero + Hiero(skeleton)", "skeleton-first", PROTOCOL_KIND, "decoder"),
    System("sfd-strong", "Skeleton-first, Hiero + strong(skeleton)", "skeleton-first", PROTOCOL_KIND, "strong"),
)

BETWEEN = (
    _gappy_strong("-rho", ", rho loops", HAND_LONG, "rho", "skeleton"),
    _gappy_strong("-short", ", short skeletons", HAND, "sigma", "skeleton"),
    _gappy_strong("-all", ", all weights", HAND_LONG, "sigma", "all"),
    _gappy_strong("-vector", ", all weights of both", HAND_LONG, "sigma", "all of both"),
    _gappy_strong("-paper-sigma", ", as in the paper except for sigma loops", HAND, "sigma", "all"),
    _gappy_strong("-paper-long", ", as in the paper except for long skeletons", HAND_LONG, "rho", "all"),
    _gappy_strong("-paper-one", ", as in the paper except for one weight", HAND, "rho", "skeleton"),
)
"""Systems between `gc-strong`, with long skeletons, and `gc-strong-paper`, which show the causes of the difference."""


def systems_with(skeleton: str) -> tuple[System, ...]:
    """Returns all systems, where the protocol names this kind of skeletons."""
    return tuple(
        replace(system, skeleton=skeleton) if system.skeleton == PROTOCOL_KIND else system
        for system in (*SYSTEMS, *BETWEEN)
    )


ALONE = System("transformer", "Transformer", "alone")
"""The Transformer that is a part of the stronger model, as a translator of its own; it has no weights to tune."""

RESCORED = "+rescored"
"""The suffix of a system whose n-best list is rescored with the stronger model."""

LLM = "+llm"
"""The suffix of a system whose best rescored hypotheses a pretrained language model scores, too."""

LIST_STAGES = {RESCORED: "rescored", LLM: "causal"}
"""By the ends of names, those of the stages, which the names of the systems follow."""

"""What can be set of a decoder, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.compose import EditCosts
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.translate.cell_pruning import CellPruning
from lattice_simp.translate.hiero import DEFAULT_MAX_SPAN

Strategy = Literal["plain", "gappy", "skeleton-first"]
STRATEGIES: tuple[Strategy, ...] = ("plain", "gappy", "skeleton-first")

GapLoops = Literal["everywhere", "at-gaps"]
Aggregation = Literal["max", "sum"]


@dataclass(frozen=True)
class SkeletonSettings:
    """How skeletons are used.

    Attributes:
        hypotheses: the n of the skeleton's n-best list.
        loops: `sigma` or `rho`, see `ops/gappy_acceptor.py`.
        gaps: loops at every state (the paper), or only where the source has a gap.
        weight: what the skeleton's costs are multiplied with.
        beam: nats; the full lattice keeps so much before the composition.
        edits: tolerate deviations from the skeleton; None forbids them.
        aggregation: over several skeletons of one sentence, `max` takes the best one's cost of a hypothesis, `sum`
            adds the probabilities.
    """

    hypotheses: int = 1000
    loops: Loops = "sigma"
    gaps: GapLoops = "everywhere"
    weight: float = 0.5
    beam: float = 8.0
    edits: EditCosts | None = None
    aggregation: Aggregation = "max"


@dataclass(frozen=True)
class DecoderSettings:
    """How sentences are decoded.

    Attributes:
        top: the non-terminal that the glue rules combine.
        max_span: source tokens that a constituent may cover.
        beam: nats above the best path that a returned lattice keeps.
        cells: pruning inside the chart, for grammars whose non-terminals nest; the others are decoded exactly.
        skeleton: how skeletons are used.
        mbr: decide by the expected BLEU gain instead of the cost; None for the cost.
    """

    top: str = "X"
    max_span: int = DEFAULT_MAX_SPAN
    beam: float = 8.0
    cells: CellPruning = field(default_factory=CellPruning)
    skeleton: SkeletonSettings = field(default_factory=SkeletonSettings)
    mbr: MbrSettings | None = None

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> DecoderSettings:
        """Makes settings from nested dicts, as `settings.json` holds them.

        Raises:
            LatticeSimpError: an unknown name.
        """
        nested = {"cells": CellPruning, "skeleton": SkeletonSettings, "mbr": MbrSettings}
        given = _checked(cls, values)
        if given.get("mbr", {}) is None:
            del given["mbr"]
        if "skeleton" in given:
            given["skeleton"] = _checked(SkeletonSettings, given["skeleton"])
            if given["skeleton"].get("edits") is not None:
                given["skeleton"]["edits"] = EditCosts(**_checked(EditCosts, given["skeleton"]["edits"]))
        for name, kind in nested.items():
            if name in given:
                given[name] = kind(**_checked(kind, given[name]))
        return cls(**given)


def _checked(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise LatticeSimpError(f"settings are names with values, not {values!r}")
    known = {own.name for own in fields(kind)}
    unknown = sorted(set(values) - known)
    if unknown:
        raise LatticeSimpError(f"unknown settings {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    return dict(values)

"""What was done to a sentence, for people and programs."""

from __future__ import annotations

from typing import Any

from lattice_simp.systems.simplify.simplifier import Simplification


def explanation(simplification: Simplification) -> dict[str, Any]:
    """Returns what was done to a sentence, as JSON values."""
    tokens = simplification.source

    def phrase(positions: tuple[int, ...]) -> str:
        return " ".join(tokens[position] for position in positions)

    return {
        "source": " ".join(tokens),
        "simple": simplification.text,
        "splits": [{"kind": own.kind.value, "clause": phrase(own.clause)} for own in simplification.splits],
        "deletions": [{"kind": own.kind.value, "words": phrase(own.positions)} for own in simplification.deletions],
        "substitutions": [
            {"words": " ".join(own.source), "by": " ".join(own.target)} for own in simplification.substitutions
        ],
        "cost": simplification.cost,
        "features": dict(simplification.features),
    }

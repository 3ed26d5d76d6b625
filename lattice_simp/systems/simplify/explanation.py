"""Explanations of simplifications as JSON values."""

from __future__ import annotations

from typing import Any

from lattice_simp.systems.simplify.simplification import Simplification


def explanation(simplification: Simplification) -> dict[str, Any]:
    """Returns the splits, deletions, substitutions and reorderings of a sentence as JSON values."""
    tokens = simplification.source

    def phrase(positions: tuple[int, ...]) -> str:
        return " ".join(tokens[position] for position in positions)

    return {
        "source": " ".join(tokens),
        "simple": simplification.text,
        "splits": [{"kind": split.kind.value, "clause": phrase(split.clause)} for split in simplification.splits],
        "deletions": [
            {"kind": deletion.kind.value, "words": phrase(deletion.positions)} for deletion in simplification.deletions
        ],
        "substitutions": [
            {"words": " ".join(substitution.source), "by": " ".join(substitution.target)}
            for substitution in simplification.substitutions
        ],
        "reorderings": [
            {"first": " ".join(reordering.first), "second": " ".join(reordering.second)}
            for reordering in simplification.reorderings
        ],
        **({"note": simplification.note} if simplification.note else {}),
        "cost": simplification.cost,
        "features": dict(simplification.features),
    }

"""The drawing of the best hypotheses, and where each of them runs in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.draw import to_svg
from lattice_simp.errors import MissingExtraError
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.determinize import minimize
from lattice_simp.ops.nbest import nbest

DRAWN_STRINGS = 8
"""Hypotheses in a drawing: more could not be read."""

DRAWN_STATES = 120


def drawing(lattice: Lattice, best: Sequence[Hypothesis]) -> tuple[dict[str, Any], list[list[int]]]:
    """Draws the best few hypotheses of a lattice from left to right, the best one highlighted.

    Args:
        lattice: what they come from, for its size.
        best: different strings, cheapest first.

    Returns:
        The sizes, the `svg` (None where Graphviz is missing) and a `note` of what is left out, as JSON values; and for
        each hypothesis the arcs of the drawing that it runs through, none if it is not drawn.
    """
    drawn = minimize(Lattice.from_strings(best[:DRAWN_STRINGS])).topsorted().connected()
    arcs = {path.tokens: path.arcs.tolist() for path in nbest(drawn, DRAWN_STRINGS)}
    shown = min(len(best), DRAWN_STRINGS)
    total = count_paths(lattice)
    facts: dict[str, Any] = {"states": lattice.num_states, "arcs": lattice.num_arcs, "paths": float(total), "svg": None}
    size = f"{lattice.num_states:,} states, {lattice.num_arcs:,} arcs and {total:,.0f} paths"
    facts["note"] = (
        f"Drawn {'is the best hypothesis' if shown == 1 else f'are the {shown} best hypotheses'}; "
        f"the lattice within the beam has {size}. Costs (nats) stand as near to the start as they can."
    )
    try:
        facts["svg"] = to_svg(
            drawn,
            highlight=frozenset(arcs[best[0].tokens]),
            max_states=DRAWN_STATES,
            embedded=True,
        )
    except MissingExtraError as error:
        facts["note"] = str(error)
    return facts, [arcs.get(own.tokens, []) for own in best]

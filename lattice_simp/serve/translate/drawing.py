"""Draws the best hypotheses, and maps each to its arcs in the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.draw import to_svg
from lattice_simp.errors import MissingExtraError
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.minimize import minimize
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.plurals import counted

DRAWN_STRINGS = 8
"""The most hypotheses in a readable drawing."""

DRAWN_STATES = 120


def drawing(lattice: Lattice, best: Sequence[Hypothesis]) -> tuple[dict[str, Any], list[list[int]]]:
    """Draws the best few hypotheses, distinct strings, of a lattice from left to right, the best one highlighted.

    Returns the lattice's sizes, the `svg` (None without Graphviz) and a `note` on omissions, as JSON values; and the
    arcs of each hypothesis in the drawing, none if it is not drawn.
    """
    drawn = minimize(Lattice.from_strings(best[:DRAWN_STRINGS])).topsorted().connected()
    arcs = {path.tokens: path.arcs.tolist() for path in nbest(drawn, DRAWN_STRINGS, ignore=())}
    shown = min(len(best), DRAWN_STRINGS)
    total = count_paths(lattice)
    facts: dict[str, Any] = {"states": lattice.num_states, "arcs": lattice.num_arcs, "paths": float(total), "svg": None}
    size = f"{counted(lattice.num_states, 'state')}, {counted(lattice.num_arcs, 'arc')} and {counted(total, 'path')}"
    facts["note"] = (
        f"The drawing shows the {'best hypothesis' if shown == 1 else f'{shown} best hypotheses'}; "
        f"the lattice within the beam has {size}. Costs (nats) are pushed towards the start."
    )
    try:
        facts["svg"] = to_svg(drawn, highlight=frozenset(arcs[best[0].tokens]), max_states=DRAWN_STATES, embedded=True)
    except MissingExtraError as error:
        facts["note"] = str(error)
    return facts, [arcs.get(hypothesis.tokens, []) for hypothesis in best]

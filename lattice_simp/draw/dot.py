"""Drawing: a lattice as Graphviz DOT text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.draw.labels import Numbers, arc_words, highlighted, numbers_of, probability_text, title_text


def to_dot(
    lattice: Lattice,
    title: str | None = None,
    highlight: Collection[int] | None = None,
    rankdir: str = "LR",
    *,
    states: Sequence[int] | None = None,
    arcs: Sequence[int] | None = None,
    numbers: Numbers | None = None,
) -> str:
    r"""Returns the lattice in the DOT language, laid out like the drawings of OpenFst's `fstdraw`.

    >>> from lattice_simp import Lattice
    >>> print(to_dot(Lattice.from_strings([("good day", 1.5)])), end="")
    digraph lattice {
      graph [rankdir=LR, center=true, ranksep=0.4, nodesep=0.25, label=""];
      node [fontsize=14, shape=circle, style=bold];
      edge [fontsize=14];
      0 [label="0"];
      1 [label="1", style=solid];
      2 [label="2", style=solid, shape=doublecircle];
      0 -> 1 [label="good"];
      1 -> 2 [label="day/1.5"];
    }

    The start state is bold, final states are double circles; labels are `word/cost` or `in:out/cost` with costs in
    nats, and a cost of zero is omitted. In a confusion network, they are `word probability`, the most probable first.

    Args:
        lattice: any lattice, even a cyclic one.
        title: a line of text below the drawing.
        highlight: the numbers of arcs to draw in bold red.
        rankdir: the direction of reading, `LR` or `TB`.
        states, arcs: the numbers of the states and arcs to draw, by default all; the arcs must be between the states.
        numbers: `costs` or `probabilities` beside the words; by default the latter for confusion networks alone.

    Raises:
        LatticeSimpError: `numbers` is another name.
        TypeError: the title is not a string.
    """
    require_lattice("to_dot", lattice)
    title = title_text(title)
    chosen = highlighted(highlight)
    are_costs = numbers_of(lattice, numbers) == "costs"
    suffix = _cost_suffix if are_costs else _probability_suffix
    lines = [
        "digraph lattice {",
        f'  graph [rankdir={rankdir}, center=true, ranksep=0.4, nodesep=0.25, label="{quoted(title)}"];',
        "  node [fontsize=14, shape=circle, style=bold];",
        "  edge [fontsize=14];",
        *(_state_line(lattice, state, suffix) for state in (range(lattice.num_states) if states is None else states)),
    ]
    sources = lattice.sources
    shown = range(lattice.num_arcs) if arcs is None else arcs
    if not are_costs:
        shown = sorted(shown, key=lambda arc: (sources[arc], lattice.weights[arc]))
    for arc in shown:
        label = quoted(arc_words(lattice, arc) + suffix(float(lattice.weights[arc])))
        accent = ', color="#c92a2a", fontcolor="#c92a2a", penwidth=2' if arc in chosen else ""
        lines.append(f'  {sources[arc]} -> {lattice.nextstates[arc]} [label="{label}"{accent}];')
    return "\n".join([*lines, "}"]) + "\n"


def _state_line(lattice: Lattice, state: int, suffix: Callable[[float], str]) -> str:
    final = float(lattice.finals[state])
    label = f"{state}{suffix(final)}" if final and np.isfinite(final) else str(state)
    style = "" if state == 0 else ", style=solid"
    shape = ", shape=doublecircle" if np.isfinite(final) else ""
    return f'  {state} [label="{label}"{style}{shape}];'


def _cost_suffix(cost: float) -> str:
    return f"/{cost:.5g}" if cost else ""


def _probability_suffix(cost: float) -> str:
    return f" {probability_text(cost)}"


def quoted(text: str) -> str:
    """Escapes text for a quoted DOT label, in which backslashes and HTML entities have a meaning, too."""
    escapes: dict[str, str | int | None] = {"&": "&amp;", "\\": "\\\\", '"': '\\"', "\n": "\\n"}
    return text.translate(str.maketrans(escapes))

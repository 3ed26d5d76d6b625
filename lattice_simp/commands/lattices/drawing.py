"""The run of `lattice-simp lattice draw`: reads a lattice, and writes its drawing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lattice_simp.commands.inputs.lattices import read_full
from lattice_simp.commands.shared.label_options import LabelOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.core.lattice import Lattice
from lattice_simp.draw import IMAGE_FORMATS, drawn_arcs, drawn_states, to_dot, to_image, to_svg
from lattice_simp.draw.image import ImageFormat
from lattice_simp.draw.labels import Numbers
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.nbest import is_nbest
from lattice_simp.ops.minimize import minimize
from lattice_simp.ops.nbest import nbest, shortest_path
from lattice_simp.support.textio import open_binary, readable


def read_drawn(source: str, sentence: str | None, labels: LabelOptions, n: int | None, *, separate: bool) -> Lattice:
    """Reads the lattice to draw, or its `n` best strings; minimizes n-best lists, unless they are `separate`."""
    with readable(source) as file:
        is_list = n is not None or is_nbest(file)
        lattice = read_full(file, sentence, labels=labels)
    if n is not None:
        lattice = Lattice.from_strings(nbest(lattice, n))
    if not is_list:
        refuse_idle(["separate"], "with a lattice; it applies to n-best lists, or with --nbest")
    return minimize(lattice) if is_list and not separate else lattice


@dataclass(frozen=True)
class Drawing:
    """A drawing, of the kind that the ending of its file names.

    Attributes:
        output: its file.
        title: its heading, if any.
        max_states: the most states to draw, except in DOT.
        numbers: costs or probabilities beside words; None for those of the kind of lattice.
        marks_best: whether the best path is drawn in colour.

    Raises:
        LatticeSimpError: the ending is not that of a drawing.
    """

    output: Path
    title: str | None
    max_states: int
    numbers: Numbers | None
    marks_best: bool = False

    def __post_init__(self) -> None:
        if self.kind not in (*IMAGE_FORMATS, "svg", "dot"):
            raise LatticeSimpError(f"{self.output}: the name of a drawing must end in .svg, .png, .pdf or .dot")

    @property
    def kind(self) -> str:
        """Its kind: `dot`, `svg`, or the format of an image."""
        return self.output.suffix.removeprefix(".")

    def write(self, lattice: Lattice) -> None:
        """Draws a lattice, and prints on stderr how much of it is left out."""
        content = self._content(lattice)
        if self.kind != "dot":
            self._say_left_out(lattice)
        with open_binary(self.output, "w") as file:
            file.write(content)

    def _content(self, lattice: Lattice) -> bytes:
        best = shortest_path(lattice).arcs if self.marks_best and not lattice.empty else ()
        shown: dict[str, Any] = {"title": self.title, "numbers": self.numbers, "highlight": frozenset(best)}
        if self.kind == "dot":
            return to_dot(lattice, **shown).encode()
        shown["max_states"] = self.max_states
        if self.kind == "svg":
            return to_svg(lattice, **shown).encode()
        return to_image(lattice, cast("ImageFormat", self.kind), **shown)

    def _say_left_out(self, lattice: Lattice) -> None:
        states = drawn_states(lattice, self.max_states)
        if len(states) < lattice.num_states:
            remedy = "to see another part, prune it first: lattice-simp lattice prune --max-arcs"
            counts = f"{len(states):,} of {lattice.num_states:,} states are drawn"
            say(f"{counts}, those nearest to the start; {remedy}")
            return
        drawn = len(drawn_arcs(lattice, states))
        if drawn < lattice.num_arcs:
            say(f"{drawn:,} of {lattice.num_arcs:,} arcs are drawn, the best between two states")

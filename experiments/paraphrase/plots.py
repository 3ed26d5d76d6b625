"""The plots: sentences by phrases, like Figure 2 of the paper, and precision by yield."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.report import Figures
from lattice_simp.metrics.plots import COLOURS, empty_plot, save_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOTS, SIZES, PRECISION = "plots", "sentences-by-phrases", "precision-by-yield"

PAPER = {"sets": 339, "originals": 8.48, "phrases": 60.2, "sentences": 920, "right": 61, "judged": 1473}
"""The figures of Imamura, Akiba and Sumita (2002): means of their sets, and the percentage of right sentences."""

PAPER_GROWTH = PAPER["sentences"] / PAPER["originals"]
"""The number of sentences per original one in the paper."""

_MOST_SENTENCES = 1e12
"""The most sentences of a set in the plot; larger sets would dominate the scale."""

_PARTS = ("value", "low", "high")


def draw(curve: Mapping[str, Figures], folder: Path) -> None:
    """Draws both plots as SVG; the second one needs judgements."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, fill in ((SIZES, _sizes), (PRECISION, _precision)):
        if name == SIZES or any("judged" in point for point in curve.values()):
            figure, axes = empty_plot()
            fill(axes, curve)
            save_plot(figure, folder / f"{name}.svg")


def _sizes(axes: Axes, curve: Mapping[str, Figures]) -> None:
    drawn = {name: point for name, point in curve.items() if "sets" in point}
    for (name, point), colour in zip(drawn.items(), COLOURS, strict=False):
        sets = [(phrases, sentences) for phrases, sentences in point["sets"] if sentences <= _MOST_SENTENCES]
        axes.plot(*zip(*sets, strict=True), ".", color=colour, markersize=4, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("equivalent phrases of a set")
    axes.set_ylabel("sentences")
    axes.legend(frameon=False)


def _precision(axes: Axes, curve: Mapping[str, Figures]) -> None:
    """Draws the percentage of right sentences, strict and forgiving, by the new sentences for each original one."""
    points = {name: point for name, point in curve.items() if "judged" in point}
    new = [point["growth"] - 1 for point in points.values()]
    for colour, share, label in ((COLOURS[0], "right", "right"), (COLOURS[1], "forgiven", "but for original faults")):
        values, lows, highs = ([point["judged"][share][part] for point in points.values()] for part in _PARTS)
        errors = [
            [value - low for value, low in zip(values, lows, strict=True)],
            [high - value for value, high in zip(values, highs, strict=True)],
        ]
        axes.errorbar(new, values, errors, marker="o", color=colour, capsize=3, label=label)
    for number, (name, x, point) in enumerate(zip(points, new, points.values(), strict=True)):
        share, below = ("right", -12) if number % 2 else ("forgiven", 5)  # alternating, so that names do not overlap
        axes.annotate(name, (x, point["judged"][share]["value"]), (5, below), textcoords="offset points")
    axes.plot(
        PAPER_GROWTH - 1, PAPER["right"], "*", color="black", markersize=10, label="Imamura et al. (2002), Japanese"
    )
    axes.set_xscale("log")
    axes.set_ylim(0, 100)
    axes.set_xlabel("new sentences for each original one (geometric mean)")
    axes.set_ylabel("right sentences (%)")
    axes.legend(frameon=False)

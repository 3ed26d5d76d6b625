"""Plots of an evaluation with matplotlib: gains by group, quality by group, failure rates.

Each function returns a matplotlib `Figure` without a window or global state; `save_plot` writes it. The same numbers
give the same bytes with the same version of matplotlib. Without matplotlib, they raise MissingExtraError.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.comparison import Comparison, Measurements
from lattice_simp.metrics.metric import Metric
from lattice_simp.metrics.report import Breakdown, significance_mark
from lattice_simp.support.extras import extra
from lattice_simp.support.textio import open_binary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE_INCHES = (6.4, 4.0)

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's, which most colour-blind readers can tell apart."""

FEWEST_DRAWN = 10
"""Smaller groups are left out of plots (unless all are small): their scores would set the scale for the others."""

_MARKERS = "osD^vP"
_BAR_ROOM = 0.8
"""The share of the axis that the bars of a group take."""

_HASH_SALT = "lattice_simp"
"""With a salt, matplotlib names the elements of an SVG file by their content; without one, at random."""


def gain_plot(metric: Metric, by: str, comparisons: Mapping[str, Comparison]) -> Figure:
    """Draws the gain over the baseline in each group: a bar a system, with its bootstrap interval and its mark.

    Args:
        metric: one of the measured metrics.
        by: the kind of groups.
        comparisons: the comparison of each group, with a baseline.

    Raises:
        LatticeSimpError: no baseline, or no other system.
    """
    comparisons = _drawn(comparisons)
    first = next(iter(comparisons.values()))
    systems = [name for name in first.scores if name != first.baseline]
    if first.baseline is None or not systems:
        raise LatticeSimpError("a plot of gains needs a baseline and another system")
    figure, axes = empty_plot()
    width = _BAR_ROOM / len(systems)
    for number, name in enumerate(systems):
        scores = [comparison.scores[name][metric.name] for comparison in comparisons.values()]
        centres = [group + (number + 0.5) * width - _BAR_ROOM / 2 for group in range(len(scores))]
        gains = np.array([score.gain or 0.0 for score in scores])
        lows, highs = np.array([score.gain_interval or (0.0, 0.0) for score in scores]).T
        errors = np.maximum(0.0, [gains - lows, highs - gains])
        axes.bar(centres, gains, width * 0.9, label=name, color=_colour(number), yerr=errors, capsize=3)
        for centre, top, score in zip(centres, np.maximum(0.0, np.maximum(gains, highs)), scores, strict=True):
            mark = significance_mark(score.p)
            axes.annotate(mark, (centre, top), (0, 2), textcoords="offset points", ha="center")
    axes.axhline(0.0, color="black", linewidth=0.8)
    percent = 100 * first.test.confidence
    _name_groups(axes, comparisons)
    _label(axes, by, f"{metric.name}, gain over {first.baseline} ({percent:g} % intervals)", len(systems))
    return figure


def quality_plot(metric: Metric, by: str, comparisons: Mapping[str, Comparison]) -> Figure:
    """Draws each system's score in each group (of a length, for example), with bootstrap intervals."""
    comparisons = _drawn(comparisons)
    figure, axes = empty_plot()
    systems = list(next(iter(comparisons.values())).scores)
    for number, name in enumerate(systems):
        scores = [comparison.scores[name][metric.name] for comparison in comparisons.values()]
        _curve(axes, number, name, range(len(scores)), [score.value for score in scores])
        lows, highs = zip(*(score.interval for score in scores), strict=True)
        axes.fill_between(range(len(scores)), lows, highs, color=_colour(number), alpha=0.15, linewidth=0)
    _name_groups(axes, comparisons)
    _label(axes, by, metric.name, len(systems))
    return figure


def failure_plot(curves: Mapping[str, Sequence[tuple[int, float]]]) -> Figure:
    """Draws failure rates by the length of n-best lists, on a logarithmic axis.

    Args:
        curves: by name, pairs of n (from 1) and the share of sentences that fail (0 to 1).

    Raises:
        LatticeSimpError: no points, an n below 1, or a share out of range.
    """
    points = [point for curve in curves.values() for point in curve]
    if not points or any(n < 1 or not 0 <= rate <= 1 for n, rate in points):
        raise LatticeSimpError("a plot of failure rates needs points of n from 1 up and shares from 0 to 1")
    figure, axes = empty_plot()
    for number, (name, curve) in enumerate(curves.items()):
        _curve(axes, number, name, [n for n, _ in sorted(curve)], [100.0 * rate for _, rate in sorted(curve)])
    ticks = sorted({n for n, _ in points})
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0.0)
    _label(axes, "n", "failures (%)", len(curves))
    return figure


def save_plot(figure: Figure, path: str | Path) -> None:
    """Writes a figure as PNG, SVG or PDF, by the name's ending; raises LatticeSimpError for another one."""
    import matplotlib

    kind = Path(path).suffix.lower()
    if kind not in _NO_DATE:
        raise LatticeSimpError(f"{path}: plots are written as .png, .svg or .pdf")
    with open_binary(path, "w") as file, matplotlib.rc_context({"svg.hashsalt": _HASH_SALT}):
        figure.savefig(file, format=kind[1:], dpi=150, metadata=_NO_DATE[kind])


_NO_DATE = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""The endings of plots, and the metadata to leave out so that equal plots have equal bytes."""


def draw_results(folder: Path, measured: Measurements, breakdowns: Sequence[Breakdown]) -> list[Path]:
    """Draws each metric in each breakdown, quality and (with a baseline) gain, as PNG and SVG; returns the files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LatticeSimpError(f"{folder}: cannot be made: {error.strerror}") from error
    written = []
    for breakdown in breakdowns:
        by, comparisons = breakdown.groups.name, breakdown.comparisons
        first = next(iter(comparisons.values()))
        kinds = {"quality": quality_plot}
        if first.baseline is not None and len(first.scores) > 1:
            kinds["gain"] = gain_plot
        for metric in measured.metrics:
            for kind, plot in kinds.items():
                figure = plot(metric, by, comparisons)
                for ending in ("png", "svg"):
                    path = folder / f"{_file_name(metric.name)}.{_file_name(by)}.{kind}.{ending}"
                    save_plot(figure, path)
                    written.append(path)
    return written


def _drawn(comparisons: Mapping[str, Comparison]) -> Mapping[str, Comparison]:
    large = {label: comparison for label, comparison in comparisons.items() if comparison.sentences >= FEWEST_DRAWN}
    return large or comparisons


def empty_plot() -> tuple[Figure, Axes]:
    """Returns a plot without curves, in the size and style of the others.

    >>> figure, axes = empty_plot()
    >>> len(axes.get_lines()), figure.get_size_inches().tolist()
    (0, [6.4, 4.0])
    """
    with extra("evaluate"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    figure = Figure(figsize=SIZE_INCHES, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _curve(axes: Axes, number: int, name: str, x: Sequence[int], y: Sequence[float]) -> None:
    axes.plot(x, y, marker=_MARKERS[number % len(_MARKERS)], color=_colour(number), label=name)


def _name_groups(axes: Axes, comparisons: Mapping[str, Comparison]) -> None:
    labels = [f"{label}\nn = {comparison.sentences}" for label, comparison in comparisons.items()]
    axes.set_xticks(range(len(labels)), labels)


def _label(axes: Axes, horizontal: str, vertical: str, names: int) -> None:
    axes.set_xlabel(horizontal)
    axes.set_ylabel(vertical)
    axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    axes.set_axisbelow(True)
    if names > 1:
        axes.legend(frameon=False)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _file_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")

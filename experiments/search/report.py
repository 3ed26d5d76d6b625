"""The tables and the plot of the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from experiments.report import Figures
from lattice_simp.metrics.plots import COLOURS, empty_plot, save_plot
from lattice_simp.metrics.table import Cell, Table, as_markdown

PLOTS, PLOT = "plots", "cost-by-time"


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    exact, development = config["exact"], figures["development"]
    parts = [
        f"## {config['development']['name']}",
        certified(development, exact),
        cost_table(development["losses"]),
        f"![The cost above the optimum against the time]({PLOTS}/{PLOT}.svg)",
    ]
    for test, measured in figures["tests"].items():
        parts += [f"## {test}", certified(measured, exact), quality_table(measured)]
    return parts


def cost_table(rows: Mapping[str, Figures]) -> str:
    """Returns the table of the costs, times and losses of each system."""
    columns = (
        *("search", "cost (nats)", "CPU s a sentence", "search errors (%)", "mean loss (nats)", "largest loss (nats)"),
        *("different strings", "mean reported optimality gap (nats)", "reported as optimal"),
    )
    cells = tuple(
        (
            Cell(name),
            Cell(row["cost"], 2),
            Cell(row["cpu_seconds"], 3),
            Cell(None if row["errors"] is None else 100 * row["errors"], 1),
            Cell(row["mean_loss"], 3),
            Cell(row["largest_loss"], 2),
            Cell(row["different"]),
            Cell(row["reported_gap"], 2),
            Cell(row["reported_certain"] if row["reported_gap"] is not None else None),
        )
        for name, row in rows.items()
    )
    return as_markdown(Table("Costs and errors of each search", columns, cells, (), 1))


def quality_table(figures: Figures) -> str:
    """Returns the table of the systems' BLEU on a test set, and the differences from the exact search's."""
    first = next(iter(figures["quality"].values()))
    columns = ["search", "search errors (%)", "mean loss (nats)", "CPU s a sentence", "different strings"]
    columns += [text for metric in first for text in (metric, "difference", "p")]
    rows = []
    for name, scores in figures["quality"].items():
        loss = figures["losses"][name]
        cells = [Cell(name), Cell(None if loss["errors"] is None else 100 * loss["errors"], 1)]
        cells += [Cell(loss["mean_loss"], 3), Cell(loss["cpu_seconds"], 3), Cell(loss["different"])]
        for score in scores.values():
            cells += [Cell(score["value"]), Cell(score["gain"], signed=True), Cell(score["p"], 3)]
        rows.append(tuple(cells))
    return as_markdown(Table("BLEU with search errors", tuple(columns), tuple(rows), (), 1))


def certified(figures: Figures, exact: str) -> str:
    """Returns a paragraph on the number of proven translations, and the optimality gaps of the others."""
    losses = figures["losses"][exact]
    text = f"{figures['sentences']} sentences; the exact search proves {losses['certified']}"
    if losses["certified"] < figures["sentences"]:
        rest = figures["sentences"] - losses["certified"]
        gap = losses["reported_gap"] * figures["sentences"] / rest
        text += f"; the others have a mean optimality gap of {gap:.2f} nats"
    return text + "."


def draw(rows: Mapping[str, Figures], folder: Path) -> None:
    """Draws the mean loss of each system with the same grammar against its time, as PNG and SVG."""
    figure, axes = empty_plot()
    seconds, lost = [row["cpu_seconds"] for row in rows.values()], [row["mean_loss"] or 0.0 for row in rows.values()]
    axes.plot(seconds, lost, marker="o", color=COLOURS[0])
    for name, x, y in zip(rows, seconds, lost, strict=True):
        axes.annotate(name, (x, y), (4, 4), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("CPU seconds a sentence")
    axes.set_ylabel("cost above the optimum (nats a sentence)")
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("png", "svg"):
        save_plot(figure, folder / f"{PLOT}.{ending}")

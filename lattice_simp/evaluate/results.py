"""The tables and plots of a whole evaluation: scores, and a break-down by each grouping."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path

from lattice_simp.errors import LatticeSimpError
from lattice_simp.evaluate.comparison import Comparison, Measurements
from lattice_simp.evaluate.plots import gain_plot, quality_plot, save_plot
from lattice_simp.evaluate.render import as_latex, as_markdown, as_text
from lattice_simp.evaluate.report import Breakdown, report, report_json
from lattice_simp.evaluate.table import Table
from lattice_simp.evaluate.tables import group_table, score_table


class ResultFormat(str, Enum):
    """How results are written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    JSON = "json"


_RENDERERS: dict[ResultFormat, Callable[[Table], str]] = {
    ResultFormat.TEXT: as_text,
    ResultFormat.MARKDOWN: as_markdown,
    ResultFormat.LATEX: as_latex,
}


def result_tables(
    measured: Measurements, comparison: Comparison, breakdowns: Sequence[Breakdown] = ()
) -> tuple[Table, ...]:
    """Returns the table of all scores, then for each break-down a table a metric."""
    grouped = [
        group_table(metric, breakdown.groups, breakdown.comparisons, comparison)
        for breakdown in breakdowns
        for metric in measured.metrics
    ]
    return (score_table(measured, comparison), *grouped)


def render_results(
    measured: Measurements,
    comparison: Comparison,
    breakdowns: Sequence[Breakdown] = (),
    format: ResultFormat = ResultFormat.TEXT,
    command: Sequence[str] = (),
) -> str:
    """Writes everything in a format; the JSON document is described in `report.py`."""
    if format is ResultFormat.JSON:
        return report_json(report(measured, comparison, breakdowns, command))
    return "\n".join(map(_RENDERERS[format], result_tables(measured, comparison, breakdowns)))


def draw_results(folder: Path, measured: Measurements, breakdowns: Sequence[Breakdown]) -> list[Path]:
    """Draws each metric in each break-down, quality and (with a baseline) gain, as PNG and SVG; gives the files.

    Raises:
        MissingExtraError: matplotlib is not installed.
        LatticeSimpError: the folder cannot be made.
    """
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


def _file_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")

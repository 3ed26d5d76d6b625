"""A whole evaluation as text, Markdown, LaTeX or JSON.

The JSON document, version 1, has every number unrounded, with the signatures and the command that made it; `null`
marks what is missing (a baseline's gain, p of too few sentences):

    {"format": "lattice_simp evaluation", "version": 1, "program": "lattice_simp 0.1", "command": [str],
     "baseline": str | null,
     "test": {"kind": "bootstrap" | "randomisation", "samples": int, "seed": int, "confidence": float,
              "interval_samples": int},
     "metrics": [{"name": str, "higher_is_better": bool | null, "signature": str, "reads": "text" | "tokens"}],
     "scores": SCORES,
     "breakdowns": [{"by": str, "left_out": int, "groups": [{"label": str, **SCORES}]}]}

SCORES is `{"sentences": int, "systems": [{"name": str, "scores": {METRIC: SCORE}}]}`, and SCORE is
`{"value": float, "interval": [low, high], "gain": float, "gain_interval": [low, high], "p": float}`. Later versions may
add keys; a version with another number changes the meaning of these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from lattice_simp.evaluate.comparison import Comparison, Measurements
from lattice_simp.evaluate.groups import Groups
from lattice_simp.evaluate.table import Table, as_latex, as_markdown, as_text
from lattice_simp.evaluate.tables import group_table, score_table


class ResultFormat(str, Enum):
    """How results are written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    JSON = "json"


_RENDERERS = {ResultFormat.TEXT: as_text, ResultFormat.MARKDOWN: as_markdown, ResultFormat.LATEX: as_latex}

FORMAT = "lattice_simp evaluation"
VERSION = 1


@dataclass(frozen=True)
class Breakdown:
    """The comparisons of each group."""

    groups: Groups
    comparisons: Mapping[str, Comparison]


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
    """Writes all tables, or the JSON document."""
    if format is ResultFormat.JSON:
        document = report(measured, comparison, breakdowns, command)
        return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return "\n".join(map(_RENDERERS[format], result_tables(measured, comparison, breakdowns)))


def report(
    measured: Measurements, comparison: Comparison, breakdowns: Sequence[Breakdown] = (), command: Sequence[str] = ()
) -> dict[str, Any]:
    """Returns the document that the module describes."""
    from lattice_simp import __version__  # the package itself imports its rooms

    test = comparison.test
    return {
        "format": FORMAT,
        "version": VERSION,
        "program": f"lattice_simp {__version__}",
        "command": list(command),
        "baseline": comparison.baseline,
        "test": {
            "kind": test.kind.value,
            "samples": test.trials,
            "seed": test.seed,
            "confidence": test.confidence,
            "interval_samples": test.bootstrap_samples,
        },
        "metrics": [
            {name: getattr(metric, name) for name in ("name", "higher_is_better", "signature")} | {"reads": form.value}
            for metric, form in zip(measured.metrics, measured.forms, strict=True)
        ],
        "scores": _scores(comparison),
        "breakdowns": [
            {
                "by": breakdown.groups.name,
                "left_out": breakdown.groups.left_out,
                "groups": [{"label": label, **_scores(one)} for label, one in breakdown.comparisons.items()],
            }
            for breakdown in breakdowns
        ],
    }


def _scores(comparison: Comparison) -> dict[str, Any]:
    systems = [
        {"name": name, "scores": {metric: asdict(score) for metric, score in scores.items()}}
        for name, scores in comparison.scores.items()
    ]
    return {"sentences": comparison.sentences, "systems": systems}

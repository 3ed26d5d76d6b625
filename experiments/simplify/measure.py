"""The stage that measures a test set; its result is the JSON document of `lattice-simp evaluate`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from experiments.simplify import data
from experiments.simplify.data import TestSet, read_normalised
from lattice_simp import metrics
from lattice_simp.metrics import METRICS, MetricOptions, SignificanceTest, compare, measure
from lattice_simp.metrics.report import report
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.support.tables import grammar_path

SCORES = "scores.json"


def measured_stage(test_set: TestSet, samples: int) -> Stage:
    """Returns the stage that scores a set; it runs again when an output, a metric or a table of metrics has changed.

    Args:
        test_set: the outputs, references and metrics.
        samples: the number of samples of the bootstrap.
    """
    programs = [Path(data.__file__), Path(__file__), *sorted(Path(metrics.__file__).parent.glob("*.py"))]
    tables = [grammar_path(f"english/{name}.tsv") for name in ("abbreviations", "syllables")]
    settings = [list(test_set.outputs), test_set.baseline, test_set.metrics, samples]
    work = partial(_measure, test_set, samples)
    return Stage(f"measured-{test_set.name}", (), settings, [*test_set.files, *programs, *tables], work)


def _measure(test_set: TestSet, samples: int, run: Run, folder: Path) -> dict[str, Any]:
    source = read_normalised(test_set.source)
    references = [read_normalised(path, source.count) for path in test_set.references]
    outputs = {name: read_normalised(path, source.count) for name, path in test_set.outputs.items()}
    options = MetricOptions(len(references), "en")
    measured = measure(outputs, references, [METRICS[name](options) for name in test_set.metrics], source)
    comparison = compare(measured, test_set.baseline, SignificanceTest(samples=samples))
    write_json(folder / SCORES, report(measured, comparison))
    return {"sentences": source.count, "systems": len(outputs)}


def read_scores(folder: Path) -> dict[str, Any]:
    """Returns the document of the stage."""
    return read_json(folder / SCORES)

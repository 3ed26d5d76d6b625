"""The metrics to tune on by name: a new one is a file with a `TunedMetric`, and a line in `TUNED_METRICS`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from lattice_simp.errors import LatticeSimpError
from lattice_simp.tune.corpus_bleu import BLEU
from lattice_simp.tune.corpus_sari import SARI
from lattice_simp.tune.metric import TunedMetric

TUNED_METRICS: Mapping[str, TunedMetric] = {"bleu": BLEU, "sari": SARI}
"""By the names of `lattice-simp tune --metric`."""

if TYPE_CHECKING:
    TunedName = str
else:
    TunedName = Literal[tuple(TUNED_METRICS)]


def tuned_metric(metric: str | TunedMetric) -> TunedMetric:
    """Returns a metric by its name; one of a caller's own as it is.

    >>> tuned_metric("sari").name
    'SARI'

    Raises:
        LatticeSimpError: no metric has the name.
    """
    if isinstance(metric, TunedMetric):
        return metric
    if metric not in TUNED_METRICS:
        raise LatticeSimpError(f"tuning knows no metric {metric!r}; choose from {', '.join(TUNED_METRICS)}")
    return TUNED_METRICS[metric]

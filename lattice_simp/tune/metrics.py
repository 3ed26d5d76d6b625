"""The metrics to tune on by name; to add one, add a `TunedMetric` and a line in `TUNED_METRICS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy.typing as npt

from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.bleu import References, brevity_penalty, corpus_bleu
from lattice_simp.scores.sari import SariReferences, corpus_sari
from lattice_simp.tune.metric import TunedMetric


def _sari_references(references: Sequence[npt.ArrayLike], source: npt.ArrayLike | None) -> SariReferences:
    if source is None:
        raise LatticeSimpError("SARI needs the source of each sentence")
    return SariReferences.of(references, source)


BLEU = TunedMetric("BLEU", lambda references, source: References.of(references), corpus_bleu, brevity_penalty)
"""Corpus BLEU on tokens, without smoothing."""

SARI = TunedMetric("SARI", _sari_references, corpus_sari, needs_source=True)
"""SARI on sums over the corpus; `sari-corpus` and `sari-legacy` on lower-cased tokens, without their tokenisation."""

TUNED_METRICS: Mapping[str, TunedMetric] = {"bleu": BLEU, "sari": SARI}
"""By the names of `lattice-simp tune --metric`."""

if TYPE_CHECKING:
    TunedName = str
else:
    TunedName = Literal[tuple(TUNED_METRICS)]


def tuned_metric(metric: str | TunedMetric) -> TunedMetric:
    """Returns the metric of that name; a metric object is returned unchanged.

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

"""The metrics to tune on by name; to add one, add a `TunedMetric` and a line in `TUNED_METRICS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy.typing as npt

from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.bleu import References, brevity_penalty, corpus_bleu
from lattice_simp.scores.chrf import ChrfReferences, corpus_chrf
from lattice_simp.scores.sari import SariReferences, corpus_sari
from lattice_simp.scores.wer import WerReferences, word_accuracy
from lattice_simp.tune.metric import TunedMetric
from lattice_simp.tune.ter import TerReferences


def _sari_references(
    references: Sequence[npt.ArrayLike], source: npt.ArrayLike | None, symbols: SymbolTable
) -> SariReferences:
    if source is None:
        raise LatticeSimpError("SARI needs the source of each sentence")
    return SariReferences.of(references, source)


BLEU = TunedMetric("BLEU", lambda references, *_: References.of(references), corpus_bleu, brevity_penalty)
"""Corpus BLEU on tokens, without smoothing."""

SARI = TunedMetric("SARI", _sari_references, corpus_sari, needs_source=True)
"""SARI on sums over the corpus; `sari-corpus` and `sari-legacy` on lower-cased tokens, without their tokenisation."""

CHRF = TunedMetric(
    "chrF2", lambda references, _, symbols: ChrfReferences.of(references, symbols), corpus_chrf, needs_words=True
)
"""chrF2 as in sacrebleu, which ignores blanks."""

TER = TunedMetric(
    "TER",
    lambda references, _, symbols: TerReferences.of(references, symbols),
    word_accuracy,
    needs_words=True,
    is_error_rate=True,
)
"""The translation edit rate on tokens as in sacrebleu, which ignores case."""

WER = TunedMetric("WER", lambda references, *_: WerReferences.of(references), word_accuracy, is_error_rate=True)
"""The word error rate against the nearest reference."""

TUNED_METRICS: Mapping[str, TunedMetric] = {"bleu": BLEU, "chrf": CHRF, "ter": TER, "wer": WER, "sari": SARI}
"""The metrics by their names in `lattice-simp tune --metric`."""

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
        raise LatticeSimpError(f"tuning has no metric {metric!r}; choose from {', '.join(TUNED_METRICS)}")
    return TUNED_METRICS[metric]

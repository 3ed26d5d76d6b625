"""The metrics by name: a new one is a file with a function that makes a `Metric`, and a line in `METRICS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lattice_simp.errors import LatticeSimpError
from lattice_simp.evaluate.length import length_ratio
from lattice_simp.evaluate.meteor import meteor
from lattice_simp.evaluate.meteor_jar import JarOptions
from lattice_simp.evaluate.metric import Metric
from lattice_simp.evaluate.sacrebleu_metrics import bleu_13a, bleu_tok, chrf, ter


@dataclass(frozen=True)
class MetricOptions:
    """What the metrics may be told; each takes what concerns it.

    Attributes:
        references: how many there are.
        language: an ISO code.
        lowercase: whether BLEU-13a and chrF ignore case.
        paraphrases: METEOR's table for the language.
        jar: of METEOR's Java process.
    """

    references: int = 1
    language: str | None = None
    lowercase: bool = False
    paraphrases: Path | None = None
    jar: JarOptions = field(default_factory=JarOptions)


def _meteor(given: MetricOptions) -> Metric:
    if given.language is None:
        raise LatticeSimpError("METEOR needs --language, which its parameters belong to; 'other' fits any language")
    return meteor(given.language, given.references, paraphrases=given.paraphrases, options=given.jar)


METRICS: Mapping[str, Callable[[MetricOptions], Metric]] = {
    "bleu-tok": lambda given: bleu_tok(given.references),
    "bleu-13a": lambda given: bleu_13a(given.references, lowercase=given.lowercase),
    "chrf": lambda given: chrf(given.references, lowercase=given.lowercase),
    "ter": lambda given: ter(given.references),
    "meteor": _meteor,
    "length": lambda given: length_ratio(given.references),
}
"""By the names of `lattice-simp evaluate --metrics`."""

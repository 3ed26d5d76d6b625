"""The metrics by name: a new one is a file with a function that makes a `Metric`, and a line in `METRICS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lattice_simp.errors import LatticeSimpError
from lattice_simp.evaluate.edits import edits_reference, edits_source, identical, unchanged
from lattice_simp.evaluate.fkgl import fkgl
from lattice_simp.evaluate.length import length_ratio
from lattice_simp.evaluate.meteor import meteor
from lattice_simp.evaluate.meteor_jar import JarOptions
from lattice_simp.evaluate.metric import Metric
from lattice_simp.evaluate.sacrebleu_metrics import bleu_13a, bleu_tok, chrf, ter
from lattice_simp.evaluate.sari import ADD, DELETE, KEEP, sari, sari_corpus
from lattice_simp.evaluate.sentences import sentences, split


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
    "sari": lambda given: sari(given.references),
    "sari-keep": lambda given: sari(given.references, KEEP),
    "sari-delete": lambda given: sari(given.references, DELETE),
    "sari-add": lambda given: sari(given.references, ADD),
    "sari-corpus": lambda given: sari_corpus(given.references),
    "sari-corpus-keep": lambda given: sari_corpus(given.references, KEEP),
    "sari-corpus-delete": lambda given: sari_corpus(given.references, DELETE),
    "sari-corpus-add": lambda given: sari_corpus(given.references, ADD),
    "sari-legacy": lambda given: sari_corpus(given.references, tokenise_source=False),
    "fkgl": lambda given: fkgl(),
    "edits-source": lambda given: edits_source(),
    "unchanged": lambda given: unchanged(),
    "edits-reference": lambda given: edits_reference(given.references),
    "identical": lambda given: identical(given.references),
    "split": lambda given: split(),
    "sentences": lambda given: sentences(),
}
"""By the names of `lattice-simp evaluate --metrics`."""

"""The metrics by name; to add one, add a file with a function that makes a `Metric`, and a line in `METRICS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.edits import edits_reference, edits_source, identical, unchanged
from lattice_simp.metrics.fkgl import fkgl
from lattice_simp.metrics.length import length_ratio
from lattice_simp.metrics.meteor import OTHER, meteor
from lattice_simp.metrics.meteor_jar import JarOptions
from lattice_simp.metrics.metric import Metric
from lattice_simp.metrics.sacrebleu_metrics import bleu, bleu_13a, bleu_tok, chrf, ter
from lattice_simp.metrics.sari import sari, sari_corpus
from lattice_simp.metrics.sentences import sentences, split
from lattice_simp.metrics.wer import wer
from lattice_simp.scores.sari import ADD, DELETE, KEEP
from lattice_simp.text.sacrebleu_tokenisers import ASIAN, PIECES, choose_tokeniser, is_unspaced_language, language_code


@dataclass(frozen=True)
class MetricOptions:
    """The settings of all metrics; each reads those that it needs.

    Attributes:
        num_references: the number of references.
        language: an ISO code.
        tokeniser: the tokeniser of text, one of `text.sacrebleu_tokenisers.TOKENISERS`; None for the language's own.
        lowercase: whether BLEU on text and chrF ignore case.
        paraphrases: METEOR's table for the language.
        jar: the options of METEOR's Java process.
    """

    num_references: int = 1
    language: str | None = None
    tokeniser: str | None = None
    lowercase: bool = False
    paraphrases: Path | None = None
    jar: JarOptions = field(default_factory=JarOptions)

    @property
    def tokens(self) -> str:
        """The tokeniser's name."""
        return self.tokeniser or choose_tokeniser(self.language).name


def _meteor(options: MetricOptions) -> Metric:
    if options.language is None:
        raise LatticeSimpError("METEOR needs --language to choose its parameters; 'other' fits any language")
    language = OTHER if is_unspaced_language(options.language) else options.language
    return meteor(language, options.num_references, paraphrases=options.paraphrases, options=options.jar)


def _ter(options: MetricOptions) -> Metric:
    if language_code(options.language) in ("zh", "ja") or options.tokens in ASIAN:
        return ter(options.num_references, asian=True)
    return ter(options.num_references, tokens=options.tokens in ("char", *PIECES))


def _sari_corpus(operation: str | None = None, *, legacy: bool = False) -> Callable[[MetricOptions], Metric]:
    return lambda options: sari_corpus(
        options.num_references, operation, tokenise_source=not legacy, tokens=options.tokens
    )


METRICS: Mapping[str, Callable[[MetricOptions], Metric]] = {
    "bleu-tok": lambda options: bleu_tok(options.num_references),
    "bleu-text": lambda options: bleu(options.num_references, tokeniser=options.tokens, lowercase=options.lowercase),
    "bleu-13a": lambda options: bleu_13a(options.num_references, lowercase=options.lowercase),
    "chrf": lambda options: chrf(options.num_references, lowercase=options.lowercase),
    "ter": _ter,
    "wer": lambda options: wer(options.num_references),
    "meteor": _meteor,
    "length": lambda options: length_ratio(options.num_references),
    "sari": lambda options: sari(options.num_references),
    "sari-keep": lambda options: sari(options.num_references, KEEP),
    "sari-delete": lambda options: sari(options.num_references, DELETE),
    "sari-add": lambda options: sari(options.num_references, ADD),
    "sari-corpus": _sari_corpus(),
    "sari-corpus-keep": _sari_corpus(KEEP),
    "sari-corpus-delete": _sari_corpus(DELETE),
    "sari-corpus-add": _sari_corpus(ADD),
    "sari-legacy": _sari_corpus(legacy=True),
    "fkgl": lambda options: fkgl(),
    "edits-source": lambda options: edits_source(),
    "unchanged": lambda options: unchanged(),
    "edits-reference": lambda options: edits_reference(options.num_references),
    "identical": lambda options: identical(options.num_references),
    "split": lambda options: split(),
    "sentences": lambda options: sentences(),
}
"""The metrics by their names in `lattice-simp evaluate --metrics`."""

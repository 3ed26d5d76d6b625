"""Evaluation: metrics as statistics that add up, significance tests, breakdowns, tables and plots."""

from __future__ import annotations

from lattice_simp.metrics.closest import closest_references
from lattice_simp.metrics.comparison import Comparison, Measurements, Score, compare, compare_groups, measure
from lattice_simp.metrics.edits import edits_reference, edits_source, identical, unchanged
from lattice_simp.metrics.fkgl import fkgl
from lattice_simp.metrics.groups import (
    Groups,
    align_skeletons,
    gap_count_groups,
    gap_type_groups,
    length_groups,
    read_groups,
)
from lattice_simp.metrics.krippendorff import krippendorff_alpha
from lattice_simp.metrics.length import length_ratio
from lattice_simp.metrics.meteor import meteor
from lattice_simp.metrics.meteor_jar import JarOptions
from lattice_simp.metrics.metric import Form, Lines, Metric
from lattice_simp.metrics.metrics import METRICS, MetricOptions
from lattice_simp.metrics.sacrebleu_metrics import bleu, bleu_13a, bleu_tok, chrf, ter
from lattice_simp.metrics.sari import sari, sari_corpus
from lattice_simp.metrics.sentences import count_sentences, sentences, split
from lattice_simp.metrics.significance import SignificanceTest, TestKind, holm
from lattice_simp.metrics.wer import wer
from lattice_simp.text.sacrebleu_tokenisers import TOKENISERS, choose_tokeniser, tokeniser

__all__ = [
    "METRICS",
    "TOKENISERS",
    "Comparison",
    "Form",
    "Groups",
    "JarOptions",
    "Lines",
    "Measurements",
    "Metric",
    "MetricOptions",
    "Score",
    "SignificanceTest",
    "TestKind",
    "align_skeletons",
    "bleu",
    "bleu_13a",
    "bleu_tok",
    "choose_tokeniser",
    "chrf",
    "closest_references",
    "compare",
    "compare_groups",
    "count_sentences",
    "edits_reference",
    "edits_source",
    "fkgl",
    "gap_count_groups",
    "gap_type_groups",
    "holm",
    "identical",
    "krippendorff_alpha",
    "length_groups",
    "length_ratio",
    "measure",
    "meteor",
    "read_groups",
    "sari",
    "sari_corpus",
    "sentences",
    "split",
    "ter",
    "tokeniser",
    "unchanged",
    "wer",
]

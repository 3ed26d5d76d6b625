"""Evaluation: metrics as statistics that add up, significance tests, break-downs, tables and plots."""

from __future__ import annotations

from lattice_simp.evaluate.closest import closest_references
from lattice_simp.evaluate.comparison import Comparison, Measurements, Score, compare, compare_groups, measure
from lattice_simp.evaluate.edits import edits_reference, edits_source, identical, unchanged
from lattice_simp.evaluate.fkgl import fkgl
from lattice_simp.evaluate.groups import (
    Groups,
    align_skeletons,
    gap_count_groups,
    gap_type_groups,
    length_groups,
    read_groups,
)
from lattice_simp.evaluate.length import length_ratio
from lattice_simp.evaluate.meteor import meteor
from lattice_simp.evaluate.meteor_jar import JarOptions
from lattice_simp.evaluate.metric import Form, Lines, Metric
from lattice_simp.evaluate.metrics import METRICS, MetricOptions
from lattice_simp.evaluate.sacrebleu_metrics import bleu, bleu_13a, bleu_tok, chrf, ter
from lattice_simp.evaluate.sari import sari, sari_corpus
from lattice_simp.evaluate.sentences import count_sentences, sentences, split
from lattice_simp.evaluate.significance import SignificanceTest, TestKind, holm
from lattice_simp.support.tokenisers import TOKENISERS, choose_tokeniser, tokeniser

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
]

"""Automatic skeletons: by rules on dependency trees, a trained tagger, global optimisation, or all of these."""

from __future__ import annotations

from lattice_simp.skeleton.automatic.agreement import Agreement, agreement, compare_records, token_f1
from lattice_simp.skeleton.automatic.dependency import dependency_skeletons
from lattice_simp.skeleton.automatic.diverse import WeightedSkeleton, diverse_skeletons
from lattice_simp.skeleton.automatic.methods import METHODS, Method, Request
from lattice_simp.skeleton.automatic.optimal import OptimalSettings, optimal_skeletons
from lattice_simp.skeleton.automatic.tagger import DeletionTagger, TaggerSettings
from lattice_simp.skeleton.io import align_pairs, read_pairs
from lattice_simp.text.english.parse import Parse, read_parses, write_parses
from lattice_simp.text.english.punctuation import place_punctuation
from lattice_simp.text.english.spacy_parser import parse_sentences, parser_name

__all__ = [
    "METHODS",
    "Agreement",
    "DeletionTagger",
    "Method",
    "OptimalSettings",
    "Parse",
    "Request",
    "TaggerSettings",
    "WeightedSkeleton",
    "agreement",
    "align_pairs",
    "compare_records",
    "dependency_skeletons",
    "diverse_skeletons",
    "optimal_skeletons",
    "parse_sentences",
    "parser_name",
    "place_punctuation",
    "read_pairs",
    "read_parses",
    "token_f1",
    "write_parses",
]

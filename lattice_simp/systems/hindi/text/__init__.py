"""Analyses plain Hindi text: tokens, parts of speech, chunks, morphology."""

from lattice_simp.systems.hindi.text.analyser import Analyser, AnalyserSettings
from lattice_simp.text.hindi.sentences import tokenised_sentences

__all__ = ["Analyser", "AnalyserSettings", "tokenised_sentences"]

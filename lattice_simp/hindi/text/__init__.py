"""Plain Hindi text in, analysed sentences out: tokens, parts of speech, chunks, morphology."""

from lattice_simp.hindi.text.analyser import Analyser
from lattice_simp.hindi.text.crf import CrfSettings
from lattice_simp.hindi.text.sentences import tokenised_sentences

__all__ = ["Analyser", "CrfSettings", "tokenised_sentences"]

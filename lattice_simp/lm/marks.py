"""Words of a lattice that stand for no word of the sentence."""

from __future__ import annotations

from lattice_simp.lm.binary import END, START

MARKS: tuple[str, ...] = (START, END, "!NULL", "!SENT_START", "!SENT_END", "<sil>", "!SIL", "[noise]")
"""Sentence ends, silence and noise, as HTK, SRILM and Kaldi write them: a language model's strings are without them.

A model knows where a sentence begins and ends by itself; scored as words, these marks would cost as unknown words do.
"""

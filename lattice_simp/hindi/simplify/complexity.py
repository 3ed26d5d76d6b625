"""Which sentences are complex (Mishra et al. 2014, section 3, table 1)."""

from __future__ import annotations

from lattice_simp.hindi.sentence import Sentence

MAX_SIMPLE_LENGTH = 5
"""Sentences of up to so many words are simple, whatever they hold."""

PUNCTUATION, CONJUNCTION = "SYM", "CC"
"""Tags of tokens."""


def is_complex(sentence: Sentence) -> bool:
    """Whether a sentence has more than five words, and more than one verb group or a conjunction.

    Punctuation and elided words do not count.

    >>> from lattice_simp.hindi.simplify.cases import parse_sentence
    >>> is_complex(parse_sentence("raam/NNP | khaanaa/NN | khaakar/VM:VGNF | ghar/NN | soyaa/VM"))
    False
    >>> is_complex(parse_sentence("raam/NNP ne/PSP | khaanaa/NN | khaakar/VM:VGNF | paanii/NN | piyaa/VM"))
    True
    """
    words = [token for token in sentence.tokens if token.tag != PUNCTUATION and not token.is_empty]
    verbs = sum(chunk.is_verbal and not chunk.is_empty for chunk in sentence.chunks)
    conjunctions = sum(token.tag == CONJUNCTION for token in words)
    return len(words) > MAX_SIMPLE_LENGTH and (verbs > 1 or conjunctions > 0)

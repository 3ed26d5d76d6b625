"""Which sentences are complex (Mishra et al. 2014, section 3, table 1)."""

from __future__ import annotations

from lattice_simp.hindi.sentence import Sentence

MAX_SIMPLE_LENGTH = 5
"""Sentences of up to so many words are simple, whatever they hold."""

PUNCTUATION, CONJUNCTION = "SYM", "CC"
VERBS = ("VM", "VAUX")
"""Tags of tokens; those of main verbs and auxiliaries."""


def is_complex(sentence: Sentence) -> bool:
    """Whether a sentence has more than five words, and more than one verb group or a conjunction.

    Punctuation and elided words do not count.

    >>> from lattice_simp.hindi.sentence import Chunk, Token
    >>> tokens = tuple(map(Token, "raam ne khaanaa khaakar paanii piyaa".split(), "NNP PSP NN VM NN VM".split()))
    >>> chunks = [Chunk("NP", 0, 2), Chunk("NP", 2, 3), Chunk("VGNF", 3, 4), Chunk("NP", 4, 5), Chunk("VGF", 5, 6)]
    >>> is_complex(Sentence(tokens, tuple(chunks))), is_complex(Sentence(tokens[:4], tuple(chunks[:3])))
    (True, False)
    """
    words = [token for token in sentence.tokens if token.tag != PUNCTUATION and not token.is_empty]
    verbs = sum(chunk.is_verbal and not chunk.is_empty for chunk in sentence.chunks)
    conjunctions = sum(token.tag == CONJUNCTION for token in words)
    return len(words) > MAX_SIMPLE_LENGTH and (verbs > 1 or conjunctions > 0)

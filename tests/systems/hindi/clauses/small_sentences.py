"""Constructed Hindi sentences in Latin letters, with their clauses."""

from __future__ import annotations

import numpy as np

from lattice_simp.systems.hindi.clause import Clause, ClauseType
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

_TAGS = {"VGF": "VM", "VGNF": "VM", "CCP": "CC", "BLK": "SYM"}


def sentence_of(parts):
    """Makes a sentence of (chunk tag, words)."""
    tokens, chunks = [], []
    for tag, words in parts:
        start = len(tokens)
        tokens += [Token(word, "PSP" if word == "ne" else _TAGS.get(tag, "NN")) for word in words.split()]
        chunks.append(Chunk(tag, start, len(tokens)))
    return Sentence(tuple(tokens), tuple(chunks))


def example(rng):
    """Makes a sentence with or without a participle, and with or without a complement."""
    nouns, verbs = ["raam", "siitaa", "mohan"], ["gayaa", "soyaa", "bolaa"]
    parts, clauses = [("NP", f"{rng.choice(nouns)} ne")], []
    if rng.random() < 0.5:
        clauses.append(Clause(2, 4, ClauseType.NON_FINITE))
        parts += [("NP", "khaanaa"), ("VGNF", "khaakar")]
    parts.append(("VGF", str(rng.choice(verbs))))
    if rng.random() < 0.5:
        size = sum(len(words.split()) for _, words in parts)
        clauses.append(Clause(size, size + 3, ClauseType.COMPLEMENT))
        parts += [("CCP", "ki"), ("NP", str(rng.choice(nouns))), ("VGF", str(rng.choice(verbs)))]
    sentence = sentence_of(parts)
    return sentence, [Clause(0, len(sentence), ClauseType.MAIN), *clauses]


def examples_of(seed, count):
    """Makes sentences with their clauses."""
    rng = np.random.default_rng(seed)
    return [example(rng) for _ in range(count)]

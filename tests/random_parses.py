"""Random parses, small enough for brute force."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lattice_simp.skeleton.automatic import Parse

LABELS = ["nsubj", "dobj", "det", "advmod", "prep", "relcl", "amod", "conj", "cc", "appos", "aux", "ccomp", "mark"]
WORDS = ["a", "b", "c", "d", "e"]


@pytest.fixture
def random_parse() -> Callable[..., Parse]:
    """Makes a parse of words and marks; heads are random, so many trees are non-projective."""

    def make(rng: np.random.Generator, length: int, marks: float = 0.25) -> Parse:
        tokens = [str(rng.choice(WORDS)) for _ in range(length)]
        for position in range(length):
            if rng.random() < marks and position != length // 2:
                tokens[position] = str(rng.choice([",", ",", "(", ")", '"', "."]))
        order = rng.permutation(length)
        # The root is a word.
        order = np.concatenate(([length // 2], order[order != length // 2]))
        heads = [-1] * length
        for number in range(1, length):
            heads[order[number]] = int(order[rng.integers(0, number)])
        labels = ["ROOT" if head < 0 else str(rng.choice(LABELS)) for head in heads]
        parts = [str(rng.choice(["VERB", "NOUN", "ADJ"])) for _ in range(length)]
        lemmas = ["say" if rng.random() < 0.3 else token for token in tokens]
        return Parse(tuple(tokens), tuple(heads), tuple(labels), tuple(parts), ("X",) * length, tuple(lemmas))

    return make


@pytest.fixture
def lawyer() -> Parse:
    """In court , she said that the lawyer , who lied , never won the old case . (as spaCy parses it)"""
    rows = [
        ("In", 4, "prep", "ADP", "IN", "in"),
        ("court", 0, "pobj", "NOUN", "NN", "court"),
        (",", 4, "punct", "PUNCT", ",", ","),
        ("she", 4, "nsubj", "PRON", "PRP", "she"),
        ("said", -1, "ROOT", "VERB", "VBD", "say"),
        ("that", 13, "mark", "SCONJ", "IN", "that"),
        ("the", 7, "det", "DET", "DT", "the"),
        ("lawyer", 13, "nsubj", "NOUN", "NN", "lawyer"),
        (",", 7, "punct", "PUNCT", ",", ","),
        ("who", 10, "nsubj", "PRON", "WP", "who"),
        ("lied", 7, "relcl", "VERB", "VBD", "lie"),
        (",", 7, "punct", "PUNCT", ",", ","),
        ("never", 13, "neg", "ADV", "RB", "never"),
        ("won", 4, "ccomp", "VERB", "VBD", "win"),
        ("the", 16, "det", "DET", "DT", "the"),
        ("old", 16, "amod", "ADJ", "JJ", "old"),
        ("case", 13, "dobj", "NOUN", "NN", "case"),
        (".", 4, "punct", "PUNCT", ".", "."),
    ]
    tokens, heads, labels, parts, tags, lemmas = zip(*rows, strict=True)
    # The adjective comes before its head.
    heads = tuple(16 if position in (14, 15) else head for position, head in enumerate(heads))
    return Parse(tokens, heads, labels, parts, tags, lemmas)

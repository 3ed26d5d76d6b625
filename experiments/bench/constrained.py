"""Constrained beam search with a list of skeletons, against the same search without a constraint."""

from __future__ import annotations

import lzma
from collections import Counter
from pathlib import Path

import numpy as np

from experiments.bench.figures import Figures, figure
from experiments.timing import cpu_time
from lattice_simp import TokenConstraint, constrained_beam_search, gappy_acceptor
from lattice_simp.core.kernel import Floats, Longs

PIECES, LENGTH, BEAM, MAX_TOKENS = 32_000, 5, 16, 40
SKELETONS = (1, 10, 30)


def measure(shared: Path) -> Figures:
    """Measures searches with a random model over pieces of German words; the model's time is not counted.

    Raises:
        AssertionError: the constraint rejects a text.
    """
    words = frequent_words(shared / "data" / "wmt" / "newstest2013.en-de.de.xz")
    tokens = [None, *pieces_of(words, PIECES)]
    table = np.random.default_rng(1).gumbel(size=(64, len(tokens)))
    table -= np.log(np.exp(table).sum(axis=1, keepdims=True))

    def step(prefixes: Longs) -> Floats:
        return table[prefixes.sum(axis=1) % len(table)]

    with cpu_time() as free:
        constrained_beam_search(step, beam=BEAM, max_tokens=MAX_TOKENS, eos=0)
    figures: Figures = {}
    for count in (0, *SKELETONS):  # the first round compiles
        rng = np.random.default_rng(count)
        skeletons = [
            (" ".join(rng.choice(words[100:400], size=LENGTH)), float(rng.random())) for _ in range(count or 1)
        ]
        with cpu_time() as ours:
            constraint = TokenConstraint.of(gappy_acceptor(skeletons), tokens, 0)
            texts = constrained_beam_search(step, constraint, beam=BEAM, max_tokens=MAX_TOKENS)
        if not texts or not all(np.isfinite(constraint.cost(text.tokens)) for text in texts):
            raise AssertionError("the constraint rejects a text of the search")
        if count:
            figures[f"constrained_search_{count}_skeletons"] = figure(ours.seconds, "CPU s", free.seconds)
    return figures


def frequent_words(path: Path) -> list[str]:
    """Returns the words of a text, the most frequent first."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        counts = Counter(word for line in file for word in line.split() if word.isalpha())
    return [word for word, _ in counts.most_common()]


def pieces_of(words: list[str], size: int) -> list[bytes]:
    """Returns the most frequent beginnings and parts of words, and all letters."""
    pieces = dict.fromkeys(f"{blank}{letter}" for word in words for letter in word for blank in ("", " "))
    for word in words:
        pieces.update(dict.fromkeys((f" {word}", f" {word[:5]}", word[5:], f" {word[:3]}", word[3:6])))
        if len(pieces) > size:
            break
    return [piece.encode() for piece in pieces if piece]

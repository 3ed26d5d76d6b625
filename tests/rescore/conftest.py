"""Small random linked corpora."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.rescore.vocabulary import Sentences

SOURCE_WORDS = [f"s{number}" for number in range(9)]
TARGET_WORDS = [f"t{number}" for number in range(11)]


def as_sentences(lines, width=0) -> Sentences:
    offsets = np.cumsum([0, *map(len, lines)]).astype(np.int64)
    flat = np.array([word for line in lines for word in line], dtype=np.int32)
    return Sentences(offsets, flat.reshape(-1, width) if width else flat)


@pytest.fixture(scope="session")
def linked_corpus():
    """Returns (source lines, target lines, links) of random sentences, some of them empty, and the same as parts."""

    def make(seed, count=60):
        rng = np.random.default_rng(seed)
        sources = [rng.choice(9, rng.integers(0, 7), p=SKEWED[9]).tolist() for _ in range(count)]
        targets = [rng.choice(11, rng.integers(0, 7), p=SKEWED[11]).tolist() for _ in range(count)]
        links = []
        for s, t in zip(sources, targets, strict=True):
            every = [(i, j) for j in range(len(t)) for i in range(len(s))]
            links.append([point for point in every if rng.random() < 0.3])
        halves = [slice(0, count // 3), slice(count // 3, count)]
        parts = [(as_sentences(sources[h]), as_sentences(targets[h]), as_sentences(links[h], 2)) for h in halves]
        return (sources, targets, links), parts

    return make


SKEWED = {size: (0.6 ** np.arange(size)) / (0.6 ** np.arange(size)).sum() for size in (9, 11)}

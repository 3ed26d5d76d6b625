"""A small random joint model, made without a training library, and a corpus whose targets are reversed sources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from lattice_simp.rescore.joint.model import JointModel, Widths, weight_shapes
from lattice_simp.rescore.joint.symbols import target_symbols
from lattice_simp.rescore.vocabulary import Sentences, Vocabulary

WIDTHS = Widths(source=6, target=4, hidden=8)
SOURCE = ("s0", "s1", "s2", "s3")
TARGET = ("a", "b", "c", "d", "e", "f", "g")


def random_model(seed: int) -> JointModel:
    """Returns a model that knows `SOURCE` and `TARGET`, in three classes, whose words e, f and g are rare."""
    rng = np.random.default_rng(seed)
    symbols = target_symbols(Vocabulary(TARGET), np.array([9, 8, 7, 6, 3, 2, 2]), np.array([0, 1, 1, 0, 1, 2, 2]), 4)
    shapes = weight_shapes(WIDTHS, len(SOURCE) + 2, symbols.size, len(symbols.class_begins) - 1)
    weights = {name: rng.normal(0.0, 0.5, shape).astype("f4") for name, shape in shapes.items()}
    return JointModel(Vocabulary(SOURCE), symbols, rng.random(32), weights)


@dataclass(frozen=True)
class TurnedCorpus:
    """Sentence pairs with links: a target is its reversed source, each word's number one higher."""

    source: Sentences
    target: Sentences
    linked: Sentences
    size: int

    @classmethod
    def random(cls, seed: int, pairs: int, size: int) -> TurnedCorpus:
        rng = np.random.default_rng(seed)
        sources = [rng.integers(0, size, rng.integers(1, 9)).tolist() for _ in range(pairs)]
        targets = [[(word + 1) % size for word in words[::-1]] for words in sources]
        links = np.array([(len(words) - 1 - place, place) for words in sources for place in range(len(words))], "i4")
        source = Sentences.of(sources)
        return cls(source, Sentences.of(targets), Sentences(source.offsets, links), size)

    def words(self, side):
        return [f"{side[0]}{number}" for number in range(self.size)]

    def sentences(self, side):
        return [getattr(self, side)]

    def links(self):
        return [self.linked]


@pytest.fixture(scope="session")
def corpus() -> TurnedCorpus:
    return TurnedCorpus.random(1, 1500, 25)

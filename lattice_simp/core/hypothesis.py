"""One hypothesis, wherever it comes from: an n-best list, a path of a lattice, a translation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lattice_simp.core.kernel import Ints
from lattice_simp.core.symbols import as_tokens

_NO_ARCS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Hypothesis:
    """A string of words with its cost and the parts that the cost is made of.

    >>> hypothesis = Hypothesis(("a", "cat"), 2.5, {"LM": -2.0})
    >>> hypothesis.text, hypothesis.score
    ('a cat', -2.5)

    Attributes:
        tokens: the words; a string is split at its blanks.
        cost: nats; lower is better.
        features: scores by name; higher is better. Of several values under one name in an n-best list each has a
            name of its own: `TM_0`, `TM_1`, ...
        arcs: (length,) int32, of a path: its arcs' numbers in the lattice it was found in (`nbest` says which).
        inputs: of a path: its input labels that are not epsilon, in order.
    """

    tokens: tuple[str, ...]
    cost: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict, hash=False)
    arcs: Ints = field(default_factory=lambda: _NO_ARCS, compare=False, repr=False)
    inputs: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.tokens, tuple):
            object.__setattr__(self, "tokens", as_tokens(self.tokens))

    @property
    def text(self) -> str:
        """The words, joined by blanks."""
        return " ".join(self.tokens)

    @property
    def score(self) -> float:
        """Minus the cost: what n-best lists call the total."""
        return 0.0 - self.cost

"""The growth of operations' time with the lattice: exponents of CPU time between 2,000 and 5,000,000 arcs.

Lattices get wider, not longer, like those of a sentence with a larger beam. The exponent is the slope of the line
through the logs of arcs and CPU seconds; 1 is linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lattice_simp as ls
from experiments.bench.figures import Figures, fastest, figure

ARCS = (2_000, 50_000, 500_000, 5_000_000)
"""The sizes of the lattices."""

SLOW = {"confusion_network": 50_000}
"""The largest lattices for operations that take minutes on larger ones."""

LENGTH, BRANCHES = 20, 5
"""The words of each string, and the arcs from a state."""

WORDS = 2_000
"""The number of distinct words."""

REPETITIONS = 2
"""The runs of each operation and size, of which the fastest counts."""


def measure(shared: Path) -> Figures:
    """Measures each operation at all sizes, after a first call that compiles it."""
    model = ls.LanguageModel.read(shared / "data" / "oracles" / "hiero-multi30k" / "lm4.arpa.gz")
    symbols = ls.SymbolTable([word for word in model.words if not word.startswith("<")][:WORDS])
    lattices = [wide_lattice(arcs, symbols) for arcs in ARCS]
    figures: Figures = {}
    for name, operation in operations(symbols, model).items():
        operation(lattices[0])
        measured = [lattice for lattice, arcs in zip(lattices, ARCS, strict=True) if arcs <= SLOW.get(name, arcs)]
        seconds = [fastest(REPETITIONS, operation, lattice)[1] for lattice in measured]
        sizes = [lattice.num_arcs for lattice in measured]
        figures[f"growth_{name}_exponent"] = figure(round(exponent(sizes, seconds), 2), "power of the arcs")
        figures[f"growth_{name}_s"] = figure(seconds[-1], f"CPU s for {sizes[-1]:,} arcs")
    return figures


def operations(symbols: ls.SymbolTable, model: ls.LanguageModel) -> Mapping[str, Callable[[ls.Lattice], Any]]:
    """Returns the operations by name; all use the whole lattice, except for a language model with a beam of 3 nats."""
    words = list(symbols.words)[1:]
    allowed = loop_of_words(symbols, words[: len(words) // 2])
    return {
        "nbest": lambda lattice: ls.nbest(lattice, 100),
        "prune": lambda lattice: ls.prune(lattice, 5.0),
        "compose": lambda lattice: ls.compose(lattice, allowed),
        "lm": lambda lattice: ls.apply_lm(lattice, {"LM": (model, 1.0)}, beam=3.0),
        "oracle": lambda lattice: ls.oracle(lattice, [words[:LENGTH]]),
        "confusion_network": ls.confusion_network,
    }


def loop_of_words(symbols: ls.SymbolTable, words: Sequence[str]) -> ls.Lattice:
    """Returns the acceptor of all strings of these words, with one state."""
    labels, zeros = symbols.encode(words), np.zeros(len(words), dtype=np.int64)
    return ls.Lattice.from_arcs(zeros, labels, np.zeros(len(words)), zeros, [0.0], symbols)


def wide_lattice(arcs: int, symbols: ls.SymbolTable) -> ls.Lattice:
    """Returns a lattice of layers of states, with arcs from each state to states of the next layer."""
    rng = np.random.default_rng(1)
    width = max(1, round(arcs / (BRANCHES * (LENGTH - 1) + 1)))
    inner = 1 + np.arange(width * (LENGTH - 1))
    sources = np.concatenate((np.zeros(width, dtype=np.int64), np.repeat(inner, BRANCHES)))
    goals = width * (1 + (np.repeat(inner, BRANCHES) - 1) // width) + 1 + rng.integers(0, width, len(inner) * BRANCHES)
    nextstates = np.minimum(np.concatenate((inner[:width], goals)), len(inner) + 1)
    labels, costs = rng.integers(1, len(symbols), len(sources)), rng.exponential(3.0, len(sources))
    finals = np.append(np.full(len(inner) + 1, np.inf), 0.0)
    return ls.Lattice.from_arcs(sources, labels, costs, nextstates, finals, symbols)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Returns the slope of the line through the logs.

    >>> round(exponent((10, 100), [1.0, 100.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])

"""Random feature lattices, all their paths, and the reference lattices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from tune_helpers import lattice_of_arcs

from lattice_simp import Lattice, SymbolTable, read

REMOVED = ("1", "2")


@pytest.fixture(scope="session")
def random_lattice():
    """Returns a function that makes a small lattice with epsilons, parallel arcs, dead ends and several finals."""

    def make(rng, *, states=6, features=3, words=4, whole=False, arcs_per_state=2.0):
        count = int(arcs_per_state * states) if states > 1 else 0
        sources = rng.integers(0, states - 1, count) if count else np.zeros(0, dtype=int)
        nextstates = np.array([rng.integers(source + 1, states) for source in sources], dtype=int)
        labels = rng.integers(0, words + 1, count)
        if count:  # at least one path
            sources[0], nextstates[0] = 0, states - 1

        def numbers(size):
            return rng.integers(-2, 3, size) if whole else rng.normal(size=size).astype(np.float32)

        final = rng.random(states) < 0.3
        final[-1] = True
        names = [f"f{number}" for number in range(features)]
        values, ends = numbers((count, features)), numbers((states, features))
        if whole and count:  # duplicates a path
            sources, nextstates = np.append(sources, sources[0]), np.append(nextstates, nextstates[0])
            labels, values = np.append(labels, labels[0]), np.vstack([values, values[0]])
        return lattice_of_arcs(sources, labels, nextstates, values, final, names, ends)

    return make


@pytest.fixture(scope="session")
def all_paths():
    """Returns a function from a lattice to the words and the summed features (float64) of each path."""

    def enumerate_paths(lattice: Lattice) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        pending = [((), np.zeros(len(lattice.features)), 0)] if lattice.num_states else []
        while pending:
            words, features, state = pending.pop()
            if np.isfinite(lattice.finals[state]):
                yield words, features + lattice.features.finals[:, state]
            for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
                word = int(lattice.olabels[arc])
                longer = (*words, word) if word else words
                pending.append((longer, features + lattice.features.arcs[:, arc], int(lattice.nextstates[arc])))

    return lambda lattice: list(enumerate_paths(lattice))


@dataclass(frozen=True)
class Oracle:
    """Twenty lattices, their references, and the start weights of the search."""

    folder: object
    lattices: list
    references: list
    start: np.ndarray

    def weights(self, name):
        return np.array((self.folder / name).read_text().replace(",", " ").split(), dtype=float)

    def named(self, weights):
        return dict(zip(self.lattices[0].features, weights.tolist(), strict=True))


@pytest.fixture(scope="session")
def oracle(shared):
    folder = shared / "data" / "oracles" / "lmert"
    names = [str(number) for number in range(1, 13)]
    symbols = SymbolTable()
    lattices = [
        read(folder / "lats" / f"{number}.txt.gz", "features", symbols, feature_names=names, removed=REMOVED)
        for number in range(1, 21)
    ]
    references = [[symbols.encode(line.split())] for line in (folder / "refs.txt").read_text().splitlines()]
    start = np.array((folder / "params.initial.txt").read_text().replace(",", " ").split(), dtype=float)
    return Oracle(folder, lattices, references, start)

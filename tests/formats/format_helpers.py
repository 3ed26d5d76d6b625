"""Random lattices, comparisons and broken bytes for the tests of the file formats."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lattice_simp import Lattice, SymbolTable
from lattice_simp.errors import LatticeSimpError

SHARED = Path(__file__).parents[2].parent / "shared"
COMPRESSIONS = ("", ".gz", ".bz2", ".xz", ".zst")
WORDS = (
    "a",
    "the",
    "cat",
    "it's",
    'quo"te',
    "back\\slash",
    "naïve",
    "語",
    "x=1",
    "#",
    "(",
    "|||",
    "5",
    "-1.5",
    "\u2028",
)

JSON_CASES = [json.loads(line) for line in Path(__file__).with_name("json_results.jsonl").open(encoding="utf-8")]
"""JSON results of many producers, and what is read of them."""

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"no shared development data at {SHARED}")


def random_lattice(
    seed: int,
    *,
    words: tuple[str, ...] = WORDS,
    transducer: bool = False,
    cyclic: bool = False,
    one_final: bool = False,
    columns: tuple[str, ...] = (),
    single_precision: bool = False,
) -> Lattice:
    """Returns a lattice of up to 12 states: epsilons, parallel arcs, dead ends and isolated states occur."""
    rng = np.random.default_rng(seed)
    num_states = int(rng.integers(1, 13))
    num_arcs = int(rng.integers(0, 30)) if num_states > 1 or cyclic else 0
    sources = rng.integers(0, num_states, num_arcs)
    nextstates = rng.integers(0, num_states, num_arcs)
    if not cyclic:
        sources = rng.integers(0, num_states - 1, num_arcs) if num_arcs else sources
        nextstates = np.array([rng.integers(source + 1, num_states) for source in sources], dtype=int)
    finals = np.where(rng.random(num_states) < 0.4, rng.normal(0, 5, num_states), np.inf)
    if one_final:
        finals[:] = np.inf
    finals[-1] = 0.0
    symbols = SymbolTable(words)
    labels = rng.integers(0, len(symbols), num_arcs)
    weights = rng.normal(0, 10, num_arcs) * 10.0 ** rng.integers(-8, 8, num_arcs)
    if single_precision:
        weights, finals = weights.astype(np.float32), finals.astype(np.float32)
    inputs = (rng.integers(0, len(symbols), num_arcs), symbols) if transducer else None
    features = {name: rng.normal(0, 10, num_arcs) for name in columns}
    return Lattice.from_arcs(sources, labels, weights, nextstates, finals, symbols, features=features, inputs=inputs)


def rounded(value: object) -> object:
    """Returns a value as JSON holds it; None for NaN."""
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    if isinstance(value, dict):
        return {name: rounded(score) for name, score in value.items()}
    return list(map(rounded, value)) if isinstance(value, tuple) else value


def assert_same(left: Lattice, right: Lattice) -> None:
    """Checks that states, arcs, their order, costs and columns (to the last bit), and words (not ids) are equal."""
    assert np.array_equal(left.offsets, right.offsets)
    assert np.array_equal(left.nextstates, right.nextstates)
    assert np.array_equal(left.weights, right.weights)
    assert np.array_equal(left.finals, right.finals)
    assert words_of(left, left.olabels, left.symbols) == words_of(right, right.olabels, right.symbols)
    left_input, right_input = left.isymbols or left.symbols, right.isymbols or right.symbols
    assert words_of(left, left.ilabels, left_input) == words_of(right, right.ilabels, right_input)
    assert set(left.features) == set(right.features)
    for name, column in left.features.items():
        assert np.array_equal(column, right.features[name]), name


def words_of(lattice: Lattice, labels: np.ndarray, symbols: SymbolTable) -> list[str]:
    assert len(labels) == lattice.num_arcs
    return [symbols[label] for label in labels.tolist()]


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """Damages bytes: changes, removes, doubles or cuts off some."""
    broken = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        if not broken:
            break
        index = int(rng.integers(0, len(broken)))
        kind = rng.integers(0, 6)
        if kind == 0:
            broken[index] = int(rng.integers(0, 256))
        elif kind == 1:
            broken[index] ^= 1 << int(rng.integers(0, 8))
        elif kind == 2:
            del broken[index : index + int(rng.integers(1, 9))]
        elif kind == 3:
            broken[index:index] = broken[index : index + int(rng.integers(1, 20))]
        elif kind == 4:
            broken[index : index + 8] = b"\xff" * 7 + bytes([rng.integers(0, 256)])
        elif rng.random() < 0.2:
            del broken[index:]
    return bytes(broken)


LEAST_ROUNDS = 21


def fuzz(data: bytes, read: Callable[[bytes], object], *, seconds: float = 1.0, seed: int = 0) -> None:
    """Checks that `read` raises only errors of the package, in at least `LEAST_ROUNDS` rounds on any machine."""
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    rounds = 0
    while rounds < LEAST_ROUNDS or (time.monotonic() < end and rounds < 5000):
        rounds += 1
        broken = mutate(data, rng)
        message = ""
        try:
            read(broken)
        except LatticeSimpError as error:
            message = str(error)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {broken!r}") from error
        assert "\n" not in message
        assert len(message) < 500


def fuzz_file(path: Path, data: bytes, read: Callable[[Path], object], *, seconds: float = 1.0) -> None:
    """Checks `read`, a reader of files, as `fuzz` does; the broken files are written to `path`."""

    def read_broken(broken: bytes) -> None:
        path.write_bytes(broken)
        read(path)

    fuzz(data, read_broken, seconds=seconds)

"""Many numbers as text, against Python's `repr` and `float`."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.support.number_texts import LEAST, LIMIT, float_texts, floats_of

EDGES = [
    *(0.0, -0.0, 5e-324, 1.7976931348623157e308, np.inf, -np.inf, np.nan, 1e22, 1e23, 0.1, 2.0**53, -1.0),
    *(np.nextafter(edge, towards) for edge in (LEAST, LIMIT) for towards in (0.0, edge, np.inf)),
]


def numbers(seed: int) -> np.ndarray:
    """Returns numbers of any bits, decimal numbers of all sizes, and edges."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    sizes = 10.0 ** rng.uniform(-8, 20, 20_000) * rng.choice([-1, 1], 20_000)
    return np.concatenate((bits, sizes, np.round(sizes, 3), np.float64(np.float32(sizes)), EDGES))


def test_texts_are_those_of_repr() -> None:
    for seed in range(3):
        values = numbers(seed)
        assert float_texts(values) == list(map(repr, values.tolist())), seed
        assert float_texts(values[::2], end="\n") == [f"{value!r}\n" for value in values[::2].tolist()], seed


def test_numbers_are_those_of_float() -> None:
    for seed in range(3):
        values = numbers(seed)
        values = values[np.isfinite(values)]
        fields = [repr(value).encode() for value in values.tolist()]
        assert floats_of(fields).tobytes() == values.tobytes(), seed


@pytest.mark.parametrize("field", ["1.", ".5", "+1", "01", "-0", "1e400", "9" * 30, "18446744073709551616", "1E+5"])
def test_forms_that_json_lacks(field: str) -> None:
    for fields in ([field], ["0.5", field], [field, "0.5"]):
        values = np.array([float(text) for text in fields])
        assert floats_of([text.encode() for text in fields]).tobytes() == values.tobytes()


def test_no_numbers() -> None:
    assert float_texts(np.zeros(0)) == []
    assert floats_of([]).tolist() == []
    for text in (b"x", b"--1", b"1e"):
        with pytest.raises(ValueError, match="could not convert"):
            floats_of([b"1", text])

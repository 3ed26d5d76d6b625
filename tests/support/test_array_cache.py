"""Files of arrays: what is written can be read."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.errors import FormatError
from lattice_simp.support.array_cache import read_arrays, write_arrays


def test_files_may_have_many_arrays(tmp_path):
    """The header, which names them, has no limit."""
    arrays = {f"array{number}": np.arange(number % 7) for number in range(1000)}
    write_arrays(tmp_path / "many.arrays", arrays)
    actual = read_arrays(tmp_path / "many.arrays")
    assert {name: array.tolist() for name, array in actual.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }


def test_damaged_headers_are_errors(tmp_path):
    path = tmp_path / "damaged.arrays"
    write_arrays(path, {"first": np.arange(9)})
    whole = path.read_bytes()
    for damaged in (b"", whole[:5], whole[:30], whole[:40].replace(b"arrays 1", b"arrays 0"), whole[:-1]):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match="no complete arrays"):
            read_arrays(path)


@pytest.mark.parametrize("array", [np.array(["word"]), np.array([1j]), np.array([None])])
def test_arrays_that_could_not_be_read_are_not_written(tmp_path, array):
    with pytest.raises(TypeError, match="words has the dtype"):
        write_arrays(tmp_path / "broken.arrays", {"words": array})
    assert not list(tmp_path.iterdir())


def test_no_bit_of_a_header_changes_the_arrays(tmp_path):
    """The description of the arrays has a checksum, too: a type with another sign has the same size."""
    path = tmp_path / "damaged.arrays"
    write_arrays(path, {"first": np.arange(9, dtype=np.int32), "second": np.ones((2, 3))})
    whole = path.read_bytes()
    expected = {name: (array.dtype, array.tolist()) for name, array in read_arrays(path).items()}
    for place in range(8 * whole.index(b"\n", whole.index(b"{"))):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            actual = read_arrays(path)
        except FormatError:
            continue
        assert {name: (array.dtype, array.tolist()) for name, array in actual.items()} == expected, place

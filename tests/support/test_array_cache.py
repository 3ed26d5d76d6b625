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

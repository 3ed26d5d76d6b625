"""Files whose lines belong together."""

from __future__ import annotations

import re

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.support.parallel import read_parallel


def test_files_of_different_lengths_are_named_with_their_lengths(tmp_path):
    for name, text in (("three", "a\nb\n\n"), ("one", "a\n"), ("none", "")):
        (tmp_path / name).write_text(text)
    three, one, none = (tmp_path / name for name in ("three", "one", "none"))
    assert read_parallel([three, three]) == [["a", "b", ""]] * 2
    message = f"{one}: has 1 line, but {three} has 3 lines (give one line for each sentence, in the same order)"
    with pytest.raises(FormatError, match=re.escape(message)):
        read_parallel([three, one])
    with pytest.raises(FormatError, match="none: the file is empty"):
        read_parallel([three, none])

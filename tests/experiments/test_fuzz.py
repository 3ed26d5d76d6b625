"""The undamaged files of the readers that `make fuzz` tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.fuzz.readers import readers


@pytest.mark.slow
def test_readers_accept_their_undamaged_files(tmp_path: Path) -> None:
    names = list[str]()
    for reader in readers(tmp_path):
        names.append(reader.name)
        for data in reader.files:
            path = tmp_path / f"copy{reader.suffix}"
            path.write_bytes(data)
            try:
                reader.read(path)
            except Exception as error:
                raise AssertionError(f"{reader.name}: {error}") from error
    assert {"att", "written kaldi-binary", "written mesh", "archive.tar", "word table", "OpenFst const"} <= set(names)

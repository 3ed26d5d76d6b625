"""Running eflomal: what it gives, and what is left of a run that failed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.pipeline.shards import shard_path, write_shard
from lattice_simp.train.alignment import eflomal
from lattice_simp.train.alignment.eflomal import run_eflomal

PAIRS = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book"), ("ein haus", "a house")] * 10


@pytest.fixture
def run(tmp_path):
    """Prepared and numbered shards."""
    columns = {
        side: pa.array([pair[at] for pair in PAIRS], pa.string()) for at, side in enumerate(("source", "target"))
    }
    write_shard(shard_path(tmp_path / "prepare", 0), columns)
    write_shard(shard_path(tmp_path / "number", 0), columns)
    (tmp_path / "align").mkdir()
    return SimpleNamespace(folders={name: tmp_path / name for name in ("prepare", "number")}, folder=tmp_path / "align")


def fake(monkeypatch, lines=None, error=None):
    """Puts an aligner in eflomal's place; gives the list of its runs."""
    runs = []

    class Aligner:
        def align(self, source, target, links_filename_fwd, links_filename_rev):
            runs.append((list(source), list(target)))
            if error:
                raise error
            for name in (links_filename_fwd, links_filename_rev):
                with open(name, "w", encoding="utf-8") as file:
                    file.writelines(f"{line}\n" for line in lines)

    monkeypatch.setattr(eflomal, "find_eflomal", lambda: Aligner)
    return runs


def test_the_real_one_aligns_what_is_plain(run):
    pytest.importorskip("eflomal")
    forward, backward = run_eflomal(run, run.folder)
    for offsets, links in (forward, backward):
        assert len(offsets) == len(PAIRS) + 1
        assert offsets[-1] == len(links)
        assert ((links == [0, 0]) | (links == [1, 1])).all(axis=1).mean() > 0.8


def test_links_are_read_and_a_second_run_reads_them_again(run, monkeypatch):
    runs = fake(monkeypatch, ["0-0 1-1", ""] * (len(PAIRS) // 2))
    for _ in range(2):
        (offsets, links), _ = run_eflomal(run, run.folder)
        assert offsets[:4].tolist() == [0, 2, 2, 4]
        assert links[:2].tolist() == [[0, 0], [1, 1]]
        assert links.dtype == np.int32
    assert len(runs) == 1
    assert runs[0][0][0] == "das haus"
    eflomal.forget_eflomal(run.folder)
    assert list(run.folder.iterdir()) == []


@pytest.mark.parametrize("lines", [["0-0"], []])
def test_too_few_links_are_an_error_and_not_kept(run, monkeypatch, lines):
    fake(monkeypatch, lines)
    with pytest.raises(LatticeSimpError, match="of 40 pairs"):
        run_eflomal(run, run.folder)
    assert list(run.folder.iterdir()) == []


def test_a_failure_is_one_error_and_leaves_nothing(run, monkeypatch):
    fake(monkeypatch, error=RuntimeError("killed"))
    with pytest.raises(LatticeSimpError, match="eflomal failed: killed"):
        run_eflomal(run, run.folder)
    assert list(run.folder.iterdir()) == []


def test_a_missing_library_is_told_before_any_work(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *rest, **named):
        if name == "eflomal":
            raise ImportError
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match="train"):
        eflomal.find_eflomal()

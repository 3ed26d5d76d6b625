"""Commands read and write confusion networks of other programs."""

from __future__ import annotations

import pytest

KALDI = "u-1 \n0\t1\t1\t1,0,\n0\t1\t2\t2,0,\n1\n\nu-2 \n0\t1\t2\t1,0,\n1\n\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lats.txt").write_text(KALDI)
    (tmp_path / "words.txt").write_text("<eps> 0\ncat 1\nhat 2\n")
    return tmp_path


def test_archives_become_sausages_and_these_are_archives(call, folder):
    symbols = ("--symbols", "words.txt")
    done = call("lattice", "confusion", "lats.txt", *symbols, "--output", "lats.sausages")
    assert done.returncode == 0, done.stderr
    written = (folder / "lats.sausages").read_text()
    assert written.splitlines()[1] == "u-2 [ 2 1.0 ]"
    assert written.startswith("u-1 [ 1 0.7310585786300")
    assert call("lattice", "nbest", "lats.sausages", *symbols).stdout == "u-1\t0.313262\tcat\nu-2\t0.000000\that\n"
    done = call("lattice", "nbest", "lats.sausages")
    assert (done.returncode, "pass --symbols words.txt" in done.stderr) == (2, True)
    done = call("lattice", "convert", "lats.sausages", "meshes/", *symbols, "--to", "mesh")
    assert done.returncode == 0, done.stderr
    assert (folder / "meshes" / "u-2.mesh").read_text() == "name u-2\nnumaligns 1\nposterior 1\nalign 0 hat 1.0\n"
    assert call("lattice", "nbest", "meshes").stdout == "u-1\t0.313262\tcat\nu-2\t0.000000\that\n"
    assert call("lattice", "nbest", "lats.sausages", *symbols, "--utterance", "u-2").stdout == "0.000000\that\n"


def test_other_lattices_are_reported_and_skipped(call, folder):
    (folder / "lats.txt").write_text(KALDI.replace("1,0,", "-1,0,", 1))
    done = call("lattice", "convert", "lats.txt", "x.sausages", "--symbols", "words.txt")
    assert done.returncode == 1
    assert (folder / "x.sausages").read_text().startswith("u-2 [ 2 0.36787944117")
    assert "u-1: x.sausages: a confusion network's costs are negative logs of probabilities" in done.stderr
    assert done.stderr.count("skipped") == 1

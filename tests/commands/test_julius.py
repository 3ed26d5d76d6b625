"""Word graphs and confusion networks of Julius on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lattice_simp as ls

TEXT = """sentence1: a
score1: -20.0
--- begin wordgraph data ---
0: [0..9] lscore_tmp=-1.0 wid=0 name="a" lname="a" f=0.0 AMavg=-2.0
--- end wordgraph data ---
---- begin confusion network ---
(a:0.700)  (b:0.300)
---- end confusion network ---
"""


def test_lattices_of_several_inputs(call: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.out"
    path.write_text(TEXT * 2, encoding="utf-8")
    done = call("lattice", "convert", path, tmp_path / "x.lats", "--from", "julius-graph")
    assert done.returncode == 0, done.stderr
    assert [name for name, _ in ls.read_all(tmp_path / "x.lats")] == ["0", "1"]
    done = call("lattice", "convert", path, f"{tmp_path}/folder/", "--from", "julius-cn")
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in (tmp_path / "folder").iterdir()) == ["0.fst", "1.fst"]
    assert call("lattice", "convert", tmp_path / "x.lats", tmp_path / "y", "--to", "julius-cn").returncode == 2
    path.write_text(TEXT, encoding="utf-8")
    done = call("lattice", "convert", path, "-", "--from", "julius-cn")
    assert (done.returncode, done.stdout.count("\n")) == (0, 3), done.stderr

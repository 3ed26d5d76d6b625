"""`lattice-simp lattice confidence`."""

from __future__ import annotations

import lattice_simp as ls
from lattice_simp.ops.word_confidences import probable_tokens

FULL = "0 ||| a b c ||| ||| -1\n0 ||| a c ||| ||| -1\n2 ||| d ||| ||| -1\n"


def test_probable_strings_other_hypotheses_and_skeletons(call, tmp_path):
    (tmp_path / "full").write_text(FULL, encoding="utf-8")
    (tmp_path / "skeleton").write_text("0 ||| a c ||| ||| -1\n2 ||| d ||| ||| -1\n", encoding="utf-8")
    done = call("lattice", "confidence", tmp_path / "full", "--skeleton", tmp_path / "skeleton")
    best = probable_tokens(ls.Lattice.from_nbest(ls.read_nbest(tmp_path / "full")[0]))
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[2] for row in rows] == [*best, "d"]
    assert rows[-1] == ["2", "0", "d", "1.000000", "1.000000"]
    (tmp_path / "text").write_text("a b\n\nx\n", encoding="utf-8")
    done = call("lattice", "confidence", tmp_path / "full", "--hypotheses", tmp_path / "text")
    assert done.stdout == "0\t0\ta\t1.000000\n0\t1\tb\t0.500000\n2\t0\tx\t0.000000\n"
    (tmp_path / "text").write_text("a b\n", encoding="utf-8")
    done = call("lattice", "confidence", tmp_path / "full", "--hypotheses", tmp_path / "text", "-o", tmp_path / "out")
    assert (done.returncode, "text: has 1 line, but" in done.stderr) == (2, True)
    (tmp_path / "text").write_text("a b\n\nx\ny\n", encoding="utf-8")
    done = call("lattice", "confidence", tmp_path / "full", "--hypotheses", tmp_path / "text", "-o", tmp_path / "out")
    assert (done.returncode, "full has 3 lattices (give one line" in done.stderr) == (2, True)
    assert not (tmp_path / "out").exists()

"""The lattice and skeleton commands."""

from __future__ import annotations

import pytest

from lattice_simp import Lattice, nshortest

NBEST = "0 ||| a x c ||| f= -1 ||| -2\n0 ||| b d ||| f= -2 ||| -1\n1 ||| e ||| f= -1 ||| -1\n"
SKELETON = "0 ||| a c ||| f= -1 ||| -0.5\n1 ||| q ||| f= -1 ||| -1\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "full.nbest").write_text(NBEST)
    (tmp_path / "skeleton.nbest").write_text(SKELETON)
    return tmp_path


def test_info_tells_size_and_best_path(program, files):
    program("lattice", "convert", "full.nbest", "full.fst", "--id", 0, cwd=files)
    lines = dict(line.split("\t") for line in program("lattice", "info", "full.fst", cwd=files).stdout.splitlines())
    assert lines["paths"] == "2"
    assert lines["best string"] == "b d"
    assert lines["acyclic"] == "yes"


@pytest.mark.parametrize("ending", ["fst", "txt", "slf", "plf", "fst.gz", "txt.xz", "slf.zst"])
def test_conversion_keeps_strings_and_costs(program, files, ending):
    program("lattice", "convert", "full.nbest", f"a.{ending}", "--id", 0, cwd=files)
    found = nshortest(Lattice.read(files / f"a.{ending}"), 5)
    assert [path.words for path in found] == ["b d", "a x c"]
    assert [path.cost for path in found] == pytest.approx([1.0, 2.0], abs=1e-6)


def test_composition_of_lists_counts_what_does_not_fit(program, files):
    done = program("lattice", "compose", "full.nbest", "skeleton.nbest", "--weight", 2, cwd=files)
    assert done.stdout.splitlines()[0].startswith("0 ||| a x c ||| ")
    assert done.stdout.splitlines()[0].endswith("||| -3")
    assert done.stdout.splitlines()[1:] == ["1 ||| e ||| f= -1 ||| -1"]
    assert "2 sentences, 1 without a common hypothesis" in done.stderr


def test_composition_with_edits_always_fits(program, files):
    done = program("lattice", "compose", "full.nbest", "skeleton.nbest", "--edits", cwd=files)
    assert "0 without a common hypothesis" in done.stderr


def test_a_language_model_from_the_command_line(program, files, model):
    (files / "a.txt").write_text("0 1 das 0\n0 1 die 0\n1 2 haus 0\n2\n")
    program("lattice", "lm", "a.txt", "--model", model / "lm.arpa", "--output", "b.fst", cwd=files)
    assert program("lattice", "nbest", "b.fst", "-n", 2, cwd=files).stdout.splitlines()[0].endswith("das haus")


def test_loops_are_arcs_of_a_written_acceptor(program, files):
    program("lattice", "gappy", "skeleton.nbest", "--id", 0, "--loops", "rho", "--output", "g.txt", cwd=files)
    assert (files / "g.txt").read_text().count("<rho>") == 3


@pytest.mark.parametrize("ending", ["svg", "dot"])
def test_drawings(program, files, ending):
    program("lattice", "convert", "full.nbest", "full.fst", "--id", 0, cwd=files)
    program("lattice", "draw", "full.fst", "--output", f"a.{ending}", cwd=files)
    assert "x" in (files / f"a.{ending}").read_text(encoding="utf-8")


def test_streams(program, files):
    done = program("lattice", "prune", "-", "--beam", 0, stdin="0 1 a 1\n0 1 b 2\n1\n")
    assert done.stdout.split() == ["0", "1", "a", "1.0", "1", "0.0"]


def test_skeleton_conversion_round_trip(program, files):
    (files / "a.txt").write_text("[[well ,]] the house [[there]] was built\n")
    program("skeleton", "convert", "a.txt", "b.jsonl", "--to", "jsonl", cwd=files)
    program("skeleton", "convert", "b.jsonl", "c.txt", "--to", "brackets", cwd=files)
    assert (files / "c.txt").read_text() == (files / "a.txt").read_text()
    assert program("skeleton", "convert", "b.jsonl", "-", "--to", "masks", cwd=files).stdout == "00110" + "11\n"
    assert "Mixed" in program("skeleton", "info", "b.jsonl", cwd=files).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lattice", "info", "/no/such/file"], "/no/such/file"),
        (["lattice", "draw", "full.fst", "--output", "a.png"], ".svg or .dot"),
        (["lattice", "gappy", "full.nbest", "--id", "7"], "holds no hypotheses of sentence 7"),
        (["lattice", "prune", "full.fst", "--beam", "-1"], "the beam is -1.0"),
        (["skeleton", "info", "full.nbest"], "full.nbest"),
    ],
)
def test_errors_are_one_line(program, files, arguments, message):
    program("lattice", "convert", "full.nbest", "full.fst", "--id", 0, cwd=files)
    done = program(*arguments, cwd=files, check=False)
    assert done.returncode == 2 or message == "full.nbest"
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert message in done.stderr
        assert done.stderr.count("\n") == 1

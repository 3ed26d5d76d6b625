"""--plf-scores of the lattice commands, and PLF without features."""

from __future__ import annotations

import pytest

LOGS = "((('a',-1.5,1),('b',-0.5,1),),)\n"
FEATURES = "((('a',{'weight':-1.5,'tm':-2.0},1),('b',{'weight':-0.5,'tm':-1.0},1),),)\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs.plf").write_text(LOGS)
    (tmp_path / "two.plf").write_text(LOGS + FEATURES)
    (tmp_path / "list.nbest").write_text("0 ||| a cat ||| ||| -800\n")
    return tmp_path


def test_logs_and_costs_are_read_and_written_alike(call, folder):
    assert call("lattice", "nbest", "logs.plf", "--plf-scores", "log").stdout == "0.500000\tb\n"
    done = call("lattice", "nbest", "logs.plf", "--plf-scores", "cost")
    assert done.stdout == "-1.500000\ta\n"
    done = call("lattice", "prune", "two.plf", "--plf-scores", "log", "--beam", "9", "--output", "out.plf")
    assert done.returncode == 0, done.stderr
    assert (folder / "out.plf").read_text() == LOGS + FEATURES
    done = call("lattice", "info", "logs.plf")
    assert (done.returncode, "--plf-scores log" in done.stderr) == (2, True)


def test_plf_of_other_formats_is_written_with_logs(call, folder):
    call("lattice", "convert", "logs.plf", "logs.fst", "--plf-scores", "log")
    for source, wanted in {"logs.fst": LOGS, "list.nbest": "((('a',0.0,1),),(('cat',-800.0,1),),)\n"}.items():
        done = call("lattice", "convert", source, "out.plf", "--plf-scores", "log")
        assert done.returncode == 0, done.stderr
        assert (folder / "out.plf").read_text() == wanted
    done = call("lattice", "convert", "list.nbest", "out.plf")
    assert (done.returncode, "--plf-scores log" in done.stderr) == (2, True)


def test_plf_without_features(call, folder):
    done = call("lattice", "convert", "two.plf", "plain.plf", "--plf-scores", "log", "--no-features")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "plain.plf").read_text() == LOGS + LOGS
    done = call("lattice", "convert", "logs.plf", "plain.fst", "--plf-scores", "log", "--no-features")
    assert (done.returncode, "unless the output is PLF" in done.stderr) == (2, True)


def test_lines_keep_their_numbers(call, folder):
    (folder / "in").mkdir()
    for name, text in {"1.txt": "0 1 a 800\n1\n", "2.txt": "0 0 a\n0\n", "3.txt": "0 1 c\n1\n"}.items():
        (folder / "in" / name).write_text(text)
    done = call("lattice", "convert", "in", "out.plf", "--plf-scores", "cost")
    assert (done.returncode, done.stderr.count("skipped")) == (1, 1)
    assert (folder / "out.plf").read_text() == "((('a',800.0,1),),)\n()\n((('c',0.0,1),),)\n"
    done = call("lattice", "nbest", "out.plf", "--plf-scores", "cost")
    assert done.stdout == "0\t800.000000\ta\n1\t0.000000\t\n2\t0.000000\tc\n"


def test_other_formats_refuse_the_option(call, folder):
    call("lattice", "convert", "logs.plf", "logs.fst", "--plf-scores", "log")
    for source in ("logs.fst", "list.nbest"):
        done = call("lattice", "info", source, "--plf-scores", "log")
        assert (done.returncode, f"{source}: is not PLF (leave --plf-scores out" in done.stderr) == (2, True), done

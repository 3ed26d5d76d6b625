"""The bench at toy sizes: the peers' results are the same, there is a figure for each peer, and errors are one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from experiments.bench import peer_lattices, peers
from experiments.bench.__main__ import main
from experiments.bench.figures import compared, installed
from experiments.timing import cpu_time
from lattice_simp.core.lattice import Lattice

WORDS = [f"word{number}" for number in range(50)]


@pytest.fixture
def lists(monkeypatch):
    monkeypatch.setattr(peers, "LISTS", 3)
    monkeypatch.setattr(peers, "LENGTH", 12)
    return peers.random_lists(WORDS)


@pytest.mark.slow  # sacrebleu's resampling
def test_lists(lists):
    pytest.importorskip("fastchrf")
    pytest.importorskip("unisson")
    figures = peers.measure_lists(lists)
    assert "peer_mbr_bleu_of_lists_vs_sacrebleu" in figures
    assert all(figure["value"] > 0 and figure["baseline"] > 0 for figure in figures.values())


def test_lattices(tmp_path, monkeypatch):
    pytest.importorskip("kaldifst")
    for name in ("ARCS", "SMALL_ARCS", "TEXT_ARCS"):
        monkeypatch.setattr(peer_lattices, name, 500)
    monkeypatch.setattr(peer_lattices, "REPEATS", 1)
    assert "peer_minimize_vs_kaldifst" in peer_lattices.measure(WORDS, tmp_path)


def test_files(lists, tmp_path, monkeypatch):
    monkeypatch.setattr(peer_lattices, "FILES", 5)
    figures = peer_lattices.files([Lattice.from_nbest(entries) for entries in lists], tmp_path)
    assert "peer_small_files_written_vs_pynini" in figures


def test_different_results():
    with pytest.raises(AssertionError, match="row: other results"):
        compared("row", lambda: [1.0], lambda: [2.0])


def test_a_missing_peer_is_reported(capsys):
    assert installed("no_such_peer") is None
    assert "no_such_peer is not installed" in capsys.readouterr().err


def test_the_time_of_child_processes_counts():
    with cpu_time() as timer:
        subprocess.run([sys.executable, "-c", "sum(range(4_000_000))"], check=True)
    assert timer.seconds > 0.03


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no.md: cannot be read"),
        (b"text", "no.md: no table of figures"),
        (b"first line\n\xfe", "no.md:2: bytes that are not UTF-8"),
    ],
)
def test_a_page_that_cannot_be_filled_is_refused_before_measuring(content, message, tmp_path, capsys):
    page = tmp_path / "no.md"
    if content is not None:
        page.write_bytes(content)
    assert main(["startup", "--shared", str(tmp_path), "--page", str(page)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_measurement_that_fails_is_one_line(tmp_path, capfd):
    """The folder is empty, without reference data."""
    assert main(["lm", "--shared", str(tmp_path), "--output", str(tmp_path / "bench.json")]) == 2
    assert capfd.readouterr().err.endswith("error: lm: the measurement failed; its error is above\n")

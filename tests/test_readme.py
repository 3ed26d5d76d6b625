"""Every example and command of the README runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from document import ROOT, Document, furnish

README = ROOT / "README.md"
DOCUMENT = Document(README.read_text(encoding="utf-8"))


def test_examples_and_commands(tmp_path, capfdbinary, monkeypatch):
    """One after the other: later commands read what earlier ones wrote."""
    assert DOCUMENT.python
    assert len(DOCUMENT.commands) >= 10
    furnish(tmp_path)
    DOCUMENT.run(tmp_path, capfdbinary, monkeypatch)


def test_links_lead_to_files():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", DOCUMENT.text)
    assert len(links) > 10
    for link in links:
        assert Path(ROOT, link).exists(), link


def test_the_demo_and_the_tests_are_two_commands():
    assert re.findall(r"^make (\w+)", DOCUMENT.text, flags=re.MULTILINE)[:2] == ["demo", "test"]


def test_figures_are_those_of_the_guides():
    """The README rounds, and timings vary from run to run: a fifth is near enough."""
    result = re.search(
        r"takes ([\d.]+) CPU seconds; HiFST took ([\d.]+) .* about (\d+) times .* about (\d+) times",
        one_line(DOCUMENT.text),
    )
    assert result
    table = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    rows = {name: row.split(" | ") for name, row in re.findall(r"^\| `(\w+)`[^|]* \| (.*)$", table, flags=re.MULTILINE)}
    search, recorded = (
        rows["hiero_europarl_cpu_s"][0],
        re.search(r"hifst exact ([\d.]+)", rows["hiero_europarl_cpu_s"][3]),
    )
    ratios = [rows[name][2] for name in ("lm_vs_kenlm_loop", "gappy_vs_pynini")]
    figures = [search.split()[0], recorded[1], *ratios]
    assert [float(claim) for claim in result.groups()] == pytest.approx([float(figure) for figure in figures], rel=0.2)
    claims = re.search(
        r"pruning ([\d.]+) times\. .* files ([\d.]+) times as fast.* lists of ten (\d+) times", one_line(DOCUMENT.text)
    )
    pruning, files, consensus = (
        float(rows[name][1]) / float(rows[name][0].split()[0])
        for name in (
            "peer_prune_vs_pywrapfst",
            "peer_small_files_written_vs_pynini",
            "peer_consensus_of_10_best_vs_unisson",
        )
    )
    assert claims
    assert [float(claim) for claim in claims.groups()] == pytest.approx([pruning, 1 / files, 1 / consensus], rel=0.2)


def one_line(text: str) -> str:
    return " ".join(text.split())

"""Logs of fairseq-generate."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from format_helpers import fuzz

import lattice_simp as ls
from lattice_simp.errors import FormatError
from lattice_simp.formats.fairseq import stream_fairseq

LOG = Path(__file__).parents[2] / "docs" / "recipes" / "files" / "fairseq.log"


def test_sentences_come_by_number_with_log_probabilities_in_nats():
    lists = ls.read_nbest(LOG)
    assert [[entry.text for entry in entries] for entries in lists] == [
        ["a hous@@ e"],
        [],
        ["the bridge is ol@@ d", "the bridge is anci@@ ent"],
    ]
    assert lists[0][0].cost == pytest.approx(4 * 0.125 * math.log(2))
    assert [entry.cost for entry in lists[2]] == pytest.approx([1.5 * math.log(2), 3.0 * math.log(2)])
    assert lists[2][1].features == {"Score": pytest.approx(-0.5 * math.log(2))}


def test_words_are_joined_and_lattices_read():
    assert [entry.text for entry in ls.read_nbest(LOG, pieces="bpe")[2]] == [
        "the bridge is old",
        "the bridge is ancient",
    ]
    values = {name: ls.shortest_path(lattice).text for name, lattice in ls.read_all(LOG) if lattice.num_arcs}
    assert values == {"0": "a hous@@ e", "2": "the bridge is ol@@ d"}


def test_without_p_lines_the_cost_is_the_score(tmp_path):
    path = tmp_path / "log"
    path.write_text("".join(line for line in LOG.open(encoding="utf-8") if not line.startswith("P-")), encoding="utf-8")
    assert [entry.cost for entry in ls.read_nbest(path)[2]] == pytest.approx([0.25 * math.log(2), 0.5 * math.log(2)])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("S-0\ta\nH-0\tx\ta\n", 2, "expected a score and words"),
        ("S-0\ta\nH-0\t-1\n", 2, "expected a score and words"),
        ("S-0\ta\nH-0\t-1\ta\nP-0\t-1 nan\n", 3, "not finite"),
        ("S-0\ta\nP-0\t-1\nH-0\t-1\ta\n", 2, "without an H-line before"),
        ("S-0\ta\nH-0\t-1\ta\nP-0\t-1\nP-0\t-1\n", 4, "without an H-line before"),
        ("S-0\ta\nH-0\t-1\ta\nP-0\t-1\nH-1\t-1\ta\n", 4, "has no P-line"),
        ("S-0\ta\n", None, "no lines of hypotheses"),
    ],
)
def test_broken_logs(tmp_path, text, line, message):
    path = tmp_path / "log"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        ls.read_nbest(path)
    assert (caught.value.line, str(caught.value.path)) == (line, str(path))
    assert caught.value.remedy


def test_ids_from_one(tmp_path):
    path = tmp_path / "log"
    path.write_text("H-1\t-1\ta\nH-2\t-1\tb\n", encoding="utf-8")
    assert [entries[0].text for entries in ls.read_nbest(path, first_id=1)] == ["a", "b"]
    with pytest.raises(FormatError, match=re.escape("begin with it: --first-id 1")):
        ls.read_nbest(path, first_id=2)


def test_fuzzed(tmp_path):
    path = tmp_path / "x"

    def read(data):
        path.write_bytes(data)
        for count, _ in enumerate(stream_fairseq(path)):
            if count > 1000:
                break

    fuzz(LOG.read_bytes(), read, seconds=0.4)

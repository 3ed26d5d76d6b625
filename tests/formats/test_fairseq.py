"""Logs of fairseq-generate."""

from __future__ import annotations

import math
import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from format_helpers import fuzz_file

import lattice_simp as ls
from lattice_simp.errors import FormatError, InputWarning
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
        ("S-0\ta\nH-0\tx\ta\n", 2, "expected a finite score and words"),
        ("S-0\ta\nH-0\t-1\n", 2, "expected a finite score and words"),
        ("S-0\ta\nH-0\t-1\ta\nP-0\t-1 nan\n", 3, "not finite"),
        ("S-0\ta\nP-0\t-1 -1 -1\nH-0\t-2\ta\n", 2, "match no hypotheses"),
        ("S-0\ta\nH-0\t-1\ta\nP-0\t-1\nP-0\t-1\n", 4, "a P-line without an H-line"),
        ("S\ta\nH\t-1\ta\nH-0\t-1\ta\n", 3, "lines with and without numbers"),
        ("H\t-1\ta\nS\ta\nH\t-1\ta\n", 1, "before the first S-line"),
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
    with pytest.raises(FormatError, match=re.escape("start counting there: --first-id 1")):
        ls.read_nbest(path, first_id=2)


def random_log(random, penalty):
    """Returns the lines of a log with two sentences, and the sum of scores by the text of each hypothesis."""
    lines, sums = [], {}
    for number in range(2):
        lines.append(f"S-{number}\tsource")
        for rank in range(4):
            tokens = [f"w{number}{rank}", *["x"] * random.integers(0, 3)]
            scores = [round(-random.random(), 4) for _ in (*tokens, "</s>")]
            text, total = " ".join(tokens), math.fsum(scores)
            sums[text] = total
            score = total / len(scores) ** penalty
            lines += [f"H-{number}\t{score}\t{text}", f"D-{number}\t{score}\t{text}"]
            lines.append(f"P-{number}\t{' '.join(map(str, scores))}")
    return lines, sums


def test_lines_in_any_order_are_matched(tmp_path):
    """Pieces allow any length penalty; words are matched by the mean of their pieces' scores."""
    path = tmp_path / "log"
    for seed in range(20):
        random = np.random.default_rng(seed)
        lines, sums = random_log(random, penalty=random.choice([0.0, 0.6, 1.0]) if seed % 2 else 1.0)
        if not seed % 2:
            lines = [line.replace(" x", "x") if line[0] == "H" else line for line in lines]
            sums = {text.replace(" x", "x"): total for text, total in sums.items()}
        path.write_text("".join(f"{line}\n" for line in random.permutation(lines)), encoding="utf-8")
        lists = ls.read_nbest(path)
        assert [len(entries) for entries in lists] == [4, 4], seed
        for entry in (entry for entries in lists for entry in entries):
            assert entry.cost == pytest.approx(-math.log(2) * sums[entry.text]), seed


def test_sentences_without_hypotheses_are_empty_lists(tmp_path):
    (tmp_path / "x").write_text("S-2\ta\nS-1\tb\nH-1\t-0.5\tb\n")
    groups = [(number, len(entries), is_missing) for number, entries, _, is_missing in stream_fairseq(tmp_path / "x")]
    assert groups == [(0, 0, True), (1, 1, False), (2, 0, False)]


def test_a_log_may_describe_the_model_at_length(tmp_path):
    model = "2026-11-02 10:00:00 | INFO | fairseq | model:\n" + "  (layer): Linear()\n" * 5000
    (tmp_path / "x").write_text(model + LOG.read_text(encoding="utf-8"), encoding="utf-8")
    assert [len(entries) for entries in ls.read_nbest(tmp_path / "x")] == [1, 0, 2]
    assert len(list(ls.read_all(tmp_path / "x"))) == 3


def test_a_second_log_is_reported(tmp_path):
    (tmp_path / "x").write_text(LOG.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.warns(InputWarning, match=r"x:\d+: S-\d again, so the hypotheses of both are one list \(give one log"):
        assert [len(entries) for entries in ls.read_nbest(tmp_path / "x")] == [2, 0, 4]


@pytest.mark.parametrize("prefix", ["", "2026-11-02 10:00:00 | INFO | fairseq.hub_utils | ", "INFO:fairseq.hub_utils:"])
def test_logs_of_the_hub_have_natural_logs_and_no_numbers(tmp_path, prefix):
    rows = ["S\tein Haus", "H\t-0.5\ta house", "P\t-0.5 -0.75 -0.25", "S\t", "S\tja", "H\t-1.0\tyes", "P\t-1.0 -1.0"]
    path = tmp_path / "hub.log"
    path.write_text("loading\n" + "".join(f"{prefix}{row}\n" for row in rows), encoding="utf-8")
    assert ls.read_nbest(path) == [
        [ls.Hypothesis(("a", "house"), 1.5, {"Score": -0.5})],
        [],
        [ls.Hypothesis(("yes",), 2.0, {"Score": -1.0})],
    ]


def test_any_bytes_are_read_or_refused(tmp_path):
    fuzz_file(tmp_path / "x", LOG.read_bytes(), lambda path: list(islice(stream_fairseq(path), 1000)), seconds=0.4)

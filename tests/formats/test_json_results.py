"""Results of many producers as JSON: each row of `json_results.jsonl` is a file, and what is read of it."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

import lattice_simp as ls
from lattice_simp.errors import FormatError

CASES = [json.loads(line) for line in Path(__file__).with_name("json_results.jsonl").open(encoding="utf-8")]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_results_of_producers(tmp_path, case, indent):
    """Reads the texts and, where a case has them, the costs and log probabilities; there are no other warnings.

    Messages have the line of an object if each object is on a line.
    """
    path = tmp_path / "x.json"
    path.write_text("".join(f"{json.dumps(row, indent=indent)}\n" for row in case["rows"]), encoding="utf-8")
    if "error" in case:
        with pytest.raises(FormatError, match=pattern(case["error"], indent)):
            ls.read_nbest(path)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lists = ls.read_nbest(path)
    assert [[entry.text for entry in entries] for entries in lists] == case["texts"]
    entries = [entry for entries in lists for entry in entries]
    assert [entry.cost for entry in entries] == pytest.approx(case.get("costs", [entry.cost for entry in entries]))
    if "logs" in case:
        assert [entry.features.get("LogProb") for entry in entries] == case["logs"]
    messages = [str(warning.message) for warning in caught]
    for message, expected in zip(messages, case.get("warnings", []), strict=True):
        assert re.search(pattern(expected, indent), message)


def pattern(message, indent):
    return message if indent is None else re.sub(r"^:(\d|\[12\]|\\d):", r":\\d+:", message)

"""Results of many producers as JSON: each row of `json_results.jsonl` is a file, and what is read of it."""

from __future__ import annotations

import json
import re
import warnings
from operator import attrgetter, itemgetter

import pytest
from format_helpers import JSON_CASES, rounded

import lattice_simp as ls
from lattice_simp.errors import FormatError
from lattice_simp.formats.nbest import is_nbest, stream_sentences

VALUES = {
    "costs": attrgetter("cost"),
    "times": attrgetter("times"),
    "confidences": attrgetter("confidences"),
    "logs": lambda entry: entry.features.get("LogProb"),
    "features": attrgetter("features"),
}
"""What a case may have beside its texts, one value for each hypothesis."""


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("case", JSON_CASES, ids=itemgetter("case"))
def test_results_of_producers(tmp_path, case, indent):
    """Reads values on lines and over several lines; there are no warnings but those of the case."""
    path = tmp_path / "x.json"
    path.write_text("".join(f"{json.dumps(row, indent=indent)}\n" for row in case["rows"]), encoding="utf-8")
    if "error" in case:
        with pytest.raises(FormatError, match=pattern(case["error"], indent)) as refused:
            ls.read_nbest(path)
        assert refused.value.remedy
        return
    assert is_nbest(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lists = ls.read_nbest(path)
    assert [[entry.text for entry in entries] for entries in lists] == case["texts"]
    if "names" in case:
        with warnings.catch_warnings(action="ignore"):
            assert [sentence.name for sentence in stream_sentences(path)] == case["names"]
    for name in VALUES.keys() & case.keys():
        assert [rounded(VALUES[name](entry)) for entries in lists for entry in entries] == case[name]
    messages = [str(warning.message) for warning in caught]
    for message, expected in zip(messages, case.get("warnings", []), strict=True):
        assert re.search(pattern(expected, indent), message)


def pattern(message, indent):
    """Returns a pattern of a message; its line is known where each value is on a line."""
    return message if indent is None else re.sub(r"^:\d:", r":\\d+:", message)

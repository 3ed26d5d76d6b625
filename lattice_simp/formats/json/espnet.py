"""JSON of ESPnet's recogniser: an object `utts` of utterances by name, each with a list of hypotheses, its `output`.

>>> espnet_rows({"u-1": {"output": [{"rec_text": "A CAT<eos>", "score": -1.5, "text": "THE REFERENCE"}]}})
[{'name': 'u-1', 'hypotheses': [{'text': 'A CAT', 'score': -1.5}]}]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_END, _BLANK = "<eos>", "▁"


def espnet_rows(utterances: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the sentences of utterances as objects with `hypotheses`; each of several speakers has its own."""
    rows = list[dict[str, Any]]()
    for name, utterance in utterances.items():
        output = utterance.get("output") if isinstance(utterance, dict) else None
        lists = [(name, output)]
        if isinstance(output, list) and output and isinstance(output[0], list):
            lists = [(f"{name}-{speaker}", entries) for speaker, entries in enumerate(output, 1)]
        rows += [{"name": row_name, "hypotheses": _hypotheses(entries)} for row_name, entries in lists]
    return rows


def _hypotheses(entries: object) -> object:
    return [*map(_hypothesis, entries)] if isinstance(entries, list) else entries


def _hypothesis(entry: object) -> object:
    """Returns a hypothesis with words instead of pieces; `text` is the reference, which is none."""
    if not isinstance(entry, dict):
        return entry
    if not isinstance(text := entry.get("rec_text"), str):
        return {key: value for key, value in entry.items() if key != "text"}
    return {"text": text.removesuffix(_END).replace(_BLANK, " ").strip(), "score": entry.get("score")}

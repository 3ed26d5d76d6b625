"""JSON of programs that test language models: records, each with the answer to a prompt, and answers in other forms.

>>> records_of({"samples": [{"id": "q", "epoch": 1, "output": {"choices": []}}]})
[Record(value={'id': 'q', 'epoch': 1, 'output': {'choices': []}}, group='q', name='q')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from lattice_simp.formats.json.values import DOUBTS, are_objects, is_object, with_doubts

_TEST = "testIdx"
"""The number of the prompt of a record of promptfoo."""

_RECORDS = {"request_states": "instance", "samples": "epoch", "results": _TEST}
"""The names of lists of records, and of a field that each of these has: of HELM, Inspect, promptfoo."""

_ANSWERS = ("response", "error")
"""The names of the answer in a record of promptfoo."""

_DETAILS = ("finish_reason", "stop_reason", "done_reason", "logprobs", "avgLogprobs", "avg_logprobs")
"""The names of details of an answer, which LangChain has beside it."""

_SOME_FAILED = ("left out failed requests, as there are other answers to the prompt", "send them again")


class Record(NamedTuple):
    """An object with an answer, the prompt that it belongs to (None for one of its own), and its name."""

    value: Mapping[str, Any]
    group: object
    name: str | None


def records_of(value: Any) -> list[Record] | None:
    """Returns the records in an object; None for any other object."""
    if not is_object(value):
        return None
    results = value.get("results")
    if is_object(results) and "evalId" in value:
        value = results
    elif is_object(results) and results and all(map(_is_file, results.values())):
        return [Record({"name": PurePath(path).stem, **result}, None, None) for path, result in results.items()]
    lists = value.get("generations")
    if isinstance(lists, list) and lists and all(map(are_objects, lists)):
        return [Record({"generations": [*map(_detailed, entries)]}, None, None) for entries in lists]
    if _TEST in value:
        return [Record(_plain(value), None, None)]
    for name, field in _RECORDS.items():
        entries = value.get(name)
        if entries and are_objects(entries, field):
            return [Record(_plain(entry), _group_of(entry), _name_of(entry)) for entry in entries]
    return None


def record_rows(records: Iterable[Record], read: Callable[[Any], list[Any]], name_field: str, failed: str) -> list[Any]:
    """Returns the sentences of records: those of the same prompt are one, with all their hypotheses.

    Args:
        records: the records.
        read: returns the sentences of a value.
        name_field, failed: the fields of a sentence for its name, and for the message of a request without an answer.
    """
    rows = list[Any]()
    places = dict[object, int]()
    for value, group, name in records:
        for row in read(value):
            named = row if name is None or not is_object(row) else {**row, name_field: name}
            place = places.setdefault(group, len(rows)) if group is not None else len(rows)
            if place == len(rows):
                rows.append(named)
            else:
                rows[place] = _merged(rows[place], named, failed)
    return rows


def _is_file(result: object) -> bool:
    """Returns whether an object is the result of a file in a batch of Google."""
    return is_object(result) and not {"transcript", "inlineResult", "error"}.isdisjoint(result)


def _merged(first: Any, second: Any, failed: str) -> Any:
    """Returns a sentence with the hypotheses of two, without confidences of words, as for several choices.

    A sentence that was not read stays as it is, and becomes an error.
    """
    unread = next((row for row in (first, second) if not is_object(row) or "hypotheses" not in row), None)
    if unread is not None:
        return unread
    doubts = [*first.get(DOUBTS, ()), *second.get(DOUBTS, ())]
    fields = {name: value for name, value in {**second, **first}.items() if name != DOUBTS}
    if (failed in first) != (failed in second):
        del fields[failed]
        doubts.append(_SOME_FAILED)
    hypotheses = [*map(_without_confidences, (*first["hypotheses"], *second["hypotheses"]))]
    return with_doubts({**fields, "hypotheses": hypotheses}, doubts)


def _without_confidences(entry: Any) -> Any:
    return {name: entry[name] for name in entry if name != "confidences"} if is_object(entry) else entry


def _plain(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the answer in a record of promptfoo, which may be a text; other records are unchanged."""
    answer = entry.get("response")
    if is_object(answer) and isinstance(answer.get("output"), str):
        return {"text": answer["output"]}
    return {name: entry[name] for name in _ANSWERS if name in entry} if _TEST in entry else entry


def _group_of(entry: Mapping[str, Any]) -> object:
    """Returns the number or the name of a record's prompt: of promptfoo, and of Inspect, which repeats it in epochs."""
    group = entry.get(_TEST, entry.get("id") if "epoch" in entry else None)
    return group if isinstance(group, str | int) else None


def _name_of(entry: Mapping[str, Any]) -> str | None:
    """Returns the name of the prompt, a text: of Inspect's samples, of HELM's instances."""
    fields = entry["instance"] if is_object(entry.get("instance")) else entry if "epoch" in entry else {}
    name = fields.get("id")
    return name if isinstance(name, str) and name.strip() else None


def unpacked(value: Any) -> Any:
    """Returns a value with what LangChain's `dumps` packs: objects with the arguments of a constructor.

    >>> unpacked({"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": {"content": "a cat"}})
    {'content': 'a cat'}
    """
    if isinstance(value, list):
        return [*map(unpacked, value)]
    if not is_object(value):
        return value
    if "lc" in value and is_object(value.get("kwargs")):
        return unpacked(value["kwargs"])
    return {name: unpacked(inner) for name, inner in value.items()}


def with_choices(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns an answer of LangChain, SGLang or Triton as a completion with choices; other objects are unchanged.

    >>> with_choices({"model_name": "m", "text_output": "a cat", "cum_log_probs": -0.5})
    {'choices': [{'text': 'a cat', 'cumulative_logprob': -0.5}]}
    """
    if value.get("type") in ("ai", "AIMessage") and "content" in value:
        message = {"message": {"content": value["content"]}, "generation_info": value.get("response_metadata")}
        return {"choices": [_detailed(message)]}
    details = value.get("meta_info")
    if is_object(details) and isinstance(value.get("text"), str):
        return {"choices": [{"text": value["text"], **_of_sglang(details)}]}
    texts = value.get("text_output")
    if "model_name" in value and isinstance(texts, str | list):
        logs = value.get("cum_log_probs")
        are_known = bool(logs) and (not isinstance(logs, list) or any(logs))  # all are 0 unless they are asked for
        if isinstance(texts, list):
            return {"candidates": texts, **({"scores": logs} if are_known else {})}
        return {"choices": [{"text": texts, **({"cumulative_logprob": logs} if are_known else {})}]}
    return value


def _detailed(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an answer of LangChain with the details that are beside it."""
    details = entry.get("generation_info") or {}
    fields = {name: field for name, field in entry.items() if name != "generation_info"}
    known = {name: details[name] for name in _DETAILS if is_object(details) and details.get(name) is not None}
    return {**known, **fields}


def _of_sglang(details: Mapping[str, Any]) -> dict[str, Any]:
    """Returns why an answer of SGLang ends, null for a part of a stream, and the log probabilities of its tokens."""
    fields = {"finish_reason": details.get("finish_reason")}
    logs = details.get("output_token_logprobs")
    if not isinstance(logs, list) or not logs or not all(isinstance(row, list) and len(row) > 1 for row in logs):
        return fields
    tokens = [{"token": row[2] if len(row) > 2 else None, "logprob": row[0]} for row in logs]
    return {**fields, "logprobs": {"content": tokens}}

"""JSON of translation services: DeepL, Google, Azure, Yandex, LibreTranslate, the server of Joshua.

>>> translated_rows({"translations": [{"detected_source_language": "EN", "text": "Hallo"}, {"translatedText": "Tag"}]})
[{'hypotheses': [{'text': 'Hallo'}]}, {'hypotheses': [{'text': 'Tag'}]}]

A service translates several texts at once: each is a sentence. Lists of hypotheses of one sentence, as Sockeye writes
them under the same name, have none of these fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from lattice_simp.formats.json.values import are_objects, with_doubts

_TEXT, _LANGUAGE, _NBEST = "translatedText", "to", "raw_nbest"
_OF_SERVICES = frozenset(
    {_TEXT, _LANGUAGE, "detected_source_language", "detectedSourceLanguage", "detectedLanguageCode"}
)

_ONE_LANGUAGE = ("only the translations into the first language are read", "ask for one language at a time")


def translated_rows(value: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
    """Returns the sentences of a service's answer as objects with `hypotheses`; None for any other object."""
    value = value["data"] if isinstance(value.get("data"), dict) else value
    if _TEXT in value:
        return _with_alternatives(value[_TEXT], value.get("alternatives"))
    entries = value.get("translations")
    if not entries or not are_objects(entries) or any(map(_OF_SERVICES.isdisjoint, entries)):
        return None
    if all(_LANGUAGE in entry for entry in entries):  # Azure: the translations of one text
        first = [entry for entry in entries if entry[_LANGUAGE] == entries[0][_LANGUAGE]]
        row = {"hypotheses": [{"text": entry.get("text")} for entry in first]}
        return [with_doubts(row, [_ONE_LANGUAGE] if len(first) < len(entries) else [])]
    return [{"hypotheses": _hypotheses(entry)} for entry in entries]


def _hypotheses(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    hypotheses = entry.get(_NBEST)
    if hypotheses and are_objects(hypotheses):
        return [{"text": item.get("hyp"), "score": item.get("totalScore")} for item in hypotheses]
    return [{"text": entry.get(_TEXT, entry.get("text"))}]


def _with_alternatives(texts: object, alternatives: object) -> list[dict[str, Any]]:
    """Returns a text, or several ones, with the alternatives of each."""
    if not isinstance(texts, list):
        texts, alternatives = [texts], [alternatives]
    lists = alternatives if isinstance(alternatives, list) else []
    return [
        {"hypotheses": [{"text": text} for text in (first, *(others if isinstance(others, list) else ()))]}
        for first, others in zip_longest(texts, lists[: len(texts)])
    ]

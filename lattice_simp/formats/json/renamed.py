"""JSON of some producers with the field names of the others.

>>> with_usual_names({"Results": [{"IsPartial": False, "EndTime": 1.5}]})
{'results': [{'is_partial': False, 'end_time': 1.5}]}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lattice_simp.formats.json.values import are_objects, is_object, listed

_VARIANT = re.compile(r"\(\d+\)$")
"""The number of a pronunciation, after a word of PocketSphinx."""

_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""The places in a name like `IsPartial` where a word begins."""


def with_usual_names(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renames fields of Amazon's, PocketSphinx's, DeepSpeech's, Gladia's and WeNet's results; others are unchanged."""
    for renamed in (_from_gladia, _from_amazon, _from_sphinx, _from_deepspeech, _from_wenet):
        value = renamed(value)
    return value


def _from_wenet(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Parses WeNet's hypotheses, a list that its server writes as a text, and renames the times of their pieces.

    >>> _from_wenet({"nbest": '[{"sentence": "a", "word_pieces": [{"word": "a", "start": 100, "end": 200}]}]'})
    {'nbest': [{'sentence': 'a', 'words': [{'word': 'a', 'start_ms': 100, 'end_ms': 200}]}]}
    """
    hypotheses = listed(value.get("nbest"))
    return {**value, "nbest": [*map(_with_words, hypotheses)]} if isinstance(hypotheses, list) else value


def _with_words(hypothesis: Any) -> Any:
    if not is_object(hypothesis) or not isinstance(pieces := hypothesis.get("word_pieces"), list):
        return hypothesis
    times = {"start": "start_ms", "end": "end_ms"}
    words = [
        {times.get(name, name): field for name, field in piece.items()} if is_object(piece) else piece
        for piece in pieces
    ]
    return {**{name: field for name, field in hypothesis.items() if name != "word_pieces"}, "words": words}


def _from_gladia(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renames the utterances of Gladia's first version; returns any other object unchanged."""
    entries = value.get("prediction")
    if not are_objects(entries, "transcription"):
        return value
    return {"utterances": [{**entry, "text": entry["transcription"]} for entry in entries]}


def _from_amazon(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renames the turns of Amazon's call analytics and Bedrock, and the fields of its streams; others are unchanged."""
    if isinstance(value.get("Results"), list):
        renamed: Mapping[str, Any] = _snaked(value)
        return renamed
    turns, segments = value.get("Transcript"), value.get("audio_segments")
    if are_objects(turns):
        return {"utterances": [{"text": turn.get("Content"), "words": turn.get("Items")} for turn in turns]}
    if isinstance(segments, list):
        return {"utterances": segments, "words": value.get("audio_items")}
    return value


def _snaked(value: Any) -> Any:
    """Returns a value with the names of its fields in small letters."""
    if isinstance(value, list):
        return [*map(_snaked, value)]
    if not is_object(value):
        return value
    return {_CAPITALS.sub("_", name).lower(): _snaked(inner) for name, inner in value.items()}


def _from_sphinx(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renames the parts of a result of PocketSphinx, without pauses; returns any other object unchanged.

    >>> _from_sphinx({"b": 0.0, "d": 0.5, "p": 1.0, "t": "a", "w": [{"b": 0.25, "d": 0.25, "p": 0.9, "t": "a(2)"}]})
    {'text': 'a', 'words': [{'word': 'a', 'start': 0.25, 'duration': 0.25, 'confidence': 0.9}]}
    """
    words = value.get("w")
    if not value.keys() >= {"b", "d", "t", "w"} or not are_objects(words):
        return value
    spoken = [word for word in words if not str(word.get("t")).startswith(("<", "[", "++"))]
    renamed = [
        {
            "word": _VARIANT.sub("", str(word.get("t"))),
            "start": word.get("b"),
            "duration": word.get("d"),
            "confidence": word.get("p"),
        }
        for word in spoken
    ]
    return {"text": value["t"], **({"words": renamed} if renamed else {})}


def _from_deepspeech(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a result of DeepSpeech with words instead of letters; any other object is unchanged."""
    transcripts = value.get("transcripts")
    if not are_objects(transcripts) or not all(are_objects(entry.get("tokens")) for entry in transcripts):
        return value
    return {**value, "transcripts": [{**entry, "words": _of_letters(entry["tokens"])} for entry in transcripts]}


def _of_letters(letters: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Joins letters between blanks to words, which end where their last letter begins.

    >>> _of_letters([{"text": "a", "start_time": 0.5}, {"text": "t", "start_time": 0.75}, {"text": " "}])
    [{'word': 'at', 'start_time': 0.5, 'end_time': 0.75}]
    """
    words: list[dict[str, Any]] = []
    is_begun = False
    for letter in letters:
        text, time = str(letter.get("text")), letter.get("start_time")
        if is_begun and text != " ":
            words[-1] |= {"word": words[-1]["word"] + text, "end_time": time}
        elif text != " ":
            words.append({"word": text, "start_time": time, "end_time": time})
        is_begun = text != " "
    return words


def with_text(monologue: Any) -> Any:
    """Adds its text to a monologue of Rev AI, whose elements are words, punctuation marks and blanks."""
    elements = monologue.get("elements") if isinstance(monologue, dict) else None
    if not are_objects(elements):
        return monologue
    return {**monologue, "text": "".join(str(entry.get("value")) for entry in elements)}

"""Interim results of streaming recognisers, which later results replace, and messages without results.

>>> is_interim({"partial": "a c"}, None), is_interim({"text": "a cat"}, None)
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lattice_simp.formats.json_answers import is_object

_STATES = ("type", "message", "message_type")
"""The names of the kind of a message."""

_SESSION = (
    "Begin",
    "Termination",
    "SessionBegins",
    "SessionTerminated",
    "RecognitionStarted",
    "AudioAdded",
    "EndOfUtterance",
    "EndOfTranscript",
    "Connected",
    "connected",
    "Metadata",
    "SpeechStarted",
    "UtteranceEnd",
)
"""The kinds of messages without results: of AssemblyAI, Speechmatics, Rev AI and Deepgram."""

PARTIAL = re.compile(
    rb'(?:\{\s*"partial"\s*:\s*"(?:[^"\\\n]|\\.)*"\s*\}\s*|\{(?![^\n]*"hypotheses"\s*:)(?=[^\n]*"(?:%b)"\s*:\s*"(?:%b)")[^\n]*\}\s*)+'
    % ("|".join(_STATES).encode(), "|".join(_SESSION).encode())
)
"""Partial results of Vosk, and messages without results, at the beginning of a file."""

INTERIM = ("left out interim results, which later ones replace", "keep only the final results to be sure")
"""The warning about interim results: a message and a remedy."""


def is_session(value: object) -> bool:
    """Returns whether a value of a file is a message about the session, without results.

    >>> is_session({"type": "Begin", "id": "x"}), is_session({"type": "Turn", "transcript": "a cat"})
    (True, False)
    """
    if not is_object(value) or "hypotheses" in value:
        return False
    return any(isinstance(value.get(name), str) and value[name] in _SESSION for name in _STATES)


def is_interim(value: object, following: object) -> bool:
    """Returns whether a value of a file is an interim result.

    >>> first = {"text": "a", "tokens": ["a"], "timestamps": [0.5], "is_final": False}
    >>> is_interim(first, {**first, "text": "a cat", "tokens": ["a", " cat"], "timestamps": [0.5, 0.75]})
    True

    Args:
        value: the value.
        following: the next value of the file, or None.
    """
    if not is_object(value) or "hypotheses" in value:
        return False
    results = value["results"] if isinstance(value.get("results"), list) else [value.get("result")]
    return (
        (isinstance(value.get("partial"), str) and "text" not in value)
        or value.get("message") == "AddPartialTranscript"
        or value.get("type") == "partial_result"
        or value.get("message_type") in ("PartialTranscript", "partial_transcript")
        or (value.get("type") == "Turn" and (value.get("end_of_turn") is False or _is_same_turn(value, following)))
        or (value.get("type") == "TurnInfo" and value.get("event") != "EndOfTurn")
        or (value.get("is_final") is False and is_object(value.get("channel")))
        or (bool(results) and all(is_object(result) and _is_unfinished(result) for result in results))
        or (value.get("is_final") is False and is_object(following) and _goes_on(value, following))
    )


def _is_unfinished(result: Mapping[str, Any]) -> bool:
    """Returns whether a result of Watson, Kaldi's GStreamer server or Google is not final yet."""
    return result.get("final") is False or ("stability" in result and not result.get("isFinal"))


def _is_same_turn(value: Mapping[str, Any], following: object) -> bool:
    """Returns whether the next result is the same turn of AssemblyAI, such as with punctuation."""
    return is_object(following) and following.get("turn_order", -1) == value.get("turn_order")


def _goes_on(value: Mapping[str, Any], following: Mapping[str, Any]) -> bool:
    """Returns whether the next result begins with the tokens and the times of a result, as in sherpa-onnx."""
    for name in ("tokens", "timestamps"):
        entries, next_entries = value.get(name), following.get(name)
        if not isinstance(entries, list) or not isinstance(next_entries, list) or not entries:
            return False
        if entries != next_entries[: len(entries)]:
            return False
    return True

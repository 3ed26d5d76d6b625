"""Messages of streaming recognisers: their results, interim results, which later ones replace, and others without any.

>>> is_interim({"partial": "a c"}, None), is_interim({"text": "a cat"}, None)
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lattice_simp.formats.json.values import first_of, is_object

_STATES = ("type", "message", "message_type", "event")
"""The names of the kind of a message."""

_ENVELOPES = ("TranscriptEvent", "Transcript", "payload", "sentence", "final", "utterance")
"""The names under which messages of Amazon, Alibaba, Yandex and Gladia hold a result."""

_RESULTS = ("results", "Results")
"""The names of the list of results in a message of Google or Amazon."""

_EVENTS = "audioCursors"
"""A field of Yandex's messages, whose kind is the name of one of their fields."""

_NAMES = ("custom_id", "name")
"""The fields beside a result for its name."""

_UNFINISHED = ("is_final", "sentence_end")
"""The names that are false in a message, or in its result, that is not final: of Gladia, Alibaba."""

OPEN = ("is_partial", "isPartial", "interim")
CLOSED = ("isFinal", "final")
"""The names that are true, or false, in a message that is not final, or in an object that it holds."""

_MOST_HELD = 1 << 12
"""The number of messages that are not final after which none is expected to be final."""

_HOLDERS = ("result", "transcription", "message", "data")
"""The names of objects in a message, which may say that it is not final."""

_PARTIAL = re.compile(
    r"(?i)(?:\w+[._])?(?:add)?partial(?:_?(?:result|transcript|recognition))?|recogni[sz]ing|realtime"
    r"|\S*transcri\S*\.delta"
)
_FINAL = re.compile(
    r"(?i)(?:\w+[._])?final(?:_?(?:result|recognition))?|fullsentence|recogni[sz]ed"
    r"|(?:committed|final)_?transcript(?:_with_timestamps)?|\S*transcri\S*\.(?:done|completed)"
)

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
    "session_started",
    "start_session",
    "start_recording",
    "audio_chunk",
    "stop_recording",
    "speech_start",
    "speech_end",
    "end_recording",
    "end_session",
    "SERVER_READY",
    "DISCONNECT",
    "task-started",
    "task-finished",
    "eouUpdate",
    "statusCode",
    "session.created",
    "session.updated",
    "transcription_session.created",
    "transcription_session.updated",
    "config",
    "ready_to_stop",
    "server_ready",
    "recording_start",
    "recording_stop",
    "transcription_start",
    "vad_detect_start",
    "vad_detect_stop",
    "wakeword_detected",
    "wakeword_detection_start",
    "wakeword_detection_end",
    "input_audio_buffer.speech_started",
    "input_audio_buffer.speech_stopped",
    "input_audio_buffer.committed",
)
"""The kinds of messages without results: of AssemblyAI, Speechmatics, Rev AI, Deepgram, ElevenLabs, Gladia,
WhisperLive, Alibaba, Yandex, OpenAI, WhisperLiveKit, WeNet and RealtimeSTT."""

_LANGUAGE = frozenset({"uid", "language", "language_prob"})
"""The fields of WhisperLive's message about the language."""

MESSAGE = re.compile(
    rb'\{\s*"partial"\s*:\s*"(?:[^"\\\n]|\\.)*"\s*\}\s*|\{(?=[^\n]*"(?:%b)"\s*:)[^\n]*\}[ \t\r]*(?:\n\s*|\Z)'
    % "|".join((*_STATES, _EVENTS, "uid")).encode()
)
"""A line that may be a message of a stream: one with a kind, or a partial result of Vosk."""

INTERIM = ("left out interim results, which later ones replace", "keep only the final results to be sure")
"""The warning about interim results: a message and a remedy."""


REPEATED = (
    "most results are repeated and continued by the next one, as interim ones are; all are read",
    "keep only the final results, if these are interim ones",
)
"""The warning about results that may be interim: a message and a remedy."""


def is_session(value: object) -> bool:
    """Returns whether a value of a file is a message about the session, without results.

    >>> is_session({"type": "Begin", "id": "x"}), is_session({"type": "Turn", "transcript": "a cat"})
    (True, False)
    """
    if not is_object(value) or "hypotheses" in value:
        return False
    is_empty = value.get("Results") == [] or ("uid" in value and value.keys() <= _LANGUAGE)
    return is_empty or message_kind(value) in _SESSION


def message_kind(value: object) -> str | None:
    """Returns the kind of a message of a stream, or None.

    >>> message_kind({"type": "Turn"}), message_kind({"header": {"event": "task-started"}, "payload": {}})
    ('Turn', 'task-started')
    """
    if not is_object(value) or "hypotheses" in value:
        return None
    if _EVENTS in value:
        return next((name for name in list(value)[::-1] if is_object(value[name]) and name != _EVENTS), None)
    fields = value["header"] if is_object(value.get("header")) else value
    return first_of(fields, _STATES, str)


def is_final_text(value: Mapping[str, Any]) -> bool:
    """Returns whether a message says by its kind that its text is a final result."""
    return _FINAL.fullmatch(message_kind(value) or "") is not None


def opened(value: Any) -> Any:
    """Returns the result that a message of a stream holds, `{"partial": result}` if it is not final; or the value.

    >>> opened({"type": "transcript", "data": {"is_final": True, "utterance": {"text": "a cat", "words": []}}})
    {'text': 'a cat', 'words': []}
    >>> opened({"partial": {"alternatives": []}}), opened({"text": "a cat"})
    ({'partial': {'alternatives': []}}, {'text': 'a cat'})
    """
    is_unfinished = False
    while is_object(value) and "hypotheses" not in value:
        is_of_data = value.get("type") == "transcript" or is_final_text(value)
        names: tuple[str, ...] = ("data", *_ENVELOPES) if is_of_data else _ENVELOPES
        if is_object(value.get("result")) and _EVENTS in value["result"]:
            names = ("result",)
        name = next((name for name in names if is_object(value.get(name))), None)
        if name is None:
            break
        inner = value[name]
        inner = inner["output"] if name == "payload" and is_object(inner.get("output")) else inner
        value = {**{field: value[field] for field in _NAMES if field in value}, **inner}
        is_unfinished = is_unfinished or any(value.get(flag) is False for flag in _UNFINISHED)
    return {"partial": value} if is_unfinished else _with_final_results(value)


def _with_final_results(value: Any) -> Any:
    """Returns a message of Google or Amazon without interim results, if it has final ones, too."""
    name = next((name for name in _RESULTS if is_object(value) and isinstance(value.get(name), list)), None)
    if name is None:
        return value
    final = [result for result in value[name] if not is_object(result) or not _is_unfinished(result)]
    return {**value, name: final} if 0 < len(final) < len(value[name]) else value


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
    results = first_of(value, _RESULTS, list)
    results = [value.get("result")] if results is None else results
    kind = message_kind(value)
    return (
        (isinstance(value.get("partial"), str | dict) and "text" not in value)
        or (kind is not None and _PARTIAL.fullmatch(kind) is not None)
        or value.get("mode") == "2pass-online"
        or _is_open(value)
        or _is_repeated(value, following)
        or (value.get("type") == "Turn" and (value.get("end_of_turn") is False or _is_same_turn(value, following)))
        or (value.get("type") == "TurnInfo" and value.get("event") != "EndOfTurn")
        or (value.get("is_final") is False and (is_object(value.get("channel")) or "transcri" in (kind or "").lower()))
        or (bool(results) and all(is_object(result) and _is_unfinished(result) for result in results))
        or (value.get("is_final") is False and is_object(following) and _goes_on(value, following))
    )


def _is_open(value: Mapping[str, Any]) -> bool:
    """Returns whether a message, or an object that it holds, says that it is not final.

    >>> _is_open({"text": "a c", "is_partial": True}), _is_open({"result": {"transcription": {"isFinal": False}}})
    (True, True)
    """
    holds = any(is_object(value.get(name)) and _is_open(value[name]) for name in _HOLDERS)
    return holds or any(value.get(name) is True for name in OPEN) or any(value.get(name) is False for name in CLOSED)


def _is_unfinished(result: Mapping[str, Any]) -> bool:
    """Returns whether a result of Watson, Kaldi's GStreamer server, Google or Amazon is not final yet.

    >>> _is_unfinished({"stability": 0.9}), _is_unfinished({"stability": 0.0, "is_final": True})
    (True, False)
    """
    if result.get("IsPartial", result.get("is_partial")) is True:
        return True
    finality = [result[name] for name in ("final", "isFinal", "is_final") if result.get(name) is not None]
    return not finality[0] if finality else "stability" in result


def _is_repeated(value: Mapping[str, Any], following: object) -> bool:
    """Returns whether the next message of ElevenLabs has the same text with times of words."""
    kind = message_kind(value)
    return (
        is_object(following)
        and kind is not None
        and message_kind(following) == f"{kind}_with_timestamps"
        and following.get("text") == value.get("text")
    )


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


@dataclass
class Repeats:
    """Counts results that the next one repeats and continues, as those do that are not final.

    Attributes:
        line: the line of the first of them, or None.
        count, others: the numbers of these results and of all others before the last one.
    """

    line: int | None = None
    count: int = 0
    others: int = 0
    _last: tuple[int, list[str]] | None = None

    def see(self, line: int, row: Mapping[str, Any]) -> None:
        """Compares the best text of the next sentence with that of the one before."""
        best = next(iter(row["hypotheses"]), None)
        text = best.get("text") if is_object(best) else best
        words = re.findall(r"\w+", text.casefold()) if isinstance(text, str) else []
        if self._last is not None:
            before, previous = self._last
            is_repeated = 0 < len(previous) < len(words) and words[: len(previous)] == previous
            self.count += is_repeated
            self.others += not is_repeated
            self.line = before if is_repeated and self.line is None else self.line
        self._last = line, words

    @property
    def are_most(self) -> bool:
        """Whether most results, and several, are repeated."""
        return self.count > max(self.others, 1)


def without_open(values: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yields values with their lines; texts that are not final are `{"partial": text}` if others in the file are.

    Recognisers of whole recordings may set `is_final` to false in all results.

    >>> messages = [(1, {"text": "a", "is_final": False}), (2, {"text": "a", "is_final": True})]
    >>> [value for _, value in without_open(messages)]
    [{'partial': 'a'}, {'text': 'a', 'is_final': True}]
    """
    held, has_final = list[tuple[int, Any]](), False
    for number, value in (pairs := iter(values)):
        if len(held) == _MOST_HELD:  # the flag says nothing
            yield from (*held, (number, value))
            yield from pairs
            return
        text = _flagged_text(value)
        has_final = has_final or (text is not None and value["is_final"])
        if has_final:
            yield from ((line, _as_partial(entry)) for line, entry in held)
            held = []
            yield number, _as_partial(value)
        elif held or text is not None:
            held.append((number, value))
        else:
            yield number, value
    yield from held


def _flagged_text(value: object) -> str | None:
    """Returns the text of a message that says whether it is final; FunASR's modes say that in another way."""
    if not is_object(value) or "hypotheses" in value or "mode" in value or not isinstance(value.get("is_final"), bool):
        return None
    return first_of(value, ("text", "transcript"), str)


def _as_partial(value: Any) -> Any:
    text = _flagged_text(value)
    return value if text is None or value["is_final"] else {"partial": text}

"""Times of words in JSON of recognisers and speech services, whose lists of words differ in names and units.

>>> words = timed_words([{"word": "A", "startTime": "0.5s", "endTime": "0.8s"}, {"word": "cat", "endTime": "1.2s"}])
>>> times_of(["a", "cat."], words)
((0.5, 0.8), (0.8, 1.2))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeGuard

from lattice_simp.core.hypothesis import Times

TimedText = tuple[str, float | None, float | None]
"""A text with its begin and its end in seconds, where these are known."""

_TEXTS = ("word", "Word", "text", "content", "value")
_BEGINS = ("start", "start_time", "startTime", "startOffset", "startTimeMs", "begin", "Offset", "offsetInTicks", "ts")
_ENDS = ("end", "end_time", "endTime", "endOffset", "endTimeMs", "end_ts")
_LENGTHS = ("durationInTicks", "duration", "Duration", "length")
_PAIRS = ("offsets", "timestamp")
"""The names of the fields of a word: its text, begin, end and duration, or both times together."""

_TICK, _MILLISECOND = 1e-7, 1e-3
_UNITS = dict.fromkeys(("Offset", "Duration", "offsetInTicks", "durationInTicks"), _TICK) | dict.fromkeys(
    ("startTimeMs", "endTimeMs", "offsets"), _MILLISECOND
)
"""The units of fields in seconds; all others are in seconds."""

_IN_MILLISECONDS = frozenset({"text", "startTime"})
"""Fields beside which whole numbers are milliseconds: of AssemblyAI and Riva."""

_MOST_SECONDS = 1e7


def timed_words(values: object) -> list[TimedText] | None:
    """Returns the words of a list with their times; None for other lists and words without times."""
    if isinstance(values, dict):  # NeMo: lists of words, segments, letters
        values = values.get("word")
    if not isinstance(values, list):
        return None
    entries = [entry for entry in map(_fields, values) if entry is not None and not _is_special(entry)]
    unit = _MILLISECOND if all(map(_is_in_milliseconds, entries)) else 1.0
    words = [_word(entry, unit) for entry in entries]
    known = [word for word in words if word is not None]
    if not known or len(known) < len(words) or all(end is None for _, _, end in known):
        return None
    return known


def times_of(tokens: Sequence[str], words: Sequence[TimedText]) -> Times | None:
    """Returns the begin and the end of each token, if the words have the letters of the tokens; else None.

    Case and punctuation may differ. A word without times takes no time after the one before it.
    """
    filled, now = list[tuple[str, float, float]](), next((begin for _, begin, _ in words if begin is not None), 0.0)
    for text, begin, end in words:
        first = now if begin is None else begin
        now = max(first, first if end is None else end)
        filled.append((text, first, now))
    for form in (_letters, _plain):
        times = _times(list(map(form, tokens)), [(form(text), begin, end) for text, begin, end in filled])
        if times is not None:
            return times
    return None


def times_like(tokens: Sequence[str], known: Sequence[str], times: Times) -> Times:
    """Estimates the times of tokens from those of another hypothesis: words of both keep theirs, others share the rest.

    >>> times_like(["a", "big", "hat"], ["a", "cat"], ((0.0, 0.5), (0.5, 1.5)))
    ((0.0, 0.5), (0.5, 1.0), (1.0, 1.5))
    """
    spans = list[tuple[float, float]]()
    for kind, first, last, begin, end in SequenceMatcher(None, known, tokens, autojunk=False).get_opcodes():
        if kind == "equal":
            spans += times[first:last]
            continue
        before = spans[-1][1] if spans else (times[0][0] if times else 0.0)
        left, right = (times[first][0], times[last - 1][1]) if first < last else (before, before)
        step = (right - left) / max(end - begin, 1)
        spans += [(left + step * place, left + step * (place + 1)) for place in range(end - begin)]
    return tuple(spans)


def _times(tokens: Sequence[str], words: Sequence[tuple[str, float, float]]) -> Times | None:
    """Returns the times of tokens whose letters are those of the words; a word's letters share its time evenly."""
    if "".join(tokens) != "".join(text for text, _, _ in words):
        return None
    borders = [
        (begin + (end - begin) * place / len(text), begin + (end - begin) * (place + 1) / len(text))
        for text, begin, end in words
        for place in range(len(text))
    ]
    spans, position, now = list[tuple[float, float]](), 0, words[0][1] if words else 0.0
    for token in tokens:
        letters = borders[position : position + len(token)]
        position += len(token)
        begin, end = (letters[0][0], letters[-1][1]) if letters else (now, now)
        spans.append((begin, end))
        now = end
    return tuple(spans)


def _letters(text: str) -> str:
    return "".join(text.split())


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _fields(value: object) -> Mapping[str, Any] | None:
    """Returns a word of a list as an object; Watson's is a list, Amazon's and Speechmatics' has alternatives."""
    if isinstance(value, list) and len(value) == 3:
        return dict(zip(("word", "start", "end"), value, strict=True))
    if not isinstance(value, dict):
        return None
    alternatives = value.get("alternatives")
    if isinstance(alternatives, list) and alternatives and isinstance(alternatives[0], dict):
        return {**value, "content": alternatives[0].get("content")}
    return value


def _is_special(entry: Mapping[str, Any]) -> bool:
    """Returns whether an entry is a blank, a sound, or a control token of whisper.cpp."""
    text = entry.get("text")
    return entry.get("type") in ("spacing", "audio_event") or (isinstance(text, str) and text.startswith("[_"))


def _is_in_milliseconds(entry: Mapping[str, Any]) -> bool:
    values = [entry[name] for name in (*_BEGINS, *_ENDS) if name in entry]
    return not _IN_MILLISECONDS.isdisjoint(entry) and all(type(value) is int for value in values)


def _word(entry: Mapping[str, Any], unit: float) -> TimedText | None:
    """Returns a word and its times; None without a text."""
    text = next((entry[name] for name in _TEXTS if isinstance(entry.get(name), str)), None)
    if text is None:
        return None
    for name in _PAIRS:
        pair = entry.get(name)
        scale = _UNITS.get(name, 1.0)
        if isinstance(pair, list) and len(pair) == 2:
            return text, _seconds(pair[0], scale), _seconds(pair[1], scale)
        if isinstance(pair, dict):
            return text, _seconds(pair.get("from"), scale), _seconds(pair.get("to"), scale)
    begin, end, length = (_first(entry, names, unit) for names in (_BEGINS, _ENDS, _LENGTHS))
    return text, begin, begin + length if end is None and None not in (begin, length) else end  # type: ignore[operator]


def _first(entry: Mapping[str, Any], names: Sequence[str], unit: float) -> float | None:
    name = next((name for name in names if name in entry), None)
    return None if name is None else _seconds(entry[name], _UNITS.get(name, unit))


def _seconds(value: object, unit: float) -> float | None:
    """Returns the seconds of a time: a number, a text such as "1.5s", or seconds and nanoseconds."""
    if isinstance(value, dict):
        whole, rest = (_seconds(value.get(name, 0), scale) for name, scale in (("seconds", 1.0), ("nanos", 1e-9)))
        return None if whole is None or rest is None else whole + rest
    if isinstance(value, str):
        try:
            value = float(value.removesuffix("s"))
        except ValueError:
            return None
    return value * unit if is_finite(value) and 0.0 <= value * unit <= _MOST_SECONDS else None


def is_finite(value: object) -> TypeGuard[float]:
    """Returns whether a value of JSON is a finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer of hundreds of digits
        return False

"""Times and confidences of words in JSON of recognisers and speech services; their lists differ in names and units.

>>> words = listed_words([{"word": "A", "startTime": "0.5s", "endTime": "0.8s", "confidence": 0.75},
...                       {"word": "cat", "endTime": "1.2s", "confidence": 0.5}])
>>> times_of(["a", "cat."], words), confidences_of(["a", "cat."], words)
(((0.5, 0.8), (0.8, 1.2)), (0.75, 0.5))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from lattice_simp.core.hypothesis import Confidences, Times
from lattice_simp.formats.common import MOST_SECONDS
from lattice_simp.formats.json.values import first_of, is_finite, number_of


class ListedWord(NamedTuple):
    """A word of a list, with its begin and its end in seconds and its probability, where these are known."""

    text: str
    begin: float | None = None
    end: float | None = None
    confidence: float | None = None


_CONFIDENCES = ("confidence", "Confidence", "conf", "probability", "score", "p")
"""The names of a word's probability, from 0 to 1: of most services, Azure, Vosk, Whisper, WhisperX, whisper.cpp."""

_LOG = "logprob"
"""The name of the log of the probability of a word: of ElevenLabs."""

_TEXTS = ("word", "Word", "text", "content", "Content", "value", "token", "name")
_BEGINS = (
    "start",
    "start_time",
    "startTime",
    "startOffset",
    "startTimeMs",
    "begin",
    "begin_time",
    "time_begin",
    "Offset",
    "offsetInTicks",
    "offsetMilliseconds",
    "BeginOffsetMillis",
    "start_timestamp_millis",
    "start_sec",
    "startSec",
    "start_ms",
    "ts",
    "time",
)
_ENDS = (
    "end",
    "end_time",
    "endTime",
    "endOffset",
    "endTimeMs",
    "EndOffsetMillis",
    "end_timestamp_millis",
    "end_sec",
    "endSec",
    "end_ms",
    "end_ts",
    "time_end",
)
_LENGTHS = ("durationInTicks", "durationMilliseconds", "duration", "Duration", "length")
_PAIRS = ("offsets", "timestamp")
"""The names of the fields of a word: its text, begin, end and duration, or both times together."""

_TICK, _MILLISECOND = 1e-7, 1e-3
_UNITS = dict.fromkeys(("Offset", "Duration", "offsetInTicks", "durationInTicks"), _TICK) | dict.fromkeys(
    (
        "startTimeMs",
        "endTimeMs",
        "offsets",
        "offsetMilliseconds",
        "durationMilliseconds",
        "BeginOffsetMillis",
        "EndOffsetMillis",
        "start_timestamp_millis",
        "end_timestamp_millis",
        "start_ms",
        "end_ms",
    ),
    _MILLISECOND,
)
"""The units of fields in seconds; all others are in seconds."""

_OFFSETS = frozenset({"startOffset", "endOffset"})
"""Fields that are times of Google, texts with their unit, and numbers of letters in Gentle."""

_IN_MILLISECONDS = frozenset({"text", "startTime"})
"""Fields beside which whole numbers are milliseconds: of AssemblyAI and Riva."""

_IN_SECONDS = frozenset({"seek", "avg_logprob", "no_speech_prob", "logprob"})
"""Fields beside which they are seconds: of Whisper's segments and ElevenLabs' words."""

_ROUNDING = 0.035
"""The most seconds by which a rounded end may be before the begin."""

_ROUNDED = 1.01
"""The largest number that counts as a rounded probability, as Vosk writes them."""


def listed_words(values: object) -> list[ListedWord] | None:
    """Returns the words of a list; None for other lists and words with neither times nor confidences."""
    if isinstance(values, dict):  # NeMo: lists of words, segments, letters
        values = values.get("word")
    if not isinstance(values, list):
        return None
    entries = [entry for entry in map(_fields, values) if entry is not None and not _is_special(entry)]
    unit = _MILLISECOND if all(map(_is_in_milliseconds, entries)) else 1.0
    words = [_word(entry, unit) for entry in entries]
    if any(_confidence(entry) is None and _is_stated(entry) for entry in entries):  # the scale is another one
        words = [word and word._replace(confidence=None) for word in words]
    valid_words = [word for word in words if word is not None]
    if (
        not valid_words
        or len(valid_words) < len(words)
        or all(word.end is None and word.confidence is None for word in valid_words)
    ):
        return None
    return valid_words


def times_of(tokens: Sequence[str], words: Sequence[ListedWord]) -> Times | None:
    """Returns the begin and the end of each token, if the words have times and the letters of the tokens; else None.

    Case and punctuation may differ. A word without times takes no time after the one before it.
    """
    if all(word.end is None for word in words):
        return None
    filled, now = list[tuple[str, float, float]](), next((word.begin for word in words if word.begin is not None), 0.0)
    for text, begin, end, _ in words:
        first = now if begin is None else begin
        now = max(first, first if end is None else end)
        filled.append((text, first, now))
    for form in (_letters, _plain):
        times = _times(list(map(form, tokens)), [(form(text), begin, end) for text, begin, end in filled])
        if times is not None:
            return times
    return None


def confidences_of(tokens: Sequence[str], words: Sequence[ListedWord]) -> Confidences | None:
    """Returns the confidence of each token, if the words have confidences and the letters of the tokens; else None.

    A token of several words has the product of their confidences, and NaN if one of them has none. Punctuation counts
    only in tokens without words. Punctuation and sounds in brackets are certain without a confidence.
    """
    if not any(word.confidence for word in words):  # all are 0 where a service did not set them
        return None
    for form in (_letters, _plain):
        owners = _owners(list(map(form, tokens)), [form(word.text) for word in words])
        if owners is not None:
            return tuple(_share([words[number] for number in numbers]) for numbers in owners)
    return None


def _share(words: Sequence[ListedWord]) -> float:
    """Returns the confidence of a token that consists of these words; NaN if a word has none."""
    spoken = [word for word in words if _plain(word.text) and not (is_sound(word) and word.confidence is None)]
    if not spoken:
        return math.prod(1.0 if word.confidence is None else word.confidence for word in words)
    return math.prod(math.nan if word.confidence is None else word.confidence for word in spoken)


def with_nulls(confidences: Confidences | None) -> tuple[float | None, ...] | None:
    """Returns confidences as JSON holds them: unknown ones are null.

    >>> with_nulls((0.5, math.nan))
    (0.5, None)
    """
    return None if confidences is None else tuple(None if math.isnan(share) else share for share in confidences)


def is_sound(word: ListedWord) -> bool:
    """Returns whether an entry is a sound in brackets, as ElevenLabs writes it: "(laughs)"."""
    return word.text.startswith("(") and word.text.endswith(")")


def runs_backward(word: ListedWord) -> bool:
    """Returns whether a word ends before it begins, by more than recognisers round their times.

    >>> runs_backward(ListedWord("a", 0.5, 0.25)), runs_backward(ListedWord("a", 0.5, 0.49))
    (True, False)
    """
    return word.begin is not None and word.end is not None and word.begin - word.end > _ROUNDING


def _owners(tokens: Sequence[str], words: Sequence[str]) -> list[list[int]] | None:
    """Returns the numbers of the words that the letters of each token belong to; None if the letters differ."""
    if "".join(tokens) != "".join(words):
        return None
    owners, position = [number for number, word in enumerate(words) for _ in word], 0
    token_owners = list[list[int]]()
    for token in tokens:
        token_owners.append(list(dict.fromkeys(owners[position : position + len(token)])))
        position += len(token)
    return token_owners


def times_like(tokens: Sequence[str], timed_tokens: Sequence[str], times: Times) -> Times:
    """Estimates times from another hypothesis: common words keep their times, and other words share the rest.

    >>> times_like(["a", "big", "hat"], ["a", "cat"], ((0.0, 0.5), (0.5, 1.5)))
    ((0.0, 0.5), (0.5, 1.0), (1.0, 1.5))
    """
    spans = list[tuple[float, float]]()
    for kind, first, last, begin, end in SequenceMatcher(None, timed_tokens, tokens, autojunk=False).get_opcodes():
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
    """Returns a word of a list as an object; Watson's are lists, Amazon's and Speechmatics' have alternatives."""
    if isinstance(value, list) and len(value) in (2, 3) and isinstance(value[0], str):
        names = ("word", "start", "end") if len(value) == 3 else ("word", "confidence")
        return dict(zip(names, value, strict=True))
    if not isinstance(value, dict):
        return None
    alternatives = value.get("alternatives")
    if isinstance(alternatives, list) and alternatives and isinstance(alternatives[0], dict):
        return {**value, **{name: alternatives[0].get(name) for name in ("content", "confidence")}}
    return value


def _is_special(entry: Mapping[str, Any]) -> bool:
    """Returns whether an entry is a blank, or a control token of whisper.cpp."""
    text = entry.get("text")
    return entry.get("type") == "spacing" or (isinstance(text, str) and text.startswith("[_"))


def _is_in_milliseconds(entry: Mapping[str, Any]) -> bool:
    values = [entry[name] for name in (*_BEGINS, *_ENDS) if name in entry]
    is_of_such = not _IN_MILLISECONDS.isdisjoint(entry) and _IN_SECONDS.isdisjoint(entry)
    return is_of_such and all(type(value) is int for value in values)


def _word(entry: Mapping[str, Any], unit: float) -> ListedWord | None:
    """Returns a word with its times and confidence; None without a text."""
    text = first_of(entry, _TEXTS, str)
    if text is None:
        return None
    share = _confidence(entry)
    for name in _PAIRS:
        pair = entry.get(name)
        scale = _UNITS.get(name, 1.0)
        if isinstance(pair, list) and len(pair) == 2:
            return ListedWord(text, _seconds(pair[0], scale), _seconds(pair[1], scale), share)
        if isinstance(pair, dict):
            return ListedWord(text, _seconds(pair.get("from"), scale), _seconds(pair.get("to"), scale), share)
    begin, end, length = (_first(entry, names, unit) for names in (_BEGINS, _ENDS, _LENGTHS))
    if end is None and begin is not None and length is not None:
        end = begin + length
    return ListedWord(text, begin, end, share)


def hold_percentages(values: object) -> bool:
    """Returns whether a list has a word with a confidence above 1, such as a percentage.

    >>> hold_percentages([{"word": "a", "confidence": 95}]), hold_percentages([{"word": "a", "confidence": 0.95}])
    (True, False)
    """
    entries = map(_fields, values) if isinstance(values, list) else ()
    return any(entry is not None and (_stated(entry) or 0.0) > _ROUNDED for entry in entries)


def hold_confidences(values: object) -> bool:
    """Returns whether a list has a word with a confidence other than 0; services that do not set them write 0."""
    entries = map(_fields, values) if isinstance(values, list) else ()
    return any(entry is not None and (_LOG in entry or bool(_stated(entry))) for entry in entries)


def _is_stated(entry: Mapping[str, Any]) -> bool:
    return is_finite(entry.get(_LOG)) or _stated(entry) is not None


def _confidence(entry: Mapping[str, Any]) -> float | None:
    """Returns the probability of a word: a number from 0 to 1, also as a text, or a log; None for any other value."""
    if is_finite(log := entry.get(_LOG)):
        return math.exp(log) if log <= 0.0 else None
    number = _stated(entry)
    return min(number, 1.0) if number is not None and 0.0 <= number <= _ROUNDED else None


def _stated(entry: Mapping[str, Any]) -> float | None:
    """Returns the number under the name of a probability, or None."""
    value = next((entry[name] for name in _CONFIDENCES if name in entry), None)
    return number_of(value)


def _first(entry: Mapping[str, Any], names: Sequence[str], unit: float) -> float | None:
    held = (name for name in names if name in entry)
    name = next((name for name in held if name not in _OFFSETS or not is_finite(entry[name])), None)
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
    return value * unit if is_finite(value) and 0.0 <= value * unit <= MOST_SECONDS else None

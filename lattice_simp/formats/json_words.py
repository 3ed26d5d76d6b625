"""The lists of words in JSON of recognisers: the times of hypotheses, and what is not read.

>>> words = [{"word": "a", "start": 0.1, "end": 0.3, "conf": 0.9}]
>>> with_times({"text": "a"}, words_of_entries({}, [{"text": "a", "result": words}], 1)[0])
{'text': 'a', 'times': ((0.1, 0.3),)}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lattice_simp.core.symbols import split_tokens
from lattice_simp.formats.json_times import TimedText, timed_words, times_of

NO_CONFIDENCES = "`lattice ctm` and `lattice confidence` compute confidences from the scores of the hypotheses"

_LISTS = ("words", "Words", "items", "elements", "result", "timestamps", "timestamp", "word-alignment")
"""The names of lists of words with their times."""

_PARTS = "tokens"
"""The name of a list of parts of words with their times, of whisper.cpp, or without times, of Whisper."""

_SPANS = "timestamp"
"""The name of a list of the begins and ends of a text's tokens."""

_OTHER_LISTS = ("word_confidence", "word_alternatives")
"""The names of lists of confidences and alternatives of words."""

_CONFIDENCES = frozenset({"conf", "confidence", "Confidence", "probability", "score", "logprob"})
"""The names of the confidence of a word."""

_NO_TIMES = "lattices hold times: write SLF or a Kaldi archive where the recogniser can"
_LINE_ENDS = re.compile(r"[\r\n]+")  # samples of a language model may have several lines, unlike n-best lists


def words_of_entries(row: Mapping[str, Any], entries: Sequence[object], count: int) -> list[Sequence[TimedText] | None]:
    """Returns the timed words of each of `count` hypotheses, or None; the row's own belong to the first one."""
    words: list[Sequence[TimedText] | None] = [None] * count
    if len(entries) == count:
        words = [_words_of(entry) for entry in entries]
    if words and words[0] is None:
        words[0] = _words_of(row)
    return words


def words_of_segments(row: Mapping[str, Any], segments: Sequence[object]) -> list[TimedText] | None:
    """Returns the timed words of a transcript in segments; a segment of one word is that word."""
    words = _words_of(row) or []
    for segment in () if words else segments:
        inner = _words_of(segment)
        if inner is None and isinstance(segment, dict) and len(split_tokens(str(segment.get("text")))) == 1:
            inner = timed_words([segment])
        if inner is None:
            return None
        words += inner
    return words or None


def holds_words(row: Mapping[str, Any]) -> bool:
    """Returns whether an object has a list of words with their times."""
    return _words_of(row) is not None


def with_times(hypothesis: Any, words: Sequence[TimedText] | None) -> Any:
    """Adds the times of its tokens to a hypothesis, if these are the words."""
    if not isinstance(hypothesis, dict) or not isinstance(hypothesis.get("text"), str) or "times" in hypothesis:
        return hypothesis
    times = None if words is None else times_of(tokens_of(hypothesis["text"]), words)
    return hypothesis if times is None else {**hypothesis, "times": times}


def tokens_of(text: str) -> list[str]:
    """Returns the tokens of a text of one or more lines."""
    return split_tokens(_LINE_ENDS.sub(" ", text))


def unread_words(entries: Sequence[object], hypotheses: object) -> list[tuple[str, str]]:
    """Returns the warning about lists of words of which something is not read: a message and a remedy."""
    objects = [entry for entry in entries if isinstance(entry, dict)]
    is_timed = isinstance(hypotheses, list) and any("times" in entry for entry in hypotheses if isinstance(entry, dict))
    names = [name for name in _LISTS for entry in objects if _has_objects(entry.get(name))]
    others = [name for name in _OTHER_LISTS for entry in objects if _has_objects(entry.get(name))]
    if is_timed:
        names = [name for name in names if any(_has_confidences(entry.get(name)) for entry in objects)]
    listed = ", ".join(f"'{name}'" for name in dict.fromkeys((*names, *others)))
    if not listed:
        return []
    if not is_timed:
        return [(f"the times, confidences and alternatives of words are not read: {listed}", _NO_TIMES)]
    what = "confidences and alternatives" if "word_alternatives" in others else "confidences"
    return [(f"the {what} of words are not read: {listed}", NO_CONFIDENCES)]


def _words_of(entry: object) -> list[TimedText] | None:
    """Returns the words of the first list of an object that has times."""
    if not isinstance(entry, dict):
        return None
    words = next((words for name in (*_LISTS, _PARTS) if (words := timed_words(entry.get(name))) is not None), None)
    return _words_beside(entry) if words is None else words


def _words_beside(entry: Mapping[str, Any]) -> list[TimedText] | None:
    """Returns the words of a text whose times are in a list of their own, in milliseconds (FunASR)."""
    times, tokens = entry.get(_SPANS), tokens_of(str(entry.get("text")))
    if not isinstance(times, list) or len(times) != len(tokens) or not tokens:
        return None
    return timed_words([{"text": token, "offsets": pair} for token, pair in zip(tokens, times, strict=True)])


def _has_objects(values: object) -> bool:
    """Returns whether a value is a list of objects or lists, not of words."""
    return isinstance(values, list) and bool(values) and all(isinstance(value, dict | list) for value in values)


def _has_confidences(values: object) -> bool:
    """Returns whether a list has an object with the confidence of a word."""
    return isinstance(values, list) and any(
        isinstance(value, dict) and not _CONFIDENCES.isdisjoint(value) for value in values
    )

"""The lists of words in JSON of recognisers: the times and confidences of hypotheses, and warnings about unread lists.

>>> words = [{"word": "a", "start": 0.1, "end": 0.3, "conf": 0.9}]
>>> with_words({"text": "a"}, words_of_entries({}, [{"text": "a", "result": words}], 1)[0])
{'text': 'a', 'times': ((0.1, 0.3),), 'confidences': (0.9,)}
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from lattice_simp.core.scripts import is_unspaced
from lattice_simp.core.symbols import split_tokens
from lattice_simp.formats.json.times import (
    ListedWord,
    confidences_of,
    hold_confidences,
    hold_percentages,
    is_sound,
    listed_words,
    times_of,
    with_nulls,
)
from lattice_simp.formats.json.values import is_finite, listed
from lattice_simp.support.plurals import in_words

NO_CONFIDENCES = "`lattice ctm` and `lattice confidence` compute confidences from the scores of the hypotheses"
NO_ALTERNATIVES = "ask the service for several transcripts of the recording, which become hypotheses"

_LISTS = (
    "words",
    "Words",
    "items",
    "elements",
    "result",
    "timestamps",
    "timestamps_word",
    "word",
    "timestamp",
    "word-alignment",
    "word_segments",
)
"""The names of lists of words with their times."""

_PARTS = ("tokens", "logprobs")
"""The names of lists of parts of words: with times, of whisper.cpp, without, of Whisper, or with logs, of OpenAI."""

_SPANS = "timestamp"
"""The name of a list of the begins and ends of a text's tokens."""

_BEGINS, _DURATIONS = "timestamps", "durations"
"""The names of lists of the begins and the durations of tokens, which are in a list of parts: of sherpa-onnx."""

_CONFIDENCES = "word_confidence"
"""The name of a list of words with their confidences, of Watson, or of confidences only, of NeMo."""

_ALTERNATIVES = "word_alternatives"
"""The name of a list of the alternatives of words, of Watson."""

Speakers: TypeAlias = dict[str, set[str]]
"""The speakers and channels of a file by the names of their fields."""

_SPEAKERS = frozenset(
    {
        "channel_index",
        "speaker",
        "speaker_label",
        "speaker_id",
        "speakerId",
        "speakerTag",
        "Speaker",
        "ParticipantRole",
        "channel",
        "channel_label",
        "channelTag",
        "channel_id",
        "ChannelId",
    }
)
"""The names of the speaker or the channel of a word, a segment or a result."""

_LOGS = frozenset({"logprobs", "logprobsResult", "prompt_logprobs", "completion_probabilities"})
"""The names of many log probabilities of tokens, which have no speakers."""

_NO_SPEAKERS = "split the recording by them first if you need to know who speaks"
_NO_NUMBERS = "write finite numbers"
_NO_PERCENTAGES = "some are above 1: write confidences from 0 to 1"
_NO_TIMES = "lattices hold times: write SLF or a Kaldi archive where the recogniser can"
_LINE_ENDS = re.compile(r"[\r\n]+")  # samples of a language model may have several lines, unlike n-best lists


def words_of_entries(
    row: Mapping[str, Any], entries: Sequence[object], count: int
) -> list[Sequence[ListedWord] | None]:
    """Returns the timed words of each of `count` hypotheses, or None; the row's own belong to the first one."""
    words: list[Sequence[ListedWord] | None] = [None] * count
    if len(entries) == count:
        words = [_words_of(entry) for entry in entries]
    if words and words[0] is None:
        words[0] = _words_of(row)
    return words


def words_of_segments(row: Mapping[str, Any], segments: Sequence[object]) -> list[ListedWord] | None:
    """Returns the timed words of a transcript in segments.

    A segment of one word is that word. If only some segments have words, the others count as words with blanks.
    """
    words = _words_of(row)
    if words is not None:
        return words
    lists = [_words_of(segment) for segment in segments]
    are_words = [isinstance(segment, dict) and len(split_tokens(str(segment.get("text")))) == 1 for segment in segments]
    are_listed = any(inner is not None for inner in lists)
    if all(are_words) and not are_listed:
        return listed_words(list(segments))  # Transformers leaves the end of the last one open
    words = []
    for segment, inner, is_word in zip(segments, lists, are_words, strict=True):
        if inner is None and (is_word or are_listed):
            inner = listed_words([segment])
            inner = inner if inner is None or is_word else [inner[0]._replace(confidence=None)]
        if inner is None:
            return None
        words += inner
    return words or None


def text_of_words(row: Mapping[str, Any]) -> str | None:
    """Returns the text of an object that is only a list of words with times or confidences; None for other objects.

    >>> text_of_words({"words": [{"text": "a", "start": 0.5, "end": 0.75}, {"text": "cat", "start": 0.75, "end": 1}]})
    'a cat'
    """
    words = next((words for name in _LISTS if (words := listed_words(row.get(name))) is not None), None)
    if words is None:
        return None
    between = "" if any(word.text.startswith(" ") for word in words) else " "
    return between.join(word.text for word in words).strip()


def holds_words(row: Mapping[str, Any]) -> bool:
    """Returns whether an object has a list of words with their times, which is empty where nothing was said."""
    is_empty = any(row.get(name) == [] for name in _LISTS)
    return is_empty or _has_objects(row.get(_SPANS)) or _words_of(row) is not None


def with_words(hypothesis: Any, words: Sequence[ListedWord] | None) -> Any:
    """Adds the times and the confidences of its tokens to a hypothesis, if these are the words."""
    if words is None or not isinstance(hypothesis, dict) or not isinstance(hypothesis.get("text"), str):
        return hypothesis
    tokens, spoken = tokens_of(hypothesis["text"]), [word for word in words if not is_sound(word)]
    values: dict[str, Any] = {}
    for name, read in (("times", times_of), ("confidences", confidences_of)):
        value = read(tokens, words)
        values[name] = value if value is not None or len(spoken) == len(words) else read(tokens, spoken)
    values["confidences"] = with_nulls(values["confidences"])
    added = {name: value for name, value in values.items() if value is not None and name not in hypothesis}
    return {**hypothesis, **added}


def tokens_of(text: str) -> list[str]:
    """Returns the tokens of a text of one or more lines."""
    return split_tokens(_LINE_ENDS.sub(" ", text))


def unread_words(entries: Sequence[object], hypotheses: object) -> list[tuple[str, str]]:
    """Returns the warning about lists of words of which something is not read: a message and a remedy."""
    objects = [entry for entry in entries if isinstance(entry, dict)]
    read = (
        {name for entry in hypotheses if isinstance(entry, dict) for name in entry}
        if isinstance(hypotheses, list)
        else set()
    )
    names = [name for name in _LISTS for entry in objects if _has_objects(entry.get(name))]
    beside = [_BEGINS for entry in objects if _parts_beside(entry) is not None]
    unread = {
        "times": [name for name in (*names, *beside) if "times" not in read],
        "confidences": [
            name
            for name in (*names, _CONFIDENCES)
            if "confidences" not in read and any(hold_confidences(entry.get(name)) for entry in objects)
        ],
        "alternatives": [_ALTERNATIVES for entry in objects if _has_objects(entry.get(_ALTERNATIVES))],
    }
    listed = ", ".join(f"'{name}'" for name in dict.fromkeys(chain.from_iterable(unread.values())))
    if not listed:
        return []
    parts = in_words(part for part, names in unread.items() if names)
    are_percentages = any(hold_percentages(entry.get(name)) for name in unread["confidences"] for entry in objects)
    remedy = _NO_PERCENTAGES if are_percentages else NO_CONFIDENCES
    return [(f"the {parts} of words are not read: {listed}", _NO_TIMES if unread["times"] else remedy)]


def unread_fields(value: object, speakers: Speakers | None = None) -> list[tuple[str, str]]:
    """Returns the warnings about several speakers or channels, and about NaN: messages and remedies.

    `speakers` are those of earlier values; those of this value are added.

    >>> unread_fields({"words": [{"text": "yes", "speaker": "A"}, {"text": "no", "speaker": "B"}]})[0][0]
    "speakers or channels are not read: 'speaker'"
    """
    speakers = {} if speakers is None else speakers
    infinite = set[str]()
    for name, field in _fields_within(value):
        if name in _SPEAKERS and isinstance(field, str | int | list):
            speakers.setdefault(name, set()).add(str(field))
        elif isinstance(field, float) and not math.isfinite(field):
            infinite.add(name)
    listed = ", ".join(f"'{name}'" for name in sorted(speakers) if len(speakers[name]) > 1)
    doubts = [(f"speakers or channels are not read: {listed}", _NO_SPEAKERS)] if listed else []
    listed = ", ".join(f"'{name}'" for name in sorted(infinite))
    return [*doubts, (f"values that are not finite count as missing: {listed}", _NO_NUMBERS)] if listed else doubts


def _fields_within(value: object) -> Iterator[tuple[str, object]]:
    """Yields the names and the values of all fields within a value, but not those within log probabilities."""
    due = [value]
    for part in due:
        if isinstance(part, dict):
            yield from part.items()
            due += [child for name, child in part.items() if isinstance(child, dict | list) and name not in _LOGS]
        elif isinstance(part, list):
            due += [child for child in part if isinstance(child, dict | list)]


def _words_of(entry: object) -> list[ListedWord] | None:
    """Returns the words of the first list of an object that has times or confidences."""
    if not isinstance(entry, dict):
        return None
    words = next((words for name in (*_LISTS, *_PARTS) if (words := listed_words(entry.get(name))) is not None), None)
    words = _words_beside(entry) if words is None else words
    return _with_confidences(words, entry)


def _with_confidences(words: list[ListedWord] | None, entry: Mapping[str, Any]) -> list[ListedWord] | None:
    """Adds confidences from a separate list to the words."""
    values = entry.get(_CONFIDENCES)
    if not isinstance(values, list):
        return words
    texts = (
        tokens_of(str(entry.get("text", entry.get("pred_text")))) if words is None else [word.text for word in words]
    )
    if len(values) == len(texts) and all(map(is_finite, values)):
        values = [list(pair) for pair in zip(texts, values, strict=True)]
    listed = listed_words(values)
    if listed is None or words is None:
        return listed if words is None else words
    if [word.text for word in listed] != [word.text for word in words]:
        return words
    return [word._replace(confidence=listed_word.confidence) for word, listed_word in zip(words, listed, strict=True)]


def _words_beside(entry: Mapping[str, Any]) -> list[ListedWord] | None:
    """Returns the words of a text whose times are in a list of their own: in milliseconds (FunASR), or by part."""
    if (parts := _parts_beside(entry)) is not None:
        return parts
    times, text = listed(entry.get(_SPANS)), str(entry.get("text"))
    if not isinstance(times, list) or not times:
        return None
    tokens = next((parts for parts in (tokens_of(text), _spoken_parts(text)) if len(parts) == len(times)), None)
    if tokens is None:
        return None
    return listed_words([{"text": token, "offsets": pair} for token, pair in zip(tokens, times, strict=True)])


def _spoken_parts(text: str) -> list[str]:
    """Returns the letters of scripts without blanks and the words of others, without punctuation, as FunASR times them.

    >>> _spoken_parts("我爱你，ok 吗。")
    ['我', '爱', '你', 'ok', '吗']
    """
    parts = (f" {character} " if is_unspaced(character) else character for character in text)
    return re.sub(r"[^\w']+", " ", "".join(parts)).split()


def _parts_beside(entry: Mapping[str, Any]) -> list[ListedWord] | None:
    """Returns the parts of words whose begins are in a list of their own; each ends where the next one begins.

    >>> _parts_beside({"tokens": [" c", "at"], "timestamps": [0.5, 0.75], "durations": [0.25, 0.25]})[1].end
    1.0
    """
    parts, begins, durations = (listed(entry.get(name)) for name in (_PARTS[0], _BEGINS, _DURATIONS))
    if not isinstance(parts, list) or not isinstance(begins, list) or len(begins) != len(parts) or not parts:
        return None
    if not all(isinstance(part, str) for part in parts) or not all(map(is_finite, begins)):
        return None
    ends = [*begins[1:], begins[-1]]
    if isinstance(durations, list) and len(durations) == len(parts) and all(map(is_finite, durations)):
        ends = [begin + duration for begin, duration in zip(begins, durations, strict=True)]
    return listed_words(
        [{"word": part, "start": begin, "end": end} for part, begin, end in zip(parts, begins, ends, strict=True)]
    )


def _has_objects(values: object) -> bool:
    """Returns whether a value is a list of objects or lists, not of words."""
    return isinstance(values, list) and bool(values) and all(isinstance(value, dict | list) for value in values)

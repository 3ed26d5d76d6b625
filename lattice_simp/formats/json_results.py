"""JSON of other programs: recognisers, speech services, chat completions, Sockeye. They become objects of `json_nbest`.

>>> choices = [{"message": {"role": "assistant", "content": "a cat"}, "logprobs": None}]
>>> rows_of({"id": "chatcmpl-1", "object": "chat.completion", "choices": choices})
[{'hypotheses': [{'text': 'a cat'}]}]
>>> result = {"alternatives": [{"transcript": "a cat", "confidence": 1.0}, {"transcript": "a hat", "confidence": 0.5}]}
>>> rows_of({"results": [result]})[0]["hypotheses"][0]
{'text': 'a cat', 'score': 0.0}

Services return a result for each segment of a recording: each is a sentence. A transcript in segments, as Whisper,
whisper.cpp and Transformers write it, is one sentence with one hypothesis.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from lattice_simp.core.symbols import split_tokens
from lattice_simp.formats.json_answers import (
    DOUBTS,
    LOG_PROBABILITY,
    SINGLE_WORDS,
    are_unlike,
    are_words,
    choices,
    generations,
    is_object,
    log_probability,
    response_choice,
)
from lattice_simp.formats.json_espnet import espnet_rows
from lattice_simp.formats.json_streams import is_final_text
from lattice_simp.formats.json_times import is_finite, listed_words, number_of
from lattice_simp.formats.json_translations import translated_rows
from lattice_simp.formats.json_words import (
    NO_ALTERNATIVES,
    NO_CONFIDENCES,
    Speakers,
    holds_words,
    text_of_words,
    unread_fields,
    unread_words,
    with_words,
    words_of_entries,
    words_of_segments,
)
from lattice_simp.support.plurals import in_words

KEYS = (
    rb'"(?:alternatives|nbest|NBest|nBest|choices|candidates|outputs|translations|sequences|segments|chunks'
    rb'|transcription|transcripts|utterances|monologues|phrases|Transcript|audio_segments|timestamps|logprobs)"\s*:\s*\['
    rb'|"(?:words|result|prediction)"\s*:\s*\[\s*\{|"words"\s*:\s*\[\s*\]|"resps"\s*:\s*\[\s*\[\s*"'
    rb'|"(?:sentence_id|start_ms)"\s*:|"timestamp"\s*:\s*\[\s*\[|"transcription"\s*:\s*\{'
    rb'|"utts"\s*:\s*\{|"sentences"\s*:\s*\[\s*\{\s*"text"\s*:|"results"\s*:\s*\[\s*\]|"(?:RecognitionStatus|avg_logprob|pred_text|custom_id|prompt(?:F|_f)eedback|translatedText|generated_text)"\s*:'
    rb'|"object"\s*:\s*"response"|"tokens_predicted"\s*:|"role"\s*:\s*"assistant"|"(?:w|word_segments)"\s*:\s*\[|"timestamps"\s*:\s*"\['
    rb'|"(?:generations|completions|responses|samples|text)"\s*:\s*\[\s*(?:"|\{[^{}\n]*"text"\s*:)|"generation(?:_id)?"\s*:\s*"|"done"\s*:\s*(?:true|false)'
    rb'|"Results"\s*:\s*\[|"elements"\s*:\s*\[\s*\{|"(?:final|utterance|sentence)"\s*:\s*\{|"(?:wav_name|total_audio_proc_ms)"\s*:'
    rb'|"(?:type|message_type)"\s*:\s*"(?:final|[^"\n]*[Tt]ranscri[^"\n]*)"'
)
"""The names by which such JSON is recognised."""

_STRING = rb'"(?:[^"\\\n]|\\.)*"'
BARE = rb'\{\s*(?:"(?:id|key|utt|utt_id|name)"\s*:\s*(?:\d+|%b)\s*,\s*)?"text"\s*:\s*%b\s*(?:\}|,\s*"usage"\s*:)' % (
    _STRING,
    _STRING,
)
"""The beginning of an object that is a text, with its name or number, or the usage of OpenAI's transcriptions."""

FAILED = "failed"
"""The field of an object for the message of a request without an answer."""

NAME = "name"
"""The field of an object for its name."""

_NAMES = ("custom_id", "recordId", "key", "jobName", "JobName", "utt_id", "utt", "wav_name", NAME)
"""The fields with the name of a request or an utterance: of batches, of Amazon, of ESPnet and FunASR."""

_BESIDE_TEXT = frozenset({*_NAMES, "id", "usage", "mode", "is_final"})
"""The fields beside the text of an object that has no scores."""

_VARIANT = re.compile(r"\(\d+\)$")
"""The number of a pronunciation, after a word of PocketSphinx."""

_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")

_FILE = "audio_filepath"
"""The field with the path of a recording: of NeMo."""

_LEAST_CONFIDENCE = 1e-6
"""The confidence that replaces 0."""

_WRAPPERS = ("response", "body", "result", "transcription", "retval", "output", "modelOutput", "channel")
"""The names under which batches, long operations, Gladia, BBC's Kaldi, Bedrock and Deepgram's streams hold a result."""

_REASON = "stopReason"
"""The field beside Bedrock's results for the reason why an answer ends."""

_FAILURES = ("errored", "canceled", "expired")
"""The types of a request of Anthropic's batches that has no answer."""

_LEAST_FAILED = 400
"""The least status of HTTP of a request that failed."""

_SEGMENTS = ("segments", "chunks", "transcription", "utterances", "monologues", "phrases", "sentences")
"""The names of lists of segments: of Whisper, Transformers, whisper.cpp, Gladia, Rev AI, Azure, Alibaba."""

_SOME_SCORES = ("the scores of segments are not read, as some have none", "write 'avg_logprob' in all segments")
_NULL_REMEDY = "recognise these recordings again"
_SEVERAL = (
    "texts with hardly a common word may be of several sentences; they are read as samples of one",
    "write a line for each sentence",
)
_ALONE = (
    "choices without their completion are read as answers to several prompts",
    "write the whole completion, which lists its choices",
)
_PARTLY = (
    "not all alternatives have a confidence, so all of a sentence weigh the same",
    "keep the first ones with `lattice nbest`, which are the service's best",
)


def rows_of(value: Any, speakers: Speakers | None = None) -> list[Any]:
    """Returns the sentences of a value as objects with `hypotheses`, and `name` if they have one.

    Unknown values are unchanged.

    Args:
        value: a value of JSON.
        speakers: those of the values before it in the same file.
    """
    value = _of_empty_line(value)
    name = _name(value) if isinstance(value, dict) else None
    rows = _rows(value)
    if rows and rows[0] is not value and is_object(rows[0]) and (doubts := unread_fields(value, speakers)):
        rows[0] = {**rows[0], DOUBTS: [*rows[0].get(DOUBTS, ()), *doubts]}
    if name is None:
        return rows
    names = [name] if len(rows) == 1 else [f"{name}-{number}" for number in range(1, len(rows) + 1)]
    return [{**row, NAME: name} if isinstance(row, dict) else row for row, name in zip(rows, names, strict=True)]


def _of_empty_line(value: Any) -> Any:
    """Returns Sockeye's result with the score 0, and not minus infinity, if it translates an empty line."""
    is_empty = is_object(value) and "sentence_id" in value and value.get("translation") == "" and "score" in value
    return {**value, "score": 0.0} if is_empty else value


def _name(value: Mapping[str, Any]) -> str | None:
    """Returns the name of an utterance or a request: that of its file, an `id` that is a text, or None.

    >>> _name({"custom_id": "r-1"}), _name({"audio_filepath": "wav/u-7.wav"}), _name({"id": 7})
    ('r-1', 'u-7', None)
    """
    names = (*_NAMES, "id") if "hypotheses" in value or _is_bare(value) else _NAMES
    name = next((value[key] for key in names if isinstance(value.get(key), str) and value[key].strip()), None)
    path = value.get(_FILE)
    return PurePath(path).stem or None if name is None and isinstance(path, str) else name


def _rows(value: Any) -> list[Any]:
    if not isinstance(value, dict) or "hypotheses" in value:
        return [value]
    while (failure := _failure(value)) is None and (inner := _wrapped(value)) is not None:
        value = inner
    if failure is not None:
        return [{"hypotheses": [], FAILED: failure}]
    if is_object(utterances := value.get("utts")):
        return espnet_rows(utterances)
    result = _spelled(_from_sphinx(_from_amazon(_from_gladia(value))))
    results = translated_rows(result)
    if results is None:
        results = _results(result)
    rows = [_row(result) for result in ([result] if results is None else results)]
    if results is None and "hypotheses" not in rows[0] and (failure := _missing_answer(value)) is not None:
        return [{"hypotheses": [], FAILED: failure}]
    return rows


def _wrapped(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the result that an object holds; None if it is a result itself.

    >>> _wrapped({"result": {"language": "en"}, "transcription": [{"text": " a cat"}]}) is None
    True
    """
    if any(isinstance(value.get(name), list) for name in (*_LISTS, *_SEGMENTS)):
        return None
    inner = next((value[name] for name in _WRAPPERS if isinstance(value.get(name), dict)), None)
    return {**{name: value[name] for name in (_REASON,) if name in value}, **inner} if inner else None


def _from_amazon(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renames the turns of Amazon's call analytics and Bedrock, and the fields of its streams; others are unchanged."""
    if isinstance(value.get("Results"), list):
        renamed: Mapping[str, Any] = _snaked(value)
        return renamed
    turns, segments = value.get("Transcript"), value.get("audio_segments")
    if isinstance(turns, list) and all(isinstance(turn, dict) for turn in turns):
        utterances = [{"text": turn.get("Content"), "words": turn.get("Items")} for turn in turns]
        return {"utterances": utterances}
    if isinstance(segments, list):
        return {"utterances": segments, "words": value.get("audio_items")}
    return value


def _snaked(value: Any) -> Any:
    """Returns a value with the names of its fields in small letters.

    >>> _snaked({"Results": [{"IsPartial": False, "EndTime": 1.5}]})
    {'results': [{'is_partial': False, 'end_time': 1.5}]}
    """
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
    if not value.keys() >= {"b", "d", "t", "w"} or not isinstance(words, list) or not all(map(is_object, words)):
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


def _spelled(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a result of DeepSpeech with words instead of letters; any other object is unchanged."""
    transcripts = value.get("transcripts")
    if not isinstance(transcripts, list) or not all(
        is_object(entry) and isinstance(entry.get("tokens"), list) and all(map(is_object, entry["tokens"]))
        for entry in transcripts
    ):
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


def _from_gladia(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renames the utterances of Gladia's first version; returns any other object unchanged."""
    entries = value.get("prediction")
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and "transcription" in entry for entry in entries
    ):
        return value
    return {"utterances": [{**entry, "text": entry["transcription"]} for entry in entries]}


def _failure(value: Mapping[str, Any]) -> str | None:
    """Returns the message of a request that failed or was blocked, or None.

    >>> _failure({"custom_id": "r-1", "response": None, "error": {"code": "expired", "message": "Too late."}})
    'Too late.'
    """
    error, feedback = value.get("error"), value.get("promptFeedback", value.get("prompt_feedback"))
    if isinstance(error, dict):
        return str(
            error.get("message") or error.get("errorMessage") or error.get("code") or error.get("type") or "an error"
        )
    if value.get("type") in _FAILURES:
        return str(value["type"])
    if isinstance(feedback, dict) and not value.get("candidates"):
        return f"blocked: {feedback.get('blockReason', feedback.get('block_reason', 'no reason'))}"
    return None


def _missing_answer(value: Mapping[str, Any]) -> str | None:
    """Returns the message of an object that should hold an answer, and does not; None for any other object.

    >>> _missing_answer({"status_code": 500, "body": "oops"}), _missing_answer({"error": "not found"})
    ('status 500', 'not found')
    """
    status, messages = value.get("status_code"), map(value.get, ("error", "message", "status"))
    if isinstance(status, int) and status >= _LEAST_FAILED:
        return f"status {status}"
    message = next((message for message in messages if isinstance(message, str) and message.strip()), None)
    is_failed = "error" in value or value.get("object") == "error" or value.get("response", True) in (None, {})
    return message if is_failed else None


def _results(value: Mapping[str, Any]) -> list[Any] | None:
    """Returns the single results in an object; None for any other object."""
    channels = value.get("transcripts")
    if (
        isinstance(channels, list)
        and channels
        and all(is_object(channel) and "text" in channel for channel in channels)
    ):
        return [{**channel, "transcript": channel["text"]} for channel in channels]  # of ElevenLabs
    results = next((value[name] for name in ("results", "recognizedPhrases", "chunks") if name in value), None)
    if isinstance(results, dict):  # Deepgram, Amazon
        lists = (results[name] for name in ("channels", "segments", "transcripts", "items") if name in results)
        words, results = results.get("items"), next(lists, None)
        if words is not results and isinstance(results, list) and results and isinstance(results[0], dict):
            results = [{**results[0], "items": words}, *results[1:]]
    if not isinstance(results, list):
        return None
    if all(is_object(result) and isinstance(result.get("results"), list) for result in results):
        results = [inner for result in results for inner in result["results"]]  # of Watson's jobs
    if not results and isinstance(value.get("results"), list):  # a recording without speech
        return [{"alternatives": []}]
    if not all(map(is_object, results)):
        return None
    if not any(_is_result(result) for result in results):
        return None
    alternatives = [_words_of(result) for result in results]
    if all(alternatives):
        return [_joined(alternatives, results)]
    if "chunks" in value:  # Yandex
        results = [{"alternatives": [_renamed(entry) for entry in _list_of(result)]} for result in results]
    return [result if _is_result(result) else {"alternatives": []} for result in results]  # silence has none


def _is_result(result: Mapping[str, Any]) -> bool:
    return any(isinstance(result.get(name), list) for name in ("alternatives", "nBest")) or "transcript" in result


def _renamed(entry: Any) -> Any:
    return {**entry, "transcript": entry.get("text")} if isinstance(entry, dict) else entry


def _list_of(result: Mapping[str, Any]) -> list[Any]:
    """Returns the alternatives of a result; silence has none."""
    return result["alternatives"] if isinstance(result.get("alternatives"), list) else []


def _words_of(result: Mapping[str, Any]) -> list[str]:
    """Returns the alternatives of a result that is a single word (Speechmatics, Amazon's items); none for any other."""
    words = [entry.get("content") if isinstance(entry, dict) else None for entry in _list_of(result)]
    return [word for word in words if isinstance(word, str)] if all(isinstance(word, str) for word in words) else []


def _joined(words: Sequence[Sequence[str]], items: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Returns the transcript of words with alternatives; punctuation follows without a blank."""
    text, touches = "", True
    for (word, *_), item in zip(words, items, strict=True):
        side = item.get("attaches_to", "previous" if item.get("type") == "punctuation" else "none")
        text += word if touches or side in ("previous", "both") else f" {word}"
        touches = side in ("next", "both")
    hypothesis = with_words({"text": text}, listed_words(list(items)))
    lost = [part for part in ("times", "confidences") if part not in hypothesis]
    doubts = [(f"the {in_words(lost)} of words are not read", NO_CONFIDENCES)] if lost else []
    if any(len(entries) > 1 for entries in words):
        doubts.append(("only the first alternative of each word is read", NO_ALTERNATIVES))
    return {"hypotheses": [hypothesis], DOUBTS: doubts}


def _row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the object of a sentence: its hypotheses, and its id unless that is a name; others are unchanged."""
    if DOUBTS in row:
        return row
    row = _with_text(row)
    if isinstance(row.get("monologues"), list):
        row = {**row, "monologues": [*map(_with_text, row["monologues"])]}
    sentence = _sentence(row)
    entries: list[Any] = next((row[name] for name in (*_LISTS, *_SEGMENTS) if isinstance(row.get(name), list)), [])
    is_transcript = any(isinstance(row.get(name), list) for name in _SEGMENTS)
    if isinstance(hypotheses := sentence.get("hypotheses"), list):
        words = [words_of_segments(row, entries)] if is_transcript else words_of_entries(row, entries, len(hypotheses))
        sentence = {**sentence, "hypotheses": [*map(with_words, hypotheses, words)]}
    doubts = unread_words([row, *entries], sentence.get("hypotheses", ()))
    doubts += [_SOME_SCORES] if is_transcript and 0 < len(_scores(entries)) < len(entries) else []
    return _with_doubts(sentence, doubts)


def _with_doubts(sentence: Mapping[str, Any], doubts: Sequence[tuple[str, str]]) -> Mapping[str, Any]:
    """Adds warnings to those of a sentence."""
    return {**sentence, DOUBTS: [*sentence.get(DOUBTS, ()), *doubts]} if doubts else sentence


def _with_text(monologue: Any) -> Any:
    """Adds its text to a monologue of Rev AI, whose elements are words, punctuation marks and blanks."""
    elements = monologue.get("elements") if isinstance(monologue, dict) else None
    if not isinstance(elements, list) or not all(isinstance(entry, dict) for entry in elements):
        return monologue
    return {**monologue, "text": "".join(str(entry.get("value")) for entry in elements)}


def _sentence(row: Mapping[str, Any]) -> Mapping[str, Any]:
    # Segments of Whisper have numbers within their recording, from 0 or 1, which are those of no sentences.
    identity = {"id": row["id"]} if isinstance(row.get("id"), int) and "avg_logprob" not in row else {}
    name = next((name for name in _LISTS if isinstance(row.get(name), list)), None)
    if name is not None:
        rest = {key: value for key, value in row.items() if key != name and (key != "id" or identity)}
        return {**identity, **_LISTS[name](row[name], rest)}
    name = next((name for name in _TEXTS if _are_texts(row.get(name))), None)
    if name is not None:
        sentence = _answers(row[name], {key: value for key, value in row.items() if key != "id"})
        texts = [entry if is_object(entry) else {"text": entry} for entry in sentence["hypotheses"]]
        doubts = [SINGLE_WORDS] if name == "text" and are_words(row[name]) else []
        return _with_doubts({**identity, **sentence}, [*doubts, _SEVERAL] if are_unlike(texts) else doubts)
    if (text := _answer(row)) is not None:
        return {**identity, **choices([{**row, "text": text}], row)}
    if isinstance(row.get("message"), dict) and "content" in row["message"]:  # batches of Anthropic, Bedrock, Ollama
        is_alone = "finish_reason" in row and is_finite(row.get("index")) and row["index"] > 0
        return _with_doubts({**identity, **choices([row], row)}, [_ALONE] if is_alone else [])
    if row.get("role") == "assistant" and "content" in row:  # Anthropic
        return {**identity, **choices([{"message": row}], row)}
    if isinstance(row.get("content"), str) and "tokens_predicted" in row:  # llama.cpp
        return {**identity, **choices([_from_llama(row)], row)}
    if "generated_text" in row:
        return {**identity, **generations(row)}
    if row.get("object") == "response" and isinstance(row.get("output"), list):  # OpenAI
        return {**identity, **choices([response_choice(row["output"])], row)}
    if isinstance(row.get("RecognitionStatus"), str):  # Azure's simple format, and silence
        text = row.get("DisplayText")
        return {**identity, "hypotheses": [{"text": text}] if text else []}
    if "sentence_id" in row and isinstance(row.get("translation"), str) and isinstance(row.get("score"), float | int):
        return _translations([row["translation"]], {"scores": [row["score"]]})
    named = [name for name in ("transcript", "pred_text") if name in row]
    text_name = next((name for name in named if row[name] is not None), named[0] if named else None)
    if text_name is not None and row[text_name] is None:
        return {**identity, "hypotheses": [], DOUBTS: [(f"no hypotheses where {text_name!r} is null", _NULL_REMEDY)]}
    if text_name is not None:
        return {**identity, "hypotheses": [{"text": row[text_name], **_log_feature(row)}]}
    transcript = _transcript(row)
    if transcript is None and isinstance(row.get("text"), str):
        transcript = _texted(row)
    if transcript is None and (text := text_of_words(row)) is not None:
        transcript = {"text": text}
    return row if transcript is None else {**identity, "hypotheses": [transcript]}


def _are_texts(entries: object) -> bool:
    """Returns whether entries are texts, or objects with a text."""
    texts = [entry.get("text") if is_object(entry) else entry for entry in entries] if isinstance(entries, list) else []
    return bool(texts) and all(isinstance(text, str) for text in texts)


def _answer(row: Mapping[str, Any]) -> str | None:
    """Returns the text of an answer that is a field of an object, or None.

    >>> _answer({"model": "m", "response": "a cat", "done": True}), _answer({"response": "a cat"})
    ('a cat', None)
    """
    name = next((name for name, mark in _ANSWERS.items() if mark in row and isinstance(row.get(name), str)), None)
    return None if name is None else row[name]


def _from_llama(row: Mapping[str, Any]) -> dict[str, Any]:
    """Renames the log probabilities and the end of an answer of llama.cpp."""
    logs = row.get("completion_probabilities")
    return {
        "content": row["content"],
        "stop": row.get("stop"),
        "stop_type": "limit" if row.get("stopped_limit") else row.get("stop_type"),
        **({"logprobs": {"content": logs}} if logs else {}),
    }


def _texted(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the hypothesis of an object that is a text, with its log probability; None for any other object.

    >>> _texted({"text": "a cat", "logprobs": [{"token": "a", "logprob": -0.5}, {"token": " cat", "logprob": -0.25}]})
    {'text': 'a cat', 'features': {'LogProb': -0.75}}
    """
    features = _log_feature(row)
    is_transcript = features or _is_bare(row) or is_final_text(row) or "wav_name" in row or holds_words(row)
    return {"text": row["text"], **features} if is_transcript or isinstance(row.get("tokens"), list) else None


def _log_feature(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the field of a hypothesis for the log probability of a transcript, if that is known."""
    log = log_probability(row)
    return {} if log is None else {"features": {LOG_PROBABILITY: log}}


def _is_bare(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("text"), str) and row.keys() - {"text"} <= _BESIDE_TEXT


def _entries(convert: Callable[[Mapping[str, Any]], object]) -> Callable[..., Mapping[str, Any]]:
    """Returns the reader of a list whose entries become hypotheses one by one."""

    def read(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**rest, "hypotheses": [convert(entry) if isinstance(entry, dict) else entry for entry in entries]}

    return read


def _alternatives(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads Vosk's `text` with its log score, or the `transcript` of a service with its probability.

    Services may give a confidence to the first alternative only (or 0 to the others); then all weigh the same.
    Confidences that are not probabilities, such as Riva's, are scores.
    """
    objects = [_renamed(entry) if _is_of_yandex(entry) else entry for entry in entries if is_object(entry)]
    services = [entry for entry in objects if isinstance(entry.get("transcript"), str)]
    if len(services) < len(entries):
        return _entries(_from_vosk)(entries, rest)
    texts = [{"text": entry["transcript"]} for entry in services]
    values = [value for entry in services if (value := number_of(entry.get("confidence")))]
    if len(values) < len(texts):
        return {"hypotheses": texts, **({DOUBTS: [_PARTLY]} if values else {})}
    if all(0 < value <= 1 for value in values):
        values = [math.log(value) for value in values]
    return {"hypotheses": [{**text, "score": value} for text, value in zip(texts, values, strict=True)]}


def _is_of_yandex(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("text"), str) and "startTimeMs" in entry


def _from_vosk(alternative: Mapping[str, Any]) -> object:
    """Returns an alternative of Vosk with its confidence, which is minus its cost in the lattice, as the score."""
    if "confidence" not in alternative:
        return alternative
    return {"text": alternative.get("text"), "score": alternative["confidence"]}


def _from_whisper(entry: Mapping[str, Any]) -> object:
    """Returns a hypothesis of Whisper with its average log probability of a token as the score, or one of WeNet."""
    if "avg_logprob" not in entry:
        return {"text": entry["sentence"]} if "sentence" in entry else entry
    score = number_of(entry["avg_logprob"])
    return {"text": entry.get("text"), "score": entry["avg_logprob"] if score is None else score}


def _from_gstreamer(entry: Mapping[str, Any]) -> object:
    """Returns a hypothesis of Kaldi's GStreamer server with its likelihood as the score."""
    if "transcript" not in entry:
        return entry
    score = {"score": entry["likelihood"]} if "likelihood" in entry else {}
    return {"text": entry["transcript"], **score}


def _from_azure(entry: Mapping[str, Any]) -> object:
    """Returns a hypothesis of Azure with the log of its confidence as the score."""
    lowered = {key.lower(): value for key, value in entry.items()}
    confidence = number_of(lowered.get("confidence"))
    if confidence is None:
        return entry
    text = lowered.get("lexical", lowered.get("display"))
    return {"text": text, "score": math.log(max(confidence, _LEAST_CONFIDENCE))}


def _from_deepspeech(transcript: Mapping[str, Any]) -> object:
    """Returns a transcript of DeepSpeech, whose words are objects, with its confidence, a log, as the score."""
    words = transcript.get("words")
    if not isinstance(words, list) or not all(is_object(word) and isinstance(word.get("word"), str) for word in words):
        return transcript
    return {"text": " ".join(word["word"] for word in words), "score": transcript.get("confidence")}


def _translations(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads the n best translations of Sockeye: its scores are minus logs, one for each, or lists of one.

    Positive scores that fall, such as those of its reranking by a metric, are no minus logs.
    """
    scores = rest.get("scores")
    if not isinstance(scores, list):
        return {"hypotheses": entries}
    if _fall(scores):
        return {"hypotheses": entries, "scores": scores}
    firsts = [score[0] if isinstance(score, list) and score else score for score in scores]
    return {"hypotheses": entries, "scores": [-abs(score) if is_finite(score) else score for score in firsts]}


def _fall(scores: Sequence[object]) -> bool:
    """Returns whether positive numbers fall from the first to the last one."""
    numbers = [score for score in scores if is_finite(score) and score > 0]
    is_sorted = all(first >= second for first, second in pairwise(numbers))
    return len(numbers) == len(scores) > 1 and is_sorted and numbers[0] > numbers[-1]


def _responses(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads the samples of a task of lm-evaluation-harness; scores of given answers and of texts are unchanged."""
    texts = [text for entry in entries if isinstance(entry, list) for text in entry]
    are_samples = bool(texts) and all(isinstance(text, str) for text in texts)
    if not are_samples or any("perplexity" in name for name in rest):
        return {**rest, "resps": entries}
    return {"hypotheses": texts}


def filtered_samples(value: object) -> tuple[str, str] | None:
    """Returns samples of lm-evaluation-harness as text, and their filter, for each of which it writes them; or None.

    >>> filtered_samples({"doc_id": 0, "resps": [["a cat"]], "filter": "strict-match"})
    ('[0, null, [["a cat"]]]', 'strict-match')
    """
    if not is_object(value) or "resps" not in value or not isinstance(value.get("filter"), str):
        return None
    return json.dumps([value.get(name) for name in ("doc_id", "doc", "resps")]), value["filter"]


def _sequences(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads the texts and the `sequences_scores` of Transformers' `generate`."""
    fields = {key: value for key, value in rest.items() if key != "sequences_scores"}
    return {**fields, "hypotheses": entries, "scores": rest.get("sequences_scores")}


def _choices(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads the choices of a completion; those that are texts, the possible answers of a test, are unchanged."""
    return _answers(entries, rest) if all(map(is_object, entries)) else {**rest, "choices": entries}


def _answers(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads answers of a model, or texts, perhaps with their scores in a separate list."""
    if any(map(is_object, entries)):
        lists = {name: values for name, values in rest.items() if isinstance(values, list)}  # scores may be among them
        return {**lists, **choices(entries, rest)}
    return {**rest, "hypotheses": entries}


_LISTS: Mapping[str, Callable[[Sequence[object], Mapping[str, Any]], Mapping[str, Any]]] = {
    "alternatives": _alternatives,
    "nbest": _entries(_from_whisper),
    "NBest": _entries(_from_azure),
    "nBest": _entries(_from_azure),
    "choices": _choices,
    "candidates": _answers,
    "outputs": _answers,
    "translations": _translations,
    "sequences": _sequences,
    "resps": _responses,
    "transcripts": _entries(_from_deepspeech),
    "hypotheses": _entries(_from_gstreamer),
}
"""The names of lists of hypotheses in results, with functions that read such a list and the other fields."""


_TEXTS = ("generations", "completions", "responses", "samples", "text", "generated_text")
"""The names of lists of texts, or of objects with a text: of distilabel, Cohere, vLLM, and data to rerank."""

_ANSWERS = {"response": "done", "generation": "generation", "text": "generation_id"}
"""The names of texts, and of the fields by which these are answers: of Ollama, Llama on Bedrock, Cohere."""


def _transcript(row: Mapping[str, Any]) -> object:
    """Returns the hypothesis of a transcript in segments, or of a segment of Whisper; None for any other object."""
    segments = next((row[name] for name in _SEGMENTS if isinstance(row.get(name), list)), None)
    if segments is None:
        return _from_whisper(row) if "avg_logprob" in row else None
    if not all(isinstance(segment, dict) and isinstance(segment.get("text"), str) for segment in segments):
        return {"segments": segments}  # without a text
    text = row["text"] if isinstance(row.get("text"), str) else " ".join(segment["text"] for segment in segments)
    lengths = [_length(segment) for segment in segments]
    scores = _scores(segments)
    if not scores or len(scores) < len(segments):
        return {"text": text}
    total = math.fsum(score * length for score, length in zip(scores, lengths, strict=True))
    return {"text": text, "score": total / sum(lengths)}


def _scores(segments: Sequence[object]) -> list[float]:
    """Returns the average log probabilities of the segments that have one."""
    values = (number_of(segment.get("avg_logprob")) for segment in segments if is_object(segment))
    return [value for value in values if value is not None]


def _length(segment: Mapping[str, Any]) -> int:
    """Returns the number of a segment's tokens, or of its words."""
    tokens = segment.get("tokens")
    return len(tokens if isinstance(tokens, list) and tokens else split_tokens(segment["text"])) or 1

"""JSON of other programs: recognisers, speech services, chat completions, Sockeye. They become objects of `nbest`.

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

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from lattice_simp.formats.json.espnet import espnet_rows
from lattice_simp.formats.json.lists import LISTS, renamed_transcript
from lattice_simp.formats.json.records import record_rows, records_of, unpacked, with_choices
from lattice_simp.formats.json.renamed import with_usual_names
from lattice_simp.formats.json.sentences import NAME, NAMES, SEGMENTS, is_bare, sentence_of, session_of
from lattice_simp.formats.json.times import listed_words
from lattice_simp.formats.json.translations import translated_rows
from lattice_simp.formats.json.values import DOUBTS, are_objects, first_of, is_object, with_doubts
from lattice_simp.formats.json.words import NO_ALTERNATIVES, NO_CONFIDENCES, Speakers, unread_fields, with_words
from lattice_simp.support.plurals import in_words

_MARKS = {
    "": "RecognitionStatus avg_logprob buffer_transcription custom_id eval evalId generated_text lc meta_info "
    "pred_text promptFeedback prompt_feedback request_states sentence_id start_ms testIdx text_output tokens_predicted "
    "total_audio_proc_ms modelInput translatedText wav_name",
    r"\[": "NBest Results Transcript alternatives audio_segments candidates choices chunks logprobs monologues nBest "
    "nbest outputs phrases segments sequences timestamps transcription transcripts translations utterances w "
    "word_segments",
    r"\[\s*\{": "elements prediction result words",
    r"\[\s*\]": "results words",
    r"\{": "final sentence transcription utterance utts",
    r'\[\s*(?:"|\{[^{}\n]*"text"\s*:)': "completions generations responses samples text",
    r'\[\s*\{\s*"text"\s*:': "sentences",
    r'\[\s*\[\s*"': "beams resps",
    r"\[\s*\[\s*\{": "generations",
    r"\[\s*\[": "timestamp",
    r'"\[': "nbest timestamps",
    r'"': "generation generation_id words",
    r"(?:true|false)": "done final interim isFinal is_final is_partial",
    r'"response"': "object",
    r'"assistant"': "role",
    r'"(?:ai|realtime|fullSentence|[^"\n]*(?:[Ff]inal|[Pp]artial|[Rr]ecogni|[Tt]ranscri)[^"\n]*)"': "event type "
    "message_type",
}
"""The names of fields by which such JSON is recognised, by the pattern of what follows them."""

KEYS = "|".join(rf'"(?:{"|".join(names.split())})"\s*:\s*{follows}' for follows, names in _MARKS.items()).encode()
"""A pattern of these fields."""

STRING = rb'"(?:[^"\\\n]|\\.)*"'
BARE = rb'\{\s*(?:"(?:id|key|utt|utt_id|name)"\s*:\s*(?:\d+|%b)\s*,\s*)?"text"\s*:\s*%b\s*(?:\}|,\s*"usage"\s*:)' % (
    STRING,
    STRING,
)
"""The beginning of an object that is a text, with its name or number, or the usage of OpenAI's transcriptions."""

FAILED = "failed"
"""The field of an object for the message of a request without an answer."""

_FILE = "audio_filepath"
"""The field with the path of a recording: of NeMo."""

_WRAPPERS = (
    *("response", "body", "result", "transcription", "retval", "output", "modelOutput", "channel"),
    *("inlineResult", "transcript"),
)
"""The names under which batches, long operations, Gladia, BBC's Kaldi, Bedrock, Deepgram's streams and Google's batches
hold a result."""

_REASON = "stopReason"
"""The field beside Bedrock's results for the reason why an answer ends."""

_PACKED = "lc"
"""A field of an object of LangChain's `dumps`."""

_FAILURES = ("errored", "canceled", "expired")
"""The types of a request of Anthropic's batches that has no answer."""

_LEAST_FAILED = 400
"""The least status of HTTP of a request that failed."""


def rows_of(value: Any, speakers: Speakers | None = None) -> list[Any]:
    """Returns the sentences of a value as objects with `hypotheses`, and `name` if they have one.

    Unknown values are unchanged.

    Args:
        value: a value of JSON.
        speakers: those of the values before it in the same file.
    """
    if is_object(value) and "hypotheses" not in value:
        value = unpacked(value) if _PACKED in value else _of_empty_line(value)
        if (records := records_of(value)) is not None:
            return record_rows(records, lambda record: rows_of(record, speakers), NAME, FAILED)
        value = with_choices(value)
    name = _name(value) if isinstance(value, dict) else None
    rows = _rows(value)
    if rows and rows[0] is not value and is_object(rows[0]):
        rows[0] = with_doubts(rows[0], unread_fields(value, speakers))
    if name is None:
        return rows
    names = [name] if len(rows) == 1 else [f"{name}-{number}" for number in range(1, len(rows) + 1)]
    return [{**row, NAME: name} if isinstance(row, dict) else row for row, name in zip(rows, names, strict=True)]


def _of_empty_line(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns Sockeye's result with the score 0, and not minus infinity, if it translates an empty line."""
    is_empty = "sentence_id" in value and value.get("translation") == "" and "score" in value
    return {**value, "score": 0.0} if is_empty else value


def _name(value: Mapping[str, Any]) -> str | None:
    """Returns the name of an utterance or a request: that of its file, an `id` that is a text, or None.

    >>> _name({"custom_id": "r-1"}), _name({"audio_filepath": "wav/u-7.wav"}), _name({"id": 7})
    ('r-1', 'u-7', None)
    """
    names = (*NAMES, "id") if "hypotheses" in value or is_bare(value) else NAMES
    name = next((value[key] for key in names if isinstance(value.get(key), str) and value[key].strip()), None)
    name = session_of(value) if name is None else name
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
    result = with_usual_names(value)
    results = translated_rows(result)
    if results is None:
        results = _results(result)
    rows = [sentence_of(result) for result in ([result] if results is None else results)]
    if results is None and "hypotheses" not in rows[0] and (failure := _missing_answer(value)) is not None:
        return [{"hypotheses": [], FAILED: failure}]
    return rows


def _wrapped(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the result that an object holds; None if it is a result itself.

    >>> _wrapped({"result": {"language": "en"}, "transcription": [{"text": " a cat"}]}) is None
    True
    """
    if first_of(value, (*LISTS, *SEGMENTS), list) is not None:
        return None
    inner = first_of(value, _WRAPPERS, dict)
    return {**{name: value[name] for name in (_REASON,) if name in value}, **inner} if inner else None


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
    status = value.get("status_code")
    messages = map(value.get, ("error", "error_message", "message", "status"))
    if isinstance(status, int) and status >= _LEAST_FAILED:
        return f"status {status}"
    message = next((message for message in messages if isinstance(message, str) and message.strip()), None)
    is_failed = (
        "error" in value
        or "error_message" in value
        or value.get("object") == "error"
        or value.get("response", True) in (None, {})
    )
    return message if is_failed else None


def _results(value: Mapping[str, Any]) -> list[Any] | None:
    """Returns the single results in an object; None for any other object."""
    channels = value.get("transcripts")
    if channels and are_objects(channels, "text"):
        return [{**channel, "transcript": channel["text"]} for channel in channels]  # of ElevenLabs
    results = next((value[name] for name in ("results", "recognizedPhrases", "chunks") if name in value), None)
    if isinstance(results, dict):  # Deepgram, Amazon
        lists = (results[name] for name in ("channels", "segments", "transcripts", "items") if name in results)
        words, results = results.get("items"), next(lists, None)
        if words is not results and isinstance(results, list) and results and isinstance(results[0], dict):
            results = [{**results[0], "items": words}, *results[1:]]
    if not isinstance(results, list):
        return None
    if are_objects(results) and all(isinstance(result.get("results"), list) for result in results):
        results = [inner for result in results for inner in result["results"]]  # of Watson's jobs
    if not results and isinstance(value.get("results"), list):  # a recording without speech
        return [{"alternatives": []}]
    if not are_objects(results) or not any(map(_is_result, results)):
        return None
    alternatives = [_words_of(result) for result in results]
    if all(alternatives):
        return [_joined(alternatives, results)]
    if "chunks" in value:  # Yandex
        results = [{"alternatives": [renamed_transcript(entry) for entry in _list_of(result)]} for result in results]
    return [result if _is_result(result) else {"alternatives": []} for result in results]  # silence has none


def _is_result(result: Mapping[str, Any]) -> bool:
    return first_of(result, ("alternatives", "nBest"), list) is not None or "transcript" in result


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

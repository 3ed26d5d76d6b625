"""Sentences in JSON of other programs: objects that hold hypotheses, an answer, a transcript in segments, a text.

>>> sentence_of({"segments": [{"text": " a cat", "avg_logprob": -0.5}]})["hypotheses"]
[{'text': ' a cat', 'score': -0.5}]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from lattice_simp.core.symbols import split_tokens
from lattice_simp.formats.json.answers import (
    LOG_PROBABILITY,
    SINGLE_WORDS,
    are_unlike,
    are_words,
    choices,
    generations,
    log_probability,
    response_choice,
)
from lattice_simp.formats.json.lists import LISTS, answers, from_whisper, translations
from lattice_simp.formats.json.renamed import with_text
from lattice_simp.formats.json.streams import CLOSED, OPEN, is_final_text
from lattice_simp.formats.json.times import runs_backward
from lattice_simp.formats.json.values import DOUBTS, first_of, is_finite, is_object, number_of, with_doubts
from lattice_simp.formats.json.words import (
    holds_words,
    text_of_words,
    unread_words,
    with_words,
    words_of_entries,
    words_of_segments,
)
from lattice_simp.formats.list_lines import MAX_GAP

Row: TypeAlias = Mapping[str, Any]

NAME = "name"
"""The field of an object for its name."""

NAMES = ("custom_id", "recordId", "key", "jobName", "JobName", "utt_id", "utt", "wav_name", NAME)
"""The fields with the name of a request or an utterance: of batches, of Amazon, of ESPnet and FunASR."""

_BESIDE_TEXT = frozenset({*NAMES, "id", "usage", "mode", "is_final", *OPEN, *CLOSED})
"""The fields beside the text of an object that has no scores."""

SEGMENTS = ("segments", "chunks", "transcription", "utterances", "monologues", "phrases", "sentences")
"""The names of lists of segments: of Whisper, Transformers, whisper.cpp, Gladia, Rev AI, Azure, Alibaba."""

_TEXTS = ("generations", "completions", "responses", "samples", "text", "generated_text")
"""The names of lists of texts, or of objects with a text: of distilabel, Cohere, vLLM, and data to rerank."""

_LABELLED = "transcript.text.segment"
"""The type of segments of OpenAI beside which the text has labels of speakers ("A: ...")."""

_ANSWERS = {"response": "done", "generation": "generation", "text": "generation_id"}
"""The names of texts, and of the fields by which these are answers: of Ollama, Llama on Bedrock, Cohere."""

_SPECIAL = "<|"
"""The beginning of a special token of a model."""

_SOME_SCORES = ("the scores of segments are not read, as some have none", "write 'avg_logprob' in all segments")
_BACKWARD = ("words that end before they begin take no time", "check the times of the recogniser")
_NULL_REMEDY = "recognise these recordings again"
_SEVERAL = (
    "texts with hardly a common word may be of several sentences; they are read as samples of one",
    "write a line for each sentence",
)
_ALONE = (
    "choices without their completion are read as answers to several prompts",
    "write the whole completion, which lists its choices",
)


def sentence_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the object of a sentence: its hypotheses, and its id unless that is a name; others are unchanged."""
    if DOUBTS in row:
        return row
    row = with_text(row)
    if isinstance(row.get("monologues"), list):
        row = {**row, "monologues": [*map(with_text, row["monologues"])]}
    sentence, is_backward = _with_hypotheses(row), False
    entries: list[Any] = first_of(row, (*LISTS, *SEGMENTS), list) or []
    is_transcript = first_of(row, SEGMENTS, list) is not None
    if isinstance(hypotheses := sentence.get("hypotheses"), list):
        words = [words_of_segments(row, entries)] if is_transcript else words_of_entries(row, entries, len(hypotheses))
        sentence = {**sentence, "hypotheses": [*map(with_words, hypotheses, words)]}
        is_backward = any(runs_backward(word) for listed in words for word in listed or ())
    doubts = unread_words([row, *entries], sentence.get("hypotheses", ()))
    doubts += [_BACKWARD] if is_backward else []
    doubts += [_SOME_SCORES] if is_transcript and 0 < len(_scores(entries)) < len(entries) else []
    return with_doubts(sentence, doubts)


def _with_hypotheses(row: Mapping[str, Any]) -> Mapping[str, Any]:
    # Segments of Whisper have numbers within their recording, from 0 or 1, which are those of no sentences. Services
    # number their results, AssemblyAI by millions.
    number = row.get("id")
    identity: dict[str, Any] = {}
    if isinstance(number, int) and "avg_logprob" not in row:
        identity = {NAME: str(number)} if number > MAX_GAP else {"id": number}
    sentence = next((sentence for read in _READERS if (sentence := read(row)) is not None), None)
    return row if sentence is None else {**identity, **sentence}


def _listed(row: Row) -> Row | None:
    """Reads a list of hypotheses."""
    name = next((name for name in LISTS if isinstance(row.get(name), list)), None)
    if name is None:
        return None
    sentence = LISTS[name](row[name], {key: row[key] for key in row if key not in (name, "id")})
    texts = [{"text": entry} for entry in row[name] if isinstance(entry, str)]
    return with_doubts(sentence, [_SEVERAL] if are_unlike(texts) else [])


def _texts(row: Row) -> Row | None:
    """Reads a list of texts."""
    name = next((name for name in _TEXTS if _are_texts(row.get(name))), None)
    if name is None:
        return None
    sentence = answers(row[name], {key: value for key, value in row.items() if key != "id"})
    texts = [entry if is_object(entry) else {"text": entry} for entry in sentence["hypotheses"]]
    doubts = [SINGLE_WORDS] if name == "text" and are_words(row[name]) else []
    return with_doubts(sentence, [*doubts, _SEVERAL] if are_unlike(texts) else doubts)


def _answer(row: Row) -> Row | None:
    """Reads an answer that is a field of an object.

    >>> _answer({"model": "m", "response": "a cat", "done": True}), _answer({"response": "a cat"})
    ({'hypotheses': [{'text': 'a cat'}]}, None)
    """
    name = next((name for name, mark in _ANSWERS.items() if mark in row and isinstance(row.get(name), str)), None)
    return None if name is None else choices([{**row, "text": row[name]}], row)


def _message(row: Row) -> Row | None:
    """Reads a message: of batches of Anthropic, of Bedrock, of Ollama; or of Anthropic alone."""
    if isinstance(row.get("message"), dict) and "content" in row["message"]:
        is_alone = "finish_reason" in row and is_finite(row.get("index")) and row["index"] > 0
        return with_doubts(choices([row], row), [_ALONE] if is_alone else [])
    if row.get("role") == "assistant" and "content" in row:
        return choices([{"message": row}], row)
    return None


def _completion(row: Row) -> Row | None:
    """Reads a completion: of llama.cpp, of Transformers, of OpenAI's responses."""
    if isinstance(row.get("content"), str) and "tokens_predicted" in row:
        return choices([_from_llama(row)], row)
    if "generated_text" in row:
        return generations(row)
    if row.get("object") == "response" and isinstance(row.get("output"), list):
        return choices([response_choice(row["output"])], row)
    return None


def _recognised(row: Row) -> Row | None:
    """Reads Azure's simple format, in which silence has no text."""
    if not isinstance(row.get("RecognitionStatus"), str):
        return None
    text = row.get("DisplayText")
    return {"hypotheses": [{"text": text}] if text else []}


def _translation(row: Row) -> Row | None:
    """Reads Sockeye's best translation."""
    is_translation = isinstance(row.get("translation"), str) and isinstance(row.get("score"), float | int)
    if "sentence_id" not in row or not is_translation:
        return None
    return translations([row["translation"]], {"scores": [row["score"]]})


def _named_transcript(row: Row) -> Row | None:
    """Reads a text whose name tells that it is a transcript."""
    names = [name for name in ("transcript", "pred_text") if name in row]
    names += ["words"] if session_of(row) is not None else []
    if not names:
        return None
    name = next((name for name in names if row[name] is not None), names[0])
    if row[name] is None:
        return {"hypotheses": [], DOUBTS: [(f"no hypotheses where {name!r} is null", _NULL_REMEDY)]}
    return {"hypotheses": [{"text": row[name], **_log_feature(row)}]}


def _transcript(row: Row) -> Row | None:
    """Reads a transcript in segments, a text, or words."""
    transcript = _of_segments(row)
    if transcript is None and isinstance(row.get("text"), str):
        transcript = _texted(row)
    if transcript is None and (text := text_of_words(row)) is not None:
        transcript = {"text": text}
    return None if transcript is None else {"hypotheses": [transcript]}


_READERS = (
    _listed,
    _texts,
    _answer,
    _message,
    _completion,
    _recognised,
    _translation,
    _named_transcript,
    _transcript,
)
"""The functions that read an object; the first that returns a sentence, and not None, counts."""


def _are_texts(entries: object) -> bool:
    """Returns whether entries are texts, or objects with a text."""
    texts = [entry.get("text") if is_object(entry) else entry for entry in entries] if isinstance(entries, list) else []
    return bool(texts) and all(isinstance(text, str) for text in texts)


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
    is_transcript = features or is_bare(row) or is_final_text(row) or "wav_name" in row or holds_words(row)
    return {"text": row["text"], **features} if is_transcript or isinstance(row.get("tokens"), list) else None


def _log_feature(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the field of a hypothesis for the log probability of a transcript, if that is known."""
    log = log_probability(row)
    return {} if log is None else {"features": {LOG_PROBABILITY: log}}


def session_of(row: Mapping[str, Any]) -> str | None:
    """Returns the recording of a segment in SegLST, whose words are a text, or None."""
    name = row.get("session_id")
    return name if isinstance(name, str) and isinstance(row.get("words"), str) else None


def is_bare(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("text"), str) and row.keys() - {"text"} <= _BESIDE_TEXT


def _of_segments(row: Mapping[str, Any]) -> object:
    """Returns the hypothesis of a transcript in segments, or of a segment of Whisper; None for any other object."""
    segments: list[Any] | None = first_of(row, SEGMENTS, list)
    if segments is None:
        return from_whisper(row) if "avg_logprob" in row else None
    if not all(isinstance(segment, dict) and isinstance(segment.get("text"), str) for segment in segments):
        return {"segments": segments}  # without a text
    text = row.get("text")
    if isinstance(text, str) and _SPECIAL in text and not any(_SPECIAL in segment["text"] for segment in segments):
        text = None  # Whisper keeps special tokens out of segments
    if not isinstance(text, str) or any(segment.get("type") == _LABELLED for segment in segments):
        text = " ".join(segment["text"] for segment in segments)
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

"""Lists of hypotheses in JSON: of recognisers, translation tools and language models, by the names of the lists.

>>> LISTS["alternatives"]([{"transcript": "a cat", "confidence": 1.0}], {})
{'hypotheses': [{'text': 'a cat', 'score': 0.0}]}
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lattice_simp.formats.json.answers import choices
from lattice_simp.formats.json.values import LIKELIHOODS, are_objects, is_finite, is_object, number_of, with_doubts

_LEAST_CONFIDENCE = 1e-6
"""The confidence that replaces 0."""

_PARTLY = (
    "not all alternatives have a confidence, so all of a sentence weigh the same",
    "keep the first ones with `lattice nbest`, which are the service's best",
)


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
    objects = [renamed_transcript(entry) if _is_of_yandex(entry) else entry for entry in entries if is_object(entry)]
    services = [entry for entry in objects if isinstance(entry.get("transcript"), str)]
    if len(services) < len(entries):
        return {**_entries(_from_vosk)(entries, rest), LIKELIHOODS: True}
    texts = [{"text": entry["transcript"]} for entry in services]
    values = [value for entry in services if (value := number_of(entry.get("confidence")))]
    if len(values) < len(texts):
        return with_doubts({"hypotheses": texts}, [_PARTLY] if values else [])
    if all(0 < value <= 1 for value in values):
        values = [math.log(value) for value in values]
    return {"hypotheses": [{**text, "score": value} for text, value in zip(texts, values, strict=True)]}


def renamed_transcript(entry: Any) -> Any:
    return {**entry, "transcript": entry.get("text")} if isinstance(entry, dict) else entry


def _is_of_yandex(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("text"), str) and "startTimeMs" in entry


def _from_vosk(alternative: Mapping[str, Any]) -> object:
    """Returns an alternative of Vosk with its confidence, which is minus its cost in the lattice, as the score."""
    if "confidence" not in alternative:
        return alternative
    return {"text": alternative.get("text"), "score": alternative["confidence"]}


def from_whisper(entry: Mapping[str, Any]) -> object:
    """Returns a hypothesis of Whisper with its average log probability of a token as the score, or one of WeNet."""
    if "avg_logprob" not in entry:
        return {**entry, "text": entry["sentence"]} if "sentence" in entry else entry
    score = number_of(entry["avg_logprob"])
    return {"text": entry.get("text"), "score": entry["avg_logprob"] if score is None else score}


def _from_gstreamer(entry: Mapping[str, Any]) -> object:
    """Returns a hypothesis of Kaldi's GStreamer server with its likelihood as the score."""
    if "transcript" not in entry:
        return entry
    score = {"score": entry["likelihood"]} if "likelihood" in entry else {}
    return {"text": entry["transcript"], **score}


def _from_azure(entry: Mapping[str, Any]) -> object:
    """Returns a hypothesis of Azure with the log of its confidence, if it has one, as the score."""
    lowered = {key.lower(): value for key, value in entry.items()}
    confidence, text = number_of(lowered.get("confidence")), lowered.get("lexical", lowered.get("display"))
    if confidence is None:
        return entry if text is None or "confidence" in lowered else {"text": text}
    return {"text": text, "score": math.log(max(confidence, _LEAST_CONFIDENCE))}


def _from_deepspeech(transcript: Mapping[str, Any]) -> object:
    """Returns a transcript of DeepSpeech, whose words are objects, with its confidence, a log, as the score."""
    words = transcript.get("words")
    if not are_objects(words) or not all(isinstance(word.get("word"), str) for word in words):
        return transcript
    return {"text": " ".join(word["word"] for word in words), "score": transcript.get("confidence")}


def translations(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
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


def _beams(entries: Sequence[Any], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads the beams of NeMo, pairs of a text and its score, beside the best text.

    >>> _beams([["a cat", -0.5]], {"pred_text": "a cat"})["hypotheses"]
    [{'text': 'a cat', 'score': -0.5}]
    """
    are_pairs = all(isinstance(entry, list) and len(entry) == 2 for entry in entries)
    return {**rest, "hypotheses": [{"text": text, "score": score} for text, score in entries] if are_pairs else entries}


def _choices(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads the choices of a completion; those that are texts, the possible answers of a test, are unchanged."""
    return answers(entries, rest) if are_objects(entries) else {**rest, "choices": entries}


def answers(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads answers of a model, or texts, perhaps with their scores in a separate list."""
    if any(map(is_object, entries)):
        lists = {name: values for name, values in rest.items() if isinstance(values, list)}  # scores may be among them
        return {**lists, **choices(entries, rest)}
    return {**rest, "hypotheses": entries}


LISTS: Mapping[str, Callable[[Sequence[object], Mapping[str, Any]], Mapping[str, Any]]] = {
    "alternatives": _alternatives,
    "nbest": _entries(from_whisper),
    "NBest": _entries(_from_azure),
    "nBest": _entries(_from_azure),
    "choices": _choices,
    "candidates": answers,
    "outputs": answers,
    "translations": translations,
    "sequences": _sequences,
    "beams": _beams,
    "resps": _responses,
    "transcripts": _entries(_from_deepspeech),
    "hypotheses": _entries(_from_gstreamer),
}
"""The names of lists of hypotheses in results, with functions that read such a list and the other fields."""

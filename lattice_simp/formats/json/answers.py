"""JSON answers of language models: choices, messages, responses and generated texts, as samples of a sentence.

>>> choices([{"message": {"content": "a cat"}}, {"message": {"content": None}}], {})["hypotheses"]
[{'text': 'a cat'}]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lattice_simp.formats.json.times import listed_words
from lattice_simp.formats.json.values import are_objects, is_finite, is_object, with_doubts
from lattice_simp.formats.json.words import with_words

LOG_PROBABILITY = "LogProb"
"""The feature for the log probability of a completion, the sum over its tokens."""

MEAN_LOG_PROBABILITY = "MeanLogProb"
"""The feature for the average log probability of a token, which Gemini reports."""

PART = "part"
"""The field of a hypothesis that is only a part of a stream."""

_LOGS = ("ys_log_probs", "ys_probs")
"""The names of the log probabilities of tokens: of sherpa-onnx."""

_TOTALS = ("cumulative_logprob", "logprob")
"""The names of the log probability of all tokens: of vLLM, HELM."""

_MEAN = "avgLogprobs"
"""The name of the average log probability of a token: of Gemini."""

_SNAKES = {
    "avg_logprobs": _MEAN,
    "logprobs_result": "logprobsResult",
    "chosen_candidates": "chosenCandidates",
    "top_candidates": "topCandidates",
    "log_probability": "logProbability",
}
"""The names of log probabilities in Gemini's Python library, and those in its JSON."""

_SCORES = ("score", "scores", "features")
"""The fields of a choice that those of a hypothesis may have, too."""

_GENERATED = ("generated_text", "translation_text", "summary_text")
"""The names of the text in results of Transformers' pipelines."""

_NO_TEXT = (
    "left out an answer without text: a refusal, a call of a tool, or thoughts that were cut off",
    "ask for text only, or sample it again with a higher limit of tokens",
)
_NO_LOGS = (
    "the log probabilities of tokens are not read, as some are missing",
    "ask for those of all tokens, without echo",
)
_TOKENS = (
    "alternatives of tokens are not read, as each depends on the tokens before it",
    "ask for several answers, which become hypotheses: n=10",
)

_THOUGHTS = (
    "thoughts (<think>) are read as words of the answer",
    "have the server separate them, such as vLLM with --reasoning-parser, or cut them off",
)
_PROMPTS = (
    "choices with hardly a common word may answer several prompts; they are read as samples of one",
    "send one prompt in each request",
)
SINGLE_WORDS = (
    "texts of a single word each are read as samples; they may be the tokens of one text",
    'write tokens as {"hypotheses": [{"tokens": ["a", "cat"]}]}',
)
_THOUGHT = "</think>"
_NO_BLANKS = "\u0e00"
"""The first character of scripts without blanks between words: Thai, Chinese, Japanese and others."""

_MOST_ALIKE, _LEAST_WORDS = 0.1, 4
"""The largest share of common words of such choices, and the least number of words in each."""

_REASONS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "stop_type", "reason")
"""The names of the reason why an answer ends."""

_CUT = frozenset({"length", "limit", "max_tokens", "max_output_tokens", "model_length", "content_filter", "safety"})
"""The reasons for answers that end early."""

_OF_CHOICES = frozenset(
    {"message", "content", "text", "delta", "tool_calls", "refusal", "finish_reason", "finishReason", "stop_reason"}
)
"""Fields of a choice; it has no text if it has another one of them."""

_FLAT = (
    "a list of generated texts is one sentence: its samples",
    "write a list for each sentence: [[...], [...]]",
)


def choices(entries: Sequence[object], rest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reads the choices of a completion: samples of a model, with their log probabilities as a feature.

    A choice has no text if the model refused to answer or called a tool. The words of a single choice have confidences,
    the probabilities of their tokens; those of several choices are better known from the samples.
    """
    entries = [
        _renamed(entry) if is_object(entry) and not _SNAKES.keys().isdisjoint(entry) else entry for entry in entries
    ]
    answers = [_choice(entry) if is_object(entry) and not _OF_CHOICES.isdisjoint(entry) else entry for entry in entries]
    if any(is_object(entry) and _is_part(entry, is_whole=bool(rest.get("usage"))) for entry in entries):
        answers = [{PART: True}]
    elif len(entries) == 1 and isinstance(entries[0], dict):
        answers = [with_words(answers[0], listed_words(_token_logs(entries[0])))]
    texts = [answer for answer in answers if _has_text(answer)]
    unread = any(
        isinstance(entry, dict) and entry.get("logprobs") and log_probability(entry) is None for entry in entries
    )
    doubts = [_NO_TEXT] if len(texts) < len(answers) else []
    doubts += [_NO_LOGS] if unread else []
    doubts += [_TOKENS] if any(map(_has_alternatives, entries)) else []
    doubts += [_THOUGHTS] if any(is_object(text) and _THOUGHT in str(text.get("text")) for text in texts) else []
    ends = [entry for entry, answer in zip(entries, answers, strict=False) if _has_text(answer)]  # a part has no end
    doubts += _doubts_of_ends([*ends, rest] if texts else [])
    doubts += [_PROMPTS] if rest.get("object") == "text_completion" and are_unlike(answers) else []
    return with_doubts({"hypotheses": texts}, doubts)


def _renamed(value: Any) -> Any:
    """Returns a value of Gemini's Python library with the names of its JSON.

    >>> _renamed({"avg_logprobs": -0.5, "logprobs_result": {"chosen_candidates": [{"log_probability": -0.5}]}})
    {'avgLogprobs': -0.5, 'logprobsResult': {'chosenCandidates': [{'logProbability': -0.5}]}}
    """
    if isinstance(value, list):
        return [*map(_renamed, value)]
    return {_SNAKES.get(name, name): _renamed(inner) for name, inner in value.items()} if is_object(value) else value


def _has_text(answer: object) -> bool:
    return not is_object(answer) or answer.get("text", "") is not None


def _doubts_of_ends(entries: Sequence[object]) -> list[tuple[str, str]]:
    """Returns the warning about answers that end early.

    >>> _doubts_of_ends([{"finish_reason": "stop"}, {"finish_reason": "length"}])[0][0]
    "an answer that was cut off ('length') is read as a whole one"
    """
    ends = [entry.get("incomplete_details") or entry for entry in entries if is_object(entry)]
    reasons = [end[name] for end in ends if is_object(end) for name in _REASONS if name in end]
    reasons = [next(iter(reason.values()), None) if is_object(reason) else reason for reason in reasons]  # HELM, SGLang
    reason = next((reason for reason in reasons if isinstance(reason, str) and reason.lower() in _CUT), None)
    remedy = "sample it again with a higher limit of tokens, such as max_tokens"
    return [] if reason is None else [(f"an answer that was cut off ({reason!r}) is read as a whole one", remedy)]


def are_unlike(answers: Sequence[Any]) -> bool:
    """Returns whether several answers have hardly a word in common with the first one, unlike samples of a prompt."""
    words = [set(str(answer.get("text")).split()) for answer in answers if is_object(answer)]
    if len(words) < 2 or min(map(len, words)) < _LEAST_WORDS:
        return False
    return all(len(words[0] & other) <= _MOST_ALIKE * len(words[0] | other) for other in words[1:])


def are_words(texts: Sequence[object]) -> bool:
    """Returns whether texts are several different words of scripts that put blanks between words.

    >>> are_words(["the", "cat"]), are_words(["a cat", "cat"]), are_words(["猫", "小猫"])
    (True, False, False)
    """
    are_single = all(isinstance(text, str) and len(text.split()) == 1 and max(text) < _NO_BLANKS for text in texts)
    return are_single and len(set(texts)) > 1


def response_choice(output: Sequence[object]) -> dict[str, Any]:
    """Returns the messages among the output of a response of OpenAI as one choice; others are thoughts and calls."""
    contents = [entry.get("content") for entry in output if is_object(entry) and entry.get("type") == "message"]
    parts = [part for content in contents if isinstance(content, list) for part in ({}, *filter(is_object, content))]
    logs = [token for part in parts if isinstance(part.get("logprobs"), list) for token in part["logprobs"]]
    return {"content": parts, "logprobs": {"content": logs} if logs else None}


def generated_row(entries: Any, *, is_only: bool) -> Mapping[str, Any]:
    """Returns the sentence of a list of generated texts, a result of Transformers' pipelines.

    >>> generated_row([{"generated_text": "a cat"}], is_only=True)
    {'hypotheses': [{'text': 'a cat'}]}

    Args:
        entries: the list.
        is_only: whether it is the only list of a file, so it may also be one text for each of several sentences.
    """
    texts = [*map(_generated_text, entries)] if isinstance(entries, list) else entries
    doubts = [_FLAT] if is_only and len(entries) > 1 else []
    doubts += [SINGLE_WORDS] if isinstance(entries, list) and are_words(entries) else []
    return with_doubts({"hypotheses": texts}, doubts)


def generations(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the sentence of an answer of Hugging Face's server: the best sample, and the others."""
    entries = [row, *filter(is_object, _list(_details(row).get("best_of_sequences")))]
    hypotheses = [*map(_generated_text, entries)]
    doubts = [_TOKENS] if any(_details(entry).get("top_tokens") or entry.get("top_tokens") for entry in entries) else []
    doubts += _doubts_of_ends([*map(_details, entries)])
    pairs = zip(entries, hypotheses, strict=True)
    doubts += (
        [_NO_LOGS] if any(_details(entry).get("tokens") and "features" not in text for entry, text in pairs) else []
    )
    return with_doubts({"hypotheses": hypotheses}, doubts)


def log_probability(entry: Mapping[str, Any]) -> float | None:
    """Returns the log probability of all tokens of a choice or a transcript, or None."""
    total = next((entry[name] for name in _TOTALS if is_finite(entry.get(name))), None)
    if total is not None:
        return float(total)
    logs = entry.get("logprobs") or entry.get("logprobsResult")
    tokens = logs.get("content", logs.get("chosenCandidates")) if isinstance(logs, dict) else logs
    values = logs.get("token_logprobs") if isinstance(logs, dict) else _listed_logs(entry)
    if isinstance(tokens, list):
        values = [token.get("logprob", token.get("logProbability")) if is_object(token) else None for token in tokens]
    if not isinstance(values, list) or not values or not all(map(is_finite, values)):
        return None
    return math.fsum(values)


def _is_part(entry: Mapping[str, Any], *, is_whole: bool) -> bool:
    """Returns whether a choice is a part of a stream: a delta, or a text that goes on, in an answer without usage."""
    return (
        ("delta" in entry and "message" not in entry)  # answers of Perplexity have both
        or entry.get("type") == "message_start"  # of Anthropic
        or entry.get("done") is False
        or entry.get("stop") is False
        or (not is_whole and "text" in entry and not entry.get("finish_reason", True))
    )


def _has_alternatives(entry: object) -> bool:
    """Returns whether the tokens of a choice have alternatives, in an answer of OpenAI, vLLM or Gemini."""
    logs = entry.get("logprobs") or entry.get("logprobsResult") if isinstance(entry, dict) else None
    tokens = (logs.get("content") or logs.get("topCandidates")) if isinstance(logs, dict) else logs
    tops = _list(logs.get("top_logprobs")) if isinstance(logs, dict) else []
    for token in filter(is_object, _list(tokens)):
        tops.append(token.get("top_logprobs", token.get("candidates", () if "logprob" in token else token)))
    return any(isinstance(top, dict | list) and len(top) > 1 for top in tops)


def _choice(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the text of a choice: of a chat or completion, of vLLM's outputs in Python, or of Gemini."""
    message = entry.get("message", entry)
    text = message.get("content", message.get("text")) if isinstance(message, dict) else None
    parts = text.get("parts", []) if isinstance(text, dict) else text
    if are_objects(parts):
        are_texts = [isinstance(part.get("text"), str) and not part.get("thought") for part in parts]
        # Parts follow each other without blanks, unless a thought or the call of a tool is between them.
        pieces = (str(part["text"]) if is_text else "\n" for part, is_text in zip(parts, are_texts, strict=True))
        text = "".join(pieces) if any(are_texts) else None
    if text == "" and is_object(message) and message.get("tool_calls"):
        text = None
    logs = {LOG_PROBABILITY: log_probability(entry), MEAN_LOG_PROBABILITY: entry.get(_MEAN)}
    features = {name: log for name, log in logs.items() if is_finite(log)}
    if is_object(entry.get("features", {})) and features:
        entry = {**entry, "features": {**entry.get("features", {}), **features}}
    return {**_scores(entry), "text": text}


def _scores(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the scores and features of a choice, and numbers under other names, which may be unknown scores."""
    read = {*_TOTALS, _MEAN}
    return {name: value for name, value in entry.items() if name in _SCORES or (is_finite(value) and name not in read)}


def _list(value: object) -> list[Any]:
    """Returns a copy of a list, and an empty one for any other value."""
    return [*value] if isinstance(value, list) else []


def _token_logs(entry: Mapping[str, Any]) -> object:
    """Returns the list of a choice's tokens with their log probabilities, in chats and in completions, or None."""
    logs = entry.get("logprobs")
    if not isinstance(logs, dict):
        return None
    tokens, values = logs.get("tokens"), logs.get("token_logprobs")
    if isinstance(tokens, list) and isinstance(values, list) and len(tokens) == len(values):
        return [{"token": token, "logprob": value} for token, value in zip(tokens, values, strict=True)]
    return logs.get("content")


def _listed_logs(entry: Mapping[str, Any]) -> object:
    """Returns the list of a transcript's log probabilities, or None; numbers above 0 are none."""
    values = next((entry[name] for name in _LOGS if isinstance(entry.get(name), list) and entry[name]), None)
    return values if values and all(is_finite(value) and value <= 0.0 for value in values) else None


def _generated_text(entry: Any) -> Any:
    """Returns the text of an entry, which in a chat is that of the last message, as a hypothesis."""
    if not isinstance(entry, dict):
        return {"text": entry}
    text = next((entry[name] for name in _GENERATED if name in entry), None)
    if isinstance(text, list) and text and isinstance(text[-1], dict):
        text = text[-1].get("content")
    if text is None:
        return entry
    log = log_probability({"logprobs": _details(entry).get("tokens")})
    return {"text": text} if log is None else {"text": text, "features": {LOG_PROBABILITY: log}}


def _details(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the details of a generated text; further samples are details themselves."""
    details = entry.get("details", entry)
    return details if is_object(details) else {}

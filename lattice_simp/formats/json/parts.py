"""Results of streaming recognisers that come in parts: messages that go on where the ones before them end.

>>> tokens = [{"text": "a", "is_final": True}, {"text": " cat", "is_final": True}, {"text": "<end>", "is_final": True}]
>>> list(joined_parts([(1, {"tokens": tokens[:1]}), (2, {"tokens": tokens[1:]})]))
[(1, {'tokens': [{'text': 'a', 'is_final': True}, {'text': ' cat', 'is_final': True}], 'text': 'a cat'})]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from lattice_simp.formats.json.answers import is_object

_ENDS = ("<end>", "<fin>")
"""Tokens that end an utterance: of Soniox."""

_INTERIM = {"partial": ""}
"""A message that says that there were interim results."""


def joined_parts(values: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yields values with their lines; those that are parts of a result are joined, without interim parts."""
    for (kind, _), messages in groupby(values, lambda pair: _part_of(pair[1])):
        if not kind:
            yield from messages
            continue
        first, *rest = messages
        parts = [value for _, value in (first, *rest)]
        yield from ((first[0], result) for result in _JOINED[kind](parts))


def _part_of(value: object) -> tuple[str, object]:
    """Returns of which kind of parts a value is, and of which session; no kind for a whole result."""
    if is_object(value) and "hypotheses" not in value:
        tokens, segments = value.get("tokens"), value.get("segments")
        if _all_have(tokens, "is_final") or (tokens == [] and "total_audio_proc_ms" in value):
            return "tokens", None
        if _all_have(segments, "completed"):
            return "segments", value.get("uid")
        if value.get("mode") == "online" and isinstance(value.get("text"), str):
            return "texts", value.get("wav_name")
    return "", None


def _all_have(entries: object, name: str) -> bool:
    return isinstance(entries, list) and bool(entries) and all(is_object(entry) and name in entry for entry in entries)


def _of_tokens(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the utterances of Soniox: final tokens up to one that ends an utterance."""
    tokens = [token for part in parts for token in part["tokens"]]
    if len(spoken := [token for token in tokens if token.get("translation_status") != "translation"]) < len(tokens):
        yield {"type": "translation"}
    if not all(token["is_final"] for token in spoken):
        yield _INTERIM
    final = [token for token in spoken if token["is_final"]]
    for is_end, utterance in groupby(final, lambda token: token.get("text") in _ENDS):
        if not is_end:
            entries = list(utterance)
            yield {"tokens": entries, "text": "".join(str(entry.get("text")) for entry in entries).strip()}


def _of_segments(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the transcript of WhisperLive, whose messages repeat the last segments; only the last is incomplete."""
    segments = dict[str, dict[str, Any]]()
    for part in parts:
        is_last = part is parts[-1]
        for segment in part["segments"]:
            if segment["completed"] or is_last:
                segments[str(segment.get("start"))] = segment
    if not all(segment["completed"] for part in parts[:-1] for segment in part["segments"]):
        yield _INTERIM
    yield {"segments": list(segments.values())}


def _of_texts(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the text of FunASR's online mode."""
    yield {"wav_name": parts[0].get("wav_name"), "text": "".join(part["text"] for part in parts)}


_JOINED = {"tokens": _of_tokens, "segments": _of_segments, "texts": _of_texts}

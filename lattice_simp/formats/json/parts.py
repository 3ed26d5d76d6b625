"""Results of streaming recognisers that come in parts: messages that go on where the ones before them end.

>>> tokens = [{"text": "a", "is_final": True}, {"text": " cat", "is_final": True}, {"text": "<end>", "is_final": True}]
>>> list(joined_parts([(1, {"tokens": tokens[:1]}), (2, {"tokens": tokens[1:]})]))
[(1, {'tokens': [{'text': 'a', 'is_final': True}, {'text': ' cat', 'is_final': True}], 'text': 'a cat'})]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from lattice_simp.formats.json.values import are_objects, is_object

_ENDS = ("<end>", "<fin>")
"""Tokens that end an utterance: of Soniox."""

_BUFFER = "buffer_transcription"
"""The field for the text that may still change: of WhisperLiveKit."""

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
        if (tokens and are_objects(tokens, "is_final")) or (tokens == [] and "total_audio_proc_ms" in value):
            return "tokens", None
        if _BUFFER in value:
            return "lines", None
        if segments and are_objects(segments, "completed"):
            return "segments", value.get("uid")
        if value.get("mode") == "online" and isinstance(value.get("text"), str):
            return "texts", value.get("wav_name")
    return "", None


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


def _of_lines(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the transcripts of WhisperLiveKit, whose messages hold all lines, or those that differ from before.

    A message with fewer lines than the one before begins another session.
    """
    if any(part[_BUFFER] for part in parts[:-1]):
        yield _INTERIM
    lines, pruned, rest = list[Any](), list[Any](), ""
    for part in parts:
        if isinstance(part.get("lines"), list):
            if len(part["lines"]) < len(lines):
                yield _transcript([*pruned, *lines, {"text": rest}])
                pruned = []
            lines = part["lines"]
        else:
            gone, added, count = (part.get(name) for name in ("lines_pruned", "new_lines", "n_lines"))
            gone, added = gone if isinstance(gone, int) else 0, added if isinstance(added, list) else []
            pruned, lines = pruned + lines[:gone], lines[gone:]
            kept = count - len(added) if isinstance(count, int) else len(lines)
            lines = lines[: max(kept, 0)] + added
        rest = part[_BUFFER]
    yield _transcript([*pruned, *lines, {"text": rest}])


def _transcript(lines: Sequence[Any]) -> dict[str, Any]:
    """Returns lines as segments; silence has no text."""
    return {"segments": [line for line in lines if not is_object(line) or line.get("text")]}


def _of_texts(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the text of FunASR's online mode."""
    yield {"wav_name": parts[0].get("wav_name"), "text": "".join(part["text"] for part in parts)}


_JOINED = {"tokens": _of_tokens, "segments": _of_segments, "lines": _of_lines, "texts": _of_texts}

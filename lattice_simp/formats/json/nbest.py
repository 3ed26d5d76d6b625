r"""N-best lists as JSON: `{"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}`, an object for each sentence.

The objects are lines (JSON lines, read one at a time), or spread over several lines, one after another or in an array.

A hypothesis is an object, a text or a list of tokens. An object may have `tokens` instead of `text`, and `features`
with further scores by name. Scores may be in a separate list, as CTranslate2 returns them:
`{"hypotheses": [["▁a", "▁cat"]], "scores": [-1.5]}`. If no hypothesis of a sentence has a score, the hypotheses are
samples: each counts the same, and a string drawn k times out of n has the probability k / n.

Results of other programs are read too (`results`). Those with log probabilities of samples, such as the choices of
a chat completion, have them as the feature `LogProb`, which `cost` can name.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "samples.jsonl"
>>> _ = path.write_text('{"id": 0, "hypotheses": ["a cat", "the cat", "a cat", "a cat"]}\n')
>>> [(entry.text, round(math.exp(-entry.cost), 3)) for entry in next(stream_json(path))[1]]
[('a cat', 0.75), ('the cat', 0.25)]
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from lattice_simp.core.columns import FINITE
from lattice_simp.core.hypothesis import Confidences, Hypothesis, Times
from lattice_simp.errors import FormatError, InvalidLatticeError, warn
from lattice_simp.formats.common import HEAD, MOST_SECONDS, key_names, shown
from lattice_simp.formats.json.answers import PART, generated_row
from lattice_simp.formats.json.inspect_logs import inspect_values, is_inspect_log
from lattice_simp.formats.json.lists import filtered_samples
from lattice_simp.formats.json.parts import joined_parts
from lattice_simp.formats.json.results import BARE, FAILED, KEYS, rows_of
from lattice_simp.formats.json.sentences import NAME
from lattice_simp.formats.json.streams import (
    INTERIM,
    MESSAGE,
    REPEATED,
    Repeats,
    is_interim,
    is_session,
    message_kind,
    opened,
    without_open,
)
from lattice_simp.formats.json.times import times_like, with_nulls
from lattice_simp.formats.json.values import DOUBTS, LIKELIHOODS, is_finite
from lattice_simp.formats.json.words import Speakers, tokens_of
from lattice_simp.formats.list_lines import (
    Doubts,
    IdCheck,
    Sentence,
    feature_score,
    samples,
    stored_features,
    stored_score,
)
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_binary, open_text, read_lines, text_begin

_LONG = rb'\s*"text"\s*:\s*"(?:[^"\\\n]|\\.)*\Z'  # a transcript that is longer than the head
_LINE_HEAD = re.compile(rb'\{(?=[^\n]*"hypotheses"\s*:|[^\n]*?(?:%b)|%b)' % (KEYS, _LONG))
_SPREAD_HEAD = re.compile(rb'(?:\{\s*\n|\[\s*\{)(?=.*?(?:"hypotheses"\s*:\s*\[|%b)|%b)' % (KEYS, _LONG), re.DOTALL)
_JSON_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\"|\[\s*[\[{\"])")
_BARE_HEAD = re.compile(rb"(?:\[\s*)?%b" % BARE)
_PARTIAL_HEAD = re.compile(rb'\[\s*\{\s*"partial"\s*:')  # of Vosk's messages in an array
_PIPELINE = rb'\{\s*"(?:generated|translation|summary)_text"\s*:'
_TEXT = rb'"(?!(?:[^"\\]|\\.)*"\s*,\s*(?:null|\[))'  # not of pyctcdecode's beams, which are lists of a text and others
_LISTS_HEAD = re.compile(rb"\[\s*(?:(\[\s*)(?:%b|\]\s*,|%b)|%b)" % (_TEXT, _PIPELINE, _PIPELINE))
_BLANKS, _SEPARATORS = re.compile(r"[\s\ufeff]*"), re.compile(r"[\s\ufeff,\[\]]*")
_COMMAS = re.compile(r"[\s\ufeff,]*\]?[\s\ufeff]*")
_SCORES = re.compile(
    r"(?i)(?:^|_)(?:scores?|log_?ps?|(?:log_?)?(?:likelihoods?|prob(?:abilit(?:y|ies)|s)?)|costs?|nll|confidences?|logits?"
    r"|(?<!attention_)weights?|rewards?|loss|perplexity)(?![a-z])|^(?:counts?|freq|frequency)$"
)
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KNOWN = frozenset({"score", "scores", "features", "confidences", DOUBTS, FAILED, LIKELIHOODS})
_LISTED = ("features", "times", "confidences", "tokens")
_TIMES = "times that are not pairs of a begin and an end in seconds, one for each token"
_SHARES = "confidences that are not numbers from 0 to 1, one for each token"
_MATCHED = 1 << 10
_MOST_PAIRS = 1 << 24  # of words of two hypotheses that are aligned
_MARK = re.compile(r"<\|[^<>|]+\|>")
_NO_MARKS = "decode without them (skip_special_tokens=True), or cut them off: sed 's/<|[^|]*|>//g'"
_ONE_FILTER = "keep the lines of one filter to be sure"
_ONLY_INTERIM = "save the stream to its end, with the final results"
_REMEDY = 'write {"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}'


def is_json(head: bytes) -> bool:
    """Returns whether a file begins like JSON.

    >>> is_json(b'{"a": 1}'), is_json(b"[ note ]")
    (True, False)
    """
    return _JSON_HEAD.match(head) is not None


def is_json_nbest(head: bytes) -> bool:
    """Recognises JSON with hypotheses, by the first line or an object or array that begins with it."""
    if is_inspect_log(head):
        return True
    text = text_begin(head)
    heads = (_LINE_HEAD, _SPREAD_HEAD, _BARE_HEAD, _LISTS_HEAD, _PARTIAL_HEAD)
    begin = 0
    while not any(head.match(text, begin) for head in heads):
        message = MESSAGE.match(text, begin)
        if message is None:
            return False
        begin = message.end()
    return True


def stream_json(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads JSON; yields the sentences, numbered from 0, one at a time.

    Objects without `id`, or with a name, are numbered. Sentences without an object are empty lists.

    Raises:
        FormatError: an object is broken (the message has its line), ids do not increase, a hypothesis lacks the feature
            `cost`, or the file is empty.
    """
    due = 0
    number = 0
    ids, doubts, failures = IdCheck(path, first_id), Doubts(path), dict[int, str]()
    for number, row in _rows(path, doubts):
        name = row.get(NAME)
        sentence_id = row.get("id", first_id + due)
        if isinstance(name, str) and isinstance(sentence_id, str):
            sentence_id = first_id + due
        if not isinstance(sentence_id, int) or isinstance(sentence_id, bool):
            message = f"an id that is not a whole number: {shown(str(sentence_id))}"
            raise FormatError(message, path=path, line=number, remedy='leave "id" out to number sentences in order')
        if due and sentence_id == first_id + due - 1:
            remedy = 'write one object for each id, with all its hypotheses; or leave "id" out to number the objects'
            raise FormatError(f"the id {str(sentence_id)[:20]} again", path=path, line=number, remedy=remedy)
        ids.see(sentence_id, first_id + due, number, order="sort the lines by id, one line for each")
        while due < sentence_id - first_id:
            yield Sentence(due, [], is_missing=True)
            due += 1
        for message, remedy in row.get(DOUBTS, ()):
            doubts.raise_once(message, number, remedy)
        if FAILED in row:
            failures[number] = row[FAILED]
        _doubt_tokens(row["hypotheses"], doubts, number)
        hypotheses = _hypotheses(_scored(row, doubts, number), cost, _Place(path, number))
        hypotheses = _with_all_times(hypotheses, doubts, number)
        _doubt_confidences(hypotheses, doubts, number)
        _doubt_marks(hypotheses, doubts, number)
        scores = [hypothesis.score for hypothesis in hypotheses]
        doubts.check_scores(scores, [number] * len(hypotheses), are_likelihoods=LIKELIHOODS in row)
        yield Sentence(due, hypotheses, name if isinstance(name, str) else None)
        due += 1
    if not number:
        raise FormatError("the file is empty", path=path, remedy=_REMEDY)
    if failures:
        first, *_ = failures
        message = f"{counted(len(failures), 'failed request')} without hypotheses, the first: {failures[first]}"
        warn(message, path=path, line=first, remedy="send them again, and put the answers in their lines")


def write_json(
    groups: Iterable[tuple[int, Sequence[Hypothesis]] | Sentence],
    path: str | Path,
    *,
    first_id: int = 0,
    sources: Sequence[str] | None = None,
) -> None:
    """Writes JSON lines for `stream_json`; `sources` are the source sentences by number.

    Raises:
        InvalidLatticeError: a score is not a finite number up to 1e100, or a word is empty.
        LatticeSimpError: the file cannot be written.
    """
    with open_text(path, "w") as file:
        for group in groups:
            number, hypotheses, *_ = group
            entries = [_entry(hypothesis) for hypothesis in hypotheses]
            name = {NAME: group.name} if isinstance(group, Sentence) and group.name is not None else {}
            source = {} if sources is None else {"source": sources[number]}
            row = {"id": number + first_id, **name, **source, "hypotheses": entries}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _entry(hypothesis: Hypothesis) -> dict[str, Any]:
    stored = {name: stored_score(score) for name, score in stored_features(hypothesis).items()}
    features = {"features": stored} if stored else {}
    of_words = {"times": hypothesis.times, "confidences": with_nulls(hypothesis.confidences)}
    stored_words = {name: values for name, values in of_words.items() if values is not None}
    text, tokens = hypothesis.text, list(hypothesis.tokens)
    if "" in tokens:
        raise InvalidLatticeError(f"an n-best list cannot represent the empty word of {shown(text)} (leave it out)")
    words = {"text": text} if tokens_of(text) == tokens else {"text": text, "tokens": tokens}
    return {**words, "score": stored_score(hypothesis.score), **features, **stored_words}


def _values(path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yields the values of a file with their lines: each line is a value, or the whole text is read."""
    with open_binary(path) as file:
        is_log = is_inspect_log(file.read(HEAD))
    if is_log:
        yield from inspect_values(path)
        return
    lines, begun = enumerate(read_lines(path), 1), False
    for number, line in lines:
        if not line.strip():
            continue
        if not begun and not _is_whole(line):
            text = "\n".join((line, *(rest for _, rest in lines)))
            yield from _spread_values("\n" * (number - 1) + text, path)
            return
        begun = True
        yield number, parse_json(line, path=path, line=number, remedy=_REMEDY)


def _rows(path: str | Path, doubts: Doubts) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields the objects of sentences with their lines."""
    speakers: Speakers = {}
    filters: dict[str, str] = {}
    unread, read, repeats = dict[str, tuple[int, Any]](), set[str | None](), Repeats()
    for (number, value), (_, following) in pairwise(chain(joined_parts(without_open(_messages(path))), [(0, None)])):
        if is_interim(value, following):
            doubts.raise_once(INTERIM[0], number, INTERIM[1])
            continue
        sample, name = filtered_samples(value) or ("", "")
        if (first := filters.setdefault(sample, name)) != name:
            message = f"left out the samples of the filter {shown(name)}, which repeat those of {shown(first)}"
            doubts.raise_once(message, number, _ONE_FILTER)
            continue
        kind = message_kind(value)
        for row in rows_of(value, speakers):
            if kind is None or kind in read or _is_sentence(row):
                read.add(kind)
                sentence = _checked(row, path, number)
                if row is not value:
                    repeats.see(number, sentence)
                yield number, sentence
            else:
                unread.setdefault(kind, (number, row))
    for kind, (number, row) in unread.items():
        if not read or kind in read:
            _checked(row, path, number)
        doubts.raise_once(f"left out messages of the kind {shown(kind)}", number, "keep only the results to be sure")
    if repeats.are_most:
        doubts.raise_once(REPEATED[0], repeats.line, REPEATED[1])
    if not read and INTERIM[1] in doubts.raised:
        raise FormatError("all results are interim ones", path=path, remedy=_ONLY_INTERIM)


def _messages(path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yields the values of a file with their lines: results without what messages of streams hold beside them."""
    for number, value in _values(path):
        is_own = isinstance(value, dict) and "hypotheses" in value
        result = value if is_own or is_session(value) else opened(value)
        if is_own or not is_session(result):
            yield number, result


def _is_sentence(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("hypotheses"), list)


def _is_whole(line: str) -> bool:
    """Returns whether a line seems to be an object, by its ends."""
    text = line.strip().removeprefix("﻿")
    return text.startswith("{") and text.endswith("}")


def _spread_values(text: str, path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yields the values of a text, or of its array, and the lines where they begin.

    Each list of texts becomes an object, as do those of pipelines' results.
    """
    start = _BLANKS.match(text).end()  # type: ignore[union-attr]  # matches always
    generated = _LISTS_HEAD.match(text[start : start + _MATCHED].encode())
    is_array = text[start:].startswith("[") and (generated is None or generated[1] is not None)
    if is_array:
        parse_json(text, path=path, remedy=_REMEDY, repeated_keys=True)  # so that nothing is cut off
    if generated is None:
        values = _values_between(text, path, 0, _SEPARATORS if is_array else _BLANKS)
        yield from _with_one_prompt(values, path) if is_array else values
        return
    lists = _values_between(text, path, start + is_array, _COMMAS if is_array else _BLANKS)
    first = list(islice(lists, 2))
    is_only = len(first) == 1 and not is_array
    yield from ((line, generated_row(entries, is_only=is_only)) for line, entries in chain(first, lists))


def _with_one_prompt(values: Iterable[tuple[int, Any]], path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yields the values of an array; warns if they may be samples of one prompt, which SGLang lists as several are."""
    lengths = list[object]()
    for number, value in values:
        details = value.get("meta_info") if isinstance(value, dict) else None
        lengths += [details.get("prompt_tokens")] if isinstance(details, dict) else []
        yield number, value
    if len(lengths) > 1 and lengths == lengths[:1] * len(lengths):
        message = "answers to prompts of the same length are read as sentences; they may be samples of one"
        warn(message, path=path, remedy="if so, list them: jq '{samples: map(.text)}'")


def _values_between(text: str, path: str | Path, position: int, between: re.Pattern[str]) -> Iterator[tuple[int, Any]]:
    """Yields the values from a position on, and the lines where they begin; `between` matches what separates them."""
    line = 1 + text.count("\n", 0, position)
    while (begin := between.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        line += text.count("\n", position, begin)
        try:
            _, position = json.JSONDecoder().raw_decode(text, begin)
        except (ValueError, RecursionError):
            position = len(text)  # the error is that of the rest
        yield line, parse_json(text[begin:position], path=path, line=line, remedy=_REMEDY)
        line += text.count("\n", begin, position)


def _checked(row: Any, path: str | Path, number: int) -> Mapping[str, Any]:
    if not _is_sentence(row):
        row = {key: value for key, value in row.items() if key != DOUBTS} if isinstance(row, dict) else row
        keys = f"found {key_names(row)} in " if isinstance(row, dict) and "hypotheses" not in row else ""
        text = shown(json.dumps(row, ensure_ascii=False))
        message = f"expected an object with a list of hypotheses: {keys}{text}"
        raise FormatError(message, path=path, line=number, remedy=_REMEDY)
    return row


def _scored(row: Mapping[str, Any], doubts: Doubts, number: int) -> list[dict[str, Any]]:
    """Returns the hypotheses of a line as objects, with the scores of a separate list added."""
    path, scores = doubts.path, row.get("scores")
    entries = [
        entry if isinstance(entry, dict) else {"tokens" if isinstance(entry, list) else "text": entry}
        for entry in row["hypotheses"]
    ]
    unread = dict.fromkeys(key for item in (row, *entries) for key, value in item.items() if _is_score(key, value))
    is_scored = bool(scores) or any("score" in entry for entry in entries)
    for name in unread:
        message = f"scores under the name {shown(name)}"
        if not is_scored:
            raise FormatError(message, path=path, line=number, remedy=f"{_REMEDY}; scores are natural logs")
        doubts.raise_once(f"left out {message}", number, f'write "features": {{"{name}": NUMBER}}')
    for name, meant in ((name, _meant(name, entry)) for entry in entries for name in entry):
        if meant is not None and name not in unread:
            doubts.raise_once(f"left out the unknown field {shown(name)}", number, f"write it as {shown(meant)}")
    if not scores:  # none, or CTranslate2's empty list without return_scores
        return entries
    if not isinstance(scores, list) or len(scores) != len(entries):
        message = f"{counted(len(entries), 'hypothesis', 'hypotheses')}, but another number of scores"
        raise FormatError(message, path=path, line=number, remedy='write {"hypotheses": ["a cat"], "scores": [-1.5]}')
    if any("score" in entry for entry in entries):
        raise FormatError("scores beside the hypotheses and in them", path=path, line=number, remedy=_REMEDY)
    return [{**entry, "score": score} for entry, score in zip(entries, scores, strict=True)]


class _Entry(NamedTuple):
    """A hypothesis of a file, and the times and confidences of its tokens, where it has these."""

    tokens: tuple[str, ...]
    score: float | None
    features: dict[str, float]
    times: Times | None
    confidences: Confidences | None

    def hypothesis(self, cost: float, features: Mapping[str, float]) -> Hypothesis:
        return Hypothesis(self.tokens, cost, features, times=self.times, confidences=self.confidences)


@dataclass(frozen=True)
class _Place:
    """The file and the line of a sentence, for errors."""

    path: str | Path | None
    line: int

    def error(self, message: str, fields: object) -> FormatError:
        shortened = shown(json.dumps(fields, ensure_ascii=False))
        return FormatError(f"{message}: {shortened}", path=self.path, line=self.line, remedy=_REMEDY)


def _hypotheses(rows: Sequence[dict[str, Any]], cost: str | None, place: _Place) -> list[Hypothesis]:
    """Returns the hypotheses of a sentence; without scores, they are samples, each with the values of its first one."""
    entries = [_entry_of(fields, cost, place) for fields in rows]
    unscored = next((fields for fields, entry in zip(rows, entries, strict=True) if entry.score is None), None)
    if unscored is None:
        return [entry.hypothesis(0.0 - float(entry.score or 0.0), entry.features) for entry in entries]
    if any(entry.score is not None for entry in entries):
        raise place.error("a score for some hypotheses only", unscored)
    first = {entry.tokens: entry for entry in reversed(entries)}
    drawn = [(sample, first[sample.tokens]) for sample in samples(entry.tokens for entry in entries)]
    return [entry.hypothesis(sample.cost, {**sample.features, **entry.features}) for sample, entry in drawn]


def _entry_of(fields: Mapping[str, Any], cost: str | None, place: _Place) -> _Entry:
    words = _words(fields, place)
    score, features, scores = fields.get("score"), fields.get("features", {}), fields.get("scores")
    if isinstance(scores, dict) and isinstance(features, dict):  # by name
        features = {**scores, **features}
    if not isinstance(features, dict) or not all(map(is_finite, features.values())):
        raise place.error(f"features that are not {FINITE}, by name", fields)
    values = {name: float(value) for name, value in features.items()}
    if cost is not None:
        score = feature_score(values, cost, place.path, place.line, score if is_finite(score) else None)
    if score is not None and not is_finite(score):
        raise place.error("a score that is not a finite number up to 1e100", fields)
    times, confidences = fields.get("times"), fields.get("confidences")
    if times is not None and (times := _times(times, len(words))) is None:
        raise place.error(_TIMES, fields)
    if confidences is not None and (confidences := _confidences(confidences, len(words))) is None:
        raise place.error(_SHARES, fields)
    return _Entry(words, score, values, times, confidences)


def _words(fields: Mapping[str, Any], place: _Place) -> tuple[str, ...]:
    """Returns the tokens of a hypothesis, or those of its text."""
    words = fields.get("tokens", fields.get("text"))
    if isinstance(words, str):
        return tuple(tokens_of(words))
    if isinstance(words, list) and "tokens" in fields and all(isinstance(word, str) and word for word in words):
        return tuple(words)
    if isinstance(words, list) and fields.get("tokens") and all(isinstance(word, int) for word in words):
        message, remedy = "numbers of tokens, not tokens", "write texts: tokenizer.batch_decode(sequences)"
        raise FormatError(message, path=place.path, line=place.line, remedy=remedy)
    if isinstance(words, list) and "tokens" not in fields:
        raise place.error("a list as the text of a hypothesis", fields)
    if PART in fields:
        message, remedy = "a part of a stream, no answer", "ask the server for whole answers: stream=false"
        raise FormatError(message, path=place.path, line=place.line, remedy=remedy)
    names = "" if {"text", "tokens"} & fields.keys() else f", with {key_names(fields)}"
    raise place.error(f"a hypothesis without text or tokens{names}", fields)


def _times(value: object, count: int) -> Times | None:
    """Returns the times of a hypothesis of so many tokens; None if they are no pairs of increasing numbers."""
    pairs = list(value) if isinstance(value, list | tuple) else []
    if len(pairs) != count or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        return None
    numbers = [number for pair in pairs for number in pair]
    if not all(map(is_finite, numbers)) or any(not 0.0 <= begin <= end <= MOST_SECONDS for begin, end in pairs):
        return None
    return tuple((float(begin), float(end)) for begin, end in pairs)


def _confidences(value: object, count: int) -> Confidences | None:
    """Returns the confidences of a hypothesis of so many tokens, NaN for null; None if they are no probabilities."""
    shares = value if isinstance(value, list | tuple) else ()
    numbers = [0.0 if number is None else number for number in shares]
    if len(numbers) != count or not all(is_finite(number) and 0.0 <= number <= 1.0 for number in numbers):
        return None
    return tuple(math.nan if number is None else float(number) for number in shares)


def _doubt_tokens(entries: Sequence[object], doubts: Doubts, number: int) -> None:
    """Warns if a list that is read as tokens seems to hold the texts of a sentence."""
    tokens = (token for entry in entries if isinstance(entry, list) for token in entry if isinstance(token, str))
    token = next((token for token in tokens if " " in token and len(tokens_of(token)) > 1), None)
    if token is not None:
        remedy = 'if it is a list of texts, write a line for each sentence: {"hypotheses": ["a cat", "the cat"]}'
        doubts.raise_once(f"a list within hypotheses is read as tokens, such as {shown(token)}", number, remedy)


def _doubt_confidences(hypotheses: Sequence[Hypothesis], doubts: Doubts, number: int) -> None:
    """Warns if only some hypotheses have confidences of words, as services give them to the first alternative only."""
    unsure = [entry for entry in hypotheses if entry.tokens and entry.confidences is None]
    if unsure and len(unsure) < len(hypotheses) and any(entry.confidences for entry in hypotheses):
        what = counted(
            len(unsure), "alternative has no confidences of words", "alternatives have no confidences of words"
        )
        remedy = "write the first one of each list: `lattice texts -n 1 --output NAME.jsonl`"
        doubts.raise_once(f"{what}, so lattices of the list have none", number, remedy)


def _doubt_marks(hypotheses: Sequence[Hypothesis], doubts: Doubts, number: int) -> None:
    """Warns if words hold special tokens of a model, such as Whisper's and SenseVoice's languages."""
    marks = (_MARK.search(token) for hypothesis in hypotheses for token in hypothesis.tokens if "<|" in token)
    mark = next(filter(None, marks), None)
    if mark is not None:
        message = f"special tokens of a model, such as {shown(mark[0])}, are read as words"
        doubts.raise_once(message, number, _NO_MARKS)


def _with_all_times(hypotheses: list[Hypothesis], doubts: Doubts, number: int) -> list[Hypothesis]:
    """Estimates the times of hypotheses without them, as services give times to the first alternative only."""
    timed = next((entry for entry in hypotheses if entry.times), None)
    untimed = [entry for entry in hypotheses if entry.tokens and entry.times is None]
    if timed is None or timed.times is None or not untimed:
        return hypotheses
    remedy = "read the first alternative alone for exact times: `lattice nbest`"
    what = counted(len(untimed), "alternative without times gets", "alternatives without times get")
    doubts.raise_once(f"{what} those of the first", number, remedy)
    if max(len(entry.tokens) for entry in untimed) * len(timed.tokens) > _MOST_PAIRS:
        return hypotheses
    return [
        replace(entry, times=times_like(entry.tokens, timed.tokens, timed.times)) if entry.times is None else entry
        for entry in hypotheses
    ]


def _meant(name: str, entry: Mapping[str, Any]) -> str | None:
    """Returns the field that differs from an unknown one in its case or its last letter only, or None.

    >>> _meant("Feature", {"text": "a", "Feature": {}}), _meant("features", {"text": "a", "features": {}})
    ('features', None)
    """
    meant = name.lower().removesuffix("s") + "s"
    is_like = meant in _LISTED and meant != name and isinstance(entry[name], dict | list)
    return meant if is_like and meant not in entry else None


def _is_score(name: str, value: object) -> bool:
    """Returns whether a field that is not part of this format may hold scores."""
    is_known = name in _KNOWN and not (name == "score" and isinstance(value, list))
    if is_known or _SCORES.search(_CAPITALS.sub("_", name)) is None:
        return False
    values = value if isinstance(value, list) and value else [value]
    numbers = [number for entry in values for number in (entry if isinstance(entry, list) else [entry])]
    return bool(numbers) and all(map(is_finite, numbers))

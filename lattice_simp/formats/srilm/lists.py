r"""N-best lists of SRILM and Decipher, an utterance in each file, in the formats of its manual page nbest-format.

- After a line `NBestList1.0`, a line is `(score) word word ...`.
- After a line `NBestList2.0`, a line is `(score) word ( st: begin et: end g: score a: score ) word ( ... ) ...`, with
  scores of the language model (`g:`) and the acoustic model (`a:`). Parts of words follow the word that contains them.
- Without a header, a line is `acoustic lm count word word ...`, with the number of words.

Scores after a header are bytelogs (1 is 1024 times the log of 1.0001), others logs to base 10; all become natural logs.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "u-1"
>>> _ = path.write_text("-20.5 -4.0 2 a cat\n-21.0 -3.8 2 a hat\n")
>>> [(entry.text, round(entry.cost, 2)) for entry in next(stream_srilm(path)).hypotheses]
[('a cat', 56.41), ('a hat', 57.1)]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from lattice_simp.core.columns import is_cost
from lattice_simp.core.hypothesis import Hypothesis, Times
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, warn
from lattice_simp.formats.common import LOG_10, MOST_SECONDS, finite, natural, shown
from lattice_simp.formats.list_lines import Sentence, feature_score
from lattice_simp.support.textio import read_lines, text_begin

_HEADER = re.compile(r"NBestList([\d.]+)\s*")
_HEAD = re.compile(rb"NBestList\d")
_NUMBER = r"(-?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)"
_ROW = re.compile(rb"%b[ \t]+%b[ \t]+(\d{1,6})((?:[ \t]+[^\s]+)*)[ \t]*\r?(?:\n|\Z)" % ((_NUMBER.encode(),) * 2))
_PARTS = re.compile(rb"[\s_]+")  # `_` joins the words of a multiword, each of which counts
_PAUSES = (b"-pau-", b"<s>", b"</s>")
_MATCHED = 1 << 14

_BYTELOG = 1024 / 10000.5  # nats
_FRAME = 0.01
"""The length of a frame in seconds; `et:` is the time when the last frame of a word begins."""

_WORDS = re.compile(r"(\S+) \( st: %s et: %s g: %s a: %s \)(?: |$)|(.+)" % ((_NUMBER,) * 4))
"""A word with its times and scores, or the rest of a line without these."""

_REMEDIES = {
    "1.0": "write (score) word word ...",
    "2.0": "write (score) word ( st: begin et: end g: score a: score ) ...",
    "": "write acoustic lm count word word ..., with logs to base 10",
}
"""The versions of the format, and how their lines are; the one without a header is ''."""


class _Line(NamedTuple):
    """A line: its words, natural logs, and the times of its words, if it has these."""

    tokens: tuple[str, ...]
    score: float
    features: dict[str, float]
    times: Times | None = None


def is_srilm(head: bytes) -> bool:
    r"""Recognises a list by its header or by the scores and the number of words at the beginning of lines.

    A score below 0 and one with a point are enough, as states of lattices have neither. Otherwise all lines must have
    the number of their words, and one must be no arc of AT&T text.

    >>> is_srilm(b"-20.5 -4.0 2 a cat\n"), is_srilm(b"0 1 2 3 0.5\n"), is_srilm(b"-1.5 -2.5 7 houses\n")
    (True, False, False)
    >>> is_srilm(b"0 0 2 a cat\n0 0 1 hat\n"), is_srilm(b"7.5 3 2 a cat\n"), is_srilm(b"7.5 3 2 a cat sat\n")
    (True, True, False)
    """
    text = text_begin(head)[:_MATCHED]
    if _HEAD.match(text):
        return True
    row = _ROW.match(text)
    if row is None:
        return False
    if b"-" in row[1][:1] + row[2][:1] and b"." in row[1] + row[2]:
        return int(row[3]) <= len(_PARTS.split(row[4])) - 1
    lines = [line for line in text.splitlines()[: -1 if len(text) == _MATCHED else None] if line.strip()]
    rows = [row for line in lines if (row := _ROW.fullmatch(line)) is not None and _counts(row)]
    return len(rows) == len(lines) and not all(map(_is_arc, rows))


def _counts(row: re.Match[bytes]) -> bool:
    """Returns whether a line has the number of its words, with or without pauses."""
    words = row[4].split()
    return len([word for word in words if word not in _PAUSES]) <= int(row[3]) <= len(_PARTS.split(row[4])) - 1


def _is_arc(row: re.Match[bytes]) -> bool:
    """Returns whether a line may be an arc of AT&T text."""
    words = row[4].split()
    has_states = row[1].isdigit() and row[2].isdigit()
    return has_states and (len(words) < 2 or (len(words) == 2 and finite(words[1]) is not None))


def stream_srilm(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads the lists of a file; yields the sentences, numbered from 0. A further header begins a further list.

    The score of a hypothesis is that of its line. Without a header, it is the sum of the acoustic and the language
    model's score. Scores may be above 0, as acoustic models have densities. Features are `acoustic` and `lm` (not in
    version 1.0), and without a header `words`.

    Raises:
        FormatError: a line is broken, the version is unknown, or a hypothesis lacks the feature `cost`.
    """
    due, version, is_cut = 0, "", False
    hypotheses = list[Hypothesis]()
    for number, line in enumerate(read_lines(path), 1):
        fields = split_tokens(line)
        if not fields:
            continue
        header = _HEADER.fullmatch(line)
        if header is None:
            row = _READERS[version](fields, path, number)
            if not is_cut and row.features.get("words", 0.0) > sum(1 + token.count("_") for token in row.tokens):
                is_cut = True
                message = "fewer words than the line says"
                warn(message, path=path, line=number, remedy="is the file cut off?")
            score = row.score if cost is None else feature_score(row.features, cost, path, number, row.score)
            hypotheses.append(Hypothesis(row.tokens, 0.0 - score, row.features, times=row.times))
            continue
        if number > 1 and (version or hypotheses):
            yield Sentence(due, hypotheses)
            due, hypotheses = due + 1, []
        version = header[1]
        if version not in _REMEDIES:
            message = f"a list of the unknown version {shown(version)}"
            raise FormatError(message, path=path, line=number, remedy="write NBestList1.0 or NBestList2.0")
    yield Sentence(due, hypotheses)


def _total(text: str, version: str, path: str | Path, line: int) -> float:
    """Returns the score in brackets at the beginning of a line, in nats."""
    value = finite(text[1:-1]) if text.startswith("(") and text.endswith(")") else None
    if value is None:
        _fail(f"not a score in brackets: {shown(text)}", version, path, line)
    return value * _BYTELOG


def _version_1(fields: Sequence[str], path: str | Path, line: int) -> _Line:
    return _Line(tuple(fields[1:]), _total(fields[0], "1.0", path, line), {})


def _version_2(fields: Sequence[str], path: str | Path, line: int) -> _Line:
    """Reads a line with times; leaves out the parts of words: their times are within those of the word before."""
    total = _total(fields[0], "2.0", path, line)
    words, spans = list[str](), list[tuple[float, float]]()
    acoustic, model, begin, end = 0.0, 0.0, -1.0, -1.0
    for word, *numbers, rest in _WORDS.findall(" ".join(fields[1:])):
        if rest:
            _fail(f"not a word with its times and scores: {shown(rest)}", "2.0", path, line)
        first, last, model_score, acoustic_score = map(float, numbers)
        if begin <= first and last <= end:
            continue
        if not 0.0 <= first <= last <= MOST_SECONDS or not is_cost(model_score) or not is_cost(acoustic_score):
            _fail(f"a word that ends before it begins, or numbers too large: {shown(word)}", "2.0", path, line)
        begin, end = first, last
        words.append(word)
        spans.append((first, round(last + _FRAME, 6)))
        acoustic, model = acoustic + acoustic_score, model + model_score
    features = {"acoustic": acoustic * _BYTELOG, "lm": model * _BYTELOG}
    return _Line(tuple(words), total, features, tuple(spans))


def _plain(fields: Sequence[str], path: str | Path, line: int) -> _Line:
    scores = [value for value in map(finite, fields[:2]) if value is not None]
    count = natural(fields[2]) if len(fields) > 2 else None
    if len(scores) < 2 or count is None:
        _fail(f"not two scores and the number of words: {shown(' '.join(fields[:3]))}", "", path, line)
    acoustic, model = (score * LOG_10 for score in scores)
    return _Line(tuple(fields[3:]), acoustic + model, {"acoustic": acoustic, "lm": model, "words": float(count)})


def _fail(message: str, version: str, path: str | Path, line: int) -> NoReturn:
    raise FormatError(message, path=path, line=line, remedy=_REMEDIES[version])


_READERS: dict[str, Callable[[Sequence[str], str | Path, int], _Line]] = {
    "1.0": _version_1,
    "2.0": _version_2,
    "": _plain,
}

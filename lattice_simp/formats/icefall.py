r"""Results of icefall, `recogs-*.txt`: lines `NAME:<tab>ref=[...]` and `NAME:<tab>hyp=[...]`, lists of words in Python.

An utterance is a list of one hypothesis. Words have times if a line `timestamp_hyp` lists their begins and ends.
References are not read.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "recogs.txt"
>>> _ = path.write_text("u-1:\tref=['A', 'HAT']\nu-1:\thyp=['A', 'CAT']\n")
>>> [(sentence.name, sentence.hypotheses[0].text) for sentence in stream_icefall(path)]
[('u-1', 'A CAT')]
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import shown
from lattice_simp.formats.json.values import is_finite
from lattice_simp.formats.list_lines import Doubts, Sentence, feature_score, samples
from lattice_simp.support.textio import read_lines

_HEAD = re.compile(rb"[^\n]*?:\t(?:ref|hyp)=\[")
_LINE = re.compile(r"(\S.*?):\t(ref|hyp|timestamp_ref|timestamp_hyp)=(.*)")
_REFERENCE, _WORDS, _TIMES = "ref", "hyp", "timestamp_hyp"
_REMEDY = "write NAME:, a tab, and hyp=['A', 'CAT']"


def is_icefall(head: bytes) -> bool:
    r"""Recognises results of icefall by their first line.

    >>> is_icefall(b"u-1:\tref=['A']\n"), is_icefall(b"u-1:\ta cat\n")
    (True, False)
    """
    return _HEAD.match(head) is not None


def stream_icefall(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads results of icefall; yields the utterances, numbered from 0 in the order of the file.

    Raises:
        FormatError: a line is broken, or `cost` is given.
    """
    if cost is not None:
        feature_score({}, cost, path, None)
    due: Sentence | None = None
    count, reference, doubts = 0, None, Doubts(path)
    for number, line in enumerate(read_lines(path), 1):
        match = _LINE.fullmatch(line)
        if match is None and not line.strip():
            continue
        value = _value(match[3]) if match is not None else None
        if match is None or value is None:
            raise FormatError(f"not a result: {shown(line)}", path=path, line=number, remedy=_REMEDY)
        if reference not in (None, match[1]):
            raise _missing(reference, path, number)
        if match[2] == _WORDS:
            if due is not None:
                yield due
            due = Sentence(count, [_hypothesis(value, path, number)], match[1])
            count, reference = count + 1, None
        elif match[2] == _REFERENCE and (due is None or due.name != match[1]):
            reference = match[1]
        elif match[2] == _TIMES and due is not None and due.name == match[1]:
            due = due._replace(hypotheses=[_timed(due.hypotheses[0], value, doubts, number)])
    if reference is not None or due is None:
        raise _missing(reference, path, None)
    yield due


def _missing(name: str | None, path: str | Path, line: int | None) -> FormatError:
    return FormatError(f"no line {name}: with hyp=", path=path, line=line, remedy="is the file cut off?")


def _value(text: str) -> list[object] | None:
    """Returns a list of Python, or None for any other text."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _hypothesis(words: list[object], path: str | Path, line: int) -> Hypothesis:
    tokens = tuple(word for word in words if isinstance(word, str) and word)
    if len(tokens) < len(words):
        raise FormatError(f"not a list of words: {shown(repr(words))}", path=path, line=line, remedy=_REMEDY)
    return samples([tokens])[0]


def _timed(hypothesis: Hypothesis, values: list[object], doubts: Doubts, line: int) -> Hypothesis:
    """Returns a hypothesis with times; begins alone end where the next one begins."""
    begins_only = all(map(is_finite, values))
    pairs = list(zip(values, [*values[1:], *values[-1:]], strict=True)) if begins_only else values
    times = tuple(pair for pair in pairs if isinstance(pair, tuple) and len(pair) == 2 and all(map(is_finite, pair)))
    is_ordered = all(0.0 <= begin <= end for begin, end in times)
    if len(times) != len(hypothesis.tokens) or len(times) < len(values) or not is_ordered:
        doubts.raise_once("times that are not those of the words are left out", line, "write those of words")
        return hypothesis
    return replace(hypothesis, times=tuple((float(begin), float(end)) for begin, end in times))

r"""Labels of HTK, as HVite and HDecode write them: an MLF of many utterances, or a label file of one.

Each line has a word: `[start end] word [score]`. A line `///` separates alternatives, which `HVite -n` writes; in an
MLF, a line with the quoted name of its file begins an utterance, and a dot ends it. The score of a hypothesis is the
sum of its words' scores. Alternatives without scores have equal weights. Times are in units of 100 ns.

Alignments have labels of up to three levels on a line, as `HVite -f -m` writes them: `start end state score phone score
word score`, without the phone or the word where it goes on. The last level holds the words, with the scores of the
language model; the scores of the first level are acoustic.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "recout.mlf"
>>> _ = path.write_text('#!MLF!#\n"*/u.rec"\n0 900000 a -6\n900000 2100000 cat -9\n///\n0 2100000 acat -17\n.\n')
>>> sentence = next(stream_labels(path))
>>> [(entry.text, entry.cost) for entry in sentence.hypotheses]
[('a cat', 15.0), ('acat', 17.0)]
>>> sentence.name, [round(end, 3) for _, end in sentence.hypotheses[0].times]
('u', [0.09, 0.21])
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import NamedTuple

from lattice_simp.core.hypothesis import Hypothesis, Times
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import MOST_SECONDS, beyond, finite, is_number, natural, shown
from lattice_simp.formats.htk.slf_reader import unquoted
from lattice_simp.formats.list_lines import Doubts, Sentence, feature_score, samples
from lattice_simp.support.textio import read_lines, text_begin

_HEADER = "#!MLF!#"
_REMEDY = 'write "NAME", then lines start end word score, /// between alternatives, and a dot at the end'
_TICK = 1e-7  # seconds
_MOST_LEVELS = 3  # states, phones, words
_LEVELS = "write words alone: HVite without -m and -f; or times and scores: without -o ST"
_LABEL = rb"[ \t]+[^\s\d]\S*(?:[ \t]+-?\d+\.\d+)?"
_HEAD = re.compile(
    rb'#!MLF!#\s*"|0+[ \t]+(\d+0000)(?:%b){1,%d}\s*?\n(?:\1[ \t]+\d+0000[ \t]|///\s)' % (_LABEL, _MOST_LEVELS),
)


def is_labels(head: bytes) -> bool:
    r"""Recognises an MLF by its header, and a label file by times in units of 100 ns that follow each other.

    >>> is_labels(b"0 900000 a -6.5\n900000 2100000 cat -9.5\n"), is_labels(b"0 1 a 0.5\n1\n")
    (True, False)
    """
    return _HEAD.match(text_begin(head)) is not None


def stream_labels(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads labels utterance by utterance; yields the sentences, numbered from 0 in the order of the file.

    An utterance without words has no hypothesis. Its name is that of its file, without folders and the ending.

    Raises:
        FormatError: a line is broken, only some words have scores, the words of an alignment are not distinct from its
            other labels, an MLF is cut off, or `cost` is given.
    """
    if cost is not None:
        feature_score({}, cost, path, None)
    doubts = Doubts(path)
    for number, utterance in enumerate(_utterances(path)):
        hypotheses = utterance.hypotheses(path)
        doubts.check_scores([hypothesis.score for hypothesis in hypotheses], [utterance.line] * len(hypotheses))
        yield Sentence(number, hypotheses, utterance.name)


Span = tuple[float, float]
"""The begin and end of a label in seconds."""


class _Row(NamedTuple):
    """A line: its labels with their scores, from the lowest level, and their time."""

    labels: list[tuple[str, float | None]]
    span: Span | None
    line: int


class _Word(NamedTuple):
    word: str
    score: float | None
    span: Span | None


@dataclass
class _Utterance:
    """The alternatives of an utterance so far, the line where it begins, and its name in an MLF."""

    line: int
    name: str | None = None
    alternatives: list[list[_Row]] = field(default_factory=lambda: [[]])

    def hypotheses(self, path: str | Path) -> list[Hypothesis]:
        """Returns the alternatives with words."""
        levels = _num_levels([row for rows in self.alternatives for row in rows], path)
        alternatives = [words for rows in self.alternatives if (words := _words(rows, levels, path))]
        strings = [tuple(entry.word for entry in words) for words in alternatives]
        scores = [[entry.score for entry in words if entry.score is not None] for words in alternatives]
        times = [_times(words) for words in alternatives]
        if not any(scores):
            by_words = dict(zip(reversed(strings), reversed(times), strict=True))
            return [replace(entry, times=by_words[entry.tokens]) for entry in samples(strings)]
        if any(len(values) < len(words) for values, words in zip(scores, strings, strict=True)):
            message = "scores for some words of this utterance only"
            raise FormatError(message, path=path, line=self.line, remedy="write all scores, or none")
        rows = zip(strings, scores, times, strict=True)
        return [Hypothesis(words, 0.0 - sum(values), times=spans) for words, values, spans in rows]


def _times(words: list[_Word]) -> Times | None:
    """Returns the times of words in seconds, if all have both."""
    spans = [entry.span for entry in words if entry.span is not None]
    return tuple(spans) if len(spans) == len(words) else None


def _utterances(path: str | Path) -> Iterator[_Utterance]:
    utterance, is_mlf, is_begun, number = None, False, False, 0
    for number, line in enumerate(read_lines(path), 1):
        text = line.strip().removeprefix("\ufeff")
        if text and not is_begun:
            is_begun, is_mlf = True, text == _HEADER
            utterance = None if is_mlf else _Utterance(number)
        if not text or text == _HEADER:
            continue
        if utterance is None:
            if not re.fullmatch(r'"[^"]*"', text):
                raise FormatError(
                    f"not the name of a label file: {shown(text)}", path=path, line=number, remedy=_REMEDY
                )
            utterance = _Utterance(number, PurePath(text.strip('"')).stem or None)
        elif is_mlf and text == ".":
            yield utterance
            utterance = None
        elif text == "///":
            utterance.alternatives.append([])
        else:
            utterance.alternatives[-1].append(_row(text, path, number))
    if utterance is not None and is_mlf:
        raise FormatError("the last utterance has no end", path=path, line=number, remedy="is the file cut off?")
    if utterance is not None:
        yield utterance


def _row(text: str, path: str | Path, line: int) -> _Row:
    fields = split_tokens(text)
    times = next((place for place, value in enumerate(fields[:2]) if natural(value) is None), 2)
    times = min(times, len(fields) - 1)
    begin, end = (int(value) * _TICK for value in fields[:2]) if times == 2 else (0.0, -1.0)
    labels: list[tuple[str, float | None]] = []
    for field_text in fields[times:]:
        score = finite(field_text)
        if labels and labels[-1][1] is None and score is not None:
            labels[-1] = labels[-1][0], score
        elif labels and is_number(field_text):
            fault = "a score in the place of a label, or one that is not a finite number"
            message = f"{fault}: {shown(text)}{beyond(field_text)}"
            raise FormatError(message, path=path, line=line, remedy=_LEVELS)
        else:
            labels.append((_spelled(field_text, path, line), None))
    return _Row(labels, (begin, end) if begin <= end <= MOST_SECONDS else None, line)


def _spelled(text: str, path: str | Path, line: int) -> str:
    try:
        return unquoted(text)
    except UnicodeDecodeError as error:
        message, remedy = f"escapes that are not UTF-8: {shown(text)}", "write the characters themselves, in UTF-8"
        raise FormatError(message, path=path, line=line, remedy=remedy) from error


def _num_levels(rows: list[_Row], path: str | Path) -> int:
    """Returns the number of levels of an utterance, whose highest one holds the words.

    Raises:
        FormatError: the labels of a line may be words of one level, as there are no scores between them.
    """
    levels = max((len(row.labels) for row in rows), default=1)
    first = next((row for row in rows if len(row.labels) == levels > 1), None)
    if first is not None:
        is_scored = all(row.labels[0][1] is not None for row in rows)
        if levels > _MOST_LEVELS or first.span is None or not is_scored:
            labels = " ".join(label for label, _ in first.labels)
            message = f"labels of several levels, or several words on a line: {shown(labels)}"
            raise FormatError(message, path=path, line=first.line, remedy=_LEVELS)
    return levels


def _words(rows: list[_Row], levels: int, path: str | Path) -> list[_Word]:
    """Returns the words of an alternative; lines before the first one count for its score.

    Raises:
        FormatError: no line of the alternative has a word, in an utterance with several levels.
    """
    if levels == 1 or not rows:
        return [_Word(*row.labels[0], row.span) for row in rows]
    begins = [number for number, row in enumerate(rows) if len(row.labels) == levels]
    if not begins:
        message = f"no word in this alternative, but labels of {levels} levels in others of its utterance"
        raise FormatError(message, path=path, line=rows[0].line, remedy=_LEVELS)
    ends = [*begins[1:], len(rows)]
    parts = (rows[begin:end] for begin, end in zip([0, *begins[1:]], ends, strict=False))
    return [_aligned(rows[begin], part) for begin, part in zip(begins, parts, strict=True)]


def _aligned(head: _Row, rows: list[_Row]) -> _Word:
    """Returns the word that begins in a line and goes on to the last of its lines."""
    word, language_score = head.labels[-1]
    scores = [row.labels[0][1] for row in rows]
    known = [score for score in scores if score is not None]
    score = sum(known) + (language_score or 0.0) if len(known) == len(scores) else None
    last = rows[-1].span
    return _Word(word, score, None if head.span is None or last is None else (head.span[0], last[1]))

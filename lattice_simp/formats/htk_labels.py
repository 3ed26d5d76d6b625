r"""Labels of HTK, as HVite and HDecode write them: an MLF of many utterances, or a label file of one.

Each line has a word: `[start end] word [score]`. A line `///` separates alternatives, which `HVite -n` writes; in an
MLF, a line with the quoted name of its file begins an utterance, and a dot ends it. The score of a hypothesis is the
sum of its words' scores. Alternatives without scores have equal weights. Times are in units of 100 ns.

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
from lattice_simp.formats.common import MOST_SECONDS, beyond, finite, natural, shown
from lattice_simp.formats.list_lines import Doubts, Sentence, feature_score, samples
from lattice_simp.formats.slf_reader import unquoted
from lattice_simp.support.textio import read_lines, text_begin

_HEADER = "#!MLF!#"
_REMEDY = 'write "NAME", then lines start end word score, /// between alternatives, and a dot at the end'
_TICK = 1e-7  # seconds
_LEVELS = "write words alone: HVite without -m and -f"
_SCORE = rb"[ \t]+-?\d+\.\d+"
_HEAD = re.compile(
    rb'#!MLF!#\s*"|0+[ \t]+(\d+0000)[ \t]+[^\s\d]\S*(?:%b)?\s*?\n(?:\1[ \t]+\d+0000[ \t]|///\s)' % _SCORE,
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
        FormatError: a line is broken or has labels of several levels, only some words have scores, an MLF is cut off,
            or `cost` is given.
    """
    if cost is not None:
        feature_score({}, cost, path, None)
    doubts = Doubts(path)
    for number, utterance in enumerate(_utterances(path)):
        hypotheses = utterance.hypotheses(path)
        doubts.check_scores([hypothesis.score for hypothesis in hypotheses], [utterance.line] * len(hypotheses))
        yield Sentence(number, hypotheses, utterance.name)


class _Word(NamedTuple):
    word: str
    score: float | None
    span: tuple[float, float] | None


@dataclass
class _Utterance:
    """The alternatives of an utterance so far, the line where it begins, and its name in an MLF."""

    line: int
    name: str | None = None
    alternatives: list[list[_Word]] = field(default_factory=lambda: [[]])

    def hypotheses(self, path: str | Path) -> list[Hypothesis]:
        """Returns the alternatives with words."""
        alternatives = [words for words in self.alternatives if words]
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
            utterance.alternatives[-1].append(_word(text, path, number))
    if utterance is not None and is_mlf:
        raise FormatError("the last utterance has no end", path=path, line=number, remedy="is the file cut off?")
    if utterance is not None:
        yield utterance


def _word(text: str, path: str | Path, number: int) -> _Word:
    fields = split_tokens(text)
    times = next((place for place, value in enumerate(fields[:2]) if natural(value) is None), 2)
    times = min(times, len(fields) - 1)
    begin, end = (int(value) * _TICK for value in fields[:2]) if times == 2 else (0.0, -1.0)
    word, *rest = fields[times:]
    score = finite(rest[0]) if rest else None
    if len(rest) > 1 or (rest and score is None):
        message = f"labels of several levels, or a score that is not a finite number: {shown(text)}{beyond(rest[0])}"
        raise FormatError(message, path=path, line=number, remedy=_LEVELS)
    try:
        return _Word(unquoted(word), score, (begin, end) if begin <= end <= MOST_SECONDS else None)
    except UnicodeDecodeError as error:
        message, remedy = f"escapes that are not UTF-8: {shown(word)}", "write the characters themselves, in UTF-8"
        raise FormatError(message, path=path, line=number, remedy=remedy) from error

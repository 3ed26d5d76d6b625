"""CTM, the text of recognised words that sclite and Kaldi read: `utterance channel begin duration word confidence`.

The confidence may be missing, `NA` or -1. Further fields and lines that begin with `;;` are skipped. An utterance is a
list of one hypothesis, or of one for each choice of alternatives (`<ALT_BEGIN>`). The weight of an alternative is the
mean confidence of its words; if one of them has none, all alternatives there weigh the same. If an utterance has
several channels, the channel is part of the names.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "u.ctm"
>>> _ = path.write_text("u-1 A 0.50 0.25 a 0.9\\nu-1 A 0.75 0.5 cat\\nu-2 A 0.1 0.2 yes 1\\n")
>>> [(sentence.name, sentence.hypotheses[0].text) for sentence in stream_ctm(path)]
[('u-1', 'a cat'), ('u-2', 'yes')]
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, InvalidLatticeError, warn
from lattice_simp.formats.common import MOST_SECONDS, finite, is_field, shown
from lattice_simp.formats.list_lines import Sentence, feature_score, samples
from lattice_simp.support.groups import grouped
from lattice_simp.support.textio import read_lines

_NUMBER = rb"(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
_LINE = re.compile(rb"\S+[ \t]+\w+[ \t]+%b[ \t]+%b[ \t]+\S+(?:[ \t]+(?:-?%b|NA)(?:[ \t]+\S+){0,2})?" % ((_NUMBER,) * 3))
_MARK = re.compile(rb"\S+[ \t]+\w+[ \t]+\*[ \t]+\*[ \t]+(?i:<ALT\w*>)(?:[ \t]+\S+)*")
_ARC = re.compile(rb"\d+[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]+%b" % _NUMBER)
"""A line that is also an arc of AT&T text."""

_COMMENT, _UNKNOWN, _NO_WORD = ";;", ("NA", "na"), "@"
_BEGIN, _NEXT, _END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"
_MATCHED = 100
_NONE = -1.0
"""The confidence that ROVER writes where it has none."""

_ROUNDED = 1.01
_LEAST = sys.float_info.min
_MOST_HYPOTHESES = 100
_REMEDY = "write utterance channel begin duration word confidence, with times in seconds"


class _Word(NamedTuple):
    line: int
    utterance: tuple[str, str]
    begin: float
    end: float
    text: str
    confidence: float
    alternation: int = 0
    """The number of the alternatives that it belongs to, from 1, or 0."""
    choice: int = 0


class _Choice(NamedTuple):
    """An alternative: its words in order of time, and its weight, NaN if that is unknown."""

    words: Sequence[_Word]
    weight: float = math.nan


def is_ctm(head: bytes) -> bool:
    r"""Recognises CTM by its first lines: all have times and words, and at least one is not an arc of AT&T text.

    A time has a point, or an utterance has several words, which are not all numbers.

    >>> is_ctm(b"u 1 0.5 0.25 a 0.9\n"), is_ctm(b"0 1 a b 0.5\n"), is_ctm(b"u A 2.5 9.0 <o,f0> a cat\n")
    (True, False, False)
    """
    lines = [line.strip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[: _MATCHED + 1]]
    lines = [line for line in lines[: _MATCHED if len(lines) > 1 else None] if line]
    rows = [line for line in lines if not line.startswith(_COMMENT.encode()) and not _MARK.fullmatch(line)]
    if not all(map(_LINE.fullmatch, rows)) or all(map(_ARC.fullmatch, rows)):
        return False
    fields = [row.split() for row in rows]
    if any(b"." in begin + duration for _, _, begin, duration, *_ in fields):
        return True
    return len({name for name, *_ in fields}) < len(fields) and not all(row[4].isdigit() for row in fields)


def stream_ctm(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads CTM; yields the utterances, numbered from 0 in the order of the file, with the words in order of time.

    Confidences are left out with a warning if they are no probabilities. Where an utterance has alternatives, each
    choice of them is a hypothesis; at most 100 are read, with a warning.

    Raises:
        FormatError: a line is broken, the lines of an utterance or alternatives are not together, or `cost` is given.
    """
    if cost is not None:
        feature_score({}, cost, path, None)
    words = _with_probabilities(list(_words(path)), path)
    groups = [(utterance, list(group)) for utterance, group in groupby(words, lambda word: word.utterance)]
    names = {utterance: utterance[0] for utterance, _ in groups}
    if len(set(names.values())) < len(names):
        names = {utterance: "-".join(utterance) for utterance in names}
    is_doubted = False
    for number, (utterance, group) in enumerate(groups):
        name = names.pop(utterance, None)
        if name is None:
            message, remedy = f"the utterance {shown(utterance[0])} again", "sort the lines: sort -k1,1 -k2,2 -k3,3n"
            raise FormatError(message, path=path, line=group[0].line, remedy=remedy)
        slots, omitted = _slots(group)
        if omitted is not None and not is_doubted:
            is_doubted = True
            message = f"more than {_MOST_HYPOTHESES} hypotheses, so only the first of these alternatives is read"
            remedy = "keep one of them without the lines <ALT_BEGIN>, <ALT> and <ALT_END> to choose another"
            warn(message, path=path, line=omitted, remedy=remedy)
        yield Sentence(number, _hypotheses(slots), name)


def _slots(words: Sequence[_Word]) -> tuple[list[list[_Choice]], int | None]:
    """Returns the alternatives at each place, in order of time, and the line of the first ones that are left out."""
    if not any(word.alternation for word in words):  # the usual case, which a place for each word would slow down
        spoken = sorted((word for word in words if word.text != _NO_WORD), key=lambda word: word.begin)
        return [[_Choice(spoken)]], None
    slots = list[list[_Choice]]()
    for _, group in groupby(words, lambda word: (word.alternation, 0 if word.alternation else word.line)):
        choices = grouped((word.choice, word) for word in sorted(group, key=lambda word: word.begin))
        slots.append(_weighted([choices[choice] for choice in sorted(choices)]))
    slots = [slot for slot in slots if any(choice.words for choice in slot)]
    slots.sort(key=lambda slot: min(choice.words[0].begin for choice in slot if choice.words))
    count, omitted = 1, None
    for place, slot in enumerate(slots):
        if count * len(slot) > _MOST_HYPOTHESES:
            omitted = next(words[0].line for words, _ in slot if words) if omitted is None else omitted
            slots[place] = slot[:1]
        count *= len(slots[place])
    return slots, omitted


def _weighted(alternatives: Sequence[Sequence[_Word]]) -> list[_Choice]:
    """Returns alternatives without empty words, with their weights, which sum to 1 if they are known.

    An alternative without lines of its own has the rest of the probability.
    """
    lines = [[word for word in words if math.isfinite(word.begin)] for words in alternatives]
    known = [fmean(word.confidence for word in words) for words in lines if words]
    rest = max(1.0 - math.fsum(known), 0.0) / max(len(lines) - len(known), 1)
    shares = iter(known)
    weights = [next(shares) if words else rest for words in lines]
    total = math.fsum(weights)
    weights = [weight / total if total > 0.0 else math.nan for weight in weights]
    spoken = [[word for word in words if word.text != _NO_WORD] for words in lines]
    return list(map(_Choice, spoken, weights))


def _hypotheses(slots: Sequence[Sequence[_Choice]]) -> list[Hypothesis]:
    """Returns the hypothesis of each choice of alternatives; all weigh the same if no weight is known."""
    first, masses = dict[tuple[str, ...], Sequence[_Word]](), dict[tuple[str, ...], float]()
    strings = list[tuple[str, ...]]()
    for choices in product(*slots):
        words = tuple(chain.from_iterable(choice.words for choice in choices))
        strings.append(tuple(word.text for word in words))
        first.setdefault(strings[-1], words)
        mass = math.prod(1.0 if math.isnan(choice.weight) else choice.weight for choice in choices)
        masses[strings[-1]] = masses.get(strings[-1], 0.0) + mass
    if all(math.isnan(choice.weight) for slot in slots for choice in slot):
        hypotheses = samples(strings)
    else:
        total = math.fsum(masses.values())
        hypotheses = [Hypothesis(tokens, -math.log(max(mass / total, _LEAST))) for tokens, mass in masses.items()]
        hypotheses.sort(key=lambda hypothesis: hypothesis.cost)
    return [_timed(hypothesis, first[hypothesis.tokens]) for hypothesis in hypotheses]


def _timed(hypothesis: Hypothesis, words: Sequence[_Word]) -> Hypothesis:
    confidences = tuple(word.confidence for word in words)
    return replace(
        hypothesis,
        times=tuple((word.begin, word.end) for word in words),
        confidences=None if all(map(math.isnan, confidences)) else confidences,
    )


def _words(path: str | Path) -> Iterator[_Word]:
    """Yields the words of a file; each of several alternatives begins with the empty word."""
    alternation, choice, begun = 0, -1, ("", "")  # outside of alternatives
    for number, line in enumerate(read_lines(path), 1):
        fields = split_tokens(line)
        if not fields or line.lstrip().startswith(_COMMENT):
            continue
        mark = fields[4].upper() if fields[2:4] == ["*", "*"] and len(fields) > 4 else ""
        if choice >= 0 and (mark == _BEGIN or begun != (fields[0], *fields[1:2])):
            raise FormatError(f"no {_END} after {_BEGIN}", path=path, line=number, remedy=f"write {_END} before it")
        if choice < 0 and mark in (_NEXT, _END):
            raise FormatError(f"{mark} without {_BEGIN}", path=path, line=number, remedy=f"write {_BEGIN} before it")
        if mark in (_BEGIN, _NEXT):
            alternation, choice, begun = alternation + (mark == _BEGIN), choice + 1, (fields[0], fields[1])
            yield _Word(number, begun, math.inf, math.inf, _NO_WORD, math.nan, alternation, choice)
        elif mark == _END:
            choice = -1
        else:
            word = _word(number, fields, path)
            yield word if choice < 0 else word._replace(alternation=alternation, choice=choice)
    if choice >= 0:
        raise FormatError(f"no {_END} at the end", path=path, line=number, remedy="is the file cut off?")


def _word(number: int, fields: Sequence[str], path: str | Path) -> _Word:
    """Returns the word of a line."""
    begin, duration = (finite(text) for text in fields[2:4]) if len(fields) > 4 else (None, None)
    if begin is None or duration is None or not 0.0 <= begin <= begin + duration <= MOST_SECONDS:
        message = f"not a word with times: {shown(' '.join(fields))}"
        raise FormatError(message, path=path, line=number, remedy=_REMEDY)
    confidence = math.nan if len(fields) < 6 or fields[5] in _UNKNOWN else finite(fields[5])
    if confidence == _NONE:
        confidence = math.nan
    if confidence is None:
        raise FormatError(f"not a confidence: {shown(fields[5])}", path=path, line=number, remedy=_REMEDY)
    return _Word(number, (fields[0], fields[1]), begin, round(begin + duration, 9), fields[4], confidence)


def _with_probabilities(words: list[_Word], path: str | Path) -> list[_Word]:
    """Returns the words with confidences up to 1, or without any if some are no probabilities."""
    wrong = next(
        (word for word in words if not (math.isnan(word.confidence) or 0 <= word.confidence <= _ROUNDED)), None
    )
    if wrong is None:
        return [word._replace(confidence=min(word.confidence, 1.0)) for word in words]
    message = f"confidences are left out, as {wrong.confidence:g} is not a probability"
    warn(message, path=path, line=wrong.line, remedy="write probabilities from 0 to 1, or NA")
    return [word._replace(confidence=math.nan) for word in words]


def ctm_fields(words: Iterable[tuple[str, float, float, float]]) -> list[str]:
    """Returns the fields of words after the utterance and the channel: times in seconds, to the millisecond.

    >>> ctm_fields([("cat", 0.5, 0.25, 0.9)])
    ['0.500 0.250 cat 0.9000']

    Args:
        words: the words with their begins and durations in seconds, and their probabilities; those that are unknown
            (NaN) are not written.

    Raises:
        InvalidLatticeError: a word contains blanks or is empty.
    """
    fields = []
    for word, begin, duration, confidence in words:
        if not is_field(word):
            raise InvalidLatticeError(f"CTM cannot hold the word {shown(word)}, which has blanks; replace them")
        share = "" if math.isnan(confidence) else f" {confidence:.4f}"
        fields.append(f"{begin:.3f} {duration:.3f} {word}{share}")
    return fields

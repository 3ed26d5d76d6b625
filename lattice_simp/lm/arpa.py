"""ARPA files: parsed by a compiled kernel straight from bytes, a few million n-grams a second."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.errors import FormatError, warn

_NO_PROBLEM, _NOT_A_NUMBER, _TOO_FEW_WORDS, _UNKNOWN_WORD, _MORE_TEXT, _REPEATED = range(6)

_PROBLEMS = {
    _NOT_A_NUMBER: "a log probability or backoff weight is not a finite number",
    _TOO_FEW_WORDS: "an n-gram has too few words",
    _UNKNOWN_WORD: "a word of an n-gram is not among the unigrams",
    _MORE_TEXT: "unexpected text after the n-gram",
    _REPEATED: "the same unigram occurs twice",
}

Bytes: TypeAlias = npt.NDArray[np.uint8]

_BLANK, _TAB, _LINE_END, _RETURN, _BACKSLASH = b" \t\n\r\\"
_MINUS, _PLUS, _POINT, _ZERO, _NINE = b"-+.09"
_E, _I, _N, _F = b"einf"
_LOWER = 32
"""The bit that distinguishes small from capital letters."""

_LARGEST = 1e30  # the arrays hold single precision

_ROUNDED_ZERO = 1e-6
"""The log10 probability that files may hold for a probability of 1, because of rounding."""

LOG_ZERO = -99.0
"""The log10 probability for `-inf`: SRILM writes this number for a probability of 0."""


@dataclass(frozen=True)
class NgramSection:
    """The n-grams of one order: `words` (count, order) int32 ids, `probs` and `backoffs` (count,) float64 in log10."""

    words: Ints
    probs: Floats
    backoffs: Floats


def parse_arpa(data: bytes, path: str = "<bytes>") -> tuple[list[str], list[NgramSection]]:
    r"""Parses an ARPA file's bytes; returns the words by id and the sections by order.

    >>> text = b"\\data\\\nngram 1=2\n\n\\1-grams:\n-0.5\ta\t-0.1\n-0.6\tb\n\n\\end\\\n"
    >>> words, sections = parse_arpa(text)
    >>> words, sections[0].probs.tolist(), sections[0].backoffs.tolist()
    (['a', 'b'], [-0.5, -0.6], [-0.1, 0.0])

    Raises:
        FormatError: names the line that is not ARPA.
    """
    array = np.frombuffer(data, dtype=np.uint8)
    counts, position = _read_counts(data, path)
    sections: list[NgramSection] = []
    warned = False
    table = np.full(_table_size(counts[0]), -1, dtype=np.int32)
    spans = np.zeros((counts[0], 2), dtype=np.int64)
    for order, count in enumerate(counts, start=1):
        marker = b"\\%d-grams:" % order
        at = data.find(marker, position)
        if at < 0:
            raise FormatError(f"no section {marker.decode()}", path=path, remedy="the file is cut short; copy it again")
        words = np.zeros((count, order), dtype=np.int32)
        probs, backoffs = np.zeros(count), np.zeros(count)
        start = data.find(b"\n", at) + 1 or len(data)
        position, problem, parsed = _parse_section(array, start, words, probs, backoffs, table, spans)
        if problem:
            line = data.count(b"\n", 0, position) + 1
            raise FormatError(_PROBLEMS[problem], path=path, line=line, remedy="is this an ARPA file, unbroken?")
        if parsed != count:
            raise FormatError(
                f"{parsed} {order}-grams, but {count} announced",
                path=path,
                line=data.count(b"\n", 0, position) + 1,
                remedy="the file is cut short or its header is wrong; make the model again",
            )
        sections.append(NgramSection(words, probs, backoffs))
        if not warned and (above := np.flatnonzero(probs > _ROUNDED_ZERO)).size:
            row, warned = int(above[0]), True
            message = f"the log probability {probs[row]:g} is above 0; is it a probability, or a cost?"
            line = _line_of_row(data, start, position, row)
            warn(message, path=path, line=line, remedy="write log10 probabilities; the value is used unchanged")
    if not data.startswith(b"\\end\\", position):
        line = data.count(b"\n", 0, position) + 1
        raise FormatError(
            "no \\end\\ after the last section", path=path, line=line, remedy="the file is cut short; copy it again"
        )
    vocabulary = list(_decode_words(data, spans, path))
    return vocabulary, sections


_HEADER = re.compile(rb"^[ \t]*\\data\\[ \t]*\r?$", re.MULTILINE)
"""The header is a line of its own: some tools mention it in the text before, which readers skip."""


def _read_counts(data: bytes, path: str) -> tuple[list[int], int]:
    """Returns the numbers of n-grams by order, and where the sections begin."""
    header = _HEADER.search(data)
    start = -1 if header is None else header.start()
    end = data.find(b"\\1-grams:", max(start, 0))
    if start < 0 or end < 0:
        message = "is not a language model: it has no \\data\\ header followed by \\1-grams:"
        raise FormatError(message, path=path, remedy="give an ARPA or KenLM file")
    counts: list[int] = []
    for text in data[start:end].split(b"\n")[1:]:
        text = text.strip()
        if not text:
            continue
        name, _, value = text.partition(b"=")
        if name.split() != [b"ngram", b"%d" % (len(counts) + 1)] or not _is_count(value.strip()):
            line = data.count(b"\n", 0, data.find(text, start)) + 1
            raise FormatError(
                f"{text[:60]!r} is not an n-gram count", path=path, line=line, remedy="write `ngram N=COUNT`"
            )
        counts.append(int(value))
    # The line of an n-gram takes at least three bytes; a larger count is wrong and would exhaust memory.
    if not counts or counts[0] == 0 or sum(counts) > len(data) // 3:
        raise FormatError("the n-gram counts do not fit the file's size", path=path, remedy="make the model again")
    return counts, end


def _line_of_row(data: bytes, start: int, end: int, row: int) -> int:
    """Returns the number of the line that holds an n-gram of a section, which may have blank lines."""
    filled = (number for number, line in enumerate(data[start:end].split(b"\n")) if line.strip(b" \t\r"))
    return data.count(b"\n", 0, start) + 1 + next(islice(filled, row, None))


def _is_count(text: bytes) -> bool:
    return text.isdigit() and len(text) <= 18


def _decode_words(data: bytes, spans: Longs, path: str) -> Iterator[str]:
    for begin, end in spans.tolist():
        try:
            yield data[begin:end].decode("utf-8")
        except UnicodeDecodeError:
            line = data.count(b"\n", 0, begin) + 1
            raise FormatError("a word is not UTF-8", path=path, line=line, remedy="convert the file to UTF-8") from None


def _table_size(count: int) -> int:
    return 1 << max(4, (2 * count).bit_length())


@jit
def _skip_blanks(data: Bytes, position: int) -> int:
    while position < len(data) and (data[position] == _BLANK or data[position] == _TAB or data[position] == _RETURN):
        position += 1
    return position


@jit
def _token_end(data: Bytes, position: int) -> int:
    while (
        position < len(data)
        and data[position] != _BLANK
        and data[position] != _TAB
        and data[position] != _LINE_END
        and data[position] != _RETURN
    ):
        position += 1
    return position


@jit
def _parse_float(data: Bytes, position: int, end: int) -> tuple[float, bool]:
    """Returns (value, whether data[position:end] is a decimal number)."""
    negative = False
    if position < end and (data[position] == _MINUS or data[position] == _PLUS):
        negative = data[position] == _MINUS
        position += 1
    mantissa = 0.0
    exponent = 0
    digits = 0
    fraction = False
    while position < end:
        byte = data[position]
        if _ZERO <= byte <= _NINE:
            mantissa = mantissa * 10.0 + (byte - _ZERO)
            digits += 1
            if fraction:
                exponent -= 1
        elif byte == _POINT and not fraction:
            fraction = True
        else:
            break
        position += 1
    if digits == 0:
        return 0.0, False
    if position < end and data[position] | _LOWER == _E:
        position += 1
        sign = 1
        if position < end and (data[position] == _MINUS or data[position] == _PLUS):
            sign = -1 if data[position] == _MINUS else 1
            position += 1
        power = 0
        if position == end:
            return 0.0, False
        while position < end and _ZERO <= data[position] <= _NINE and power < 1000:
            power = power * 10 + (data[position] - _ZERO)
            position += 1
        exponent += sign * power
    value = mantissa / 10.0**-exponent if exponent < 0 else mantissa * 10.0**exponent
    return (-value if negative else value), position == end and value <= _LARGEST


@jit
def _is_minus_infinity(data: Bytes, position: int, end: int) -> bool:
    """Recognises `-inf`, in small or capital letters."""
    return (
        end - position == 4
        and data[position] == _MINUS
        and data[position + 1] | _LOWER == _I
        and data[position + 2] | _LOWER == _N
        and data[position + 3] | _LOWER == _F
    )


@jit
def _find_word(data: Bytes, begin: int, end: int, table: Ints, spans: Longs) -> tuple[int, np.int64]:
    """Returns (word id or -1, table slot) of data[begin:end] by FNV-1a hashing with linear probing."""
    code = np.uint64(14695981039346656037)
    for position in range(begin, end):
        code = (code ^ np.uint64(data[position])) * np.uint64(1099511628211)
    slot = np.int64((code ^ (code >> np.uint64(32))) & np.uint64(len(table) - 1))
    while table[slot] >= 0:
        word = table[slot]
        if spans[word, 1] - spans[word, 0] == end - begin:
            same = True
            for shift in range(end - begin):
                if data[spans[word, 0] + shift] != data[begin + shift]:
                    same = False
                    break
            if same:
                return word, slot
        slot = (slot + 1) & (len(table) - 1)
    return -1, slot


@jit
def _parse_section(
    data: Bytes, position: int, words: Ints, probs: Floats, backoffs: Floats, table: Ints, spans: Longs
) -> tuple[int, int, int]:
    """Fills the arrays of one order; returns (position, problem, n-grams read)."""
    row = 0
    while position < len(data):
        position = _skip_blanks(data, position)
        if position < len(data) and data[position] == _LINE_END:
            position += 1
            continue
        if position >= len(data) or data[position] == _BACKSLASH:  # the next section
            # (a word may begin with one, too, but is never first in a line)
            break
        if row == len(probs):
            row += 1  # one n-gram too many: reported as a wrong count
            break
        end = _token_end(data, position)
        if _is_minus_infinity(data, position, end):
            probs[row] = LOG_ZERO
        else:
            probs[row], good = _parse_float(data, position, end)
            if not good:
                return position, _NOT_A_NUMBER, row
        position, problem = _parse_words(data, end, words[row], row, table, spans)
        if problem:
            return position, problem, row
        position = _skip_blanks(data, position)
        if position < len(data) and data[position] != _LINE_END:
            end = _token_end(data, position)
            backoffs[row], good = _parse_float(data, position, end)
            if not good:
                return position, _NOT_A_NUMBER, row
            position = _skip_blanks(data, end)
            if position < len(data) and data[position] != _LINE_END:
                return position, _MORE_TEXT, row
        row += 1
    return position, _NO_PROBLEM, row


@jit
def _parse_words(data: Bytes, position: int, words: Ints, row: int, table: Ints, spans: Longs) -> tuple[int, int]:
    """Fills in the words of the n-gram in a row; adds a unigram to the table; returns (position, problem)."""
    for column in range(len(words)):
        position = _skip_blanks(data, position)
        end = _token_end(data, position)
        if end == position:
            return position, _TOO_FEW_WORDS
        word, slot = _find_word(data, position, end, table, spans)
        if len(words) == 1:
            if word >= 0:
                return position, _REPEATED
            word = row
            table[slot] = row
            spans[row, 0] = position
            spans[row, 1] = end
        elif word < 0:
            return position, _UNKNOWN_WORD
        words[column] = word
        position = end
    return position, _NO_PROBLEM

r"""Kaldi's sausages, the confusion networks that `lattice-mbr-decode` and `lattice-to-ctm-conf` write with `ark,t:`.

Each utterance is a line: its name, then `[ word probability word probability ... ]` for each slot. Words are words or
the numbers of a table; the empty word is `<eps>` or its number 0.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "u.sausages"
>>> _ = path.write_text("u-1  [ the 0.75 a 0.25 ] [ cat 1 ]\nu-2  [ yes 1 ]\n")
>>> [(name, load()) for name, load in sausage_lattices(path)]
[('u-1', Lattice(acceptor, 3 states, 3 arcs, 4 symbols)), ('u-2', Lattice(acceptor, 2 states, 1 arcs, 2 symbols))]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable, split_tokens
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.common import CUT, HEAD, Format, field_of, finite, shown
from lattice_simp.formats.kaldi_arcs import ReadOptions, written_words
from lattice_simp.formats.networks import Slots, lost, probability, written_slots
from lattice_simp.formats.symbol_text import read_labels
from lattice_simp.support.textio import decode, open_text, read_lines

_SLOT = rb"[ \t]+\[(?:[ \t]+[^ \t\]][^ \t]*[ \t]+(?:[01]|[01]?\.\d+|\d(?:\.\d+)?e-\d+))+[ \t]+\]"
_NUMBER = rb"[ \t]+-?[\d.]\S*"
_VECTOR = rb"\[(?=(?:%b%b)*[ \t]+-?\d*\.\d)(?:%b)+[ \t]+\]" % (_NUMBER, _NUMBER, _NUMBER)  # of Kaldi's archives
_LINE = re.compile(rb"\S+(?![ \t]+%b[ \t]*\Z)(?:%b)+" % (_VECTOR, _SLOT))
_EMPTY = re.compile(rb"[^\s\[\]]+[ \t]*\r?")
"""An utterance without slots."""

_REMEDY = "write UTTERANCE [ word probability word probability ] [ ... ]"


def is_sausages(text: bytes) -> bool:
    r"""Returns whether a file begins with an utterance's slots; utterances without slots may precede it.

    >>> is_sausages(b"u-1  [ the 0.75 a 0.25 ] [ cat 1 ]\n"), is_sausages(b"see [ note 1 ] below\n")
    (True, False)
    """
    line, end, rest = text[:HEAD].partition(b"\n")
    while end and _EMPTY.fullmatch(line):
        line, end, rest = rest.partition(b"\n")
    return _LINE.fullmatch((line if end or len(text) < CUT else line[: line.rfind(b"]") + 1]).strip()) is not None


def sausage_lattices(
    path: str | Path,
    symbols: SymbolTable | None = None,
    *,
    symbols_path: str | Path | None = None,
    numeric: bool | None = None,
) -> Iterator[tuple[str, Callable[[], Lattice]]]:
    """Yields the names of utterances and functions that return their confusion networks.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "all.sau"
    >>> _ = path.write_text("u-1 [ a 0.75 the 0.25 ] [ cat 1 ]\\n")
    >>> [(name, load().num_arcs) for name, load in sausage_lattices(path)]
    [('u-1', 3)]

    Args:
        path: the file.
        symbols: the table that numbers the words; it grows as needed. A new one for each network if None.
        symbols_path: Kaldi's `words.txt`, if the file holds numbers.
        numeric: False if numbers are words. None reads labels as words, but refuses files with only numbers.

    Raises:
        FormatError: the first utterance has only numbers, and the table of words is missing.
    """
    options, is_checked = _options(symbols, symbols_path, numeric), False
    for number, line in enumerate(read_lines(path), 1):
        name, _, rest = line.strip(" \t").partition(" ")
        if name:
            if rest and not is_checked:
                _refuse_numbers(rest, options, path, number)
                is_checked = True
            yield name, partial(_network, name, rest, options, path, number)


def parse_sausages(
    data: bytes,
    *,
    path: str | Path | None = None,
    symbols: SymbolTable | None = None,
    symbols_path: str | Path | None = None,
    numeric: bool | None = None,
) -> Lattice:
    """Parses the bytes of a file of one utterance to its confusion network; see `sausage_lattices`.

    Raises:
        FormatError: the line is broken, or there is not exactly one utterance.
    """
    lines = [line for line in decode(data, path).split("\n") if line.strip(" \t\r")]
    if len(lines) != 1:
        raise FormatError(f"holds {len(lines)} confusion networks; expected one", path=path, remedy="use read_all")
    name, _, rest = lines[0].strip(" \t\r").partition(" ")
    options = _options(symbols, symbols_path, numeric)
    _refuse_numbers(rest, options, path, 1)
    return _network(name, rest, options, path, 1)


@contextmanager
def sausage_archive(
    path: str | Path, *, symbols_path: str | Path | None = None
) -> Iterator[Callable[[str, Lattice], None]]:
    """Yields a function that adds an utterance's confusion network to a new file; one without slots gets an empty word.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "all.sau"
    >>> with sausage_archive(path) as add:
    ...     add("u-1", Lattice.from_strings("a cat"))
    >>> path.read_text()
    'u-1 [ a 1.0 ] [ cat 1.0 ]\\n'

    Args:
        path: the file; it appears when it is complete.
        symbols_path: Kaldi's `words.txt`, to write the numbers of words.

    Raises:
        InvalidLatticeError: a lattice is not a confusion network, or a word has no number or cannot be written.
        LatticeSimpError: the file cannot be written.
    """
    numbers = None if symbols_path is None else {word: number for number, word in read_labels(symbols_path).items()}
    with open_text(path, "w") as file:

        def add(name: str, lattice: Lattice) -> None:
            words = written_words(lattice, numbers)
            if "]" in words.values():
                raise InvalidLatticeError("Kaldi's sausages cannot hold the word ']', which ends a slot")
            slots = written_slots(lattice, words, "a file of sausages") or [[(words[EPSILON], "1.0")]]
            brackets = (f"[ {' '.join(f'{word} {text}' for word, text in entries)} ]" for entries in slots)
            file.write(" ".join((field_of(name, path), *brackets)) + "\n")

        yield add


def write_sausages(lattice: Lattice, path: str | Path, *, symbols_path: str | Path | None = None) -> None:
    """Writes a file of one confusion network, named as in its header or else like the file; see `sausage_archive`."""
    with sausage_archive(path, symbols_path=symbols_path) as add:
        add(lattice.header.name or Path(path).name.partition(".")[0], lattice)


def _options(symbols: SymbolTable | None, symbols_path: str | Path | None, numeric: bool | None) -> ReadOptions:
    return ReadOptions(symbols, None if symbols_path is None else read_labels(symbols_path), numeric)


def _refuse_numbers(text: str, options: ReadOptions, path: str | Path | None, line: int) -> None:
    """Raises FormatError if all words of an utterance are numbers."""
    fields = split_tokens(text)
    if (
        options.words is None
        and options.numeric is None
        and bool(fields)
        and all(field in "[]" or finite(field) is not None for field in fields)
    ):
        remedy = "give words.txt (--symbols, symbols_path=), or say that numbers are words (--words, numeric=False)"
        raise FormatError("labels are numbers", path=path, line=line, remedy=remedy)


def _network(name: str, text: str, options: ReadOptions, path: str | Path | None, line: int) -> Lattice:
    fields = split_tokens(text)
    words, shares, slots = list[str](), list[float](), list[int]()
    position, count = 0, 0
    while position < len(fields):
        if fields[position] != "[":
            raise FormatError(f"not a slot: {shown(fields[position])}", path=path, line=line, remedy=_REMEDY)
        position, before = position + 1, len(words)
        while position + 1 < len(fields) and fields[position] != "]":
            share = probability(fields[position + 1])
            if share is None:
                message = f"not a probability: {shown(fields[position + 1])}"
                raise FormatError(message, path=path, line=line, remedy=_REMEDY)
            if share:
                words.append(fields[position])
                shares.append(share)
                slots.append(count)
            position += 2
        if position >= len(fields) or fields[position] != "]" or len(words) == before:
            message = f"{name}: a slot that does not end, or without a probable word"
            raise FormatError(message, path=path, line=line, remedy="is the file cut off?")
        position, count = position + 1, count + 1
    labels, symbols = options.labels(words, path, [line] * len(words))
    return Slots(slots, labels.tolist(), shares, count).lattice(symbols, path, name)


FORMAT = Format((".sausages",), is_sausages, parse_sausages, write_sausages, lost, sausage_archive)

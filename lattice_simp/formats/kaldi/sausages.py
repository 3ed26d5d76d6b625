"""Kaldi's sausages, the confusion networks that `lattice-mbr-decode` and `lattice-to-ctm-conf` write with `ark,t:`.

Each utterance is a line: its name, then `[ word probability word probability ... ]` for each slot. Words are words or
the numbers of a table; the empty word is `<eps>` or its number 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable, split_tokens
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.common import CUT, HEAD, Format, field_of, finite, shown
from lattice_simp.formats.kaldi.arcs import ReadOptions, written_words
from lattice_simp.formats.named_lattices import Add, NamedLattice, only_lattice, single_writer
from lattice_simp.formats.networks import Slot, lost, network, probability, written_slots
from lattice_simp.formats.openfst.symbols import read_numbers
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
) -> Iterator[NamedLattice]:
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
    yield from _networks(read_lines(path), ReadOptions.of(symbols, symbols_path, numeric), path)


def _networks(lines: Iterable[str], options: ReadOptions, path: str | Path | None) -> Iterator[NamedLattice]:
    is_checked = False
    for number, line in enumerate(lines, 1):
        name, _, rest = line.strip(" \t\r").partition(" ")
        if rest and not is_checked:
            fields, is_checked = split_tokens(rest), True
            are_numbers = bool(fields) and all(field in "[]" or finite(field) is not None for field in fields)
            options.refuse_numbers(are_numbers, path, number)
        if name:
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
    options = ReadOptions.of(symbols, symbols_path, numeric)
    return only_lattice(_networks(decode(data, path).split("\n"), options, path), "confusion networks", path)


@contextmanager
def sausage_archive(path: str | Path, *, symbols_path: str | Path | None = None) -> Iterator[Add]:
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
    numbers = read_numbers(symbols_path)
    with open_text(path, "w") as file:

        def add(name: str, lattice: Lattice) -> None:
            words = written_words(lattice, numbers)
            if "]" in words.values():
                raise InvalidLatticeError("Kaldi's sausages cannot hold the word ']', which ends a slot")
            slots = written_slots(lattice, words, "a file of sausages") or [[(words[EPSILON], "1.0")]]
            brackets = (f"[ {' '.join(f'{word} {text}' for word, text in entries)} ]" for entries in slots)
            file.write(" ".join((field_of(name, path), *brackets)) + "\n")

        yield add


def _network(name: str, text: str, options: ReadOptions, path: str | Path | None, line: int) -> Lattice:
    fields, slots, position = split_tokens(text), list[Slot](), 0
    while position < len(fields):
        if fields[position] != "[":
            raise FormatError(f"not a slot: {shown(fields[position])}", path=path, line=line, remedy=_REMEDY)
        position, entries = position + 1, list[tuple[str, float]]()
        while position + 1 < len(fields) and fields[position] != "]":
            share = probability(fields[position + 1])
            if share is None:
                message = f"not a probability: {shown(fields[position + 1])}"
                raise FormatError(message, path=path, line=line, remedy=_REMEDY)
            if share:
                entries.append((fields[position], share))
            position += 2
        if position >= len(fields) or fields[position] != "]" or not entries:
            message = f"{name}: a slot that does not end, or without a probable word"
            raise FormatError(message, path=path, line=line, remedy="is the file cut off?")
        slots.append(entries)
        position += 1
    words = [word for entries in slots for word, _ in entries]
    labels, symbols = options.labels(words, path, [line] * len(words))
    return network(slots, labels.tolist(), symbols, path, name)


FORMAT = Format((".sausages",), is_sausages, parse_sausages, single_writer(sausage_archive), lost, sausage_archive)

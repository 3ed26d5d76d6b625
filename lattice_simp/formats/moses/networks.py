r"""Confusion networks in the format of Moses (`-inputtype 1`): a slot on each line, a blank line after each network.

A line is `word probability word probability ...`; `*EPS*` is the empty word. A word has one score.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "two.cn"
>>> _ = path.write_text("das 0.75 ein 0.25\nhaus 1.0\n\nja 0.5 *EPS* 0.5\n")
>>> [(name, load()) for name, load in moses_networks(path)]
[('0', Lattice(acceptor, 3 states, 3 arcs, 4 symbols)), ('1', Lattice(acceptor, 2 states, 2 arcs, 2 symbols))]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import groupby, takewhile
from pathlib import Path

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable, split_tokens
from lattice_simp.errors import FormatError, warn
from lattice_simp.formats.common import CUT, HEAD, Format, shown
from lattice_simp.formats.moses.plf import EPSILON_WORD
from lattice_simp.formats.named_lattices import Add, NamedLattice, NumberedLine, only_lattice, single_writer
from lattice_simp.formats.networks import Slot, field_words, network, probability, word_labels, written_slots
from lattice_simp.support.textio import decode, open_text, read_lines

_ENTRY = rb"(?!\d*\.\d+[ \t])\S+[ \t]+(?:[01]?\.\d+|[01]\.?|\d(?:\.\d+)?[eE]-\d+)"
_SLOT = re.compile(rb"(?!\d+[ \t]+\d+[ \t]|numaligns[ \t])%b(?:[ \t]+%b)*[ \t]*\r?" % (_ENTRY, _ENTRY))
_CERTAIN = re.compile(rb"(?!\d+[ \t])\S+[ \t]+1(?:\.0*)?[ \t]*\r?")
_FRACTION = re.compile(rb"\.|\d[eE]-\d")
_NAME = "a confusion network of Moses"
_REMEDY = "write word probability word probability ..., a line for each slot, and a blank line after each network"


def is_moses_networks(text: bytes) -> bool:
    r"""Returns whether the first lines, up to a blank one, are slots, and several words compete or all are certain.

    Uncertain words without competitors, as in a pruned network, need the blank line: lists of words look the same, and
    so do the final states of AT&T text, also where all costs are 1.

    >>> is_moses_networks(b"das 0.75 ein 0.25\nhaus 1.0\n"), is_moses_networks(b"das 0.75\nhaus 0.25\n")
    (True, False)
    >>> is_moses_networks(b"das 0.75\nhaus 0.25\n\n"), is_moses_networks(b"0\t1.0\n")
    (True, False)
    """
    lines = text[:HEAD].split(b"\n")
    if not _SLOT.fullmatch(lines[0]):
        return False
    first = list(takewhile(lambda line: line.strip(), lines[:-1] if len(text) > CUT else lines))
    if not _FRACTION.search(b"".join(first)) or not all(map(_SLOT.fullmatch, first)):
        return False
    if any(len(line.split()) > 2 for line in first) or all(map(_CERTAIN.fullmatch, first)):
        return True
    return len(first) < len(lines) - 1


def moses_networks(path: str | Path, symbols: SymbolTable | None = None) -> Iterator[NamedLattice]:
    """Yields the numbers of networks, from 0, and functions that return them.

    Raises:
        FormatError: the file has no network.
    """
    yield from _networks(read_lines(path), symbols, path)


def _networks(lines: Iterable[str], symbols: SymbolTable | None, path: str | Path | None) -> Iterator[NamedLattice]:
    number, is_filled = -1, False
    for is_filled, group in groupby(enumerate(lines, 1), lambda numbered: bool(numbered[1].strip())):
        if is_filled:
            number += 1
            yield str(number), partial(_network, list(group), symbols, path)
    if is_filled:
        warn("the last network may be cut off, as no blank line ends it", path=path, remedy="end it with a blank line")
    if number < 0:
        raise FormatError("the file is empty", path=path, remedy=_REMEDY)


def parse_moses_network(data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    """Parses the bytes of a file of one network; a cost is minus the log of a probability.

    Entries with the probability 0 are left out.

    Raises:
        FormatError: a line is broken (the message has its number), or there is not exactly one network.
    """
    return only_lattice(
        _networks(decode(data, path).removesuffix("\n").split("\n"), symbols, path), "confusion networks", path
    )


@contextmanager
def moses_archive(path: str | Path) -> Iterator[Add]:
    """Yields a function that adds a confusion network to a new file; names are not written.

    Raises:
        InvalidLatticeError: a lattice is not a confusion network, or a word cannot be written.
        LatticeSimpError: the file cannot be written.
    """
    with open_text(path, "w") as file:

        def add(_: str, lattice: Lattice) -> None:
            slots = written_slots(lattice, field_words(lattice, EPSILON_WORD, _NAME), _NAME)
            lines = [" ".join(f"{word} {text}" for word, text in entries) for entries in slots]
            file.write("".join(f"{line}\n" for line in lines or [f"{EPSILON_WORD} 1.0"]) + "\n")

        yield add


def _network(lines: list[NumberedLine], symbols: SymbolTable | None, path: str | Path | None) -> Lattice:
    table, slots = SymbolTable.of(symbols), list[Slot]()
    for number, line in lines:
        fields, entries = split_tokens(line.rstrip("\r")), list[tuple[str, float]]()
        for word, text in zip(fields[::2], fields[1::2], strict=False):
            share = probability(text)
            if share is None:
                message = f"not a probability: {shown(text)}, which follows {shown(word)}"
                raise FormatError(message, path=path, line=number, remedy=_REMEDY)
            if share:
                entries.append((word, share))
        if len(fields) % 2 or not entries:
            message = f"a word without a probability: {shown(fields[-1])}"
            if len(fields) % 2 == 0:
                message = "a slot without a probable word"
            raise FormatError(message, path=path, line=number, remedy=_REMEDY)
        slots.append(entries)
    return network(slots, word_labels(slots, table, {EPSILON_WORD}), table, path, None)


FORMAT = Format(
    (".cn",), is_moses_networks, parse_moses_network, single_writer(moses_archive), archive=moses_archive, numbered=True
)

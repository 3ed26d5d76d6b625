"""Kaldi's binary lattices: OpenFst's layout "vector" with Kaldi's weights, compact or not.

After OpenFst's header, all data are words of four bytes: for each state its final weight and its number of arcs (two
words), then for each arc both labels, the weight and the next state. A weight is two floats (two doubles in lattices of
double precision); in compact lattices the length of an alignment and the alignment follow.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from lattice_simp.core.fst_bytes import MAGIC
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.common import shown
from lattice_simp.formats.kaldi.arcs import KaldiArcs, ReadOptions, written_words
from lattice_simp.formats.named_lattices import NamedLattice, refuse_reading

_DAMAGED = "is the file damaged or cut off?"
_LARGEST = float(np.finfo(np.float32).max)
_LONGEST_NAME, _CONTROL = 1 << 12, re.compile(rb"[\0-\x1f]")
_CHUNK = 1 << 20
_VERSION, _PROPERTIES = 2, 3  # expanded and mutable; other properties stay open

_CUT_OFF, _BROKEN = -1, -2
_NO_ROOM = np.empty(0, dtype=np.int64), np.empty((0, 3), dtype=np.int64)


class ArcType(NamedTuple):
    """The storage of weights.

    Attributes:
        is_compact: whether alignments follow the costs.
        width: the number of words of a cost.
    """

    is_compact: bool
    width: int


ARC_TYPES = {
    b"lattice4": ArcType(False, 1),
    b"lattice8": ArcType(False, 2),
    b"compactlattice44": ArcType(True, 1),
    b"compactlattice84": ArcType(True, 2),
}


def is_binary_lattice(head: bytes) -> bool:
    """Returns whether bytes begin with the header of a lattice, without an utterance's name."""
    try:
        return head.startswith(MAGIC) and _Header.of(head).kind in ARC_TYPES
    except (struct.error, ValueError):
        return False


def is_binary_archive(head: bytes) -> bool:
    """Returns whether bytes begin with a name and a lattice."""
    name, blank, rest = head.partition(b" ")
    return bool(name and blank) and is_binary_lattice(rest)


class Readable(Protocol):
    """A file that is read sequentially."""

    def read(self, size: int, /) -> bytes:
        """Returns the next bytes; fewer, or none, at the end."""


def binary_lattices(file: Readable, path: str | Path, options: ReadOptions) -> Iterator[NamedLattice]:
    """Yields the names of an archive's utterances with functions that read their lattices.

    The function of a broken lattice raises the error, and the iteration ends there.
    """
    data = b""
    while True:
        data += file.read(max(_CHUNK - len(data), 0))
        if not data:
            return
        name, blank, rest = data.partition(b" ")
        try:
            if not blank or len(name) > _LONGEST_NAME or _CONTROL.search(name):  # a lattice may be lost in a name
                raise _error("the name of an utterance is missing before a lattice", path)
            while (size := _size(rest, path)) is None:
                more = file.read(max(_CHUNK, len(rest)))
                if not more:
                    raise _error(f"the lattice {shown(name)} is cut off", path)
                rest += more
        except FormatError as error:
            yield _CONTROL.sub(b"?", name[:40]).decode("utf-8", "replace"), partial(refuse_reading, error)
            return
        key = name.decode("utf-8", "replace")
        yield key, partial(parse_binary, rest[:size], key, path, options)
        data = rest[size:]


def parse_binary(data: bytes, name: str, path: str | Path | None, options: ReadOptions) -> Lattice:
    """Returns the lattice at the beginning of bytes.

    Raises:
        FormatError: the data is not a Kaldi lattice, it is damaged, or numbers lack words.
    """
    header = _header(data, path)
    kind = ARC_TYPES[header.kind]
    words = _words(data, header)
    end, num_arcs = _walked(words, header, *_NO_ROOM)
    if end < 0:
        raise _error(f"the lattice {shown(name)} is {'cut off' if end == _CUT_OFF else 'broken'}", path)
    finals, arcs = np.empty(header.num_states, dtype=np.int64), np.empty((num_arcs, 3), dtype=np.int64)
    _walked(words, header, finals, arcs)
    weights = 2 * kind.width
    sources, places = arcs[:, 0], arcs[:, 1]
    ilabels, olabels, nextstates = words[places], words[places + 1], words[arcs[:, 2]]
    options.refuse_numbers(bool(olabels.any()), path)
    if kind.is_compact:
        frames, end_frames = words[places + 2 + weights], words[finals + weights]
    else:  # not compact: a transition, and thus a frame, on each arc
        frames, end_frames = (ilabels != EPSILON).astype(np.int32), np.zeros(len(finals), dtype=np.int32)
    kaldi_arcs = KaldiArcs(
        sources,
        nextstates.astype(np.int64),
        _costs(words, places + 2, kind.width),
        frames.astype(np.int64),
        _costs(words, finals, kind.width),
        end_frames.astype(np.int64),
    )
    numbers, inverse = np.unique(olabels, return_inverse=True)
    fields = ["<eps>" if number == EPSILON else str(number) for number in numbers.tolist()]
    ids, symbols = options.labels(fields, path, [None] * len(fields))
    return kaldi_arcs.lattice((ids[inverse], symbols), options, name=name, start=header.start, path=path)


def binary_of(lattice: Lattice, numbers: Mapping[str, int] | None, frame_shift: float) -> bytes:
    """Returns the bytes of a compact lattice, with costs in single precision.

    Args:
        lattice: an acceptor.
        numbers: the numbers of the words; None if words are numbers.
        frame_shift: the frame shift in seconds.

    Raises:
        InvalidLatticeError: the lattice is a transducer, a word has no number, or a cost is too large.
    """
    arcs = KaldiArcs.of(lattice, frame_shift)
    for costs in (arcs.costs, arcs.end_costs):
        if (np.isfinite(costs) & (np.abs(costs) > _LARGEST)).any():
            raise InvalidLatticeError("a cost beyond 3.4e38 is too large for Kaldi (scale the costs)")
    table = np.zeros(len(lattice.symbols), dtype=np.int32)
    for label, text in written_words(lattice, numbers).items():
        if label and not (text.isascii() and text.isdigit() and len(text) < 10):
            remedy = "pass --output-symbols words.txt, in Python symbols_path=, or write text, format kaldi"
            raise InvalidLatticeError(f"Kaldi's binary lattices hold numbers; {shown(text)} is not a number ({remedy})")
        table[label] = int(text) if label else 0
    labels = table[lattice.olabels]
    count = lattice.num_states
    degrees = np.diff(lattice.offsets)
    sizes = np.concatenate((5 + arcs.end_frames, 6 + arcs.frames))
    owner = np.concatenate((np.arange(count), arcs.sources))
    order = np.argsort(owner, kind="stable")  # each state, then its arcs
    begins = np.empty(len(sizes), dtype=np.int64)
    begins[order] = np.cumsum(sizes[order]) - sizes[order]
    words = np.ones(int(sizes.sum()), dtype=np.int32)  # an alignment of ones, one for each frame
    states, places = begins[:count], begins[count:]
    words[states[:, None] + [0, 1]] = arcs.end_costs.astype(np.float32).view(np.int32)
    words[states + 2] = arcs.end_frames
    words[states + 3 + arcs.end_frames], words[states + 4 + arcs.end_frames] = degrees, 0
    words[places], words[places + 1] = labels, labels
    words[places[:, None] + [2, 3]] = arcs.costs.astype(np.float32).view(np.int32)
    words[places + 4] = arcs.frames
    words[places + 5 + arcs.frames] = arcs.nextstates
    sizes_of_header = struct.pack("<iiQqqq", _VERSION, 0, _PROPERTIES, 0 if count else -1, count, 0)
    names = b"".join(struct.pack("<i", len(text)) + text for text in (b"vector", b"compactlattice44"))
    return MAGIC + names + sizes_of_header + words.tobytes()


class _Header(NamedTuple):
    layout: bytes
    kind: bytes
    flags: int
    start: int
    num_states: int
    size: int

    @classmethod
    def of(cls, data: bytes) -> _Header:
        position, texts = 4, []
        for _ in range(2):
            (length,) = struct.unpack_from("<i", data, position)
            if not 0 <= length < _LONGEST_NAME:
                raise ValueError(length)
            texts.append(data[position + 4 : position + 4 + length])
            position += 4 + length
        _, flags, _, start, num_states, _ = struct.unpack_from("<iiQqqq", data, position)
        return cls(texts[0], texts[1], flags, start, num_states, position + struct.calcsize("<iiQqqq"))


def _header(data: bytes, path: str | Path | None) -> _Header:
    try:
        if not data.startswith(MAGIC):
            raise ValueError(MAGIC)
        header = _Header.of(data)
    except (struct.error, ValueError) as error:
        raise _error("not a binary lattice: its header is broken", path) from error
    if header.layout != b"vector" or header.kind not in ARC_TYPES or header.flags:
        kind = f"{header.layout[:20].decode('utf-8', 'replace')} {header.kind[:20].decode('utf-8', 'replace')}"
        raise FormatError(f"an automaton of type {kind!r}", path=path, remedy="copy it with lattice-copy")
    if header.num_states < 0:
        raise _error("the number of states is missing", path)
    return header


def _words(data: bytes, header: _Header) -> Ints:
    return np.frombuffer(data, dtype="<i4", offset=header.size, count=(len(data) - header.size) // 4)


def _size(data: bytes, path: str | Path) -> int | None:
    """Returns the size in bytes of the lattice at the beginning of the data; None if the data end before."""
    if len(data) < _CHUNK // 2 and not is_binary_lattice(data[: 4 * _LONGEST_NAME]) and MAGIC.startswith(data[:4]):
        return None
    header = _header(data, path)
    end, _ = _walked(_words(data, header), header, *_NO_ROOM)
    if end == _BROKEN:
        raise _error("a lattice is broken: a negative size in it", path)
    return None if end == _CUT_OFF else header.size + 4 * end


def _costs(words: Ints, places: Longs, width: int) -> Floats:
    """Returns the two costs at each position, (places, 2)."""
    picked = words[places[:, None] + np.arange(2 * width)]
    with np.errstate(invalid="ignore"):  # the lattice's check reports NaN
        return np.ascontiguousarray(picked).view("<f4" if width == 1 else "<f8").astype(np.float64)


def _walked(words: Ints, header: _Header, finals: Longs, arcs: Longs) -> tuple[int, int]:
    kind = ARC_TYPES[header.kind]
    end, num_arcs = walk(words, header.num_states, kind.is_compact, kind.width, finals, arcs)
    return int(end), int(num_arcs)


def _error(message: str, path: str | Path | None) -> FormatError:
    return FormatError(message, path=path, remedy=_DAMAGED)


@jit
def walk(
    words: Ints, num_states: int, is_compact: bool, width: int, finals: Longs, arcs: Longs
) -> tuple[np.int64, np.int64]:
    """Returns the end of a lattice (negative if it is cut off or broken) and its number of arcs.

    As far as the arrays have room, it writes the position of each final weight to `finals`, and the source of each arc,
    its position, and that of its next state to `arcs`.
    """
    position, num_arcs = np.int64(0), np.int64(0)
    for state in range(num_states):
        if state < len(finals):
            finals[state] = position
        position += 2 * width
        if is_compact:
            if position >= len(words):
                return np.int64(_CUT_OFF), num_arcs
            if words[position] < 0:
                return np.int64(_BROKEN), num_arcs
            position += 1 + words[position]
        if position + 2 > len(words):
            return np.int64(_CUT_OFF), num_arcs
        count = np.int64(words[position])
        if count < 0 or words[position + 1]:
            return np.int64(_BROKEN), num_arcs
        position += 2
        for _ in range(count):
            begin = position
            position += 2 + 2 * width
            if is_compact:
                if position >= len(words):
                    return np.int64(_CUT_OFF), num_arcs
                if words[position] < 0:
                    return np.int64(_BROKEN), num_arcs
                position += 1 + words[position]
            if num_arcs < len(arcs):
                arcs[num_arcs, 0], arcs[num_arcs, 1], arcs[num_arcs, 2] = state, begin, position
            position += 1
            if position > len(words):
                return np.int64(_CUT_OFF), num_arcs
            num_arcs += 1
    return position, num_arcs

"""Code that lattice formats share: the entries of the table, fields of text, numbers, a single final state."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from lattice_simp.core.columns import LARGEST_COST, are_costs
from lattice_simp.core.header import Header
from lattice_simp.core.joining import dead_state, side_by_side, with_epsilons
from lattice_simp.core.kernel import Bools, Floats, Longs
from lattice_simp.core.lattice import ONE_SIDE, Lattice
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import EmptyLatticeError, FormatError, InvalidLatticeError, LatticeSimpError, warn
from lattice_simp.support.number_texts import floats_of
from lattice_simp.support.textio import decode

HEAD = 1 << 16
"""The number of bytes by which formats are recognised."""

CUT = HEAD // 2
"""The length from which the beginning of a file may be cut off, also without its first blanks."""

LOG_10 = math.log(10.0)
"""The factor from logs to base 10 to nats."""

MOST_SECONDS = 1e7
"""The longest recording; later times are errors."""

_LEAST = float(np.finfo(np.float64).smallest_subnormal)  # a posterior of 0 counts as this, so that costs are finite
_MOST_KEYS = 5
_DIGITS = re.compile(r"(\d+)")
_MOST_DIGITS = 15  # of numbers that are added up digit by digit

Losses: TypeAlias = Mapping[str, Iterable[str]]
"""What a format loses of a lattice: a phrase with the reason, and the names of the lost parts."""

LOST_FEATURES = "the format cannot store the features"
LOST_HEADER = "the format cannot store these parts of the header:"


def plain_losses(lattice: Lattice) -> Losses:
    """Reports the losses of a format of words and costs."""
    return {LOST_FEATURES: lattice.features, LOST_HEADER: header_parts(lattice)}


def scored_losses(lattice: Lattice) -> Losses:
    """Reports the losses of a format of words, costs and features."""
    return {LOST_HEADER: [*header_parts(lattice), *_scale_parts(lattice.header)]}


def list_losses(header: Header) -> Losses:
    """Reports what n-best lists lose of a lattice's header, except for its name and its start, which some store."""
    return {LOST_HEADER: [*_field_parts(header), *_scale_parts(header)]}


def _field_parts(header: Header) -> list[str]:
    return [name for name in header.fields if name != "base"]


def _scale_parts(header: Header) -> list[str]:
    """Returns "scales" if a header has scales that change costs."""
    return ["scales"] if header.word_score or set(header.scales.values()) - {1.0} else []


def header_parts(lattice: Lattice) -> list[str]:
    """Returns the names of a header's parts, without scales."""
    header = lattice.header
    facts = {"utterance": header.name is not None, "start time": header.start != 0.0}
    return [*(name for name, is_set in facts.items() if is_set), *_field_parts(header)]


class Format(NamedTuple):
    """A lattice format.

    Attributes:
        suffixes: the endings of its file names.
        sniff: recognises the format from the first bytes of a file, without leading white space; returns a truth value.
        read: makes a lattice from a file's bytes; takes `path` (for errors), `symbols` and the format's options.
        write: writes a lattice to a path; takes the format's options.
        lost: reports the losses of a lattice in the format.
        archive: opens a file for several lattices and yields a function that adds a named lattice; None if a file holds
            only one.
        numbered: whether lattices of an archive have no names: an empty sentence keeps the place of a missing one.
    """

    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], object]
    read: Callable[..., Lattice]
    write: Callable[..., None]
    lost: Callable[[Lattice], Losses] = plain_losses
    archive: Callable[..., AbstractContextManager[Callable[[str, Lattice], None]]] | None = None
    numbered: bool = False


def never(head: bytes) -> bool:
    """Recognises no file: for formats whose content does not tell them from others."""
    return False


def refuse_writing(lattice: Lattice, path: str | Path, **_: Any) -> NoReturn:
    """Stands for the writer of a format that can only be read."""
    raise LatticeSimpError(f"{path}: this format can only be read; write .slf, .fst or another format")


def shown(text: str | bytes) -> str:
    """Quotes a field for an error message and shortens it.

    >>> shown("abc"), shown(b"x" * 99)
    ("'abc'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    if isinstance(text, bytes):
        text = text[:200].decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:40] + "...")


def beyond(text: str | bytes) -> str:
    """Returns an addition to messages about numbers that `finite` refuses: the limit, if the number is above it.

    >>> beyond("-1e308"), beyond("x"), beyond("inf")
    (', beyond 1e100', '', '')
    """
    try:
        is_large = LARGEST_COST < abs(float(text)) < math.inf
    except ValueError:
        is_large = False
    return ", beyond 1e100" if is_large else ""


def key_names(row: Mapping[str, Any]) -> str:
    """Returns the keys of an object in words.

    >>> key_names({"id": 0, "outputs": []}), key_names({})
    ("the keys 'id', 'outputs'", 'no keys')
    """
    names = ", ".join(shown(name) for name in list(row)[:_MOST_KEYS])
    if not names:
        return "no keys"
    return f"the key{'s' if len(row) > 1 else ''} {names}{', ...' if len(row) > _MOST_KEYS else ''}"


def field_of(name: str, path: str | Path) -> str:
    """Returns a name as one field of a line of a file: not empty, and without characters that readers would drop or
    refuse, of which it warns.

    >>> field_of("u-1", "u.ctm"), field_of("", "u.ctm")
    ('u-1', '0')
    """
    field = "_".join(name.removeprefix("\ufeff").replace("\0", " ").split())
    if field != name:
        message = "blanks in names are written as '_', or left out"
        remedy = "rename the utterances, or write another format: SLF and JSON keep blanks"
        warn(message, path="<stdout>" if str(path) == "-" else path, remedy=remedy)
    return field or "0"


def is_field(word: str) -> bool:
    r"""Returns whether readers that split lines at white space, and drop byte order marks, keep a word as it is.

    >>> is_field("cat"), is_field(""), is_field("a b"), is_field("10\u00a0"), is_field("\ufeffa")
    (True, False, False, False, False)
    """
    return word.split() == [word] and not word.startswith("\ufeff")


def finite(text: str | bytes, largest: float = LARGEST_COST) -> float | None:
    """Parses a finite number up to `largest`; returns None for any other text.

    >>> finite("-1.5e3"), finite("nan"), finite("1e308"), finite("1_0"), finite("١٢"), finite(" 1")
    (-1500.0, None, None, None, None, None)

    Unlike Python's `float`, it accepts no underscores, no digits of other scripts and no surrounding white space.
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= largest and is_plain(text) else None


def is_plain(text: str | bytes) -> bool:
    """Returns whether a text consists only of the ASCII characters of decimal numbers."""
    return not (text.strip(b"+-.0123456789eE") if isinstance(text, bytes) else text.strip("+-.0123456789eE"))


def natural(text: str | bytes) -> int | None:
    """Parses an integer from 0 to 10^18; returns None for any other text.

    >>> natural("12"), natural("-1"), natural("1" * 30)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def checked_lattice(path: str | Path | None, *arrays: Any, **columns: Any) -> Lattice:
    """Calls `Lattice.from_arcs`, and turns its errors into `FormatError`s that name the file."""
    try:
        return Lattice.from_arcs(*arrays, **columns)
    except InvalidLatticeError as error:
        raise FormatError(str(error), path=path, remedy="repair the program that wrote the file") from error


def probability_text(cost: float, remedy: str = "normalise it") -> str:
    """Returns the probability of a cost, as the text that restores the cost when it is read, if there is one.

    >>> probability_text(0.5), probability_text(0.0)
    ('0.6065306597126334', '1.0')

    Raises:
        InvalidLatticeError: the probability overflows or is 0.
    """
    probability = math.exp(-cost) if cost > -700 else math.inf
    if not 0.0 < probability < math.inf:
        raise InvalidLatticeError(f"the cost {cost} is not a probability in double precision ({remedy})")
    nearby = [float(f"{probability:.15g}"), probability]  # few digits first, then all, then the floats next to it
    nearby += [math.nextafter(probability, 0.0), math.nextafter(probability, math.inf)]
    return repr(next((value for value in nearby if value > 0 and -math.log(value) == cost), probability))


def share_costs(sources: Longs, posteriors: Floats) -> Floats:
    """Returns the costs of arcs whose probabilities are their shares in the posteriors of all arcs from their state.

    >>> share_costs(np.array([0, 0, 1]), np.array([0.6, 0.2, 0.6])).round(3).tolist()
    [0.288, 1.386, 0.0]

    Args:
        sources: the state that each arc leaves.
        posteriors: those of the arcs; arcs without one (NaN) cost nothing.
    """
    totals = np.bincount(sources, np.nan_to_num(posteriors))
    totals, posteriors = np.maximum(totals, _LEAST), np.maximum(posteriors, _LEAST)
    return np.nan_to_num(np.maximum(np.log(totals)[sources] - np.log(posteriors), 0.0))


def require_acceptor(lattice: Lattice, format_name: str) -> None:
    """Raises an InvalidLatticeError for a transducer, which most formats cannot represent."""
    if not lattice.is_acceptor:
        raise InvalidLatticeError(
            f"{format_name} cannot represent transducers ({ONE_SIDE}; or write AT&T text or OpenFst)"
        )


def single_final(lattice: Lattice, *, last: bool = False) -> tuple[Lattice, int]:
    """Returns the lattice with a single final state of cost 0 (the last state, if `last`), and this state.

    Unless the lattice already has one, it gets a new last state, and from each final state an epsilon arc to it that
    carries the final cost and features.

    Raises:
        EmptyLatticeError: no state is final.
    """
    finals = np.flatnonzero(np.isfinite(lattice.finals))
    if not len(finals):
        raise EmptyLatticeError("the lattice accepts nothing, so it cannot be written in this format")
    end = int(finals[0])
    features = lattice.features
    unweighted = not lattice.finals[end] and not features.finals[:, end].any()
    if len(finals) == 1 and unweighted and (not last or end == lattice.num_states - 1):
        return lattice, end
    end = lattice.num_states
    longer, _ = side_by_side([lattice, dead_state(lattice)])
    end_costs = np.append(np.full(end, np.inf), 0.0)
    states = np.full(end + 1, -1)
    ended = longer.gather(np.arange(lattice.num_arcs), longer.offsets, longer.nextstates, states, finals=end_costs)
    targets, scores = np.full(len(finals), end), features.finals[:, finals]
    return with_epsilons(ended, finals.astype(np.int32), targets, lattice.finals[finals], scores), end


# ---------------------------------------------------------------- fields of text


@dataclass(frozen=True)
class FieldText:
    """The fields of all lines, in order: line `i` has `widths[i]` fields, from index `starts[i]` on.

    Attributes:
        data: the bytes of the text.
        begins, ends: (fields,), the position of each field in the text.
    """

    data: bytes
    begins: Longs
    ends: Longs
    widths: Longs
    starts: Longs
    path: str | Path | None

    def fail(self, line: int, message: str, remedy: str) -> NoReturn:
        """Raises a FormatError that names a line, which is numbered from 0."""
        raise FormatError(message, path=self.path, line=line + 1, remedy=remedy)

    def column(self, lines: Longs, numbers: int | Longs) -> list[bytes]:
        """Returns one field of each line; lines and fields are numbered from 0."""
        places = self.starts[lines] + numbers
        spans = zip(self.begins[places].tolist(), self.ends[places].tolist(), strict=True)
        return [self.data[begin:end] for begin, end in spans]

    def costs(self, lines: Longs, number: int) -> Floats:
        """Returns one field of each line as costs; fails unless all are finite numbers."""
        fields = self.column(lines, number)
        values = finite_numbers(fields)
        if values is None:
            line, field = _first_bad(lines, fields, finite)
            self.fail(
                line, f"a cost is not a finite number: {shown(field)}{beyond(field)}", "write costs as decimal numbers"
            )
        return values

    def states(self, lines: Longs, number: int) -> Longs:
        """Returns one field of each line as states; fails unless all are natural numbers."""
        places = self.starts[lines] + number
        states = _whole_numbers(self.data, self.begins[places], self.ends[places])
        if states is not None:
            return states
        fields = self.column(lines, number)
        if not (b"".join(fields).isdigit() and max(map(len, fields)) <= 18):
            line, field = _first_bad(lines, fields, natural)
            self.fail(line, f"not a state number from 0 to 10^18: {shown(field)}", "number the states from 0")
        return np.fromiter(map(int, fields), dtype=np.int64, count=len(fields))


def is_number(text: str) -> bool:
    """Returns whether a text is a number, finite or not."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def finite_numbers(fields: list[bytes]) -> Floats | None:
    """Returns the numbers of fields, or None if `finite` refuses one of them."""
    if not is_plain(b"".join(fields)):
        return None
    try:
        values = floats_of(fields)
    except ValueError:
        return None
    return values if are_costs(values).all() else None


def _whole_numbers(data: bytes, begins: Longs, ends: Longs) -> Longs | None:
    """Parses fields of digits; returns None if one has another character or too many digits."""
    lengths = ends - begins
    longest = int(lengths.max(initial=0))
    if longest > _MOST_DIGITS:
        return None
    text, numbers = np.frombuffer(data, dtype=np.uint8), np.zeros(len(begins), dtype=np.int64)
    for place in range(longest):
        inside = place < lengths
        digits = text[np.where(inside, ends - 1 - place, begins)] - np.uint8(ord("0"))  # other characters are above 9
        if (digits > 9).any():
            return None
        numbers += np.where(inside, digits, 0) * np.int64(10**place)
    return numbers


def _first_bad(lines: Longs, fields: list[bytes], parse: Callable[[bytes], float | None]) -> tuple[int, bytes]:
    return next((line, field) for line, field in zip(lines.tolist(), fields, strict=True) if parse(field) is None)


def field_lines(data: bytes, path: str | Path | None) -> Iterator[tuple[int, list[str]]]:
    """Yields the number of each non-empty line and its fields, split at blanks and tabs.

    >>> list(field_lines(b"name a\\n\\nnodes 2", None))
    [(1, ['name', 'a']), (3, ['nodes', '2'])]

    Raises:
        FormatError: the bytes are not UTF-8.
    """
    for number, line in enumerate(decode(data, path).split("\n"), 1):
        fields = split_tokens(line.removesuffix("\r"))
        if fields:
            yield number, fields


def split_fields(data: bytes, path: str | Path | None) -> FieldText:
    """Finds the fields of lines between blanks and tabs; carriage returns count at the ends of lines only."""
    text = np.frombuffer(data, dtype=np.uint8)
    is_newline = text == ord("\n")
    is_blank = is_newline | (text == ord(" ")) | (text == ord("\t"))
    if b"\r" in data:
        is_blank |= (text == ord("\r")) & np.append(is_newline[1:], True)
    edges = np.flatnonzero(np.diff(is_blank, prepend=True, append=True))
    begins, ends = edges[::2], edges[1::2]
    starts = np.searchsorted(begins, np.append(0, np.flatnonzero(is_newline) + 1))
    return FieldText(data, begins, ends, np.diff(starts, append=len(begins)), starts, path)


def renumbered(numbers: Longs, order: Longs) -> Longs:
    """Returns new numbers, from 0 in the order of their first appearance; `order` sorts them by their places.

    >>> renumbered(np.array([7, 3, 7, 9]), np.arange(4)).tolist()
    [0, 1, 0, 2]
    """
    _, firsts, indices = np.unique(numbers[order], return_index=True, return_inverse=True)
    result = np.empty_like(numbers)
    result[order] = np.argsort(np.argsort(firsts))[indices]
    return result


def second_automaton(states: Longs, highest: Longs, is_final: Bools) -> int | None:
    """Returns the line where a second automaton begins, or None if there is only one.

    A second one begins where the start state returns after lines of other states, if both parts are complete automata:
    their states are numbered from 0 without holes, and each has a final state.

    >>> second_automaton(np.array([0, 1, 0, 1]), np.array([1, 1, 1, 1]), np.array([False, True, False, True]))
    2

    Args:
        states: the state that each line begins with.
        highest: the highest state of each line.
        is_final: whether each line is that of a final state.
    """
    again = np.flatnonzero((states[1:] == states[:1]) & (states[:-1] != states[:1])) + 1
    if not len(again):
        return None
    before, after = _whole(states, highest, is_final), _whole(states[::-1], highest[::-1], is_final[::-1])[::-1]
    begins = again[before[again - 1] & after[again]]
    return int(begins[0]) if len(begins) else None


def _whole(states: Longs, highest: Longs, is_final: Bools) -> Bools:
    """Marks the lines up to which the text is an automaton: all states from 0 to the highest, one of them final."""
    _, firsts = np.unique(np.stack((states, highest), axis=1).reshape(-1), return_index=True)
    distinct = np.cumsum(np.bincount(firsts // 2, minlength=len(states)))
    return (distinct == np.maximum.accumulate(highest) + 1) & np.logical_or.accumulate(is_final)


def natural_order(path: str | Path) -> list[tuple[int, str]]:
    """Returns the key by which files of a folder, or names, are sorted: numbers in them count as numbers.

    >>> [path.name for path in sorted([Path("10.fst"), Path("2.fst")], key=natural_order)]
    ['2.fst', '10.fst']
    """
    return [(int(part) if part.isdecimal() else -1, part) for part in _DIGITS.split(str(path))]

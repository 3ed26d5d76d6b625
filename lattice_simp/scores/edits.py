"""Word edits (insertions, deletions and substitutions), and the formula of error rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.scores.ngrams import joined, numbered

Bits = npt.NDArray[np.uint64]


def error_rate(edits: npt.ArrayLike, length: npt.ArrayLike, *, scale: float = 1.0) -> Floats:
    """Returns edits by the length of the reference, times `scale`; all is wrong where an empty reference is edited.

    >>> error_rate([1.0, 2.0, 0.0], [4.0, 0.0, 0.0]).tolist()
    [0.25, 1.0, 0.0]
    """
    edits, length = np.asarray(edits, dtype=np.float64), np.asarray(length, dtype=np.float64)
    empty = np.where(edits > 0, scale, 0.0)
    return np.asarray(np.divide(scale * edits, length, out=empty, where=length > 0))


def edit_distances(string: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
    """Returns the fewest edits that make a string of tokens each of the references, (references,).

    >>> edit_distances(("a", "b", "c"), [("a", "c"), ("a", "b", "d", "c")]).tolist()
    [1.0, 1.0]
    """
    words, offsets = joined(numbered([string, *references]))
    first, others = np.zeros(1, dtype=np.int32), np.arange(1, len(references) + 1, dtype=np.int32)
    distances: Floats = distances_between(words, offsets, first, others)[0]
    return distances


_WORD = 64
"""The bits of a machine word, each of which stands for a place of a string."""

_ONE, _LAST_BIT = np.uint64(1), np.uint64(_WORD - 1)


@jit
def distances_between(words: Ints, offsets: Longs, strings: Ints, references: Ints) -> Floats:
    """Returns the edit distances of strings to references, (strings, references); all are numbers of joined strings.

    The differences between neighbours in a column of the table of distances are bits, so that a few operations do 64
    places of a column at once (Myers 1999; for longer strings block by block, Hyyrö 2003).
    """
    distances = np.zeros((len(strings), len(references)))
    longest = 1
    for number in strings:
        longest = max(longest, offsets[number + 1] - offsets[number])
    room = (longest + _WORD - 1) // _WORD
    places = np.zeros((words.max() + 1 if len(words) > 0 else 1, room), dtype=np.uint64)
    rises, falls = np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.uint64)
    for row in range(len(strings)):
        string = words[offsets[strings[row]] : offsets[strings[row] + 1]]
        blocks = (len(string) + _WORD - 1) // _WORD
        for index in range(len(string)):
            places[string[index], index // _WORD] |= _ONE << np.uint64(index % _WORD)
        for column in range(len(references)):
            reference = words[offsets[references[column]] : offsets[references[column] + 1]]
            if blocks == 0:
                distances[row, column] = len(reference)
            else:
                distances[row, column] = _distance(places, len(string), reference, rises[:blocks], falls[:blocks])
        for word in string:
            places[word] = 0
    return distances


@jit
def _distance(places: Bits, length: int, reference: Ints, rises: Bits, falls: Bits) -> int:
    """Returns the edit distance of a string to a reference.

    Args:
        places: (words, blocks) uint64, the places of each word in the string as bits.
        length: of the string, at least 1.
        reference: (words,) int32.
        rises, falls: (blocks,) uint64, room for the places where a column rises, and where it falls.
    """
    rises[:], falls[:] = ~np.uint64(0), np.uint64(0)
    distance, last = length, np.uint64((length - 1) % _WORD)
    for place in range(len(reference)):
        rise_in, fall_in = _ONE, np.uint64(0)
        for block in range(len(rises)):
            rise, fall, equal = rises[block], falls[block], places[reference[place], block]
            vertical = equal | fall
            equal |= fall_in
            same = (((equal & rise) + rise) ^ rise) | equal
            rise_out, fall_out = fall | ~(same | rise), rise & same
            if block == len(rises) - 1:
                distance += int((rise_out >> last) & _ONE) - int((fall_out >> last) & _ONE)
            shifted_rise, shifted_fall = (rise_out << _ONE) | rise_in, (fall_out << _ONE) | fall_in
            rises[block], falls[block] = shifted_fall | ~(vertical | shifted_rise), shifted_rise & vertical
            rise_in, fall_in = rise_out >> _LAST_BIT, fall_out >> _LAST_BIT
    return distance

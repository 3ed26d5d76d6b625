"""CTM, the text of recognised words that sclite and Kaldi read: `utterance channel begin duration word confidence`."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lattice_simp.errors import InvalidLatticeError
from lattice_simp.formats.common import shown


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
        if len(word.split()) != 1:
            raise InvalidLatticeError(f"CTM cannot hold the word {shown(word)}, which has blanks; replace them")
        share = "" if math.isnan(confidence) else f" {confidence:.4f}"
        fields.append(f"{begin:.3f} {duration:.3f} {word}{share}")
    return fields

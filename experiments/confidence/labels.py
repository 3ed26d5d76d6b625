"""Labels the right words of a translation, by the TER alignment with its reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics import lib_ter

from lattice_simp.core.kernel import Bools


class _Placed(str):
    """A word that keeps its position in the translation through shifts."""

    place: int


def right_words(hypothesis: Sequence[str], reference: Sequence[str]) -> Bools:
    """Returns for each word whether tercom's alignment matches it with an equal word of the reference, (words,).

    >>> right_words("b a c x".split(), "a b c y".split()).tolist()
    [True, True, True, False]
    """
    right = np.zeros(len(hypothesis), dtype=np.bool_)
    if not reference:
        return right
    words: list[Any] = [_Placed(word) for word in hypothesis]
    for place, word in enumerate(words):
        word.place = place
    words = _shifted(words, list(reference))
    _, trace = lib_ter.BeamEditDistance(list(reference))(words)
    place = 0
    for step in trace:
        if step == lib_ter._OP_NOP:
            right[words[place].place] = True
        place += step != lib_ter._OP_INS
    return right


def _shifted(words: list[Any], reference: list[str]) -> list[Any]:
    """Returns the words after the shifts of `lib_ter.translation_edit_rate`, which does not return them."""
    distance, checked = lib_ter.BeamEditDistance(reference), 0
    while True:
        gain, after, checked = lib_ter._shift(words, reference, distance, checked)
        if checked >= lib_ter._MAX_SHIFT_CANDIDATES or gain <= 0:
            return words
        words = after

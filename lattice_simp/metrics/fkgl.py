"""The grade level of Flesch and Kincaid (Kincaid et al. 1975), 0.39 words/sentences + 11.8 syllables/words - 15.59.

The counts are those of the corpus. Words are tokens with a letter or a digit, so punctuation marks are ignored (EASSE
counts them, which gives higher grades); `'s` and `n't` are parts of the word before. Sentences are counted by
`count_sentences`, syllables by `count_syllables`. Grades may be negative.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.core.symbols import is_word
from lattice_simp.metrics.metric import Form, Metric, References
from lattice_simp.metrics.sentences import count_sentences
from lattice_simp.metrics.syllables import count_syllables
from lattice_simp.scores.ratios import ratio

_PART = re.compile(r"n['’]t|['’](?:s|m|re|ve|ll|d)", re.IGNORECASE)
"""Tokens that are parts of the word before and add no syllable."""


def fkgl() -> Metric:
    """Returns the grade level of English outputs; lower is simpler.

    >>> round(fkgl().corpus_score(["the cat sat on the mat ."], [["a"]]), 2)
    -1.45

    Outputs without any word get 0.
    """
    signature = "lang:en|sentences:stops|syllables:rules|tok:blanks"
    return Metric("FKGL", False, signature, _statistics, _score, (Form.TOKENS,))


def _statistics(hypotheses: Sequence[str], references: References) -> Floats:
    rows = []
    for line in hypotheses:
        words = [token for token in line.split() if is_word(token) and not _PART.fullmatch(token)]
        rows.append((count_sentences(line), len(words), sum(map(count_syllables, words))))
    return np.array(rows, dtype=np.float64)


def _score(sums: npt.ArrayLike) -> Floats:
    sentences, words, syllables = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    grade = 0.39 * ratio(words, sentences) + 11.8 * ratio(syllables, words) - 15.59
    return np.where(words > 0, grade, 0.0)

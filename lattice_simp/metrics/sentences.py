"""Counts the sentences of a line of tokens, and outputs that split their source (Narayan and Gardent 2014, Table 3).

A sentence ends with a token that is a full stop, or that consists of question and exclamation marks, or with the line.
Other tokens do not end a sentence: neither a full stop that is part of its word (`u.s.`, `inc.`), nor one after an
initial (`j . smith`) or after an abbreviation of `grammars/english/abbreviations.tsv` (`mr . smith`, `no . 5`), nor
dots of omission. A sentence needs a word, so closing quotes and brackets, and repeated stops, belong to the sentence
before.

If stops are attached to the words of a line, as its last word shows (`it fell. it broke.`), the tokens of sacrebleu's
13a are counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.symbols import is_word
from lattice_simp.grammars.english.stops import ends_lower_cased
from lattice_simp.metrics.metric import Form, Metric, References, averaged, ratio_of_sums
from lattice_simp.text.sacrebleu_tokenisers import USUAL, tokeniser

_END = re.compile(r"[.।]|[?!]+")

_CARRIED = re.compile(r"[^.]*[^\W_]{2}[.?!।]")
"""A word with the stop of its sentence attached; a word with inner full stops is an abbreviation."""

_PRONOUN = "i"
"""The single letter with which a sentence may end."""


def split() -> Metric:
    """Returns the percentage of outputs that hold more sentences than their source.

    >>> split().corpus_score(["it fell . it broke .", "it fell ."], [["a", "a"]], ["it fell and broke .", "it fell ."])
    50.0
    """

    def statistics(hypotheses: Sequence[str], references: References, source: Sequence[str]) -> Floats:
        after, before = (np.array([count_sentences(line) for line in lines]) for lines in (hypotheses, source))
        return averaged(100.0 * (after > before))

    signature = "sentences:stops|tok:blanks"
    return Metric("split", None, signature, statistics, ratio_of_sums, (Form.TOKENS,), needs_source=True)


def sentences() -> Metric:
    """Returns the mean number of sentences of an output; an output without words has none.

    >>> sentences().corpus_score(["it fell . it broke .", "it fell ."], [["a", "a"]])
    1.5
    """

    def statistics(hypotheses: Sequence[str], references: References) -> Floats:
        return averaged([count_sentences(line) for line in hypotheses])

    return Metric("sentences", None, "sentences:stops|tok:blanks", statistics, ratio_of_sums, (Form.TOKENS,))


def count_sentences(line: str) -> int:
    """Returns the number of sentences of a line of tokens.

    >>> [count_sentences(line) for line in ("mr . low left . why ? !", "he came to the u.s. in may", '. "')]
    [2, 1, 0]
    """
    tokens = line.lower().split()
    if tokens and _CARRIED.fullmatch(tokens[-1]) and not _is_short(tokens[-1][:-1]):
        tokens = tokeniser(USUAL)(line.lower())
    count, open_sentence = 0, False
    for position, token in enumerate(tokens):
        if is_word(token):
            open_sentence = True
        elif open_sentence and _END.fullmatch(token) and not (token == "." and _is_short_at(tokens, position - 1)):
            count, open_sentence = count + 1, False
    return count + open_sentence


def _is_short_at(tokens: Sequence[str], position: int) -> bool:
    """Returns whether the full stop after a word belongs to it, or both begin `i . e .`."""
    following = " ".join(tokens[position + 2 : position + 3])
    return _is_short(tokens[position], following) or tokens[position : position + 3] == [_PRONOUN, ".", "e"]


def _is_short(word: str, following: str = "") -> bool:
    """Returns whether a full stop after the word belongs to it: an initial or an abbreviation."""
    return (len(word) == 1 and word.isalpha() and word != _PRONOUN) or not ends_lower_cased(word, following)

"""Makes hypotheses from results in Python: texts or subwords with scores, from CTranslate2 and Hugging Face."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from lattice_simp.core.columns import FINITE, is_cost
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.list_lines import Doubts, samples
from lattice_simp.formats.pieces import MarkCheck, PieceKind, join_words
from lattice_simp.support.plurals import counted


@runtime_checkable
class TranslationResult(Protocol):
    """The result of `ctranslate2.Translator.translate_batch` for a sentence."""

    @property
    def hypotheses(self) -> list[list[str]]: ...

    @property
    def scores(self) -> list[float]: ...


Texts: TypeAlias = str | Iterable[str] | Iterable[Iterable[str]]


def from_generator(
    texts: Texts | TranslationResult, scores: Iterable[Any] | None = None, *, pieces: PieceKind = "none"
) -> list[Hypothesis]:
    """Makes the n-best list of a sentence from texts (or tokens) and scores.

    >>> [(entry.text, entry.cost) for entry in from_generator(["a cat", "the cat"], [-1.5, -2.0])]
    [('a cat', 1.5), ('the cat', 2.0)]
    >>> samples = [["▁a", "▁c", "at"], ["▁a", "▁c", "at"]]
    >>> [(entry.text, round(entry.cost, 3)) for entry in from_generator(samples, pieces="sentencepiece")]
    [('a cat', 0.0)]

    With CTranslate2, pass the result of a sentence unchanged, and name the pieces of its model. With Hugging Face, pass
    the decoded texts of a sentence and `sequences_scores`. Both divide log probabilities by lengths unless their
    `length_penalty` is 0; such scores rank hypotheses, but they are not log probabilities.

    Args:
        texts: strings, lists of tokens or pieces, a single string, or an object with `hypotheses` and `scores`.
        scores: natural logs, one for each text, as numbers or tensors of one number. None for samples, which have the
            same weight: a string that occurs k times out of n costs -log(k / n).
        pieces: `bpe` or `sentencepiece` to join subwords into words.

    Raises:
        LatticeSimpError: the numbers of texts and scores differ, a score is not finite, or the pieces lack the marks of
            their kind.
        TypeError: a text is neither a string nor made of strings.
    """
    if isinstance(texts, TranslationResult):
        scores = _scores_of(texts) if scores is None else scores
        texts = texts.hypotheses
    token_lists = [as_tokens(text) for text in as_sentences(texts)]
    check = MarkCheck(pieces)
    check.see(token_lists)
    check.refuse_foreign()
    strings = [join_words(tokens, pieces) for tokens in token_lists]
    if scores is None:
        return samples(strings)
    if isinstance(scores, str) or not np.iterable(scores):
        raise TypeError(f"the scores must be a list of numbers, not {scores!r:.80}")
    try:
        values = [float(score) for score in scores]
    except TypeError as error:
        raise TypeError(f"each score must be a number: {error!s:.80}") from error
    except (ValueError, OverflowError) as error:
        raise LatticeSimpError(f"a score is not a finite number: {error!s:.80}") from error
    if len(values) != len(strings):
        raise LatticeSimpError(
            f"{counted(len(strings), 'text')}, but {counted(len(values), 'score')}; give one for each"
        )
    for tokens, value in zip(strings, values, strict=True):
        if not is_cost(value):
            raise LatticeSimpError(f"the score of {' '.join(tokens)!r} is {value}; scores are {FINITE}")
    Doubts(None).check_scores(values, [None] * len(values))
    return [Hypothesis(tokens, 0.0 - value) for tokens, value in zip(strings, values, strict=True)]


def _scores_of(result: TranslationResult) -> list[Any] | None:
    """Returns the scores of a result, which may be an array; None if it has none."""
    scores = [] if result.scores is None else list(result.scores)
    return scores or None

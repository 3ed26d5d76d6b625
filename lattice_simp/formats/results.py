"""Hypotheses of what programs return in Python: texts or pieces with scores, of CTranslate2 and Hugging Face."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias, runtime_checkable

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.json_nbest import samples
from lattice_simp.formats.list_lines import Doubts
from lattice_simp.formats.pieces import MarkCheck, PieceKind, join_words


@runtime_checkable
class TranslationResult(Protocol):
    """What `ctranslate2.Translator.translate_batch` returns for each sentence."""

    @property
    def hypotheses(self) -> list[list[str]]: ...

    @property
    def scores(self) -> list[float]: ...


Texts: TypeAlias = str | Iterable[str] | Iterable[Iterable[str]]


def hypotheses(
    texts: Texts | TranslationResult, scores: Iterable[Any] | None = None, *, pieces: PieceKind = "none"
) -> list[Hypothesis]:
    """Makes the n-best list of one sentence of texts (or tokens) and scores, as other programs return them.

    >>> [(own.text, own.cost) for own in hypotheses(["a cat", "the cat"], [-1.5, -2.0])]
    [('a cat', 1.5), ('the cat', 2.0)]
    >>> [(own.text, round(own.cost, 3)) for own in hypotheses([["▁a", "▁c", "at"]] * 2, pieces="sentencepiece")]
    [('a cat', 0.0)]

    Of CTranslate2, pass the result of a sentence as it is, with the pieces that its model has. Of Hugging Face, pass
    the decoded texts of a sentence and `sequences_scores`. Both divide log probabilities by lengths unless their
    `length_penalty` is 0: such scores rank, but they are no log probabilities.

    Args:
        texts: strings, or lists of tokens or pieces; a single string; or an object with `hypotheses` and `scores`.
        scores: natural logs, one for each text, numbers or tensors of one number. None for samples, which weigh the
            same: a string that occurs k times of n has the cost -log(k / n).
        pieces: `bpe` or `sentencepiece` makes words of pieces.

    Raises:
        LatticeSimpError: more texts than scores or fewer, a score that is not finite, or pieces without the marks of
            their kind.
    """
    if isinstance(texts, TranslationResult):
        scores = scores if scores is not None else texts.scores or None
        texts = texts.hypotheses
    token_lists = [as_tokens(text) for text in as_sentences(texts)]
    check = MarkCheck(pieces)
    check.see(token_lists)
    check.refuse_foreign()
    strings = [join_words(tokens, pieces) for tokens in token_lists]
    if scores is None:
        return samples(strings)
    try:
        values = [float(score) for score in scores]
    except (ValueError, OverflowError) as error:
        raise LatticeSimpError(f"a score is not a finite number: {error!s:.80}") from error
    if len(values) != len(strings):
        raise LatticeSimpError(f"{len(strings)} texts, but {len(values)} scores; give one for each")
    doubts = Doubts(None)
    for tokens, value in zip(strings, values, strict=True):
        if not math.isfinite(value):
            raise LatticeSimpError(f"the score of {' '.join(tokens)!r} is {value}; scores are finite numbers")
        doubts.check_score(value, None)
    return [Hypothesis(tokens, 0.0 - value) for tokens, value in zip(strings, values, strict=True)]

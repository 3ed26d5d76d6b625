"""SARI (Xu et al. 2016, "Optimizing Statistical Machine Translation for Text Simplification"), in two variants.

SARI scores which n-grams (up to 4) of the source are kept and deleted, and which n-grams are added. It compares the
system with the references; an operation of only some references counts in proportion. Its implementations differ in
several points, so a figure needs the name of its variant:

- `sari`: as the authors' program `SARI.py`. The mean of sentence scores; each n-gram of a sentence counts equally,
  however often it occurs; deletion is scored by precision alone; tokens are those between blanks. Deleted
  occurrences of an n-gram are correct as far as they exceed those in the references.
- `sari_corpus`: as EASSE (Alva-Manchego et al. 2019). Occurrences are summed over the corpus, precision, recall and F1
  are computed from the sums, and F1 is averaged over orders, also for deletion; sacrebleu's 13a tokens. With
  `tokenise_source=False` only outputs and references become 13a tokens, as in EASSE's first versions (`legacy` later),
  whose figures for the TurkCorpus outputs are the published ones (Dress 37.08, PBMT-R 38.56, SBMT-SARI 39.96,
  Hybrid 31.40).

In both, 0 by 0 is 0, and everything is lower-cased. So an output that equals its reference need not get 100: if neither
adds (or deletes, or keeps) an n-gram of some order, that part is 0 by 0, and counts as 0 in the mean. An output that
equals both source and reference adds and deletes nothing, and gets 33.33 for what it keeps; a sentence of three words
has no n-grams of order 4 at all. Most corpora have n-grams of every kind, so `sari_corpus` of the references themselves
is 100 with one reference; the mean of sentence scores is lower.

On text, `sari_corpus` is EASSE's figure; `sari` reads tokens, which `measure` makes with the same tokeniser.

Not offered: Hugging Face's variant of the sentence scores (13a tokens, 0 by 0 is 1, the recall of kept n-grams counts
occurrences), and EASSE's option to compute F1 from precision and recall that are first averaged over orders, as in the
paper's equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.metric import Form, Metric, References, averaged, ratio_of_sums
from lattice_simp.scores.ngrams import joined, numbered
from lattice_simp.scores.sari import OPERATIONS, SariReferences, corpus_parts, sentence_parts
from lattice_simp.text.sacrebleu_tokenisers import USUAL, tokeniser, tokeniser_signature

_CACHED = 1 << 14
"""How many sentences' statistics are cached, so that n-grams are counted once for all parts."""


def sari(num_references: int = 1, operation: str | None = None) -> Metric:
    """Returns SARI as the mean of sentence scores, 0 to 100.

    >>> source, references = ["he resides there ."], [["he lives there ."], ["he lives here ."]]
    >>> metric = sari(2)
    >>> round(metric.corpus_score(["he lives there ."], references, source), 2)
    68.69
    >>> [round(sari(2, part).corpus_score(["he lives there ."], references, source), 2) for part in OPERATIONS]
    [39.39, 100.0, 66.67]

    Args:
        num_references: the number of references.
        operation: one of `OPERATIONS`, for that part alone.

    Raises:
        LatticeSimpError: another operation.
    """
    signature = f"nrefs:{num_references}|case:lc|tok:blanks|level:sentence|deletion:precision"

    def statistics(hypotheses: Sequence[str], references: References, source: Sequence[str]) -> Floats:
        scores = [_scores(*row) for row in zip(source, hypotheses, zip(*references, strict=True), strict=True)]
        return averaged(100.0 * _chosen(np.array(scores), operation))

    return Metric(
        _name("SARI", operation),
        True,
        signature,
        statistics,
        ratio_of_sums,
        (Form.TOKENS,),
        needs_source=True,
        num_references=num_references,
    )


def sari_corpus(
    num_references: int = 1, operation: str | None = None, *, tokenise_source: bool = True, tokens: str = USUAL
) -> Metric:
    """Returns SARI on sums over the corpus, 0 to 100.

    >>> source, references = ["he resides there ."], [["he lives there ."], ["he lives here ."]]
    >>> round(sari_corpus(2).corpus_score(["he lives there ."], references, source), 2)
    66.09

    Args:
        num_references: the number of references.
        operation: one of `OPERATIONS`, for that part alone.
        tokenise_source: False leaves the source's tokens as they are, as in the published figures.
        tokens: the tokeniser, one of `text.sacrebleu_tokenisers.TOKENISERS`.

    Raises:
        LatticeSimpError: another operation, or as `text.sacrebleu_tokenisers.tokeniser`.
    """
    named = tokeniser_signature(tokens)
    signature = (
        f"nrefs:{num_references}|case:lc|tok:{named}|source:{named if tokenise_source else 'blanks'}"
        "|level:corpus|deletion:f1"
    )
    source_tokens = tokens if tokenise_source else "none"

    def statistics(hypotheses: Sequence[str], references: References, source: Sequence[str]) -> Floats:
        rows = zip(source, hypotheses, zip(*references, strict=True), strict=True)
        return np.array([_counts(*row, tokens, source_tokens) for row in rows], dtype=np.float64)

    def score(sums: npt.ArrayLike) -> Floats:
        return 100.0 * _chosen(corpus_parts(sums), operation)

    name = _name("SARI-corpus" if tokenise_source else "SARI-legacy", operation)
    return Metric(name, True, signature, statistics, score, needs_source=True, num_references=num_references)


def _name(variant: str, operation: str | None) -> str:
    """Returns the name of a variant's part; raises LatticeSimpError if `operation` is none of `OPERATIONS`."""
    if operation is None:
        return variant
    if operation not in OPERATIONS:
        raise LatticeSimpError(f"unknown operation {operation!r} of SARI; known are {', '.join(OPERATIONS)}")
    return f"{variant}-{operation}"


def _chosen(scores: Floats, operation: str | None) -> Floats:
    """Returns a part of scores (..., 3), or the mean of the parts."""
    return np.asarray(scores.mean(axis=-1) if operation is None else scores[..., OPERATIONS.index(operation)])


# ---------------------------------------------------------------- sentences


@lru_cache(_CACHED)
def _counts(
    source: str, hypothesis: str, references: tuple[str, ...], tokens: str, source_tokens: str
) -> tuple[int, ...]:
    """Returns the statistics of a sentence."""
    split, split_source = tokeniser(tokens), tokeniser(source_tokens)
    words = numbered([split_source(source.lower()), *(split(line.lower()) for line in (hypothesis, *references))])
    return tuple(SariReferences.of(words[2:], words[0]).rows(*joined(words[1:2]))[0].tolist())


@lru_cache(_CACHED)
def _scores(source: str, hypothesis: str, references: tuple[str, ...]) -> tuple[float, ...]:
    """Returns the scores of the operations in a sentence, 0 to 1."""
    before, after, *reference_words = numbered(line.lower().split() for line in (source, hypothesis, *references))
    return tuple(sentence_parts(after, reference_words, before).tolist())

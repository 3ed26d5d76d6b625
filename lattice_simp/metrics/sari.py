"""SARI (Xu et al. 2016, "Optimizing Statistical Machine Translation for Text Simplification"), in two variants.

SARI looks at what becomes of the n-grams (up to 4) of the source: which are kept, which deleted, which are added. It
compares the system with the references, where what only some references do counts in proportion. Its implementations
differ in several points, so a figure needs the name of its variant:

- `sari`: as the authors' program `SARI.py`. The mean of sentence scores; each n-gram of a sentence counts alike
  however often it occurs; deletion is scored by precision alone; tokens are those between blanks. Deleted
  occurrences of an n-gram are correct as far as they exceed those in the references.
- `sari_corpus`: as EASSE (Alva-Manchego et al. 2019). Occurrences are summed over the corpus, precision, recall and F1
  made of the sums, and F1 averaged over orders, for deletion, too; sacrebleu's 13a tokens. With `tokenise_source=False`
  only outputs and references become 13a tokens, as in EASSE's first versions (`legacy` later), whose figures for the
  TurkCorpus outputs are the published ones (Dress 37.08, PBMT-R 38.56, SBMT-SARI 39.96, Hybrid 31.40).

In both, 0 by 0 is 0, and all is lower-cased. So an output that is its reference need not get 100: where neither it nor
the reference adds (or deletes, or keeps) an n-gram of some order, that part is 0 by 0, and counts as 0 in the mean. An
output that is source and reference at once adds and deletes nothing, and gets 33.33 for what it keeps; a sentence of
three words has no n-grams of order 4 at all. Most corpora have n-grams of every kind, so `sari_corpus` of the
references themselves is 100 with one reference; the mean of sentence scores is below.

On text, `sari_corpus` is EASSE's figure; `sari` reads tokens, which `measure` makes of text with the same tokeniser.

Not offered: Hugging Face's variant of the sentence scores (13a tokens, 0
by 0 is 1, the recall of kept n-grams is one of occurrences), and EASSE's option to make F1 of precision and recall that
are averaged over orders first, as the paper's equations have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.metrics.metric import Form, Metric, References, averaged, check_lines, ratio, ratio_of_sums
from lattice_simp.text.sacrebleu_tokenisers import USUAL, tokeniser, tokeniser_signature

KEEP, DELETE, ADD = "keep", "delete", "add"

OPERATIONS = (KEEP, DELETE, ADD)
"""The parts of SARI, which is their mean."""

_ORDERS = 4

_CACHED = 1 << 14
"""Sentences whose n-grams are counted once for all parts."""

Grams = Counter[tuple[str, ...]]


def sari(references: int = 1, operation: str | None = None) -> Metric:
    """Returns SARI as the mean of sentence scores, 0 to 100.

    >>> source, references = ["he resides there ."], [["he lives there ."], ["he lives here ."]]
    >>> metric = sari(2)
    >>> round(metric.corpus_score(["he lives there ."], references, source), 2)
    68.69
    >>> [round(sari(2, part).corpus_score(["he lives there ."], references, source), 2) for part in OPERATIONS]
    [39.39, 100.0, 66.67]

    Args:
        references: how many.
        operation: one of `OPERATIONS`, for that part alone.
    """
    signature = f"nrefs:{references}|case:lc|tok:blanks|level:sentence|deletion:precision"

    def statistics(hypotheses: Sequence[str], references: References, source: Sequence[str]) -> Floats:
        check_lines(hypotheses, references, source)
        scores = [_scores(*one) for one in zip(source, hypotheses, zip(*references, strict=True), strict=True)]
        return averaged(100.0 * _chosen(np.array(scores), operation))

    name = "-".join(["SARI", *([operation] if operation else [])])
    return Metric(name, True, signature, statistics, ratio_of_sums, (Form.TOKENS,), needs_source=True)


def sari_corpus(
    references: int = 1, operation: str | None = None, *, tokenise_source: bool = True, tokens: str = USUAL
) -> Metric:
    """Returns SARI on sums over the corpus, 0 to 100.

    >>> source, references = ["he resides there ."], [["he lives there ."], ["he lives here ."]]
    >>> round(sari_corpus(2).corpus_score(["he lives there ."], references, source), 2)
    66.09

    Args:
        references: how many.
        operation: one of `OPERATIONS`, for that part alone.
        tokenise_source: False leaves the source's tokens as they are, as in the published figures.
        tokens: the tokeniser, of those of `tokenisers.TOKENISERS`.
    """
    named = tokeniser_signature(tokens)
    signature = (
        f"nrefs:{references}|case:lc|tok:{named}|source:{named if tokenise_source else 'blanks'}"
        "|level:corpus|deletion:f1"
    )
    source_tokens = tokens if tokenise_source else "none"

    def statistics(hypotheses: Sequence[str], references: References, source: Sequence[str]) -> Floats:
        check_lines(hypotheses, references, source)
        rows = zip(source, hypotheses, zip(*references, strict=True), strict=True)
        return np.array([_counts(*row, tokens, source_tokens) for row in rows], dtype=np.float64)

    def score(sums: npt.ArrayLike) -> Floats:
        return 100.0 * _chosen(corpus_parts(np.asarray(sums, dtype=np.float64)), operation)

    name = "-".join(["SARI-corpus" if tokenise_source else "SARI-legacy", *([operation] if operation else [])])
    return Metric(name, True, signature, statistics, score, needs_source=True)


def _chosen(scores: Floats, operation: str | None) -> Floats:
    """Returns a part of scores (..., 3), or the mean of the parts."""
    return np.asarray(scores.mean(axis=-1) if operation is None else scores[..., OPERATIONS.index(operation)])


def _split(line: str) -> Sequence[str]:
    return line.lower().split()


# ---------------------------------------------------------------- n-grams


@dataclass(frozen=True)
class _Operation:
    """The n-grams of one order that one operation concerns; those of the system count once for each reference.

    Attributes:
        system: by the system.
        references: by the references.
        correct: of those by the system, in the corpus variant.
        correct_alone: likewise, in the sentence variant.
    """

    system: Grams
    references: Grams
    correct: Grams
    correct_alone: Grams


def _sentence(
    source: Sequence[str], made: Sequence[str], wanted: Sequence[Sequence[str]]
) -> Iterator[tuple[_Operation, ...]]:
    """Yields what concerns each operation, order by order."""
    return zip(*(_operations(source, made, wanted, order) for order in range(1, _ORDERS + 1)), strict=True)


def _operations(
    source: Sequence[str], made: Sequence[str], wanted: Sequence[Sequence[str]], order: int
) -> list[_Operation]:
    """Returns what was kept, deleted and added."""
    before, after = (_grams(tokens, order, len(wanted)) for tokens in (source, made))
    references: Grams = Counter()
    for tokens in wanted:
        references.update(_grams(tokens, order))
    kept, deleted, added = before & after, before - after, Counter(after.keys() - before.keys())
    to_keep, to_delete, to_add = before & references, before - references, Counter(references.keys() - before.keys())
    return [
        _Operation(kept, to_keep, kept & to_keep, kept & to_keep),
        _Operation(deleted, to_delete, deleted & to_delete, deleted - references),
        _Operation(added, to_add, added & to_add, added & to_add),
    ]


def _grams(tokens: Sequence[str], order: int, times: int = 1) -> Grams:
    grams = Counter(tuple(tokens[begin : begin + order]) for begin in range(len(tokens) - order + 1))
    return Counter({gram: times * count for gram, count in grams.items()}) if times > 1 else grams


# ---------------------------------------------------------------- the variants


@lru_cache(_CACHED)
def _counts(source: str, made: str, wanted: tuple[str, ...], tokens: str, source_tokens: str) -> tuple[int, ...]:
    """Returns occurrences in a sentence, by operation, order, and correct, system, references."""
    split = tokeniser(tokens)
    sentence = _sentence(
        tokeniser(source_tokens)(source.lower()), split(made.lower()), [split(line.lower()) for line in wanted]
    )
    return tuple(
        grams.total() for orders in sentence for one in orders for grams in (one.correct, one.system, one.references)
    )


def corpus_parts(sums: Floats) -> Floats:
    """Returns the scores of the operations, 0 to 1, of sums over a corpus, (..., 36) to (..., 3).

    Args:
        sums: occurrences by operation, order, and correct, system, references.
    """
    correct, system, references = np.moveaxis(sums.reshape(*sums.shape[:-1], len(OPERATIONS), _ORDERS, 3), -1, 0)
    return _f1(ratio(correct, system), ratio(correct, references)).mean(axis=-1)


@lru_cache(_CACHED)
def _scores(source: str, made: str, wanted: tuple[str, ...]) -> tuple[float, ...]:
    """Returns the scores of the operations in a sentence, 0 to 1."""
    sentence = list(_sentence(_split(source), _split(made), [_split(line) for line in wanted]))
    precision = np.array([[_share(one.correct_alone, one.system) for one in orders] for orders in sentence])
    recall = np.array([[_share(one.correct_alone, one.references) for one in orders] for orders in sentence])
    scores = _f1(precision, recall)
    scores[OPERATIONS.index(DELETE)] = precision[OPERATIONS.index(DELETE)]
    return tuple(scores.mean(axis=-1).tolist())


def _share(correct: Grams, whole: Grams) -> float:
    """Returns the mean share of each n-gram's occurrences that is correct."""
    return sum(count / whole[gram] for gram, count in correct.items()) / len(whole) if whole else 0.0


def _f1(precision: Floats, recall: Floats) -> Floats:
    return ratio(2.0 * precision * recall, precision + recall)

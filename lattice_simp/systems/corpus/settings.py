"""Settings of the alignment of articles, with the defaults of Coster and Kauchak (2011)."""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.core.arguments import real, whole
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import option

SKIP_COST = 0.0001
"""The default cost of an unaligned sentence; it prefers alignments with more pairs among otherwise equal ones."""


@dataclass(frozen=True)
class CorpusSettings:
    """Settings of the alignment of articles.

    Attributes:
        paragraph_threshold: the minimum cosine of paragraph pairs whose sentences are aligned.
        sentence_threshold: the minimum cosine of sentence pairs.
        skip_cost: the cost of each unaligned sentence.
        min_words: the minimum number of words in an article; shorter articles are skipped.
        language: the ISO code of the language, whose rules split text into sentences and words.

    Raises:
        LatticeSimpError: a threshold is outside 0 to 1, or the skip cost or the number of words is out of range.
    """

    paragraph_threshold: float = option(
        0.5, "paragraph-threshold", "minimum similarity of paragraph pairs, from 0 to 1 (cosine of their words)"
    )
    sentence_threshold: float = option(
        0.5, "sentence-threshold", "minimum similarity of sentence pairs, from 0 to 1 (cosine of their words)"
    )
    skip_cost: float = option(SKIP_COST, "skip-cost", "cost of an unaligned sentence")
    min_words: int = option(10, "min-words", "skip articles with fewer words")
    language: str = option("en", "language", "language of the text (ISO code, such as de)")

    def __post_init__(self) -> None:
        for name in ("paragraph_threshold", "sentence_threshold"):
            cosine = real(getattr(self, name), name)
            if not 0 <= cosine <= 1:
                raise LatticeSimpError(f"--{name.replace('_', '-')} {cosine}: give a cosine between 0 and 1")
        if not 0 <= real(self.skip_cost, "skip_cost") < 1:
            raise LatticeSimpError(f"--skip-cost {self.skip_cost}: give a number from 0 to less than 1")
        if whole(self.min_words, "min_words") < 0:
            raise LatticeSimpError(f"--min-words {self.min_words}: give 0 or more")

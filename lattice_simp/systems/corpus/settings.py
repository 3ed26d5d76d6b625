"""What can be set of the alignment of articles; the defaults are those of Coster and Kauchak (2011)."""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import option

SKIP_COST = 0.0001
"""What each sentence costs that is left out, so that of equal alignments the one with more pairs is the best."""


@dataclass(frozen=True)
class CorpusSettings:
    """How articles become sentence pairs.

    Attributes:
        paragraph_threshold: the minimum cosine of paragraph pairs whose sentences are aligned.
        sentence_threshold: the least cosine of a sentence pair of the corpus.
        skip_cost: what the alignment pays for each sentence that it leaves out.
        min_words: an article of fewer words (between blanks) is a stub.
        language: an ISO code, of the rules that split text into sentences and words.

    Raises:
        LatticeSimpError: a threshold is not a cosine of counts, or the skip cost or the number of words is negative.
    """

    paragraph_threshold: float = option(0.5, "paragraph-threshold", "least cosine of two paragraphs")
    sentence_threshold: float = option(0.5, "sentence-threshold", "minimum cosine of sentence pairs")
    skip_cost: float = option(SKIP_COST, "skip-cost", "cost of an unaligned sentence")
    min_words: int = option(10, "min-words", "skip articles with fewer words")
    language: str = option("en", "language", "language of the text (ISO code)")

    def __post_init__(self) -> None:
        for name in ("paragraph_threshold", "sentence_threshold"):
            if not 0 <= getattr(self, name) <= 1:
                flag = name.replace("_", "-")
                raise LatticeSimpError(f"--{flag} {getattr(self, name)}: a cosine is between 0 and 1")
        if not 0 <= self.skip_cost < 1:
            raise LatticeSimpError(f"--skip-cost {self.skip_cost}: give a number from 0 to less than 1")
        if self.min_words < 0:
            raise LatticeSimpError(f"--min-words {self.min_words}: give 0 or more")

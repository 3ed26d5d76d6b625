"""Which sentence pairs are fit for training."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from lattice_simp.train.config import Clean

SHORT = 9
"""Sides of up to so many tokens may have any ratio of lengths: a word may be a whole clause elsewhere."""

FOREIGN_MARGIN = 1.0
"""Nats a word by which a side must look more like the other language to be left out."""

FOREIGN_WORDS = 4
"""Sides with fewer words give too little evidence of their language."""

_RESERVED = re.compile(r"(?:^| )(?:<s>|</s>|<unk>|<eps>|\|\|\||\[[^\[\], ]+(?:,[0-9]+)?\])(?: |$)")


def reason_to_drop(source: str, target: str, settings: Clean) -> str | None:
    """Says why a tokenised pair is left out; None for a good one.

    >>> reason_to_drop("a b", "", Clean()), reason_to_drop("a b", "c", Clean())
    ('empty', None)
    """
    if not source or not target:
        return "empty"
    lengths = (source.count(" ") + 1, target.count(" ") + 1)
    if min(lengths) < settings.min_words:
        return "short"
    if max(lengths) > settings.max_words:
        return "long"
    if max(lengths) > SHORT and max(lengths) > settings.max_ratio * min(lengths):
        return "ratio"
    if any(len(word) > settings.max_word_letters for side in (source, target) for word in side.split(" ")):
        return "long_word"
    if _RESERVED.search(source) or _RESERVED.search(target):
        return "reserved"
    return None


class LanguageJudge:
    """Tells sides that are not in their language, by unigram models of the whole corpus.

    Works for any pair of languages: it needs no models, only that most of the corpus is sound.

    >>> judge = LanguageJudge({"le": 900, "chat": 90, "dort": 9}, {"the": 900, "cat": 90, "sleeps": 9})
    >>> judge.foreign("the cat sleeps the"), judge.foreign("le chat dort le")
    (True, False)
    """

    def __init__(self, own: Mapping[str, int], other: Mapping[str, int]) -> None:
        """Takes word counts of the side's own language and of the other one."""
        self._own, self._other = own, other
        self._own_total, self._other_total = sum(own.values()) + 1, sum(other.values()) + 1

    def foreign(self, sentence: str) -> bool:
        """Whether a sentence looks like the other side's language."""
        words = [word for word in sentence.split(" ") if any(map(str.isalpha, word))]
        if len(words) < FOREIGN_WORDS:
            return False
        gain = sum(
            math.log((self._other.get(word, 0) + 0.5) / self._other_total)
            - math.log((self._own.get(word, 0) + 0.5) / self._own_total)
            for word in words
        )
        return gain > FOREIGN_MARGIN * len(words)

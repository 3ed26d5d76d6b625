"""An n-gram language model of the target side, written as ARPA text.

Interpolated Witten-Bell smoothing (Chen and Goodman 1998, section 2.6)::

    p(w | h) = (c(h w) + t(h) p(w | h')) / (c(h) + t(h))

where t(h) is the number of distinct words that follow the history h, and h' is h without its first word. Unlike
modified Kneser-Ney, it needs no falling counts of counts, which a generated corpus may lack.

Then n-grams that shorter ones predict nearly as well are pruned (weighted difference pruning: Seymore and Rosenfeld
1996): those with c(h w) (ln p(w | h) - ln p(w | h')) below a threshold. The others keep their probabilities, and
backoff weights make the probabilities after each history sum to one.

>>> model = WittenBell([["der", "plan"], ["der", "rat"]], order=2, threshold=0.0)
>>> round(sum(model.probability(("der",), word) for word in model.predicted), 12)
1.0
>>> model.probability(("der",), "plan") > model.probability((), "plan")
True
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"

NEVER = -99.0
"""The customary log10 probability of `<s>`, which is never predicted."""

DIGITS = 3
"""The decimal places of logarithms in the file, which keep it small; probabilities are exact to 0.12 %."""

Ngram = tuple[str, ...]


class WittenBell:
    """A model of some order; `threshold` (in natural log units) controls pruning, with 0 for almost none.

    Attributes:
        predicted: the words with a probability, including `</s>` and `<unk>`, sorted.
        explicit: the remaining n-grams with their probabilities.
        backoff: for each history of remaining n-grams, the factor of the shorter history's probabilities.
    """

    def __init__(self, sentences: Iterable[Sequence[str]], order: int, threshold: float) -> None:
        self.order = order
        self._counts: Counter[Ngram] = Counter()
        for sentence in sentences:
            words = (BEGIN, *sentence, END)
            for stop in range(2, len(words) + 1):
                for length in range(1, min(order, stop) + 1):
                    self._counts[words[stop - length : stop]] += 1
        self._totals: Counter[Ngram] = Counter()
        self._types: Counter[Ngram] = Counter()
        for ngram, count in self._counts.items():
            self._totals[ngram[:-1]] += count
            self._types[ngram[:-1]] += 1
        self.predicted = sorted({*(ngram[0] for ngram in self._counts if len(ngram) == 1), UNKNOWN})
        self.explicit = self._kept(threshold)
        self.backoff = self._backoff_weights()

    def probability(self, history: Ngram, word: str) -> float:
        """Returns p(word | history) of the pruned model; `word` is one of `predicted`."""
        explicit = self.explicit.get((*history, word))
        if explicit is not None:
            return explicit
        return self.backoff.get(history, 1.0) * self.probability(history[1:], word)

    def arpa(self) -> Iterator[str]:
        """Yields the lines of the ARPA file; n-grams are sorted."""
        by_length: dict[int, list[Ngram]] = defaultdict(list)
        by_length[1].append((BEGIN,))
        for ngram in self.explicit:
            by_length[len(ngram)].append(ngram)
        yield "\\data\\"
        for length in range(1, self.order + 1):
            yield f"ngram {length}={len(by_length[length])}"
        for length in range(1, self.order + 1):
            yield f"\n\\{length}-grams:"
            for ngram in sorted(by_length[length]):
                value = NEVER if ngram == (BEGIN,) else math.log10(self.explicit[ngram])
                line = f"{value:.{DIGITS}f}\t{' '.join(ngram)}"
                weight = self.backoff.get(ngram)
                yield line if weight is None else f"{line}\t{math.log10(weight):.{DIGITS}f}"
        yield "\n\\end\\"

    def _smoothed(self, history: Ngram, word: str) -> float:
        """Returns p(word | history) before pruning."""
        if not history:
            # The lowest order backs off to a uniform distribution, which includes unknown words.
            lower = 1 / len(self.predicted)
        else:
            lower = self._smoothed(history[1:], word)
            if history not in self._totals:
                return lower
        total, types = self._totals[history], self._types[history]
        return (self._counts.get((*history, word), 0) + types * lower) / (total + types)

    def _kept(self, threshold: float) -> dict[Ngram, float]:
        kept: dict[Ngram, float] = {(word,): self._smoothed((), word) for word in self.predicted}
        for ngram in sorted(self._counts, key=lambda ngram: (-len(ngram), ngram)):
            probability = self._smoothed(ngram[:-1], ngram[-1])
            if len(ngram) > 1 and ngram not in kept:
                gain = self._counts[ngram] * math.log(probability / self._smoothed(ngram[1:-1], ngram[-1]))
                if gain < threshold:
                    continue
            # Readers of ARPA files require the histories and the suffixes of all n-grams.
            for part in (ngram, ngram[:-1], ngram[1:]):
                if part and part != (BEGIN,):
                    kept.setdefault(part, self._smoothed(part[:-1], part[-1]))
        return kept

    def _backoff_weights(self) -> dict[Ngram, float]:
        following: dict[Ngram, list[Ngram]] = defaultdict(list)
        for ngram in self.explicit:
            if len(ngram) > 1:
                following[ngram[:-1]].append(ngram)
        self.backoff = {}
        # From short histories to long ones, since each weight needs those of the shorter history.
        for history in sorted(following, key=len):
            explicit = math.fsum(self.explicit[ngram] for ngram in following[history])
            lower = math.fsum(self.probability(history[1:], ngram[-1]) for ngram in following[history])
            self.backoff[history] = (1 - explicit) / (1 - lower)
        return self.backoff

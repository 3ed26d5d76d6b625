"""What readers of n-best lists share: sentences, samples, and checks of ids, doubtful scores, features as costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lattice_simp.core.columns import is_cost
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError, InputWarning, InvalidLatticeError, ScoreWarning, warn

SAMPLES = "Samples"
"""The feature for the number of times that a string was drawn."""

MAX_GAP = 1_000_000
"""The most sentence ids that may be missing between two lines."""

_AS_COSTS = "read costs, as of Nematus, with --cost=-total (cost='-total'); without, the highest score ranks first"
_AS_RANKS = "write natural logs of probabilities, not costs; other scores only rank, the highest first"

_AS_LOGS = "give their natural logs"

_ROUNDING = 1e-3
"""The sum of rounded probabilities may exceed 1 by this much."""

_GAPS_A_LINE = 100
"""The number of further ids that may be missing in total, per line."""


class Sentence(NamedTuple):
    """An n-best list.

    Attributes:
        number: the number of the sentence, from 0.
        hypotheses: its hypotheses.
        name: its name in the file, or None.
        is_missing: whether the file does not mention the sentence, but a later number.
    """

    number: int
    hypotheses: list[Hypothesis]
    name: str | None = None
    is_missing: bool = False


def stored_features(hypothesis: Hypothesis) -> Mapping[str, float]:
    """Returns the features that lists store: without sums of a path's times and posteriors, if its words have these."""
    word_values = {TIME: hypothesis.times, POSTERIOR: hypothesis.confidences}
    return {name: score for name, score in hypothesis.features.items() if word_values.get(name) is None}


def stored_score(score: float) -> float:
    """Returns a score, which may be a number of numpy, as lists store it.

    Raises:
        InvalidLatticeError: it is not a finite number up to 1e100, so no reader would take it.
    """
    if not is_cost(score):
        raise InvalidLatticeError(f"an n-best list cannot represent the score {score}")
    return float(score)


def samples(strings: Iterable[tuple[str, ...]]) -> list[Hypothesis]:
    """Returns the distinct strings, the most frequent first; a cost is minus the log of the string's share."""
    counts = Counter(strings)
    total = counts.total()
    return [
        Hypothesis(tokens, math.log(total) - math.log(count), {SAMPLES: float(count)})
        for tokens, count in counts.most_common()
    ]


@dataclass
class IdCheck:
    """Checks the ids of a file's sentences.

    Missing ids are limited: each becomes an empty list, so a few bytes could cause millions of lists.

    Attributes:
        path: the file, for errors.
        first_id: the id of the first sentence.
        skipped: the number of missing ids so far.
    """

    path: str | Path
    first_id: int
    skipped: int = 0

    def see(self, sentence_id: int, due: int, line: int, *, order: str = "sort the list by id") -> None:
        """Raises FormatError if an id is lower than the one due, with the remedy `order`, or too many are missing."""
        jump = sentence_id - due
        begin = f"start counting there: --first-id {sentence_id} (first_id={sentence_id})"
        if jump < 0:
            before = begin if sentence_id >= 0 else "count the sentences from 0"
            remedy = order if sentence_id >= self.first_id else before
            message = f"the id {str(sentence_id)[:20]} is lower than {due}"
            raise FormatError(message, path=self.path, line=line, remedy=remedy)
        self.skipped += jump if jump > 1 else 0
        if jump > MAX_GAP or self.skipped > MAX_GAP + _GAPS_A_LINE * line:
            message = f"the id jumps from {due} to {str(sentence_id)[:20]}, and at most {MAX_GAP:,} may be missing"
            remedy = begin if line == 1 else "number the sentences without large gaps"
            raise FormatError(message, path=self.path, line=line, remedy=remedy)


class RepeatedName(str):
    """The name of a sentence, made distinct because an earlier one has the same name, `original`.

    >>> RepeatedName("u-1-2", "u-1"), original_name(RepeatedName("u-1-2", "u-1"))
    ('u-1-2', 'u-1')
    """

    __slots__ = ("original",)

    original: str

    def __new__(cls, unique: str, original: str = "") -> RepeatedName:
        """Makes the name from a text that no other sentence has, and from the original name."""
        name = super().__new__(cls, unique)
        name.original = original
        return name


def original_name(name: str) -> str:
    """Returns the name of a sentence in its file."""
    return name.original if isinstance(name, RepeatedName) else name


@dataclass
class Names:
    """The names of sentences or lattices so far; a name that occurs again gets a number.

    Attributes:
        path: the file, for warnings.
        numbers: the last number that was added to each name.
        numbered: the names that consist of another one and a number.
    """

    path: str | Path
    numbers: dict[str, int] = field(default_factory=dict)
    numbered: set[str] = field(default_factory=set)

    def distinct(self, name: str) -> str:
        """Returns a name that none before has; warns if that is another one, once or if it took a later one's."""
        unique = name
        while unique in self.numbers:
            self.numbers[name] += 1
            unique = f"{name}-{self.numbers[name]}"
        self.numbers[unique] = 1
        if unique != name:
            if not self.numbered or name in self.numbered:
                remedy = "give each sentence another name"
                warn(f"the name {name} again; it becomes {unique}", path=self.path, remedy=remedy)
            self.numbered.add(unique)
            return RepeatedName(unique, name)
        return unique


@dataclass
class Doubts:
    """Warns about probable mistakes in a file, once for each kind."""

    path: str | Path | None
    raised: set[str] = field(default_factory=set)

    def raise_once(self, message: str, line: int | None, remedy: str, kind: type[InputWarning] = InputWarning) -> None:
        """Warns, unless there was a warning with the same remedy."""
        if remedy not in self.raised:
            self.raised.add(remedy)
            warn(message, path=self.path, line=line, remedy=remedy, kind=kind)

    def check_scores(
        self, scores: Sequence[float], lines: Sequence[int | None], *, are_likelihoods: bool = False
    ) -> None:
        """Warns about scores above 0 of a sentence's hypotheses, which are not log probabilities.

        Log likelihoods may be above 0; their differences are those of log probabilities.
        """
        place = next((index for index, score in enumerate(scores) if score > 0), None)
        if place is None or _AS_COSTS in self.raised:
            return
        if len(scores) > 1 and min(scores) >= 0 and sum(scores) <= 1 + _ROUNDING:
            message = f"scores from {min(scores):g} to {max(scores):g} seem to be probabilities"
            self.raise_once(message, lines[place], _AS_LOGS, ScoreWarning)
        elif place == 0 and scores[0] < scores[-1] and list(scores) == sorted(scores):
            message = f"scores above 0 that rise from {scores[0]:g} to {scores[-1]:g} seem to be costs"
            self.raise_once(message, lines[0], _AS_COSTS, ScoreWarning)
        elif not are_likelihoods:
            message = f"the score {scores[place]:g} is above 0, so it is not a log probability"
            self.raise_once(message, lines[place], _AS_RANKS, ScoreWarning)


TOTAL = "total"
"""The name of the score that a hypothesis has beside its features."""


def feature_score(
    features: Mapping[str, float], name: str, path: str | Path | None, line: int | None, total: float | None = None
) -> float:
    """Returns the value of the feature that replaces the score; minus its value if a minus precedes the name.

    >>> feature_score({"LM": -2.0}, "LM", None, None), feature_score({}, "-total", None, None, total=2.5)
    (-2.0, -2.5)

    Raises:
        FormatError: the feature is missing.
    """
    values = features if total is None else {TOTAL: total, **features}
    if name in values:
        return values[name]
    if (negated := name.removeprefix("-")) in values and negated != name:
        return 0.0 - values[negated]
    remedy = f"take one of {', '.join(list(features)[:10])}" if features else "the line has no features"
    message = f"the feature {name!r}, which replaces the score, is missing"
    raise FormatError(message, path=path, line=line, remedy=remedy)

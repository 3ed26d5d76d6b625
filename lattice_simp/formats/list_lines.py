"""Checks that readers of n-best lists share: missing ids, doubtful scores, features as costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lattice_simp.errors import FormatError, InputWarning, ScoreWarning, warn

MAX_GAP = 1_000_000
"""The most sentence ids that may be missing between two lines."""

_AS_COSTS = "change the sign of costs, as of Nematus: the highest score ranks first"
_AS_RANKS = "write natural logs of probabilities, not costs; other scores only rank, the highest first"

_GAPS_A_LINE = 100
"""The number of further ids that may be missing in total, per line."""


@dataclass
class IdGaps:
    """Limits the missing ids of a file: each becomes an empty list, so a few bytes could cause millions of lists."""

    path: str | Path
    skipped: int = 0

    def check(self, due: int, number: int, line: int) -> None:
        """Raises FormatError if too many ids are missing before that of a line."""
        jump = number - due
        self.skipped += jump if jump > 1 else 0
        if jump > MAX_GAP or self.skipped > MAX_GAP + _GAPS_A_LINE * line:
            message = f"the id jumps from {due} to {str(number)[:20]}, and at most {MAX_GAP:,} may be missing"
            begin = f"start counting there: --first-id {number} (first_id={number})"
            remedy = begin if line == 1 else "number the sentences without large gaps"
            raise FormatError(message, path=self.path, line=line, remedy=remedy)


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

    def check_scores(self, scores: Sequence[float], lines: Sequence[int | None]) -> None:
        """Warns about scores above 0 of a sentence's hypotheses, which are not log probabilities."""
        place = next((index for index, score in enumerate(scores) if score > 0), None)
        if place is None or _AS_COSTS in self.raised:
            return
        if place == 0 and scores[0] < scores[-1] and list(scores) == sorted(scores):
            message = f"scores above 0 that rise from {scores[0]:g} to {scores[-1]:g} seem to be costs"
            self.raise_once(message, lines[0], _AS_COSTS, ScoreWarning)
        else:
            message = f"the score {scores[place]:g} is above 0, so it is not a log probability"
            self.raise_once(message, lines[place], _AS_RANKS, ScoreWarning)


def feature_score(features: Mapping[str, float], name: str, path: str | Path | None, line: int | None) -> float:
    """Returns the value of the feature that replaces the score.

    Raises:
        FormatError: the feature is missing.
    """
    if name not in features:
        known = f"take one of {', '.join(list(features)[:10])}" if features else "the line has no features"
        message = f"the feature {name!r}, which replaces the score, is missing"
        raise FormatError(message, path=path, line=line, remedy=known)
    return features[name]

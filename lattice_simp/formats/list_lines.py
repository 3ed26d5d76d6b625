"""What the readers of n-best lists share: ids that are missing, scores that are none, features as costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lattice_simp.errors import FormatError, InputWarning, ScoreWarning, warn

MAX_GAP = 1_000_000
"""The most sentence ids that may be missing between two lines."""

_GAPS_A_LINE = 100
"""How many more may be missing in all, for each line."""


@dataclass
class IdGaps:
    """Bounds the ids that are missing in a file: each becomes an empty list, and few bytes could ask for many."""

    path: str | Path
    skipped: int = 0

    def check(self, due: int, number: int, line: int) -> None:
        """Raises FormatError where too many ids are left out before that of a line."""
        jump = number - due
        self.skipped += jump if jump > 1 else 0
        if jump > MAX_GAP or self.skipped > MAX_GAP + _GAPS_A_LINE * line:
            message = f"the id jumps from {due} to {str(number)[:20]}, and at most {MAX_GAP:,} may be missing"
            raise FormatError(message, path=self.path, line=line, remedy="number the sentences without large gaps")


@dataclass
class Doubts:
    """Warns of what is read and is probably something else, each kind once in a file."""

    path: str | Path | None
    raised: set[str] = field(default_factory=set)

    def raise_once(self, message: str, line: int | None, remedy: str, kind: type[InputWarning] = InputWarning) -> None:
        """Warns, unless there was a warning with the same remedy."""
        if remedy not in self.raised:
            self.raised.add(remedy)
            warn(message, path=self.path, line=line, remedy=remedy, kind=kind)

    def check_score(self, score: float, line: int | None) -> None:
        """Warns of a score above 0, which is no log probability."""
        if score > 0:
            message = f"the score {score:g} is above 0, where log probabilities are not"
            self.raise_once(message, line, "write natural logs of probabilities; other scores only rank", ScoreWarning)


def feature_score(features: Mapping[str, float], name: str, path: str | Path | None, line: int | None) -> float:
    """Returns a feature that is taken as the score.

    Raises:
        FormatError: it is not there.
    """
    if name not in features:
        known = f"take one of {', '.join(list(features)[:10])}" if features else "the line has no features"
        raise FormatError(f"no feature {name!r}, whose value is to be the score", path=path, line=line, remedy=known)
    return features[name]

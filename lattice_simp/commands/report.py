"""What a run tells on stderr: progress, failures, and counts at the end."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from lattice_simp.pipeline import Outcome
from lattice_simp.pipeline.progress import progress_bar


@dataclass
class Summary:
    """Counts of a run."""

    sentences: int = 0
    failed: int = 0
    reachable: int = 0
    unreachable: int = 0
    resumed: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        text = f"{self.sentences} sentences in {self.seconds:.1f} s, {self.failed} failed (passed through)"
        if self.resumed:
            text += f", {self.resumed} from an earlier run"
        if self.reachable + self.unreachable:
            text += f"; skeleton found in {self.reachable}, not found in {self.unreachable} (plain translation)"
        return text

    def count(self, record: dict[str, Any]) -> None:
        """Counts a finished sentence."""
        self.reachable += record["reachable"] is True
        self.unreachable += record["reachable"] is False


class Report:
    """The face of a run; a context manager, which times it.

    Attributes:
        summary: the counts so far.
    """

    def __init__(self, sentences: int, done: int = 0, *, quiet: bool = False, debug: bool = False) -> None:
        self.summary = Summary(sentences, resumed=done)
        self._debug = debug
        self._progress = progress_bar(quiet=quiet)
        self._bar = self._progress.add_task("translating", total=sentences - done)
        self._begin = time.monotonic()

    def __enter__(self) -> Report:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
        self.summary.seconds = time.monotonic() - self._begin

    def finished(self, outcome: Outcome) -> None:
        """Notes what became of a sentence, and tells of a failure."""
        self._progress.advance(self._bar)
        if outcome.failure is None:
            return
        self.summary.failed += 1
        text = f"line {outcome.number + 1}: {outcome.failure}; passed through"
        if self._debug and outcome.trace:
            text += "\n" + outcome.trace.rstrip("\n")
        if self._progress.disable:
            print(text, file=sys.stderr)
        else:
            self._progress.console.print(text, markup=False, soft_wrap=True)

"""The output of a run on stderr: progress, failures, and a summary at the end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from lattice_simp.commands.inputs.unknown_words import unknown_words
from lattice_simp.commands.shared.messages import say
from lattice_simp.support.plurals import counted
from lattice_simp.support.progress import progress_bar
from lattice_simp.support.tasks import Outcome

CERTAIN = 1e-4
"""Optimality gaps below this many nats count as 0."""


class Report:
    """The progress and the counts of a run: a context manager that times it, and a string with the summary.

    Args:
        what: the label of the progress bar.
        lengths: the number of words of each sentence.
        place: returns the file and the line of a sentence.
        resumed: the number of sentences that an earlier run finished.
        quiet: whether to show no progress.
        debug: whether to print tracebacks of failures.
    """

    def __init__(
        self,
        what: str,
        lengths: Sequence[int],
        place: Callable[[int], str],
        resumed: int = 0,
        *,
        quiet: bool = False,
        debug: bool = False,
    ) -> None:
        self.lengths, self.resumed = lengths, resumed
        self._place = place
        self.failed = self.reachable = self.unreachable = self.with_terms = self.without_terms = 0
        self.gaps: list[float] = []
        self.unknown: Counter[str] = Counter()
        self.seconds = 0.0
        self._debug = debug
        self._progress = progress_bar(quiet=quiet)
        self._bar = self._progress.add_task(what, total=len(lengths) - resumed)

    def __str__(self) -> str:
        text = f"{counted(len(self.lengths), 'sentence')} in {self.seconds:.1f} s, {self.failed} failed"
        if self.failed:
            text += " (copied to the output)"
        if self.resumed:
            text += f", {self.resumed} from an earlier run"
        if self.reachable + self.unreachable:
            text += f"; skeleton found in {self.reachable}, not found in {self.unreachable} (plain translation)"
        if self.with_terms + self.without_terms:
            text += f"; terms held in {self.with_terms}, not in {self.without_terms}"
            text += " (translated without them: a greater --beam finds more)" if self.without_terms else ""
        if self.gaps:
            certain = sum(gap < CERTAIN for gap in self.gaps)
            text += f"; {certain} of {len(self.gaps)} translations are optimal"
            if certain < len(self.gaps):
                text += f", the others within {max(self.gaps):.1f} nats of the optimum"
        if self.unknown:
            text += f"; {unknown_words(self.unknown, sum(self.lengths))}"
        return text

    @property
    def all_failed(self) -> bool:
        """Whether there were sentences with words and all of them failed."""
        return 0 < sum(length > 0 for length in self.lengths) <= self.failed

    def __enter__(self) -> Report:
        self._begin = time.monotonic()
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
        self.seconds = time.monotonic() - self._begin

    def count(self, record: dict[str, Any]) -> None:
        """Counts a sentence that goes to the output."""
        self.reachable += record["reachable"] is True
        self.unreachable += record["reachable"] is False
        self.with_terms += record.get("terms") is True
        self.without_terms += record.get("terms") is False
        if "optimality_gap" in record:
            self.gaps.append(record["optimality_gap"])
        self.unknown.update(record.get("unknown", ()))

    def finished(self, outcome: Outcome) -> None:
        """Advances the progress bar, and counts and prints a failure, or prints the note of a record."""
        self._progress.advance(self._bar)
        if outcome.failure is not None:
            self.failed += 1
            text = f"{self._place(outcome.number)}: {outcome.failure}; copied to the output"
            if self._debug and outcome.trace:
                text += "\n" + outcome.trace.rstrip("\n")
        elif isinstance(outcome.result, dict) and "note" in outcome.result:
            text = f"{self._place(outcome.number)}: {outcome.result['note']}"
        else:
            return
        if self._progress.disable:
            say(text)
        else:
            self._progress.console.print(text, markup=False, soft_wrap=True)

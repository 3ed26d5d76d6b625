"""Puts errors into a copy of the code, one at a time, and runs the tests that should detect them."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol, TypeVar

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.textio import open_text, read_bytes
from lattice_simp.support.threads import in_threads

PASSED, FAILED = 0, 1
"""The exit statuses of pytest; all others mean that it could not run the tests."""

TOO_SLOW = -1
"""The status of tests that took too long."""


class Outcome(StrEnum):
    """The outcome of the tests of an error."""

    SEEN = "seen"
    SURVIVED = "SURVIVED"
    TOO_SLOW = "too slow"
    """The tests took too long: an endless loop, or a busy machine."""


@dataclass(frozen=True)
class Mutant:
    """An error in a file.

    Attributes:
        name: a description of the error.
        file: its path from the root of the repository.
        before: text that occurs once in the file.
        after: its replacement.
        tests: arguments of pytest, separated by blanks.
    """

    name: str
    file: str
    before: str
    after: str
    tests: str

    def applied(self, text: str) -> str:
        """Returns the file's text with the error in it.

        Raises:
            LatticeSimpError: the text `before` does not occur exactly once, or equals `after`.
        """
        count = text.count(self.before)
        if count != 1 or self.before == self.after:
            raise LatticeSimpError(
                f"mutant {self.name!r}: its text occurs {count} times in {self.file}; bring mutants.tsv up to date"
            )
        return text.replace(self.before, self.after)


def read_mutants(path: Path) -> list[Mutant]:
    """Reads a table with the fields of `Mutant` as columns; `\\n` stands for a line break.

    Raises:
        FormatError: the table has other columns, or two mutants have the same name.
    """
    with open_text(path) as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = [field.name for field in fields(Mutant)]
    mutants = []
    for number, row in enumerate(rows, start=2):
        if list(row) != names or not all(isinstance(value, str) for value in row.values()):
            raise FormatError("is not a mutant", path=path, line=number, remedy=f"write the columns {', '.join(names)}")
        mutants.append(Mutant(**{name: value.replace("\\n", "\n") for name, value in row.items()}))
    if len({mutant.name for mutant in mutants}) < len(mutants):
        raise FormatError("two mutants have the same name", path=path, remedy="rename one")
    return mutants


class Error(Protocol):
    """An error in a file, and the tests that should detect it; a `Mutant` is one kind."""

    @property
    def name(self) -> str: ...

    @property
    def file(self) -> str: ...

    @property
    def tests(self) -> str: ...

    def applied(self, text: str) -> str: ...


Made = TypeVar("Made", bound=Error)


@dataclass(frozen=True)
class Workshop:
    """A place to run mutants in.

    Attributes:
        root: the root of the repository.
        copied: the files and folders that the tests need.
        seconds: the time limit for the tests of a mutant.
        markers: selects tests by their markers, as `-m` of pytest does; empty selects all.
    """

    root: Path
    copied: Sequence[str]
    seconds: float
    markers: str = "not slow"

    def outcomes(self, mutants: Sequence[Made], jobs: int = 1, *, check: bool = True) -> Iterator[tuple[Made, Outcome]]:
        """Yields each mutant with the outcome of its tests.

        With `check`, all tests first run without a mutant, and must be runnable with each; without it, a mutant whose
        tests cannot be collected is detected.

        Raises:
            LatticeSimpError: a mutant's text is not in its file, the tests fail without any mutant, or they cannot be
                run.
        """
        for mutant in mutants:
            mutant.applied(self._text(mutant))
        with ExitStack() as stack:
            copies: SimpleQueue[Path] = SimpleQueue()
            for _ in range(jobs):
                copies.put(stack.enter_context(self._copy()))
            if check:
                self._check(mutants, copies)

            def kill(mutant: Made) -> Outcome:
                copy = copies.get()
                try:
                    return self._outcome(mutant, copy, may_break=not check)
                finally:
                    copies.put(copy)

            for mutant, outcome, error in in_threads(kill, mutants, jobs):
                if error is not None or outcome is None:
                    raise error or RuntimeError("no outcome")
                yield mutant, outcome

    def _text(self, mutant: Error) -> str:
        return read_bytes(self.root / mutant.file).decode()

    @contextmanager
    def _copy(self) -> Iterator[Path]:
        """Copies the files that tests need, with their times, so that cached kernels stay valid."""
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            copy = Path(folder)
            for name in self.copied:
                if (self.root / name).is_dir():
                    shutil.copytree(self.root / name, copy / name)
                else:
                    shutil.copy2(self.root / name, copy / name)
            yield copy

    def _check(self, mutants: Sequence[Error], copies: SimpleQueue[Path]) -> None:
        """Runs all tests without any mutant."""
        copy = copies.get()
        tests = sorted({test for mutant in mutants for test in mutant.tests.split()})
        code, output = self._run(tests, copy)
        if code != PASSED:
            raise LatticeSimpError(f"the tests fail without any mutant:\n{output}")
        copies.put(copy)

    def _outcome(self, mutant: Error, copy: Path, *, may_break: bool) -> Outcome:
        path, text, tests = copy / mutant.file, self._text(mutant), mutant.tests.split()
        times = path.stat()
        path.write_bytes(mutant.applied(text).encode())
        try:
            code, output = self._run(tests, copy)
        finally:
            path.write_bytes(text.encode())
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        if code in _OUTCOMES:
            return _OUTCOMES[code]
        if may_break and self._run(["--collect-only", *tests], copy)[0] == PASSED:
            return Outcome.SEEN
        raise LatticeSimpError(f"mutant {mutant.name!r}: its tests cannot be run:\n{output}")

    def _run(self, tests: Sequence[str], copy: Path) -> tuple[int, str]:
        """Runs tests until one fails; if they take too long, kills them and their child processes."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", self.markers, *tests]
        paths = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        with tempfile.TemporaryFile() as log:
            run = subprocess.Popen(
                command,
                cwd=copy,
                env={**os.environ, **paths},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                code = run.wait(self.seconds)
            except subprocess.TimeoutExpired:
                code = TOO_SLOW
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(run.pid, signal.SIGKILL)
                run.wait()
            log.seek(max(0, log.seek(0, os.SEEK_END) - 2000))
            return code, log.read().decode(errors="replace")


_OUTCOMES = {PASSED: Outcome.SURVIVED, FAILED: Outcome.SEEN, TOO_SLOW: Outcome.TOO_SLOW}

"""Other programs, such as Java and KenLM's tools, that this package starts and waits for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lattice_simp.errors import LatticeSimpError


class ProgramTimeError(LatticeSimpError):
    """A program took longer than its time limit."""


class Ended(NamedTuple):
    """The end of a program: its exit status, and its output."""

    status: int
    output: bytes
    messages: bytes


def run_program(command: Sequence[str], folder: Path, *, seconds: float | None = None) -> Ended:
    """Runs a program without input in a folder, and kills it after a time limit, if any.

    Raises:
        ProgramTimeError: the time limit is over.
        OSError: the program cannot be started.
    """
    try:
        process = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=seconds, cwd=folder
        )
    except subprocess.TimeoutExpired:
        raise ProgramTimeError(f"{command[0]} took more than {seconds:g} seconds") from None
    return Ended(process.returncode, process.stdout, process.stderr)


def feed_program(command: Sequence[str], chunks: Iterable[bytes], folder: Path, *, output: Path, messages: Path) -> int:
    """Runs a program in the C locale, writes to its standard input, and returns its exit status.

    An error or an interrupt while chunks are made kills the program. If the program ends before it has read all of
    them, the rest is dropped: its exit status says more.

    Args:
        command: the program and its arguments.
        chunks: the bytes to write.
        folder: the folder to run it in, where a core dump stays.
        output, messages: the files for its standard output and standard error.

    Raises:
        LatticeSimpError: the program cannot be started.
    """
    environment = {**os.environ, "LC_ALL": "C"}
    with open(output, "wb") as out, open(messages, "wb") as log:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=out, stderr=log, cwd=folder, env=environment
            )
        except OSError as error:
            raise LatticeSimpError(f"{command[0]}: cannot be run: {error.strerror} (build it again)") from error
        assert process.stdin is not None
        with process:
            try:
                with suppress(BrokenPipeError):
                    process.stdin.writelines(chunks)
            except BaseException:
                process.kill()
                raise
            finally:
                with suppress(BrokenPipeError):
                    process.stdin.close()
        return process.returncode

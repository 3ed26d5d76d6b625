"""The output of commands on sentences: a line for each sentence, and n-best lists in a second file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.formats.nbest import write_nbest
from lattice_simp.support.textio import open_text

STDOUT = "-"

Result = tuple[int, str, list[Hypothesis]]
"""The number of a sentence, its line, and its hypotheses."""


def is_stream(output: str) -> bool:
    """Returns whether the output is standard output, a pipe or a device, which cannot be continued."""
    return output == STDOUT or (Path(output).exists() and not Path(output).is_file())


def write_lines(results: Iterable[Result], output: str, nbest_output: str | None) -> None:
    """Writes the lines of sentences, and their hypotheses if there is a file for n-best lists.

    Files appear when they are complete, streams grow line by line.
    """
    with open_text(output, "w") as file:
        groups = _groups(results, file, flush=is_stream(output))
        if nbest_output is None:
            deque(groups, maxlen=0)
        else:
            write_nbest(groups, nbest_output)


def _groups(results: Iterable[Result], file: TextIO, *, flush: bool) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Writes each line, and yields the n-best list of its sentence."""
    for number, line, hypotheses in results:
        file.write(line + "\n")
        if flush:
            file.flush()
        yield number, hypotheses

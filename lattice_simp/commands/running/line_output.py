"""The output of commands on sentences: a line for each sentence, and n-best lists in a second file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from lattice_simp.commands.running.losses import IN_LINES, Losses, write_lists
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.support.textio import open_text

STDOUT = "-"


class Result(NamedTuple):
    """The number of a sentence, its line, its hypotheses, and its name in the input."""

    number: int
    line: str
    hypotheses: list[Hypothesis]
    name: str | None = None


def is_stream(output: str) -> bool:
    """Returns whether the output is standard output, a pipe or a device, which cannot be continued."""
    return output == STDOUT or (Path(output).exists() and not Path(output).is_file())


def write_lines(results: Iterable[Result], output: str, nbest_output: str | None) -> None:
    """Writes the lines of sentences, and their hypotheses if there is a file for n-best lists.

    Files appear when they are complete, streams grow line by line. Names of sentences that no file holds are reported.
    """
    with open_text(output, "w") as file:
        sentences = _sentences(results, file, flush=is_stream(output))
        if nbest_output is None:
            losses = Losses()
            deque(losses.watched(sentences, IN_LINES), maxlen=0)
            losses.print(output)
        else:
            write_lists(sentences, nbest_output)


def _sentences(results: Iterable[Result], file: TextIO, *, flush: bool) -> Iterator[Sentence]:
    """Writes each line, and yields the n-best list of its sentence."""
    for number, line, hypotheses, name in results:
        file.write(line + "\n")
        if flush:
            file.flush()
        yield Sentence(number, hypotheses, name)

"""One command over many lattices: n-best lists, folders, archives; in threads, with a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from lattice_simp.commands.options import FAILED
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.collections import read_all, write_all
from lattice_simp.formats.nbest import is_nbest, write_nbest
from lattice_simp.ops.nbest import nbest
from lattice_simp.pipeline.runner import progress_bar
from lattice_simp.pipeline.threads import in_threads

Result = TypeVar("Result")

JOBS = Annotated[int, typer.Option(min=1, help="threads, for many lattices")]


class Batch:
    """The lattices of a file, a folder or an archive, and what becomes of them.

    Attributes:
        source: its name.
        many: whether it holds more than one lattice.
        failed: how many lattices an operation failed on.
    """

    def __init__(self, source: str, sentence: int | None = None, format: str | None = None, **options: Any) -> None:
        self.source, self.failed = source, 0
        if sentence is not None and not is_nbest(source):
            raise FormatError("is not an n-best list", path=source, remedy="leave --id out")
        lattices = read_all(source, format, **options)
        if sentence is not None:
            lattices = _only(lattices, sentence, source)
        self._first = list(islice(lattices, 2))
        self._others = lattices
        self.many = len(self._first) > 1

    def single(self) -> Lattice:
        """Returns the only lattice.

        Raises:
            FormatError: there are several.
        """
        if self.many:
            raise FormatError(
                "holds several lattices", path=self.source, remedy="choose one with --id, or give a folder"
            )
        return self._first[0][1]

    def results(
        self, operation: Callable[[Lattice], Result], jobs: int = 1, *, quiet: bool = False
    ) -> Iterator[tuple[str, Lattice, Result]]:
        """Yields names, lattices and results; where the operation fails, that is told and the others go on.

        A single lattice's error is raised.
        """
        with progress_bar(quiet=quiet or not self.many, transient=True) as bar:
            task = bar.add_task("lattices", total=None)
            lattices = (own for group in (self._first, self._others) for own in group)
            for (name, lattice), result, error in in_threads(lambda own: operation(own[1]), lattices, jobs):
                if error is None:
                    yield name, lattice, result  # type: ignore[misc]
                elif not self.many or not isinstance(error, LatticeSimpError):
                    raise error
                else:
                    self.failed += 1
                    print(f"lattice-simp: {self.source}: {name}: {error}", file=sys.stderr)
                bar.advance(task)

    def write(self, operation: Callable[[Lattice], Lattice], output: str, jobs: int, format: str | None = None) -> None:
        """Writes lattices where the output's name says: files of a folder, or a list where an n-best list was given.

        Raises:
            LatticeSimpError: several lattices, and one file for them.
        """
        done = self.results(operation, jobs)
        if _is_folder(output):
            write_all(((name, lattice) for name, _, lattice in done), output)
        elif is_nbest(self.source):
            write_nbest(((int(name), _hypotheses(lattice)) for name, _, lattice in done), output)
        else:
            raise LatticeSimpError(f"{self.source} holds several lattices: give --output FOLDER/, or choose one")
        self.finish()

    def finish(self) -> None:
        """Ends the command with an error if some lattices failed."""
        if self.failed:
            print(f"lattice-simp: {self.failed} lattices failed", file=sys.stderr)
            raise typer.Exit(FAILED)


def _only(lattices: Iterator[tuple[str, Lattice]], sentence: int, path: str) -> Iterator[tuple[str, Lattice]]:
    for name, lattice in lattices:
        if name == str(sentence) and not lattice.empty:
            yield name, lattice
            return
    raise FormatError(f"holds no hypotheses of sentence {sentence}", path=path, remedy="ids count from 0")


def _is_folder(output: str) -> bool:
    return output.endswith("/") or (output != "-" and Path(output).is_dir())


def _hypotheses(lattice: Lattice) -> list[Hypothesis]:
    """Returns all hypotheses of an n-best list's lattice, as an operation left them."""
    return nbest(lattice, max(1, lattice.num_arcs + 1))

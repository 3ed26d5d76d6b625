"""One command over many lattices: n-best lists, folders, archives; in threads, with a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from lattice_simp.commands.options import (
    FAILED,
    Losses,
    labels_of_lattices,
    labels_of_lists,
    pieces_of,
    read_full,
    readable,
    reader_options,
    refuse_idle,
    require_hypotheses,
    require_numbers,
    with_header_of,
    write_result,
)
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import CyclicLatticeError, EmptyLatticeError, InvalidLatticeError, LatticeSimpError
from lattice_simp.formats import FORMATS, write
from lattice_simp.formats.collections import Entry, entries, is_collection, new_file
from lattice_simp.formats.nbest import is_nbest, write_nbest
from lattice_simp.formats.pieces import PieceKind
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.textio import place

Result = TypeVar("Result")

NO_PIECES: PieceKind = "none"

JOBS = Annotated[int, typer.Option(min=1, help="threads, where there are many lattices")]


class _Failures:
    """The errors of a batch: several lattices in a row with the same error are one line.

    Attributes:
        path: of the collection.
        names: the lattices of the last error that are not told yet.
        error: the last error.
    """

    def __init__(self, path: str) -> None:
        self.path, self.names = path, list[str]()
        self.error: LatticeSimpError | None = None

    def add(self, name: str, error: LatticeSimpError) -> None:
        """Takes the error of a lattice."""
        if str(error) != str(self.error):
            self.tell()
        self.names.append(name)
        self.error = error

    def tell(self) -> None:
        """Prints the last error, if it is not printed yet."""
        if self.names:
            more = f", and {len(self.names) - 1} more with the same error" if len(self.names) > 1 else ""
            print(f"lattice-simp: {self.path}: {self.names[0]}: {self.error}; left out{more}", file=sys.stderr)
        self.names.clear()

    def end(self, count: int) -> None:
        """Prints the last error.

        Raises:
            LatticeSimpError: all of several lattices have the same error, as where an option does not fit.
        """
        if len(self.names) == count > 1:
            raise LatticeSimpError(f"{self.path}: all {count} lattices fail: {self.error}")
        self.tell()


class Batch:
    """The lattices of a collection, and what becomes of them.

    Attributes:
        path: of the collection.
        jobs: how many lattices are worked on side by side.
        failed: how many an operation failed on.
    """

    def __init__(self, path: str, jobs: int, labels: Mapping[str, Any] | None = None) -> None:
        self.path, self.jobs, self.failed = path, jobs, 0
        self._is_list = is_nbest(path)
        if self._is_list:
            require_numbers(path, "nbest", labels)
            self._options, self._pieces = labels_of_lists(labels), NO_PIECES
        else:
            self._options, self._pieces = reader_options(labels_of_lattices(path, labels)), pieces_of(labels)

    def results(self, operation: Callable[[Lattice], Result]) -> Iterator[tuple[str, Result]]:
        """Yields names and results, in order; where the operation fails, that is told, and the others go on."""
        return ((entry.name, result) for entry, result in self._results(operation))

    def _results(self, operation: Callable[[Lattice], Result]) -> Iterator[tuple[Entry, Result]]:
        from lattice_simp.pipeline.progress import progress_bar  # one lattice needs neither bar nor threads
        from lattice_simp.pipeline.threads import in_threads

        def done(entry: Entry) -> Result:
            lattice = join_pieces(entry.load(), self._pieces)
            if not self._is_list:  # where sentences may have no hypotheses
                require_hypotheses(lattice)
            return operation(lattice)

        failures = _Failures(place(self.path))
        with progress_bar(transient=True) as bar:
            task = bar.add_task("lattices", total=None)
            found = entries(self.path, **self._options)
            count = 0
            for entry, result, error in in_threads(done, found, self.jobs):
                count += 1
                if isinstance(error, LatticeSimpError):
                    self.failed += 1
                    failures.add(entry.name, error)
                elif error is not None:
                    raise error
                else:
                    failures.tell()
                    yield entry, result  # type: ignore[misc]
                bar.advance(task)
        failures.end(count)

    def _leave_out(self, entry: Entry, error: LatticeSimpError) -> None:
        self.failed += 1
        print(f"lattice-simp: {self.path}: {entry.name}: {error}; left out", file=sys.stderr)

    def finish(self) -> None:
        """Ends the command with an error if an operation failed, once everything else is written."""
        if self.failed:
            print(f"lattice-simp: {self.failed} lattices failed", file=sys.stderr)
            raise typer.Exit(FAILED)

    def write(
        self,
        operation: Callable[[Lattice], Lattice],
        output: str,
        *,
        format: str | None = None,
        lists: bool = True,
        replaced: str | None = None,
    ) -> None:
        """Writes lattices to a folder, or, of an n-best list, another one: its hypotheses with their new costs.

        Files in the folder have the input's names and formats; what they do not hold is said once for all.

        Args:
            operation: makes what is written.
            output: a folder, or a file for an n-best list.
            format: of the files in the folder; None for that of each input, OpenFst's for lists and Kaldi's archives.
            lists: whether the hypotheses of an n-best list stay hypotheses.
            replaced: a feature that the operation takes out by intent.

        Raises:
            LatticeSimpError: several lattices, and one file for them; `format`, and an n-best list is written.
        """
        lost = Losses()

        def made(lattice: Lattice) -> Lattice:
            result = operation(lattice)
            lost.add_dropped(lattice, result, replaced)
            return with_header_of(lattice, result)

        if output.endswith("/") or (output != "-" and Path(output).is_dir()):
            self._write_folder(made, output, format, lost)
        elif lists and Path(self.path).is_file() and is_nbest(self.path):
            refuse_idle(["to"], "where an n-best list is written")
            write_nbest(((int(name), _hypotheses(own)) for name, own in self.results(made)), output)
        else:
            lattice = self._only(made)
            write(lattice, output, format)
            lost.add(lattice, output, format)
        lost.say(output)
        self.finish()

    def _only(self, made: Callable[[Lattice], Lattice]) -> Lattice:
        """Returns the result of a collection of one lattice."""
        members = list(islice(entries(self.path, **self._options), 2))
        if len(members) != 1:
            remedy = "give --output FOLDER/ (a folder, with a slash), or choose one with --id"
            raise LatticeSimpError(f"{place(self.path)} holds several lattices; {remedy}")
        lattice = join_pieces(members[0].load(), self._pieces)
        require_hypotheses(lattice, self.path)
        return made(lattice)

    def _write_folder(self, made: Callable[[Lattice], Lattice], folder: str, format: str | None, lost: Losses) -> None:
        if Path(folder).resolve() == Path(self.path).resolve():
            raise LatticeSimpError(f"{folder}: the results would replace the input; give another folder")
        written = set[Path]()
        for entry, lattice in self._results(made):
            original = entry.format()
            chosen = format or original or "openfst"
            keeps_name = entry.file and chosen == original
            name = entry.file if keeps_name else entry.name + (*FORMATS[chosen].suffixes, ".txt")[0]
            target = new_file(folder, name, written)
            try:
                write(lattice, target, chosen)
            except (CyclicLatticeError, EmptyLatticeError, InvalidLatticeError) as error:
                self._leave_out(entry, error)
            else:
                lost.add(lattice, target, chosen)


@dataclass(frozen=True)
class LatticeInput:
    """One lattice, or many of a collection, as options name them.

    Attributes:
        path: a file, a folder, an archive, or - for standard input.
        sentence: the id or the name of one; None for all.
        labels: the `LabelOptions` that were given.
        jobs: how many lattices are worked on side by side.
    """

    path: str
    sentence: str | None
    labels: Mapping[str, Any]
    jobs: int

    def write(
        self,
        operation: Callable[[Lattice], Lattice],
        output: str,
        format: str | None = None,
        *,
        lists: bool = True,
    ) -> None:
        """Writes what an operation makes of each lattice; see `write_result` and `Batch.write`."""
        with readable(self.path) as file:
            batch = find_batch(file, self.sentence, self.jobs, self.labels)
            if batch is not None:
                batch.write(operation, output, format=format, lists=lists)
            else:
                lattice = read_full(file, self.sentence, labels=self.labels)
                write_result(operation(lattice), output, format, origin=lattice)


def find_batch(path: str, sentence: str | None, jobs: int = 1, labels: Mapping[str, Any] | None = None) -> Batch | None:
    """Returns the batch of a collection; None where one lattice is meant."""
    return Batch(path, jobs, labels) if sentence is None and is_collection(path) else None


def _hypotheses(lattice: Lattice) -> list[Hypothesis]:
    """Returns all hypotheses of an n-best list's lattice, as an operation left them."""
    return nbest(lattice, lattice.num_arcs + 1)

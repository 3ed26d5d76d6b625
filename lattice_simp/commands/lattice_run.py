"""The runner of lattices: one lattice, or those of n-best lists, folders and archives, in threads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import typer

from lattice_simp.commands.lattice_input import NO_OPTIONS, LabelOptions, read_any, read_full, require_hypotheses
from lattice_simp.commands.options import FAILED, refuse_idle
from lattice_simp.core.header import NO_HEADER
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import CyclicLatticeError, EmptyLatticeError, InvalidLatticeError, LatticeSimpError
from lattice_simp.formats import FORMATS, format_of_name, losses, write
from lattice_simp.formats.collections import Entry, entries, format_of_parts, is_collection, new_file
from lattice_simp.formats.nbest import is_nbest, write_nbest
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import place, readable

Item = TypeVar("Item")
Result = TypeVar("Result")

STDOUT = "<stdout>"

Operation = Callable[[Lattice], Lattice]

NumberedOperation = Callable[[int, Lattice], Lattice]
"""What is done with the lattice of a number, from 0."""


@contextmanager
def lattice_run(
    source: str,
    sentence: str | None = None,
    labels: LabelOptions = NO_OPTIONS,
    jobs: int = 1,
    format: str | None = None,
) -> Iterator[LatticeRun]:
    """Yields the run of a file, a folder, an archive, or standard input (-).

    If lattices of a collection failed, the command ends with an error after the others are written.

    Args:
        source: the path of the lattices.
        sentence: the number or the name of one of them; None for all.
        labels: how to interpret labels.
        jobs: the number of threads.
        format: the format of the lattices; None to detect it.
    """
    with readable(source) as file:
        run = LatticeRun(file, sentence, labels, jobs, format)
        yield run
    if run.failed:
        print(f"lattice-simp: {counted(run.failed, 'lattice')} failed", file=sys.stderr)
        raise typer.Exit(FAILED)


class LatticeRun:
    """The run of an operation on a lattice or on the lattices of a collection.

    Attributes:
        is_many: whether the source is a collection and no sentence of it is chosen.
        count: the number of lattices of a collection, once all are read.
        failed: the number of them that failed.
    """

    def __init__(
        self, file: str, sentence: str | None, labels: LabelOptions, jobs: int, format: str | None = None
    ) -> None:
        self._file, self._sentence, self._labels, self._jobs, self._format = file, sentence, labels, jobs, format
        self.count = self.failed = 0
        self.is_many = sentence is None and is_collection(file)
        self._is_list = self.is_many and format is None and is_nbest(file)

    @property
    def _options(self) -> dict[str, Any]:
        """The arguments for readers of a collection."""
        options = self._labels.of_lists if self._is_list else self._labels.of_lattices
        return options(self._file) if self.is_many else {}

    @cached_property
    def lattice(self) -> Lattice:
        """The only lattice, or the chosen one.

        Raises:
            EmptyLatticeError: it holds no hypothesis.
        """
        return read_full(self._file, self._sentence, self._format, self._labels)

    def read_any(self) -> Lattice:
        """Returns the only lattice, or the chosen one, which may hold no hypothesis."""
        return read_any(self._file, self._sentence, self._format, self._labels)

    def results(self, operation: Callable[[Lattice], Result]) -> Iterator[tuple[str, Result]]:
        """Yields names and results, in order; the name of a single lattice is the chosen one, or empty.

        Reports and skips the lattices of a collection for which the operation fails.
        """
        if self.is_many:
            results = self._results(lambda _, lattice: operation(lattice))
            yield from ((entry.name, result) for entry, result in results)
        else:
            yield self._sentence or "", operation(self.lattice)

    def write(
        self,
        operation: Operation,
        output: str,
        format: str | None = None,
        *,
        lists: bool = True,
        replaced: str | None = None,
        **options: Any,
    ) -> None:
        """Writes the results to a file or a folder; the results of an n-best list are an n-best list.

        Files in a folder have the input's names and formats. A file holds several lattices if its format does (Kaldi's,
        PLF). Losses of the files' formats are printed once.

        Args:
            operation: makes the lattice to write from one that was read.
            output: a file, or a folder for several lattices.
            format: the format of the files; None for that of the name or, in a folder, that of each input (OpenFst for
                n-best lists).
            lists: whether the hypotheses of an n-best list stay hypotheses.
            replaced: a feature that the operation removes on purpose.
            options: arguments for the format's writer.

        Raises:
            LatticeSimpError: `output` is a file for one lattice, and there are several; `format` is set, and the output
                is an n-best list.
        """
        losses = Losses(self._labels, options)
        self._write(lambda _, lattice: operation(lattice), output, format, losses, lists=lists, replaced=replaced)

    def write_numbered(self, operation: NumberedOperation, output: str, format: str | None = None) -> None:
        """Writes the results of an operation that depends on the numbers of lattices, as `write` does."""
        self._write(operation, output, format, Losses(self._labels, {}))

    def _write(
        self,
        operation: NumberedOperation,
        output: str,
        format: str | None,
        losses: Losses,
        *,
        lists: bool = True,
        replaced: str | None = None,
    ) -> None:
        written = format or format_of_name(output, "att")
        if self._labels.of_output(written):
            self._labels = self._labels.of_input(self._input_format(), written)

        def changed(number: int, lattice: Lattice) -> Lattice:
            result = operation(number, lattice)
            losses.add_dropped(lattice, result, replaced)
            return with_header_of(lattice, result)

        if not self.is_many:
            losses.write(changed(0, self.lattice), output, format)
        elif output.endswith("/") or (output != "-" and Path(output).is_dir()):
            self._write_folder(changed, output, format, losses)
        elif lists and self._is_list:
            refuse_idle(["to"], "when the output is an n-best list")
            results = self._results(changed)
            write_nbest(((int(entry.name), _hypotheses(result)) for entry, result in results), output)
        elif (chosen := self._archive_format(output, format)) is not None:
            self._write_archive(changed, output, chosen, losses)
        else:
            losses.write(changed(0, self._only()), output, format)
        losses.print(output)

    def _input_format(self) -> str | None:
        """Returns the format of the first lattice in the input, or None for an n-best list."""
        name = format_of_parts(self._file, self._format)
        return next(entries(self._file, self._format)).format() if name is None else name

    def _archive_format(self, output: str, format: str | None) -> str | None:
        """Returns the format of a file for several lattices: the name's or the input's; None if it holds only one."""
        if format is None:
            format = format_of_name(output, "att")
            if format == "att":  # standard output, any text, an ending that says nothing
                format = format_of_parts(self._file, self._format) or format
        return None if FORMATS[format].archive is None else format

    def _results(self, operation: Callable[[int, Lattice], Result]) -> Iterator[tuple[Entry, Result]]:
        for entry, result, error in self._outcomes(operation):
            if error is None:
                yield entry, result  # type: ignore[misc]

    def _outcomes(
        self, operation: Callable[[int, Lattice], Result]
    ) -> Iterator[tuple[Entry, Result | None, LatticeSimpError | None]]:
        """Yields results and errors; counts and prints the errors."""

        def done(numbered: tuple[int, Entry]) -> Result:
            number, entry = numbered
            lattice = entry.load()
            if not self._is_list:  # in lists, sentences may have no hypotheses, and pieces are joined already
                lattice = self._labels.prepared(lattice)
                require_hypotheses(lattice)
            return operation(number, lattice)

        failures = _Failures(place(self._file))
        for (number, entry), result, error in with_progress(
            done, enumerate(entries(self._file, self._format, **self._options)), self._jobs, "lattices"
        ):
            self.count = number + 1
            if error is not None:
                self.failed += 1
                failures.add(entry.name, error)
            else:
                failures.print()
            yield entry, result, error
        failures.end(self.count)

    def _only(self) -> Lattice:
        """Returns the only lattice of a collection."""
        members = list(islice(entries(self._file, self._format, **self._options), 2))
        if len(members) != 1:
            remedy = "choose one with --id, or write all of them with --output FOLDER/ or in one file with --to kaldi"
            if self._is_list:
                remedy += " (to write n-best lists, use `lattice tokens`)"
            raise LatticeSimpError(f"{place(self._file)} holds several lattices; {remedy}")
        lattice = members[0].load() if self._is_list else self._labels.prepared(members[0].load())
        require_hypotheses(lattice, self._file)
        return lattice

    def _write_folder(self, changed: NumberedOperation, folder: str, format: str | None, losses: Losses) -> None:
        if Path(folder).resolve() == Path(self._file).resolve():
            raise LatticeSimpError(f"{folder}: the results would replace the input; give another folder")
        written = set[Path]()
        for entry, lattice in self._results(changed):
            original = entry.format()
            chosen = format or original or "openfst"
            keeps_name = entry.file and chosen == original
            name = entry.file if keeps_name else entry.name + (*FORMATS[chosen].suffixes, ".txt")[0]
            with self._reporting(entry):
                losses.write(lattice, new_file(folder, name, written), chosen)

    def _write_archive(self, changed: NumberedOperation, output: str, format: str, losses: Losses) -> None:
        open_archive = FORMATS[format].archive
        assert open_archive is not None
        with open_archive(output, **losses.options(format)) as add:
            for entry, lattice, _ in self._outcomes(changed):
                added = False
                with self._reporting(entry):
                    if lattice is not None:
                        add(entry.name, lattice)
                        losses.add(lattice, output, format)
                        added = True
                if FORMATS[format].numbered and not added:
                    add(entry.name, Lattice.from_strings([("", 0.0)]))

    @contextmanager
    def _reporting(self, entry: Entry) -> Iterator[None]:
        """Reports a lattice that the format cannot hold, and continues."""
        try:
            yield
        except (CyclicLatticeError, EmptyLatticeError, InvalidLatticeError) as error:
            self.failed += 1
            print(f"lattice-simp: {place(self._file)}: {entry.name}: {error}; skipped", file=sys.stderr)


def with_progress(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int, what: str
) -> Iterator[tuple[Item, Result | None, LatticeSimpError | None]]:
    """Runs a function on items in threads, below a progress bar; yields items with results or errors, in order."""
    from lattice_simp.support.progress import progress_bar  # needed for several lattices only
    from lattice_simp.support.threads import in_threads

    with progress_bar(transient=True) as bar:
        task = bar.add_task(what, total=None)
        for item, result, error in in_threads(function, items, jobs):
            if error is not None and not isinstance(error, LatticeSimpError):
                raise error
            yield item, result, error
            bar.advance(task)


class _Failures:
    """The errors of a collection, printed in one line for several lattices in a row with the same error.

    Attributes:
        path: the path of the collection.
        names: the lattices with the last error, until it is printed.
        error: the last error.
    """

    def __init__(self, path: str) -> None:
        self.path, self.names = path, list[str]()
        self.error: LatticeSimpError | None = None

    def add(self, name: str, error: LatticeSimpError) -> None:
        """Adds the error of a lattice, and prints the one before if it differs."""
        if str(error) != str(self.error):
            self.print()
        self.names.append(name)
        self.error = error

    def print(self) -> None:
        """Prints the last error unless it is printed already."""
        if self.names:
            more = f", and {len(self.names) - 1} more with the same error" if len(self.names) > 1 else ""
            print(f"lattice-simp: {self.path}: {self.names[0]}: {self.error}; skipped{more}", file=sys.stderr)
        self.names.clear()

    def end(self, count: int) -> None:
        """Prints the last error.

        Raises:
            LatticeSimpError: all lattices, and more than one, have the same error, probably because of an option.
        """
        if len(self.names) == count > 1:
            raise LatticeSimpError(f"{self.path}: all {count} lattices fail: {self.error}")
        self.print()


class Losses:
    """What is lost when lattices are written, printed once for all files."""

    def __init__(self, labels: LabelOptions = NO_OPTIONS, options: Mapping[str, Any] | None = None) -> None:
        self._names: dict[str, dict[str, None]] = {}
        self._labels, self._options = labels, options or {}

    def options(self, format: str) -> dict[str, Any]:
        """Returns the arguments for a format's writer."""
        return {**self._labels.of_output(format), **self._options}

    def write(self, lattice: Lattice, output: str | Path, format: str | None = None) -> None:
        """Writes a lattice, and adds what its file loses."""
        write(lattice, output, format, **self.options(format or format_of_name(output)))
        self.add(lattice, output, format)

    def add(self, lattice: Lattice, output: str | Path, format: str | None = None) -> None:
        """Adds what a file loses of its lattice."""
        self.add_phrases(losses(lattice, output, format))

    def add_dropped(self, before: Lattice, after: Lattice, replaced: str | None = None) -> None:
        """Adds the features that an operation drops, except for the one that it replaces."""
        self.add_features(name for name in before.features if name not in after.features and name != replaced)

    def add_features(self, names: Iterable[str]) -> None:
        """Adds features that an operation drops."""
        self.add_phrases({"the result does not have the features": names})

    def add_phrases(self, lost: Mapping[str, Iterable[str]]) -> None:
        """Adds the losses of a file, as `losses` returns them."""
        for phrase, names in lost.items():
            self._names.setdefault(phrase, {}).update(dict.fromkeys(names))

    def print(self, output: str | Path) -> None:
        """Prints the losses of the output, a file or a folder, on stderr."""
        for phrase, names in self._names.items():
            if names:
                print(f"{STDOUT if str(output) == '-' else output}: {phrase} {' '.join(names)}", file=sys.stderr)


def write_result(
    lattice: Lattice,
    output: str,
    format: str | None = None,
    *,
    labels: LabelOptions = NO_OPTIONS,
    origin: Lattice | None = None,
) -> None:
    """Writes a lattice, to stdout as AT&T text; prints on stderr what the file loses. Features of `origin`, the lattice
    from which it was made, count as lost if the lattice does not have them.
    """
    losses = Losses(labels)
    if origin is not None:
        losses.add_dropped(origin, lattice)
        lattice = with_header_of(origin, lattice)
    losses.write(lattice, output, format)
    losses.print(output)


def with_header_of(origin: Lattice, lattice: Lattice) -> Lattice:
    """Returns a lattice with the header of its origin, unless it has a header of its own."""
    if lattice.header != NO_HEADER:
        return lattice
    kept = set(lattice.features) >= {name for name in origin.header.scales if name in origin.features}
    return replace(lattice, header=origin.header if kept else origin.header.without_scales())


def _hypotheses(lattice: Lattice) -> list[Hypothesis]:
    """Returns all hypotheses of an n-best list's lattice after an operation."""
    return nbest(lattice, lattice.num_arcs + 1)

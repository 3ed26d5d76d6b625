"""The runner of lattices: one lattice, or those of n-best lists, folders and archives, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from lattice_simp.commands.inputs.lattices import named, read_full, repeated, require_hypotheses, say_repeated
from lattice_simp.commands.running.losses import (
    Losses,
    is_folder,
    lattice_format,
    names_folder,
    several_lattices,
    wants_json,
    with_header_of,
    write_lists,
)
from lattice_simp.commands.shared.label_options import NO_OPTIONS, LabelOptions
from lattice_simp.commands.shared.messages import Failures, end_failed, say
from lattice_simp.commands.shared.options import JSON_LINES
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.word_times import with_marks_of
from lattice_simp.errors import (
    CyclicLatticeError,
    EmptyLatticeError,
    InvalidLatticeError,
    LatticeSimpError,
    located,
)
from lattice_simp.formats import FORMATS, format_of_name, open_archive
from lattice_simp.formats.collections import (
    Entry,
    entries,
    format_of_parts,
    is_collection,
    list_lattice,
    new_file,
)
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_json_name, is_list_name, is_nbest, stream_sentences
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.textio import output_place, place, readable

Item = TypeVar("Item")
Result = TypeVar("Result")

Operation = Callable[[Lattice], Lattice]

NumberedOperation = Callable[[int, Lattice], Lattice]
"""What is done with the lattice of a number, from 0."""

_OF_WORDS = (TIME, POSTERIOR)
"""The features that the hypotheses of lists have for their words."""


@contextmanager
def lattice_run(
    source: str,
    sentence: str | None = None,
    labels: LabelOptions = NO_OPTIONS,
    jobs: int = 1,
    format: str | None = None,
    *,
    distinct: bool = False,
) -> Iterator[LatticeRun]:
    """Yields the run of a file, a folder, an archive, or standard input (-).

    If lattices of a collection failed, the command ends with an error after the others are written. Errors of a single
    lattice get the path.

    Args:
        source: the path of the lattices.
        sentence, format, labels, distinct: as for `read_full`; without `sentence`, all lattices are processed.
        jobs: the number of threads.

    Raises:
        LatticeSimpError: a file is broken, or an option does not fit it.
        typer.Exit: lattices of a collection failed.
    """
    with readable(source) as file:
        run = LatticeRun(file, sentence, labels, jobs, format, distinct=distinct)
        with located(named(file)):
            yield run
    say_repeated(source, 0 if distinct else run.repeated)
    end_failed(run.failed, "lattice")


class LatticeRun:
    """The run of an operation on a lattice or on the lattices of a collection.

    Attributes:
        is_many: whether the source is a collection and no sentence of it is chosen.
        count: the number of lattices of a collection, once all are read.
        failed: the number of them that failed.
        repeated: the number of hypotheses that n-best lists hold more than once, beyond the best ones.
    """

    def __init__(
        self, file: str, sentence: str | None, labels: LabelOptions, jobs: int, format: str | None, *, distinct: bool
    ) -> None:
        self._file, self._sentence, self._labels, self._jobs, self._format = file, sentence, labels, jobs, format
        self._distinct = distinct
        self.count = self.failed = self.repeated = 0
        self.is_many = sentence is None and is_collection(file, format)
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
        return read_full(self._file, self._sentence, self._format, self._labels, distinct=self._distinct)

    def read_any(self) -> Lattice:
        """Returns the only lattice, or the chosen one, which may hold no hypothesis."""
        return read_full(self._file, self._sentence, self._format, self._labels, may_be_empty=True)

    def results(self, operation: Callable[[Lattice], Result]) -> Iterator[tuple[str, Result]]:
        """Yields names and results, in order; the name of a single lattice is the chosen one, or empty.

        Reports and skips the lattices of a collection for which the operation fails.
        """
        if self.is_many:
            results = self._results(lambda _, lattice: operation(lattice))
            yield from ((entry.name, result) for _, entry, result in results)
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

    def write_numbered(self, operation: NumberedOperation, output: str, format: str | None) -> None:
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
        as_json = format == JSON_LINES
        written = format_of_name(output, "att") if format is None or as_json else format
        if self._labels.of_output(written):
            self._labels = self._labels.of_input(self._input_format(), written)

        if self._sentence is None and not self.is_many:
            is_list = self._format is None and is_nbest(self._file)
            if is_folder(output) or (lists and is_list and (as_json or is_json_name(output))):
                self.is_many, self._is_list = True, is_list
        stay_lists = self.is_many and lists and self._is_list and not is_folder(output)
        if not stay_lists:
            format = lattice_format(format)

        def changed(number: int, lattice: Lattice) -> Lattice:
            result = operation(number, lattice)
            losses.add_dropped(lattice, result, replaced, *(_OF_WORDS if stay_lists else ()))
            return with_header_of(lattice, result)

        if not self.is_many:
            losses.write(changed(0, self.lattice), output, format)
        elif is_folder(output):
            self._write_folder(changed, output, format, losses)
        elif stay_lists:
            write_lists(self._lists(changed), output, losses, as_json=wants_json(format))
            return
        elif (chosen := self._archive_format(output, format)) is not None:
            self._write_archive(changed, output, chosen, losses)
        elif (only := self._only(output)) is not None:
            losses.write(changed(0, only), output, format)
        else:
            self._write_folder(changed, output, format, losses)
        losses.print(output)

    def _input_format(self) -> str | None:
        """Returns the format of the first lattice in the input, or None for an n-best list."""
        name = format_of_parts(self._file, self._format)
        return next(entries(self._file, self._format)).format() if name is None else name

    def _archive_format(self, output: str, format: str | None) -> str | None:
        """Returns the format of a file for several lattices: the name's or the input's; None if it holds only one."""
        if format is None:
            format = format_of_name(output, "att")
            if format == "att" and not is_list_name(output):  # standard output, any text, an ending that says nothing
                format = format_of_parts(self._file, self._format) or format
        return format if format in FORMATS and FORMATS[format].archive is not None else None

    def _results(self, operation: Callable[[int, Lattice], Result]) -> Iterator[tuple[int, Entry, Result]]:
        for number, (entry, result, error) in enumerate(self._outcomes(operation)):
            if error is None:
                yield number, entry, result  # type: ignore[misc]

    def _entries(self) -> Iterator[Entry]:
        """Yields the lattices of the collection; counts the hypotheses of lists that lattices leave out."""
        if not self._is_list:
            yield from entries(self._file, self._format, **self._options)
            return
        for sentence in stream_sentences(self._file, **self._options):
            self.repeated += repeated(sentence.hypotheses)
            yield Entry(sentence.name or str(sentence.number), partial(list_lattice, sentence), "", lambda: None)

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

        failures = Failures(place(self._file))
        for (number, entry), result, error in with_progress(done, enumerate(self._entries()), self._jobs, "lattices"):
            self.count = number + 1
            if error is not None:
                self.failed += 1
                failures.add(entry.name, error)
            else:
                failures.print()
            yield entry, result, error
        failures.end(self.count)

    def _lists(self, changed: NumberedOperation) -> Iterator[Sentence]:
        """Yields each n-best list after an operation, without ignored labels.

        The operation adds no paths to the lattice of a list, so there are not more than before. Hypotheses that differ
        in ignored labels only stay apart. Their words keep their times and confidences, even if the operation moves or
        drops those of arcs.
        """

        def result(number: int, lattice: Lattice) -> tuple[Lattice, bool]:
            return changed(number, lattice), not lattice.features.keys().isdisjoint(_OF_WORDS)

        for number, entry, (lattice, has_marks) in self._results(result):
            best = self._paths(lattice)
            if has_marks:
                best = with_marks_of(best, self._paths(entry.load()))
            yield Sentence(number, best, lattice.header.name)

    def _paths(self, lattice: Lattice) -> list[Hypothesis]:
        count = count_paths(lattice)
        return nbest(lattice, count, unique=False, ignore=self._labels.ignored) if count else []

    def _only(self, output: str) -> Lattice | None:
        """Returns the only lattice of a collection; None if there are several, and the output may be a folder."""
        members = list(islice(self._entries(), 2))
        if len(members) > 1 and names_folder(output):
            return None
        if len(members) != 1:
            raise several_lattices(self._file, output, lists=self._is_list)
        lattice = members[0].load() if self._is_list else self._labels.prepared(members[0].load())
        require_hypotheses(lattice, self._file)
        return lattice

    def _write_folder(self, changed: NumberedOperation, folder: str, format: str | None, losses: Losses) -> None:
        if Path(folder).resolve() == Path(self._file).resolve():
            raise LatticeSimpError(f"{folder}: the results would replace the input; give another folder")
        written = set[Path]()
        for _, entry, lattice in self._results(changed):
            original = entry.format()
            chosen = format or (original if original in FORMATS else None) or "openfst"
            keeps_name = entry.file and chosen == original
            name = entry.file if keeps_name else entry.name + (*FORMATS[chosen].suffixes, ".txt")[0]
            with self._reporting(entry):
                losses.write(lattice, new_file(folder, name, written), chosen)

    def _write_archive(self, changed: NumberedOperation, output: str, format: str, losses: Losses) -> None:
        num_added = 0
        with open_archive(output, format, **losses.options(format)) as add:
            for entry, lattice, _ in self._outcomes(changed):
                added = False
                with self._reporting(entry), located(output_place(output)):
                    if lattice is not None:
                        add(entry.name, lattice)
                        losses.add(lattice, output, format)
                        added = True
                num_added += added
                if FORMATS[format].numbered and not added:
                    add(entry.name, Lattice.from_strings([("", 0.0)]))
            if self.failed and not num_added:  # the error keeps an older file
                raise LatticeSimpError(f"{output}: not written, because no lattice could be")

    @contextmanager
    def _reporting(self, entry: Entry) -> Iterator[None]:
        """Reports a lattice that the format cannot hold, and continues."""
        try:
            yield
        except (CyclicLatticeError, EmptyLatticeError, InvalidLatticeError) as error:
            self.failed += 1
            say(f"lattice-simp: {place(self._file)}: {entry.name}: {error}; skipped")


def with_progress(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int, what: str
) -> Iterator[tuple[Item, Result | None, LatticeSimpError | None]]:
    """Runs a function on items in threads, below a progress bar; yields items with results or errors, in order.

    Raises:
        Exception: an error of the program, as opposed to one of the input.
    """
    from lattice_simp.support.progress import progress_bar  # needed for several lattices only
    from lattice_simp.support.threads import in_threads

    with progress_bar(transient=True) as bar:
        task = bar.add_task(what, total=None)
        for item, result, error in in_threads(function, items, jobs):
            if error is not None and not isinstance(error, LatticeSimpError):
                raise error
            yield item, result, error
            bar.advance(task)

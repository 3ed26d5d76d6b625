"""Reads lattices and n-best lists for commands: interprets labels, and chooses one of several lattices."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from heapq import merge
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, TypeVar

from lattice_simp.commands.options import COST_HELP, IGNORE_HELP, PIECES_HELP, PLF_SCORES_HELP, SCALES_HELP
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.reweight import rescale
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import EmptyLatticeError, FormatError, LatticeSimpError, located
from lattice_simp.formats import KALDI, check_labels, format_of, read
from lattice_simp.formats.collections import Entry, entries, is_collection, list_lattice, natural_order
from lattice_simp.formats.common import finite, natural, shown
from lattice_simp.formats.list_lines import Sentence, original_name
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.formats.pieces import PieceKind
from lattice_simp.formats.plf import Scores as PlfScores
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.support.options import option
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import STDIN, place, readable

Options = TypeVar("Options")
Member = TypeVar("Member")

Output = Lattice | list[Hypothesis]
"""The output of a system for a sentence."""

_WRITTEN = {"sausages": ("symbols_path",), "plf": ("scores",)}
"""The options of each writer, except for those of Kaldi's formats."""

_LISTED = 5
"""The most names that an error lists."""


@dataclass(frozen=True)
class LabelOptions:
    """How to interpret the labels of a lattice file."""

    symbols: Path | None = option(None, "symbols", "OpenFst symbol table for numeric labels")
    isymbols: Path | None = option(None, "isymbols", "symbol table for input labels, if different")
    words: bool = option(False, "words", "treat numeric labels in AT&T text as words")
    pieces: PieceKind = option("none", "pieces", PIECES_HELP)
    cost: str | None = option(None, "cost", COST_HELP)
    scales: str | None = option(None, "scales", SCALES_HELP)
    frame_shift: float | None = option(None, "frame-shift", "seconds per frame of Kaldi's alignments (default: 0.01)")
    output_symbols: Path | None = option(
        None, "output-symbols", "words.txt for Kaldi output (default: that of --symbols)"
    )
    plf_scores: PlfScores | None = option(None, "plf-scores", f"{PLF_SCORES_HELP}; read and written")

    def of_lists(self, path: str) -> dict[str, Any]:
        """Returns the arguments for `stream_sentences`.

        Raises:
            FormatError: an option describes labels, which n-best lists do not have.
        """
        check_labels(self._labels, "nbest", path)
        scales = None if self.scales is None else scales_of(self.scales)
        return {"pieces": self.pieces, "cost": self.cost, "scales": scales}

    def of_lattices(self, path: str) -> dict[str, Any]:
        """Returns the arguments for readers of lattice formats.

        Raises:
            FormatError: an option is for n-best lists only.
        """
        if self.cost is not None:
            raise FormatError("is not an n-best list", path=path, remedy="leave --cost out")
        return self._labels

    @property
    def ignored(self) -> frozenset[str]:
        """The labels that are not words; none here, since these options are of commands that keep all labels."""
        return frozenset()

    @property
    def for_lists(self) -> LabelOptions:
        """The options that apply to n-best lists, for commands whose label options concern another file."""
        return LabelOptions(pieces=self.pieces, cost=self.cost)

    def of_output(self, format: str) -> dict[str, Any]:
        """Returns the arguments for the writer of a format."""
        values = {
            "symbols_path": self.output_symbols or self.symbols,
            "frame_shift": self.frame_shift,
            "scores": self.plf_scores,
        }
        names = ("symbols_path", "frame_shift") if format in KALDI else _WRITTEN.get(format, ())
        return {name: values[name] for name in names if values[name] is not None}

    def of_input(self, format: str | None, output: str) -> LabelOptions:
        """Returns the options for reading, without those that only the output's format has.

        Args:
            format: the input's format; None for an n-best list, whose writer has no times either.
            output: the output's format.
        """
        labels = self
        if output in KALDI and format is not None and format not in KALDI:
            labels = replace(labels, frame_shift=None)
        return replace(labels, plf_scores=None) if output == "plf" != format else labels

    def prepared(self, lattice: Lattice) -> Lattice:
        """Returns a lattice with the options applied: joins its pieces and weights its features.

        Raises:
            LatticeSimpError: the lattice has no such pieces or no such feature.
        """
        lattice = join_pieces(lattice, self.pieces)
        return lattice if self.scales is None else rescale(lattice, scales_of(self.scales))

    @property
    def _labels(self) -> dict[str, Any]:
        values: dict[str, Any] = {"symbols_path": self.symbols, "isymbols_path": self.isymbols}
        values |= {"frame_shift": self.frame_shift, "scores": self.plf_scores}
        options: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
        return options | ({"numeric": False} if self.words else {})


@dataclass(frozen=True)
class WordOptions(LabelOptions):
    """How to interpret the labels of a lattice file, and which of them are not words."""

    ignore: list[str] | None = option(None, "ignore", IGNORE_HELP)
    keep_marks: bool = option(False, "keep-marks", "count sentence ends, silence and noise (<s>, !SIL, ...) as words")

    @property
    def ignored(self) -> frozenset[str]:
        """The labels that are not words."""
        return ignored_labels(self.ignore, keep_marks=self.keep_marks)


@dataclass(frozen=True)
class ListFile:
    """N-best lists, and how to read them.

    Attributes:
        path: the file, or - for standard input.
        first_id, pieces, cost: as for `stream_sentences`.
        ignored: labels that are not words.
    """

    path: str
    first_id: int
    pieces: PieceKind
    cost: str | None
    ignored: frozenset[str]

    @contextmanager
    def sentences(self) -> Iterator[Iterator[Sentence]]:
        """Yields the lists as a stream.

        Raises:
            FormatError: the file is broken.
        """
        with readable(self.path) as file:
            yield stream_sentences(file, self.first_id, pieces=self.pieces, cost=self.cost, ignore=self.ignored)


NO_OPTIONS = LabelOptions()


def scales_of(text: str) -> dict[str, float]:
    """Returns the weights of features.

    >>> scales_of("acoustic=0.1,graph=1")
    {'acoustic': 0.1, 'graph': 1.0}

    Raises:
        LatticeSimpError: not NAME=NUMBER, separated by commas.
    """
    scales = dict[str, float]()
    for part in text.split(","):
        name, _, number = part.strip().rpartition("=")
        scale = finite(number)
        if not name or scale is None or name in scales:
            raise LatticeSimpError(f"--scales: {part.strip()!r} is not NAME=NUMBER; write acoustic=0.1,graph=1")
        scales[name] = scale
    return scales


def take_options(kind: type[Options], settings: dict[str, Any]) -> Options:
    """Removes the fields of a dataclass from a command's settings, and returns them as the dataclass."""
    names = [part.name for part in fields(kind) if part.name in settings]  # type: ignore[arg-type]
    return kind(**{name: settings.pop(name) for name in names})


def ignored_labels(ignore: Sequence[str] | None, *, keep_marks: bool = False) -> frozenset[str]:
    """Returns the labels that are not words: those of --ignore, and the marks."""
    return frozenset(split_tokens(" ".join(ignore or ()).replace("\n", " "))) | (frozenset() if keep_marks else MARKS)


def read_full(
    path: str,
    sentence: str | None = None,
    format: str | None = None,
    labels: LabelOptions = NO_OPTIONS,
    *,
    distinct: bool = False,
    may_be_empty: bool = False,
) -> Lattice:
    """Reads a lattice file, or a lattice of a collection: of an n-best list, a folder, an archive, a PLF file.

    Args:
        path: the file, or - for standard input.
        sentence: the number or the name of the lattice, if the file holds several.
        format: a name in `FORMATS`; None to look at the content.
        labels: how to interpret labels.
        distinct: whether strings count once anyway; if not, repeated ones in a list are reported.
        may_be_empty: whether the lattice may hold no hypothesis.

    Raises:
        FormatError: the file is broken, does not hold the sentence, or holds several and none is named; an option does
            not apply to its labels.
        EmptyLatticeError: the lattice holds no hypothesis.
    """
    with readable(path) as file:
        if format is None and is_nbest(file):
            chosen = _read_list(file, sentence, labels)
            say_repeated(path, 0 if distinct else repeated(chosen.hypotheses))
            lattice = list_lattice(chosen)
        else:
            lattice = _read_lattice(file, sentence, format, labels, path)
    if not may_be_empty:
        require_hypotheses(lattice, path)
    return lattice


def _read_lattice(file: str, sentence: str | None, format: str | None, labels: LabelOptions, path: str) -> Lattice:
    """Reads a lattice of a file without n-best lists; `path` is its name in messages."""
    options = labels.of_lattices(path)
    if is_collection(file, format):
        lattice = _chosen(entries(file, format, **options), sentence, path)
    elif sentence is not None:
        require_lattices(file, format)
        raise FormatError("is not an n-best list, and holds one lattice", path=path, remedy="leave --id out")
    else:
        check_labels(options, format or format_of(file), path)
        lattice = read(file, format, **options)
    return labels.prepared(lattice)


def read_acyclic(path: str, sentence: str | None, labels: LabelOptions) -> Lattice:
    """Reads a lattice as `read_full` does, and refuses one with a cycle.

    Raises:
        CyclicLatticeError: names the file.
    """
    lattice = read_full(path, sentence, labels=labels)
    with located(named(path)):
        lattice.topsorted()
    return lattice


def read_skeleton(path: str, sentence: str | None, labels: LabelOptions) -> tuple[str | None, Output]:
    """Reads the name and the hypotheses of a skeleton: unchanged from an n-best list, so costs are exact, or a lattice.

    Raises:
        LatticeSimpError: as `read_acyclic`.
    """
    with readable(path) as file:
        if is_nbest(file):
            chosen = _read_list(file, sentence, labels)
            return chosen.name, chosen.hypotheses
        lattice = read_acyclic(file, sentence, labels)
        return lattice.header.name, lattice


def features_of(output: Output) -> list[str]:
    """Returns the names of the features of a lattice or of hypotheses, times and confidences of words included."""
    if isinstance(output, Lattice):
        return list(output.features)
    names = dict.fromkeys(name for entry in output for name in entry.features)
    names |= {TIME: None} if any(entry.times for entry in output) else {}
    names |= {POSTERIOR: None} if any(entry.confidences for entry in output) else {}
    return list(names)


def read_outputs(
    file: str, source: str, labels: LabelOptions = NO_OPTIONS, first_id: int = 0
) -> Iterator[tuple[str, Output]]:
    """Yields the name and the output of each sentence of a file; an output may hold no hypothesis.

    Args:
        file: n-best lists, lattices of a collection, or a lattice; can be read twice.
        source: the file's name in messages.
        labels: how to interpret labels.
        first_id: the id of the first sentence in n-best lists.
    """
    if Path(file).is_file() and is_nbest(file):
        streamed = stream_sentences(file, first_id, **labels.of_lists(source))
        yield from ((member.name or str(member.number), member.hypotheses) for member in streamed)
    elif is_collection(file):
        for entry in entries(file, **labels.of_lattices(source)):
            yield entry.name, labels.prepared(entry.load())
    else:
        yield source, read_full(file, labels=labels)


def same_sentences(
    sources: Sequence[str], systems: Sequence[Iterator[tuple[str | None, Member]]], missing: Member
) -> Iterator[tuple[tuple[str | None, Member], ...]]:
    """Yields the names of each sentence and what the systems have for it; `sources` are their files in messages.

    Sentences are paired by number while their names are the same. If the rest has other names, as some systems lack
    sentences or have them in another order, it is paired by name, and `missing` stands for what a system lacks.

    Raises:
        FormatError: the systems have different numbers of sentences, and these are not paired by name; or as
            `paired_by_name`.
    """
    before = list[str | None]()
    for members in zip_longest(*systems):
        names = [None if member is None else member[0] for member in members]
        if None in members or len({*names} - {None}) > 1:
            break
        before.append(None if None in names else names[0])
        yield members
    else:
        return
    rests = [[*([] if member is None else [member]), *system] for member, system in zip(members, systems, strict=True)]
    count = len(before)
    rows = paired_by_name(sources, [[*before, *(name for name, _ in rest)] for rest in rests])
    if rows is None:
        yield from _paired_by_number(sources, rests, count)
        return
    say_paired_by_name()
    for row in rows[count:]:
        yield tuple(
            (None, missing) if place is None else rest[place - count] for place, rest in zip(row, rests, strict=True)
        )


def _paired_by_number(
    sources: Sequence[str], systems: Sequence[Sequence[tuple[str | None, Member]]], count: int
) -> Iterator[tuple[tuple[str | None, Member], ...]]:
    """Yields what the systems have for each sentence after the first `count`; raises FormatError where one ends."""
    for number, members in enumerate(zip_longest(*systems), count):
        if None in members:
            has_output = [member is not None for member in members]
            shorter, longer = sources[has_output.index(False)], sources[has_output.index(True)]
            message = f"ends after {counted(number, 'sentence')}, but {longer} has more"
            raise FormatError(message, path=shorter, remedy="give each system's output for the same sentences")
        yield members


def say_paired_by_name() -> None:
    """Reports that systems have different sentences, or the same ones in another order."""
    print("lattice-simp: the systems have different sentences, which are paired by name", file=sys.stderr)


def paired_by_name(
    sources: Sequence[str], systems: Sequence[Sequence[str | None]]
) -> list[tuple[int | None, ...]] | None:
    """Returns the place of each sentence in each system; None for sentences that names do not pair.

    They do if all sentences have names, distinct in each system, and systems share some after those that all begin
    with; or if systems that begin with the same sentences have different numbers of them. Sentences come in the order
    of the systems, as far as these agree; those with the same name are paired in order.

    >>> paired_by_name(["a.ctm", "b.ctm"], [["u-1", "u-3"], ["u-1", "u-2", "u-3"]])
    [(0, 0), (None, 1), (1, 2)]

    Args:
        sources: the file of each system.
        systems: the names of the sentences of each system.

    Raises:
        FormatError: systems have different numbers of sentences with the same name.
    """
    places = [{name: place for place, name in enumerate(names) if name is not None} for names in systems]
    if any(len(named) < len(names) for named, names in zip(places, systems, strict=True)):
        return None
    same = sum(1 for _ in takewhile(lambda names: len({*names}) == 1, zip(*systems, strict=False)))
    order = _in_one_order([list(named) for named in places])
    are_shared = len(order) - same < sum(len(names) - same for names in systems)
    has_other_length = len(set(map(len, places))) > 1
    if not are_shared and not (same and has_other_length):
        return None
    _check_repeated(sources, systems)
    return [tuple(named.get(name) for named in places) for name in order]


def _check_repeated(sources: Sequence[str], systems: Sequence[Sequence[str | None]]) -> None:
    """Raises FormatError if systems have different numbers of sentences with the same name."""
    counts = [Counter(original_name(name) for name in names if name is not None) for names in systems]
    for name in dict.fromkeys(name for count in counts for name in count):
        numbers = sorted((count[name], source) for count, source in zip(counts, sources, strict=True) if count[name])
        (least, source), (most, longer) = numbers[0], numbers[-1]
        if least < most:
            message = f"{counted(least, 'sentence')} with the name {shown(name)}, but {most} in {longer}"
            raise FormatError(message, path=source, remedy="give each sentence another name")


def _in_one_order(systems: Iterable[Sequence[str]]) -> list[str]:
    """Returns the names of all systems in their order, which is that of the first for those that systems share.

    Where the orders of the systems leave it open which of two names comes first, they are sorted.

    >>> _in_one_order([["b", "d"], ["a", "d"], ["c", "b"]])
    ['a', 'c', 'b', 'd']
    """
    order: Sequence[str] = ()
    for names in systems:
        shared = {*order} & {*names}
        runs, other_runs = _runs(order, shared), _runs(names, shared)
        order = [name for end, run in runs.items() for name in (*merge(run, other_runs[end], key=natural_order), *end)]
    return list(order)


def _runs(names: Iterable[str], ends: Collection[str]) -> dict[tuple[str, ...], list[str]]:
    """Returns the names before each of `ends`, and those after the last end at (); the keys hold one end each."""
    runs, run = dict[tuple[str, ...], list[str]](), list[str]()
    for name in names:
        if name in ends:
            runs[(name,)], run = run, []
        else:
            run.append(name)
    return {**runs, (): run}


def require_lattices(file: str, format: str | None = None) -> None:
    """Refuses a file without lattices and hypotheses, before options that depend on its kind are checked.

    Raises:
        FormatError: the file has another format, which the message names if it is known.
    """
    if format is None and not is_nbest(file) and not is_collection(file):
        format_of(file)


def require_hypotheses(lattice: Lattice, path: object = None) -> None:
    """Refuses a lattice that holds no hypothesis: no path leads from the start to a final state.

    Raises:
        EmptyLatticeError: names the file, if there is one.
    """
    if lattice.empty:
        has_final = bool((lattice.finals < float("inf")).any())
        why = "no path leads from the start to a final state" if has_final else "no state is final"
        with nullcontext() if path is None else located(named(str(path))):
            raise EmptyLatticeError(f"the lattice holds no hypothesis: {why}")


def named(path: str) -> str:
    """Returns a file's name for messages."""
    return STDIN if path == "-" else place(path)


def repeated(hypotheses: Sequence[Hypothesis]) -> int:
    """Returns how many hypotheses of a list have the words of another one; its lattice holds the best of each string.

    >>> repeated([Hypothesis(("a", "b")), Hypothesis(("a", "b")), Hypothesis(("a",))])
    1
    """
    return len(hypotheses) - len({hypothesis.tokens for hypothesis in hypotheses})


def say_repeated(path: str, count: int) -> None:
    """Prints on stderr how many hypotheses of an n-best list are left out because better ones have their words."""
    if count:
        number = counted(count, "hypothesis", "hypotheses")
        print(f"{named(path)}: left out {number} with the words of a better one of the same sentence", file=sys.stderr)


def sentence_number(name: str, index: int) -> int:
    """Returns the name of a lattice as a number if it is one, else the lattice's index."""
    number = natural(name)
    return index if number is None else number


def utterance(name: str) -> str | None:
    """Returns the name of a lattice if it names an utterance: None if it is empty, or a number."""
    return None if not name or name.isdecimal() else name


@dataclass
class SharedNames:
    """The names of sentences of several files, which are paired by number; warns once if the names of one differ."""

    sources: Sequence[str]
    is_doubted: bool = False

    def of(self, number: int, names: Sequence[str | None]) -> str | None:
        """Returns the name of a sentence in the first file that names it."""
        named = [(name, source) for name, source in zip(names, self.sources, strict=True) if name is not None]
        different = [(name, source) for name, source in named if name != named[0][0]]
        if different and not self.is_doubted:
            self.is_doubted = True
            listed = ", ".join(f"{name} in {source}" for name, source in (named[0], different[0]))
            print(f"lattice-simp: sentence {number} is {listed}; sentences are paired by number", file=sys.stderr)
        return named[0][0] if named else None


def _chosen(members: Iterator[Entry], sentence: str | None, path: str) -> Lattice:
    """Returns the lattice of a collection with this name or number (from 0); without either, its only lattice.

    It reads all names, so that a name which occurs again is reported.
    """
    names: list[str] = []
    of_name = of_number = None
    for number, member in enumerate(members):
        if member.name == sentence:
            of_name = member.load
        if number == 0 if sentence is None else str(number) == sentence:
            of_number = member.load
        names.append(member.name)
    load = of_name or of_number
    if load is not None and (sentence is not None or len(names) == 1):
        return load()
    listed = f"{', '.join(names[:_LISTED])}{', ...' if len(names) > _LISTED else ''}"
    remedy = f"choose one with --id: {listed}, or by its number, from 0 to {len(names) - 1}"
    message = f"holds {len(names)} lattices; expected one" if sentence is None else f"holds no {sentence!r}"
    raise FormatError(message, path=path, remedy=remedy)


def _read_list(path: str, sentence: str | None, labels: LabelOptions) -> Sentence:
    """Returns the sentence of an n-best list with this name or number; without either, its only one."""
    streamed = stream_sentences(path, **labels.of_lists(path))
    filled = [member for member in streamed if member.hypotheses]
    if sentence is None and len(filled) == 1:
        return filled[0]
    lists = {str(member.number): member for member in filled} | {
        member.name: member for member in filled if member.name
    }
    if sentence in lists:
        return lists[sentence]
    if not filled:
        raise FormatError("no sentence has hypotheses", path=path, remedy="look at the output of their program")
    ids = [member.name or str(member.number) for member in filled]
    listed = ", ".join(ids) if len(ids) <= _LISTED else f"{ids[0]} to {ids[-1]}"
    if sentence is None:
        message = f"n-best list of {len(ids)} sentences; expected one"
        raise FormatError(message, path=path, remedy=f"choose one with --id: {listed}")
    remedy = f"ids are names, or numbers that count from 0; this list has {listed}"
    raise FormatError(f"holds no hypotheses of sentence {sentence}", path=path, remedy=remedy)

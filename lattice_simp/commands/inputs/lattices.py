"""Reads lattices and n-best lists for commands, and chooses one of several lattices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TypeVar

from lattice_simp.commands.shared.label_options import NO_OPTIONS, LabelOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import EmptyLatticeError, FormatError, located
from lattice_simp.formats import check_labels, format_of, read
from lattice_simp.formats.collections import Entry, entries, is_collection, list_lattice
from lattice_simp.formats.common import natural
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import STDIN, place, readable

Member = TypeVar("Member")

Output = Lattice | list[Hypothesis]
"""The output of a system for a sentence."""


_LISTED = 5
"""The most names that an error lists."""


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
        say(f"{named(path)}: left out {number} with the words of a better one of the same sentence")


def sentence_number(name: str, index: int) -> int:
    """Returns the name of a lattice as a number if it is one, else the lattice's index."""
    number = natural(name)
    return index if number is None else number


def utterance(name: str) -> str | None:
    """Returns the name of a lattice if it names an utterance: None if it is empty, or a number."""
    return None if not name or name.isdecimal() else name


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

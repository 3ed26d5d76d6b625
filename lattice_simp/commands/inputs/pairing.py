"""Pairs the sentences of several systems: by number, or by name where systems lack some or have another order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import takewhile, zip_longest
from typing import TypeVar

from lattice_simp.commands.shared.messages import say
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import natural_order, shown
from lattice_simp.formats.list_lines import original_name
from lattice_simp.support.plurals import counted

Member = TypeVar("Member")


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
    say("lattice-simp: the systems have different sentences, which are paired by name")


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
            say(f"lattice-simp: sentence {number} is {listed}; sentences are paired by number")
        return named[0][0] if named else None

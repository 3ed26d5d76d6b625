"""Pairs lines of text with lattices: by the names of the lattices if all lines have one, else by their order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lattice_simp.commands.shared.label_options import LabelOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.core.marks import without_marks
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.collections import entries, format_of_parts, is_collection, stem_of
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.formats.plain_text import warn_of_kind, warn_of_lines
from lattice_simp.support.parallel import PARALLEL, require_parallel
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines, readable

LIST_LINES = (
    f"{PARALLEL}; if the last sentences have no hypotheses, "
    "`lattice texts LISTS --source FILE --output NAME.jsonl` adds their empty lists"
)
"""The remedy for n-best lists and lines of different numbers."""

_KALDI = re.compile(r"\s*(?P<name>\S+)(?:\s+(?P<text>.*))?")
_TRN = re.compile(r"(?P<text>.*?)\s*\((?P<name>[^()\s]+)\)\s*")


@contextmanager
def readable_sources(sources: Sequence[str]) -> Iterator[list[str]]:
    """Yields paths from which each source can be read twice."""
    with ExitStack() as stack:
        yield [str(stack.enter_context(readable(source))) for source in sources]


def for_lines(lists: Iterable[Sentence], count: int, source: object, path: str, first_id: int) -> Iterator[Sentence]:
    """Yields a list for each of `count` source lines; those after the last list of a file are empty, and reported.

    Args:
        lists: the lists of the file.
        count: the number of source lines.
        source, path: the files of the lines and of the lists, for messages.
        first_id: the id of the first sentence in the file.

    Raises:
        FormatError: a sentence has no source line.
    """
    due = 0
    for sentence in lists:
        if sentence.number >= count:
            message = f"has a sentence {sentence.number + first_id}, but {source} has {counted(count, 'line')}"
            remedy = "give a source line for each sentence; if ids begin with 1, give --first-id 1"
            raise FormatError(message, path=path, remedy=remedy)
        yield sentence
        due = sentence.number + 1
    if due < count:
        last = counted(count - due, "sentence")
        say(f"{path}: no hypotheses for the last {last} of {source}, whose lists are empty")
    yield from (Sentence(number, []) for number in range(due, count))


def lattice_names(sources: Sequence[str], files: Sequence[str], labels: LabelOptions) -> list[str]:
    """Returns the names of the lattices of all files; none if lattices have numbers, or for a single lattice file.

    `sources` are the files as named by the user, `files` their paths.
    """
    names: list[str] = []
    for source, file in zip(sources, files, strict=True):
        if Path(file).is_file() and is_nbest(file):
            sentence_names = [sentence.name for sentence in stream_sentences(file, **labels.of_lists(source))]
            if None in sentence_names:
                return []
            names += filter(None, sentence_names)
            continue
        if not is_collection(file):
            names.append(stem_of(Path(source).name))
        elif format_of_parts(file, None) == "plf":
            return []
        else:
            names += [entry.name for entry in entries(file, **labels.of_lattices(source))]
    return [] if len(names) == 1 and not is_collection(files[0]) else names


def read_references(
    paths: Sequence[Path], names: Sequence[str], ignored: Collection[str]
) -> list[list[tuple[str, ...]]]:
    """Returns the words of each sentence's references, one from each file.

    Lines are in the order of the lattices, or each begins with the name of its lattice (Kaldi's text), or each ends
    with it in brackets (trn files); the names are removed, which a message reports.

    Args:
        paths: the files, each with one reference for each sentence.
        names: the names of the lattices; empty if they have numbers.
        ignored: labels that are not words.

    Raises:
        FormatError: files differ in length, or a lattice has no line although others have a line with their name.
    """
    files = [_in_order(list(read_lines(path)), names, path) for path in paths]
    for path, lines in zip(paths, files, strict=True):
        require_parallel(path, len(lines), paths[0], len(files[0]))
    return [[without_marks(as_tokens(line), ignored) for line in rows] for rows in zip(*files, strict=True)]


def _in_order(lines: list[str], names: Sequence[str], path: Path) -> list[str]:
    """Returns the lines in the order of the lattices, without names."""
    for pattern, place in ((_KALDI, "begins with"), (_TRN, "ends with")):
        texts = _by_name(lines, pattern)
        named = [name for name in names if name in texts]
        if not named or 2 * len(named) < len(names):
            continue
        missing = next((name for name in names if name not in texts), None)
        if missing is not None:
            message = f"no line {place} the name {missing!r} of a lattice, as those of other lattices do"
            raise FormatError(message, path=path, remedy="give each lattice a line, or leave all names out")
        warn_of_kind(lines, path)
        unused = len(lines) - len(named)
        more = f"; lines with other names, not used: {unused}" if unused else ""
        say(f"{path}: each line {place} the name of a lattice, so lines are matched by name{more}")
        return [texts[name] for name in names]
    warn_of_lines(lines, path)
    return lines


def _by_name(lines: list[str], pattern: re.Pattern[str]) -> dict[str, str]:
    """Returns the texts by their names; empty if a line has no name, or two lines have the same name."""
    matches = [match for line in lines if (match := pattern.fullmatch(line)) is not None]
    texts = {match["name"]: match["text"] or "" for match in matches}
    return texts if len(texts) == len(lines) else {}

r"""Converts plain texts to n-best lists and back: each sentence has one or more lines, in one file or one per system.

>>> import tempfile
>>> folder = Path(tempfile.mkdtemp())
>>> _ = (folder / "one.txt").write_text("a cat\na dog\n"), (folder / "two.txt").write_text("a cat\nthe dog\n")
>>> [[path.text for path in entries] for _, entries in stream_outputs([folder / "one.txt", folder / "two.txt"])]
[['a cat'], ['a dog', 'the dog']]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from shlex import quote

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens, without_breaks
from lattice_simp.errors import FormatError, LatticeSimpError, warn
from lattice_simp.formats import sniff
from lattice_simp.formats.list_lines import Sentence, samples
from lattice_simp.formats.nbest import LISTS
from lattice_simp.formats.openfst import text as att
from lattice_simp.formats.pieces import MarkCheck, PieceKind, join_words
from lattice_simp.formats.unsupported import kind_of
from lattice_simp.support.parallel import parallel_lines
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import STDIN, open_text, place, read_lines


def stream_outputs(
    paths: Sequence[str | Path], per_sentence: int = 1, *, pieces: PieceKind = "none"
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Reads the outputs of systems; yields the number of each sentence, from 0, and its hypotheses.

    All lines have the same weight: a text that k of n lines share costs -log(k / n). An empty line is an empty output.

    Args:
        paths: files with the same number of lines.
        per_sentence: the number of consecutive lines for each sentence in each file, as in the n-best lists of
            OpenNMT's and CTranslate2's translate programs.
        pieces: `bpe` or `sentencepiece` to join subwords into words.

    Raises:
        FormatError: the files differ in length, or one ends within a sentence.
        LatticeSimpError: `per_sentence` is below 1.
    """
    if per_sentence < 1:
        raise LatticeSimpError(f"{per_sentence} lines for a sentence; give a number from 1 up")
    number = 0
    block: list[tuple[str, ...]] = []
    checks = [MarkCheck(pieces, path) for path in paths]
    columns = [ColumnCheck(path) for path in paths]
    for number, row in enumerate(parallel_lines(*paths), 1):
        for column, line in zip(columns, row, strict=True):
            column.see(line)
        parts = [split_tokens(line) for line in row]
        for check, tokens in zip(checks, parts, strict=True):
            check.see([tokens])
        block += [join_words(tokens, pieces) for tokens in parts]
        if number % per_sentence == 0:
            yield number // per_sentence - 1, samples(block)
            block = []
    for check in checks:
        check.finish()
    for column in columns:
        column.finish()
    if block:
        message = f"ends within a sentence: {counted(number, 'line')}, not a multiple of {per_sentence}"
        raise FormatError(message, path=paths[0], remedy="say how many lines each sentence has")


_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_TAB = "holds a tab before other text"
_COLUMNS = {
    "begins with a name": (re.compile(r"(?=\S*\d)(?=\S*[A-Za-z_]|\d+-\d)([\w.:-]{3,})(?:\s|$)"), "cut -d' ' -f2-"),
    "begins with a name and a score": (re.compile(r"(?=\S*\d)([\w.:-]{3,}[ \t]+-?\d+\.\d+)(?:\s|$)"), "cut -d' ' -f3-"),
    "ends with a name": (re.compile(r"(?:.*\s)?(\((?=[^()\s]*\d)\S*(?: -?\d+)?\))\s*$"), "sed 's/ *([^()]*)$//'"),
    "begins with a number and a tab": (re.compile(rf"({_NUMBER})\t"), "cut -f2-"),
    "ends with a tab and a number": (re.compile(rf".*\t({_NUMBER})\s*$"), "cut -f1"),
    "ends with a score": (re.compile(r".* (-\d+(?:\.\d+)?|-?\d+\.\d{3,})\s*$"), "sed 's/ [^ ]*$//'"),
    _TAB: (
        re.compile(r"[ \t]*[^ \t][^\t]*\t[ \t]*([^ \t][^\t]{0,39})"),
        "cut -f1; if all columns are texts, tr '\\t' '\\n'",
    ),
    "begins with a number and bars": (re.compile(rf"({_NUMBER}) \|\|\| "), "sed 's/^[^|]*||| //'"),
}
"""Columns that a line may hold beside its text: a pattern whose group is the column, and a command to remove it."""

_FIRST_LINES, _MOST_LINES, _HEAD = 10, 1000, 1 << 16


@dataclass
class ColumnCheck:
    """Warns of a file whose lines all have a name or a score beside the text, which is read as words.

    Attributes:
        path: the path of the file.
    """

    path: str | Path
    _left: dict[str, set[str]] = field(default_factory=lambda: {where: set() for where in _COLUMNS})
    _count: int = 0

    def see(self, line: str) -> None:
        """Checks the next line, if it is one of the first `_MOST_LINES`."""
        if not self._left or self._count == _MOST_LINES:
            return
        self._count += 1
        for where, values in list(self._left.items()):
            match = _COLUMNS[where][0].match(line)
            if match is None or ("name" in where and match[1] in values):  # a name occurs only once
                del self._left[where]
            else:
                values.add(match[1])

    def finish(self) -> None:
        """Warns if all lines seen have the same kind of column, and there are several."""
        columns = {where: values for where, values in self._left.items() if where != _TAB} or self._left
        for where, values in columns.items():
            if self._count > 1:
                message = f"each line {where}, such as {min(values)}, which counts as a word"
                warn(message, path=self.path, remedy=f"cut it off unless it is a word: {_COLUMNS[where][1]}")


def warn_of_lines(lines: Sequence[str], path: str | Path) -> None:
    """Warns if the lines of a file, which count as sentences, are or hold something else."""
    if warn_of_kind(lines, path):
        return
    check = ColumnCheck(_name_of(path))
    for line in lines[:_MOST_LINES]:
        check.see(line)
    check.finish()


def warn_of_kind(lines: Sequence[str], path: str | Path) -> bool:
    """Warns if lines, which count as sentences, look like another kind of file; returns whether they do."""
    head, name = "\n".join(lines[:_MOST_LINES]).encode()[:_HEAD], _name_of(path)
    looks = _looks_of(head, "-" if name == STDIN else quote(name))
    if looks is not None:
        warn(f"looks like {looks[0]}, and each line counts as a sentence", path=name, remedy=looks[1])
    return looks is not None


def _name_of(path: str | Path) -> str:
    return STDIN if str(path) == "-" else place(path)


def sentence_lines(path: str | Path) -> Iterator[str]:
    """Yields the lines of a file, which count as sentences; warns if the first ones are or hold something else.

    The first lines tell of another kind of file before a command has printed results for all of a stream.
    """
    head, is_doubted = list[str](), False
    for line in read_lines(path):
        yield line
        if len(head) < _MOST_LINES:
            head.append(line)
            is_doubted = is_doubted or (len(head) == _FIRST_LINES and warn_of_kind(head, path))
            if len(head) == _MOST_LINES and not is_doubted:
                warn_of_lines(head, path)
    if len(head) < _MOST_LINES and not is_doubted:
        warn_of_lines(head, path)


def _looks_of(head: bytes, path: str) -> tuple[str, str] | None:
    """Returns what a file is that does not hold sentences, and how to get its sentences; None for plain text."""
    name = next((name for name, kind in LISTS.items() if kind.sniff(head)), None)
    if name is not None:
        texts = f"write its texts first: lattice-simp lattice texts {path}"
        return ("CTM, a word on each line" if name == "ctm" else "an n-best list"), texts
    kind = kind_of(head)
    if kind is not None:
        return kind.name, "give one sentence per line"
    if (name := sniff(head)) is None or (name == "att" and not att.accepts_text(head)):
        return None
    best = f"lattice-simp lattice nbest {path} --moses | lattice-simp lattice texts -"
    return "a lattice", f"write its best string first: {best}"


def write_texts(
    groups: Iterable[tuple[int, Sequence[Hypothesis]] | Sentence], path: str | Path, count: int
) -> tuple[int, int]:
    """Writes the texts of n-best lists, exactly `count` lines for each sentence.

    Programs that rerank plain texts (mbrs, COMET) need the same number of lines for each sentence. A shorter list is
    repeated from its first hypothesis on; a sentence without hypotheses gets empty lines.

    Returns:
        The number of shorter lists, and that of sentences without hypotheses.

    Raises:
        LatticeSimpError: the file cannot be written.
    """
    shorter = empty = 0
    with open_text(path, "w") as file:
        for _, hypotheses, *_ in groups:
            shorter += 0 < len(hypotheses) < count
            empty += not hypotheses
            lines = [without_breaks(hypothesis.text) for hypothesis in hypotheses[:count]] or [""]
            file.writelines(f"{line}\n" for line in islice(cycle(lines), count))
    return shorter, empty

r"""N-best lists of Moses, cdec, Joshua and Marian: `id ||| words ||| Name= values ||| total` on each line.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "nbest.txt"
>>> _ = path.write_text("0 ||| a cat ||| LM0= -2.5 TM0= -1 -0.5 ||| -4\n2 ||| the cat ||| LM0= -2 ||| -3.5\n")
>>> for sentence in stream_moses(path):
...     print(sentence.number, [(hypothesis.text, hypothesis.cost) for hypothesis in sentence.hypotheses])
0 [('a cat', 4.0)]
1 []
2 [('the cat', 3.5)]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, InvalidLatticeError, warn
from lattice_simp.formats.common import beyond, finite, is_number, shown
from lattice_simp.formats.list_lines import Doubts, IdCheck, Sentence, feature_score, stored_features, stored_score
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text, output_place, read_lines

_ID = re.compile(r"\ufeff?[ \t]*([0-9]{1,18})[ \t]*\|\|\|(?![^ \t])")
_BAR = re.compile(r"(?<![^ \t])\|\|\|(?![^ \t])")
_BLANKS = re.compile(r"[ \t]+")
_WORD_SCORES = "WordScores="
_SKIPPED = re.compile(
    r"(\d+-\d+|[-+.\de]+(,[-+.\de]+)+)([ \t]+(\d+-\d+|[-+.\de]+(,[-+.\de]+)+))*\Z|" + _WORD_SCORES, re.ASCII
)
"""Columns of word alignments (hard, or soft as Marian writes them) and of the scores of words."""

_SCORES, _LINKS, _MORE = "the scores of words", "the alignments of words", "columns after the total"
_UNREAD = {
    _SCORES: "decode without --word-scores to leave them out",
    _LINKS: "decode without --alignment (Moses: -print-alignment-info-in-n-best) to leave them out",
    _MORE: "cut them off if they are not needed",
}
"""What is not read, and what to do about it."""

_NO_FEATURE = "write Name= values; cut further columns of words off, such as the source that Joshua writes"

_JOINED = re.compile(r"=[-+.\deE]+[;,]")

_SEGMENT = re.compile(r"(?:^|[ \t]+)\|[0-9]+-[0-9]+(?:,wa=[^|]*)?\|(?=[ \t]|$)")
"""The marks that Moses writes after a phrase with -t and -tt: its source positions, with -tt alignment and scores."""

_UNKNOWN = re.compile(r"(?:\|UNK)+$")

_SCORE = re.compile(r"-?\d+\.\d+ \|\|\| ")
_ROW = "write id ||| words ||| Name= values ||| total"
_NO_IDS = (
    "write ids before the scores, as OpenNMT-tf writes none; for N lines a sentence: "
    """awk -F ' [|][|][|] ' -v OFS=' ||| ' '{print int((NR - 1) / N), $2, "", $1}'"""
)

_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*\d{1,18}[ \t]*\|\|\|[ \t\r\n]")


def stream_moses(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads an n-best list sentence by sentence, in the order of the file.

    Sentences without hypotheses are empty lists, so that the lists stay parallel to the lines of the text. The columns
    of features and of the total may be missing, totals in all lines or in none (costs are then 0). Names may end with
    `:` as in old lists of Moses; values before the first name are called Feature0, ... Blank lines are ignored.
    Alignments and scores of words, columns after the total, and marks of Moses (`|0-1|` after the words of a phrase,
    `|UNK|UNK|UNK` after an unknown word) are left out with a warning. Totals above 0, which are not log probabilities,
    cause a warning.

    Args:
        path: the file; `-` is standard input.
        first_id: the id of the first sentence in the file; sentences are numbered from 0 in any case.
        cost: the feature that replaces the total as the score, such as Marian's `F0`.

    Yields:
        The sentences, numbered from 0.

    Raises:
        FormatError: a line is broken (the message has its number), ids decrease, only some lines have totals, a line
            lacks the feature `cost`, or the file is empty.
    """
    sentence = 0
    hypotheses: list[Hypothesis] = []
    lines: list[int] = []
    totals: bool | None = None
    ids, doubts = IdCheck(path, first_id), Doubts(path)
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        row = _parse_line(line, path, number)
        if totals is None:
            totals = row.total is not None
        elif (row.total is not None) != totals:
            message = "no total, unlike the lines before" if totals else "a total, unlike the lines before"
            raise FormatError(message, path=path, line=number, remedy="give all lines of the list a total, or none")
        ids.see(row.id, sentence + first_id, number)
        while sentence < row.id - first_id:
            doubts.check_scores([hypothesis.score for hypothesis in hypotheses], lines)
            yield Sentence(sentence, hypotheses, is_missing=not hypotheses)
            sentence, hypotheses, lines = sentence + 1, [], []
        row.report(doubts, cost, number)
        hypotheses.append(row.hypothesis(cost, path, number))
        lines.append(number)
    if totals is None:
        raise FormatError("the file is empty", path=path, remedy=_ROW)
    doubts.check_scores([hypothesis.score for hypothesis in hypotheses], lines)
    yield Sentence(sentence, hypotheses)


def is_moses(head: bytes) -> bool:
    """Recognises an n-best list by the beginning of its first line."""
    return _HEAD.match(head) is not None


class _Row(NamedTuple):
    """A line: its id, words, features, total (None without one), an example of removed marks, and unread columns."""

    id: int
    tokens: tuple[str, ...]
    features: dict[str, float]
    total: float | None
    marks: str
    unread: list[str]

    def report(self, doubts: Doubts, cost: str | None, line: int) -> None:
        """Warns about removed marks, a missing total and unread columns, once for each kind."""
        if self.marks:
            remedy = "decode without -t to get only words"
            doubts.raise_once(f"removed marks of Moses, such as {self.marks}", line, remedy)
        if self.total is None and self.features and cost is None:
            remedy = f"take a feature as the score, such as --cost {next(iter(self.features))}, or write totals"
            doubts.raise_once("features without a total: all hypotheses weigh the same", line, remedy)
        for what in self.unread:
            doubts.raise_once(f"{what} are not read", line, _UNREAD[what])

    def hypothesis(self, cost: str | None, path: str | Path, line: int) -> Hypothesis:
        """Returns the hypothesis; its score is the total or the feature `cost`."""
        score = (self.total or 0.0) if cost is None else feature_score(self.features, cost, path, line, self.total)
        return Hypothesis(self.tokens, 0.0 - score, self.features)


def _parse_line(line: str, path: str | Path, line_number: int) -> _Row:
    def error(message: str, remedy: str) -> FormatError:
        return FormatError(message, path=path, line=line_number, remedy=remedy)

    head = _ID.match(line)
    if head is None:
        raise error(f"not an n-best line: {shown(line)}", _NO_IDS if _SCORE.match(line) else _ROW)
    text, *columns = (column.strip(" \t") for column in _BAR.split(line[head.end() :]))
    unread = [_SCORES if column.startswith(_WORD_SCORES) else _LINKS for column in columns if _SKIPPED.match(column)]
    columns = [column for column in columns if not _SKIPPED.match(column)]
    if len(columns) == 1 and finite(columns[0]) is not None:
        columns.insert(0, "")  # a total without features
    if len(columns) > 2 and finite(columns[1]) is None and all(map(is_number, columns[0].split())):
        unread += [_LINKS] if columns[0] else []  # an alignment without links, or of one source word
        del columns[0]
    if len(columns) == 2 and finite(columns[0]) is not None and "=" in columns[1]:
        columns.reverse()  # the total before the features, as Travatar writes them
    unread += [_MORE] if any(columns[2:]) else []
    features = _features(columns[0], error) if columns and columns[0] else {}
    has_total = len(columns) > 1 and bool(columns[1])
    total = finite(columns[1]) if has_total else None
    if has_total and total is None:
        message = f"the total is not a finite number: {shown(columns[1])}{beyond(columns[1])}"
        raise error(message, "write it as a decimal number")
    tokens, marks = _without_marks(text)
    return _Row(int(head[1]), tokens, features, total, marks, unread)


def _features(column: str, error: Callable[[str, str], FormatError]) -> dict[str, float]:
    """Returns the features of a line by name; several values of a name become numbered features."""
    values: dict[str, list[float]] = {}
    name: str | None = None
    for token in _BLANKS.split(column):
        if token.endswith(":") and "=" not in token:
            token = f"{token[:-1]}="
        value_text = token
        if token.endswith("=") or finite(token) is None:
            name, equals, value_text = token.rpartition("=")
            if not equals and is_number(token):
                message = f"a feature without a finite value: {shown(token)}{beyond(token)}"
                raise error(message, "write finite decimal numbers")
            if _JOINED.search(name):
                raise error(f"several features without blanks between them: {shown(token)}", "write Name= values")
            if not equals or not name:
                raise error(f"neither Name= nor a number: {shown(token)}", _NO_FEATURE)
            if name in values:
                raise error(f"a feature twice: {shown(token)}", "write each name once")
            values[name] = []
        if not value_text:
            continue
        value = finite(value_text)
        if value is None:
            raise error(f"a feature without a finite value: {shown(token)}{beyond(value_text)}", "write Name= values")
        values.setdefault(name or f"Feature{len(values)}", []).append(value)
    return _numbered(values, error)


def _numbered(values: Mapping[str, list[float]], error: Callable[[str, str], FormatError]) -> dict[str, float]:
    """Returns a feature for each value; names of several values get numbers."""
    features: dict[str, float] = {}
    for name, numbers in values.items():
        names = [name] if len(numbers) == 1 else [f"{name}_{index}" for index in range(len(numbers))]
        if not features.keys().isdisjoint(names):
            raise error(f"a feature twice: {shown(name)}", "write each name once")
        features.update(zip(names, numbers, strict=True))
    return features


def _without_marks(text: str) -> tuple[tuple[str, ...], str]:
    """Removes marks of segmentation and of unknown words; returns the words and an example of these marks.

    >>> _without_marks("das |0-0| alte Haus|UNK|UNK|UNK |2-3|"), _without_marks("|0-0| a")
    ((('das', 'alte', 'Haus'), '|0-0|'), (('|0-0|', 'a'), ''))
    """
    example = ""
    if text.endswith("|") and (mark := _SEGMENT.search(text)) is not None:
        *phrases, unmarked = (split_tokens(part) for part in _SEGMENT.split(text))
        if not unmarked and all(phrases):  # a mark follows its phrase, so its words stay
            text, example = " ".join(word for words in phrases for word in words), mark[0].strip()
    tokens = split_tokens(text)
    if "|UNK" in text:
        plain = [_UNKNOWN.sub("", token) or token for token in tokens]
        example = example or next((token for token, cleaned in zip(tokens, plain, strict=True) if token != cleaned), "")
        tokens = plain
    return tuple(tokens), example


def write_moses(
    groups: Iterable[tuple[int, Iterable[Hypothesis]] | Sentence],
    path: str | Path,
    *,
    first_id: int = 0,
    style: Literal["moses", "cdec"] = "moses",
) -> None:
    """Writes an n-best list from groups such as `stream_moses` yields.

    Numbers have the fewest digits that restore their value, and whole numbers no point, so reading and writing a list
    again does not change it.

    Args:
        groups: the numbers of sentences with their hypotheses.
        path: the file; `-` is standard output.
        first_id: the id of sentence 0.
        style: "moses" writes `Name= values`, "cdec" `Name=value` for features of one value.

    Raises:
        InvalidLatticeError: words or names could not be read back.
        LatticeSimpError: the file cannot be written.
    """
    num_empty = 0
    with open_text(path, "w") as file:
        for sentence, hypotheses, *_ in groups:
            entries = [*hypotheses]
            num_empty = 0 if entries else num_empty + 1
            try:
                file.writelines(f"{sentence + first_id} ||| {_format(entry, style)}\n" for entry in entries)
            except InvalidLatticeError as error:
                where = f"{'standard output' if str(path) == '-' else path}: sentence {sentence + first_id}"
                remedy = "write JSON lines, to a file whose name ends in .jsonl"
                raise InvalidLatticeError(f"{where}: {error} ({remedy})") from None
    if num_empty:
        message = f"no lines for the last {counted(num_empty, 'sentence')}, without hypotheses"
        warn(message, path=output_place(path), remedy="to keep their places, write JSON lines, to a name in .jsonl")


def _format(entry: Hypothesis, style: str) -> str:
    features = stored_features(entry)
    names_broken = any(not name or re.search(r"[ \t\n\r]|\|\|\|", name) for name in features)
    text = entry.text
    has_marks = "|" in text and bool(_without_marks(text)[1])
    has_blanks = text.count(" ") != max(len(entry.tokens) - 1, 0) or re.search(r"[\t\n\r]", text)
    if names_broken or has_marks or has_blanks or _BAR.search(text) or "" in entry.tokens:
        raise InvalidLatticeError(f"an n-best list cannot represent the words {shown(entry.text)} or their features")
    fields: list[str] = []
    for name, values in _grouped(features):
        numbers = [_number(value) for value in values]
        if style == "cdec" and len(numbers) == 1:
            fields.append(f"{name}={numbers[0]}")
        else:
            fields += [f"{name}=", *numbers]
    column = " ".join(fields)
    if _SKIPPED.match(column):
        raise InvalidLatticeError(f"an n-best list cannot represent the feature {shown(fields[0])} in the first place")
    return f"{entry.text} ||| {column} ||| {_number(entry.score)}"


def _grouped(features: Mapping[str, float]) -> Iterator[tuple[str, list[float]]]:
    """Yields each name with its values.

    Consecutive features `TM_0`, `TM_1`, ... are values of the name `TM`, unless another feature has it.
    """
    names = list(features)
    index = 0
    while index < len(names):
        name, count = names[index], 1
        if name.endswith("_0"):
            stem = name.removesuffix("_0")
            while index + count < len(names) and names[index + count] == f"{stem}_{count}":
                count += 1
            if stem and count > 1 and stem not in features:
                name = stem
            else:
                count = 1
        yield name, [features[feature] for feature in names[index : index + count]]
        index += count


def _number(value: float) -> str:
    return repr(stored_score(value)).removesuffix(".0")

r"""Logs of fairseq-generate and fairseq-interactive: each line has a kind, a number and columns separated by tabs.

    S-1	source pieces
    T-1	reference
    H-1	score	pieces of a hypothesis
    D-1	score	the same, as text
    P-1	score of each piece, and of the end

Batches are sorted by length, workers mix their lines, and logs are often sorted, so lines come in any order, and a log
is read as a whole. Where P-lines do not follow their H-lines, the number of pieces and the score match them.

Scores are logs to base 2; the score of a hypothesis is the sum of its pieces' scores divided by their number
(including the end) to the power of --lenpen. If there are P-lines, the cost of a hypothesis is minus their sum in nats:
its negative log probability, for any --lenpen. Otherwise it is minus the score in nats. Other lines are skipped.

Logs of fairseq's hub (`model.translate(text, verbose=True)`) have the same lines without numbers, perhaps after the
logger's own fields; each S-line begins a sentence, and scores are natural logs.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "generate.log"
>>> _ = path.write_text("S-0\tein Haus\nH-0\t-0.5\ta house\nD-0\t-0.5\ta house\nP-0\t-0.5 -0.75 -0.25\n")
>>> [(entries[0].text, round(entries[0].cost / math.log(2), 6)) for _, entries, *_ in stream_fairseq(path)]
[('a house', 1.5)]
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import beyond, finite, shown
from lattice_simp.formats.list_lines import Doubts, IdCheck, Sentence, feature_score
from lattice_simp.support.textio import read_lines

SCORE = "Score"
"""The feature for the score by which the decoder ranked, in nats."""

_LOGGER = r"(?:\d[^\t\n]*\| |[A-Z]+:[\w.]+:)?"
"""The prefix of a line from a logger."""

_LINE = re.compile(rf"([SHP])-([0-9]{{1,18}})\t|{_LOGGER}([SHP])\t")
_SNIFFED = re.compile(
    rb"^(?:[ST]-\d{1,18}\t|[HD]-\d{1,18}\t-?(?:[\d.e+-]+|inf)\t|%bS\t[^\n]*\n%bH\t-?[\d.e+-]+\t)"
    % (_LOGGER.encode(), _LOGGER.encode()),
    re.MULTILINE,
)

_NEAR = 1e-3
"""The largest difference of a score from the mean of its pieces' scores, which fairseq writes with four decimals."""


def is_fairseq(head: bytes) -> bool:
    """Recognises a log by a line of a source sentence or a hypothesis near its beginning."""
    return b"\0" not in head and _SNIFFED.search(head) is not None


@dataclass(frozen=True)
class _Entry:
    """An H-line: the score as it is written, the pieces, and the line's number."""

    score: float
    tokens: tuple[str, ...]
    line: int

    @property
    def length(self) -> int:
        return len(self.tokens) + 1


@dataclass(frozen=True)
class _Positions:
    """A P-line: the sum and the number of its scores, and the line's number."""

    total: float
    length: int
    line: int

    @property
    def mean(self) -> float:
        return self.total / self.length


@dataclass
class _Sentence:
    """The lines of a sentence so far and the first one's number; `in_order` while each P-line follows its H-line."""

    line: int
    entries: list[_Entry] = field(default_factory=list)
    positions: list[_Positions] = field(default_factory=list)
    in_order: bool = True

    def add(self, line: _Entry | _Positions) -> None:
        if isinstance(line, _Entry):
            self.entries.append(line)
        else:
            self.positions.append(line)
        self.in_order &= 0 <= len(self.entries) - len(self.positions) <= 1


def stream_fairseq(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads a log; yields the sentences, numbered from 0 and sorted.

    Sentences without hypotheses are empty lists. Each hypothesis has the feature `Score`: the score by which fairseq
    ranked, in nats. With `cost="Score"`, this score replaces the log probability.

    Raises:
        FormatError: a line is broken (the message has its number), only some hypotheses have P-lines, P-lines match no
            hypotheses, the log has no hypotheses, too many ids are missing, or `cost` names another feature than
            `Score`.
    """
    sentences, unit = _sentences(path, first_id)
    if not any(sentence.entries for sentence in sentences.values()):
        remedy = "give all lines of the log of fairseq-generate, written without --quiet"
        raise FormatError("the log has no lines of hypotheses (H-0)", path=path, remedy=remedy)
    has_positions = any(sentence.positions for sentence in sentences.values())
    due, ids, doubts = 0, IdCheck(path, first_id), Doubts(path)
    for number, sentence in sorted(sentences.items(), key=itemgetter(0)):
        ids.see(number + first_id, due + first_id, sentence.line)
        yield from (Sentence(missing, [], is_missing=True) for missing in range(due, number))
        totals = _totals(sentence, path) if has_positions else [entry.score for entry in sentence.entries]
        pairs = zip(sentence.entries, totals, strict=True)
        hypotheses = [_hypothesis(entry, total, unit, cost, path) for entry, total in pairs]
        lines = [entry.line for entry in sentence.entries]
        doubts.check_scores([hypothesis.score for hypothesis in hypotheses], lines)
        yield Sentence(number, hypotheses)
        due = number + 1


def _sentences(path: str | Path, first_id: int) -> tuple[dict[int, _Sentence], float]:
    """Returns the sentences by number, and the unit of their scores in nats."""
    sentences: dict[int, _Sentence] = {}
    sources, ids, doubts = set[int](), IdCheck(path, first_id), Doubts(path)
    numbered: bool | None = None
    for number, line in enumerate(read_lines(path), 1):
        match = _LINE.match(line)
        if match is None:
            continue
        if numbered is not None and numbered != (match[2] is not None):
            remedy = "give one log at a time"
            raise FormatError("lines with and without numbers of sentences", path=path, line=number, remedy=remedy)
        numbered = match[2] is not None
        kind, content = match[1] or match[3], line[match.end() :]
        if kind == "S" and not numbered:
            sentences[len(sentences)] = _Sentence(number)
            continue
        sentence = int(match[2]) - first_id if numbered else len(sentences) - 1
        if sentence < 0 and not numbered:
            message = "a hypothesis before the first S-line"
            raise FormatError(message, path=path, line=number, remedy="keep the S-lines")
        if sentence < 0:
            ids.see(int(match[2]), first_id, number)
        if kind == "S":
            if sentence in sources:
                message = f"S-{match[2]} again, so the hypotheses of both are one list"
                doubts.raise_once(message, number, "give one log at a time")
            sources.add(sentence)
            sentences.setdefault(sentence, _Sentence(number))
            continue
        parsed = _entry(content, path, number) if kind == "H" else _positions(content, path, number)
        sentences.setdefault(sentence, _Sentence(number)).add(parsed)
    return sentences, math.log(2.0) if numbered else 1.0


def _entry(content: str, path: str | Path, number: int) -> _Entry:
    score_text, tab, text = content.partition("\t")
    score = finite(score_text)
    if score is None or not tab:
        message = f"expected a finite score and words after H-: {shown(content)}{beyond(score_text)}"
        raise FormatError(message, path=path, line=number, remedy="write H-ID, a tab, the score, a tab, the words")
    return _Entry(score, tuple(split_tokens(text)), number)


def _positions(content: str, path: str | Path, number: int) -> _Positions:
    scores = [score for score in map(finite, split_tokens(content)) if score is not None]
    if len(scores) < len(split_tokens(content)) or not scores:
        message = f"scores of pieces that are not finite numbers: {shown(content)}"
        raise FormatError(message, path=path, line=number, remedy="write decimal numbers between blanks")
    return _Positions(math.fsum(scores), len(scores), number)


def _hypothesis(entry: _Entry, total: float, unit: float, cost: str | None, path: str | Path) -> Hypothesis:
    features = {SCORE: entry.score * unit}
    score = total * unit if cost is None else feature_score(features, cost, path, entry.line, total * unit)
    return Hypothesis(entry.tokens, 0.0 - score, features)


# ---------------------------------------------------------------- lines in any order


def _totals(sentence: _Sentence, path: str | Path) -> list[float]:
    """Returns the sum of the P-line of each hypothesis of a sentence."""
    entries, positions = sentence.entries, sentence.positions
    if len(positions) > len(entries):
        line = positions[len(entries)].line
        raise FormatError("a P-line without an H-line", path=path, line=line, remedy="keep all lines of the log")
    if len(positions) < len(entries):
        message, line = "this hypothesis has no P-line, but others have one", entries[len(positions)].line
        raise FormatError(message, path=path, line=line, remedy="is the log cut off? Leave its last lines out")
    if sentence.in_order:
        return [line.total for line in positions]
    by_length = _paired(sentence, attrgetter("length", "score"), attrgetter("length", "total"))
    if all(entry.length == line.length for entry, line in by_length):
        return _in_order_of(entries, by_length)
    by_mean = _paired(sentence, attrgetter("score"), attrgetter("mean"))  # the pieces may be joined to words already
    if all(abs(entry.score - line.mean) <= _NEAR for entry, line in by_mean):
        return _in_order_of(entries, by_mean)
    message = "the P-lines of this sentence match no hypotheses"
    raise FormatError(message, path=path, line=positions[0].line, remedy="let each follow its H-line, or leave all out")


def _paired(
    sentence: _Sentence, entry_key: Callable[[_Entry], Any], line_key: Callable[[_Positions], Any]
) -> list[tuple[_Entry, _Positions]]:
    return list(zip(sorted(sentence.entries, key=entry_key), sorted(sentence.positions, key=line_key), strict=True))


def _in_order_of(entries: list[_Entry], pairs: list[tuple[_Entry, _Positions]]) -> list[float]:
    totals = {entry.line: line.total for entry, line in pairs}
    return [totals[entry.line] for entry in entries]

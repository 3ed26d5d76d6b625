r"""Logs of fairseq-generate and fairseq-interactive: lines of a kind, a number and columns between tabs.

    S-1	source pieces
    T-1	reference
    H-1	score	pieces of a hypothesis
    D-1	score	the same, as text
    P-1	score of each piece, and of the end

Batches are sorted by length, so sentences come in any order, and a log is read as a whole. Scores are logs to the base
2; that of a hypothesis is the sum of those of its pieces divided by their number (the end counted) to the power of
--lenpen. Where there are P-lines, the cost of a hypothesis is minus their sum in nats, its negative log probability,
whatever --lenpen was; else it is minus its score in nats. Other lines of the log are skipped.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "generate.log"
>>> _ = path.write_text("S-0\tein Haus\nH-0\t-0.5\ta house\nD-0\t-0.5\ta house\nP-0\t-0.5 -0.75 -0.25\n")
>>> [(number, entries[0].text, round(entries[0].cost / math.log(2), 6)) for number, entries in stream_fairseq(path)]
[(0, 'a house', 1.5)]
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import finite, shown
from lattice_simp.formats.list_lines import Doubts, IdGaps, feature_score
from lattice_simp.support.textio import read_lines

SCORE = "Score"
"""The feature with the score that the decoder ranked by, in nats."""

_LINE = re.compile(r"([HP])-([0-9]{1,18})\t")
_SNIFFED = re.compile(rb"^(?:[ST]-\d{1,18}\t|[HD]-\d{1,18}\t-?(?:[\d.e+-]+|inf)\t)", re.MULTILINE)


def is_fairseq(head: bytes) -> bool:
    """Recognises a log by a line of a source sentence or a hypothesis near its beginning."""
    return b"\0" not in head and _SNIFFED.search(head) is not None


@dataclass
class _Entry:
    """A hypothesis as its lines come: the score, the pieces, where it began, and the sum of its P-line."""

    score: float
    tokens: tuple[str, ...]
    line: int
    log_probability: float | None = None

    def hypothesis(self, cost: str | None, path: str | Path) -> Hypothesis:
        score = self.score if self.log_probability is None else self.log_probability
        if cost is not None:
            score = feature_score({SCORE: self.score}, cost, path, self.line)
        return Hypothesis(self.tokens, 0.0 - score, {SCORE: self.score})


def stream_fairseq(
    path: str | Path, first_id: int = 0, cost: str | None = None
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Reads a log; yields the number of each sentence, from 0, and its hypotheses, sorted by number.

    Sentences without hypotheses come as empty lists up to the last one. Each hypothesis has the feature `Score`: the
    score that fairseq ranked by, in nats. With `cost="Score"`, it is the score in place of the log probability.

    Raises:
        FormatError: a broken line (with its number), P-lines for some hypotheses only, a log without hypotheses, too
            many ids that are missing, another feature than `Score` as the cost.
    """
    groups: dict[int, list[_Entry]] = {}
    for number, line in enumerate(read_lines(path), 1):
        kind = _LINE.match(line)
        if kind is None:
            continue
        sentence, rest = int(kind[2]) - first_id, line[kind.end() :]
        if sentence < 0:
            remedy = f"begin with it: --first-id {kind[2]} (first_id={kind[2]})"
            raise FormatError(f"the id {kind[2]} is lower than {first_id}", path=path, line=number, remedy=remedy)
        if kind[1] == "H":
            groups.setdefault(sentence, []).append(_hypothesis(rest, path, number))
        else:
            _add_positions(groups.get(sentence, []), rest, path, number)
    entries = [entry for group in groups.values() for entry in group]
    if not entries:
        remedy = "give the log of fairseq-generate without --quiet"
        raise FormatError("the log has no lines of hypotheses (H-0)", path=path, remedy=remedy)
    lacking = [entry.line for entry in entries if entry.log_probability is None]
    if lacking and len(lacking) < len(entries):
        message = "a hypothesis without a P-line, where others have one"
        raise FormatError(message, path=path, line=min(lacking), remedy="is the log cut off? Leave its last lines out")
    due, gaps, doubts = 0, IdGaps(path), Doubts(path)
    for sentence in sorted(groups):
        gaps.check(due + first_id, sentence + first_id, groups[sentence][0].line)
        for missing in range(due, sentence):
            yield missing, []
        hypotheses = [entry.hypothesis(cost, path) for entry in groups[sentence]]
        for entry, hypothesis in zip(groups[sentence], hypotheses, strict=True):
            doubts.check_score(hypothesis.score, entry.line)
        yield sentence, hypotheses
        due = sentence + 1


def _hypothesis(rest: str, path: str | Path, number: int) -> _Entry:
    score_text, tab, text = rest.partition("\t")
    score = finite(score_text)
    if score is None or not tab:
        message = f"no score and words after H-: {shown(rest)}"
        raise FormatError(message, path=path, line=number, remedy="write H-ID, a tab, the score, a tab, the words")
    return _Entry(score * math.log(2.0), tuple(split_tokens(text)), number)


def _add_positions(entries: list[_Entry], rest: str, path: str | Path, number: int) -> None:
    """Sets the score of the last hypothesis of a sentence to the sum of its pieces' scores."""
    scores = [finite(field) for field in split_tokens(rest)]
    if None in scores or not scores:
        message = f"scores of pieces that are not finite numbers: {shown(rest)}"
        raise FormatError(message, path=path, line=number, remedy="write decimal numbers between blanks")
    if not entries or entries[-1].log_probability is not None:
        raise FormatError("a P-line that follows no H-line", path=path, line=number, remedy="keep the lines' order")
    entries[-1].log_probability = math.log(2.0) * math.fsum(score for score in scores if score is not None)

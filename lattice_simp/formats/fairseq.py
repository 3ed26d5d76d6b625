r"""Logs of fairseq-generate and fairseq-interactive: each line has a kind, a number and columns separated by tabs.

    S-1	source pieces
    T-1	reference
    H-1	score	pieces of a hypothesis
    D-1	score	the same, as text
    P-1	score of each piece, and of the end

Batches are sorted by length, so sentences come in any order, and a log is read as a whole. Scores are logs to base 2;
the score of a hypothesis is the sum of its pieces' scores divided by their number (including the end) to the power of
--lenpen. If there are P-lines, the cost of a hypothesis is minus their sum in nats: its negative log probability, for
any --lenpen. Otherwise it is minus the score in nats. Other lines of the log are skipped.

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
"""The feature for the score by which the decoder ranked, in nats."""

_LINE = re.compile(r"([HP])-([0-9]{1,18})\t")
_SNIFFED = re.compile(rb"^(?:[ST]-\d{1,18}\t|[HD]-\d{1,18}\t-?(?:[\d.e+-]+|inf)\t)", re.MULTILINE)


def is_fairseq(head: bytes) -> bool:
    """Recognises a log by a line of a source sentence or a hypothesis near its beginning."""
    return b"\0" not in head and _SNIFFED.search(head) is not None


@dataclass
class _Entry:
    """A hypothesis in the making: the score, the pieces, the line of both, and the sum of its P-line."""

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

    Sentences without hypotheses are empty lists. Each hypothesis has the feature `Score`: the score by which fairseq
    ranked, in nats. With `cost="Score"`, this score replaces the log probability.

    Raises:
        FormatError: a line is broken (the message has its number), only some hypotheses have P-lines, the log has no
            hypotheses, too many ids are missing, or `cost` names another feature than `Score`.
    """
    groups: dict[int, list[_Entry]] = {}
    for number, line in enumerate(read_lines(path), 1):
        kind = _LINE.match(line)
        if kind is None:
            continue
        sentence, content = int(kind[2]) - first_id, line[kind.end() :]
        if sentence < 0:
            remedy = f"begin with it: --first-id {kind[2]} (first_id={kind[2]})"
            raise FormatError(f"the id {kind[2]} is lower than {first_id}", path=path, line=number, remedy=remedy)
        if kind[1] == "H":
            groups.setdefault(sentence, []).append(_hypothesis(content, path, number))
        else:
            _add_positions(groups.get(sentence, []), content, path, number)
    entries = [entry for group in groups.values() for entry in group]
    if not entries:
        remedy = "give the log of fairseq-generate without --quiet"
        raise FormatError("the log has no lines of hypotheses (H-0)", path=path, remedy=remedy)
    lacking = [entry.line for entry in entries if entry.log_probability is None]
    if lacking and len(lacking) < len(entries):
        message = "this hypothesis has no P-line, but others have one"
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


def _hypothesis(content: str, path: str | Path, number: int) -> _Entry:
    score_text, tab, text = content.partition("\t")
    score = finite(score_text)
    if score is None or not tab:
        message = f"expected a score and words after H-: {shown(content)}"
        raise FormatError(message, path=path, line=number, remedy="write H-ID, a tab, the score, a tab, the words")
    return _Entry(score * math.log(2.0), tuple(split_tokens(text)), number)


def _add_positions(entries: list[_Entry], content: str, path: str | Path, number: int) -> None:
    """Sets the log probability of the last hypothesis of a sentence to the sum of its pieces' scores."""
    scores = [finite(field) for field in split_tokens(content)]
    if None in scores or not scores:
        message = f"scores of pieces that are not finite numbers: {shown(content)}"
        raise FormatError(message, path=path, line=number, remedy="write decimal numbers between blanks")
    if not entries or entries[-1].log_probability is not None:
        raise FormatError("a P-line without an H-line before", path=path, line=number, remedy="keep the lines' order")
    entries[-1].log_probability = math.log(2.0) * math.fsum(score for score in scores if score is not None)

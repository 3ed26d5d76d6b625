r"""Results of Julius, printed or written with `-outfile`; the sentences of an input are an n-best list.

Scores are logs to base 10 and become natural ones. The features `AM` and `LM` are the two parts of a score. Words
have times after `julius -walign`.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "a.out"
>>> _ = path.write_text("sentence1: a cat\nscore1: -20.0 (AM: -18.0  LM: -2.0)\nsentence2: a hat\nscore2: -21.0\n")
>>> [(entry.text, round(entry.cost, 2)) for entry in next(stream_julius(path))[1]]
[('a cat', 46.05), ('a hat', 48.35)]
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from lattice_simp.core.hypothesis import Hypothesis, Times
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import LOG_10, finite, natural, shown
from lattice_simp.formats.julius.lattices import FRAME
from lattice_simp.formats.list_lines import Doubts, Sentence, feature_score, samples
from lattice_simp.support.textio import read_lines

_HEAD = re.compile(
    rb"^(?:pass1_best|sentence1):[^\n]*\n(?:[^\n]*\n){0,9}?(?:sentence1|wseq1|cmscore1|score1):", re.MULTILINE
)
_LINE = re.compile(r"\ufeff?(sentence|score|wseq|cmscore)(\d+):(.*)")
_PARTS = re.compile(r"\((AM): *(\S+) +(LM): *([^\s)]+)\)")
_UNREAD = {
    "---- begin confusion network": ("confusion networks", "read them: `lattice convert --from julius-cn`"),
    "--- begin wordgraph data": ("word graphs", "read them: `lattice convert --from julius-graph`"),
    "-- phoneme alignment": ("alignments of phonemes", "leave them out: julius without -palign"),
    "-- state alignment": ("alignments of states", "leave them out: julius without -salign"),
}
_WORDS, _END = "-- word alignment", "=== end forced alignment"
_SPAN = re.compile(r"\[ *(\d{1,9}) +(\d{1,9})\] +\S+ +\S+\s+\[(.*)\]\s*")
"""A word of an alignment: its first and its last frame, and its text, which may be empty."""

_REMEDY = "write sentence1: words, and score1: number"


def is_julius(head: bytes) -> bool:
    """Recognises results by the lines of a first sentence."""
    return b"\0" not in head and _HEAD.search(head) is not None


def stream_julius(path: str | Path, first_id: int = 0, cost: str | None = None) -> Iterator[Sentence]:
    """Reads results input by input; yields the sentences, numbered from 0 in the order of the file.

    An input that was rejected, or whose search failed, has no hypothesis. Sentences without scores weigh the same. The
    confidences of words are those of `cmscore`. A warning says that word graphs and confusion networks are left out,
    which `julius_lattices` reads.

    Raises:
        FormatError: a line is broken, only some sentences have scores, several recognisers wrote the results, or a
            sentence lacks the feature `cost`.
    """
    due, current = 0, _Input(path, cost)
    doubts, is_aligned = Doubts(path), False
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("[#"):
            message, remedy = "results of several recognisers, [#...]", "let one recogniser write the file"
            raise FormatError(message, path=path, line=number, remedy=remedy)
        for begin, (what, remedy) in _UNREAD.items():
            if line.startswith(begin):
                doubts.raise_once(f"{what} of Julius are not read", number, remedy)
        is_aligned = line.startswith(_WORDS) or (is_aligned and not line.startswith(("-- ", _END)))
        if is_aligned and (span := _SPAN.fullmatch(line)) is not None:
            current.add_span(span)
        is_failure = line.startswith(("<search failed", "<input "))
        match = _LINE.match(line)
        if (is_failure or (match and match[1] == "sentence" and match[2] == "1")) and current.sentences:
            yield Sentence(due, current.hypotheses(doubts))
            due, current = due + 1, _Input(path, cost)
        if is_failure:
            yield Sentence(due, [])
            due += 1
        elif match:
            current.add(match, number)
    if current.sentences:
        yield Sentence(due, current.hypotheses(doubts))


class _Input:
    """The sentences of an input: their words and lines, and the scores and their parts."""

    def __init__(self, path: str | Path, cost: str | None) -> None:
        self.path, self.cost = path, cost
        self.sentences = list[tuple[tuple[str, ...], int]]()
        self.scores = dict[int, tuple[float, dict[str, float]]]()
        self.fields = dict[tuple[str, int], list[str]]()
        self.spans = dict[int, list[tuple[str, float, float]]]()

    def add(self, match: re.Match[str], line: int) -> None:
        """Adds a line of a sentence or of a score."""
        place, text = (natural(match[2]) or 0) - 1, match[3]
        if place != len(self.sentences) - (match[1] != "sentence"):
            message = f"{match[1]}{match[2][:20]} out of order"
            raise FormatError(message, path=self.path, line=line, remedy="is the file cut off?")
        if match[1] == "sentence":
            self.sentences.append((tuple(split_tokens(text)), line))
            return
        if match[1] in ("wseq", "cmscore"):
            self.fields[match[1], place] = split_tokens(text)
            return
        score, parts = finite(text.split("(")[0].strip()), _PARTS.search(text)
        values = {} if parts is None else {parts[1]: finite(parts[2]), parts[3]: finite(parts[4])}
        features = {name: value * LOG_10 for name, value in values.items() if value is not None}
        if (
            score is None
            or len(features) < len(values)
            or not all(map(math.isfinite, (score * LOG_10, *features.values())))
        ):
            raise FormatError(f"not a finite score: {shown(text)}", path=self.path, line=line, remedy=_REMEDY)
        self.scores[place] = score * LOG_10, features

    def add_span(self, match: re.Match[str]) -> None:
        """Adds a word of the alignment of the last sentence, unless it has no text."""
        if match[3]:
            begin, end = (round(frame * FRAME, 9) for frame in (int(match[1]), int(match[2]) + 1))
            self.spans.setdefault(len(self.sentences) - 1, []).append((match[3], begin, end))

    def hypotheses(self, doubts: Doubts) -> list[Hypothesis]:
        """Returns the hypotheses, with equal weights if they have no scores."""
        if not self.scores and self.cost is None:
            return samples(words for words, _ in self.sentences)
        hypotheses, lines = list[Hypothesis](), [line for _, line in self.sentences]
        for place, (words, line) in enumerate(self.sentences):
            if place not in self.scores:
                message = f"sentence{place + 1} has no score"
                raise FormatError(message, path=self.path, line=line, remedy=_REMEDY)
            score, features = self.scores[place]
            if self.cost is not None:
                score = feature_score(features, self.cost, self.path, line, score)
            times, confidences = self._times(place, doubts), self._confidences(place, doubts)
            hypotheses.append(Hypothesis(words, 0.0 - score, features, times=times, confidences=confidences))
        doubts.check_scores([hypothesis.score for hypothesis in hypotheses], lines)
        return hypotheses

    def _times(self, place: int, doubts: Doubts) -> Times | None:
        """Returns the times of a sentence's words from its alignment."""
        words, line = self.sentences[place]
        spans = self.spans.get(place, [])
        if tuple(word for word, begin, end in spans if begin <= end) == words:
            return tuple((begin, end) for _, begin, end in spans)
        if spans:
            message = "times of an alignment with other words than its sentence are not read"
            doubts.raise_once(message, line, "is the file damaged?")
        return None

    def _confidences(self, place: int, doubts: Doubts) -> tuple[float, ...] | None:
        """Returns the confidences of a sentence's words, without those of its ends, which only `wseq` mentions."""
        texts = self.fields.get(("cmscore", place))
        if texts is None:
            return None
        words, line = self.sentences[place]
        entries = self.fields.get(("wseq", place), texts)
        if len(entries) == len(texts) != len(words):
            texts = [text for entry, text in zip(entries, texts, strict=True) if entry not in MARKS]
        texts = texts[1:-1] if len(texts) == len(words) + 2 else texts
        shares = [share for share in map(finite, texts) if share is not None and 0.0 <= share <= 1.0]
        if len(shares) == len(words):
            return tuple(shares)
        message = "confidences that are not numbers from 0 to 1, one for each word, are not read"
        doubts.raise_once(message, line, "`lattice confidence` computes those of the sentences")
        return None

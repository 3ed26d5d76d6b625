r"""N-best lists as JSON lines: `{"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}`, a sentence a line.

A hypothesis is an object, or its text alone. `tokens` (a list) may take the place of `text`, `features` hold further
scores by name. Where no hypothesis of a sentence has a score, they are samples: each weighs the same, and a string that
was drawn k times of n has the probability k / n.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "samples.jsonl"
>>> _ = path.write_text('{"id": 0, "hypotheses": ["a cat", "the cat", "a cat", "a cat"]}\n')
>>> [(entry.text, round(math.exp(-entry.cost), 3)) for entry in next(stream_json(path))[1]]
[('a cat', 0.75), ('the cat', 0.25)]
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import is_utf8, split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import shown
from lattice_simp.support.textio import open_text, read_lines

SAMPLES = "Samples"
"""The feature with the number of times that a string was drawn."""

MAX_GAP = 1_000_000
"""The most sentence ids that may be missing between two lines."""

_HEAD = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{(?=[^\n]*"hypotheses"\s*:)')
_LINE_ENDS = re.compile(r"[\r\n]+")  # samples of a language model may have several lines, n-best lists have not
_REMEDY = 'write {"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}'


def is_json_nbest(head: bytes) -> bool:
    """Recognises JSON lines with hypotheses by the first one."""
    return _HEAD.match(head) is not None


def stream_json(path: str | Path, first_id: int = 0) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Reads JSON lines; yields the number of each sentence, from 0, and its hypotheses, one sentence at a time.

    `id` may be missing in all lines, which are numbered then. Sentences without a line come as empty lists.

    Raises:
        FormatError: a broken line (with its number), ids that do not increase, an empty file.
    """
    due = 0
    number = 0
    for number, line in enumerate(read_lines(path), 1):
        row = _row(line, path, number)
        found = row.get("id", first_id + due)
        if not isinstance(found, int) or isinstance(found, bool):
            raise FormatError(f"an id that is not a whole number: {found!r}", path=path, line=number, remedy=_REMEDY)
        if found - first_id < due:
            message = f"the id {found} is lower than {first_id + due}"
            raise FormatError(message, path=path, line=number, remedy="sort the lines by id, one line for each")
        if found - first_id - due > MAX_GAP:
            message = f"the id jumps from {first_id + due} to {found}"
            raise FormatError(message, path=path, line=number, remedy="number the sentences without large gaps")
        while due < found - first_id:
            yield due, []
            due += 1
        yield due, _hypotheses(row["hypotheses"], path, number)
        due += 1
    if not number:
        raise FormatError("the file is empty", path=path, remedy=_REMEDY)


def write_json(
    groups: Iterable[tuple[int, Sequence[Hypothesis]]],
    path: str | Path,
    *,
    first_id: int = 0,
    sources: Sequence[str] | None = None,
) -> None:
    """Writes JSON lines that `stream_json` reads; `sources`, if given, holds the source sentence of each number.

    Raises:
        LatticeSimpError: the file cannot be written.
    """
    with open_text(path, "w") as file:
        for number, hypotheses in groups:
            entries = [
                {"text": own.text, "score": own.score, **({"features": dict(own.features)} if own.features else {})}
                for own in hypotheses
            ]
            source = {} if sources is None else {"source": sources[number]}
            row = {"id": number + first_id, **source, "hypotheses": entries}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def samples(strings: Iterable[tuple[str, ...]]) -> list[Hypothesis]:
    """Returns the different strings, each with minus the log of its share, the most frequent first."""
    counts = Counter(strings)
    total = counts.total()
    return [
        Hypothesis(tokens, math.log(total) - math.log(count), {SAMPLES: float(count)})
        for tokens, count in counts.most_common()
    ]


def _row(line: str, path: str | Path, number: int) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
        whole = "\\u" not in line or is_utf8(json.dumps(row, ensure_ascii=False))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {shown(line)}", path=path, line=number, remedy=_REMEDY) from error
    if not whole:
        message = f"half of a surrogate pair, which is not a character: {shown(line)}"
        raise FormatError(message, path=path, line=number, remedy="write both halves, or the character itself")
    if not isinstance(row, dict) or not isinstance(row.get("hypotheses"), list):
        message = f"no object with a list of hypotheses: {shown(line)}"
        raise FormatError(message, path=path, line=number, remedy=_REMEDY)
    return row


def _hypotheses(given: Sequence[Any], path: str | Path, number: int) -> list[Hypothesis]:
    def fail(message: str, entry: object) -> NoReturn:
        raise FormatError(f"{message}: {shown(str(entry))}", path=path, line=number, remedy=_REMEDY)

    found: list[tuple[tuple[str, ...], float | None, dict[str, float]]] = []
    for entry in given:
        own = entry if isinstance(entry, dict) else {"text": entry}
        words = own.get("tokens", own.get("text"))
        if isinstance(words, str):
            words = split_tokens(_LINE_ENDS.sub(" ", words))
        if not isinstance(words, list) or not all(isinstance(one, str) and one for one in words):
            fail("a hypothesis without text or tokens", entry)
        score, features = own.get("score"), own.get("features", {})
        if not isinstance(features, dict) or not all(map(_is_finite, features.values())):
            fail("features that are not finite numbers by name", entry)
        if score is not None and not _is_finite(score):
            fail("a score that is not a finite number", entry)
        found.append((tuple(words), score, {name: float(value) for name, value in features.items()}))
    scored = sum(score is not None for _, score, _ in found)
    if scored and scored < len(found):
        fail("a score for some hypotheses only", given[[score for _, score, _ in found].index(None)])
    if not scored:
        return samples(tokens for tokens, _, _ in found)
    return [Hypothesis(tokens, 0.0 - float(score or 0.0), features) for tokens, score, features in found]


def _is_finite(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer of hundreds of digits
        return False

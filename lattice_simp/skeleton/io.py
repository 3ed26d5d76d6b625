"""Skeleton files: JSON lines, bracket text, and parallel plain text (sentences and their compressions)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, SkeletonError
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.parallel import parallel_lines
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text, read_lines

_RECORD_REMEDY = 'write {"id": "a.1", "line": 0, "tokens": ["a", "b"], "keep": ["10"]}'
BRACKET_REMEDY = r"put [[ and ]] around deleted tokens; write literal brackets as \[ and \]"

_OF_EACH = ("annotators", "probabilities")
"""The fields that hold one value for each skeleton, or none at all."""

_LISTS = (
    ("tokens", str, "strings"),
    ("keep", str, "strings"),
    ("annotators", str, "strings"),
    ("probabilities", (int, float), "numbers"),
)
"""The fields of a line that are lists, and the types of their entries."""


@dataclass(frozen=True)
class SkeletonRecord:
    """A sentence with one or more skeletons (the judgements of several annotators, for example).

    >>> record = SkeletonRecord("talk.1", 0, (Skeleton.from_mask("10", ["stop", "now"]),))
    >>> record.tokens
    ('stop', 'now')

    Attributes:
        id: the name of the sentence.
        line: the line of the sentence in its text, from 0.
        skeletons: skeletons of the same tokens, at least one.
        annotators: the annotator of each skeleton; empty if unknown.
        probabilities: the probability of each skeleton among these; empty if unknown.

    Raises:
        SkeletonError: no skeletons, skeletons of different sentences, or more or fewer annotators or probabilities
            than skeletons.
    """

    id: str
    line: int
    skeletons: tuple[Skeleton, ...]
    annotators: tuple[str, ...] = ()
    probabilities: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.skeletons:
            raise SkeletonError(f"the record {self.id!r} has no skeletons")
        if any(skeleton.tokens != self.tokens for skeleton in self.skeletons):
            raise SkeletonError(f"the skeletons of the record {self.id!r} are of different sentences")
        for name in _OF_EACH:
            if getattr(self, name) and len(getattr(self, name)) != len(self.skeletons):
                raise SkeletonError(
                    f"{len(getattr(self, name))} {name}, but {counted(len(self.skeletons), 'skeleton')}"
                )

    @property
    def tokens(self) -> tuple[str, ...]:
        """The whole sentence."""
        return self.skeletons[0].tokens

    def to_json(self) -> str:
        """Writes the record as a line of a JSON-lines file, without its end."""
        keep = [skeleton.to_mask() for skeleton in self.skeletons]
        fields: dict[str, Any] = {"id": self.id, "line": self.line, "tokens": self.tokens, "keep": keep}
        fields |= {name: getattr(self, name) for name in _OF_EACH if getattr(self, name)}
        return json.dumps(fields, ensure_ascii=False)


def read_skeletons(path: str | Path) -> Iterator[SkeletonRecord]:
    """Yields the records of a JSON-lines file; blank lines and other keys are ignored.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / 'rain.jsonl'
    >>> _ = path.write_text('{"tokens": ["today", "it", "rained"], "keep": ["011"]}\\n')
    >>> [record.skeletons[0].words for record in read_skeletons(path)]
    [('it', 'rained')]

    Each line is `{"id": str, "line": int, "tokens": [str], "keep": [str]}` where a `keep` string has one `1` (kept) or
    `0` (deleted) for each token. `id` and `line` are optional and default to the number of the record, from 0. The
    fields `annotators` and `probabilities`, a name and a number for each `keep` string, are optional, too.

    Raises:
        FormatError: invalid JSON, a missing or ill-typed field, or a mask that is not a skeleton.
    """
    count = 0
    for number, text in enumerate(read_lines(path), start=1):
        if text.strip(" \t"):
            yield _parse_record(text, count, path, number)
            count += 1


def write_skeletons(path: str | Path, records: Iterable[SkeletonRecord]) -> None:
    """Writes records as JSON lines that `read_skeletons` reads back exactly.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rain.jsonl"
    >>> skeleton = Skeleton.from_mask("011", ["today", "it", "rained"])
    >>> write_skeletons(path, [SkeletonRecord("0", 0, (skeleton,))])
    >>> path.read_text()
    '{"id": "0", "line": 0, "tokens": ["today", "it", "rained"], "keep": ["011"]}\\n'
    """
    with open_text(path, "w") as file:
        for record in records:
            file.write(record.to_json() + "\n")


def lines_of_records(records: Sequence[SkeletonRecord | None], count: int, path: str | Path | None = None) -> list[int]:
    """Returns the line of each record in a text of `count` lines: of the same number if there are as many records.

    >>> skeleton = Skeleton.from_mask("10", ["stop", "now"])
    >>> lines_of_records([SkeletonRecord("talk.1", 4, (skeleton,))], 5)
    [4]

    Records are None for blank lines; `path` is their file, for messages.

    Raises:
        FormatError: a record of a line that does not exist, or a second record of the same line.
    """
    lines: dict[int, None] = {}
    for number, record in enumerate(records):
        line = number if record is None or len(records) == count else record.line
        if not 0 <= line < count:
            message = f"a skeleton of line {line + 1}, but the text has {counted(count, 'line')}"
            raise FormatError(message, path=path, line=number + 1, remedy="give the skeletons of these sentences")
        if line in lines:
            remedy = "write all skeletons of a sentence in one record"
            raise FormatError(f"a second record of line {line + 1}", path=path, line=number + 1, remedy=remedy)
        lines[line] = None
    return list(lines)


def read_brackets(path: str | Path) -> Iterator[Skeleton]:
    """Yields one skeleton for each line of bracket text; for the escapes of literal brackets, see `skeleton.brackets`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rain.txt"
    >>> _ = path.write_text("[[today]] it rained\\n")
    >>> [skeleton.words for skeleton in read_brackets(path)]
    [('it', 'rained')]

    Raises:
        FormatError: unbalanced, nested or misplaced brackets, a blank line, or a completely deleted sentence.
    """
    for number, text in enumerate(read_lines(path), start=1):
        try:
            yield Skeleton.from_brackets(text)
        except SkeletonError as error:
            raise FormatError(str(error), path=path, line=number, remedy=BRACKET_REMEDY) from error


def write_brackets(path: str | Path, skeletons: Iterable[Skeleton]) -> None:
    """Writes a skeleton a line as bracket text that `read_brackets` reads back exactly.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rain.txt"
    >>> write_brackets(path, [Skeleton.from_mask("011", ["today", "it", "rained"])])
    >>> path.read_text()
    '[[today]] it rained\\n'
    """
    with open_text(path, "w") as file:
        for skeleton in skeletons:
            file.write(skeleton.to_brackets() + "\n")


def read_parallel(source_path: str | Path, skeleton_path: str | Path) -> Iterator[Skeleton]:
    """Yields a skeleton for each pair of lines: tokenised sentences, and the words left after deletion.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "long").write_text("today it rained\\n"), (folder / "short").write_text("it rained\\n")
    >>> [skeleton.to_brackets() for skeleton in read_parallel(folder / "long", folder / "short")]
    ['[[today]] it rained']

    Each pair is aligned by `Skeleton.from_words`: as few gaps as possible, then leftmost.

    Raises:
        FormatError: files of different length, a blank line, or a skeleton that is not a subsequence; names the line of
            the skeleton file.
    """
    pairs = parallel_lines(source_path, skeleton_path, lines_of=sentence_lines)
    for number, (source, words) in enumerate(pairs, start=1):
        try:
            yield Skeleton.from_words(source, words)
        except SkeletonError as error:
            remedy = "a skeleton deletes tokens and changes nothing else; tokenise both files alike"
            raise FormatError(str(error), path=skeleton_path, line=number, remedy=remedy) from error


def align_pairs(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> tuple[list[Skeleton | None], int]:
    """Finds each compression in its sentence; returns None for those that are not a subsequence, and their number.

    Words are compared without regard to case, since a compression may begin with another word.

    >>> skeletons, others = align_pairs([("Today it rained".split(), ["It", "rained"]), (["a"], ["b"])])
    >>> [skeleton and skeleton.to_mask() for skeleton in skeletons], others
    (['011', None], 1)
    """
    skeletons = [_align(tokens, words) for tokens, words in pairs]
    return skeletons, sum(skeleton is None for skeleton in skeletons)


def read_pairs(source: str | Path, compressed: str | Path) -> tuple[list[Skeleton], int]:
    """Reads two files of tokens, sentences and their compressions line by line; skips pairs with a blank line.

    Returns:
        The skeletons, and how many compressions were not a subsequence of their sentence.

    Raises:
        FormatError: files of different lengths.
    """
    full = (
        (split_tokens(long_line), split_tokens(short_line))
        for long_line, short_line in parallel_lines(source, compressed, lines_of=sentence_lines)
        if long_line.strip() and short_line.strip()
    )
    skeletons, num_mismatches = align_pairs(full)
    return [skeleton for skeleton in skeletons if skeleton], num_mismatches


def _align(tokens: Sequence[str], words: Sequence[str]) -> Skeleton | None:
    try:
        lowered = Skeleton.from_words([token.lower() for token in tokens], [word.lower() for word in words])
        return Skeleton(tuple(tokens), lowered.mask)
    except SkeletonError:
        return None


def _parse_record(text: str, index: int, path: str | Path, line: int) -> SkeletonRecord:
    def broken(message: str) -> FormatError:
        return FormatError(message, path=path, line=line, remedy=_RECORD_REMEDY)

    fields = parse_json(text, path=path, line=line, remedy=_RECORD_REMEDY)
    if not isinstance(fields, dict):
        raise broken(f"a record is a JSON object, not {type(fields).__name__}")
    for name, kind, what in _LISTS:
        values = fields.get(name, [] if name in _OF_EACH else None)
        if not (
            isinstance(values, list) and all(isinstance(item, kind) and not isinstance(item, bool) for item in values)
        ):
            raise broken(f"{name!r} is missing or no list of {what}")
    identifier, source_line = fields.get("id", str(index)), fields.get("line", index)
    if not isinstance(identifier, str) or not isinstance(source_line, int) or isinstance(source_line, bool):
        raise broken("'id' is a string and 'line' is a whole number")
    try:
        skeletons = tuple(Skeleton.from_mask(mask, fields["tokens"]) for mask in fields["keep"])
        of_each = (tuple(fields.get(name, ())) for name in _OF_EACH)
        return SkeletonRecord(identifier, source_line, skeletons, *of_each)
    except SkeletonError as error:
        raise broken(str(error)) from error

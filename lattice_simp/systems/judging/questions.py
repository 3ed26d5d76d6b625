"""The kinds of questions: ratings on a scale, a choice of answers, marked errors, the better one of two texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, model_validator

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.support.strict_model import StrictModel

Answer: TypeAlias = int | str | tuple[tuple[int, int, str], ...]
"""A rating, an option, or marked errors: first and last word, from 0, and the kind of error."""

FIRST, SECOND, TIE = "first", "second", "tie"
"""Answers to a preference: the text that was shown first, the other one, none of them."""

NO_ERRORS = "none"

MOST_BUTTONS = 11
"""The most points of a scale with buttons; longer scales have a field for the number."""

_MARK = re.compile(r"(\d{1,6})(?:-(\d{1,6}))? (.+)")


class AnswerError(LatticeSimpError):
    """An answer that does not fit the question."""


class _Question(StrictModel):
    """The base of all questions."""

    ask: str = Field(min_length=1)

    texts: ClassVar[int] = 1
    """The number of outputs shown together."""


class Rating(_Question):
    """An integer on a scale.

    >>> rating = Rating(ask="Is it fluent?")
    >>> rating.points, rating.checked(rating.parsed("4"), ["any text"])
    (range(1, 6), 4)

    Attributes:
        ask: the question.
        low, high: the ends of the scale.
        anchors: the meanings of points of the scale.
    """

    kind: Literal["rating"] = "rating"
    low: int = 1
    high: int = 5
    anchors: Mapping[int, str] = {}

    @model_validator(mode="after")
    def _has_points(self) -> Rating:
        if not self.low < self.high:
            raise ValueError(f"the scale from {self.low} to {self.high} has no points; low must be less than high")
        if outside := [point for point in self.anchors if not self.low <= point <= self.high]:
            raise ValueError(f"the anchor {outside[0]} is not on the scale from {self.low} to {self.high}")
        return self

    @property
    def points(self) -> range:
        """The points of the scale."""
        return range(self.low, self.high + 1)

    @property
    def has_buttons(self) -> bool:
        """Whether the scale is short enough for a button for each point."""
        return len(self.points) <= MOST_BUTTONS

    def checked(self, value: Any, texts: Sequence[str]) -> int:
        """Returns a rating; see `checked`."""
        if not isinstance(value, int) or isinstance(value, bool) or value not in self.points:
            raise AnswerError(f"{value!r} is not a whole number from {self.low} to {self.high}")
        return value

    def parsed(self, text: str) -> Any:
        """Returns the value that a text stands for."""
        return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else text


class Choice(_Question):
    """One of several answers, such as right or wrong.

    >>> Choice(ask="Is it right?").checked("right", ["any text"])
    'right'

    Attributes:
        ask: the question.
        options: the answers; tables count the first one.
    """

    kind: Literal["choice"] = "choice"
    options: tuple[str, ...] = Field(("right", "wrong"), min_length=2)

    @model_validator(mode="after")
    def _has_distinct_options(self) -> Choice:
        _require_names(self.options)
        return self

    def checked(self, value: Any, texts: Sequence[str]) -> str:
        """Returns an option; see `checked`."""
        return _one_of(self.options, value)

    def parsed(self, text: str) -> Any:
        """Returns the value that a text stands for."""
        return text


class Errors(_Question):
    """Marked errors in the output: spans of words, each with a kind of error.

    >>> errors = Errors(ask="Which words are wrong?")
    >>> errors.checked(errors.parsed("2-3 error"), ["a text of five words"])
    ((1, 2, 'error'),)

    Attributes:
        ask: the question.
        kinds: the kinds of errors.
    """

    kind: Literal["errors"] = "errors"
    kinds: tuple[str, ...] = Field(("error",), min_length=1)

    @model_validator(mode="after")
    def _has_distinct_kinds(self) -> Errors:
        _require_names(self.kinds)
        if NO_ERRORS in self.kinds or any(";" in kind for kind in self.kinds):
            raise ValueError(f"a kind of error must not be {NO_ERRORS!r} or contain a semicolon")
        return self

    def checked(self, value: Any, texts: Sequence[str]) -> tuple[tuple[int, int, str], ...]:
        """Returns the marked spans in their order, which do not overlap; see `checked`."""
        if not isinstance(value, (list, tuple)):
            raise AnswerError(f"{value!r} is not a list of marked words")
        count = len(words_of(texts[0]))
        marks = sorted(self._mark(mark, count) for mark in value)
        for (_, end, _), (start, _, _) in pairwise(marks):
            if start <= end:
                raise AnswerError(f"word {start + 1} is marked twice")
        return tuple(marks)

    def parsed(self, text: str) -> Any:
        """Parses errors such as `3-5 grammar; 8 meaning`, with words counted from 1, or `none`."""
        if text == NO_ERRORS:
            return ()
        marks = []
        for part in text.split(";"):
            if (match := _MARK.fullmatch(part.strip())) is None:
                raise AnswerError(f"{part.strip()!r} marks no words; write `3-5 {self.kinds[0]}`, or `{NO_ERRORS}`")
            first, last, kind = match.groups()
            marks.append((int(first) - 1, int(last or first) - 1, kind))
        return tuple(marks)

    def _mark(self, mark: Any, words: int) -> tuple[int, int, str]:
        match mark:
            case [int(first), int(last), str(kind)] if 0 <= first <= last < words:
                return first, last, _one_of(self.kinds, kind)
        raise AnswerError(f"{mark!r} is not a first word, a last word and a kind in a text of {counted(words, 'word')}")


class Preference(_Question):
    """The better one of two outputs for the same item.

    >>> Preference(ask="Which is better?").options
    ('first', 'second', 'tie')

    Attributes:
        ask: the question.
        ties: whether raters may answer that neither is better.
    """

    kind: Literal["preference"] = "preference"
    ties: bool = True

    texts: ClassVar[int] = 2

    @property
    def options(self) -> tuple[str, ...]:
        """The answers."""
        return (FIRST, SECOND, TIE) if self.ties else (FIRST, SECOND)

    def checked(self, value: Any, texts: Sequence[str]) -> str:
        """Returns an answer; see `checked`."""
        return _one_of(self.options, value)

    def parsed(self, text: str) -> Any:
        """Returns the value that a text stands for."""
        return text


Question: TypeAlias = Annotated[Rating | Choice | Errors | Preference, Field(discriminator="kind")]

KINDS: Mapping[str, type[Rating] | type[Choice] | type[Errors] | type[Preference]] = {
    "rating": Rating,
    "choice": Choice,
    "errors": Errors,
    "preference": Preference,
}
"""The kinds of questions by name."""


COLUMNS = ("number", "source", "text", "first", "second")
"""The columns of sheets other than questions."""


def words_of(text: str) -> list[str]:
    """Returns the words of a text that can be marked."""
    return text.split()


def checked(questions: Mapping[str, Question], values: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Answer]:
    """Returns the answers to all questions.

    >>> checked({"fluent": Rating(ask="Is it fluent?")}, {"fluent": 4}, ["a cat"])
    {'fluent': 4}

    Args:
        questions: the questions by name.
        values: the answers by name, as JSON values.
        texts: the outputs that were shown.

    Raises:
        AnswerError: an answer is missing, unknown, or does not fit its question.
    """
    if unknown := values.keys() - questions.keys():
        raise AnswerError(f"the study has no question {min(unknown)!r}")
    answers: dict[str, Answer] = {}
    for name, question in questions.items():
        if name not in values:
            raise AnswerError(f"{name}: the answer is missing")
        try:
            answers[name] = question.checked(values[name], texts)
        except AnswerError as error:
            raise AnswerError(f"{name}: {error}") from None
    return answers


def parsed(questions: Mapping[str, Question], texts: Mapping[str, str]) -> dict[str, Any]:
    """Parses answers written as texts; empty ones are left out.

    >>> parsed({"errors": Errors(ask="What is wrong?")}, {"errors": "2-3 error"})
    {'errors': ((1, 2, 'error'),)}

    Raises:
        AnswerError: a text is not an answer to its question.
    """
    values = {}
    for name, question in questions.items():
        if text := texts.get(name, "").strip():
            try:
                values[name] = question.parsed(text)
            except AnswerError as error:
                raise AnswerError(f"{name}: {error}") from None
    return values


def written(answer: Answer) -> str:
    """Returns an answer as a text; see `parsed`.

    >>> written(4), written(((1, 2, "grammar"), (4, 4, "meaning"))), written(())
    ('4', '2-3 grammar; 5 meaning', 'none')
    """
    if not isinstance(answer, tuple):
        return str(answer)
    spans = (
        (f"{first + 1}" if first == last else f"{first + 1}-{last + 1}") + f" {kind}" for first, last, kind in answer
    )
    return "; ".join(spans) or NO_ERRORS


def _require_names(names: Sequence[str]) -> None:
    """Refuses names that are empty, repeated, or have space at their ends."""
    if len(set(names)) < len(names) or not all(name and name == " ".join(name.split()) for name in names):
        raise ValueError(f"{', '.join(map(repr, names))}: names must be different, with single spaces")


def _one_of(options: Sequence[str], value: Any) -> str:
    if not isinstance(value, str) or value not in options:
        raise AnswerError(f"{value!r} is not one of {', '.join(options)}")
    return value

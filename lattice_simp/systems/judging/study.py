"""A study: the texts to judge, the questions, and the raters."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from lattice_simp.support.strict_model import StrictModel
from lattice_simp.systems.judging.questions import Question


class Design(str, Enum):
    """The assignment of outputs to raters."""

    LATIN_SQUARE = "latin-square"
    """One output for each item, from another system for each rater."""
    ALL = "all"
    """All outputs of all systems."""


class Item(StrictModel):
    """A line of the systems' files.

    Attributes:
        id: its name: the `id` of a JSON line, or the line number from 1.
        source: the text shown above the outputs; "" for none.
        outputs: the output of each system.
    """

    id: str
    source: str
    outputs: Mapping[str, str]


class Example(StrictModel):
    """A text with known answers: for training, or to check a rater's attention.

    Attributes:
        id: its name.
        source: the text shown above, as for an item.
        texts: one text, or two for preferences.
        expect: for each question with a known answer, the accepted answers; for errors, whether there are any.
        why: the explanation that a rater reads after a training item.
    """

    id: str
    source: str
    texts: tuple[str, ...]
    expect: Mapping[str, tuple[int | str, ...] | bool]
    why: str = ""

    def missed(self, answers: Mapping[str, Any]) -> list[str]:
        """Returns the questions whose answers are not accepted.

        >>> example = Example(id="1", source="", texts=("a a",), expect={"fluent": (1, 2), "errors": True})
        >>> example.missed({"fluent": 4, "errors": ((0, 1, "grammar"),)})
        ['fluent']
        """
        return [name for name, accepted in self.expect.items() if not _is_accepted(accepted, answers.get(name))]


class Labels(StrictModel):
    """The headings above texts."""

    source: str = "Original"
    output: str = "Output"
    first: str = "First"
    second: str = "Second"
    tie: str = "No difference"


class Study(StrictModel):
    """The content and the raters of a study.

    Attributes:
        title: the title of the page.
        instructions: the text that raters read before they begin; a blank line begins a paragraph.
        labels: the headings above texts.
        questions: the questions about each output, or about each pair of outputs, by name.
        systems: the names of the systems.
        items: the items to judge.
        training: the items that each rater judges first; the analysis ignores them.
        checks: attention checks among the items; the analysis ignores them.
        raters: the number of raters.
        names: the names of the raters, if nobody else may take part.
        design: the assignment of outputs to raters.
        seed: the seed of the random order.
    """

    title: str
    instructions: str
    labels: Labels
    questions: Mapping[str, Question]
    systems: tuple[str, ...]
    items: tuple[Item, ...]
    training: tuple[Example, ...] = ()
    checks: tuple[Example, ...] = ()
    raters: int
    names: tuple[str, ...] = ()
    design: Design = Design.LATIN_SQUARE
    seed: int = 1

    @property
    def texts(self) -> int:
        """The number of outputs shown together."""
        return max(question.texts for question in self.questions.values())

    @property
    def key(self) -> str:
        """The part of the study that must not change while it runs: everything but the number of raters."""
        return self.model_copy(update={"raters": 0, "names": ()}).model_dump_json()


def _is_accepted(accepted: tuple[int | str, ...] | bool, answer: Any) -> bool:
    return bool(answer) == accepted if isinstance(accepted, bool) else answer in accepted

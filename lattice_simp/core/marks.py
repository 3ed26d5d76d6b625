"""Labels that are not words of a sentence: sentence ends, silence, noise, padding.

Operations that count, print or score words skip them. The list is `grammars/marks.tsv`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set
from dataclasses import replace
from typing import TypeVar

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_tokens
from lattice_simp.support.tables import grammar_table

Value = TypeVar("Value")


class _Marks(frozenset[str]):
    """The set of labels that are not words; signatures show it by its name."""

    def __repr__(self) -> str:
        return "MARKS"


MARKS: frozenset[str] = _Marks(
    form
    for row in grammar_table("marks.tsv", ("mark", "meaning", "producers"))
    for form in (row["mark"], row["mark"].lower(), row["mark"].upper())
)
"""The marks that other programs write among the words, as listed, in lower case and in upper case.

>>> "!SENT_START" in MARKS, "<sil>" in MARKS, "<SIL>" in MARKS, "<unk>" in MARKS
(True, True, True, False)
>>> MARKS, len(MARKS) > 50    # by its name, so that `help` stays readable; `sorted(MARKS)` lists the marks
(MARKS, True)

`<unk>` counts as a word: one that a model did not know.
"""


def without_marks(tokens: Iterable[str], ignore: Collection[str] = MARKS) -> tuple[str, ...]:
    """Returns the tokens that are words.

    >>> without_marks(["<s>", "a", "cat", "</s>"])
    ('a', 'cat')
    """
    ignored = ignore if isinstance(ignore, Set) else as_tokens(ignore)
    return tuple(token for token in tokens if token not in ignored)


def unmarked(hypotheses: Iterable[Hypothesis], ignore: Collection[str] = MARKS) -> list[Hypothesis]:
    """Removes the marks from hypotheses; costs and features are unchanged.

    >>> [hypothesis.text for hypothesis in unmarked([Hypothesis(("<s>", "a", "</s>"), 1.0)])]
    ['a']
    """
    ignored = frozenset(as_tokens(ignore))
    if not ignored:
        return list(hypotheses)
    return [entry if ignored.isdisjoint(entry.tokens) else _without(entry, ignored) for entry in hypotheses]


def _without(entry: Hypothesis, ignored: frozenset[str]) -> Hypothesis:
    def of_words(column: tuple[Value, ...] | None) -> tuple[Value, ...] | None:
        if column is None:
            return None
        return tuple(value for token, value in zip(entry.tokens, column, strict=True) if token not in ignored)

    tokens = without_marks(entry.tokens, ignored)
    return replace(entry, tokens=tokens, times=of_words(entry.times), confidences=of_words(entry.confidences))

"""Answers of raters, by question, system and item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lattice_simp.support.groups import grouped
from lattice_simp.systems.judging.design import Role
from lattice_simp.systems.judging.questions import Answer
from lattice_simp.systems.judging.store import Judgement
from lattice_simp.systems.judging.study import Study


@dataclass(frozen=True)
class Vote:
    """The answer of a rater to a question about an output, or about two.

    Attributes:
        rater: the rater's name.
        item: the index of the item.
        systems: the systems whose outputs were shown, in this order.
        answer: the answer.
    """

    rater: str
    item: int
    systems: tuple[str, ...]
    answer: Answer


Votes: TypeAlias = Sequence[Vote]


def votes_on(judgements: Sequence[Judgement], name: str) -> list[Vote]:
    """Returns the answers to a question about items."""
    return [
        Vote(judgement.rater, judgement.trial.number, judgement.trial.systems, judgement.answers[name])
        for judgement in judgements
        if judgement.trial.role is Role.ITEM and name in judgement.answers
    ]


def votes_by_system(study: Study, votes: Votes) -> dict[str, list[Vote]]:
    """Returns the votes on the outputs of each system."""
    return {system: [vote for vote in votes if vote.systems == (system,)] for system in study.systems}


def count_wins(first: Mapping[int, float], second: Mapping[int, float]) -> tuple[int, int]:
    """Returns the number of items with a greater first value, and that with a greater second value."""
    common = first.keys() & second.keys()
    return sum(first[item] > second[item] for item in common), sum(first[item] < second[item] for item in common)


def item_means(votes: Votes) -> dict[int, float]:
    """Returns the mean of the answers about each item, which are numbers."""
    ratings: dict[int, list[Any]] = grouped((vote.item, vote.answer) for vote in votes)
    return {item: sum(values) / len(values) for item, values in ratings.items()}

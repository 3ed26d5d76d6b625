"""Assigns outputs to raters, in a random order.

Assignments are Latin squares: each rater judges each item once, and each system gets the same number of judgements from
each rater and on each item, or numbers that differ by one if equal ones are impossible.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, permutations

import numpy as np

from lattice_simp.systems.judging.study import Design, Study


class Role(str, Enum):
    """The purpose of a trial."""

    TRAINING = "training"
    CHECK = "check"
    ITEM = "item"


@dataclass(frozen=True)
class Trial:
    """A screen that a rater answers.

    Attributes:
        role: its purpose; only items count.
        number: the index of the item, or of the training item or check.
        systems: the systems whose outputs are shown, in this order; empty for training and checks.
    """

    role: Role
    number: int
    systems: tuple[str, ...] = ()


def latin_square(items: int, raters: int, conditions: int) -> np.ndarray:
    """Returns the condition of each item for each rater.

    >>> latin_square(3, 3, 3).tolist()
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]

    For each rater, for each item, and altogether, the counts of two conditions differ by at most one, for any numbers.
    The rows of fewer raters are the first rows for more raters.

    Returns:
        Shape (raters, items): numbers from 0 to `conditions` - 1; int64.
    """
    # Conditions are assigned in turn along the rows. Whenever this would give each item the same few conditions again,
    # the turn is shifted by one.
    cycle = conditions // math.gcd(items, conditions)
    rater = np.arange(raters, dtype=np.int64)[:, None]
    return np.asarray((np.arange(items) + rater * items + rater // cycle) % conditions)


def plan(study: Study, place: int) -> list[Trial]:
    """Returns the trials of a rater in their order: training, then items and checks.

    >>> from lattice_simp.systems.judging import Item, Labels, Rating
    >>> items = tuple(Item(id=str(line), source="", outputs={"old": "a", "new": "b"}) for line in range(2))
    >>> questions = {"fluent": Rating(ask="Is it fluent?")}
    >>> study = Study(
    ...     title="Rain", instructions="", labels=Labels(), questions=questions, items=items,
    ...     systems=("old", "new"), raters=2,
    ... )
    >>> [(trial.number, trial.systems) for trial in plan(study, 0)]
    [(1, ('new',)), (0, ('old',))]

    Args:
        study: the study.
        place: the rater's number from 0.
    """
    chance = random.Random(f"{study.seed} {place}")
    trials = []
    for systems in _rounds(study, place):
        order = [Trial(Role.ITEM, number, shown) for number, shown in enumerate(systems)]
        chance.shuffle(order)
        trials += order
    training = [Trial(Role.TRAINING, number) for number in range(len(study.training))]
    return [*training, *_with_checks(trials, len(study.checks), chance)]


def _rounds(study: Study, place: int) -> list[list[tuple[str, ...]]]:
    """Returns the systems to show for each item, in rounds: outputs for the same item are far apart."""
    items = len(study.items)
    if study.design is Design.LATIN_SQUARE:
        conditions = list(permutations(study.systems, study.texts))
        square = latin_square(items, place + 1, len(conditions))[place]
        return [[conditions[condition] for condition in square]]
    groups = list(combinations(study.systems, study.texts))
    square = latin_square(items, place + 1, len(groups))[place]
    return [
        [_shown(groups, (first + step) % len(groups), item + place) for item, first in enumerate(square.tolist())]
        for step in range(len(groups))
    ]


def _shown(groups: list[tuple[str, ...]], group: int, turn: int) -> tuple[str, ...]:
    """Returns a group of systems, reversed in every second turn."""
    return groups[group][::-1] if (group + turn) % 2 else groups[group]


def _with_checks(trials: list[Trial], checks: int, chance: random.Random) -> list[Trial]:
    """Puts each check at a random place in its part of the trials."""
    if not checks:
        return trials
    bounds = [len(trials) * part // checks for part in range(checks + 1)]
    mixed: list[Trial] = []
    for number in range(checks):
        part = trials[bounds[number] : bounds[number + 1]]
        part.insert(chance.randint(min(1, len(part)), len(part)), Trial(Role.CHECK, number))
        mixed += part
    return mixed

"""Groups values by their keys, and the nodes of a tree by their heads."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Returns the values of each key, in their order; keys are in the order of their first values.

    >>> grouped([("b", 1), ("a", 2), ("b", 3)])
    {'b': [1, 3], 'a': [2]}
    """
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def children_of(heads: Sequence[int]) -> list[list[int]]:
    """Returns the children of each node of a tree from the heads of all nodes; a negative head stands for none.

    >>> children_of([1, -1, 1])
    [[], [0, 2], []]
    """
    children: list[list[int]] = [[] for _ in heads]
    for position, head in enumerate(heads):
        if head >= 0:
            children[head].append(position)
    return children

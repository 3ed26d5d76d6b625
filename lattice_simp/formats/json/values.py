"""Values of JSON: their kinds, the first field of a kind, and warnings about what is not read.

>>> first_of({"text": None, "transcript": "a cat"}, ("text", "transcript"), str)
'a cat'
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard, TypeVar

from lattice_simp.core.columns import is_cost
from lattice_simp.formats.common import finite

Kind = TypeVar("Kind")

DOUBTS = "doubts"
"""The field of a sentence for warnings about omitted parts: pairs of a message and a remedy."""


LIKELIHOODS = "likelihoods"
"""The field of a sentence whose scores are log likelihoods, which may be above 0; their differences count."""


def with_doubts(sentence: Mapping[str, Any], doubts: Sequence[tuple[str, str]]) -> Mapping[str, Any]:
    """Returns a sentence with further warnings."""
    return {**sentence, DOUBTS: [*sentence.get(DOUBTS, ()), *doubts]} if doubts else sentence


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Returns whether a value is an object."""
    return isinstance(value, dict)


def are_objects(value: object, field: str | None = None) -> TypeGuard[list[dict[str, Any]]]:
    """Returns whether a value is a list of objects, which all have a field if one is named.

    >>> are_objects([{"text": "a"}], "text"), are_objects([]), are_objects({}), are_objects([{"text": "a"}], "id")
    (True, True, False, False)
    """
    return isinstance(value, list) and all(is_object(entry) and (field is None or field in entry) for entry in value)


def first_of(row: Mapping[str, Any], names: Iterable[str], kind: type[Kind]) -> Kind | None:
    """Returns the value of the first field, in the order of `names`, that is of a kind; None without one."""
    return next((row[name] for name in names if isinstance(row.get(name), kind)), None)


def is_finite(value: object) -> TypeGuard[float]:
    """Returns whether a value is a finite number, up to the largest cost."""
    return isinstance(value, int | float) and not isinstance(value, bool) and is_cost(value)


def number_of(value: object) -> float | None:
    """Returns a number, which may be written as a text; None for any other value.

    >>> number_of("0.5"), number_of(2), number_of(None)
    (0.5, 2.0, None)
    """
    number = finite(value) if isinstance(value, str) else value
    return float(number) if is_finite(number) else None


def listed(value: object) -> object:
    """Returns a list that is written as a text, by WeNet and old versions of sherpa-onnx; other values are unchanged.

    >>> listed("[0.5, 0.75]"), listed([0.5]), listed("[")
    ([0.5, 0.75], [0.5], '[')
    """
    if not isinstance(value, str) or not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value

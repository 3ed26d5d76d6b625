"""Reads the JSON objects that programs send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from starlette.requests import Request

from lattice_simp.errors import LatticeSimpError

Fields: TypeAlias = Mapping[str, Any]


async def json_fields(request: Request) -> dict[str, Any]:
    """Returns the object in the body of a request; raises LatticeSimpError for any other body."""
    try:
        fields = await request.json()
    except (ValueError, RecursionError):
        raise LatticeSimpError("the body is invalid JSON") from None
    if not isinstance(fields, dict):
        raise LatticeSimpError("the body is not a JSON object")
    return fields


def text_field(fields: Fields, name: str) -> str:
    """Returns the string of a field; raises LatticeSimpError if it is missing or not text."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise LatticeSimpError(f'"{name}" is missing or not a string')
    try:
        value.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can encode
        raise LatticeSimpError(f'"{name}" is not text') from None
    return value

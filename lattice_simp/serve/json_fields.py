"""Reads the JSON objects that programs send, and runs the actions that they ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.opened import OpenedStore

Fields: TypeAlias = Mapping[str, Any]

Action: TypeAlias = Callable[..., dict[str, Any]]
"""Takes a store, perhaps what the path of a request says, and the fields; returns the answer."""


async def json_fields(request: Request) -> dict[str, Any]:
    """Returns the object in the body of a request; raises LatticeSimpError for any other body."""
    try:
        fields = await request.json()
    except (ValueError, RecursionError):
        raise LatticeSimpError("the body is invalid JSON") from None
    if not isinstance(fields, dict):
        raise LatticeSimpError("the body is not a JSON object")
    return fields


async def run_action(request: Request, actions: Mapping[str, Action], store: OpenedStore[Any], *known: Any) -> Response:
    """Runs the action that the path of a request names, with the fields of its body, or raises 404."""
    if (action := actions.get(request.path_params["action"])) is None:
        raise HTTPException(404)
    return JSONResponse(await store.run(action, *known, await json_fields(request)))


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

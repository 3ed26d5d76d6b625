"""Reads requests: the task, the annotator, the fields of a form."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, quote, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.annotation import AnnotationError, Task, annotator_name

NAME_COOKIE = "lattice_simp_annotator"

MOST_FIELDS = 1000
"""The most fields of a form."""

_YEAR = 365 * 24 * 3600


def task_of(request: Request) -> Task:
    """Returns the task in the path of a request, or raises 404."""
    try:
        return Task(request.path_params["task"])
    except ValueError:
        raise HTTPException(404) from None


def annotator_of(request: Request) -> str:
    """Returns the annotator's name from the browser's cookie, or ""."""
    try:
        return annotator_name(unquote(request.cookies.get(NAME_COOKIE, ""), errors="strict"))
    except (AnnotationError, UnicodeDecodeError):
        return ""


def remember_annotator(request: Request, response: Response, name: str) -> None:
    """Stores the annotator's name in a cookie."""
    path = request.scope.get("root_path", "") or "/"
    response.set_cookie(NAME_COOKIE, quote(name), max_age=_YEAR, path=path, httponly=True, samesite="strict")


class Form:
    """The fields of a form."""

    def __init__(self, values: Mapping[str, list[str]]) -> None:
        self._values = values

    @classmethod
    async def of(cls, request: Request) -> Form:
        """Reads the form of a request.

        Raises:
            LatticeSimpError: The form is not UTF-8, or has too many fields.
        """
        try:
            return cls(parse_qs((await request.body()).decode(), True, errors="strict", max_num_fields=MOST_FIELDS))
        except ValueError:
            raise LatticeSimpError("the form is not UTF-8 or has too many fields") from None

    def one(self, name: str) -> str:
        """Returns the first value of a field, or ""."""
        return self._values.get(name, [""])[0]

    def all(self, name: str) -> list[str]:
        """Returns all values of a field."""
        return self._values.get(name, [])

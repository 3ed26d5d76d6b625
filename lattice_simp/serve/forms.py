"""Reads forms, and remembers who fills them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.common import natural
from lattice_simp.serve.text import one_line
from lattice_simp.support.people import person_name

MOST_FIELDS = 1000
"""The most fields of a form."""

_YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class NameCookie:
    """The cookie of this name, which holds the name of a visitor."""

    cookie: str

    def read(self, request: Request) -> str:
        """Returns the visitor's name, or ""."""
        try:
            return person_name(unquote(request.cookies.get(self.cookie, ""), errors="strict"))
        except (LatticeSimpError, UnicodeDecodeError):
            return ""

    def write(self, request: Request, response: Response, name: str) -> None:
        """Stores the visitor's name in the browser."""
        path = request.scope.get("root_path", "") or "/"
        response.set_cookie(self.cookie, quote(name), max_age=_YEAR, path=path, httponly=True, samesite="strict")


class Form:
    """The fields of a form."""

    def __init__(self, values: Mapping[str, list[str]]) -> None:
        self._values = values

    @classmethod
    async def of(cls, request: Request) -> Form:
        """Reads the form of a request; raises LatticeSimpError if it is not UTF-8 or has too many fields."""
        try:
            return cls(parse_qs((await request.body()).decode(), True, errors="strict", max_num_fields=MOST_FIELDS))
        except ValueError:
            raise LatticeSimpError("the form is not UTF-8 or has too many fields") from None

    def one(self, name: str) -> str:
        """Returns the first value of a field, or ""."""
        return self._values.get(name, [""])[0]

    def person(self, name: str) -> str:
        """Returns the name of a person in a field; raises LatticeSimpError if it is none."""
        return person_name(one_line(self.one(name), 1000))

    def all(self, name: str) -> list[str]:
        """Returns all values of a field."""
        return self._values.get(name, [])


def toggled(mask: str, tokens: int, position: str) -> str:
    """Toggles the mark of one token; an invalid position changes nothing.

    >>> toggled("", 3, "1"), toggled("010", 3, "2"), toggled("010", 3, "9")
    ('010', '011', '010')
    """
    bits = list(mask if len(mask) == tokens else "0" * tokens)
    if (place := natural(position)) is not None and place < tokens:
        bits[place] = "0" if bits[place] == "1" else "1"
    return "".join(bits)

"""Pages that take one text and show what a worker makes of it, and the same as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.pages import problem, render, while_connected
from lattice_simp.serve.problems import require_no_problem
from lattice_simp.serve.text import one_line
from lattice_simp.serve.workers import WorkerPool

Echo: TypeAlias = dict[str, Any]
"""What was asked for, as pages and interfaces repeat it: `text`, and what else a page has."""


@dataclass(frozen=True, eq=False)
class SentencePages:
    """A page and an interface over a pool whose function takes text and returns JSON values, or a `problem`.

    Pages that ask for more than text override `read`.

    Attributes:
        template: of the page; it gets what `read` echoes (`text`), `error`, and, if there is a text and no error, what
            the pool returns as `found`.
    """

    pool: WorkerPool
    limits: Limits
    template: str
    title: str

    def read(self, parameters: QueryParams) -> tuple[Echo, Any]:
        """Returns what is asked for, as the page repeats it, and as the pool takes it; "" or None for nothing.

        Raises:
            LatticeSimpError: a parameter is broken or out of bounds.
        """
        text = one_line(parameters.get("text", ""), self.limits.characters)
        return {"text": text}, text

    async def page(self, request: Request) -> Response:
        """The page."""
        answer, status, headers = await self._answered(request)
        found = answer if answer["text"] and answer["error"] is None else None
        values = answer | {"found": found, "title": self.title, "limits": self.limits}
        page = render(request, self.template, values, status)
        page.headers.update(headers)
        return page

    async def api(self, request: Request) -> Response:
        """What the page shows, as JSON."""
        answer, status, headers = await self._answered(request)
        return JSONResponse(answer, status, headers)

    async def _answered(self, request: Request) -> tuple[dict[str, Any], int, dict[str, str]]:
        echo, given = self.read(QueryParams())
        try:
            echo, given = self.read(request.query_params)
            found = await while_connected(request, self.pool.run(given)) if given else {}
            require_no_problem(found)
        except LatticeSimpError as error:
            message, status, headers = problem(error)
            return echo | {"error": message}, status, headers
        return echo | {"error": None} | found, HTTPStatus.OK, {}

"""Pages, and their JSON interfaces, that show a worker's result for a text."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.pages import problem, render, while_connected
from lattice_simp.serve.problems import require_no_problem
from lattice_simp.serve.section import Section
from lattice_simp.serve.text import one_line
from lattice_simp.serve.workers import WorkerPool

Echo: TypeAlias = dict[str, Any]
"""The query as pages and interfaces repeat it: `text` and further parameters."""

Facts: TypeAlias = dict[str, Any]
"""The result of a query, as JSON values."""

Answer: TypeAlias = tuple[dict[str, Any], int, dict[str, str]]
"""The query, its result and the error, if any; the status and the headers."""


@dataclass(frozen=True, eq=False)
class SentencePages:
    """A page and an interface over a pool whose function takes text and returns JSON values, or a `problem`.

    Pages with further parameters override `read`.

    Attributes:
        pool: the worker processes.
        limits: the bounds on requests.
        template: the template of the page, with the values echoed by `read` (`text`), `error`, and, if there is a text
            and no error, the pool's `result`.
        title: the title of the page and of the section.
    """

    pool: WorkerPool
    limits: Limits
    template: str
    title: str

    def read(self, parameters: QueryParams) -> tuple[Echo, Any]:
        """Returns the query as the page repeats it, and as the pool takes it ("" or None for none).

        Raises LatticeSimpError if a parameter is invalid or out of bounds.
        """
        text = one_line(parameters.get("text", ""), self.limits.characters)
        return {"text": text}, text

    def section(self, name: str, folder: Path) -> Section:
        """Returns a section with both; `name` begins their paths, and `folder` holds the templates."""
        routes = [Route(f"/{name}", self.page, name=name), Route(f"/api/{name}", self.api, name=f"api_{name}")]
        return Section(self.title, name, routes, folder / "templates", [self.pool])

    async def page(self, request: Request) -> Response:
        """Returns the page."""
        answer, status, headers = await self._answered(request)
        result = answer if answer["text"] and answer["error"] is None else None
        values = answer | {"result": result, "title": self.title, "limits": self.limits}
        return render(request, self.template, values, status, headers)

    async def api(self, request: Request) -> Response:
        """Returns the content of the page as JSON."""
        answer, status, headers = await self._answered(request)
        return JSONResponse(answer, status, headers)

    async def _answered(self, request: Request) -> Answer:
        """Returns the query with its result, or with an error."""
        try:
            query, result = await self._answer(request)
            require_no_problem(result)
        except LatticeSimpError as error:
            return self._failed(request.query_params, error)
        return query | {"error": None} | result, HTTPStatus.OK, {}

    def _failed(self, parameters: QueryParams, error: Exception) -> Answer:
        message, status, headers = problem(error)
        return self._echo(parameters) | {"error": message}, status, headers

    async def _answer(self, request: Request) -> tuple[Echo, Facts]:
        echo, query = self.read(request.query_params)
        return echo, await while_connected(request, self.pool.run(query)) if query else {}

    def _echo(self, parameters: QueryParams) -> Echo:
        """Returns the query for a page with an error; that of an empty form if the query cannot be read."""
        try:
            return self.read(parameters)[0]
        except LatticeSimpError:
            return self.read(QueryParams())[0]

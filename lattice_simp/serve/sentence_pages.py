"""Pages that take one text and show what a worker makes of it, and the same as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.pages import problem, render, while_connected
from lattice_simp.serve.text import one_line
from lattice_simp.serve.workers import WorkerPool


@dataclass(frozen=True, eq=False)
class SentencePages:
    """A page and an interface over a pool whose function takes text and returns JSON values, or a `problem`.

    Attributes:
        template: of the page; it gets `text`, `error`, and, if there is a text and no error, what the pool returns as
            `found`.
    """

    pool: WorkerPool
    limits: Limits
    template: str
    title: str

    async def page(self, request: Request) -> Response:
        """The page."""
        answer, status, headers = await self._answered(request)
        found = answer if answer["text"] and answer["error"] is None else None
        values = {"text": answer["text"], "error": answer["error"], "found": found}
        page = render(request, self.template, values | {"title": self.title, "limits": self.limits}, status)
        page.headers.update(headers)
        return page

    async def api(self, request: Request) -> Response:
        """What the page shows, as JSON."""
        answer, status, headers = await self._answered(request)
        return JSONResponse(answer, status, headers)

    async def _answered(self, request: Request) -> tuple[dict[str, Any], int, dict[str, str]]:
        text = ""
        try:
            text = one_line(request.query_params.get("text", ""), self.limits.characters)
            found = await while_connected(request, self.pool.run(text)) if text else {}
            if "problem" in found:
                raise LatticeSimpError(found["problem"])
        except LatticeSimpError as error:
            message, status, headers = problem(error)
            return {"text": text, "error": message}, status, headers
        return {"text": text, "error": None} | found, HTTPStatus.OK, {}

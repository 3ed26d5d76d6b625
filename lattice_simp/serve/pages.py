"""Renders templates, and reports errors as pages or JSON."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lattice_simp import __version__
from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.serve.section import Section
from lattice_simp.serve.security import HEADERS
from lattice_simp.serve.workers import BusyError
from lattice_simp.support.database import LockedError, StorageError
from lattice_simp.support.tasks.outcome import TimeLimitError, WorkerError

T = TypeVar("T")

LOG = logging.getLogger(__name__)

TEMPLATES = Path(__file__).parent / "templates"

RETRY_SECONDS = 2
"""The seconds after which clients of a busy server should retry."""

API = "/api/"
"""The prefix of interface paths, whose errors are JSON."""

_STATUS: Mapping[type[Exception], HTTPStatus] = {
    BusyError: HTTPStatus.SERVICE_UNAVAILABLE,
    TimeLimitError: HTTPStatus.GATEWAY_TIMEOUT,
    WorkerError: HTTPStatus.INTERNAL_SERVER_ERROR,
    LockedError: HTTPStatus.SERVICE_UNAVAILABLE,
    StorageError: HTTPStatus.INTERNAL_SERVER_ERROR,
    MissingExtraError: HTTPStatus.NOT_IMPLEMENTED,
    LatticeSimpError: HTTPStatus.BAD_REQUEST,
}
"""The status for each kind of error; the first match counts."""


def environment(sections: Sequence[Section]) -> Environment:
    """Returns the templates of all sections, with all output escaped."""
    pages = Environment(
        loader=FileSystemLoader([TEMPLATES, *(section.templates for section in sections)]),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(combined=lambda first, second: {**first, **second}, without=_without)
    pages.globals.update(sections=sections, path=path, version=__version__)
    return pages


def _without(mapping: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name not in names}


def path(request: Request, name: str, /, query: Mapping[str, Any] | None = None, **parameters: Any) -> str:
    """Returns the path of a route with its parameters below the app's mount point, with a query.

    A list in the query repeats its parameter.
    """
    # A missing file's error page is rendered below the mount point of static files.
    mounted = request.scope.get("root_path", "").removesuffix("/static")
    address = mounted + str(request.app.url_path_for(name, **parameters))
    return address + (f"?{urlencode(query, doseq=True)}" if query else "")


def redirected(
    request: Request, name: str, query: Mapping[str, Any] | None = None, place: str = "", **parameters: Any
) -> RedirectResponse:
    """Sends the browser to a `path`, by GET also after a form; `place` is an anchor on the page, with `#`."""
    return RedirectResponse(path(request, name, query, **parameters) + place, HTTPStatus.SEE_OTHER)


def render(
    request: Request,
    template: str,
    values: Mapping[str, Any],
    status: int = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """Renders a template, which may use the request, to a page; `headers` are those besides the usual ones."""
    pages: Environment = request.app.state.pages
    return HTMLResponse(pages.get_template(template).render(request=request, **values), status, headers)


def render_form(request: Request, template: str, values: Mapping[str, Any]) -> HTMLResponse:
    """Renders a page with a form, whose `error` in the values says why the form was refused, or is None."""
    return render(request, template, values, HTTPStatus.BAD_REQUEST if values["error"] else HTTPStatus.OK)


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Awaits work for a request; if the browser disconnects, cancels it and raises LatticeSimpError."""
    task, disconnected = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({task, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise LatticeSimpError("the browser has disconnected")
        return task.result()
    finally:
        for future in (task, disconnected):
            future.cancel()
            future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # retrieves the exception


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def problem(error: Exception) -> tuple[str, HTTPStatus, dict[str, str]]:
    """Returns the message, status and headers for an error."""
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    busy = status is HTTPStatus.SERVICE_UNAVAILABLE
    return str(error), status, {"Retry-After": str(RETRY_SECONDS)} if busy else {}


def http_error(request: Request, error: Exception) -> Response:
    """Answers a request with an HTTP error, such as 404."""
    assert isinstance(error, HTTPException)
    return _answer(request, error.detail, error.status_code, dict(error.headers or {}))


def request_error(request: Request, error: Exception) -> Response:
    """Answers a failed request, unless its page shows the error itself."""
    message, status, headers = problem(error)
    return _answer(request, message, status, headers)


def defect(request: Request, error: Exception) -> Response:
    """Answers a request that hit a bug, and logs the bug."""
    LOG.error("%s failed", request.url.path, exc_info=error)
    return _answer(request, "this is a defect of the server; see its log", 500, HEADERS)  # no middleware adds them


def _answer(request: Request, message: str, status: int, headers: Mapping[str, str]) -> Response:
    if request.scope["path"].removeprefix(request.scope.get("root_path", "")).startswith(API):
        return JSONResponse({"error": message}, status, headers)
    return render(request, "error.html", {"message": message, "title": HTTPStatus(status).phrase}, status, headers)

"""Requests that pages of other sites make a browser send are refused, whether they change something or compute.

Browsers say where a request comes from: `Sec-Fetch-Site`, or `Origin` where they are older (Valsorda 2025, as in Go's
`http.CrossOriginProtection`). What says neither is no browser. There are no tokens, so open pages outlive the server,
and any number of processes may answer.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_READING = frozenset({"GET", "HEAD"})


class OriginCheck:
    """Middleware that answers requests of other sites with 403.

    Args:
        linked: the paths of pages that links of other sites may lead to, without a query: they compute nothing.
    """

    def __init__(self, app: ASGIApp, linked: Collection[str] = ()) -> None:
        self.app, self.linked = app, linked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request as ASGI has it."""
        if scope["type"] == "http" and not self._may_pass(scope):
            message = "this request comes from a page of another site; open the address yourself"
            await PlainTextResponse(message, 403)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _may_pass(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            return site in ("same-origin", "none") or self._is_link(scope, headers)
        return origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()

    def _is_link(self, scope: Scope, headers: Headers) -> bool:
        """Returns whether a reader followed a link to a page, in a window of its own."""
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return followed and scope["method"] in _READING and not scope["query_string"] and path in self.linked

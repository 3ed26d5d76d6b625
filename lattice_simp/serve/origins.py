"""Refuses requests that pages of other sites make a browser send.

Browsers send the origin of a request in `Sec-Fetch-Site`, older ones in `Origin` (Valsorda 2025, as in Go's
`http.CrossOriginProtection`). Requests with neither do not come from browsers. There are no tokens, so open pages
outlive the server, and any number of processes may answer.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_READING = frozenset({"GET", "HEAD"})


class OriginCheck:
    """Middleware that answers requests from other sites with 403.

    Args:
        app: the app.
        linked: the paths of pages that other sites may link to, without a query, as they compute nothing.
    """

    def __init__(self, app: ASGIApp, linked: Collection[str] = ()) -> None:
        self.app, self.linked = app, linked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles an ASGI request."""
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
        """Returns whether the request follows a link to a page, at the top level."""
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return followed and scope["method"] in _READING and not scope["query_string"] and path in self.linked

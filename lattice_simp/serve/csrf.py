"""Requests that change something come from our own pages only.

A form holds a token that belongs to a cookie; another site can make a browser send the cookie, but cannot read the
token. Browsers say besides where a request comes from (`Sec-Fetch-Site`, `Origin`), and other sites' are refused.

    <form method="post"><input type="hidden" name="csrf_token" value="{{ csrf_token(request) }}"> ...

Scripts send it as the header `X-CSRF-Token`.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lattice_simp.serve.security import read_body, replayed

COOKIE, FIELD, HEADER = "lattice_simp_csrf", "csrf_token", "x-csrf-token"

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""What changes nothing."""

_FORM = "application/x-www-form-urlencoded"
_BYTES = 32
_STATE = "lattice_simp.csrf"


class CsrfProtection:
    """Middleware that answers a POST (PUT, DELETE, ...) of another site, or without our token, with 403.

    It comes after `BodyLimit`, since it reads the bodies of forms.

    Args:
        limit: bytes of a form.
        secret: what tokens are made with; each server's own.
    """

    def __init__(self, app: ASGIApp, limit: int, secret: bytes | None = None) -> None:
        self.app, self.limit = app, limit
        self.secret = secret or secrets.token_bytes(_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request as ASGI has it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        own = _Cookie(self.secret, cookie)
        scope[_STATE] = own
        if scope["method"] not in SAFE_METHODS:
            body = await read_body(receive, self.limit) or b""
            if not (_is_of_this_site(headers) and cookie and own.fits(_given_token(headers, body))):
                await PlainTextResponse("this form is not from a page of this server; load it again", 403)(
                    scope, receive, send
                )
                return
            receive = replayed(body, receive)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and own.is_new:
                path = scope.get("root_path", "") or "/"
                value = f"{COOKIE}={own.value}; HttpOnly; SameSite=Strict; Path={path}"
                MutableHeaders(scope=message).append("set-cookie", value)
            await send(message)

        await self.app(scope, receive, send_with_cookie)


def csrf_token(request: Request) -> str:
    """Returns the token for the forms of an answer; templates have this function, too."""
    own: _Cookie = request.scope[_STATE]
    return own.token()


class _Cookie:
    """The cookie of a browser and the token that belongs to it; a new one is made when a token is asked for."""

    def __init__(self, secret: bytes, value: str) -> None:
        self.secret, self.value, self.is_new = secret, value, False

    def token(self) -> str:
        if not self.value:
            self.value, self.is_new = secrets.token_urlsafe(_BYTES), True
        return hmac.new(self.secret, self.value.encode(), hashlib.sha256).hexdigest()

    def fits(self, token: str) -> bool:
        return hmac.compare_digest(self.token().encode(), token.encode())


def _is_of_this_site(headers: Headers) -> bool:
    """Returns whether the browser says that a page of this server sent a request; programs say nothing."""
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def _given_token(headers: Headers, body: bytes) -> str:
    if HEADER in headers:
        return headers[HEADER]
    if headers.get("content-type", "").split(";")[0].strip().lower() != _FORM:
        return ""
    try:
        return parse_qs(body.decode()).get(FIELD, [""])[0]
    except ValueError:
        return ""

"""Connections with silent, slow or non-reading clients are closed, and others are served."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from lattice_simp.serve import connections
from tests.serve.running import running

LARGE = 50_000_000


class Small:
    """A server of a page, of one that waits for a signal, of a large one, and of one that takes a form."""

    def __init__(self):
        self.signal, self.forms = threading.Event(), []
        paths = {"/": self.page, "/waits": self.waits, "/large": self.large, "/form": self.form}
        self.app = Starlette(
            routes=[Route(path, hypothesis, methods=["GET", "POST"]) for path, hypothesis in paths.items()]
        )

    async def page(self, request):
        return PlainTextResponse("page")

    async def waits(self, request):
        await asyncio.to_thread(self.signal.wait, 60)
        return PlainTextResponse("waited")

    async def large(self, request):
        return PlainTextResponse("x" * LARGE)

    async def form(self, request):
        self.forms.append(await request.body())
        return PlainTextResponse("taken")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE_S", 0.5)
    outcome = Small()
    with running(outcome.app) as outcome.address:
        yield outcome
        outcome.signal.set()


def opened(address, data=b""):
    result = socket.create_connection((urlsplit(address).hostname, urlsplit(address).port), timeout=30)
    result.sendall(data)
    return result


def is_closed(connection):
    """Waits until the other end closes a connection."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_thousand_silent_connections_keep_nobody_out(small, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE_S", 3600)
    with ExitStack() as stack:
        first = stack.enter_context(opened(small.address))
        for _ in range(600):
            stack.enter_context(opened(small.address))
        assert httpx.get(small.address).text == "page"
        assert is_closed(first)


@pytest.mark.parametrize(
    "begin", [b"", b"GET / HTTP/1.1\r\n", b"POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na"]
)
def test_silent_connections_are_closed(small, begin):
    with opened(small.address, begin) as context:
        assert is_closed(context)
    assert not small.forms


@pytest.mark.parametrize(
    "begin", [b"GET / HTTP/1.1\r\nX: ", b"POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n"]
)
def test_bytes_that_trickle_in_win_no_time(small, begin):
    with opened(small.address, begin) as context:
        context.settimeout(0.05)
        for _ in range(1000):
            try:
                context.sendall(b"a")
                if context.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("it is open yet")
    assert not small.forms


def test_what_is_computed_takes_its_time(small):
    with opened(small.address, b"GET /waits HTTP/1.1\r\nHost: a\r\n\r\n") as context:
        with opened(small.address) as silent:
            assert is_closed(silent)
        small.signal.set()
        assert context.recv(100).startswith(b"HTTP/1.1 200 OK")


def test_a_large_page_that_nobody_reads_is_given_up(small):
    with opened(small.address, b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n") as context:
        assert context.recv(1) == b"H"
        with opened(small.address) as silent:
            assert is_closed(silent)
        count = 0
        while data := _received(context):
            count += len(data)
        assert count < LARGE


def _received(connection):
    try:
        return connection.recv(1 << 20)
    except ConnectionResetError:
        return b""


def test_a_large_page_that_is_read_comes_whole(small, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE_S", 60)
    assert len(httpx.get(small.address + "large").content) == LARGE


def test_a_connection_is_used_again(small):
    with httpx.Client() as client:
        assert [client.get(small.address).text for _ in range(20)] == ["page"] * 20
        assert client.post(small.address + "form", content=b"a" * 100_000).text == "taken"
    assert small.forms == [b"a" * 100_000]

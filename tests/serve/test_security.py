"""Protection of a local server from pages of other sites, and from large requests."""

from __future__ import annotations

import asyncio
import re

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from lattice_simp.serve import Limits, Section, app_of
from lattice_simp.serve.pages import render
from lattice_simp.serve.security import HEADERS
from tests.serve.conftest import BASE

FORM = """{% extends "base.html" %}{% block main %}<form method="post"></form>{% endblock %}"""


@pytest.fixture
def written(tmp_path):
    """An app with one form, like those of sections that store data, and the stored data."""
    (tmp_path / "form.html").write_text(FORM, encoding="utf-8")
    kept = []

    async def form(request: Request):
        if request.method == "POST":
            kept.append((await request.body()).decode())
            return PlainTextResponse("kept")
        return render(request, "form.html", {"title": "Form"})

    async def defect(request: Request):
        raise KeyError("x")

    routes = [Route("/form", form, name="form", methods=["GET", "POST"]), Route("/defect", defect, name="defect")]
    app = app_of([Section("Form", "form", routes, tmp_path)], Limits(body=1000))
    return TestClient(app, base_url=BASE, raise_server_exceptions=False), kept


EVIL = "http://evil.example"
OTHERS = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},  # another server of this machine
    {"sec-fetch-site": "cross-site", "origin": BASE},
    {"sec-fetch-site": ""},
    {"origin": EVIL},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:9000"},
    {"origin": "http://127.0.0.1"},
    {"origin": f"{BASE}.evil.example"},
    {"origin": "http://["},
]
OURS = [
    {},  # a program
    {"origin": BASE, "sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "none"},  # a bookmark
    {"origin": BASE},
    {"origin": "https://127.0.0.1:8000"},  # a proxy has the certificate
]


def test_what_our_own_pages_and_programs_send_is_taken(written):
    client, kept = written
    for headers in OURS:
        assert client.post("/form", data={"a": "1"}, headers=headers).text == "kept", headers
        assert client.get("/form", headers=headers).status_code == 200, headers
    assert kept == ["a=1"] * len(OURS)


def test_what_pages_of_others_send_is_refused(written):
    client, kept = written
    for headers in OTHERS:
        for method in ("POST", "GET", "HEAD", "PUT", "OPTIONS"):
            answer = client.request(method, "/form", params={"a": "1"}, headers=headers)
            assert answer.status_code == 403, (method, headers)
            assert answer.headers["Content-Security-Policy"]
    assert not kept


def test_links_of_others_lead_to_pages_that_compute_nothing(written):
    client, _ = written
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    for path in ("/form", "/"):
        assert client.get(path, headers=link).status_code == 200, path
    for path in ("/form?a=1", "/defect", "/nowhere"):
        assert client.get(path, headers=link).status_code == 403, path
    assert client.post("/form", headers=link).status_code == 403
    for name, value in (("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image"), ("sec-fetch-dest", "iframe")):
        assert client.get("/form", headers=link | {name: value}).status_code == 403, value
    with TestClient(Starlette(routes=[Mount("/mt", client.app)]), base_url=BASE) as outer:
        assert outer.get("/mt/form", headers=link).status_code == 200
        assert outer.get("/mt/form?a=1", headers=link).status_code == 403


def test_a_request_that_breaks_off_changes_nothing(written):
    client, kept = written
    begun = [{"type": "http.request", "body": b"a=1", "more_body": True}, {"type": "http.disconnect"}]
    sent = []
    headers = [(b"host", b"127.0.0.1:8000"), (b"content-length", b"9")]
    scope = {"type": "http", "method": "POST", "path": "/form", "query_string": b"", "headers": headers}

    async def receive():
        return begun.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(client.app(scope, receive, send))
    assert (kept, sent) == ([], [])


def test_a_large_body_is_refused(written):
    client, kept = written
    assert client.post("/form", content=b"x" * 1000).status_code == 200
    assert client.post("/form", content=b"x" * 1001).status_code == 413
    assert client.post("/form", content=iter([b"x" * 600] * 2)).status_code == 413  # of unknown length
    assert client.post("/form", content=b"x" * 1_000_000).status_code == 413
    assert client.get("/form", headers={"content-length": "-5"}).status_code == 413
    assert len(kept) == 1


def test_every_answer_has_the_headers(written):
    client, _ = written
    for path in ("/form", "/nowhere", "/static/style.css", "/static/drawing.css", "/defect", "/api/nowhere"):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (path, name)
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_a_defect_is_a_page_without_details(written, caplog):
    client, _ = written
    answer = client.get("/defect")
    assert answer.status_code == 500
    assert "KeyError" not in answer.text
    assert "KeyError" in caplog.text


def test_pages_hold_no_scripts_or_styles_of_their_own(client):
    page = client.get("/translate", params={"text": "the house was built .", "mask": "11001"}).text
    assert not re.search(r"<script(?![^>]* src=)", page)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_other_names_are_refused(client, host):
    assert client.get("/translate", headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1234", "[::1]:8000"])
def test_names_of_this_machine_are_known(client, host):
    assert client.get("/translate", headers={"host": host}).status_code == 200


def test_the_app_can_be_mounted(demo_app, client):
    with TestClient(Starlette(routes=[Mount("/mt", demo_app)]), base_url=BASE) as outer:
        page = outer.get("/mt/", follow_redirects=True)
        assert page.url.path == "/mt/translate"
        assert 'aria-current="page"' in page.text
        for target in set(re.findall(r'(?:href|src|action|data-result)="([^"#]+)"', page.text)):
            assert target.startswith("/mt/"), target
        assert outer.get("/mt/static/style.css").status_code == 200
        missing = outer.get("/mt/static/nowhere.css")
        assert missing.status_code == 404
        assert set(re.findall(r'(?:href|src)="(/mt/[^"#/]+)', missing.text)) >= {"/mt/static", "/mt/translate"}
        assert "/static/static" not in missing.text
        assert outer.get("/mt/api/nowhere").json() == {"error": "Not Found"}
        answer = outer.get("/mt/translate", params={"text": "a", "marked": "b"}, follow_redirects=False)
        assert answer.headers["location"] == "/mt/translate?text=a"

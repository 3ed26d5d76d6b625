"""What protects a server on this machine from pages of others, and from large requests."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from lattice_simp.serve import Limits, Section, app_of
from lattice_simp.serve.csrf import COOKIE
from lattice_simp.serve.pages import render
from lattice_simp.serve.security import HEADERS
from tests.serve.conftest import BASE

FORM = """{% extends "base.html" %}{% block main %}<form method="post">
<input type="hidden" name="csrf_token" value="{{ csrf_token(request) }}"></form>{% endblock %}"""


@pytest.fixture
def written(tmp_path):
    """An app with one form, as sections that keep something have it, and what was kept."""
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


def token_of(page):
    return re.search(r'name="csrf_token" value="(\w+)"', page.text)[1]


def test_a_form_of_our_own_page_is_taken(written):
    client, kept = written
    page = client.get("/form")
    assert "HttpOnly; SameSite=Strict" in page.headers["set-cookie"]
    token = token_of(page)
    own = {"origin": BASE, "sec-fetch-site": "same-origin"}
    assert client.post("/form", data={"csrf_token": token, "a": "1"}, headers=own).text == "kept"
    assert kept == [f"csrf_token={token}&a=1"]  # the route reads the body that was looked at
    again = client.get("/form")
    assert "set-cookie" not in again.headers
    assert token_of(again) == token
    assert client.post("/form", json={"a": 1}, headers={"x-csrf-token": token}).text == "kept"  # as scripts send it


def test_what_another_page_sends_is_refused(written):
    client, kept = written
    token = token_of(client.get("/form"))
    good = {"csrf_token": token}
    for data, headers in [
        ({}, {}),
        ({"csrf_token": "0" * 64}, {}),
        ({"csrf_token": "\u00e9"}, {}),
        (good, {"origin": "http://evil.example"}),
        (good, {"origin": "null"}),
        (good, {"origin": "http://127.0.0.1:9000"}),  # another server of this machine
        (good, {"sec-fetch-site": "cross-site"}),
        (good, {"sec-fetch-site": "same-site"}),
        (good, {"content-type": "text/plain"}),
    ]:
        answer = client.post("/form", data=data, headers=headers)
        assert answer.status_code == 403, (data, headers)
    client.cookies.clear()
    assert client.post("/form", data=good).status_code == 403  # the token belongs to a cookie
    client.cookies.set(COOKIE, "mine")
    assert client.post("/form", data=good).status_code == 403
    assert not kept


def test_a_large_body_is_refused(written):
    client, kept = written
    token = {"x-csrf-token": token_of(client.get("/form"))}
    assert client.post("/form", content=b"x" * 1000, headers=token).status_code == 200
    assert client.post("/form", content=b"x" * 1001, headers=token).status_code == 413
    assert client.post("/form", content=iter([b"x" * 600] * 2), headers=token).status_code == 413  # of unknown length
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

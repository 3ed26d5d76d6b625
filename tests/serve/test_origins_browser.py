"""What a browser sends for pages of other sites: images, forms and frames are refused, links are followed."""

from __future__ import annotations

from contextlib import closing

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from lattice_simp.serve import Limits, app_of
from lattice_simp.serve.annotate.section import annotate_section
from lattice_simp.systems.annotation import AnnotationStore
from tests.serve.in_browser import expect, listening, needs_chromium
from tests.systems.annotation.small_store import make_store

pytestmark = [needs_chromium, pytest.mark.slow]

HOSTILE = """<!doctype html><title>Elsewhere</title>
<img src="{there}annotate/shorten?n=1"><img src="{there}annotate/export/skeletons.jsonl">
<img src="{there}annotate"><script src="{there}api/annotate"></script>
<iframe src="{there}annotate"></iframe>
<form method="post" action="{there}annotate/name"><input name="annotator" value="Eve"><button>Win</button></form>
<a id="page" href="{there}annotate">A page</a> <a id="work" href="{there}annotate/export/events.jsonl">Work</a>"""


ASKED = ["/annotate", "/annotate", "/annotate/export/skeletons.jsonl", "/annotate/shorten", "/api/annotate"]


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])  # another port of the same site, and another site
def test_pages_of_other_sites_get_nothing(browser, quick_path, name):
    make_store(quick_path / "talk.db", 4).close()
    elsewhere = []
    other = Starlette(routes=[Route("/", lambda request: HTMLResponse(elsewhere[0]))])
    app, statuses = app_of([annotate_section(quick_path / "talk.db")], Limits()), []

    async def recording(scope, receive, send):
        async def send_recorded(message):
            if message["type"] == "http.response.start":
                statuses.append((scope["path"], message["status"]))
            await send(message)

        await app(scope, receive, send_recorded)

    with listening(recording) as there, listening(other) as address, closing(browser.new_page()) as page:
        elsewhere.append(HOSTILE.format(there=there))
        page.goto(address.replace("localhost", name), wait_until="load")
        assert sorted(statuses) == [(path, 403) for path in ASKED]
        page.click("button")
        expect(page.locator("body")).to_contain_text("a page of another site")
        page.go_back()
        page.click("#work")
        expect(page.locator("body")).to_contain_text("a page of another site")
        page.go_back()
        page.click("#page")
        expect(page.locator("h1")).to_have_text("Annotate")
        page.reload()
        expect(page.locator("h1")).to_have_text("Annotate")
        page.fill("#annotator", "Ada")
        page.press("#annotator", "Enter")  # it is our own page now
        expect(page.locator(".go")).to_have_count(2)
    with AnnotationStore(quick_path / "talk.db") as store:
        assert not store.events()

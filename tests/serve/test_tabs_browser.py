"""The tabs for one text in a browser: typed, sent, shown; on a phone, in both colours."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from lattice_simp.serve import Limits, app_of
from lattice_simp.serve.hindi.section import hindi_section
from lattice_simp.serve.paraphrase.section import paraphrase_section
from lattice_simp.serve.simplify.section import simplify_section
from tests.serve.conftest import BASE
from tests.serve.in_browser import (
    broken_rules,
    expect,
    listening,
    needs_chromium,
    on_a_phone,
    open_all,
    require_readable,
    watched,
)

pytestmark = [needs_chromium, pytest.mark.slow]

CAPTIONS = "A girl is holding a red umbrella.\nA young woman is holding an umbrella near the river."
COMPLEX = "The old judge commenced work , and he was tired ."
HINDI = "राम आया कि सीता आया।"

EXAMPLES = {"simplify": COMPLEX, "hindi": HINDI, "paraphrase": CAPTIONS}
"""The text to type on each tab."""


@pytest.fixture(scope="module")
def address(simplifier, hindi):
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'skeletons')")
    limits = Limits(tokens=20, seconds=60)
    app = app_of(
        [simplify_section(simplifier, limits), hindi_section(hindi, limits), paraphrase_section(limits)], limits
    )
    with TestClient(app, base_url=BASE), listening(app) as context:  # the client starts and stops the processes
        yield context


@pytest.fixture
def page(browser, address):
    """The start page; script errors fail the test, except for the message about a refused text."""
    with watched(browser, ["400 (Bad Request)"]) as context:
        context.goto(address)
        yield context


def send(page, tab, text):
    """Opens a tab, types a text, and submits it."""
    page.click(f"nav a[href$='/{tab}']")
    page.fill("#text", text)
    page.click("button[type=submit]")
    expect(page.locator("#text")).to_have_value(text)


def test_a_sentence_is_simplified(page):
    send(page, "simplify", COMPLEX)
    expect(page.locator("#simple-title")).to_have_text("Simpler")
    simple = page.locator(".card .words").inner_text()
    assert "started work" in simple
    result = page.locator("main ul li").all_inner_texts()
    assert result
    page.click("text=Features")
    expect(page.locator("tbody tr").first).to_be_visible()


def test_clauses_of_hindi_are_shown(page):
    send(page, "hindi", HINDI)
    expect(page.locator(".clauses .clause")).to_have_count(2)
    assert page.locator(".clauses .clause .clause").inner_text().split() == ["comp", "कि", "सीता", "आया"]
    expect(page.locator("section ol li").first).to_contain_text("राम आया")
    assert page.locator(".clauses").get_attribute("lang") == "hi"


def test_a_set_is_paraphrased_and_filtered(page):
    send(page, "paraphrase", CAPTIONS)
    listed = page.locator(".paraphrases li")
    expect(listed.first).to_be_visible()
    count = listed.count()
    for entry in listed.all():
        result = entry.locator(".cost").inner_text()
        for marked in entry.locator("ins").all_inner_texts():
            assert marked in result  # what stands for something else is told with what it stands for
    removed = page.locator(".filters .cost").all_inner_texts()
    assert len(removed) == page.locator(".filters input:checked").count() > 1
    for box in page.locator(".filters input[type=checkbox]").all():
        box.uncheck()
    page.click("button[type=submit]")
    expect(page.locator(".filters input:checked")).to_have_count(0)
    assert listed.count() >= count
    page.reload()
    expect(page.locator(".filters input:checked")).to_have_count(0)  # the address says it
    page.go_back()
    assert page.locator(".filters input:checked").count() > 1


@pytest.mark.parametrize("tab", EXAMPLES)
def test_what_is_wrong_is_reported_and_the_text_stays(page, tab):
    send(page, tab, " ".join(["<b>so</b>"] * 30))
    expect(page.locator("[role=alert]")).to_contain_text("tokens; give ")
    assert page.locator("main b").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("tab", EXAMPLES)
def test_colours_widths_and_names(page, tab, scheme):
    with on_a_phone(page, scheme):
        send(page, tab, EXAMPLES[tab])
        open_all(page)
        require_readable(page, scheme)


@pytest.mark.parametrize("tab", EXAMPLES)
def test_the_rules_of_axe_core(page, tab):
    send(page, tab, EXAMPLES[tab])
    open_all(page)
    assert broken_rules(page) == []

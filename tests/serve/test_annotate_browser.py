"""Annotation in a browser: by mouse and by keyboard, taken back, taken out; on a phone, in both colours."""

from __future__ import annotations

import json

import pytest

from lattice_simp.serve import Limits, app_of
from lattice_simp.serve.annotate.section import annotate_section
from lattice_simp.systems.annotation import AnnotationStore
from tests.serve.in_browser import (
    broken_rules,
    expect,
    listening,
    needs_chromium,
    on_a_phone,
    require_readable,
    watched,
)
from tests.systems.annotation.small_store import make_store

pytestmark = [needs_chromium, pytest.mark.slow]

SAVE = "button[value=save]"


@pytest.fixture
def path(quick_path):
    with make_store(quick_path / "talk.db", 4, length=11, shortenings=2, checks=1) as store:
        store.shorten("Bob", "talk.0", "11100110000")
    return quick_path / "talk.db"


@pytest.fixture
def page(browser, path):
    """The page of an annotator who has given a name; errors of its scripts fail the test."""
    app = app_of([annotate_section(path)], Limits())
    refused = ["400 (Bad Request)"]  # a judgement
    with listening(app) as address, watched(browser, refused) as page:
        page.goto(address + "annotate")
        if page.locator("#annotator").input_value() != "Ada":
            page.fill("#annotator", "Ada")
            page.press("#annotator", "Enter")
        expect(page.locator(".go")).to_have_count(2)
        yield page


def tokens(page):
    return page.locator("#tokens button")


def pages(page):
    """Yields at the first page and at both tasks, each begun."""
    for name in ("", "/shorten", "/check"):
        page.goto(page.url.split("/annotate")[0] + "/annotate" + name)
        if name:
            (tokens(page).nth(1) if name == "/shorten" else page.locator("[name=bad]").first).click()
        yield


def judgements(path):
    with AnnotationStore(path) as store:
        return [
            (judgement.annotator, judgement.sentence.id, judgement.skeleton.to_mask())
            for judgement in store.judgements()
        ]


def begin(page, task="Shorten sentences"):
    page.click(f'a.go:has-text("{task}")')
    expect(page.locator("form.marking")).to_be_visible()
    page.wait_for_load_state()  # its script has run: keys that come before are lost


def arrived(page, sentence):
    """Waits for the page of a sentence, and for its script."""
    expect(page.locator("[name=sentence]")).to_have_value(sentence)
    page.wait_for_load_state()


def test_by_mouse_undone_and_taken_out(page, path, tmp_path):
    begin(page)
    left = page.locator("#left")
    expect(left).to_have_text("the old mill by that river was sold again last week")
    tokens(page).nth(1).click()
    first, last = tokens(page).nth(3).bounding_box(), tokens(page).nth(5).bounding_box()
    page.mouse.move(first["x"] + 5, first["y"] + 5)
    page.mouse.down()
    page.mouse.move(last["x"] + 5, last["y"] + 5, steps=6)
    page.mouse.up()
    tokens(page).nth(8).click()
    tokens(page).nth(10).click(modifiers=["Shift"])
    expect(left).to_have_text("the mill was sold")
    expect(page.locator(".whole")).to_be_hidden()
    page.click(SAVE)
    arrived(page, "talk.1")
    assert judgements(path)[-1] == ("Ada", "talk.0", "10100011000")
    page.click("text=Undo my last judgement")
    arrived(page, "talk.0")
    expect(left).to_have_text("the mill was sold")  # as it was
    tokens(page).nth(1).click()
    page.click(SAVE)
    arrived(page, "talk.1")
    assert judgements(path)[-1] == ("Ada", "talk.0", "11100011000")
    page.click("text=overview")
    with page.expect_download() as download:
        page.click("text=all judgements")
    download.value.save_as(tmp_path / "made.jsonl")
    record = json.loads((tmp_path / "made.jsonl").read_text("utf-8"))
    assert (record["keep"], record["annotators"]) == (["11100110000", "11100011000"], ["Bob", "Ada"])


def test_by_keyboard_alone(page, path):
    begin(page)
    expect(tokens(page).nth(0)).to_be_focused()  # one may begin at once
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("End")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("#left")).to_have_text("the mill by that river was sold")
    page.keyboard.press("Home")
    page.keyboard.press("Control+Enter")
    arrived(page, "talk.1")
    assert judgements(path)[-1] == ("Ada", "talk.0", "10111111000")
    for _ in range(12):  # to the buttons, by tabs alone
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "skip":
            break
    page.keyboard.press("Enter")
    arrived(page, "talk.2")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[role=alert]")).to_contain_text("no word is deleted")
    page.wait_for_load_state()
    page.check("[name=whole]")
    page.keyboard.press("Control+Enter")
    arrived(page, "talk.3")
    assert judgements(path)[-1] == ("Ada", "talk.2", "1" * 11)


def test_checking_by_keys(page, path):
    with AnnotationStore(path) as store:
        store.shorten("Cleo", "talk.0", "00000110001")
    begin(page, "Check others' work")
    boxes = page.locator("[name=bad]")
    expect(boxes).to_have_count(2)
    page.keyboard.press("2")
    page.keyboard.press("1")
    page.keyboard.press("1")
    expect(boxes.nth(0)).not_to_be_checked()
    expect(boxes.nth(1)).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_have_text("Nothing left to do")
    with AnnotationStore(path) as store:
        assert {verdict.annotator for verdict in store.verdicts()} == {"Ada"}
        assert [verdict.bad for verdict in store.verdicts()] == [True, False]
    page.click("text=Undo my last judgement")
    expect(page.locator("[name=bad]").nth(1)).to_be_checked()


def test_without_a_script_it_is_a_form(page, path):
    page.route("**/annotate.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    begin(page)
    tokens(page).nth(1).click()
    expect(page.locator("#left")).to_have_text("the mill by that river was sold again last week")
    page.click(SAVE)
    arrived(page, "talk.1")
    assert judgements(path)[-1] == ("Ada", "talk.0", "1" + "0" + "1" * 9)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_see_and_hear_it(page, path, scheme):
    with AnnotationStore(path) as store:
        store.shorten("Cleo", "talk.0", "00000110001")
        store.check("Dora", "talk.0", {"00000110001": True, "11100110000": False})
        store.settings = type(store.settings)(shortenings=2, checks=2)
    with on_a_phone(page, scheme):
        for _ in pages(page):
            require_readable(page, scheme)
            pointed = page.evaluate(
                "[...document.querySelectorAll('[aria-labelledby],[aria-describedby]')].flatMap(own => "
                "[own.getAttribute('aria-labelledby'), own.getAttribute('aria-describedby')].filter(Boolean))"
            )
            assert all(page.locator(f"#{entry}").count() == 1 for entry in pointed), page.url
            assert page.locator("h1").count() == 1
            assert page.locator("nav [aria-current]").inner_text() == "Annotate"


def test_the_rules_of_axe_core(page, path):
    with AnnotationStore(path) as store:
        store.shorten("Cleo", "talk.0", "00000110001")
    for _ in pages(page):
        assert broken_rules(page) == [], page.url

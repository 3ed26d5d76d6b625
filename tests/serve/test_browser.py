"""The page in a browser: marks by mouse and keyboard, its address, widths, colours, and what others than eyes find."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest

from tests.serve.conftest import SENTENCE
from tests.serve.in_browser import (
    NAMELESS,
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

COMPOSED = ".translation.composed .words"


@pytest.fixture(scope="module")
def address(demo_app, client):
    """The address of the demo's app; `client` holds its processes."""
    with listening(demo_app) as context:
        yield context


@pytest.fixture
def page(browser, address):
    """The demo's page of one sentence; errors of its script fail the test."""
    with watched(browser) as context:
        context.goto(f"{address}translate?text={SENTENCE.replace(' ', '+')}")
        yield context


def tokens(page):
    return page.locator("#tokens button")


MASK_OF_TOKENS = """mask => mask === Array.from(document.querySelectorAll("#tokens button"),
    own => own.getAttribute("aria-pressed") === "true" ? "1" : "0").join("")"""


def expect_marks(page, mask):
    """Waits until the tokens are marked as `mask` says: after a click a page may still be on its way."""
    page.wait_for_function(MASK_OF_TOKENS, arg=mask)


def expect_address(page, mask):
    """Waits until the address has this mask, or none where `mask` is empty."""
    expect(page).to_have_url(re.compile(rf"[?&]mask={mask}(&|$)" if mask else r"^(?!.*[?&]mask=)"))


def test_marks_by_mouse_change_the_translation_and_the_address(page):
    expect(page.locator(".translation.full .words")).to_contain_text("bibliothekarinnen")
    expect(page.locator(COMPOSED)).to_have_count(0)
    tokens(page).nth(1).click()
    expect(page.locator(COMPOSED)).to_be_visible()
    expect_address(page, "0100000000000")
    expect(page.locator("#facts")).to_contain_text("1 of 13 tokens marked")

    first, last = tokens(page).nth(2).bounding_box(), tokens(page).nth(5).bounding_box()
    page.mouse.move(first["x"] + 5, first["y"] + 5)
    page.mouse.down()
    page.mouse.move(last["x"] + 40, last["y"] + 5, steps=8)
    page.mouse.move(last["x"] + 5, last["y"] + 5, steps=2)
    page.mouse.up()
    expect_marks(page, "0111110000000")
    expect_address(page, "0111110000000")

    tokens(page).nth(8).click()
    tokens(page).nth(11).click(modifiers=["Shift"])
    expect_marks(page, "0111110011110")
    tokens(page).nth(1).click()
    expect_marks(page, "0011110011110")
    expect(page.locator("#facts")).to_contain_text("type Mixed")
    page.click("#clear")
    expect_address(page, "")
    expect(page.locator(COMPOSED)).to_have_count(0)


def test_marks_by_keyboard(page):
    tokens(page).nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(tokens(page).nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    expect_marks(page, "0111000000000")
    page.keyboard.press("End")
    expect(tokens(page).nth(12)).to_be_focused()
    page.keyboard.press("Enter")
    expect_marks(page, "0111000000001")
    expect_address(page, "0111000000001")
    expect(page.locator("#announcement")).not_to_be_empty()  # what readers of screens hear
    page.keyboard.press("Home")
    expect(tokens(page).nth(0)).to_be_focused()
    in_order = tokens(page).evaluate_all("all => all.filter(own => own.tabIndex === 0).length")
    assert in_order == 1  # one stop in the order of tabs


def test_the_address_brings_the_state_back(page):
    page.locator("[data-mask]").first.click()  # a suggestion
    expect(page.locator(COMPOSED)).to_be_visible()
    pressed = tokens(page).evaluate_all("all => all.map(own => own.getAttribute('aria-pressed'))")
    mask = "".join("1" if entry == "true" else "0" for entry in pressed)
    expect_address(page, mask)
    text, listed = page.locator(COMPOSED).inner_text(), page.locator(".nbest li").count()
    assert listed > 3
    page.click(".options summary")
    page.fill("#option-nbest", "3")
    page.locator("#option-nbest").press("Tab")
    expect(page.locator(".nbest li")).to_have_count(3)
    assert "nbest=3" in page.url
    page.reload()
    expect_marks(page, mask)
    expect_address(page, mask)
    expect(page.locator(".nbest li")).to_have_count(3)
    assert page.locator(COMPOSED).inner_text() == text
    page.go_back()
    expect(page.locator(".nbest li")).to_have_count(listed)


def test_a_sentence_is_chosen_or_typed(page, address):
    page.goto(address)
    page.locator(".examples a").first.click()
    expect(page.locator("#tokens button").first).to_be_visible()
    assert page.locator("#text").input_value() == page.locator("#tokens").inner_text().replace("\n", " ")
    page.fill("#text", "the plan was rejected .")
    page.locator("#text").press("Enter")
    expect(page.locator("#tokens button")).to_have_count(5)
    assert page.url == f"{address}translate?text=the+plan+was+rejected+."


def test_a_hypothesis_shows_its_path(page):
    row = page.locator(".nbest li").nth(1)
    row.hover()
    lit = page.locator(".lattice .ls-word.is-lit").all_inner_texts()
    words = page.locator(".lattice .ls-word.is-lit").evaluate_all("all => all.map(own => own.lastChild.textContent)")
    assert len(lit) == len(words) > 5
    assert sorted(words) == sorted(row.locator("span").first.inner_text().split())


def test_a_word_shows_where_it_comes_from(page):
    full = page.locator(".translation.full [data-source]")
    full.filter(has_text="bibliothekarinnen").hover()
    assert page.locator("#tokens .is-lit").all_inner_texts() == ["librarians"]
    tokens(page).nth(2).hover()
    expect(page.locator(".translation.full .is-lit")).to_have_text(["veröffentlichten"])
    page.mouse.move(1, 1)
    expect(page.locator(".is-lit")).to_have_count(0)


def test_confidence_is_switched_on(page):
    words = page.locator(".translation.full [class^='doubt-']")
    expect(words).to_have_count(0)
    page.click(".options summary")
    page.get_by_label("Show word confidence").check()
    expect(words).to_have_count(14)
    assert "confidence=1" in page.url
    page.click("#details-confidence summary")
    rows = page.locator("#details-confidence tbody tr")
    expect(rows).to_have_count(14)
    expect(rows.first).to_have_text(re.compile(r"die\s*1\.00"))
    tokens(page).nth(1).click()
    expect(rows).to_have_count(28)  # those of the composed translation, and what was open remains so
    expect(rows.last).to_be_visible()
    assert page.evaluate(NAMELESS) == []
    page.reload()
    expect(page.get_by_label("Show word confidence")).to_be_checked()
    expect(words).to_have_count(14)


def test_without_a_script_it_works_as_a_form(browser, address):
    page = browser.new_page()
    page.route("**/translate.js", lambda route: route.abort())
    page.goto(address)
    page.fill("#text", "the house was built yesterday .")
    page.click("text=Translate >> nth=-1")
    page.click("#tokens button:nth-child(2)")
    expect_address(page, "010000")
    expect(page.locator(COMPOSED)).to_be_visible()
    page.click("#tokens button:nth-child(4)")
    expect_marks(page, "010100")
    expect_address(page, "010100")
    page.close()


def test_text_from_right_to_left_runs_so(page, address):
    page.goto(f"{address}translate?text=שלום+עולם+זה&mask=010")
    boxes = [entry.bounding_box()["x"] for entry in tokens(page).all()]
    assert boxes == sorted(boxes, reverse=True)
    tokens(page).nth(0).focus()
    page.keyboard.press("ArrowLeft")
    expect(tokens(page).nth(1)).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_it_is_readable(page, scheme):
    with on_a_phone(page, scheme):
        page.locator("[data-mask]").first.click()
        expect(page.locator(COMPOSED)).to_be_visible()
        expect(page.locator("#result")).not_to_have_attribute("aria-busy", "true")
        open_all(page)
        require_readable(page, scheme)


def test_everything_has_a_place(page):
    tokens(page).nth(1).click()
    expect(page.locator(COMPOSED)).to_be_visible()
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(own => Number(own.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    for landmark in ("header", "nav[aria-label]", "main", "footer"):
        assert page.locator(landmark).count() == 1, landmark
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(own => own.id)")
    assert len(ids) == len(set(ids))
    pointed = page.evaluate(
        "[...document.querySelectorAll('[aria-labelledby],[aria-describedby],label[for]')].flatMap(own => "
        "[own.getAttribute('aria-labelledby'), own.getAttribute('aria-describedby'), own.htmlFor].filter(Boolean))"
    )
    assert pointed
    assert set(pointed) <= set(ids)
    assert page.evaluate("document.documentElement.lang") == "en"
    tokens(page).nth(2).focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_rules_of_axe_core(page):
    tokens(page).nth(1).click()
    expect(page.locator(COMPOSED)).to_be_visible()
    expect(page.locator("#result")).not_to_have_attribute("aria-busy", "true")
    time.sleep(0.4)  # fading in
    open_all(page)
    assert broken_rules(page) == []

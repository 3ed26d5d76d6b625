"""Judging in a browser: by mouse and by keyboard, two raters at once, on a phone, in both colours."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed (the extra 'judging')")

from lattice_simp.serve import Limits, app_of
from lattice_simp.serve.judge.section import judge_section
from lattice_simp.systems.judging.questions import Rating
from lattice_simp.systems.judging.store import JudgingStore
from tests.serve.in_browser import (
    broken_rules,
    expect,
    listening,
    needs_chromium,
    on_a_phone,
    require_readable,
    watched,
)
from tests.systems.judging.small_study import CHOICE, ERRORS, PREFERENCE, RATING, example, make_study

pytestmark = [needs_chromium, pytest.mark.slow]

SAVE = "button[value=save]"
RATINGS = RATING | {"meaning": Rating(ask="Does it keep the meaning?", low=0, high=3, anchors={0: "no", 3: "yes"})}
SCORE = {"score": Rating(ask="How good is it?", low=0, high=100, anchors={0: "bad", 100: "perfect"})}
STUDIES = {
    "ratings": {"questions": RATINGS, "training": (example(0, why="The order of words."),)},
    "choice": {"questions": CHOICE | SCORE},
    "errors": {"questions": ERRORS | RATING},
    "preference": {"questions": PREFERENCE},
}


@pytest.fixture
def path(quick_path):
    return quick_path / "a.db"


@contextmanager
def judging(browser, path, name, rater="Ada", **fields):
    """Opens the page of a rater; errors of its scripts fail the test."""
    app = app_of([judge_section(make_study(**STUDIES[name] | fields), path)], Limits())
    with listening(app) as address, watched(browser, ["400 (Bad Request)"]) as page:
        begin(page, address, rater)
        yield page


def begin(page, address, rater):
    page.goto(address + "judge")
    page.fill("#rater", rater)
    page.press("#rater", "Enter")
    arrived(page, 0)


def arrived(page, done):
    """Waits for a number of finished trials, and for the script of the page."""
    expect(page.locator(".facts")).to_contain_text(f"{done} of ")
    page.wait_for_load_state()  # keys that come before are lost


def answers(path):
    with JudgingStore(path) as store:
        return [dict(judgement.answers) for judgement in store.judgements()]


def point(page, question, value):
    return page.locator(f'.point:has(input[name="answer.{question}"][value="{value}"])')


def test_by_mouse_with_feedback_and_undone(browser, path):
    with judging(browser, path, "ratings") as page:
        expect(page.locator(".practice")).to_be_visible()
        point(page, "fluency", 4).click()
        page.click(SAVE)
        expect(page.locator(".scale input:focus, .scale input:invalid").first).to_be_attached()  # one answer is missing
        assert answers(path) == []
        point(page, "meaning", 0).click()
        page.click(SAVE)
        arrived(page, 1)
        expect(page.locator(".notice")).to_contain_text("Other answers were expected")
        expect(page.locator(".notice")).to_contain_text("1 or 2")
        expect(page.locator(".practice")).to_have_count(0)
        point(page, "fluency", 5).click()
        point(page, "meaning", 3).click()
        page.click(SAVE)
        arrived(page, 2)
        page.click("text=Undo my last judgement")
        arrived(page, 1)
        expect(page.locator('input[name="answer.fluency"][value="5"]')).to_be_checked()  # as it was
        page.click("text=Cannot judge")
        arrived(page, 2)
        assert answers(path) == [{"fluency": 4, "meaning": 0}, {}]


def test_by_keyboard_alone(browser, path):
    """A digit for each question, then Enter."""
    with judging(browser, path, "ratings") as page:
        for number, keys in enumerate(("43", "20", "11"), start=1):
            for key in keys:
                page.keyboard.press(key)
            page.keyboard.press("Enter")
            arrived(page, number)
        page.keyboard.press("u")
        arrived(page, 2)
        page.keyboard.press("5")
        page.keyboard.press("Shift+Tab")  # to the question before
        page.keyboard.press("Control+Enter")
        arrived(page, 3)
        wanted = [(4, 3), (2, 0), (5, 1)]
        assert answers(path) == [{"fluency": first, "meaning": second} for first, second in wanted]
        page.keyboard.press("9")  # not on the scale
        assert page.locator(".scale input:checked").count() == 0


def test_right_or_wrong_and_a_long_scale_by_keys(browser, path):
    with judging(browser, path, "choice") as page:
        page.keyboard.press("2")
        expect(page.locator("input[type=number]")).to_be_focused()
        page.keyboard.type("87")  # these are no answers to the other question
        page.keyboard.press("Enter")
        arrived(page, 1)
        assert answers(path) == [{"right": "wrong", "score": 87}]


def test_marking_errors_by_mouse_and_by_keys(browser, path):
    with judging(browser, path, "errors") as page:
        tokens = page.locator("#tokens button")
        first, last = tokens.nth(0).bounding_box(), tokens.nth(1).bounding_box()
        page.mouse.move(first["x"] + 5, first["y"] + 5)
        page.mouse.down()
        page.mouse.move(last["x"] + 5, last["y"] + 5, steps=6)
        page.mouse.up()
        page.click("#kinds button >> nth=1")
        expect(page.locator("#marks li")).to_have_text(["a sentence meaning Remove"])
        expect(page.locator("#tokens .marked")).to_have_count(2)
        tokens.nth(1).click()
        page.click("#kinds button >> nth=0")  # another kind for a part of it
        expect(page.locator("#marks li")).to_have_text(["sentence grammar Remove"])
        page.click("text=Remove")
        expect(page.locator("#no-marks")).to_be_visible()
        expect(tokens.nth(1)).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("1")  # words are chosen: the digit is a kind of error
        page.keyboard.press("4")  # none are: it is a rating
        page.keyboard.press("Control+Enter")
        arrived(page, 1)
        assert answers(path) == [{"errors": ((2, 3, "grammar"),), "fluency": 4}]
        page.click("text=Undo my last judgement")
        arrived(page, 0)
        expect(page.locator("#marks li")).to_have_text(re.compile(r"numbered \d grammar Remove"))


def test_the_better_one_by_keys(browser, path):
    with judging(browser, path, "preference") as page:
        expect(page.locator(".translation")).to_have_count(2)
        for number, key in enumerate("123", start=1):
            page.keyboard.press(key)
            page.keyboard.press("Enter")
            arrived(page, number)
        assert [answer["better"] for answer in answers(path)] == ["first", "second", "tie"]


def test_two_raters_at_once(browser, path):
    """One's answers do not affect the other. Cookies belong to a host name: two names of a host act as two browsers."""
    app = app_of([judge_section(make_study(questions=CHOICE), path)], Limits())
    with listening(app) as address, watched(browser) as ada, watched(browser) as bob:
        begin(ada, address, "Ada")
        begin(bob, address.replace("localhost", "127.0.0.1"), "Bob")
        for done in range(1, 5):
            for page, key in ((ada, "1"), (bob, "2")):
                page.keyboard.press(key)
                page.keyboard.press("Enter")
                arrived(page, done)
        for page in (ada, bob):
            expect(page.locator("main")).to_contain_text("You have judged everything")
    assert [answer["right"] for answer in answers(path)] == ["right"] * 4 + ["wrong"] * 4


def test_a_double_click_saves_once(browser, path):
    with judging(browser, path, "preference") as page:
        point(page, "better", "tie").click()
        page.dblclick(SAVE)
        arrived(page, 1)
        assert len(answers(path)) == 1


def pages(page):
    """Yields at the first page and at a trial, begun."""
    for place in ("/judge", "/judge/next"):
        page.goto(page.url.split("/judge")[0] + place)
        if place == "/judge/next":
            page.locator(".point, #tokens button").first.click()
        yield


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", STUDIES)
def test_everybody_can_see_and_hear_it_on_a_phone(browser, path, name, scheme):
    with judging(browser, path, name) as page, on_a_phone(page, scheme):
        for _ in pages(page):
            require_readable(page, scheme, least=4)
            assert page.locator("h1").count() == 1
        small = page.evaluate(
            "[...document.querySelectorAll('.point, .buttons button')].map(own => own.getBoundingClientRect())"
            ".filter(box => box.width < 24 || box.height < 40).length"
        )
        assert small == 0  # fingers are wide


@pytest.mark.parametrize("name", STUDIES)
def test_the_rules_of_axe_core(browser, path, name):
    with judging(browser, path, name) as page:
        for _ in pages(page):
            assert broken_rules(page) == [], page.url

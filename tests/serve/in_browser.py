"""Helpers for tests of pages in a browser: a server in a thread, Chromium, and accessibility checks.

The rules of axe-core are checked where `AXE_CORE` names its file (CONTRIBUTING.md says how to get it).
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (the extra 'dev')")

from playwright.sync_api import expect, sync_playwright

from tests.serve.running import running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

TIMEOUT = 60_000
"""The timeout in milliseconds, long enough for a busy machine."""

expect.set_options(timeout=TIMEOUT)


@contextmanager
def listening(app):
    """Serves an app on a port, in a thread; yields its address. Its worker processes are started elsewhere."""
    with running(app) as address:
        yield address.replace("127.0.0.1", "localhost")


@contextmanager
def chromium(folder):
    """Starts Chromium with the folder of its settings."""
    with sync_playwright() as playwright:
        result = playwright.chromium.launch_persistent_context(
            folder, executable_path=CHROMIUM, args=FLAGS, viewport={"width": 1200, "height": 900}
        )
        result.set_default_timeout(TIMEOUT)
        yield result
        result.close()


@contextmanager
def watched(browser, allowed=()):
    """Opens a page; script errors fail the test unless they contain an allowed text."""
    result = browser.new_page()
    problems = []
    result.on("pageerror", lambda error: problems.append(str(error)))
    result.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield result
    result.close()
    assert not [text for text in problems if not any(part in text for part in allowed)]


def broken_rules(page):
    """Returns the rules of axe-core that a page breaks in light and in dark colours, with the places."""
    path = os.environ.get("AXE_CORE")
    if not path:
        pytest.skip("AXE_CORE does not name axe.min.js of the npm package axe-core")
    page.evaluate(Path(path).read_text(encoding="utf-8") + "; 0")
    broken = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        result = page.evaluate(
            "axe.run().then(found => ({ passed: found.passes.length, "
            "broken: found.violations.map(own => [own.id, own.nodes.map(node => node.html)]) }))"
        )
        assert result["passed"] > 15
        broken += [[scheme, *entry] for entry in result["broken"]]
    return broken


PAIRS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const found = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const own = walk.currentNode.parentElement;
    const text = walk.currentNode.textContent.trim();
    if (!text || !own.checkVisibility() || own.closest("svg, .visually-hidden, .skip")) continue;
    let below = own;
    while (below && parts(getComputedStyle(below).backgroundColor)[3] === 0) below = below.parentElement;
    const style = getComputedStyle(own);
    const pair = [parts(style.color), parts(getComputedStyle(below || document.body).backgroundColor)];
    found.set(JSON.stringify(pair), `${own.tagName} ${own.className}: ${text.slice(0, 30)}`);
  }
  return [...found].map(([pair, where]) => [...JSON.parse(pair), where]);
}"""
"""Returns the colours of text and of what is below it, with an example of where."""


def luminance(colour):
    parts = [part / 255 for part in colour[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def require_contrast(page, scheme, least=6):
    """Fails if text has too little contrast with its background, or the colours are not those of the scheme. There must
    be at least `least` pairs of colours.
    """
    pairs = page.evaluate(PAIRS)
    assert len(pairs) >= least
    for ink, paper, where in pairs:
        light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (scheme, where, ink, paper)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance([int(entry) for entry in re.findall(r"\d+", paper)]) < 0.1) == (scheme == "dark")


@contextmanager
def on_a_phone(page, scheme):
    """Shows a page in a small window, in light or dark colours."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": 360, "height": 740})
    yield
    page.set_viewport_size({"width": 1200, "height": 900})


def require_readable(page, scheme, least=6):
    """Fails if a page on a phone is wider than its window, has something without a name, or too little contrast."""
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url
    assert page.evaluate(NAMELESS) == [], page.url
    require_contrast(page, scheme, least)


def open_all(page):
    """Opens all parts of a page that are closed."""
    for summary in page.locator("summary").all():
        summary.click()


NAMELESS = """() => {
  const all = "button, a, input:not([type=hidden]), select, textarea, summary, [role=group]";
  const isNamed = (own) => own.textContent.trim() || own.labels?.length || own.ariaLabel || own.ariaLabelledByElements;
  return [...document.querySelectorAll(all)].filter((own) => !isNamed(own)).map((own) => own.outerHTML);
}"""
"""Returns what readers of screens could not name."""

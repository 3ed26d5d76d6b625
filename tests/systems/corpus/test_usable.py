"""The dropped articles, and the reasons."""

from __future__ import annotations

import pytest

from lattice_simp.systems.corpus.usable import unusable

TEXT = "Mercury is the first planet of the system, and it is hot."


@pytest.mark.parametrize(
    ("title", "text", "reason"),
    [
        ("Mercury", TEXT, None),
        ("Mercury", "#REDIRECT [[Mercury (planet)]]", "redirect"),
        ("Mercury", "\n#redirect [[Mercury (planet)]]" + TEXT, "redirect"),
        ("Mercury (disambiguation)", TEXT, "disambiguation"),
        ("Mercury", TEXT + "\n{{disambig}}", "disambiguation"),
        ("Mercury", TEXT + "\n{{Place name disambiguation|x}}", "disambiguation"),
        ("Mercury", "Mercury may refer to:\nMercury, a planet\nMercury, a metal that is liquid", "disambiguation"),
        ("Mercury", "\nMercury can mean one of these things:\na planet, the first one\na metal", "disambiguation"),
        ("List of planets", TEXT, "list"),
        ("Lists_of planets", TEXT, "list"),
        ("Timeline of astronomy", TEXT, "list"),
        ("Listening", TEXT, None),
        ("Mercury", TEXT + "\n{{stub}}", "stub"),
        ("Mercury", TEXT + "\n{{Planet-stub}}", "stub"),
        ("Mercury", TEXT + "\n{{astronomy stub | date=May}}", "stub"),
        ("Mercury", TEXT + "\n{{stubborn}}", None),
        ("Mercury", "A planet.", "stub"),
        ("Mercury", "", "stub"),
        ("Mercury", TEXT + "\nThe treaty may refer to it.", None),
    ],
)
def test_reasons(title, text, reason):
    assert unusable(title, text.split("\n"), 10) == reason


def test_short_articles_may_stay():
    assert unusable("Mercury", ["A planet."], 2) is None
    assert unusable("Mercury", [], 0) is None

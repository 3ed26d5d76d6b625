"""Every example and command of the README runs."""

from __future__ import annotations

import re
from pathlib import Path

from document import ROOT, Document, furnish

README = ROOT / "README.md"
DOCUMENT = Document(README.read_text(encoding="utf-8"))


def test_examples_and_commands(tmp_path, capfdbinary, monkeypatch):
    """One after the other: later commands read what earlier ones wrote."""
    assert DOCUMENT.python
    assert len(DOCUMENT.commands) >= 8
    furnish(tmp_path)
    DOCUMENT.run(tmp_path, capfdbinary, monkeypatch)


def test_links_lead_to_files():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text(encoding="utf-8"))
    assert len(links) > 10
    for link in links:
        assert Path(ROOT, link).exists(), link
    for page in re.findall(r"^# .*  (docs/\S+)$", README.read_text(encoding="utf-8"), flags=re.MULTILINE):
        assert Path(ROOT, page).is_file(), page


def test_figures_are_those_of_the_guides():
    """`make bench` writes both tables; five figures are in the README, with what they are."""
    chosen = rows(README)
    whole = rows(ROOT / "docs" / "figures.md")
    assert len(chosen) == 5
    assert {name: whole[name] for name in chosen} == chosen


def rows(path: Path) -> dict[str, str]:
    """Returns the rows of a table of figures, without their first cells, by the figures' names."""
    table = path.read_text(encoding="utf-8").split("<!-- figures: ")[1]
    return dict(re.findall(r"^\| `(\w+)`[^|]*\|(.*)$", table, flags=re.MULTILINE))

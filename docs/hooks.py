"""The parts of the site that are made at build time: pages of commands, the notebook, files from elsewhere."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import commands_pages
import notebook_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]

FROM_ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "CITATION.cff": "CITATION.cff",
    "LICENSE": "LICENSE.txt",
}
"""Files of the repository that are part of the site, under their names there."""

PAGES = {"docs/notebook.ipynb": "notebook.md"}
"""What is a page, though it is no Markdown."""

EXPERIMENTS = ("*/RESULTS.md", "*/NOTES.md", "*/plots/*.svg", "walkthrough/README.md", "walkthrough/*.svg")
"""What is shown of `experiments/`, under the names it has."""

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
_FILE_NAME = re.compile(r"^```text (\S+)$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fills the entries of the navigation that end in `/*`: a page for each command, the recipes that are there."""
    groups = {
        "commands/*": [f"commands/{name}.md" for name in commands_pages.names()],
        "recipes/*": [f"recipes/{path.name}" for path in sorted((ROOT / "docs" / "recipes").glob("*.md"))],
    }
    config.nav = [filled for entry in config.nav or [] if (filled := _filled(entry, groups))]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages of commands, the notebook, and files outside the folder of the guides."""
    sources = {ROOT / source: uri for source, uri in FROM_ELSEWHERE.items()}
    shown = [path for pattern in EXPERIMENTS for path in sorted((ROOT / "experiments").glob(pattern))]
    sources |= {path: path.relative_to(ROOT).as_posix() for path in shown}
    for path, uri in sources.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for name in commands_pages.names():
        files.append(File.generated(config, f"commands/{name}.md", content=commands_pages.page(name)))
    for uri, content in notebook_page.files(ROOT / "docs" / "notebook.ipynb").items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **others: Any) -> str:
    """Shows the names of files as titles, and leads links to where the site has their targets."""
    markdown = _FILE_NAME.sub(r'```text title="\1"', markdown)
    uri = page.file.src_uri
    places = {page_uri: source for source, page_uri in FROM_ELSEWHERE.items()}
    source = places.get(uri, uri if uri.startswith("experiments/") else f"docs/{uri}")
    return _LINK.sub(lambda link: _on_site(link[1], source, uri), markdown)


def _filled(entry: Any, groups: dict[str, list[str]]) -> Any:
    """Returns an entry of the navigation whose `/*` is a list of pages; None where there are none."""
    for title, value in entry.items() if isinstance(entry, dict) else ():
        if isinstance(value, str) and value in groups:
            return {title: groups[value]} if groups[value] else None
    return entry


def _on_site(link: str, source: str, uri: str) -> str:
    """Returns a link of a page as the site has it, given where the page is in the repository and on the site.

    >>> _on_site("../../CONTRIBUTING.md", "docs/guides/own.md", "guides/own.md")
    '../contributing.md'
    >>> _on_site("docs/ideas.md", "README.md", "index.md")
    'ideas.md'
    """
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    place = (FROM_ELSEWHERE | PAGES).get(target, target.removeprefix("docs/"))
    return posixpath.relpath(place, posixpath.dirname(uri) or ".")

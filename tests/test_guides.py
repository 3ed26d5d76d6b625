"""The guides: their site is built without a warning, covers the Python interface, and every example in it runs."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from document import ROOT, Document, furnish

import lattice_simp as ls
from experiments.bench.__main__ import write_page
from experiments.bench.figures import figure
from lattice_simp.cli import COMMANDS
from lattice_simp.formats import FORMATS
from lattice_simp.skeleton import GapType
from lattice_simp.support.settings_file import read_settings
from lattice_simp.systems.paraphrase.alignment import ALL_CONDITIONS
from lattice_simp.systems.paraphrase.filters import FILTERS

DOCS = ROOT / "docs"
NEEDED = ("mkdocs", "material", "mkdocstrings_handlers.python", "nbconvert")
GUIDES = (
    "lattices",
    "systems",
    "translation",
    "training",
    "evaluation",
    "skeletons",
    "simplification",
    "paraphrases",
    "hindi",
    "judging",
    "page",
    "own",
)
"""The guides in the order of the navigation: later ones use files of earlier ones."""

NO_PAGE = {"__init__", "__main__", "api", "cli", "commands", "core", "grammars", "lm", "ops", "support"}
"""Modules whose public names are described under `lattice_simp`, or that are not for users."""


def needs_the_extra(*modules: str) -> None:
    for name in modules:
        pytest.importorskip(name, reason=f"{name} is not installed (the extra 'docs')")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The built site; a warning is an error."""
    needs_the_extra(*NEEDED)
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def maker(monkeypatch):
    """Imports a module that makes parts of the site."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module


# ---------------------------------------------------------------- the site


@pytest.mark.slow
def test_every_public_name_is_described(site):
    anchors = ids(site / "api")
    missing = [name for name in ls.__all__ if f"lattice_simp.{name}" not in anchors]
    assert not missing, f"write `::: lattice_simp.{missing[0]}` into a page of docs/api"


@pytest.mark.slow
def test_every_room_has_its_page(site):
    anchors = ids(site / "api")
    package = ROOT / "lattice_simp"
    rooms = {path.name.removesuffix(".py") for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
    for room in rooms - NO_PAGE - {"__pycache__", "py.typed"}:
        described = any(anchor.startswith(f"lattice_simp.{room}") for anchor in anchors)
        modules = [getattr(getattr(ls, name), "__module__", "") for name in ls.__all__]  # constants have none
        public = any(module.startswith(f"lattice_simp.{room}") for module in modules)
        assert described or public, f"docs/api has no page of lattice_simp.{room}"


def ids(folder: Path) -> set[str]:
    return set(
        chain.from_iterable(re.findall(r'id="([^"]+)"', path.read_text("utf-8")) for path in folder.glob("*.html"))
    )


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site):
    loads = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=["']?(?:https?:)?//[^>]*>""")
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        assert not loads.findall(page.read_text(encoding="utf-8")), page


@pytest.mark.slow
def test_every_command_has_its_page(site):
    for name in COMMANDS:
        assert f"lattice-simp {name}" in (site / "commands" / f"{name}.html").read_text("utf-8")
    assert "--max-states" in (site / "commands" / "lattice.html").read_text("utf-8")


@pytest.mark.slow
def test_examples_of_docstrings_are_code(site):
    page = (site / "api" / "operations.html").read_text(encoding="utf-8")
    assert page.count('<span class="gp">&gt;&gt;&gt; </span>') >= 10
    assert "<p>&gt;&gt;&gt;" not in page


@pytest.mark.slow
def test_the_notebook_is_a_page_with_its_outputs(site):
    page = (site / "notebook.html").read_text(encoding="utf-8")
    drawings = re.findall(r'src="(notebook/[^"]+\.svg)"', page)
    assert len(drawings) == 2
    for drawing in drawings:
        assert "</svg>" in (site / drawing).read_text("utf-8")


@pytest.mark.slow
def test_wide_tables_fit_a_phone(site, maker):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium is installed")
    tables = "[...document.querySelectorAll('.md-typeset__scrollwrap')].map(box => [box.scrollWidth, box.clientWidth])"
    with maker("pictures").opened_page(chromium, 700) as page:
        page.set_viewport_size({"width": 375, "height": 700})
        for name in ("figures", "formats"):
            page.goto((site / f"{name}.html").as_uri())
            widths = page.evaluate(tables)
            assert widths
            assert all(whole <= shown for whole, shown in widths), (name, widths)


# ---------------------------------------------------------------- what is made at build time


def test_modules_of_the_site(maker):
    needs_the_extra(*NEEDED)
    for name in ("docstrings", "hooks", "commands_pages", "formats_table", "notebook_page"):
        assert doctest.testmod(maker(name)).failed == 0, name


def test_the_table_of_formats(maker):
    module = maker("formats_table")
    text = module.PAGE.read_text(encoding="utf-8")
    assert module.MARKED.search(text)[0] == module.table(), "run `python docs/formats_table.py`"
    rows = {row[1].strip(" `"): row[2:-1] for line in module.table().splitlines() if (row := line.split("|"))}
    assert set(FORMATS) <= set(rows)
    columns = [cell.strip() for cell in rows["name"][1:]]
    facts = {name: dict(zip(columns, (cell.strip() for cell in row[1:]), strict=True)) for name, row in rows.items()}
    assert columns == ["read", "written", "does not keep"]
    assert list(facts["openfst"].values()) == ["yes", "yes", "precision, features"]
    assert list(facts["att"].values()) == ["yes", "yes", "features"]
    assert list(facts["features"].values()) == ["yes", "yes", "costs, words of both sides"]
    assert list(facts["gbnf"].values()) == ["no", "yes", "costs, features, words of both sides"]
    assert "words of both sides" in facts["plf"]["does not keep"]
    for name in FORMATS:
        assert re.search(rf"^- .*`{name}`.*:", text, flags=re.MULTILINE), f"docs/formats.md says nothing about {name}"


def test_the_table_of_extras():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    rows = re.findall(r"^\| `([\w-]+)` \|", (DOCS / "extras.md").read_text("utf-8"), flags=re.MULTILINE)
    assert sorted(rows) == sorted(extras)


def test_gap_types_of_the_examples():
    rows = re.findall(
        r"^\| (\w+) \| [^|]* \| (.*\[\[.*) \|$", (DOCS / "ideas.md").read_text("utf-8").replace("\\", ""), re.M
    )
    assert len(rows) == len(GapType) - 1
    for name, example in rows:
        assert ls.Skeleton.from_brackets(example).gap_type == GapType(name), example


def test_citation():
    facts = pytest.importorskip("yaml", reason="PyYAML is not installed").safe_load(
        (ROOT / "CITATION.cff").read_text("utf-8")
    )
    assert facts["version"] == ls.__version__
    page = " ".join((DOCS / "cite.md").read_text(encoding="utf-8").split())
    assert f"Version {ls.__version__}." in page.replace("> ", "")
    for paper in facts["references"]:
        assert f"*{paper['title']}.*" in page
        assert f"{paper['start']}–{paper['end']}" in page
        assert all(author["family-names"] in page for author in paper["authors"])


def test_the_navigation_has_every_guide():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall(r"guides/(\w+)\.md", text) == list(GUIDES)
    assert sorted(GUIDES) == sorted(path.stem for path in (DOCS / "guides").glob("*.md"))


def test_bench_writes_the_table(tmp_path):
    page = tmp_path / "figures.md"
    page.write_text(
        "x\n<!-- figures: begin -->\n| `c_s` | 7 |\n| `b_s`: what it is | 1 | | | |\n<!-- figures: end -->\ny\n",
        "utf-8",
    )
    write_page(page, {"a_s": figure(2.0, "s", 0.08), "b_s": figure(0.5, "s", 2.0), "d": figure(2617150.2, "arcs")})
    text = page.read_text("utf-8")
    assert re.findall(r"^\| `(\w+)`", text, flags=re.MULTILINE) == ["c_s", "b_s", "a_s", "d"]
    assert "| `d` | 2,617,150 arcs |  |  |  |\n" in text
    assert "| `b_s`: what it is | 0.5 s | 2.000 | 4.0 |  |\n" in text
    assert "| `a_s` | 2 s | 0.080 | 0.04 |  |\n" in text
    assert "| `c_s` | 7 |\n" in text  # it was not measured, and stays
    assert (text[:2], text[-2:]) == ("x\n", "y\n")
    page.write_text("no table", "utf-8")
    with pytest.raises(ls.LatticeSimpError, match="no table of figures"):
        write_page(page, {})


def test_filters_and_conditions_are_described():
    page = (DOCS / "guides" / "paraphrases.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| `(\w+)` \|", page.split("## Filters and conditions")[1], flags=re.MULTILINE)
    assert names == [*FILTERS, *ALL_CONDITIONS]


# ---------------------------------------------------------------- examples


@pytest.mark.slow  # some sixty commands; those of the README are run in the default suite
def test_examples_and_commands(tmp_path, capfdbinary, monkeypatch):
    """All guides in one folder, in their order: later commands read what earlier ones wrote."""
    guides = [Document((DOCS / "guides" / f"{name}.md").read_text(encoding="utf-8")) for name in GUIDES]
    assert sum(len(guide.commands) for guide in guides) > 40
    furnish(tmp_path)
    for guide in guides:
        guide.run(tmp_path, capfdbinary, monkeypatch)
    Document((DOCS / "ideas.md").read_text(encoding="utf-8")).run(tmp_path, capfdbinary, monkeypatch)


def test_recipes_are_in_the_readme():
    recipes = {f"docs/recipes/{path.name}" for path in (DOCS / "recipes").glob("*.md")}
    assert recipes == set(re.findall(r"\]\((docs/recipes/[^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")))


@pytest.mark.slow
def test_the_notebook_gives_its_outputs():
    needs_the_extra("nbclient", "ipykernel")
    import nbformat
    from nbclient import NotebookClient

    stored = nbformat.read(DOCS / "notebook.ipynb", as_version=4)
    result = nbformat.from_dict(json.loads(json.dumps(stored)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(result, timeout=120).execute()
    assert [shown(cell) for cell in result.cells] == [shown(cell) for cell in stored.cells], "run `make notebook`"


def shown(cell) -> list[str]:
    """Returns the texts of a cell's outputs; of drawings, their words: Graphviz places them as it likes.

    What is printed comes in one part or in several, as the kernel is quick or slow.
    """
    texts: list[str] = []
    printed = False
    for output in cell.get("outputs", ()):
        kinds = output.get("data", {"text/plain": output.get("text")})
        text = words(kinds["image/svg+xml"]) if "image/svg+xml" in kinds else kinds["text/plain"]
        if printed and "data" not in output:
            texts[-1] += text
        else:
            texts.append(text)
        printed = "data" not in output
    return texts


def words(drawing: str) -> str:
    return " ".join(sorted(re.findall(r">([^<>\n]+)<", drawing)))


def test_pictures_are_those_of_the_library(maker):
    pytest.importorskip("pygraphviz", reason="pygraphviz is not installed (the extra 'draw')")
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'skeletons')")
    pictures = maker("pictures").PICTURES
    assert {path.stem for path in (DOCS / "pictures").glob("*.svg")} == set(pictures)
    for name, draw in pictures.items():
        stored = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        assert words(stored) == words(draw()), f"{name}: run `make pictures`"


def test_the_picture_of_gains_shows_the_results_of_the_studies(maker):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra 'evaluate')")
    pictures = maker("pictures")
    stored = (DOCS / "pictures" / "gains.svg").read_text(encoding="utf-8")
    gains, lines = [], []
    protocols = {ROOT / "experiments" / study / "protocol.yaml" for study, _ in pictures.STUDIES}
    masks = {read_settings(protocol, ())["diverse"]["masks"] for protocol in protocols}
    assert [f"{number} automatic skeletons" in pictures.SKELETONS for number in masks] == [True]
    for study, name in pictures.STUDIES:
        results = json.loads((ROOT / "experiments" / study / "results.json").read_text(encoding="utf-8"))
        variants = results["variants"][name]
        assert f">{results[f'{name}_sentences']} sentences<" in stored
        rows = [f"gc-strong, {row}" for row, _ in pictures.SKELETONS.values()]
        scores = [variants[row]["BLEU-tok"] for row in rows if row in variants]
        gains += [f"{score['gain']:+.2f}" for score in scores]
        lines.append([score["gain_interval"] for score in scores])
    assert re.findall(r">([+-]\d\.\d\d)<", stored) == gains
    drawn = np.array(re.findall(r'd="M ([\d.]+) [\d.]+ \nL ([\d.]+) [\d.]+ \n".*stroke-width: 2;', stored), dtype=float)
    panels = np.split(drawn, np.cumsum(list(map(len, lines)))[:-1])
    for panel, intervals in zip(panels, map(np.array, lines), strict=True):
        scale = np.polyfit(intervals.ravel(), panel.ravel(), 1)
        assert np.polyval(scale, intervals) == pytest.approx(panel, abs=0.01)


def test_the_pictures_of_pages(maker):
    """They are written with Chromium, and their fonts are a machine's: they are there and small."""
    pages = {"page.png": ("gallery.md", "guides/page.md"), "judging.png": ("guides/judging.md",)}
    assert set(maker("pictures").PAGES) == set(pages)
    for name, shown in pages.items():
        picture = (DOCS / "pictures" / name).read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) < 150_000
        for page in shown:
            assert f"pictures/{name})" in (DOCS / page).read_text(encoding="utf-8"), page

"""Draws the pictures of the guides: python docs/pictures.py [docs/pictures]; those of web pages need Chromium."""

from __future__ import annotations

import ast
import io
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import lattice_simp as ls
from experiments.experiment import FIGURES
from lattice_simp.metrics.plots import COLOURS
from lattice_simp.pipeline.stage import read_json
from lattice_simp.systems.simplify import dependency_graph, graph_svg
from lattice_simp.text.english.spacy_parser import parse_sentences

README = Path(__file__).parents[1] / "README.md"
EXPERIMENTS = Path(__file__).parents[1] / "experiments"
STUDIES = {
    ("en-fr", "newstest2014"): "French",
    ("en-fr", "newstest2013"): "French",
    ("en-de", "newstest2013"): "German",
}
"""The test sets of the studies, and the languages that they are translated to."""

AUTOMATIC, BY_HAND, CHOSEN = COLOURS[:3]

SKELETONS = {
    "1 automatic skeleton": ("automatic (tagger)", AUTOMATIC),
    "8 automatic skeletons": ("automatic (diverse)", AUTOMATIC),
    "1 automatic, chosen with a tap": ("automatic (tapped)", CHOSEN),
    "1 skeleton by a person": ("n=1000", BY_HAND),
    "2 skeletons by people": ("both skeletons", BY_HAND),
}
"""The variants of the studies and their colours, from the least work by people to the most."""

JUDGING = Path(__file__).parent / "guides" / "judging.md"
PAGE_QUERY = {
    "text": "the librarians published the old petition that was rejected in the garden .",
    "mask": "1111110000001",
}
SENTENCE = "In May the mayor , who was tired , signed the very long law ."


def main(folder: Path) -> None:
    """Writes all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        (folder / f"{name}.svg").write_text(draw(), encoding="utf-8")
        print(folder / f"{name}.svg")
    if chromium := shutil.which("chromium") or shutil.which("chromium-browser"):
        for name, draw in PAGES.items():
            draw(folder / name, chromium)
            print(folder / name)
    else:
        print(f"{', '.join(PAGES)} stay as they are: no chromium is installed", file=sys.stderr)


def page_picture(path: Path, chromium: str) -> None:
    """Writes a picture of the web page."""
    from lattice_simp.serve import create_app

    with served(create_app()) as address, opened_page(chromium, 1020) as page:
        page.goto(f"{address}translate?{urlencode(PAGE_QUERY)}", timeout=120_000)
        page.screenshot(path=path)


def judging_picture(path: Path, chromium: str) -> None:
    """Writes a picture of the page for raters, with the study of the guide."""
    from lattice_simp.serve import Limits, app_of
    from lattice_simp.serve.judge.section import judge_section
    from lattice_simp.systems.judging import read_study

    with TemporaryDirectory() as folder:
        for name, text in re.findall(
            r"^```text (\S+)\n(.*?)^```", JUDGING.read_text("utf-8"), re.DOTALL | re.MULTILINE
        ):
            Path(folder, name).write_text(text, encoding="utf-8")
        section = judge_section(read_study(Path(folder, "study.yaml")), Path(folder, "study.db"))
        with served(app_of([section], Limits())) as address, opened_page(chromium, 600) as page:
            page.goto(f"{address}judge")
            page.fill("#rater", "Ada")
            page.press("#rater", "Enter")
            page.wait_for_selector("#judge")
            page.wait_for_load_state()
            page.keyboard.press("5")
            page.screenshot(path=path)


@contextmanager
def opened_page(chromium: str, height: int) -> Iterator[Any]:
    """Opens a page of this height in Chromium; its fonts are those of this machine."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            folder,
            executable_path=chromium,
            args=["--headless", "--no-sandbox", "--disable-gpu"],
            viewport={"width": 1000, "height": height},
        )
        yield browser.new_page()
        browser.close()


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serves an app in a thread; yields its address."""
    import uvicorn

    from lattice_simp.serve.server import address_of, listen

    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=0))
    with listen("127.0.0.1", 0) as sockets:
        thread = threading.Thread(target=server.run, args=([sockets],))
        thread.start()
        try:
            yield address_of(sockets)
        finally:
            server.should_exit = True
            thread.join()


def full() -> ls.Lattice:
    """Returns the README's n-best list as a small lattice."""
    return ls.minimize(ls.Lattice.from_strings(_nbest("full")))


def acceptor(loops: str) -> ls.GappyAcceptor:
    """Returns the acceptor of the README's skeleton hypotheses."""
    return ls.gappy_acceptor(_nbest("skeleton"), loops=loops)


def composed() -> ls.Lattice:
    """Returns the composition of the two."""
    return ls.compose_gappy(full(), acceptor("sigma"), weight=0.5)


def _lattice() -> str:
    return ls.to_svg(full())


def _joint() -> str:
    """Draws all hypotheses; the best of those that contain a skeleton hypothesis is marked."""
    lattice, best = full(), ls.shortest_path(composed())
    marked = next(path for path in ls.nbest(lattice, 10) if path.tokens == best.tokens)
    return ls.to_svg(lattice, highlight=marked.arcs)


def _samples() -> str:
    """Draws the README's samples of one sentence."""
    match = re.search(r"^samples = (\[.*?\])$", README.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert match is not None, "the README has no samples"
    return ls.to_svg(ls.minimize(ls.Lattice.from_nbest(ls.from_generator(ast.literal_eval(match[1])))))


def _network() -> str:
    return ls.to_svg(ls.confusion_network(ls.normalise(full())))


def _graph() -> str:
    return graph_svg(dependency_graph(next(iter(parse_sentences([SENTENCE.split()])))))


def gains() -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """Returns the BLEU scores of skeletons on each test set of the studies, by who made them: value, gain, interval.

    Studies that were not run with chosen skeletons lack them.
    """
    scores = {}
    for study, name in STUDIES:
        variants = read_json(EXPERIMENTS / study / FIGURES)["variants"][name]
        rows = {title: f"gc-strong, {row}" for title, (row, _) in SKELETONS.items()}
        scores[study, name] = {title: variants[row]["BLEU-tok"] for title, row in rows.items() if row in variants}
    return scores


def _gains() -> str:
    """Draws the gain of skeletons, a panel for each test set, with 95 % intervals."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.1), layout="constrained")
    panels = figure.subplots(1, len(STUDIES), sharex=True, sharey=True)
    titles = list(SKELETONS)
    for panel, ((study, name), rows) in zip(panels, gains().items(), strict=True):
        sentences = read_json(EXPERIMENTS / study / FIGURES)[f"{name}_sentences"]
        panel.set_title(f"To {STUDIES[study, name]}, {name},\n{sentences} sentences", fontsize=9)
        panel.axvline(0.0, color="black", linewidth=0.8)
        for title, score in rows.items():
            place, (_, colour) = titles.index(title), SKELETONS[title]
            panel.plot(score["gain_interval"], [place, place], color=colour, linewidth=2)
            panel.plot([score["gain"]], [place], "o", color=colour, markersize=7)
            label = panel.annotate(f"{score['gain']:+.2f}", (score["gain"], place), (0, 7), textcoords="offset points")
            label.set(ha="center", fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
        for title in SKELETONS.keys() - rows.keys():
            panel.annotate(
                "not measured", (0.0, titles.index(title)), (5, -3), textcoords="offset points", color="gray"
            )
        panel.set_yticks(range(len(titles)), titles)
        panel.spines[["top", "right", "left"]].set_visible(False)
        panel.tick_params(axis="y", length=0)
    panels[0].set(ylim=(len(titles) - 0.5, -0.7), xlim=(-0.25, None))
    figure.supxlabel("BLEU gained over translation without skeletons (95 % intervals)", fontsize=10)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lattice_simp", "font.family": "sans-serif"}):
        drawing = io.StringIO()
        figure.savefig(drawing, format="svg", metadata={"Date": None}, facecolor="white")
    return drawing.getvalue()


def _nbest(name: str) -> list[tuple[str, float]]:
    """Returns a list that is part of the README, as strings with costs."""
    text = README.read_text(encoding="utf-8")
    match = re.search(rf"```text {name}\.nbest\n(.*?)```", text, flags=re.DOTALL)
    assert match is not None, f"the README has no {name}.nbest"
    rows = [line.split(" ||| ") for line in match[1].splitlines()]
    return [(row[1], -float(row[3])) for row in rows]


PICTURES: dict[str, Callable[[], str]] = {
    "lattice": _lattice,
    "samples": _samples,
    "sigma": lambda: ls.to_svg(acceptor("sigma").as_lattice()),
    "rho": lambda: ls.to_svg(acceptor("rho").as_lattice()),
    "composed": lambda: ls.to_svg(composed()),
    "joint": _joint,
    "network": _network,
    "graph": _graph,
    "gains": _gains,
}
"""The pictures by the names of their files."""

PAGES: dict[str, Callable[[Path, str], None]] = {"page.png": page_picture, "judging.png": judging_picture}
"""The pictures of web pages, written with Chromium, by their files."""


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")

"""The annotation section: its pages, its interface and its exports."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

from starlette.routing import Route

from lattice_simp.serve.annotate.interface import Interface
from lattice_simp.serve.annotate.pages import Pages
from lattice_simp.serve.opened import OpenedStore
from lattice_simp.serve.section import Section
from lattice_simp.systems.annotation import AnnotationStore, progress
from lattice_simp.systems.annotation.progress import computed


def annotate_section(path: Path) -> Section:
    """Returns the section for a file of annotations; raises FormatError if the file cannot be opened."""
    opened = OpenedStore(path, AnnotationStore)
    # Alpha and reliability are computed once for the same judgements.
    progress_now = partial(opened.run, progress, lru_cache(maxsize=1)(computed))
    pages, interface = Pages(opened, progress_now, path.name), Interface(opened, progress_now)
    routes = [
        Route("/annotate", pages.overview, name="annotate"),
        Route("/annotate/name", pages.rename, methods=["POST"], name="annotate_name"),
        Route("/annotate/export/{what}.jsonl", pages.export, name="annotate_export"),
        Route("/annotate/{task}", pages.show, name="annotate_task"),
        Route("/annotate/{task}", pages.judge, methods=["POST"], name="annotate_judge"),
        Route("/annotate/{task}/undo", pages.undo, methods=["POST"], name="annotate_undo"),
        Route("/annotate/{task}/skipped", pages.take_up_skipped, methods=["POST"], name="annotate_skipped"),
        Route("/api/annotate", interface.overview, name="api_annotate"),
        Route("/api/annotate/{task}/{action}", interface.act, methods=["POST"], name="api_annotate_task"),
    ]
    return Section("Annotate", "annotate", routes, Path(__file__).parent / "templates", [opened])

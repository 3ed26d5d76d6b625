"""The judging section: its pages and its interface."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lattice_simp.serve.json_fields import run_action
from lattice_simp.serve.judge.interface import ACTIONS
from lattice_simp.serve.judge.pages import Pages
from lattice_simp.serve.opened import OpenedStore
from lattice_simp.serve.section import Section
from lattice_simp.systems.judging.store import JudgingStore
from lattice_simp.systems.judging.study import Study
from lattice_simp.systems.judging.study_file import judgements_file, read_study


def study_section(path: Path, judgements: Path | None = None) -> Section:
    """Returns the section of a study file; its judgements are by default in the file beside it."""
    return judge_section(read_study(path), judgements or judgements_file(path))


def judge_section(study: Study, path: Path) -> Section:
    """Returns the section of a study with the file of its judgements, which is made if it is missing.

    Raises FormatError if the file cannot be opened, or belongs to another study.
    """
    opened = OpenedStore(path, partial(JudgingStore, study=study))
    pages = Pages(opened, study)

    async def act(request: Request) -> Response:
        return await run_action(request, ACTIONS, opened)

    routes = [
        Route("/judge", pages.overview, name="judge"),
        Route("/judge/name", pages.rename, methods=["POST"], name="judge_name"),
        Route("/judge/next", pages.show, name="judge_next"),
        Route("/judge/next", pages.answer, methods=["POST"], name="judge_answer"),
        Route("/judge/undo", pages.undo, methods=["POST"], name="judge_undo"),
        Route("/api/judge/{action}", act, methods=["POST"], name="api_judge"),
    ]
    return Section("Judge", "judge", routes, Path(__file__).parent / "templates", [opened])

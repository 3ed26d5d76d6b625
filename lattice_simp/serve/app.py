"""The web app: sections with their protections."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lattice_simp.draw import SVG_STYLE
from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.annotate.section import annotate_section
from lattice_simp.serve.hindi.section import hindi_section
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.origins import OriginCheck
from lattice_simp.serve.pages import defect, environment, http_error, path, request_error
from lattice_simp.serve.paraphrase.section import paraphrase_section
from lattice_simp.serve.section import Section
from lattice_simp.serve.security import BodyLimit, SecurityHeaders
from lattice_simp.serve.simplify.section import simplify_section
from lattice_simp.serve.translate.section import translate_section
from lattice_simp.serve.translate.translator import TranslatorOptions
from lattice_simp.support.extras import extra

STATIC = Path(__file__).parent / "static"

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The host names that a local server accepts, which prevents DNS rebinding."""


@dataclass(frozen=True)
class Tabs:
    """The tabs of the page beside the one for translation; None (or False) leaves a tab out.

    Attributes:
        simplifier: a model of `lattice_simp.Simplifier`.
        hindi: a model of Hindi clauses.
        paraphrases: whether there is a tab that expands sets of English sentences, which needs spaCy and its English
            model (the extra `skeletons`).
        annotations: a file made by `lattice-simp skeleton annotation import`.
        study: a file of a study for raters, whose judgements are stored beside it; needs the extra `judging`.
        simplify: whether there is a tab for simplification without a model, which needs the extras `skeletons` and
            `text`.
    """

    simplifier: str | Path | None = None
    hindi: str | Path | None = None
    paraphrases: bool = False
    annotations: str | Path | None = None
    study: str | Path | None = None
    simplify: bool = False

    def sections(self, limits: Limits) -> list[Section]:
        """Returns the sections of the tabs; raises FormatError if the annotations or the study cannot be read."""
        sections = []
        if self.simplifier is not None or self.simplify:
            sections.append(simplify_section(_path(self.simplifier), limits))
        if self.hindi is not None:
            sections.append(hindi_section(Path(self.hindi), limits))
        if self.paraphrases:
            sections.append(paraphrase_section(limits))
        if self.annotations is not None:
            sections.append(annotate_section(Path(self.annotations)))
        if self.study is not None:
            with extra("judging"):
                from lattice_simp.serve.judge.section import study_section

            sections.append(study_section(Path(self.study)))
        return sections


NO_TABS = Tabs()


def create_app(
    model: str | Path | None = None,
    tabs: Tabs = NO_TABS,
    *,
    examples: str | Path | None = None,
    tagger: str | Path | None = None,
    limits: Limits | None = None,
    hosts: Sequence[str] = LOOPBACK,
) -> Starlette:
    """Returns the app of `lattice-simp serve`, which any ASGI server can run and any app can mount.

        from lattice_simp.serve import create_app
        app = create_app("model", hosts=["translate.example.org"])         # uvicorn module:app
        more = create_app("model", Tabs(simplifier="plain-english"))
        whole = Starlette(routes=[Mount("/translate", create_app("model", hosts=["*"]))])

    Worker processes load models when the server starts or, in a mounted app, at the first request.

    Args:
        model: a model directory; None for the built-in demo grammar.
        tabs: the tabs beside the one for translation.
        examples: a skeleton file with sentences to choose from; the demo grammar has examples.
        tagger: a folder made by `lattice-simp skeleton train`, for automatic skeletons.
        limits: the bounds on requests.
        hosts: the accepted host names of the server; `*` if another app checks them.

    Raises:
        FormatError: the examples, the annotations or the study cannot be read.
    """
    bounds = limits or Limits()
    options = TranslatorOptions(_path(model), _path(tagger), bounds.tokens)
    translation = translate_section(options, bounds, _path(examples))
    return app_of([translation, *tabs.sections(bounds)], bounds, hosts)


def app_of(sections: Sequence[Section], limits: Limits, hosts: Sequence[str] = LOOPBACK) -> Starlette:
    """Returns an app of sections, the first of which is the start page; see `create_app`."""
    app = Starlette(
        routes=[
            Route("/", partial(_start, sections[0].page), name="start"),
            Route("/static/drawing.css", _drawing_style, name="drawing_style"),
            Mount("/static", StaticFiles(directory=STATIC), name="static"),
            *(route for section in sections for route in section.routes),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
            Middleware(OriginCheck, linked={"/", *map(_page_path, sections)}),
            Middleware(BodyLimit, limit=limits.body),
        ],
        exception_handlers={HTTPException: http_error, LatticeSimpError: request_error, Exception: defect},
        lifespan=_lifespan,
    )
    app.state.pages = environment(sections)
    app.state.services = [service for section in sections for service in section.services]
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    try:
        for service in app.state.services:
            await run_in_threadpool(service.start)
        yield
    finally:
        for service in app.state.services:
            await run_in_threadpool(service.close)


def _page_path(section: Section) -> str:
    """Returns the path of a section's page."""
    return next(route.path for route in section.routes if isinstance(route, Route) and route.name == section.page)


async def _start(page: str, request: Request) -> Response:
    return RedirectResponse(path(request, page))


async def _drawing_style(request: Request) -> Response:
    return Response(SVG_STYLE, media_type="text/css")


def _path(value: str | Path | None) -> Path | None:
    return None if value is None else Path(value)

"""The tab, its page and its interfaces: what is shown is what the interface returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.pages import path, problem, render, while_connected
from lattice_simp.serve.problems import require_no_problem
from lattice_simp.serve.section import Section
from lattice_simp.serve.text import one_line
from lattice_simp.serve.translate.examples import Examples
from lattice_simp.serve.translate.query import KINDS, SKELETON_STRATEGIES, Options, Query, read_mask, toggled
from lattice_simp.serve.translate.remembering import Memory
from lattice_simp.serve.translate.skeletons import Facts, mask_facts
from lattice_simp.serve.translate.translator import SuggestionRequest, TranslatorOptions, make_translator
from lattice_simp.serve.workers import WorkerPool

REMEMBERED_SENTENCES = 256
"""Sentences whose suggestions are kept."""


def translate_section(options: TranslatorOptions, limits: Limits, examples: Path | None = None) -> Section:
    """Makes the section of a model; see `create_app`.

    Raises:
        FormatError: the examples cannot be read.
    """
    pool = WorkerPool(partial(make_translator, options), limits)
    name = "demo grammar" if options.model is None else options.model.resolve().name
    return section_of(pool, limits, Examples.read(examples, demo=options.model is None), name)


def section_of(pool: WorkerPool, limits: Limits, examples: Examples, model: str) -> Section:
    """Makes the section over processes that answer what a `Translator` answers; `model` is a name for readers."""
    handlers = _Handlers(pool, limits, examples, model)
    routes = [
        Route("/translate", handlers.page, name="translate"),
        Route("/translate/result", handlers.result, name="translate_result"),
        Route("/api/translate", handlers.api, name="api_translate"),
        Route("/api/skeleton", handlers.skeleton, name="api_skeleton"),
    ]
    return Section("Translate", "translate", routes, Path(__file__).parent / "templates", [pool])


_NOTHING: Facts = {"tokens": [], "suggestions": [], "suggestions_note": ""}
"""What is there without a sentence."""


@dataclass(frozen=True, eq=False)
class _Handlers:
    """What answers the requests of the section.

    Attributes:
        model: its name, for the page.
        suggested: what was found of the last sentences.
    """

    pool: WorkerPool
    limits: Limits
    examples: Examples
    model: str
    suggested: Memory[Facts] = field(default_factory=partial(Memory, REMEMBERED_SENTENCES))

    async def page(self, request: Request) -> Response:
        """The whole page; the form's own helpers lead to the address of what they ask for."""
        parameters = request.query_params
        try:
            if own := _canonical(parameters, self.limits):
                return RedirectResponse(path(request, "translate", own.parameters), HTTPStatus.SEE_OTHER)
            answer, status, headers = await self._answered(request)
        except LatticeSimpError as error:
            answer, status, headers = _failed(parameters, self.limits, error)
        values = answer | {
            "examples": self.examples.sentences,
            "kinds": KINDS,
            "defaults": vars(Options()),
            "strategies": SKELETON_STRATEGIES,
            "model": self.model,
            "limits": self.limits,
            "title": answer["query"]["text"] or "Translate",
        }
        page = render(request, "translate.html", values, status)
        page.headers.update(headers)
        return page

    async def result(self, request: Request) -> Response:
        """The part of the page that changes with the marks, for its script."""
        answer, status, headers = await self._answered(request)
        page = render(request, "result.html", answer, status)
        page.headers.update(headers)
        return page

    async def api(self, request: Request) -> Response:
        """Everything that the page shows, as JSON."""
        answer, status, headers = await self._answered(request)
        return JSONResponse(answer, status, headers)

    async def skeleton(self, request: Request) -> Response:
        """What a mask alone says, at once."""
        mask = read_mask(request.query_params.get("mask", ""), self.limits.tokens)
        return JSONResponse(mask_facts(mask) if mask else {"mask": "", "summary": "", "gaps": []})

    async def _answered(self, request: Request) -> tuple[Facts, int, dict[str, str]]:
        """Returns what is asked for, or what is wrong; with the status and the headers of the answer."""
        parameters = request.query_params
        try:
            query = Query.read(parameters, self.limits)
            found, suggested = _NOTHING, _NOTHING
            if query.text:
                found, suggested = await while_connected(request, self._found(query))
            require_no_problem(found)
        except LatticeSimpError as error:
            return _failed(parameters, self.limits, error)
        return _echo(query) | {"error": None} | suggested | found, HTTPStatus.OK, {}

    async def _found(self, query: Query) -> tuple[Facts, Facts]:
        """Returns a translation and suggestions; a page without any of these is a page, too."""
        known = self.suggested.find(query.text)
        parts = [query] if known is not None else [query, SuggestionRequest(query.text)]
        found, *new = await self.pool.run_parts(parts)
        if isinstance(found, BaseException):
            raise found
        if new and not isinstance(new[0], BaseException):
            self.suggested.keep(query.text, new[0])
        return found, self._suggestions(query.text, known if known is not None else new[0])

    def _suggestions(self, text: str, known: Facts | LatticeSimpError) -> Facts:
        """Returns skeletons of a sentence: of the examples, and automatic ones, or what was wrong with these."""
        if isinstance(known, BaseException):
            return {"suggestions": self.examples.suggestions(text), "suggestions_note": str(known)}
        own = self.examples.suggestions(text)
        masks = {one["mask"] for one in own}
        rest: Sequence[Facts] = [one for one in known.get("suggestions", []) if one["mask"] not in masks]
        note = "" if own or rest else known.get("suggestions_note", "")
        return {"suggestions": [*own, *rest], "suggestions_note": note}


def _canonical(parameters: Mapping[str, str], limits: Limits) -> Query | None:
    """Returns what the form asks for where its fields are not those of an address; None if they are.

    `toggle` changes the mark of one token of `of`; `marked` is the text that the mask belongs to: of another text,
    nothing is marked.
    """
    if not parameters.keys() & {"toggle", "marked", "of"}:
        return None
    given = dict(parameters)
    text = one_line(given.get("text", ""), limits.characters)
    if text != one_line(given.pop("marked", text), limits.characters):
        given["mask"] = ""
    elif "toggle" in given:
        count = given.get("of", "")
        tokens = int(count) if count.isascii() and count.isdecimal() and len(count) < 6 else 0
        given["mask"] = toggled(given.get("mask", ""), min(tokens, limits.tokens), given["toggle"])
    return Query.read(given, limits)


def _echo(query: Query) -> Facts:
    """Returns what was asked for, as the page shows it and as its address says it."""
    options = {name: getattr(query.options, name) for name in KINDS}
    return {"query": {"text": query.text, "mask": query.mask, "options": options}, "parameters": query.parameters}


def _failed(parameters: Mapping[str, str], limits: Limits, error: Exception) -> tuple[Facts, int, dict[str, str]]:
    """Returns an answer that says what is wrong, with as much of the form as can be filled in."""
    message, status, headers = problem(error)
    text = one_line(parameters.get("text", "")[: limits.characters], limits.characters)
    return _NOTHING | _echo(Query(text)) | {"error": message}, status, headers

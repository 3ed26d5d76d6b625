"""The section, its page and its interfaces; the page shows the results of the interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.common import natural
from lattice_simp.serve.forms import toggled
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.pages import redirected, render, while_connected
from lattice_simp.serve.section import Section
from lattice_simp.serve.sentence_pages import SentencePages
from lattice_simp.serve.text import one_line
from lattice_simp.serve.translate.examples import Examples
from lattice_simp.serve.translate.query import KINDS, SKELETON_STRATEGIES, Options, Query, read_mask
from lattice_simp.serve.translate.remembering import Memory
from lattice_simp.serve.translate.skeletons import Facts, mask_facts
from lattice_simp.serve.translate.translator import SuggestionRequest, TranslatorOptions, make_translator
from lattice_simp.serve.workers import WorkerPool

REMEMBERED_SENTENCES = 256
"""The number of sentences whose suggestions are cached."""


def translate_section(options: TranslatorOptions, limits: Limits, examples: Path | None = None) -> Section:
    """Returns the section for a model; raises FormatError if the examples cannot be read."""
    pool = WorkerPool(partial(make_translator, options), limits)
    name = "demo grammar" if options.model is None else options.model.resolve().name
    return section_of(pool, limits, Examples.read(examples, demo=options.model is None), name)


def section_of(pool: WorkerPool, limits: Limits, examples: Examples, model: str) -> Section:
    """Returns the section for a pool of `Translator` processes; `model` is the displayed name."""
    pages = _Pages(pool, limits, "translate.html", "Translate", examples, model)
    section = pages.section("translate", Path(__file__).parent)
    result = Route("/translate/result", pages.result, name="translate_result")
    skeleton = Route("/api/skeleton", pages.skeleton, name="api_skeleton")
    return replace(section, routes=[*section.routes, result, skeleton])


_NOTHING: Facts = {"tokens": [], "suggestions": [], "suggestions_note": ""}
"""The facts of a page without a sentence."""


@dataclass(frozen=True, eq=False)
class _Pages(SentencePages):
    """Pages with a model's displayed name, and the cached suggestions of the last sentences."""

    examples: Examples
    model: str
    suggested: Memory[Facts] = field(default_factory=partial(Memory, REMEMBERED_SENTENCES))

    async def page(self, request: Request) -> Response:
        """Returns the whole page; helper fields of the form redirect to the address of the query."""
        parameters = request.query_params
        try:
            if query := _canonical(parameters, self.limits):
                return redirected(request, "translate", query.parameters)
            answer, status, headers = await self._answered(request)
        except LatticeSimpError as error:
            answer, status, headers = self._failed(parameters, error)
        values = answer | {
            "examples": self.examples.sentences,
            "kinds": KINDS,
            "defaults": vars(Options()),
            "strategies": SKELETON_STRATEGIES,
            "model": self.model,
            "limits": self.limits,
            "title": answer["query"]["text"] or self.title,
        }
        return render(request, self.template, values, status, headers)

    async def result(self, request: Request) -> Response:
        """Returns the part of the page that depends on the marks, for its script."""
        answer, status, headers = await self._answered(request)
        return render(request, "result.html", answer, status, headers)

    async def skeleton(self, request: Request) -> Response:
        """Returns the facts of a mask, without translating."""
        mask = read_mask(request.query_params.get("mask", ""), self.limits.tokens)
        return JSONResponse(mask_facts(mask) if mask else {"mask": "", "summary": "", "gaps": []})

    async def _answer(self, request: Request) -> tuple[Facts, Facts]:
        query = Query.read(request.query_params, self.limits)
        return _repeated(query), await while_connected(request, self._translated(query)) if query.text else _NOTHING

    def _echo(self, parameters: QueryParams) -> Facts:
        """Returns the facts of a page with an error, whose form is filled in as far as possible."""
        most = self.limits.characters
        return _NOTHING | _repeated(Query(one_line(parameters.get("text", "")[:most], most)))

    async def _translated(self, query: Query) -> Facts:
        """Returns a translation with suggestions, which may be missing."""
        cached = self.suggested.find(query.text)
        parts = [query] if cached is not None else [query, SuggestionRequest(query.text)]
        translation, *new = await self.pool.run_parts(parts)
        if isinstance(translation, BaseException):
            raise translation
        if new and not isinstance(new[0], BaseException):
            self.suggested.keep(query.text, new[0])
        return self._suggestions(query.text, cached if cached is not None else new[0]) | translation

    def _suggestions(self, text: str, suggested: Facts | LatticeSimpError) -> Facts:
        """Returns the example and automatic skeletons of a sentence, or a note about the error."""
        if isinstance(suggested, BaseException):
            return {"suggestions": self.examples.suggestions(text), "suggestions_note": str(suggested)}
        examples = self.examples.suggestions(text)
        masks = {example["mask"] for example in examples}
        automatic = suggested.get("suggestions", [])
        rest: Sequence[Facts] = [suggestion for suggestion in automatic if suggestion["mask"] not in masks]
        note = "" if examples or rest else suggested.get("suggestions_note", "")
        return {"suggestions": [*examples, *rest], "suggestions_note": note}


def _canonical(parameters: Mapping[str, str], limits: Limits) -> Query | None:
    """Returns the query of a form with helper fields, or None for a plain address.

    `toggle` changes the mark of one token of `of`; `marked` is the text that the mask belongs to, and in another text
    nothing is marked.
    """
    if not parameters.keys() & {"toggle", "marked", "of"}:
        return None
    fields = dict(parameters)
    text = one_line(fields.get("text", ""), limits.characters)
    if text != one_line(fields.pop("marked", text), limits.characters):
        fields["mask"] = ""
    elif "toggle" in fields:
        tokens = min(natural(fields.get("of", "")) or 0, limits.tokens)
        fields["mask"] = toggled(fields.get("mask", ""), tokens, fields["toggle"])
    return Query.read(fields, limits)


def _repeated(query: Query) -> Facts:
    """Returns the query for the page and as parameters of its address."""
    options = {name: getattr(query.options, name) for name in KINDS}
    return {"query": {"text": query.text, "mask": query.mask, "options": options}, "parameters": query.parameters}

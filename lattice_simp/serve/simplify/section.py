"""The tab, its page and its interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.problems import problem_answer
from lattice_simp.serve.section import Section
from lattice_simp.serve.sentence_pages import SentencePages
from lattice_simp.serve.simplify.marking import marked_parts
from lattice_simp.serve.workers import WorkerPool
from lattice_simp.support.extras import extra
from lattice_simp.systems.simplify.explanation import explanation
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.text.settings import TEXT

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

SHOWN = 5
"""Simplifications of a sentence that are shown."""

WARM_UP = "It rained, and we stayed."


def simplify_section(model: Path, limits: Limits) -> Section:
    """Makes the section of a model that `lattice-simp train` made with a section simplify."""
    pool = WorkerPool(partial(make_simplifier, model, limits.tokens), replace(limits, workers=1))
    pages = SentencePages(pool, limits, "simplify.html", "Simplify")
    routes = [
        Route("/simplify", pages.page, name="simplify"),
        Route("/api/simplify", pages.api, name="api_simplify"),
    ]
    return Section("Simplify", "simplify", routes, Path(__file__).parent / "templates", [pool])


def make_simplifier(model: Path, tokens: int) -> Callable[[str], dict[str, Any]]:
    """Loads the model in a worker, and uses it once; returns the function that answers requests."""
    text = None
    if (model / TEXT).is_file():
        with extra("text"):
            from lattice_simp.text.tokeniser import model_tokenisers
        source, target = model_tokenisers(model)
        text = replace(source, case="keep", casing={}), target  # parsers want the case that readers see
    answer = _Answer(Simplifier.load(model), text, tokens)
    answer(WARM_UP)  # no reader waits for kernels to be compiled
    return answer


@dataclass(frozen=True, eq=False)
class _Answer:
    simplifier: Simplifier
    text: tuple[Tokeniser, Tokeniser] | None
    tokens: int

    def __call__(self, given: str) -> dict[str, Any]:
        try:
            tokens = (given if self.text is None else self.text[0].tokens(given)).split()
            if not 0 < len(tokens) <= self.tokens:
                raise LatticeSimpError(f"the sentence has {len(tokens)} tokens; give one of 1 to {self.tokens}")
            found = self.simplifier.simplify(tokens, SHOWN)
            if found[0].problem:
                raise LatticeSimpError(found[0].problem)
        except LatticeSimpError as error:
            return problem_answer(error)
        readable = [own.text if self.text is None else self.text[1].text(own.text) for own in found]
        told = [
            explanation(own) | {"readable": text, "parts": marked_parts(text, own.tokens, own.substitutions)}
            for own, text in zip(found, readable, strict=True)
        ]
        return {"simplifications": told}

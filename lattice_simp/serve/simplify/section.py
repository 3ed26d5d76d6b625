"""The tab, its page and its interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.problems import problem_answer
from lattice_simp.serve.section import Section
from lattice_simp.serve.sentence_pages import SentencePages
from lattice_simp.serve.simplify.marking import marked_parts
from lattice_simp.serve.workers import WorkerPool
from lattice_simp.support.extras import extra
from lattice_simp.systems.simplify.explanation import explanation
from lattice_simp.systems.simplify.simplifier import Mode, Simplifier
from lattice_simp.text.settings import TEXT

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

SHOWN = 5
"""The number of simplifications shown for a sentence."""

WARM_UP = "It rained, and we stayed."


def simplify_section(model: Path | None, limits: Limits) -> Section:
    """Returns the section for a model trained by `lattice-simp train` with a section `simplify`, or for no model."""
    pool = WorkerPool(partial(make_simplifier, model, limits.tokens), replace(limits, workers=1))
    return SentencePages(pool, limits, "simplify.html", "Simplify").section("simplify", Path(__file__).parent)


def make_simplifier(model: Path | None, tokens: int, mode: Mode = "cautious") -> Callable[[str], dict[str, Any]]:
    """Loads and warms up the model in a worker; returns the function that answers requests."""
    text = None
    if model is None or (model / TEXT).is_file():
        with extra("text"):
            from lattice_simp.text.tokeniser import english_tokenisers, model_tokenisers
        source, target = english_tokenisers() if model is None else model_tokenisers(model)
        text = replace(source, case="keep", casing={}), target  # parsers need the original case
    simplifier = Simplifier.untrained() if model is None else Simplifier.load(model)
    answer = _Answer(replace(simplifier, mode=mode), text, tokens)
    answer(WARM_UP)  # compiles the kernels before the first request
    return answer


@dataclass(frozen=True, eq=False)
class _Answer:
    simplifier: Simplifier
    text: tuple[Tokeniser, Tokeniser] | None
    tokens: int

    def __call__(self, sentence: str) -> dict[str, Any]:
        try:
            tokens = (sentence if self.text is None else self.text[0].retokenised(sentence)).split()
            if not 0 < len(tokens) <= self.tokens:
                raise LatticeSimpError(f"the sentence has {len(tokens)} tokens; give one of 1 to {self.tokens}")
            simplifications = self.simplifier.simplify(tokens, SHOWN)
            if simplifications[0].problem:
                raise LatticeSimpError(simplifications[0].problem)
        except LatticeSimpError as error:
            return problem_answer(error)
        readable = [
            each.text if self.text is None else self.text[1].spaced_text(each.text, sentence)
            for each in simplifications
        ]
        shown = [
            explanation(each) | {"readable": text, "parts": marked_parts(text, each.tokens, each.substitutions)}
            for each, text in zip(simplifications, readable, strict=True)
        ]
        return {"simplifications": shown}

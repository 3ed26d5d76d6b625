"""The tab, its page and its interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.problems import problem_answer
from lattice_simp.serve.section import Section
from lattice_simp.serve.sentence_pages import SentencePages
from lattice_simp.serve.workers import WorkerPool
from lattice_simp.systems.hindi.clause import Clause, bracketed, nested_order
from lattice_simp.systems.hindi.model import HindiModel, load_what_works
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.simplify import simplify


def hindi_section(model: Path, limits: Limits) -> Section:
    """Returns the section for a model trained by `lattice-simp hindi train`."""
    pool = WorkerPool(partial(make_analyser, model, limits.tokens), replace(limits, workers=1))
    return SentencePages(pool, limits, "hindi.html", "Hindi clauses").section("hindi", Path(__file__).parent)


def make_analyser(model: Path, tokens: int) -> Callable[[str], dict[str, Any]]:
    """Loads the model in a worker; returns the function that answers requests."""
    return _Answer(load_what_works(model), tokens)


@dataclass(frozen=True, eq=False)
class _Answer:
    model: HindiModel
    tokens: int

    def __call__(self, text: str) -> dict[str, Any]:
        try:
            sentences = self.model.analyser(text)
            longest = max((len(sentence.tokens) for sentence in sentences), default=0)
            if not 0 < longest <= self.tokens:
                raise LatticeSimpError(f"a sentence has {longest} tokens; give sentences of 1 to {self.tokens}")
            return {"sentences": [self._facts(sentence) for sentence in self.model.parsed(sentences)]}
        except LatticeSimpError as error:
            return problem_answer(error)

    def _facts(self, sentence: Sentence) -> dict[str, Any]:
        clauses = self.model.clauses.clauses(sentence)
        words = [token.form for token in sentence.tokens]
        return {
            "words": words,
            "clauses": [{"start": clause.start, "end": clause.end, "type": clause.kind} for clause in clauses],
            "brackets": bracketed(words, clauses, kinds=True),
            "tree": clause_tree(words, clauses),
            "simple": [str(simple) for simple in simplify(sentence, clauses).sentences],
        }


def clause_tree(words: Sequence[str], clauses: Sequence[Clause]) -> list[Any]:
    """Nests words (strings) in clauses (dicts of `type` and `parts`).

    >>> clause_tree(["a", "b", "c"], [Clause(0, 3), Clause(1, 2)])
    [{'type': None, 'parts': ['a', {'type': None, 'parts': ['b']}, 'c']}]
    """
    tree: list[Any] = []
    open_clauses: list[tuple[int, list[Any]]] = [(len(words), tree)]
    pending = nested_order(clauses)
    for position, word in enumerate(words):
        while open_clauses[-1][0] <= position and len(open_clauses) > 1:
            open_clauses.pop()
        while pending and pending[0].start == position:
            clause = pending.pop(0)
            parts: list[Any] = []
            open_clauses[-1][1].append({"type": clause.kind and str(clause.kind), "parts": parts})
            open_clauses.append((clause.end, parts))
        open_clauses[-1][1].append(word)
    return tree

"""The systems: simplification with clauses from the trees, by rules, or by a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from experiments.hindi_simplification.references import line_of
from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.model import HindiModel
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.simplify import simplify

System = Callable[[Sentence], str]
"""Returns a line of sentences."""

SOURCE = "sentences as they are"


def systems(model: HindiModel | None) -> dict[str, System]:
    """Returns the systems by the names of their rows; those of a model only if there is one."""
    by_name: dict[str, System] = {
        "trees": lambda sentence: _simplified(sentence, clauses_of_tree(sentence)),
        "rules": lambda sentence: _simplified(sentence.without_empty, rule_clauses(sentence.without_empty)),
    }
    if model is not None:
        clauses, analyser = model.clauses, model.analyser

        def by_model(sentence: Sentence) -> str:
            return _simplified(sentence, clauses.clauses(sentence))

        by_name["model"] = lambda sentence: by_model(sentence.without_empty)
        by_name["model, plain text"] = lambda sentence: by_model(analyser.analyse(str(sentence).split()))
    return by_name


def _simplified(sentence: Sentence, clauses: Sequence[Clause]) -> str:
    return line_of([simple.words for simple in simplify(sentence, clauses).sentences])

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
"""A function that returns a line of sentences."""

SOURCE = "sentences as they are"


def systems(model: HindiModel | None) -> dict[str, System]:
    """Returns the systems by the names of their rows; those of a model only if there is one.

    All except the careful ones split every clause, like the references.
    """
    by_name: dict[str, System] = {
        "trees": lambda sentence: _simplified(sentence, clauses_of_tree(sentence)),
        "trees, careful": lambda sentence: _simplified(sentence, clauses_of_tree(sentence), every_clause=False),
        "rules": lambda sentence: _simplified(sentence.without_empty, rule_clauses(sentence.without_empty)),
    }
    if model is not None:
        clauses, analyser = model.clauses, model.analyser

        def by_model(sentence: Sentence, *, every_clause: bool = True) -> str:
            return _simplified(sentence, clauses.clauses(sentence), every_clause=every_clause)

        by_name["model"] = lambda sentence: by_model(sentence.without_empty)
        by_name["model, plain text"] = lambda sentence: by_model(analyser.analyse(str(sentence).split()))
        by_name["model, plain text, careful"] = lambda sentence: by_model(
            analyser.analyse(str(sentence).split()), every_clause=False
        )
        if model.parser is not None:
            by_name["model, parsed text"] = lambda sentence: by_model(_parsed(model, sentence))
            by_name["model, parsed text, careful"] = lambda sentence: by_model(
                _parsed(model, sentence), every_clause=False
            )
    return by_name


def _parsed(model: HindiModel, sentence: Sentence) -> Sentence:
    return next(model.parsed([model.analyser.analyse(str(sentence).split())]))


def _simplified(sentence: Sentence, clauses: Sequence[Clause], *, every_clause: bool = True) -> str:
    simple = simplify(sentence, clauses, every_clause=every_clause)
    return line_of([sentence.words for sentence in simple.sentences])

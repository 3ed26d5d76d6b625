"""What can be done to a sentence: its parse, its semantic graph, the splits and deletions that these allow."""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.systems.simplify.deletion import Deletion, deletion_candidates
from lattice_simp.systems.simplify.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graph import SemanticGraph
from lattice_simp.systems.simplify.split import Split, split_candidates
from lattice_simp.text.english.parse import Parse


@dataclass(frozen=True)
class Analysis:
    """A sentence with the candidates for both kinds of operations."""

    parse: Parse
    graph: SemanticGraph
    splits: tuple[Split, ...]
    deletions: tuple[Deletion, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.parse.tokens


def analyse(parse: Parse, graph: SemanticGraph | None = None) -> Analysis:
    """Finds the candidates of a parsed sentence.

    Args:
        parse: in the labels of spaCy's English models.
        graph: the semantic graph; without one, that of the parse.
    """
    graph = dependency_graph(parse) if graph is None else graph
    return Analysis(parse, graph, split_candidates(parse, graph), deletion_candidates(graph))

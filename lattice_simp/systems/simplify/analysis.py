"""Analyses of sentences: parse, semantic graph, and candidate splits, deletions and replacements."""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.systems.simplify.deletion import Deletion, deletion_candidates
from lattice_simp.systems.simplify.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graph import SemanticGraph
from lattice_simp.systems.simplify.replacements import Replacement
from lattice_simp.systems.simplify.split import Split, split_candidates
from lattice_simp.text.english.parse import Parse


@dataclass(frozen=True)
class Analysis:
    """A parsed sentence with its candidate splits and deletions, and in cautious mode replacements."""

    parse: Parse
    graph: SemanticGraph
    splits: tuple[Split, ...]
    deletions: tuple[Deletion, ...]
    replacements: tuple[Replacement, ...] = ()

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.parse.tokens


def analyse(parse: Parse, graph: SemanticGraph | None = None) -> Analysis:
    """Finds the candidate splits and deletions of a parsed sentence.

    Args:
        parse: a parse in the labels of spaCy's English models.
        graph: the semantic graph; by default that of the parse.
    """
    graph = dependency_graph(parse) if graph is None else graph
    return Analysis(parse, graph, split_candidates(parse, graph), deletion_candidates(graph))

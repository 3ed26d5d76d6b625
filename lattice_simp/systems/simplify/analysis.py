"""Analyses of sentences: parse, semantic graph, and candidate splits, deletions and replacements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lattice_simp.core.symbols import as_tokens
from lattice_simp.systems.simplify.between_events import event_splits
from lattice_simp.systems.simplify.candidates import split_candidates
from lattice_simp.systems.simplify.deletion import Deletion, deletion_candidates
from lattice_simp.systems.simplify.graphs.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graphs.graph import SemanticGraph
from lattice_simp.systems.simplify.replacements import Replacement
from lattice_simp.systems.simplify.split import Split
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.spacy_parser import parse_sentences

Sentence: TypeAlias = Parse | SemanticGraph | str | Sequence[str]
"""A parse in the labels of spaCy's English models, a semantic graph, or tokens to parse (a string has spaces)."""

MAX_TOKENS = 100
"""The longest sentence that is parsed, since parses of lists and tables are unusable."""

_BATCH = 64
"""The number of sentences parsed at once."""


@dataclass(frozen=True)
class Analysis:
    """A sentence with its candidate splits and deletions, and in cautious mode replacements.

    Attributes:
        parse: the parse; without a parser, the tags of the graph, and all tokens are roots.
        problem: why the sentence has no splits and deletions; otherwise empty.
        is_parsed: whether a parser made the parse.
    """

    parse: Parse
    graph: SemanticGraph
    splits: tuple[Split, ...]
    deletions: tuple[Deletion, ...]
    replacements: tuple[Replacement, ...] = ()
    problem: str = ""
    is_parsed: bool = True

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.parse.tokens


def analyse(parse: Parse, graph: SemanticGraph | None = None) -> Analysis:
    """Finds the candidate splits and deletions of a parsed sentence.

    Args:
        parse: a parse in the labels of spaCy's English models.
        graph: the semantic graph of the sentence, whose pairs of events are the splits; by default that of the parse,
            with the splits of its constructions.
    """
    if graph is None:
        graph = dependency_graph(parse)
        return Analysis(parse, graph, split_candidates(parse, graph), deletion_candidates(graph))
    if not graph.nodes:
        return Analysis(parse, graph, (), (), problem="no semantic graph")
    return Analysis(parse, graph, event_splits(graph), deletion_candidates(graph))


def analyses(sentences: str | Iterable[Sentence], *, parse_graphs: bool = False) -> Iterator[Analysis]:
    """Yields the analysis of each sentence, in order.

    A sentence that is too long to parse has no splits and deletions; nor has a graph without nodes, which stands for a
    missing graph.

    Args:
        sentences: the sentences; one string is one sentence.
        parse_graphs: whether to parse the sentences of graphs, too.

    Raises:
        MissingExtraError: a sentence must be parsed, and spaCy or its English model is not installed.
    """
    pending: list[Sequence[str] | SemanticGraph] = []
    for sentence in [sentences] if isinstance(sentences, str) else sentences:  # keeps a stream lazy
        if isinstance(sentence, Parse) or (isinstance(sentence, SemanticGraph) and not parse_graphs):
            yield from _parsed(pending)
            yield analyse(sentence) if isinstance(sentence, Parse) else _unparsed(sentence)
            pending.clear()
            continue
        pending.append(sentence if isinstance(sentence, SemanticGraph) else as_tokens(sentence))
        if len(pending) == _BATCH:
            yield from _parsed(pending)
            pending.clear()
    yield from _parsed(pending)


def _parsed(pending: Sequence[Sequence[str] | SemanticGraph]) -> Iterator[Analysis]:
    """Yields the analyses of tokens and of graphs, parsed at once."""
    texts = [each.tokens if isinstance(each, SemanticGraph) else tuple(each) for each in pending]
    parses = parse_sentences(tokens for tokens in texts if 0 < len(tokens) <= MAX_TOKENS)
    for each, tokens in zip(pending, texts, strict=True):
        graph = each if isinstance(each, SemanticGraph) else None
        if 0 < len(tokens) <= MAX_TOKENS:
            yield analyse(next(parses), graph)
        else:
            problem = f"{len(tokens)} tokens, more than the {MAX_TOKENS} that are parsed" if tokens else ""
            yield replace(_unparsed(graph or SemanticGraph(tokens, (), ())), problem=problem)


def _unparsed(graph: SemanticGraph) -> Analysis:
    """Returns the analysis of a graph alone."""
    size = len(graph.tokens)
    tags = graph.tags or ("",) * size
    lemmas = tuple(token.lower() for token in graph.tokens)
    parse = Parse(graph.tokens, (ROOT,) * size, ("",) * size, ("",) * size, tags, lemmas)
    return replace(analyse(parse, graph), is_parsed=False)

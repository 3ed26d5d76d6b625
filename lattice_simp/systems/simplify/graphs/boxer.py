"""Reads graphs of discourse representation structures, in the simplified notations for Boxer's output.

The form follows Figure 1 of the paper: discourse referents with predicates, relations with a word, and edges, each
with positions in the sentence (from 1). There are two notations.

XML::

    <sentence id="1">
      <main><s><w id="w1" pos="PRP">It</w> <w id="w2" pos="VBD">rained</w></s></main>
      <box>
        <node sym="X1"><span><loc id="w2"/></span><pred sym="rain"><loc id="w2"/></pred></node>
        <rel sym="R1"><span><loc id="w3"/></span><pred sym="in"><loc id="w3"/></pred></rel>
        <edge par="X1" dep="X2" lab="R1"/>
      </box>
    </sentence>

JSON lines, one sentence a line::

    {"id": "1", "tokens": ["It", ...], "tags": ["PRP", ...],
     "nodes": {"X1": {"positions": [2], "predicates": [["rain", [2]]]}},
     "relations": {"R1": {"predicate": "in", "positions": [3]}}, "edges": [["X1", "X2", "R1"]]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax import SAXParseException, handler
from xml.sax.expatreader import ExpatParser
from xml.sax.xmlreader import AttributesImpl

from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.formats.common import natural
from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.systems.simplify.graphs.graph import Edge, EdgeKind, Node, NodeKind, SemanticGraph

_ROOT = "ROOT"
_EVENT = "event"
_POSSESSIVE = frozenset({"PRP$", "POS", "WP$"})
_REMEDY = "see the documentation of lattice_simp.systems.simplify.graphs.boxer for the format"
_MODIFIER_TAGS = ("JJ", "RB")


@dataclass
class _Record:
    """A graph as in its file; positions count from 1."""

    line: int
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    spans: dict[str, list[int]] = field(default_factory=dict)
    predicates: dict[str, list[tuple[str, list[int]]]] = field(default_factory=dict)
    relations: dict[str, tuple[str, list[int]]] = field(default_factory=dict)
    edges: list[tuple[str, str, str]] = field(default_factory=list)


def graphs_by_tokens(paths: Iterable[str | Path]) -> dict[tuple[str, ...], SemanticGraph]:
    """Returns the graphs of files by their sentences; of several graphs of a sentence, the first."""
    graphs: dict[tuple[str, ...], SemanticGraph] = {}
    for path in paths:
        for graph in read_graphs(path):
            graphs.setdefault(graph.tokens, graph)
    return graphs


def read_graphs(path: str | Path) -> Iterator[SemanticGraph]:
    """Yields the semantic graphs of a file: XML, or JSON lines if it starts with `{` (`systems.simplify.graphs.boxer`).

    Referents with the same positions are merged into one entity. Adjectives and adverbs among the predicates of a
    referent become its modifiers. Of several edges to a referent, all but the first are shared. A position claimed by
    several parts of the file goes to a predicate, then to a relation, then to the referent with the shortest span.

    Raises:
        FormatError: a line holds no such graph; names the line.
    """
    with open_text(path) as file:
        start = file.read(64).lstrip("\ufeff \t\r\n")
    records = _json_records(path) if start.startswith("{") else _xml_records(path)
    for record in records:
        try:
            yield _graph(record)
        except (LatticeSimpError, KeyError, IndexError) as error:
            message = error.args[0] if isinstance(error, LatticeSimpError) else f"unknown name {error}"
            raise FormatError(one_line(ValueError(message)), path=path, line=record.line, remedy=_REMEDY) from error


def _json_records(path: str | Path) -> Iterator[_Record]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        fields = parse_json(line, path=path, line=number, remedy=_REMEDY)
        try:
            nodes, relations = fields["nodes"], fields["relations"]
            yield _Record(
                number,
                _words(fields["tokens"]),
                _words(fields.get("tags", [""] * len(fields["tokens"]))),
                {name: _positions(node["positions"]) for name, node in nodes.items()},
                {name: [_predicate(*pair) for pair in node["predicates"]] for name, node in nodes.items()},
                {name: _predicate(edge["predicate"], edge["positions"]) for name, edge in relations.items()},
                [_edge(*names) for names in fields["edges"]],
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FormatError(f"invalid graph: {one_line(error)}", path=path, line=number, remedy=_REMEDY) from error


def _words(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"expected a list of strings, found {str(values)[:40]}")
    return values


def _positions(values: Any) -> list[int]:
    if not isinstance(values, list) or not all(type(value) is int and value > 0 for value in values):
        raise TypeError(f"expected a list of positions from 1, found {str(values)[:40]}")
    return values


def _predicate(word: Any, positions: Any) -> tuple[str, list[int]]:
    return _words([word])[0], _positions(positions)


def _edge(head: Any, dependent: Any, label: Any) -> tuple[str, str, str]:
    head, dependent, label = _words([head, dependent, label])
    return head, dependent, label


def _xml_records(path: str | Path) -> Iterator[_Record]:
    reader = ExpatParser()
    content = _Content(path, reader)
    reader.setContentHandler(content)
    try:
        with open_text(path) as file:
            while text := file.read(1 << 16):
                reader.feed(text)
            reader.close()
    except SAXParseException as error:
        message = f"invalid XML: {error.getMessage()}"
        raise FormatError(message, path=path, line=error.getLineNumber(), remedy=_REMEDY) from error
    if not content.records:
        raise FormatError("the file has no <sentence> element", path=path, line=1, remedy=_REMEDY)
    yield from content.records


class _Content(handler.ContentHandler):
    """Collects the records of an XML file."""

    def __init__(self, path: str | Path, reader: ExpatParser) -> None:
        super().__init__()
        self.path = path
        self.reader = reader
        self.records: list[_Record] = []
        self._part = ""
        self._name = ""
        self._text: list[str] | None = None
        self._locations: list[int] = []

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        line = self.reader.getLineNumber()
        try:
            self._start(name, attrs, line)
        except (KeyError, ValueError, IndexError) as error:
            message = f"incomplete element <{name}>: {one_line(error)}"
            raise FormatError(message, path=self.path, line=line, remedy=_REMEDY) from error

    def _start(self, name: str, attrs: AttributesImpl, line: int) -> None:
        if name == "sentence":
            self.records.append(_Record(line))
            return
        if name in ("main", "simple", "node", "rel"):
            self._part = name
        record = self.records[-1] if self.records else None
        if record is None:
            return
        if name == "w" and self._part == "main":
            self._text = []
            record.tags.append(attrs.get("pos", ""))
        elif name == "node":
            self._name = attrs["sym"]
            record.predicates[self._name] = []
            record.spans[self._name] = self._locations = []
        elif name == "rel":
            self._name = attrs["sym"]
            self._locations = []
            record.relations[self._name] = ("", self._locations)
        elif name == "pred" and self._part == "node":
            self._locations = []
            record.predicates[self._name].append((attrs["sym"], self._locations))
        elif name == "pred":
            record.relations[self._name] = (attrs["sym"], record.relations[self._name][1])
            self._locations = []
        elif name == "loc":
            if (position := natural(attrs["id"].lstrip("wi"))) is None:
                raise ValueError(f"invalid position {attrs['id'][:40]!r}")
            self._locations.append(position)
        elif name == "edge":
            record.edges.append((attrs["par"], attrs["dep"], attrs["lab"]))

    def characters(self, content: str) -> None:
        if self._text is not None:
            self._text.append(content)

    def endElement(self, name: str) -> None:
        if name == "w" and self._text is not None:
            self.records[-1].tokens.append("".join(self._text).strip())
            self._text = None


def _graph(record: _Record) -> SemanticGraph:
    _check(record)
    same = _same_entities(record)
    names = [name for name in record.spans if same[name] == name]
    owner = _owners(record, names)
    nodes, modifiers = [], []
    for name in names:
        predicates = [(word, at) for word, at in record.predicates[name] if word != _EVENT]
        inside = tuple(position for position, part in sorted(owner.items()) if part == name)
        split_off = [(word, at) for word, at in predicates if _is_modifier(record, name, at)]
        gone = {position - 1 for _, at in split_off for position in at}
        kept = tuple(word for word, at in predicates if (word, at) not in split_off)
        nodes.append(
            Node(name, _kind(record, name), kept, tuple(position for position in inside if position not in gone))
        )
        for number, (word, at) in enumerate(split_off, start=1):
            positions = tuple(position - 1 for position in sorted(at) if owner[position - 1] == name)
            modifier = f"{name}.{number}"
            node = Node(modifier, NodeKind.PROPERTY, (word,), positions)
            modifiers.append((node, Edge(name, modifier, "mod", EdgeKind.MODIFIER)))
    edges = (*_edges(record, same, owner), *(edge for _, edge in modifiers))
    every = (*nodes, *(node for node, _ in modifiers))
    return SemanticGraph(tuple(record.tokens), every, edges, tags=tuple(record.tags) if any(record.tags) else ())


def _check(record: _Record) -> None:
    if len(record.tags) != len(record.tokens):
        raise LatticeSimpError(f"expected {len(record.tokens)} tags, one for each token, found {len(record.tags)}")
    spans = [*record.spans.values(), *(at for _, at in record.relations.values())]
    spans += [at for predicates in record.predicates.values() for _, at in predicates]
    for position in (position for span in spans for position in span):
        if not isinstance(position, int) or not 1 <= position <= len(record.tokens):
            raise LatticeSimpError(
                f"position {position} is outside the sentence of {counted(len(record.tokens), 'token')}"
            )
    for head, dependent, label in record.edges:
        missing = [name for name in (head, dependent) if name != _ROOT and name not in record.spans]
        missing += [label] if label not in record.relations and head != _ROOT else []
        if missing:
            raise LatticeSimpError(f"an edge refers to the unknown name {missing[0]}")


def _same_entities(record: _Record) -> dict[str, str]:
    """Maps each referent to the first one with the same positions."""
    first: dict[tuple[int, ...], str] = {}
    result = {}
    for name, span in record.spans.items():
        key = tuple(sorted(set(span)))
        result[name] = first.setdefault(key, name) if key else name
    for name, entity in result.items():
        if name != entity:
            words = {word for word, _ in record.predicates[entity]}
            record.predicates[entity] += [
                predicate for predicate in record.predicates[name] if predicate[0] not in words
            ]
    return result


def _owners(record: _Record, names: list[str]) -> dict[int, str]:
    """Returns the referent or relation that owns each position (from 0)."""
    owner: dict[int, str] = {}
    by_size = sorted(names, key=lambda name: len(record.spans[name]))
    claims = [(name, position) for name in by_size for _, at in record.predicates[name] for position in at]
    claims += [(label, position) for label, (_, at) in record.relations.items() for position in at]
    claims += [(name, position) for name in by_size for position in record.spans[name]]
    for name, position in claims:
        owner.setdefault(position - 1, name)
    return owner


def _kind(record: _Record, name: str) -> NodeKind:
    is_event = any(word == _EVENT for word, _ in record.predicates[name])
    return NodeKind.EVENT if is_event else NodeKind.ENTITY


def _is_modifier(record: _Record, name: str, at: list[int]) -> bool:
    """Returns whether a predicate is an adjective or adverb that modifies the head of its referent."""
    head_positions = [
        position for _, positions in record.predicates[name] for position in positions if position not in at
    ]
    is_tagged = bool(at) and all(record.tags[position - 1].startswith(_MODIFIER_TAGS) for position in at)
    return is_tagged and any(not record.tags[position - 1].startswith(_MODIFIER_TAGS) for position in head_positions)


def _edges(record: _Record, same: Mapping[str, str], owner: Mapping[int, str]) -> list[Edge]:
    edges: list[Edge] = []
    parents: dict[str, str] = {}
    used: set[str] = set()
    for head, dependent, label in record.edges:
        if _ROOT in (head, dependent):
            continue
        above, below = same[head], same[dependent]
        word, at = record.relations[label]
        positions = tuple(position - 1 for position in sorted(at) if owner.get(position - 1) == label)
        shared = below in parents or _is_above(below, above, parents)
        if not shared:
            parents[below] = above
        kind = EdgeKind.ROLE if word in word_set("boxer_roles") else EdgeKind.RELATION
        obligatory = word == "nn" or any(record.tags[position - 1] in _POSSESSIVE for position in record.spans[below])
        edge_positions = () if label in used else positions
        used.add(label)
        edges.append(Edge(above, below, word, kind, edge_positions, shared, obligatory))
    return edges


def _is_above(name: str, below: str, parents: Mapping[str, str]) -> bool:
    """Returns whether `name` is `below` or one of its ancestors."""
    while below != name and below in parents:
        below = parents[below]
    return below == name

"""The semantic graph of a parsed sentence.

A dependency tree provides the same interface as a discourse representation: verbs are events, their core arguments
roles, oblique and adverbial dependents relations, adjectives and adverbs modifiers. The table
`grammars/english/dependency_graph.tsv` maps the labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from lattice_simp.skeleton.automatic.deletion_tree import deletion_tree
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.simplify.clauses import main_subject, relative_word, repaired
from lattice_simp.systems.simplify.graphs.graph import Edge, EdgeKind, Node, NodeKind, SemanticGraph
from lattice_simp.systems.simplify.graphs.needed import is_needed
from lattice_simp.text.english.parse import ROOT, Parse

_NODE, _OWN, _WORD, _ORPHAN = "node", "own", "word", "orphan"
_ITS_WORD = "*"
_COMPLEMENTS = ("pobj", "pcomp")
_PREPOSITIONS = ("prep", "agent", "dative")
_CLAUSES = ("advcl", "relcl", "acl", "conj", "ccomp")


def dependency_graph(parse: Parse) -> SemanticGraph:
    """Returns the semantic graph of a parse in the labels of spaCy's English models.

    >>> parse = Parse(("she", "swam", "in", "it"), (1, -1, 1, 2), ("nsubj", "ROOT", "prep", "pobj"),
    ...               ("PRON", "VERB", "ADP", "PRON"), ("PRP", "VBD", "IN", "PRP"), ("she", "swim", "in", "it"))
    >>> for edge in dependency_graph(parse).edges:
    ...     print(edge.head, edge.label, edge.dependent, edge.kind.value, edge.positions)
    X2 agent X1 role ()
    X2 in X3 relation (2,)

    Relative pronouns are orphans, and their antecedents take over their roles. Participles and coordinated verbs
    without a subject share that of the main verb. The parts of a name are predicates of one entity.
    """
    builder = _Builder(repaired(parse))
    edges = (*builder.edges(), *builder.shared_edges())
    return SemanticGraph(parse.tokens, builder.nodes(), edges, builder.needed(), parse.tags)


@cache
def _treatments() -> dict[str, tuple[str, str]]:
    """Returns the (treatment, name) of each label."""
    rows = grammar_table("english/dependency_graph.tsv", ("label", "treatment", "name"))
    return {row["label"]: (row["treatment"], row["name"]) for row in rows}


@dataclass(frozen=True)
class _Builder:
    parse: Parse

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The role of each token: a node, a word of another node, the word of an edge, or an orphan."""
        return tuple(map(self._place, range(len(self.parse))))

    def _place(self, position: int) -> str:
        parse, label = self.parse, self.parse.labels[position]
        treatment = _treatments().get(label, ("relation", ""))[0]
        if parse.heads[position] == ROOT:
            return _ORPHAN if parse.parts[position] == "PUNCT" else _NODE
        if label == "compound" and self._is_name(position):
            return _OWN
        if label == "mark":
            is_that = parse.tokens[position].lower() == "that"
            return _ORPHAN if is_that or parse.labels[parse.heads[position]] not in _CLAUSES else _WORD
        if label == "cc":
            return _WORD if self._conjunct(position) is not None else _ORPHAN
        if label in _PREPOSITIONS and self._complement(position) is not None:
            return _WORD
        if label in ("prep", "agent"):
            return _OWN
        if self._is_relative(position):
            return _ORPHAN
        if label == "advmod" and parse.tags[position] == "WRB" and parse.labels[parse.heads[position]] == "advcl":
            return _WORD
        return treatment if treatment in (_OWN, _ORPHAN) else _NODE

    def _is_name(self, position: int) -> bool:
        head = self.parse.heads[position]
        return self.parse.parts[position] in ("PROPN", "NUM") and self.parse.parts[head] in ("PROPN", "NUM")

    def _is_relative(self, position: int) -> bool:
        return position in self._relative_words

    @cached_property
    def _relative_words(self) -> dict[int, int]:
        """The clause of each relative pronoun."""
        clauses = [position for position, label in enumerate(self.parse.labels) if label == "relcl"]
        words = {relative_word(self.parse, clause): clause for clause in clauses}
        return {word: clause for word, clause in words.items() if word is not None}

    def _conjunct(self, conjunction: int) -> int | None:
        parse = self.parse
        following = (child for child in parse.children[parse.heads[conjunction]] if child > conjunction)
        return next((child for child in following if parse.labels[child] == "conj"), None)

    def _complement(self, preposition: int) -> int | None:
        """Returns the complement of a preposition, through nested prepositions (`out of`)."""
        children = self.parse.children[preposition]
        governed = [child for child in children if self.parse.labels[child] in _COMPLEMENTS]
        if governed:
            return governed[0]
        inner = [child for child in children if self.parse.labels[child] == "prep"]
        return self._complement(inner[0]) if inner else None

    def _governed_by(self, position: int) -> list[int]:
        """Returns the prepositions that govern a token, outermost first."""
        prepositions: list[int] = []
        current = self.parse.heads[position]
        while current != ROOT and self.places[current] == _WORD and self._complement_of(current) == position:
            prepositions.insert(0, current)
            current = self.parse.heads[current]
        return prepositions

    def _complement_of(self, position: int) -> int | None:
        return self._complement(position) if self.parse.labels[position] in _PREPOSITIONS else None

    @cached_property
    def anchors(self) -> tuple[int, ...]:
        """The head token of the node that each token belongs to; -1 for none."""
        return tuple(map(self._anchor, range(len(self.parse))))

    def _anchor(self, position: int) -> int:
        if position == ROOT or self.places[position] == _NODE:
            return position
        if self.places[position] == _WORD:
            complement = self._complement_of(position)
            if self.parse.labels[position] == "cc":
                complement = self._conjunct(position)
            if complement is not None and self.places[complement] == _NODE:
                return complement
        return self._anchor(self.parse.heads[position])

    @cached_property
    def _names(self) -> dict[int, str]:
        tokens = [position for position, place in enumerate(self.places) if place == _NODE]
        return {position: f"X{number}" for number, position in enumerate(tokens, start=1)}

    def nodes(self) -> tuple[Node, ...]:
        positions: dict[int, list[int]] = {position: [] for position in self._names}
        for position, place in enumerate(self.places):
            if place in (_NODE, _OWN) and self.anchors[position] != ROOT:
                positions[self.anchors[position]].append(position)
        return tuple(
            Node(name, self._kind(head), self._predicates(head, positions[head]), tuple(positions[head]))
            for head, name in self._names.items()
        )

    def _kind(self, position: int) -> NodeKind:
        part, label = self.parse.parts[position], self.parse.labels[position]
        if part in ("VERB", "AUX") and label != "amod":
            return NodeKind.EVENT
        return NodeKind.PROPERTY if part in ("ADJ", "ADV") or label in ("amod", "advmod") else NodeKind.ENTITY

    def _predicates(self, head: int, positions: list[int]) -> tuple[str, ...]:
        kept = [
            position
            for position in positions
            if position == head or self.parse.labels[position] in ("compound", "nummod", "neg", "prt")
        ]
        return tuple(self.parse.lemmas[position].lower() for position in kept)

    def edges(self) -> tuple[Edge, ...]:
        edges = [self._edge(position) for position in self._names if self.parse.heads[position] != ROOT]
        return tuple(edge for edge in edges if edge is not None)

    def _edge(self, position: int) -> Edge | None:
        parse, costs = self.parse, self._costs
        outer = self._governed_by(position)
        top = outer[0] if outer else position
        head = self._anchor(parse.heads[top])
        if head == ROOT:
            return None
        treatment, name = _treatments().get(parse.labels[top], ("relation", ""))
        kind = EdgeKind(treatment) if treatment in set(EdgeKind) else EdgeKind.RELATION
        positions = tuple(sorted({*outer, *self._words_of(position)}))
        if name in (_ITS_WORD, ""):
            name = " ".join(parse.tokens[word].lower() for word in positions) or parse.labels[top]
        obligatory = kind != EdgeKind.ROLE and (
            bool(np.isinf(costs[top])) or treatment == _OWN or is_needed(parse, top) or kind == EdgeKind.CONJUNCT
        )
        return Edge(self._names[head], self._names[position], name, kind, positions, obligatory=obligatory)

    @cached_property
    def _costs(self) -> np.ndarray:
        return deletion_tree(self.parse).costs

    def _words_of(self, position: int) -> list[int]:
        """Returns the conjunctions that introduce a clause or a conjunct."""
        words = [word for word in self.parse.children[position] if self.places[word] == _WORD]
        words = [word for word in words if self.parse.labels[word] in ("mark", "advmod")]
        if self.parse.labels[position] == "conj":
            beside = self.parse.children[self.parse.heads[position]]
            words += [word for word in beside if self.places[word] == _WORD and self._is_joining(word, position)]
        return words

    def _is_joining(self, conjunction: int, conjunct: int) -> bool:
        return self.parse.labels[conjunction] == "cc" and self._conjunct(conjunction) == conjunct

    def shared_edges(self) -> list[Edge]:
        """Returns the edges to entities that also have a place elsewhere."""
        return [*self._antecedents(), *self._missing_subjects()]

    def _antecedents(self) -> list[Edge]:
        edges = []
        for word, clause in self._relative_words.items():
            antecedent = self._anchor(self.parse.heads[clause])
            outer = self._governed_by(word)
            head = self._anchor(self.parse.heads[outer[0] if outer else word])
            if ROOT in (antecedent, head) or antecedent == head:
                continue
            treatment, name = _treatments().get(self.parse.labels[outer[0] if outer else word], ("relation", ""))
            kind = EdgeKind(treatment) if treatment in set(EdgeKind) else EdgeKind.RELATION
            if name in (_ITS_WORD, ""):
                name = " ".join(self.parse.tokens[part].lower() for part in outer or [word])
            edges.append(Edge(self._names[head], self._names[antecedent], name, kind, tuple(outer), shared=True))
        return edges

    def _missing_subjects(self) -> list[Edge]:
        edges = []
        for position, name in self._names.items():
            subject = main_subject(self.parse, position)
            if self._kind(position) != NodeKind.EVENT or subject is None or self.parse.labels[position] == "xcomp":
                continue
            anchor = self._anchor(subject)
            if anchor not in (ROOT, position):
                passive = self.parse.tags[position] == "VBN" and not self._is_perfect(position)
                label = "patient" if passive else "agent"
                edges.append(Edge(name, self._names[anchor], label, EdgeKind.ROLE, shared=True))
        return edges

    def _is_perfect(self, position: int) -> bool:
        children = self.parse.children[position]
        auxiliaries = {self.parse.labels[child]: self.parse.lemmas[child] for child in children}
        return "auxpass" not in auxiliaries and auxiliaries.get("aux") == "have"

    def needed(self) -> frozenset[int]:
        """Returns the orphans that must stay: all except sentence-initial conjunctions, `that` and interjections."""
        return frozenset(
            position for position, place in enumerate(self.places) if place == _ORPHAN and not self._is_spare(position)
        )

    def _is_spare(self, position: int) -> bool:
        label, head = self.parse.labels[position], self.parse.heads[position]
        if label == "mark":
            return head != ROOT and self.parse.labels[head] == "ccomp" and position > self.parse.heads[head]
        opens = position == 0 or (label == "intj" and self.parse.tokens[position - 1] == ",")
        return label in ("intj", "meta", "cc") and opens

"""Constituents from a dependency parse: the projections of each head, from the inside out.

A head takes its dependents one by one, nearest first. Nouns take those on the left before those on the right, so that
`small house`, `a small house` and `a small house on the hill` are constituents; verbs take those on the right first, so
that `get me`, `get me a taxi`, `will get me a taxi` and `he will get me a taxi` are. The category says where the
projection fits: the number and determiner of a noun phrase; the form, voice and aspect of a verb.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lattice_simp.systems.paraphrase.tree import Node, Tree, phrase_categories
from lattice_simp.text.english.parse import ROOT, Parse

_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass", "expl"))
_AUXILIARIES = frozenset(("aux", "auxpass"))
_DETERMINERS = frozenset(("det", "poss", "nummod", "predet", "neg"))
_MODIFIERS = frozenset(("compound", "amod", "nmod", "nummod", "quantmod"))
_PLURALS = frozenset(("NNS", "NNPS"))
_NUMBERED = frozenset(("was", "were"))  # the past tense of other verbs does not show number
_PREDICATES = frozenset(("attr", "oprd"))


def constituents(parse: Parse) -> Tree:
    """Returns the tree of a parse in the labels of spaCy's English models.

    >>> parse = Parse(("the", "cat", "slept"), (1, 2, -1), ("det", "nsubj", "ROOT"), ("DET", "NOUN", "VERB"),
    ...               ("DT", "NN", "VBD"), ("the", "cat", "sleep"))
    >>> tree = constituents(parse)
    >>> [(node.category, " ".join(tree.phrase(number))) for number, node in enumerate(tree.nodes)]
    [('S-VBD', 'the cat slept'), ('NP-SG', 'the cat'), ('N-SG', 'cat'), ('VP-VBD', 'slept')]

    Discontinuous projections are not constituents; their parts belong to the next larger one.
    """
    builder = _Builder(parse)
    spans = [span for head in builder.inner_first for span in builder.project(head)]
    return Tree(parse.tokens, parse.tags, tuple(lemma.lower() for lemma in parse.lemmas), _nested(spans, len(parse)))


@dataclass(frozen=True)
class _Span:
    category: str
    begin: int
    end: int
    head: int | None = None


@dataclass
class _Node:
    span: _Span
    children: list[_Node] = field(default_factory=list)


def _nested(spans: list[_Span], length: int) -> tuple[Node, ...]:
    """Nests spans, larger ones outside, dropping those that cross earlier ones."""
    sentence = next((span for span in spans if span.end - span.begin == length), _Span("S", 0, length))
    root = _Node(sentence)
    ordered = sorted({(span.begin, span.end): span for span in reversed(spans)}.values(), key=_largest_first)
    for span in ordered:
        if (span.begin, span.end) != (0, length):
            _insert(root, span)
    return _numbered(root)


def _largest_first(span: _Span) -> tuple[int, int]:
    return (span.begin - span.end, span.begin)


def _insert(node: _Node, span: _Span) -> None:
    """Adds a span to the innermost node around it, unless it crosses another one; sentences may be nested deeply."""
    while True:
        for child in node.children:
            inner = child.span
            if inner.begin <= span.begin and span.end <= inner.end:
                node = child
                break
            if inner.begin < span.end and span.begin < inner.end:
                return
        else:
            node.children.append(_Node(span))
            return


def _numbered(root: _Node) -> tuple[Node, ...]:
    """Returns all nodes from left to right, each before its children."""
    ordered: list[_Node] = []
    pending = [root]
    while pending:
        ordered.append(pending.pop())
        pending += sorted(ordered[-1].children, key=lambda child: -child.span.begin)
    numbers = {id(node): number for number, node in enumerate(ordered)}
    return tuple(
        Node(
            node.span.category,
            node.span.begin,
            node.span.end,
            tuple(sorted(numbers[id(child)] for child in node.children)),
            node.span.head,
        )
        for node in ordered
    )


_Extent = tuple[int, int, int]
"""The begin and end of some words, and their number."""


def _joined(first: _Extent, second: _Extent) -> _Extent:
    return min(first[0], second[0]), max(first[1], second[1]), first[2] + second[2]


class _Builder:
    """Builds the projections of a parse."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self.inner_first = sorted(range(len(parse)), key=lambda position: -parse.depths[position])
        self._extents: list[_Extent] = [(position, position + 1, 1) for position in range(len(parse))]  # of subtrees
        for position in self.inner_first:
            if (head := parse.heads[position]) != ROOT:
                self._extents[head] = _joined(self._extents[head], self._extents[position])

    def project(self, head: int) -> list[_Span]:
        """Returns the contiguous projections of a head."""
        parse = self._parse
        kind = phrase_categories().get(parse.tags[head], "-")
        dependents = parse.children[head]
        spans: list[_Span] = []
        if not dependents and (kind == "-" or parse.labels[head] in _AUXILIARIES):
            return spans
        extent = head, head + 1, 1
        attached: list[int] = []
        if kind not in ("PP", "-"):
            spans.append(_Span(self._category(head, kind, attached), head, head + 1, head))
        for child in self._order(head, kind):
            extent = _joined(extent, self._extents[child])
            attached.append(child)
            if parse.labels[child] in ("cc", "punct", "preconj") and len(attached) < len(dependents):
                continue  # include what follows it
            begin, end, size = extent
            if end - begin == size:
                spans.append(_Span(self._category(head, kind, attached), begin, end, head))
        return spans

    def _order(self, head: int, kind: str) -> list[int]:
        """Returns the dependents in the order of attachment."""
        labels = self._parse.labels
        children = self._parse.children[head]
        left = [child for child in reversed(children) if child < head]
        right = [child for child in children if child > head]
        if kind != "VP":
            return left + right
        last = len(right)
        for index, child in enumerate(right):
            if labels[child] == "conj" and any(labels[below] in _SUBJECTS for below in self._parse.children[child]):
                last = next((at for at in range(index) if labels[right[at]] in ("cc", "punct")), index)
                break
        while last and labels[right[last - 1]] == "punct":
            last -= 1
        return right[:last] + left + right[last:]

    def _category(self, head: int, kind: str, attached: list[int]) -> str:
        """Returns the category of a projection with these dependents."""
        parse = self._parse
        label = parse.labels[head]
        done = set(attached)
        pending = [child for child in parse.children[head] if child not in done]
        if kind == "VP":
            return self._verbal(head, attached, pending)
        if kind in ("NP", "FW") or (kind == "QP" and label not in _MODIFIERS):
            return self._nominal(head, attached, pending)
        if kind == "PRP":
            return "NP-SUBJECT" if label in _SUBJECTS else "NP-OBJECT"
        return f"{kind}-{label}" if kind in ("ADJP", "ADVP") else kind

    def _nominal(self, head: int, attached: list[int], pending: list[int]) -> str:
        parse = self._parse
        labels = {parse.labels[child] for child in attached}
        if any(parse.tags[child] == "POS" for child in attached):
            return "POSS"
        if parse.labels[head] in _MODIFIERS:
            return f"NMOD-{parse.tags[head]}"
        number = "PL" if parse.tags[head] in _PLURALS or "conj" in labels else "SG"
        if any(child < head for child in pending):
            return f"N-{number}"
        bare = parse.tags[head] == "NN" and not labels & _DETERMINERS
        predicate = "-PREDICATE" if parse.labels[head] in _PREDICATES else ""
        if predicate and any(
            parse.lemmas[child].lower() == "the" or parse.labels[child] == "poss" for child in attached
        ):
            predicate += "-DEFINITE"
        return f"NP-{number}{'-BARE' if bare else ''}{predicate}"

    def _verbal(self, head: int, attached: list[int], pending: list[int]) -> str:
        parse = self._parse
        labels = {parse.labels[child] for child in attached}
        if parse.labels[head] == "relcl" and not pending:
            return f"SBAR-REL-{self._form(head, attached)}"
        if "mark" in labels:
            return "SBAR"
        form = self._form(head, attached)
        if not labels & _SUBJECTS:
            return f"VP-{form}"
        if any(parse.tokens[child] == "?" for child in attached):
            return "SQ"
        return f"S-{form}"

    def _form(self, head: int, attached: list[int]) -> str:
        """Returns the form of a verb with its attached auxiliaries: the form of the first, voice and aspect."""
        parse = self._parse
        auxiliaries = [child for child in attached if parse.labels[child] in _AUXILIARIES]
        opening = min([head, *auxiliaries])
        first = parse.tags[opening]
        if parse.tokens[opening].lower() in _NUMBERED:
            first += f"-{parse.tokens[opening].upper()}"
        if first == "VBN" and any(parse.labels[child] in ("auxpass", "agent") for child in parse.children[head]):
            return "PASSIVE"
        passive = any(parse.labels[child] == "auxpass" for child in auxiliaries)
        perfect = any(parse.lemmas[child].lower() == "have" for child in auxiliaries)
        return first + "-PASSIVE" * passive + "-PERFECT" * perfect

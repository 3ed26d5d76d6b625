"""The parts of a parsed sentence that may be deleted, and the words that depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.grammars.english.lexicon import OPEN, DeletionCosts, deletion_costs, word_set
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import CLOSE, COMMA, mark_kind

SIDE_ROOT = "parataxis"
"""The label of further roots, if the parser found more than one sentence in the line."""

PROMOTION_COST = 0.5
"""The cost (nats) of a skeleton without the reporting clause."""

_ANY = "*"
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_CLAUSE_OPENERS = frozenset({"mark", "cc"})
_COMPLEMENTS = frozenset({"attr", "acomp", "ccomp", "xcomp", "oprd"})
_JOINING = "joining"
"""The label of a conjunction that hangs from the conjunct it introduces."""


@dataclass(frozen=True)
class DeletionTree:
    """A tree over the words of a sentence, in which whole subtrees are deleted.

    It differs from the parse: a conjunction hangs from the conjunct that it introduces, all but one root hang from
    the main root, and punctuation has no place in it.

    Attributes:
        heads: the position of each word's head; -1 for the main root and for punctuation.
        costs: (num_tokens,) float64, nats for the deletion of the token's subtree where its head is kept; infinite
            where the token is obligatory.
        tops: the words at which a skeleton may be rooted, with the cost of each.
        words: whether each token is a word; punctuation follows the words.
        openers: words that are deleted if their head becomes the top (`that`).
    """

    heads: tuple[int, ...]
    costs: Floats
    tops: dict[int, float]
    words: tuple[bool, ...]
    openers: frozenset[int]


def deletion_tree(parse: Parse, costs: DeletionCosts | None = None) -> DeletionTree:
    """Prices the subtrees of a parse by `grammars/english/deletable.tsv`, or by another table.

    >>> parse = Parse(("it", "rained", "hard", "."), (1, -1, 1, 1), ("nsubj", "ROOT", "advmod", "punct"),
    ...               ("PRON", "VERB", "ADV", "PUNCT"), ("PRP", "VBD", "RB", "."), ("it", "rain", "hard", "."))
    >>> deletion_tree(parse).costs.tolist()
    [inf, inf, 1.4, 0.0]

    Args:
        parse: a parse with the labels of spaCy's English models.
        costs: see `deletion_costs`.
    """
    table = deletion_costs() if costs is None else costs
    words = tuple(mark_kind(token) is None for token in parse.tokens)
    if not any(words):
        words = (True,) * len(words)
    heads, labels = _words_only(parse, words)
    root = heads.index(ROOT) if ROOT in heads else 0
    bonds = enumerate(zip(heads, labels, strict=True))
    prices = np.array([_price(parse, position, head, label, table) for position, (head, label) in bonds])
    prices[~np.array(words)] = 0.0
    tops = {root: 0.0, **dict.fromkeys(_reported(parse, root, words), PROMOTION_COST)}
    openers = frozenset(
        child for top in tops if top != root for child in parse.children[top] if parse.labels[child] in _CLAUSE_OPENERS
    )
    plain = tuple(ROOT if head == _OUTSIDE else head for head in heads)
    return DeletionTree(plain, prices, tops, words, openers)


_OUTSIDE = -2


def _words_only(parse: Parse, words: tuple[bool, ...]) -> tuple[list[int], list[str]]:
    """Returns heads and labels of the tree of words; punctuation has the head `_OUTSIDE`."""
    heads, labels = list(parse.heads), list(parse.labels)
    for position, head in enumerate(heads):
        # A word below a punctuation mark hangs from the next word above it.
        while head != ROOT and not words[head]:
            head = parse.heads[head]
        heads[position] = head
    roots = [position for position, head in enumerate(heads) if head == ROOT and words[position]]
    main = max(roots, key=lambda root: (len(parse.subtree(root)), -root))
    for position in roots:
        if position != main:
            heads[position], labels[position] = main, SIDE_ROOT
    for position, label in enumerate(parse.labels):
        if label == "cc" and parse.heads[position] != ROOT:
            following = (sibling for sibling in parse.children[parse.heads[position]] if sibling > position)
            conjunct = next((sibling for sibling in following if labels[sibling] == "conj" and words[sibling]), None)
            if conjunct is not None:
                heads[position], labels[position] = conjunct, _JOINING
    return [head if word else _OUTSIDE for head, word in zip(heads, words, strict=True)], labels


def _price(parse: Parse, position: int, head: int, label: str, costs: DeletionCosts) -> float:
    if head < 0 or label == _JOINING or _is_needed(parse, position, head):
        return np.inf
    word, part, place = parse.tokens[position].lower(), parse.parts[head], place_to_head(parse, position, head)
    keys = product((label,), (word, _ANY), (part, _ANY), (place, _ANY))
    return next((costs[key] for key in keys if key in costs), np.inf)


def place_to_head(parse: Parse, position: int, head: int) -> str:
    """Returns how a dependent relates to its head, in the terms of the table."""
    subtree = parse.subtree(position)
    first, last = subtree[0], subtree[-1]
    rims = (first, last, first - 1) if first > head else (first, last, first - 1 if first else last, last + 1)
    if any(0 <= rim < len(parse) and mark_kind(parse.tokens[rim]) in (COMMA, OPEN, CLOSE) for rim in rims):
        return "comma"
    return "adjacent" if first == head + 1 else _ANY


def _is_needed(parse: Parse, position: int, head: int) -> bool:
    """Recognises dependents that must stay although their label is that of an adjunct."""
    word, label = parse.tokens[position].lower(), parse.labels[position]
    below = (position, *parse.children[position])
    if word in word_set("negations"):
        return True
    if label in ("prep", "advmod", "npadvmod") and any(parse.tags[lower].startswith("W") for lower in below):
        return True  # "the law of which he spoke", "he knows where it is"
    if label == "prep" and word == "of":
        return parse.lemmas[head].lower() in word_set("partitives")
    beside = {child: parse.labels[child] for child in parse.children[head]}
    if label in ("prep", "advmod") and parse.parts[head] == "AUX" and not _COMPLEMENTS & set(beside.values()):
        adjuncts = [child for child, child_label in beside.items() if child_label in ("prep", "advmod")]
        return position == min(adjuncts, default=position)  # a word below a mark is not among the children
    return False


def _reported(parse: Parse, root: int, words: tuple[bool, ...]) -> list[int]:
    """Finds clauses with a subject below a reporting verb at the root, unless the verb is negated."""
    negated = any(parse.labels[child] == "neg" for child in parse.children[root])
    if negated or parse.lemmas[root].lower() not in word_set("reporting_verbs"):
        return []
    return [
        child
        for child in parse.children[root]
        if words[child]
        and parse.labels[child] == "ccomp"
        and any(parse.labels[below] in _SUBJECTS for below in parse.children[child])
    ]

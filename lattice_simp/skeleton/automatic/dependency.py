"""Skeletons by deletion of whole phrases that are optional according to the dependency tree.

For every number of words, the cheapest skeleton is found exactly, by a knapsack over the tree: a dependent is deleted
with all below it at its label's cost, or kept with the words that its own subtree keeps. So one pass gives skeletons of
all lengths, of which those nearest to the desired compression rate are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.grammars.english.lexicon import DeletionCosts
from lattice_simp.skeleton.automatic.candidates import check_wanted, choose
from lattice_simp.skeleton.automatic.deletion_tree import DeletionTree, deletion_tree
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import place_punctuation
from lattice_simp.text.english.spacy_parser import as_parse

RATE_COST = 8.0
"""The cost (nats) of a compression rate that misses its target by 1; a tenth costs as much as a usual deletion."""


def dependency_skeletons(
    sentence: Parse | Sequence[str],
    rate: float = 0.6,
    candidates: int = 1,
    *,
    costs: DeletionCosts | None = None,
    promote: bool = True,
) -> list[Skeleton]:
    """Returns skeletons of a parsed sentence, the preferred one first.

    >>> parse = Parse(("it", "rained", "hard", "."), (1, -1, 1, 1), ("nsubj", "ROOT", "advmod", "punct"),
    ...               ("PRON", "VERB", "ADV", "PUNCT"), ("PRP", "VBD", "RB", "."), ("it", "rain", "hard", "."))
    >>> [str(skeleton) for skeleton in dependency_skeletons(parse, candidates=5)]
    ['it rained [[hard]] .']

    It returns fewer skeletons if the sentence has fewer, and the whole sentence only if nothing may be deleted.

    Args:
        sentence: a parse, or tokens, which spaCy parses (`parse_sentences` is quicker for many).
        rate: the compression rate to aim at, above 0 and up to 1.
        candidates: the most skeletons to return.
        costs: see `deletion_tree`.
        promote: whether a reported clause may stand without its reporting clause (`he said that`).

    Raises:
        LatticeSimpError: a rate out of range, fewer than one candidate, or no tokens.
        MissingExtraError: tokens are given, and spaCy is not installed.
    """
    check_wanted(rate, candidates)
    parse = as_parse(sentence)
    return choose(parse.tokens, nearest(all_lengths(parse, costs, promote=promote), rate), candidates)


def all_lengths(
    parse: Parse, costs: DeletionCosts | None = None, *, promote: bool = True
) -> list[tuple[float, tuple[bool, ...]]]:
    """Returns the cheapest mask of every number of words and its cost in nats; arguments as `dependency_skeletons`."""
    tree = deletion_tree(parse, costs)
    tops = tree.tops if promote else {top: cost for top, cost in tree.tops.items() if tree.heads[top] < 0}
    conjuncts = conjunct_commas(parse)
    masks = []
    for top, top_cost in tops.items():
        knapsack = _Knapsack(tree, top, promoted=tree.heads[top] >= 0)
        for count, cost in knapsack.all_costs():
            masks.append((top_cost + cost, place_punctuation(parse.tokens, knapsack.mask(count), conjuncts)))
    return masks


def nearest(masks: Sequence[tuple[float, tuple[bool, ...]]], rate: float) -> list[tuple[bool, ...]]:
    """Sorts masks by their costs plus those of missing the desired compression rate."""
    scored = ((cost + RATE_COST * abs(sum(mask) / len(mask) - rate), mask) for cost, mask in masks)
    return [mask for _, mask in sorted(scored)]


class _Knapsack:
    """The least costs of all subtrees by the number of kept words, with backpointers.

    `tables[v][k]` is the least cost of keeping k words in the subtree of v, v included; `taken[v][c][k]` is how many
    of k words in v and its dependents up to the c-th belong to the c-th (0: it is deleted with all below it).
    """

    def __init__(self, tree: DeletionTree, top: int, *, promoted: bool) -> None:
        self.top, self.length = top, len(tree.heads)
        self.children: list[list[int]] = [[] for _ in tree.heads]
        for position, head in enumerate(tree.heads):
            if head >= 0 and not (promoted and head == top and position in tree.openers):
                self.children[head].append(position)
        self.tables: dict[int, Floats] = {}
        self.child_counts: dict[int, list[list[int]]] = {}
        order = [top]
        for position in order:
            order += self.children[position]
        for position in reversed(order):
            self._merge(position, tree.costs)

    def all_costs(self) -> list[tuple[int, float]]:
        """Returns (number of words, least cost) for every possible number."""
        return [(count, float(cost)) for count, cost in enumerate(self.tables[self.top]) if np.isfinite(cost)]

    def mask(self, count: int) -> list[bool]:
        """Returns the cheapest mask that keeps `count` words (punctuation is left out)."""
        mask = [False] * self.length
        pending = [(self.top, count)]
        while pending:
            position, left = pending.pop()
            mask[position] = True
            choices = self.child_counts[position]
            for number in range(len(choices) - 1, -1, -1):
                child_count = choices[number][left]
                if child_count:
                    pending.append((self.children[position][number], child_count))
                left -= child_count
        return mask

    def _merge(self, position: int, costs: Floats) -> None:
        table = np.array([np.inf, 0.0])
        child_counts: list[list[int]] = []
        for child in self.children[position]:
            # Entry 0 of a child's table is its deletion with all words below it.
            child_table = self.tables[child].copy()
            child_table[0] = costs[child]
            sums = np.full((len(table) + len(child_table) - 1, len(child_table)), np.inf)
            for count, cost in enumerate(child_table):
                sums[count : count + len(table), count] = table + cost
            child_counts.append(sums.argmin(axis=1).tolist())
            table = sums.min(axis=1)
        self.tables[position] = table
        self.child_counts[position] = child_counts


def conjunct_commas(parse: Parse) -> list[bool]:
    """Marks the commas that come before a further member of a list."""
    marks = [False] * len(parse)
    for position, label in enumerate(parse.labels):
        if label == "conj":
            first = min(parse.subtree(position))
            marks[max(0, first - 1)] = True
    return marks

"""Adverbial clauses whose conjunction has one sense."""

from __future__ import annotations

from lattice_simp.systems.simplify.split import Split
from lattice_simp.text.english.parse import Parse

UNCERTAIN_CONJUNCTIONS = frozenset({"as", "since", "when", "so that"})
"""Conjunctions with other senses than that of the sentence opening that would replace them."""


def dropped_words(parse: Parse, split: Split) -> str:
    """Returns the words that a split drops."""
    return " ".join(parse.tokens[position].lower() for position in split.dropped)


def is_certain_adverbial(parse: Parse, split: Split) -> bool:
    """Returns whether the conjunction of an adverbial clause has one sense."""
    conjunction, before = dropped_words(parse, split), parse.tokens[min(split.removed) - 1]
    if conjunction in UNCERTAIN_CONJUNCTIONS or (split.leads and not _is_followed_by_clause(parse, split)):
        return False
    is_possible = any(parse.tags[position] == "MD" for position in split.clause)
    return conjunction != "before" or (before == "," and not is_possible)  # "lost him before", "before they can start"


def _is_followed_by_clause(parse: Parse, split: Split) -> bool:
    """Returns whether a comma and no conjunction follows a fronted clause ("because it rained - and if it snowed")."""
    after = max(split.removed) + 1
    return parse.tokens[after] == "," and parse.tags[after + 1] != "CC"

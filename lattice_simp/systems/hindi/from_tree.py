"""Derives clauses from a dependency tree (after Sharma et al. 2013): training labels, and a reference for evaluation.

Each finite or non-finite verb group heads a clause, which spans all its direct and indirect dependents. In detail:

- A subordinator (a conjunction with one clause below it) belongs to its clause, a coordinator to none.
- Clauses joined by a conjunction are coordinate. Below the top level, a clause of their common type encloses them. The
  table `grammars/hindi/conjunctions.tsv` lists the effects of conjunctions such as `to` and `jabki`.
- The agent at the start of a participle's phrase belongs to the verb that the participle modifies, unless that verb
  has an agent.
- Gerunds are nouns and head no clauses.
- In non-projective trees, crossing spans are cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.hindi.clause import Clause, ClauseType, nested_order, without_tokens
from lattice_simp.systems.hindi.sentence import FINITE, NON_FINITE, Sentence, Token

CONJUNCTION = "CCP"
AGENTS = ("k1", "pk1")
JOINED = "ccof"
RELATIVE = ("nmod__relc", "jjmod__relc")
ADVERBIAL_RELATIVE = "rbmod__relc"

ADVERBIALS = ("vmod", "adv", "rh", "k7t", "k7a", "sent-adv", "rd", "ras-k1", "jjmod")
"""Relations of clauses that say how, when or why, for clauses without a conjunction."""

CONJUNCTION_ROLES = ("complementiser", "adverbial", "conditional", "connective")
PRONOUN_ROLES = ("temporal", "relative")

PRONOMINAL = ("PRP", "DEM", "QF", "RP", "NST", "WQ", "CC", "")
"""Tags of words such as `jab`, `jo`, `jitnaa` and `jabki`, with "" for unknown tags. Nouns, adjectives, adverbs and
verbs that begin with the same letters have other tags."""


@cache
def conjunctions() -> dict[str, str]:
    """Returns the roles of conjunctions by form.

    Raises:
        FormatError: the table has an empty form or an unknown role.
    """
    return _roles("hindi/conjunctions.tsv", "devanagari", CONJUNCTION_ROLES)


@cache
def pronouns(role: str) -> tuple[str, ...]:
    """Returns the prefixes of the pronouns with a role: `temporal` or `relative`.

    Raises:
        FormatError: the table has an empty form or an unknown role.
    """
    roles = _roles("hindi/clause_pronouns.tsv", "prefix", PRONOUN_ROLES)
    return tuple(prefix for prefix, prefix_role in roles.items() if prefix_role == role)


def _roles(name: str, column: str, roles_allowed: tuple[str, ...]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for row in grammar_table(name, (column, "role")):
        if not row[column]:
            raise row.error(f"empty column {column}", "correct the line")
        if row["role"] not in roles_allowed:
            raise row.error(f"unknown role {row['role']!r}", f"write one of {', '.join(roles_allowed)}")
        roles[row[column]] = row["role"]
    return roles


def is_pronoun(token: Token, role: str) -> bool:
    """Returns whether a token is a pronoun with a role, `temporal` or `relative`.

    >>> is_pronoun(Token("जबसे", "PRP"), "temporal"), is_pronoun(Token("जबलपुर", "NNP"), "temporal")
    (True, False)
    """
    prefixes = pronouns(role)
    can_be = token.tag in PRONOMINAL or token.tag.removesuffix("C") in PRONOMINAL  # the tags of compounds end in C
    return (can_be and token.form.startswith(prefixes)) or (token.tag == "RB" and token.form in prefixes)


def clauses_of_tree(sentence: Sentence) -> list[Clause]:
    """Returns the clauses of a sentence with a dependency tree.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> words = "raam", "khaanaa", "khaakar", "soyaa"
    >>> tokens = tuple(Token(word, tag) for word, tag in zip(words, ("NNP", "NN", "VM", "VM")))
    >>> chunks = (Chunk("NP", 0, 1, 3, "k1"), Chunk("NP", 1, 2, 2, "k2"), Chunk("VGNF", 2, 3, 3, "vmod"))
    >>> sentence = Sentence(tokens, (*chunks, Chunk("VGF", 3, 4)))
    >>> [(clause.start, clause.end, str(clause.kind)) for clause in clauses_of_tree(sentence)]
    [(0, 4, 'main'), (1, 3, 'nonfin')]

    Returns:
        Clauses that do not cross, outer ones first.
    """
    tree = _Tree(sentence)
    roots = (position for position, chunk in enumerate(sentence.chunks) if chunk.head < 0)
    return without_crossings([clause for root in roots for clause in tree.clauses(root, None)])


def clauses_of_words(sentence: Sentence) -> list[Clause]:
    """Returns the clauses of a tree, counted in tokens of `sentence.without_empty`; elided verbs head clauses too."""
    return without_tokens(clauses_of_tree(sentence), [token.is_empty for token in sentence.tokens])


def without_crossings(clauses: list[Clause]) -> list[Clause]:
    """Cuts each clause that crosses an earlier or outer one at the end of that clause.

    >>> [(clause.start, clause.end) for clause in without_crossings([Clause(0, 4), Clause(2, 6)])]
    [(0, 4), (2, 4)]
    """
    kept: list[Clause] = []
    stack: list[int] = []
    for clause in nested_order(clauses):
        while stack and stack[-1] <= clause.start:
            stack.pop()
        end = min(clause.end, stack[-1]) if stack else clause.end
        kept.append(Clause(clause.start, end, clause.kind))
        stack.append(end)
    return kept


class _Joined(NamedTuple):
    """The effect of a conjunction on the clauses that it joins: their kinds, and the clause around them."""

    kinds: dict[int, ClauseType]
    around: ClauseType | None
    after: ClauseType | None = None  # a clause that begins at the conjunction


class _Tree:
    """A sentence's chunks as a tree; chunks are identified by position."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence, self.chunks, self.children = sentence, sentence.chunks, sentence.children

    def clauses(self, position: int, kind: ClauseType | None, *, headed: bool = True) -> Iterator[Clause]:
        """Yields the clauses of a subtree.

        Args:
            position: its root.
            kind: the type of the root's clause, if the words above determine it.
            headed: whether the root heads a clause; false if a subordinator above it does.
        """
        chunk = self.chunks[position]
        below: dict[int, ClauseType] = {}
        hidden: Collection[int] = ()
        if chunk.tag == NON_FINITE and headed:
            shared = self._shared(position)
            yield Clause(*self._span(position, shared), ClauseType.NON_FINITE)
        elif chunk.tag == FINITE and headed:
            yield Clause(*self._span(position), kind or self._kind(position))
        elif chunk.tag == CONJUNCTION and any(map(self._is_finite, joined := self._joined(position))):
            conjunction_kind = kind or self._kind(position)
            if len(joined) == 1:
                hidden = () if conjunction_kind == ClauseType.MAIN and self._role(position) == "connective" else joined
                below = {} if hidden else {joined[0]: conjunction_kind}
                if hidden and headed:
                    yield Clause(*self._span(position), conjunction_kind)
            else:
                joining = self._made(position, joined, conjunction_kind if headed else None)
                below = joining.kinds
                hidden = [child for child in joined if child not in below]
                if joining.around is not None:
                    yield Clause(*self._span(position), joining.around)
                if joining.after is not None:
                    yield Clause(chunk.start, self._span(joined[-1])[1], joining.after)
        for child in self.children[position]:
            yield from self.clauses(child, below.get(child), headed=child not in hidden)

    def _made(self, position: int, joined: list[int], kind: ClauseType | None) -> _Joined:
        role = self._role(position)
        if role == "conditional":
            return _Joined({joined[0]: ClauseType.ADVERBIAL}, kind)
        if role in ("complementiser", "adverbial") and self.chunks[joined[0]].end <= self.chunks[position].start:
            after = ClauseType.COMPLEMENT if role == "complementiser" else ClauseType.ADVERBIAL
            return _Joined({}, kind, after)
        around = None if kind in (ClauseType.MAIN, ClauseType.COORDINATE) else kind
        return _Joined(dict.fromkeys(joined, ClauseType.COORDINATE), around)

    def _joined(self, position: int) -> list[int]:
        return [
            child
            for child in self.children[position]
            if self.chunks[child].relation == JOINED and self._is_clausal(child)
        ]

    def _is_clausal(self, position: int) -> bool:
        tag = self.chunks[position].tag
        return tag in (FINITE, NON_FINITE) or (tag == CONJUNCTION and bool(self._joined(position)))

    def _is_finite(self, position: int) -> bool:
        tag = self.chunks[position].tag
        return tag == FINITE or (tag == CONJUNCTION and any(map(self._is_finite, self._joined(position))))

    def _role(self, position: int) -> str | None:
        return conjunctions().get(self.sentence.head_of(self.chunks[position]).form)

    def _kind(self, position: int) -> ClauseType:
        """Returns the type of a finite clause from its relation, its conjunction and its pronouns."""
        chunk = self.chunks[position]
        if chunk.head < 0:
            return ClauseType.MAIN
        if chunk.relation == ADVERBIAL_RELATIVE or self._begins(position, "temporal"):
            return ClauseType.ADVERBIAL
        if chunk.relation in RELATIVE:
            return ClauseType.RELATIVE
        role = self._role(position) if chunk.tag == CONJUNCTION else None
        if role == "complementiser":
            return ClauseType.COMPLEMENT
        if role == "adverbial":
            return ClauseType.ADVERBIAL
        if chunk.relation in ADVERBIALS:
            return ClauseType.RELATIVE if self._begins(position, "relative") else ClauseType.ADVERBIAL
        return ClauseType.COMPLEMENT

    def _begins(self, position: int, role: str) -> bool:
        """Returns whether the clause's first phrase contains a pronoun with a role."""
        start = self._span(position)[0]
        first = next(chunk for chunk in self.chunks if chunk.end > start)
        return any(is_pronoun(token, role) for token in self.sentence.tokens[first.start : first.end])

    def _shared(self, position: int) -> list[int]:
        """Returns the agent at the start of a participle's phrase if the verb above shares it."""
        chunk = self.chunks[position]
        first = min(self.children[position], default=position)
        above = self.children[chunk.head] if chunk.head >= 0 else []
        has_agent = any(self.chunks[sibling].relation in AGENTS for sibling in above)
        is_agent = first < position and self.chunks[first].relation in AGENTS
        return [first] if is_agent and not has_agent and not chunk.relation.startswith("nmod") else []

    def _span(self, position: int, without: Collection[int] = ()) -> tuple[int, int]:
        """Returns the token span of a chunk's subtree, without some subtrees."""
        chunks = [self.chunks[index] for index in self.sentence.subtree(position, without)]
        return min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)

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

from bisect import bisect_right
from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.hindi.clause import Clause, ClauseType, nested_order, without_tokens
from lattice_simp.systems.hindi.sentence import CCP, FINITE, NON_FINITE, Sentence, Token

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
    """Returns the roles of conjunctions by form."""
    return _roles("hindi/conjunctions.tsv", "devanagari", CONJUNCTION_ROLES)


@cache
def pronouns(role: str) -> tuple[str, ...]:
    """Returns the prefixes of the pronouns with a role: `temporal` or `relative`."""
    roles = _roles("hindi/clause_pronouns.tsv", "prefix", PRONOUN_ROLES)
    return tuple(prefix for prefix, prefix_role in roles.items() if prefix_role == role)


def _roles(name: str, column: str, roles_allowed: tuple[str, ...]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for row in grammar_table(name, (column, "role")):
        if not row[column]:
            raise row.error(f"empty column {column}", "correct the line")
        roles[row[column]] = row.one_of("role", roles_allowed)
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
    """Returns the clauses of a sentence with a dependency tree, outer ones first; none cross.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> words = "raam", "khaanaa", "khaakar", "soyaa"
    >>> tokens = tuple(Token(word, tag) for word, tag in zip(words, ("NNP", "NN", "VM", "VM")))
    >>> chunks = (Chunk("NP", 0, 1, 3, "k1"), Chunk("NP", 1, 2, 2, "k2"), Chunk("VGNF", 2, 3, 3, "vmod"))
    >>> sentence = Sentence(tokens, (*chunks, Chunk("VGF", 3, 4)))
    >>> [(clause.start, clause.end, str(clause.kind)) for clause in clauses_of_tree(sentence)]
    [(0, 4, 'main'), (1, 3, 'nonfin')]
    """
    return without_crossings(list(_Tree(sentence).clauses()))


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
        self.roots = [position for position, chunk in enumerate(self.chunks) if chunk.head < 0]
        self.with_agent = {chunk.head for chunk in self.chunks if chunk.relation in AGENTS}
        self.spans = [(chunk.start, chunk.end) for chunk in self.chunks]  # of subtrees
        self.joined: list[list[int]] = [[] for _ in self.chunks]  # the clauses that a conjunction joins
        self.is_finite = [chunk.tag == FINITE for chunk in self.chunks]
        for position in reversed(self._top_down()):
            self.spans[position] = self._span(position)
            if self.chunks[position].tag == CCP:
                self.joined[position] = joined = list(filter(self._is_joined, self.children[position]))
                self.is_finite[position] = any(self.is_finite[child] for child in joined)

    def _top_down(self) -> list[int]:
        """Returns the chunks below roots, heads before their dependents."""
        order = list(self.roots)
        for position in order:  # grows
            order += self.children[position]
        return order

    def _is_joined(self, position: int) -> bool:
        """Returns whether a dependent of a conjunction is a clause, or itself joins clauses."""
        chunk = self.chunks[position]
        return chunk.relation == JOINED and (chunk.tag in (FINITE, NON_FINITE) or bool(self.joined[position]))

    def clauses(self) -> Iterator[Clause]:
        """Yields the clauses of all trees."""
        # The type of a chunk's clause if the words above determine it, and whether the chunk heads a clause; it does
        # not if a subordinator above it does.
        waiting: list[tuple[int, ClauseType | None, bool]] = [(root, None, True) for root in reversed(self.roots)]
        while waiting:
            position, kind, headed = waiting.pop()
            clauses, kinds, hidden = self._clauses_of(position, kind, headed=headed)
            yield from clauses
            for child in reversed(self.children[position]):
                waiting.append((child, kinds.get(child), child not in hidden))

    def _clauses_of(
        self, position: int, kind: ClauseType | None, *, headed: bool
    ) -> tuple[list[Clause], dict[int, ClauseType], Collection[int]]:
        """Returns the clauses of one chunk, the types of the clauses below it, and the chunks that head none."""
        chunk = self.chunks[position]
        if chunk.tag == NON_FINITE and headed:
            return [Clause(*self._span(position, self._shared(position)), ClauseType.NON_FINITE)], {}, ()
        if chunk.tag == FINITE and headed:
            return [Clause(*self.spans[position], kind or self._kind(position))], {}, ()
        if chunk.tag != CCP or not self.is_finite[position]:
            return [], {}, ()
        joined = self.joined[position]
        conjunction_kind = kind or self._kind(position)
        if len(joined) == 1:
            if conjunction_kind == ClauseType.MAIN and self._role(position) == "connective":
                return [], {joined[0]: conjunction_kind}, ()
            return [Clause(*self.spans[position], conjunction_kind)] if headed else [], {}, joined
        joining = self._made(position, joined, conjunction_kind if headed else None)
        clauses = [] if joining.around is None else [Clause(*self.spans[position], joining.around)]
        if joining.after is not None:
            clauses.append(Clause(chunk.start, self.spans[joined[-1]][1], joining.after))
        return clauses, joining.kinds, set(joined) - set(joining.kinds)

    def _made(self, position: int, joined: list[int], kind: ClauseType | None) -> _Joined:
        role = self._role(position)
        if role == "conditional":
            return _Joined({joined[0]: ClauseType.ADVERBIAL}, kind)
        if role in ("complementiser", "adverbial") and self.chunks[joined[0]].end <= self.chunks[position].start:
            after = ClauseType.COMPLEMENT if role == "complementiser" else ClauseType.ADVERBIAL
            return _Joined({}, kind, after)
        around = None if kind in (ClauseType.MAIN, ClauseType.COORDINATE) else kind
        return _Joined(dict.fromkeys(joined, ClauseType.COORDINATE), around)

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
        role = self._role(position) if chunk.tag == CCP else None
        if role == "complementiser":
            return ClauseType.COMPLEMENT
        if role == "adverbial":
            return ClauseType.ADVERBIAL
        if chunk.relation in ADVERBIALS:
            return ClauseType.RELATIVE if self._begins(position, "relative") else ClauseType.ADVERBIAL
        return ClauseType.COMPLEMENT

    def _begins(self, position: int, role: str) -> bool:
        """Returns whether the clause's first phrase contains a pronoun with a role."""
        start = self.spans[position][0]
        first = self.chunks[min(bisect_right(self.chunks, start, key=lambda chunk: chunk.end), len(self.chunks) - 1)]
        return any(is_pronoun(token, role) for token in self.sentence.tokens[first.start : first.end])

    def _shared(self, position: int) -> list[int]:
        """Returns the agent at the start of a participle's phrase if the verb above shares it."""
        chunk = self.chunks[position]
        first = min(self.children[position], default=position)
        has_agent = chunk.head >= 0 and chunk.head in self.with_agent
        is_agent = first < position and self.chunks[first].relation in AGENTS
        return [first] if is_agent and not has_agent and not chunk.relation.startswith("nmod") else []

    def _span(self, position: int, without: Collection[int] = ()) -> tuple[int, int]:
        """Returns the token span of a chunk and the subtrees below it, without some of these."""
        chunk = self.chunks[position]
        spans = [self.spans[child] for child in self.children[position] if child not in without]
        starts, ends = zip((chunk.start, chunk.end), *spans, strict=True)
        return min(starts), max(ends)

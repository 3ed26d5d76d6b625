"""Clauses of a dependency tree (after Sharma et al. 2013): the training labels, and a check on every other system.

Each finite and each non-finite verb group heads a clause, which reaches from the first to the last token that depends
on it, directly or not. In detail:

- A subordinator (a conjunction with one clause below it) belongs to its clause, a coordinator to none.
- Clauses that a conjunction joins are coordinate. On the topmost level nothing encloses them; below, a clause of the
  type that they have together does. What a conjunction such as `to` or `jabki` makes of the clauses that it joins
  is in `grammars/hindi/conjunctions.tsv`.
- The agent that a participle's phrase begins with belongs to the verb that the participle modifies, unless that verb
  has an agent of its own: the two share it.
- Gerunds head no clauses: they are nouns.
- Where the tree is not projective, spans that cross are cut.
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
"""Relations of clauses that say how, when or why, where no conjunction tells."""

CONJUNCTION_ROLES = ("complementiser", "adverbial", "conditional", "connective")
PRONOUN_ROLES = ("temporal", "relative")

PRONOMINAL = ("PRP", "DEM", "QF", "RP", "NST", "WQ", "CC", "")
"""Tags that words such as `jab`, `jo`, `jitnaa` and `jabki` have; "" where no tag is known. Nouns, adjectives, adverbs
and verbs that begin with the same letters have others."""


@cache
def conjunctions() -> dict[str, str]:
    """Returns the roles of conjunctions by form.

    Raises:
        FormatError: the table has an empty form or an unknown role.
    """
    return _roles("hindi/conjunctions.tsv", "devanagari", CONJUNCTION_ROLES)


@cache
def pronouns(role: str) -> tuple[str, ...]:
    """Returns what the pronouns of a role begin with: `temporal` or `relative`.

    Raises:
        FormatError: the table has an empty form or an unknown role.
    """
    roles = _roles("hindi/clause_pronouns.tsv", "prefix", PRONOUN_ROLES)
    return tuple(prefix for prefix, own in roles.items() if own == role)


def _roles(name: str, column: str, known: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in grammar_table(name, (column, "role")):
        if not row[column]:
            raise row.error(f"an empty {column}", "correct the line")
        if row["role"] not in known:
            raise row.error(f"the unknown role {row['role']!r}", f"write one of {', '.join(known)}")
        found[row[column]] = row["role"]
    return found


def is_pronoun(token: Token, role: str) -> bool:
    """Returns whether a token is a pronoun of a role, `temporal` or `relative`.

    >>> is_pronoun(Token("जबसे", "PRP"), "temporal"), is_pronoun(Token("जबलपुर", "NNP"), "temporal")
    (True, False)
    """
    prefixes = pronouns(role)
    can_be = token.tag in PRONOMINAL or token.tag.removesuffix("C") in PRONOMINAL  # the tags of compounds end in C
    return (can_be and token.form.startswith(prefixes)) or (token.tag == "RB" and token.form in prefixes)


def clauses_of_tree(sentence: Sentence) -> list[Clause]:
    """Finds the clauses of a sentence that has a tree.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> words = "raam", "khaanaa", "khaakar", "soyaa"
    >>> tokens = tuple(Token(word, tag) for word, tag in zip(words, ("NNP", "NN", "VM", "VM")))
    >>> chunks = (Chunk("NP", 0, 1, 3, "k1"), Chunk("NP", 1, 2, 2, "k2"), Chunk("VGNF", 2, 3, 3, "vmod"))
    >>> sentence = Sentence(tokens, (*chunks, Chunk("VGF", 3, 4)))
    >>> [(one.start, one.end, str(one.kind)) for one in clauses_of_tree(sentence)]
    [(0, 4, 'main'), (1, 3, 'nonfin')]

    Returns:
        Clauses of which none cross, outer ones first.
    """
    tree = _Tree(sentence)
    roots = (position for position, chunk in enumerate(sentence.chunks) if chunk.head < 0)
    return without_crossings([clause for root in roots for clause in tree.clauses(root, None)])


def clauses_of_words(sentence: Sentence) -> list[Clause]:
    """Finds the clauses of a tree and returns those of the sentence's `without_empty`: an elided verb has one, too."""
    return without_tokens(clauses_of_tree(sentence), [token.is_empty for token in sentence.tokens])


def without_crossings(clauses: list[Clause]) -> list[Clause]:
    """Cuts each clause that crosses an outer one or an earlier one down to what is inside, or after it.

    >>> [(one.start, one.end) for one in without_crossings([Clause(0, 4), Clause(2, 6)])]
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
    """What a conjunction makes of the clauses that it joins: their kinds, and the clause around them."""

    kinds: dict[int, ClauseType]
    around: ClauseType | None
    after: ClauseType | None = None  # a clause from the conjunction on


class _Tree:
    """A sentence's chunks as a tree. A chunk is named by its position."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence, self.chunks, self.children = sentence, sentence.chunks, sentence.children

    def clauses(self, position: int, kind: ClauseType | None, *, headed: bool = True) -> Iterator[Clause]:
        """Returns the clauses of a subtree.

        Args:
            position: of its root.
            kind: of the clause that the root heads, where what is above tells it.
            headed: whether the root heads a clause of its own; not so if a subordinator above it does.
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
            own = kind or self._kind(position)
            if len(joined) == 1:
                hidden = () if own == ClauseType.MAIN and self._role(position) == "connective" else joined
                below = {} if hidden else {joined[0]: own}
                if hidden and headed:
                    yield Clause(*self._span(position), own)
            else:
                made = self._made(position, joined, own if headed else None)
                below = made.kinds
                hidden = [one for one in joined if one not in below]
                if made.around is not None:
                    yield Clause(*self._span(position), made.around)
                if made.after is not None:
                    yield Clause(chunk.start, self._span(joined[-1])[1], made.after)
        for child in self.children[position]:
            yield from self.clauses(child, below.get(child), headed=child not in hidden)

    def _made(self, position: int, joined: list[int], own: ClauseType | None) -> _Joined:
        role = self._role(position)
        if role == "conditional":
            return _Joined({joined[0]: ClauseType.ADVERBIAL}, own)
        if role in ("complementiser", "adverbial") and self.chunks[joined[0]].end <= self.chunks[position].start:
            after = ClauseType.COMPLEMENT if role == "complementiser" else ClauseType.ADVERBIAL
            return _Joined({}, own, after)
        around = None if own in (ClauseType.MAIN, ClauseType.COORDINATE) else own
        return _Joined(dict.fromkeys(joined, ClauseType.COORDINATE), around)

    def _joined(self, position: int) -> list[int]:
        return [one for one in self.children[position] if self.chunks[one].relation == JOINED and self._is_clausal(one)]

    def _is_clausal(self, position: int) -> bool:
        tag = self.chunks[position].tag
        return tag in (FINITE, NON_FINITE) or (tag == CONJUNCTION and bool(self._joined(position)))

    def _is_finite(self, position: int) -> bool:
        tag = self.chunks[position].tag
        return tag == FINITE or (tag == CONJUNCTION and any(map(self._is_finite, self._joined(position))))

    def _role(self, position: int) -> str | None:
        return conjunctions().get(self.sentence.head_of(self.chunks[position]).form)

    def _kind(self, position: int) -> ClauseType:
        """Returns the type of a finite clause from what it depends on, its conjunction and its pronouns."""
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
        """Returns whether the clause's first phrase has a pronoun of a role."""
        start = self._span(position)[0]
        first = next(chunk for chunk in self.chunks if chunk.end > start)
        return any(is_pronoun(token, role) for token in self.sentence.tokens[first.start : first.end])

    def _shared(self, position: int) -> list[int]:
        """Returns the agent that a participle's phrase begins with, if it is the agent of the verb above, too."""
        chunk = self.chunks[position]
        first = min(self.children[position], default=position)
        above = self.children[chunk.head] if chunk.head >= 0 else []
        own_agent = any(self.chunks[one].relation in AGENTS for one in above)
        is_agent = first < position and self.chunks[first].relation in AGENTS
        return [first] if is_agent and not own_agent and not chunk.relation.startswith("nmod") else []

    def _span(self, position: int, without: Collection[int] = ()) -> tuple[int, int]:
        """Returns the tokens from the first to the last that depends on a chunk, some subtrees aside."""
        own = [self.chunks[one] for one in self.sentence.subtree(position, without)]
        return min(chunk.start for chunk in own), max(chunk.end for chunk in own)

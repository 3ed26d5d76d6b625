"""Where a sentence can be split in two, and how the halves read.

The paper's candidates are pairs of events that each have a core role; a candidate is realised here where one of the
two is the verb of a clause that can stand alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.simplify.clauses import repaired
from lattice_simp.systems.simplify.constructions.adverbial import adverbial_clauses
from lattice_simp.systems.simplify.constructions.apposition import appositions
from lattice_simp.systems.simplify.constructions.clause import Clause
from lattice_simp.systems.simplify.constructions.coordination import coordinated_clauses
from lattice_simp.systems.simplify.constructions.participle import participial_clauses
from lattice_simp.systems.simplify.constructions.relative import relative_clauses
from lattice_simp.systems.simplify.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graph import SemanticGraph
from lattice_simp.systems.simplify.sentence import Sentence, Token, capitalised, source_sentence, without
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs

LEAST_WORDS = 3
"""A half has at least so many words."""


class SplitKind(StrEnum):
    """The construction that a split takes apart."""

    RELATIVE = "relative"
    COORDINATION = "coordination"
    APPOSITION = "apposition"
    ADVERBIAL = "adverbial"
    PARTICIPLE = "participle"


CONSTRUCTIONS: dict[SplitKind, Callable[[Parse], Iterator[Clause]]] = {
    SplitKind.RELATIVE: relative_clauses,
    SplitKind.COORDINATION: coordinated_clauses,
    SplitKind.APPOSITION: appositions,
    SplitKind.ADVERBIAL: adverbial_clauses,
    SplitKind.PARTICIPLE: participial_clauses,
}
"""The constructions by their names; where two offer the same clause, the first one's reading is taken."""

RoleSets = tuple[tuple[str, ...], tuple[str, ...]]
"""The sorted roles and relations of the event that stays and of the one that gets its own sentence."""

COPULA = ("attribute", "theme")
"""The roles of the event that an apposition is."""


@dataclass(frozen=True)
class Split:
    """A clause that can have a sentence of its own.

    Attributes:
        kind: see `SplitKind`.
        roles: the feature of the split (Table 1 of the paper).
        clause: the positions that leave the sentence and are in the new one.
        dropped: the positions of words that are in neither (`which`, `and`).
        sentence: the new sentence: clause, copied and inserted tokens, without a final stop, in mid-sentence case.
        leads: whether the new sentence comes before the old one.
        opening: words put before what stays of the old one (`However ,`).
        changes: tokens of the old sentence that are written otherwise, as (position, text).
        kept_commas: commas that still separate something once the clause has gone.
        restrictive: whether the clause says which entity is meant, so that the split loses meaning.
    """

    kind: SplitKind
    roles: RoleSets
    clause: tuple[int, ...]
    dropped: tuple[int, ...]
    sentence: tuple[Token, ...]
    leads: bool = False
    opening: tuple[str, ...] = ()
    changes: tuple[tuple[int, str], ...] = ()
    kept_commas: tuple[int, ...] = ()
    restrictive: bool = False

    @property
    def removed(self) -> frozenset[int]:
        """The positions that the old sentence loses, but for punctuation beside them."""
        return frozenset(self.clause) | frozenset(self.dropped)


def event_pairs(graph: SemanticGraph) -> tuple[tuple[str, str, RoleSets], ...]:
    """Returns the paper's split candidates: pairs of events with a core role, and their roles (section 3.1).

    The events of a pair are in the order of the sentence.
    """
    return tuple((one, two, (graph.labels(one), graph.labels(two))) for one, two in combinations(graph.events, 2))


def split_candidates(parse: Parse, graph: SemanticGraph | None = None) -> tuple[Split, ...]:
    """Returns the splits that can be realised, in the order of their clauses.

    >>> parse = Parse(tuple("Ann , who sings well , left home .".split()), (6, 0, 3, 0, 3, 0, -1, 6, 6),
    ...     ("nsubj", "punct", "nsubj", "relcl", "advmod", "punct", "ROOT", "dobj", "punct"),
    ...     ("PROPN", "PUNCT", "PRON", "VERB", "ADV", "PUNCT", "VERB", "NOUN", "PUNCT"),
    ...     ("NNP", ",", "WP", "VBZ", "RB", ",", "VBD", "NN", "."),
    ...     ("Ann", ",", "who", "sing", "well", ",", "leave", "home", "."))
    >>> for sentence in apply_splits(parse.tokens, split_candidates(parse)):
    ...     print(*(token.text for token in sentence))
    Ann left home .
    Ann sings well .

    Args:
        parse: in the labels of spaCy's English models.
        graph: where the roles come from; without one, that of the parse.
    """
    parse = repaired(parse)
    if not _is_statement(parse):
        return ()
    graph = dependency_graph(parse) if graph is None else graph
    found: dict[tuple[int, ...], Split] = {}
    for kind, clauses in CONSTRUCTIONS.items():
        for clause in clauses(parse):
            if clause.clause not in found and _is_sound(parse, clause):
                found[clause.clause] = _split(parse, graph, kind, clause)
    return tuple(sorted(found.values(), key=lambda split: (split.clause[0], -len(split.clause))))


def _is_statement(parse: Parse) -> bool:
    return bool(parse.tokens) and parse.tokens[-1] not in ("?", "?!", ":", ";")


def _is_sound(parse: Parse, clause: Clause) -> bool:
    """Returns whether both halves are whole: enough words, the main verb in its place, no bracket or quotation torn."""
    gone = {*clause.clause, *clause.dropped}
    left = [one for one in range(len(parse)) if one not in gone and mark_kind(parse.tokens[one]) is None]
    said = [token for token in clause.sentence if mark_kind(token.text) is None]
    if len(left) < LEAST_WORDS or len(said) < LEAST_WORDS or not set(parse.roots) - gone:
        return False
    pairs = mark_pairs(parse.tokens)
    paired = {position for pair in pairs for position in pair}
    after = max(gone) + 1
    if after + 1 < len(parse) and mark_kind(parse.tokens[after]) == "comma" and parse.tokens[after + 1].isdigit():
        return False  # "a score of 29 -- 29"
    torn = any((first in gone) != (last in gone) for first, last in pairs)
    around = [(first, last) for first, last in pairs if first < min(gone) and max(gone) < last]
    held = any(not _encloses(parse, gone, first, last) for first, last in around)
    if not _is_balanced([token.text for token in clause.sentence]):
        return False
    open_marks = (one for one in gone if mark_kind(parse.tokens[one]) in ("open", "close", "quote"))
    return not torn and not held and all(position in paired for position in open_marks)


def _encloses(parse: Parse, gone: set[int], first: int, last: int) -> bool:
    """Returns whether a pair of brackets holds just the clause."""
    return mark_kind(parse.tokens[first]) == "open" and first + 1 == min(gone) and max(gone) + 1 == last


def _is_balanced(texts: list[str]) -> bool:
    """Returns whether each bracket and quotation mark has its partner."""
    paired = {position for pair in mark_pairs(texts) for position in pair}
    return all(
        position in paired for position, text in enumerate(texts) if mark_kind(text) in ("open", "close", "quote")
    )


def _split(parse: Parse, graph: SemanticGraph, kind: SplitKind, clause: Clause) -> Split:
    own = COPULA if kind is SplitKind.APPOSITION else _roles(graph, clause.head)
    return Split(
        kind,
        (_roles(graph, _event(parse, clause.governor)), own),
        clause.clause,
        clause.dropped,
        clause.sentence,
        clause.leads,
        clause.opening,
        clause.changes,
        _kept_commas(parse, clause),
        clause.restrictive,
    )


def _event(parse: Parse, position: int) -> int:
    """Returns the verb that a position belongs to."""
    while parse.parts[position] not in ("VERB", "AUX") and parse.heads[position] != ROOT:
        position = parse.heads[position]
    return position


def _roles(graph: SemanticGraph, position: int) -> tuple[str, ...]:
    name = graph.node_at(position)
    return () if name is None else graph.labels(name)


def _kept_commas(parse: Parse, clause: Clause) -> tuple[int, ...]:
    """Returns the comma after a clause where it also ends something else: a fronted adverbial, or a list's member."""
    last = max(*clause.clause, *clause.dropped, -1)
    if last + 2 >= len(parse) or parse.tokens[last + 1] != "," or clause.leads:
        return ()
    current, below_it = clause.governor, clause.head
    while current != ROOT:
        head = parse.heads[current]
        below = [one for one in parse.subtree(current) if mark_kind(parse.tokens[one]) is None]
        if head == ROOT or below[-1] > last:
            follows_verb = parse.parts[current] in ("VERB", "AUX") and below_it > current
            goes_on = follows_verb and parse.labels[last + 2] != "cc"
            return (last + 1,) if goes_on or _goes_on(parse, current, last) else ()
        fronted = parse.labels[current] in ("prep", "advcl", "npadvmod", "csubj", "ccomp") and current < head
        if fronted or _goes_on(parse, current, last):
            return (last + 1,)
        current, below_it = head, current
    return ()


def _goes_on(parse: Parse, position: int, last: int) -> bool:
    """Returns whether a further member of a list comes right after the comma that ends a clause."""
    following = (child for child in parse.children[position] if child > last + 1)
    first = next(following, None)
    return first is not None and parse.labels[first] == "conj" and parse.parts[position] not in ("VERB", "AUX")


def compatible(splits: Iterable[Split]) -> bool:
    """Returns whether splits can be applied together: of any two, one is within the other's clause, or apart."""
    chosen = list(splits)
    for one, two in combinations(chosen, 2):
        apart = not one.removed & two.removed
        nested = one.removed <= set(two.clause) or two.removed <= set(one.clause)
        if one.removed == two.removed or not (apart or nested):
            return False
        if apart and one.opening and two.opening:
            return False
    return True


def apply_splits(tokens: Sequence[str], splits: Iterable[Split]) -> tuple[Sentence, ...]:
    """Writes the sentences that splits make of one, in the order in which they are read.

    Every word of the source is in exactly one sentence (or dropped, as its split says), and copied ones also elsewhere.
    Without splits, the sentence is returned as it is.

    Raises:
        LatticeSimpError: splits that are not `compatible`.
    """
    chosen = sorted(splits, key=lambda split: (split.clause[0], -len(split.clause)))
    if not chosen:
        return (source_sentence(tokens),)
    if not compatible(chosen):
        raise LatticeSimpError("splits that overlap cannot be applied together; ask `compatible` first")
    return tuple(_sentences(tokens, None, chosen))


def _sentences(tokens: Sequence[str], whole: Split | None, splits: list[Split]) -> Iterator[Sentence]:
    """Yields a sentence, the source or that of a split, amid those that come out of it."""
    inner = [split for split in splits if whole is None or (split != whole and split.removed <= set(whole.clause))]
    outer = [split for split in inner if not any(_is_within(split, other) for other in inner)]
    parts = {split: list(_sentences(tokens, split, splits)) for split in outer}
    for split in outer:
        if split.leads:
            yield from parts[split]
    yield _written(tokens, whole, outer, splits)
    for split in outer:
        if not split.leads:
            yield from parts[split]


def _is_within(split: Split, other: Split) -> bool:
    return split != other and split.removed <= set(other.clause)


def _written(tokens: Sequence[str], whole: Split | None, outer: list[Split], splits: list[Split]) -> Sentence:
    """Returns one sentence: without the clauses that leave it, with its opening, its capital and its stop."""
    start = source_sentence(tokens) if whole is None else whole.sentence
    around = [] if whole is None else [other for other in splits if _is_within(whole, other)]
    gone = {position for split in splits if split != whole and split not in around for position in split.removed}
    changes = {position: text for split in outer for position, text in split.changes}
    kept_commas = {position for split in outer for position in split.kept_commas}
    changed = tuple(
        replace(token, text=changes[token.position]) if token.position in changes and not token.copied else token
        for token in start
    )
    rest = without(changed, gone, kept_commas)
    opening = tuple(Token(word) for split in outer for word in split.opening)
    while rest and mark_kind(rest[0].text) == "comma":
        rest = rest[1:]
    if opening:
        rest = (*opening, *rest)
    final = tokens[-1] if mark_kind(tokens[-1]) == "stop" else "."
    if not _is_ended([token.text for token in rest], final):
        rest = (*rest, Token(final))
    return capitalised(rest)


def _is_ended(texts: Sequence[str], final: str) -> bool:
    """Returns whether a sentence ends with a stop: a mark, perhaps within quotation marks, or that of `p.m.`."""
    words = list(texts)
    while words and mark_kind(words[-1]) in ("close", "quote"):
        words.pop()
    if not words:
        return False
    return mark_kind(words[-1]) == "stop" or (final == "." and len(words[-1]) > 2 and words[-1].endswith("."))

"""Finds the places where a sentence can be split in two, and applies splits.

The paper's candidates are pairs of events that each have a core role; a candidate is realised here where one of the
two is the verb of a clause that can stand alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, pairwise

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.simplify.clauses import repaired
from lattice_simp.systems.simplify.constructions.adverbial import adverbial_clauses
from lattice_simp.systems.simplify.constructions.apposition import appositions
from lattice_simp.systems.simplify.constructions.clause import Clause
from lattice_simp.systems.simplify.constructions.coordination import coordinated_clauses
from lattice_simp.systems.simplify.constructions.participle import participial_clauses
from lattice_simp.systems.simplify.constructions.relative import relative_clauses
from lattice_simp.systems.simplify.graphs.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graphs.graph import SemanticGraph
from lattice_simp.systems.simplify.sentence import Sentence, Token, capitalised, source_sentence, without, words
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs

LEAST_WORDS = 3
"""The least words that each half must have."""


class SplitKind(StrEnum):
    """The construction of a split; `event` for two events of a graph (`between_events.py`), `report` for a report that
    moves before its statement (`reports.py`) and makes no sentence of its own.
    """

    RELATIVE = "relative"
    COORDINATION = "coordination"
    APPOSITION = "apposition"
    ADVERBIAL = "adverbial"
    PARTICIPLE = "participle"
    EVENT = "event"
    REPORT = "report"


CONSTRUCTIONS: dict[SplitKind, Callable[[Parse], Iterator[Clause]]] = {
    SplitKind.RELATIVE: relative_clauses,
    SplitKind.COORDINATION: coordinated_clauses,
    SplitKind.APPOSITION: appositions,
    SplitKind.ADVERBIAL: adverbial_clauses,
    SplitKind.PARTICIPLE: participial_clauses,
}
"""The constructions by name; if two offer the same clause, the first one wins."""

RoleSets = tuple[tuple[str, ...], tuple[str, ...]]
"""The sorted roles and relations of the event that remains and of the one that moves to a new sentence."""

COPULA = ("attribute", "theme")
"""The roles of an apposition's event."""


@dataclass(frozen=True)
class Split:
    """A clause that can become a separate sentence.

    Attributes:
        kind: the construction.
        roles: the feature of the split (Table 1 of the paper).
        clause: the positions that move to the new sentence.
        dropped: the positions of words in neither sentence (`which`, `and`).
        sentence: the new sentence: clause, copied and inserted tokens, without a final stop, in mid-sentence case.
        leads: whether the new sentence precedes the old one.
        front: tokens of the clause that move before the rest of the old sentence; then there is no new sentence.
        opening: words inserted before the rest of the old sentence (`However ,`).
        changes: replaced tokens of the old sentence, as (position, text).
        kept_commas: commas that still separate something after the clause is removed.
        restrictive: whether the clause identifies an entity, so that the split loses meaning.
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
    front: tuple[Token, ...] = ()

    @property
    def removed(self) -> frozenset[int]:
        """The positions removed from the old sentence, without adjacent punctuation."""
        return frozenset(self.clause) | frozenset(self.dropped)


def event_pairs(graph: SemanticGraph) -> tuple[tuple[str, str, RoleSets], ...]:
    """Returns the paper's split candidates: pairs of events with a core role, and their roles (section 3.1).

    The events of a pair are in the order of the sentence.
    """
    return tuple(
        (first, second, (graph.labels(first), graph.labels(second))) for first, second in combinations(graph.events, 2)
    )


def split_candidates(parse: Parse, graph: SemanticGraph | None = None) -> tuple[Split, ...]:
    """Returns the splits that can be realised, ordered by clause.

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
        parse: a parse in the labels of spaCy's English models.
        graph: the graph that supplies the roles; by default that of the parse.
    """
    parse = repaired(parse)
    if not is_statement(parse.tokens):
        return ()
    graph = dependency_graph(parse) if graph is None else graph
    by_clause: dict[tuple[int, ...], Split] = {}
    for kind, clauses in CONSTRUCTIONS.items():
        for clause in clauses(parse):
            if clause.clause not in by_clause and _is_sound(parse, clause):
                by_clause[clause.clause] = _split(parse, graph, kind, clause)
    return tuple(sorted(by_clause.values(), key=lambda split: (split.clause[0], -len(split.clause))))


def is_statement(tokens: Sequence[str]) -> bool:
    """Returns whether a sentence can be split: it is no question, and does not introduce a continuation."""
    return bool(tokens) and tokens[-1] not in ("?", "?!", ":", ";")


def _is_sound(parse: Parse, clause: Clause) -> bool:
    """Returns whether both halves are complete: enough words, the main verb kept, brackets and quotations intact."""
    removed = {*clause.clause, *clause.dropped}
    return bool(set(parse.roots) - removed) and keeps_whole(parse.tokens, removed, clause.sentence)


def keeps_whole(tokens: Sequence[str], gone: Collection[int], sentence: Sequence[Token]) -> bool:
    """Returns whether both halves of a split have enough words, and intact brackets and quotations.

    Args:
        tokens: the source.
        gone: the positions removed from it.
        sentence: the new sentence.
    """
    remaining = [place for place, token in enumerate(tokens) if place not in gone and mark_kind(token) is None]
    moved = [token for token in sentence if mark_kind(token.text) is None]
    if len(remaining) < LEAST_WORDS or len(moved) < LEAST_WORDS:
        return False
    pairs = tuple(pair for pair in mark_pairs(tokens) if pair != whole_quotation(tokens))
    paired = {position for pair in pairs for position in pair}
    after = max(gone) + 1
    if after + 1 < len(tokens) and mark_kind(tokens[after]) == "comma" and tokens[after + 1].isdigit():
        return False  # "a score of 29 -- 29"
    torn = any((first in gone) != (last in gone) for first, last in pairs)
    around = [(first, last) for first, last in pairs if first < min(gone) and max(gone) < last]
    is_inside_pair = any(not _encloses(tokens, gone, first, last) for first, last in around)
    if not _is_balanced([token.text for token in sentence]):
        return False
    open_marks = (position for position in gone if mark_kind(tokens[position]) in ("open", "close", "quote"))
    return not torn and not is_inside_pair and all(position in paired for position in open_marks)


def whole_quotation(tokens: Sequence[str]) -> tuple[int, int] | None:
    """Returns the quotation marks around a whole sentence.

    >>> whole_quotation(('"', "It", "rained", ".", '"')), whole_quotation(('"', "No", '"', "?"))
    ((0, 4), None)
    """
    first = tokens[0] if tokens else ""
    outer = next((pair for pair in mark_pairs(tokens) if pair[0] == 0 and mark_kind(first) == "quote"), None)
    return outer if outer is not None and tokens[outer[1] - 1 :] == (".", tokens[outer[1]]) else None


def _encloses(tokens: Sequence[str], gone: Collection[int], first: int, last: int) -> bool:
    """Returns whether a pair of brackets encloses exactly the clause."""
    return mark_kind(tokens[first]) == "open" and first + 1 == min(gone) and max(gone) + 1 == last


def _is_balanced(texts: list[str]) -> bool:
    """Returns whether each bracket and quotation mark has its partner."""
    paired = {position for pair in mark_pairs(texts) for position in pair}
    return all(
        position in paired for position, text in enumerate(texts) if mark_kind(text) in ("open", "close", "quote")
    )


def _split(parse: Parse, graph: SemanticGraph, kind: SplitKind, clause: Clause) -> Split:
    new_roles = COPULA if kind is SplitKind.APPOSITION else _roles(graph, clause.head)
    return Split(
        kind,
        (_roles(graph, _event(parse, clause.governor)), new_roles),
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
    """Returns the comma after a clause that also ends a fronted adverbial or a list member."""
    last = max(*clause.clause, *clause.dropped, -1)
    if last + 2 >= len(parse) or parse.tokens[last + 1] != "," or clause.leads:
        return ()
    current, below_it = clause.governor, clause.head
    while current != ROOT:
        head = parse.heads[current]
        below = [position for position in parse.subtree(current) if mark_kind(parse.tokens[position]) is None]
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
    """Returns whether the next list member follows the comma that ends a clause."""
    following = (child for child in parse.children[position] if child > last + 1)
    first = next(following, None)
    return first is not None and parse.labels[first] == "conj" and parse.parts[position] not in ("VERB", "AUX")


def compatible(splits: Iterable[Split]) -> bool:
    """Returns whether splits can be applied together: any two are nested or disjoint."""
    chosen = list(splits)
    for first, second in combinations(chosen, 2):
        apart = not first.removed & second.removed
        nested = first.removed <= set(second.clause) or second.removed <= set(first.clause)
        if first.removed == second.removed or not (apart or nested):
            return False
        if apart and first.opening and second.opening:
            return False
    return True


def apply_splits(tokens: Sequence[str], splits: Iterable[Split]) -> tuple[Sentence, ...]:
    """Returns the sentences after applying splits, in reading order.

    Every source word is in exactly one sentence unless its split drops it; copied words also occur elsewhere. Without
    splits, the result is the source sentence.

    Raises:
        LatticeSimpError: the splits are not `compatible`.
    """
    chosen = sorted(splits, key=lambda split: (split.clause[0], -len(split.clause)))
    if not chosen:
        return (source_sentence(tokens),)
    if not compatible(chosen):
        raise LatticeSimpError("splits that overlap cannot be applied together; ask `compatible` first")
    return _requoted(tokens, tuple(_sentences(tokens, None, chosen)))


def _requoted(tokens: Sequence[str], sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Moves the marks of a whole quotation to the first and the last sentence."""
    outer = whole_quotation(tokens)
    if outer is None:
        return sentences
    inner = [tuple(token for token in sentence if token.position not in outer) for sentence in sentences]
    opening, closing = (Token(tokens[position], position) for position in outer)
    inner[0], inner[-1] = (opening, *inner[0]), (*inner[-1], closing)
    return tuple(inner)


def _sentences(tokens: Sequence[str], whole: Split | None, splits: list[Split]) -> Iterator[Sentence]:
    """Yields a sentence (the source or that of a split) among those split off from it."""
    inner = [split for split in splits if whole is None or (split != whole and split.removed <= set(whole.clause))]
    outer = [split for split in inner if not any(_is_within(split, container) for container in inner)]
    parts = {split: list(_sentences(tokens, split, splits)) if split.sentence else [] for split in outer}
    for split in outer:
        if split.leads:
            yield from parts[split]
    yield _written(tokens, whole, outer, splits)
    for split in outer:
        if not split.leads:
            yield from parts[split]


def _is_within(split: Split, container: Split) -> bool:
    return split != container and split.removed <= set(container.clause)


def _written(tokens: Sequence[str], whole: Split | None, outer: list[Split], splits: list[Split]) -> Sentence:
    """Returns one sentence without the clauses split off, with its opening, capital and stop."""
    start = source_sentence(tokens) if whole is None else whole.sentence
    around = [] if whole is None else [split for split in splits if _is_within(whole, split)]
    removed = {position for split in splits if split != whole and split not in around for position in split.removed}
    changes = {position: text for split in outer for position, text in split.changes}
    kept_commas = {position for split in outer for position in split.kept_commas}
    changed = tuple(
        replace(token, text=changes[token.position]) if token.position in changes and not token.copied else token
        for token in start
    )
    rest = without(changed, removed, kept_commas)
    opening = tuple(Token(word) for split in outer for word in split.opening)
    while rest and mark_kind(rest[0].text) == "comma":
        rest = rest[1:]
    front = tuple(token for split in outer for token in split.front)
    rest = (*opening, *front, *rest)
    final = tokens[-1] if mark_kind(tokens[-1]) == "stop" else "."
    if not _is_ended([token.text for token in rest], final):
        rest = (*rest, Token(final))
    elif whole is None and _is_doubled(words(rest), tokens):
        rest = rest[:-1]
    return capitalised(rest)


def _is_doubled(texts: Sequence[str], source: Sequence[str]) -> bool:
    """Returns whether a full stop follows an abbreviation that ends with one, but not in the source ("Ltd. .")."""
    end = tuple(texts[-2:])
    return len(end) == 2 and end[1] == "." and _ends_with_stop(end[0]) and end not in pairwise(source)


def _ends_with_stop(text: str) -> bool:
    return len(text) > 2 and text.endswith(".")


def _is_ended(texts: Sequence[str], final: str) -> bool:
    """Returns whether a sentence ends with a stop, also one inside quotation marks or in `p.m.`."""
    rest = list(texts)
    while rest and (mark_kind(rest[-1]) in ("close", "quote") or rest[-1] in ("'", "’")):
        rest.pop()
    if not rest:
        return False
    return mark_kind(rest[-1]) == "stop" or (final == "." and _ends_with_stop(rest[-1]))

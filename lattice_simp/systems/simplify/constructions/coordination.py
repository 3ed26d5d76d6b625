"""Coordinated main clauses, with or without a shared subject, and clauses joined by a semicolon."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.simplify.clauses import auxiliaries, child, finite_word, subject
from lattice_simp.systems.simplify.constructions.clause import clause_span, ends_sentence, inserted, plain
from lattice_simp.systems.simplify.noun_phrase import short_mention
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

_VERBS = frozenset({"VERB", "AUX"})


@cache
def coordinators() -> dict[str, str]:
    """Returns the opening of the new sentence for each conjunction."""
    return {row["word"]: row["opening"] for row in grammar_table("english/coordinators.tsv", ("word", "opening"))}


def coordinated_clauses(parse: Parse) -> Iterator[Split]:
    """Yields the second and later members of coordinated main clauses, and clauses set off by a semicolon."""
    for head, label in enumerate(parse.labels):
        if label == "conj" and parse.parts[head] in _VERBS:
            yield from _conjunct(parse, head)
    for position, token in enumerate(parse.tokens):
        if token == ";":
            yield from _beside_semicolon(parse, position)


def _chain(parse: Parse, head: int) -> list[int]:
    """Returns the conjuncts from this one up to the main verb, nearest first; none in a subordinate clause."""
    chain = []
    while parse.labels[head] == "conj":
        head = parse.heads[head]
        chain.append(head)
    return chain if parse.heads[head] == ROOT and parse.parts[head] in _VERBS else []


def _conjunct(parse: Parse, head: int) -> Iterator[Split]:
    chain = _chain(parse, head)
    span = _to_the_end(parse, clause_span(parse, head), chain)
    if not chain or not span or is_conditional(parse, chain[-1]):
        return
    conjunction = _conjunction_before(parse, span[0])
    word = parse.tokens[conjunction].lower() if conjunction is not None else "and"
    commas = parse.tokens[span[0] - 1] in (",", ";")
    if word not in coordinators() or (conjunction is None and not commas):
        return
    start = _start(parse, head, chain, span)
    place = _place_of_subject(parse, head, span)
    if start is None or place is None or (conjunction is None and not _goes_on(parse, head, start)):
        return
    changes: tuple[tuple[int, str], ...] = ()
    if conjunction is not None and parse.labels[chain[0]] == "conj" and not _is_joined(parse, chain[0]):
        changes = _joined_before(parse, chain[0])
    sentence = (*inserted(coordinators()[word]), *plain(parse, span[:place]), *start, *plain(parse, span[place:]))
    dropped = () if conjunction is None else (conjunction,)
    yield Split(SplitKind.COORDINATION, span, dropped, sentence, changes=changes, head=head, governor=chain[0])


def _place_of_subject(parse: Parse, head: int, span: tuple[int, ...]) -> int | None:
    """Returns the number of tokens of the conjunct before its missing subject; None if uncertain."""
    if subject(parse, head) is not None:
        return 0
    first = min([head, *auxiliaries(parse, head)])
    before = [
        dependent for dependent in parse.children[head] if dependent < first and parse.labels[dependent] != "punct"
    ]
    if all(parse.labels[dependent] in ("advmod", "neg") for dependent in before):
        return 0
    if all(parse.labels[dependent] in ("prep", "npadvmod", "advmod", "advcl") for dependent in before):
        return first - span[0]
    return None


def _goes_on(parse: Parse, head: int, start: tuple[Token, ...]) -> bool:
    """Returns whether a conjunct without a conjunction is a list member or a whole clause."""
    listed = any(parse.labels[dependent] in ("cc", "conj") for dependent in parse.children[head])
    return listed or not start or parse.tokens[parse.subtree(head)[0]].lower() == "then"


def _is_joined(parse: Parse, head: int) -> bool:
    """Returns whether a conjunction already precedes the conjunct."""
    above, first = parse.heads[head], parse.subtree(head)[0]
    return any(parse.labels[sibling] == "cc" and above < sibling < first for sibling in parse.children[above])


def _joined_before(parse: Parse, head: int) -> tuple[tuple[int, str], ...]:
    """Returns the change of the comma before the new last conjunct into `and`."""
    before = parse.subtree(head)[0] - 1
    return ((before, "and"),) if before >= 0 and parse.tokens[before] == "," else ()


def _conjunction_before(parse: Parse, first: int) -> int | None:
    """Returns the coordinating conjunction before a clause, skipping a comma."""
    place = first - 2 if parse.tokens[first - 1] == "," else first - 1
    return place if place >= 0 and parse.labels[place] == "cc" else None


def _to_the_end(parse: Parse, span: tuple[int, ...], chain: list[int]) -> tuple[int, ...]:
    """Extends the conjunct to the end of the sentence, as parsers attach its tail to the main verb; or none."""
    if not span or ends_sentence(parse, span):
        return span
    last = max(position for position in range(len(parse)) if mark_kind(parse.tokens[position]) is None)
    after = [position for position in range(span[-1] + 1, last + 1) if parse.labels[position] != "punct"]
    inside = {*range(span[0], last + 1), *chain}
    belongs = all(parse.heads[position] in inside and parse.labels[position] != "conj" for position in after)
    return tuple(range(span[0], last + 1)) if belongs else ()


def is_conditional(parse: Parse, verb: int) -> bool:
    """Returns whether a condition or a paired conjunction applies to all members."""
    fronted = [clause for clause in parse.children[verb] if clause < verb and parse.labels[clause] == "advcl"]
    below = [parse.tokens[word].lower() for clause in fronted for word in parse.children[clause]]
    joining = [parse.tokens[word].lower() for word in parse.children[verb] if parse.labels[word] in ("preconj", "cc")]
    return any(word in word_group("conditions") for word in below) or any(
        word in word_group("paired") for word in joining
    )


def _start(parse: Parse, head: int, chain: list[int], span: tuple[int, ...]) -> tuple[Token, ...] | None:
    """Returns the words missing from the conjunct: none, its subject, or subject and auxiliaries; None if uncertain."""
    if subject(parse, head) is not None:
        return None if _is_elliptic(parse, head, chain[0]) or finite_word(parse, head) is None else ()
    owner = next((verb for verb in chain if subject(parse, verb) is not None), None)
    if owner is None:
        return None
    owner_subject = subject(parse, owner)
    assert owner_subject is not None
    if parse.labels[owner_subject] not in ("nsubj", "nsubjpass") or _shares_object(parse, head, chain[0], span):
        return None
    entity = short_mention(parse, owner_subject)
    if not entity:
        return None
    if finite_word(parse, head) is not None:
        return entity
    return _with_auxiliaries(parse, head, owner, entity)


def _is_elliptic(parse: Parse, head: int, before: int) -> bool:
    """Returns whether a conjunct with a noun as its subject lacks the auxiliary verb ("one was sold, and the other
    burned").
    """
    noun = subject(parse, head)
    if noun is not None and parse.tags[noun] == "PRP":
        return False
    passive = child(parse, before, {"auxpass"}) is not None and parse.tags[head] in ("VBN", "VBD")
    alone = not auxiliaries(parse, head) and child(parse, head, {"dobj", "ccomp", "xcomp", "attr"}) is None
    return passive and alone and parse.lemmas[head] not in word_set("intransitive_verbs")


def _shares_object(parse: Parse, head: int, before: int, span: tuple[int, ...]) -> bool:
    """Returns whether only a conjunction separates two verbs, so that they may share the object that follows."""
    if child(parse, head, {"auxpass", "acomp", "attr"}) is not None:
        return False
    between = parse.tokens[before + 1 : span[0]]
    return all(word.lower() in coordinators() or word == "," for word in between)


def _with_auxiliaries(parse: Parse, head: int, owner: int, entity: tuple[Token, ...]) -> tuple[Token, ...] | None:
    """Returns subject and auxiliaries for a conjunct without a finite verb (`was born and raised`)."""
    shared = auxiliaries(parse, owner)
    words = {parse.tokens[position].lower() for position in parse.children[owner]}
    if parse.tags[head] != parse.tags[owner] or not shared or words & word_set("negations"):
        return None
    if parse.lemmas[shared[0]] == "do":
        return None
    there = {parse.lemmas[position] for position in auxiliaries(parse, head)}  # "will be released and be sold"
    copies = [
        Token(parse.tokens[position], position, copied=True)
        for position in shared
        if parse.lemmas[position] not in there
    ]
    return (*entity, *copies)


def _beside_semicolon(parse: Parse, position: int) -> Iterator[Split]:
    """Yields the dependent one of two clauses joined by a semicolon, if both are complete."""
    sides = (range(position), range(position + 1, len(parse)))
    crossing = [
        index
        for index, head in enumerate(parse.heads)
        if head != ROOT
        and (index < position) != (head < position)
        and index != position
        and parse.labels[index] != "punct"
    ]
    if len(crossing) != 1 or parse.labels[crossing[0]] == "conj":
        return
    head = crossing[0]
    side = sides[0] if head < position else sides[1]
    span = tuple(index for index in clause_span(parse, head) if index in side)
    whole = {index for index in side if parse.labels[index] != "punct"}
    if not span or not whole <= set(span) or _lacks_clause(parse, head):
        return
    governor = parse.heads[head]
    if not _lacks_clause(parse, governor):
        sentence = plain(parse, span)
        leads = head < position
        yield Split(SplitKind.COORDINATION, span, (), sentence, leads=leads, head=head, governor=governor)


def _lacks_clause(parse: Parse, verb: int) -> bool:
    return parse.parts[verb] not in _VERBS or subject(parse, verb) is None or finite_word(parse, verb) is None

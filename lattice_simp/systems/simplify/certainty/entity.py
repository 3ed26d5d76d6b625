"""The words that name the described entity of a split again."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.clauses import SUBJECTS, child, verb_number
from lattice_simp.systems.simplify.noun_phrase import is_plural
from lattice_simp.systems.simplify.sentence import DASHES
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

LONGEST_NAME, LONGEST_ENTITY = 6, 4
"""The most words of a repeated name or other entity; repeating a longer one would not make the text simpler."""

NOUNS = frozenset({"NOUN", "PROPN"})

VERBS = frozenset({"VERB", "AUX"})


def is_long(parse: Parse, entity: list[int]) -> bool:
    named = any(parse.tags[position] in ("NNP", "NNPS") for position in entity)
    return len(entity) > (LONGEST_NAME if named else LONGEST_ENTITY)


def is_bare(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is a singular noun without a determiner ("current chairman"), perhaps a name."""
    noun = phrase_head(parse, entity)
    if entity == [0] and parse.tags[noun] == "NN" and parse.tokens[1] == ",":
        return True  # "Gattie, was born near Bath"
    if parse.tags[noun] == "NNP":
        return len(entity) == 1 and parse.tokens[noun].islower()  # no name
    return len(entity) > 1 and parse.tags[noun] == "NN" and parse.parts[entity[0]] == "ADJ"


def is_kind(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is a plural noun alone, which names other things when repeated ("children")."""
    return len(entity) == 1 and parse.tags[entity[0]] == "NNS"


def is_torn(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is followed by the rest of its name ("Lee Bank" of "Lee Bank head Ann Berg")."""
    return all(tag.startswith("NN") for tag in (*parse.tags[entity[-1] : entity[-1] + 2], "")[:2])


def is_nameable(parse: Parse, entity: list[int]) -> bool:
    """Returns whether words name the same entity again.

    It is not a count ("one of them"), an adverb ("only the first"), a kind ("a sort of sequel") or two names
    ("the Polish people, or Poles").
    """
    words = {parse.tokens[position].lower() for position in entity}
    if parse.tokens[entity[0]].isupper() and not DASHES.isdisjoint(words):
        return False  # "LEEDS - Ann Lee"
    first = parse.tokens[entity[0]].lower()
    counted = (
        parse.tags[entity[0]] in ("CD", "IN")  # "over two hundred songs"
        or first in word_set("quantifiers")
        or any(parse.tags[position] == "RB" for position in entity)
    )
    return (
        not counted
        and words.isdisjoint(word_group("vague"))
        and not _is_quoted(parse, entity)
        and not _is_chosen(parse, entity)
    )


def _is_chosen(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity are those from which a number is chosen ("one of his pupils, whose")."""
    noun = phrase_head(parse, entity)
    of = parse.heads[noun]
    if parse.labels[noun] != "pobj" or parse.tokens[of].lower() != "of" or parse.heads[of] == ROOT:
        return False
    return parse.tags[parse.heads[of]] in ("CD", "DT", "JJ", "JJS")


def _is_quoted(parse: Parse, entity: list[int]) -> bool:
    """Returns whether a quotation mark is in or beside the words that name an entity."""
    around = parse.tokens[max(0, entity[0] - 1) : entity[-1] + 2]
    return any(mark_kind(token) == "quote" for token in around)


def phrase_head(parse: Parse, positions: list[int]) -> int:
    """Returns the position whose head is outside of the positions."""
    return next(position for position in positions if parse.heads[position] not in positions)


def is_beside(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether only marks and words of the clause separate an entity from its clause."""
    first = min(split.removed)
    between = [position for position in range(entity[-1] + 1, first) if mark_kind(parse.tokens[position]) is None]
    noun = phrase_head(parse, entity)
    others = [position for position in between if parse.parts[position] in NOUNS]
    is_rest = noun == entity[-1] and set(between) <= set(parse.subtree(noun))
    is_only = split.kind is SplitKind.RELATIVE and not any(fits_verb(parse, split, other) for other in others)
    return entity[-1] < first and (not between or (is_rest and is_only))


def is_nested(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause may describe another noun above its entity ("the head of a firm, who").

    Nouns of another number than that of an apposition are no candidates ("two men from Rome, a city").
    """
    noun = phrase_head(parse, entity)
    above = [position for position in _nouns_above(parse, noun) if position not in entity]
    if split.kind is SplitKind.RELATIVE:
        above = [position for position in above if fits_verb(parse, split, position)]
    if split.kind is SplitKind.APPOSITION:
        above = [position for position in above if is_plural(parse, position) == is_plural(parse, noun)]
    return bool(above)


def fits_verb(parse: Parse, split: Split, noun: int) -> bool:
    """Returns whether a noun may be the subject of a relative clause, by its number ("goods of a firm, which has")."""
    word = min(split.removed)
    if parse.labels[word] not in ("nsubj", "nsubjpass"):
        return True
    plural = verb_number(parse, parse.heads[word])
    return plural is None or is_plural(parse, noun) == plural


def _nouns_above(parse: Parse, noun: int) -> Iterator[int]:
    """Yields the nouns above a noun in its phrase."""
    current = parse.heads[noun]
    while current != ROOT:
        if parse.parts[current] in VERBS and parse.labels[current] not in ("acl", "relcl"):
            return
        if parse.parts[current] in NOUNS:
            yield current
        current = parse.heads[current]


def describes_subject(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause at a predicate noun describes the subject ("Ann is a rower from Rome who sings")."""
    noun = phrase_head(parse, entity)
    predicate = child(parse, parse.heads[noun], {"attr"}) if parse.labels[noun] in SUBJECTS else None
    return predicate is not None and predicate < min(split.removed)


def is_inserted(parse: Parse, noun: int) -> bool:
    """Returns whether commas enclose the prepositional phrase of a noun ("paintings are, for Ann, a language")."""
    return parse.labels[noun] == "pobj" and parse.tokens[max(parse.heads[noun] - 1, 0)] == ","


def speaks(parse: Parse, noun: int) -> bool:
    """Returns whether a noun is a subject after its verb (", said Ann Lee")."""
    return parse.labels[noun] in SUBJECTS and parse.heads[noun] < noun

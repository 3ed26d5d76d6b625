"""Repeats the entity that two clauses share."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.clauses import SUBJECTS, pairs, verb_number
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

MAX_COPY = 14
"""The longest phrase, in tokens, that is repeated."""

LONGEST_WHOLE = 3
"""The longest phrase, in tokens, that is always repeated as a whole."""

_CLAUSES = frozenset({"relcl", "acl", "appos"})
_SET_OFF = _CLAUSES | {"prep"}
"""The labels of dependents that may be set off by commas ("three men, including two judges, left")."""

_OUTSIDE = frozenset({"cc", "conj", "preconj", "case", "neg"})


def mention(
    parse: Parse, noun: int, clause: int | None = None, *, whole: bool = True, definite: bool = False
) -> tuple[Token, ...]:
    """Returns a noun phrase for a second mention, without clauses set off by commas.

    >>> parse = Parse(("a", "man", "sang"), (1, 2, -1), ("det", "nsubj", "ROOT"), ("DET", "NOUN", "VERB"),
    ...               ("DT", "NN", "VBD"), ("a", "man", "sing"))
    >>> [token.text for token in mention(parse, 1)]
    ['the', 'man']

    Args:
        parse: the parse of the sentence.
        noun: the head of the phrase.
        clause: the head of the clause to remove from the phrase.
        whole: whether the phrase includes the noun's conjuncts.
        definite: whether a common noun without a determiner gets `the`, as the clause that identified it is removed.

    Returns:
        Tokens marked as copied, in mid-sentence case, as a subject; empty if the entity cannot be repeated (`nobody`)
        or is too long.
    """
    if parse.parts[noun] in ("PRON", "DET") or parse.tags[noun] in ("PRP", "DT"):
        form = pairs("subject_pronouns").get(parse.tokens[noun].lower())
        return (Token(form, noun, copied=True),) if form else ()
    if parse.parts[noun] not in ("NOUN", "PROPN", "NUM") and parse.tags[noun] not in ("NN", "NNS", "NNP", "NNPS", "CD"):
        return ()
    phrase = _phrase(parse, noun, clause, whole)
    if _is_torn(parse, noun, set(phrase), clause):
        return ()
    positions = _name_alone(parse, noun, _trimmed(parse, phrase))
    gaps = any(after - before > 1 for before, after in pairwise(positions))
    if whole and not _is_plain_list(parse, noun, positions):
        return ()
    if not positions or len(positions) > MAX_COPY or (gaps and not _is_clean(parse, positions)):
        return ()
    phrase_tokens = _as_known(parse, noun, [natural(parse, position) for position in positions])
    labels = {parse.labels[child] for child in parse.children[noun]}
    names = any(parse.parts[position] == "PROPN" for position in positions)
    bare = parse.tags[noun] in ("NN", "NNS") and not labels & {"det", "poss", "nummod", "conj"} and not names
    return (Token("the"), *phrase_tokens) if phrase_tokens and definite and bare else phrase_tokens


def short_mention(parse: Parse, noun: int) -> tuple[Token, ...]:
    """Returns a noun phrase for a second mention as a subject, without the details that its noun does not need.

    "The second column of the army" becomes "the column" if no other column is in the sentence.
    """
    entity, below, lemma = mention(parse, noun), parse.children[noun], parse.lemmas[noun].lower()
    joined = any(parse.labels[position] == "conj" for position in below)
    if len(entity) <= LONGEST_WHOLE or parse.tags[noun] not in ("NN", "NNS") or joined:
        return entity
    named = [position for position in below if parse.labels[position] == "appos" and parse.parts[position] == "PROPN"]
    if any(not _is_close(parse, position) for position in named):
        return entity  # not "the head" of "the then head of the court, Ann Lee"
    is_unique = [entry.lower() for entry in parse.lemmas].count(lemma) == 1 and lemma not in word_set("partitives")
    if not is_unique or entity[0].text.lower() not in word_group("definite"):
        return entity
    plain = (position for position in below if not parse.children[position])  # "a two - door car": "the car"
    near = {position for position in plain if parse.labels[position] == "compound"} | {noun}
    return (entity[0], *(token for token in entity[1:] if token.position in near))


def _name_alone(parse: Parse, noun: int, positions: list[int]) -> list[int]:
    """Removes the description before a name that the phrase ends with ("former mayor Ann Lee": "Ann Lee").

    A capitalised noun may belong to the name ("Passion Pit").
    """
    if not positions or noun != positions[-1] or parse.tags[noun] != "NNP":
        return positions
    described = [position for position in positions if parse.tags[position] != "NNP"]
    labels = {parse.labels[position] for position in described}
    if not described or labels - {"amod", "compound", "nmod"} or parse.tags[described[-1]] != "NN":
        return positions
    if parse.tokens[described[-1]][:1].isupper():
        return positions
    return positions[positions.index(described[-1]) + 1 :]


def _is_plain_list(parse: Parse, noun: int, positions: list[int]) -> bool:
    """Returns whether all commas of a coordination separate its members."""
    members = {
        parse.subtree(position)[0] for position in parse.subtree(noun) if parse.labels[position] in ("conj", "cc")
    }
    if not members:
        return True
    return all(parse.tokens[position] != "," or position + 1 in members for position in positions)


def _is_torn(parse: Parse, noun: int, phrase: set[int], clause: int | None) -> bool:
    """Returns whether an omitted clause has a comma before it but none after it."""
    left_out = [
        position for position in parse.subtree(noun) if position not in phrase and parse.labels[position] in _CLAUSES
    ]
    for position in left_out:
        after = parse.subtree(position)[-1] + 1
        beside = parse.tokens[after - 1 : after + 1]
        if position != clause and len(beside) == 2 and all(mark_kind(token) is None for token in beside):
            return True
    return False


def _phrase(parse: Parse, noun: int, clause: int | None, whole: bool) -> list[int]:
    """Returns the positions of a phrase without punctuation and non-restrictive clauses."""
    positions = [noun]
    for child in parse.children[noun]:
        label = parse.labels[child]
        joins = label in ("cc", "conj", "preconj")
        if child == clause or label == "case" or (label in _OUTSIDE and not (whole and joins)):
            continue
        if label in _SET_OFF and (clause is None or child > noun) and not _is_close(parse, child):
            continue
        if parse.parts[noun] == "PROPN" and clause is not None and _is_date(parse, child):
            continue  # parsers take "in 1957" for a part of the name before it
        positions += _inside(parse, child, clause)
    return sorted(positions)


def _is_date(parse: Parse, preposition: int) -> bool:
    """Returns whether a prepositional phrase names a year or a month ("in 1957", "on 3 May")."""
    dates = [position for position in parse.children[preposition] if parse.labels[position] == "pobj"]
    return parse.labels[preposition] == "prep" and any(
        parse.tags[position] == "CD" or parse.tokens[position].lower() in word_set("months") for position in dates
    )


def _inside(parse: Parse, position: int, clause: int | None) -> list[int]:
    """Returns the positions of a subtree without clauses that are set off."""
    positions = [position]
    for child in parse.children[position]:
        apart = parse.labels[child] in _SET_OFF and not _is_close(parse, child)
        if child != clause and not apart:
            positions += _inside(parse, child, clause)
    return positions


def _is_close(parse: Parse, position: int) -> bool:
    """Returns whether no punctuation separates a clause from its noun."""
    first = parse.subtree(position)[0]
    return first > 0 and mark_kind(parse.tokens[first - 1]) is None and mark_kind(parse.tokens[first]) is None


def _trimmed(parse: Parse, positions: list[int]) -> list[int]:
    """Removes punctuation at the ends, next to other marks and next to removed words."""
    kept = [
        position
        for index, position in enumerate(positions)
        if mark_kind(parse.tokens[position]) is None
        or (
            0 < index < len(positions) - 1
            and positions[index - 1] == position - 1
            and positions[index + 1] == position + 1
        )
    ]
    while kept and mark_kind(parse.tokens[kept[-1]]) is not None:
        kept.pop()
    while kept and mark_kind(parse.tokens[kept[0]]) is not None:
        kept.pop(0)
    return kept


def _is_clean(parse: Parse, positions: list[int]) -> bool:
    """Returns whether a phrase with gaps has no brackets or quotation marks, which might be unbalanced."""
    return all(mark_kind(parse.tokens[position]) in (None, "comma") for position in positions)


def natural(parse: Parse, position: int, *, copied: bool = True) -> Token:
    """Returns a token in mid-sentence case."""
    text = parse.tokens[position]
    named = parse.parts[position] == "PROPN" or text == "I" or not text[1:].islower()
    named = named or text.lower() in word_set("demonyms")
    if position == 0 and not (named and len(text) > 1) and text != "I":
        text = text[:1].lower() + text[1:]
    return Token(text, position, copied)


def _as_known(parse: Parse, noun: int, tokens: list[Token]) -> tuple[Token, ...]:
    """Makes indefinite determiners definite, and inserts `the` before a bare number."""
    forms, first = pairs("determiners"), tokens[0]
    result = []
    for token in tokens:
        position = token.position
        assert position is not None
        text, head = token.text.lower(), parse.heads[position]
        if text == "most" and head == noun and parse.labels[position] in ("amod", "det"):
            return ()  # "the most people" would be others
        if text in word_set("negations") or (
            head == noun and parse.labels[position] == "det" and forms.get(text) == ""
        ):
            return ()
        changes = parse.labels[position] in ("det", "quantmod") and forms.get(text)  # "a dozen men"
        if (
            changes
            and parse.labels[position] == "det"
            and head != ROOT
            and parse.lemmas[head].lower() in word_set("partitives")
        ):
            return ()  # "a group of people" would be others, too
        result.append(replace(token, text=forms[text]) if changes else token)
    bare = (
        first.position is not None and parse.labels[first.position] == "nummod" and parse.heads[first.position] == noun
    )
    return (Token("the"), *result) if bare and parse.tags[noun] == "NNS" else tuple(result)


def is_plural(parse: Parse, noun: int) -> bool:
    """Returns whether a verb with this subject takes its plural form."""
    if any(parse.labels[child] == "conj" for child in parse.children[noun]):
        conjunctions = [parse.tokens[child].lower() for child in parse.children[noun] if parse.labels[child] == "cc"]
        if conjunctions != ["or"]:
            return True
    if parse.tokens[noun].lower() in word_set("same_forms") and parse.labels[noun] in SUBJECTS:
        return verb_number(parse, parse.heads[noun]) is not False
    if (
        parse.tokens[noun].lower() in word_group("plural_pronouns") | word_set("plural_nouns")
        or parse.tags[noun] == "NNS"
    ):
        return True
    if parse.tags[noun] == "NNPS":
        return parse.tokens[noun].endswith("s")  # parsers take unknown names for plurals
    return parse.parts[noun] == "NUM" and parse.lemmas[noun].lower() not in ("one", "1")

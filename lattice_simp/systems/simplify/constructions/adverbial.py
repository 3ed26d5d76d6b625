"""Adverbial clauses whose conjunction has an equivalent that can open a sentence (`although`: `However ,`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.simplify.clauses import finite_word, is_past, subject
from lattice_simp.systems.simplify.constructions.clause import (
    clause_span,
    ends_sentence,
    follows_comma,
    inserted,
    plain,
)
from lattice_simp.systems.simplify.inflection import be_form
from lattice_simp.systems.simplify.noun_phrase import is_plural, mention
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse

_TEMPORAL = frozenset({"when", "after"})
_IN_CONTRAST = frozenset({"However ,", "In contrast ,"})
_PRONOUNS = {"he": False, "she": False, "it": False, "they": True}


@cache
def _connectives() -> dict[tuple[str, str], tuple[str, str]]:
    """Returns the openings of the clause and of the rest, by conjunction and place."""
    rows = grammar_table("english/connectives.tsv", ("word", "place", "clause", "rest"))
    return {(row["word"], row["place"]): (row["clause"], row["rest"]) for row in rows}


def adverbial_clauses(parse: Parse) -> Iterator[Split]:
    """Yields finite adverbial clauses of the main verb that have a subject."""
    for head, label in enumerate(parse.labels):
        verb = parse.heads[head]
        if label != "advcl" or verb == ROOT or parse.heads[verb] != ROOT or finite_word(parse, head) is None:
            continue
        clause_subject, main_subject, span = subject(parse, head), subject(parse, verb), clause_span(parse, head)
        if clause_subject is None or main_subject is None or finite_word(parse, verb) is None or not span:
            continue
        conjunction = range(span[0], parse.subtree(clause_subject)[0])
        word = " ".join(parse.tokens[position].lower() for position in conjunction)
        keys = ((word, place) for place in _places(parse, span))
        openings = next((_connectives()[key] for key in keys if key in _connectives()), None)
        if openings is None or (word in _TEMPORAL and not is_past(parse, verb)):
            continue
        yield from _realised(parse, head, span[len(conjunction) :], tuple(conjunction), openings)


def _places(parse: Parse, span: tuple[int, ...]) -> tuple[str, ...]:
    if span[0] == 0:
        return ("fronted",)
    if not ends_sentence(parse, span):
        return ()
    return ("comma", "final") if follows_comma(parse, span) else ("final",)


def _realised(
    parse: Parse, head: int, rest: tuple[int, ...], conjunction: tuple[int, ...], openings: tuple[str, str]
) -> Iterator[Split]:
    verb = parse.heads[head]
    of_clause, of_rest = openings
    leads = conjunction[0] == 0
    sentence = plain(parse, rest)
    if leads:
        named = _named(parse, head, sentence)
        if named is None:
            return
        sentence = named
    if _contrasts(parse, set(parse.subtree(verb)) - set(rest) if leads else rest):
        of_clause, of_rest = (opening if opening not in _IN_CONTRAST else "" for opening in openings)
    opening = inserted(of_clause.format(be=be_form(_tells_of_past(parse, verb, head), plural=False)))
    kept = {token.position for token in sentence if not token.copied}
    clause = tuple(position for position in rest if position in kept)
    dropped = (*conjunction, *(position for position in rest if position not in kept))
    whole = (*opening, *sentence)
    rest_opening = tuple(of_rest.split())
    yield Split(
        SplitKind.ADVERBIAL, clause, dropped, whole, leads=leads, opening=rest_opening, head=head, governor=verb
    )


def _tells_of_past(parse: Parse, verb: int, clause: int) -> bool:
    """Returns whether a verb group is in the past tense; that of `could` and `would` is the tense of the clause."""
    finite = finite_word(parse, verb)
    if finite is not None and parse.tags[finite] == "MD":
        finite = finite_word(parse, clause)
    return finite is not None and parse.tags[finite] == "VBD"


def _contrasts(parse: Parse, positions: Iterable[int]) -> bool:
    """Returns whether a sentence itself marks a contrast with another one."""
    return any(parse.tokens[position].lower() in word_set("contrast") for position in positions)


def _is_impersonal(parse: Parse, verb: int) -> bool:
    """Returns whether `it` has no referent, as in clauses about weather, time and distance."""
    complements = [
        position for position in parse.children[verb] if parse.labels[position] in ("acomp", "attr", "advmod", "oprd")
    ]
    return any(parse.lemmas[position].lower() in word_set("impersonal") for position in (verb, *complements))


def _named(parse: Parse, head: int, sentence: tuple[Token, ...]) -> tuple[Token, ...] | None:
    """Replaces a pronoun by the main clause's subject, as the clause now comes first; None if uncertain."""
    pronoun, antecedent = subject(parse, head), subject(parse, parse.heads[head])
    assert pronoun is not None
    assert antecedent is not None
    plural = _PRONOUNS.get(parse.tokens[pronoun].lower())
    if plural is None or parse.labels[pronoun] == "expl" or parse.parts[antecedent] == "PRON":
        return sentence
    if any(parse.tags[position] == "PRP$" for position in parse.subtree(antecedent)):
        return sentence  # "when she was nine, her family moved"
    if plural != is_plural(parse, antecedent) or (
        parse.tokens[pronoun].lower() == "it" and _is_impersonal(parse, head)
    ):
        return sentence  # "although it is cold, the children play", "when it snowed, the school closed"
    entity = mention(parse, antecedent)
    if not entity:
        return None
    return tuple(part for token in sentence for part in (entity if token.position == pronoun else (token,)))

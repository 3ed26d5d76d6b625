"""Finds certain splits: the described entity and the relation of the halves are unambiguous."""

from __future__ import annotations

import re

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.certainty.adverbial import is_certain_adverbial
from lattice_simp.systems.simplify.certainty.coordination import is_certain_coordination
from lattice_simp.systems.simplify.certainty.description import is_certain_description
from lattice_simp.systems.simplify.certainty.entity import NOUNS, is_bare, is_long, is_nameable, is_torn, phrase_head
from lattice_simp.systems.simplify.certainty.indefinite import is_certain_addition
from lattice_simp.systems.simplify.certainty.participle import is_certain_participle
from lattice_simp.systems.simplify.clauses import SUBJECTS, finite_word, pairs, subject
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import Parse

_JOINED_SENTENCES = re.compile(r"[a-z0-9]\.[A-Z][a-z]")
"""The border of two sentences without a space ("Mali.It"), which parsers take for a word."""

_ELLIPSES = frozenset({"...", "…"})


def is_certain(parse: Parse, split: Split) -> bool:
    """Returns whether a split has only one reading."""
    entity = [token.position for token in split.sentence if token.copied and token.position is not None]
    if not _is_statement(parse, split) or _takes_antecedent(parse, split) or _points_too_far(parse, split):
        return False
    if entity and (is_long(parse, entity) or is_torn(parse, entity) or is_bare(parse, entity)):
        return False
    if entity and (_has_act_or_time(parse, entity) or _occurs_again(parse, split, entity)):
        return False
    if entity and (not is_nameable(parse, entity) or _is_vague(parse, split, entity)):
        return False
    if split.kind is SplitKind.RELATIVE and _joins_pronouns(parse, split):
        return False
    if split.restrictive:
        return is_certain_addition(parse, split, entity)
    match split.kind:
        case SplitKind.RELATIVE | SplitKind.APPOSITION:
            return is_certain_description(parse, split, entity)
        case SplitKind.PARTICIPLE:
            return is_certain_participle(parse, split, entity)
        case SplitKind.COORDINATION:
            return is_certain_coordination(parse, split)
        case SplitKind.ADVERBIAL:
            return is_certain_adverbial(parse, split)
    return True


def _has_act_or_time(parse: Parse, entity: list[int]) -> bool:
    """Returns whether a phrase tells an act or a time, not only who acts ("after meeting Ann twice, who was old")."""
    return parse.tags[entity[0]] == "VBG" or any(parse.labels[position] == "npadvmod" for position in entity)


def _occurs_again(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause has the noun of its subject in another place ("The record broke the record of May")."""
    lemma = parse.lemmas[phrase_head(parse, entity)].lower()
    there = set(split.clause) - set(entity)
    return any(parse.tags[position] in ("NN", "NNS") and parse.lemmas[position].lower() == lemma for position in there)


def _is_statement(parse: Parse, split: Split) -> bool:
    """Returns whether a sentence ends as a statement, and both halves can begin and end without a colon."""
    around = (parse.tokens[min(split.removed) - 1], *parse.tokens[max(split.removed) + 1 : max(split.removed) + 2])
    is_repeated = split.sentence[0] == Token(parse.tokens[0])  # "But ... . But ..."
    is_open = parse.tokens[-1] in _ELLIPSES or ":" in around or any(map(_JOINED_SENTENCES.search, parse.tokens))
    if parse.tags[0] == "MD":
        return False  # a question without its mark
    is_doubtful = any(_has_two_subjects(parse, root) for root in parse.roots)
    is_whole = len(split.clause) > 1 and _has_main_clause(parse)  # not "Ann Lee (born)"
    return is_whole and not is_doubtful and not is_open and not is_repeated


def _has_two_subjects(parse: Parse, verb: int) -> bool:
    """Returns whether a parser found two subjects ("Born in Leeds, North England, Bell sang")."""
    return sum(parse.labels[position] in ("nsubj", "nsubjpass") for position in parse.children[verb]) > 1


def _is_vague(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a plural without an article, in another role than subject, would mean any such things.

    "They denied charges of theft, which she had made": "She had made charges of theft".
    """
    noun = phrase_head(parse, entity)
    is_bare_plural = parse.tags[noun] == "NNS" and parse.parts[entity[0]] not in ("DET", "PRON")
    named = any(parse.tags[position].startswith("NNP") for position in entity)
    is_pointed_at = Token("these") in split.sentence
    return parse.labels[noun] not in SUBJECTS and is_bare_plural and not named and not is_pointed_at


def _joins_pronouns(parse: Parse, split: Split) -> bool:
    """Returns whether a second relative pronoun is joined to the first one ("a firm which was sold and which grew")."""
    return any(
        parse.tags[position] in ("WDT", "WP") and parse.labels[position - 1] == "cc" for position in split.clause[1:]
    )


def _takes_antecedent(parse: Parse, split: Split) -> bool:
    """Returns whether a word after a clause that moves behind it may refer into it.

    "The man, who came to Rome in 1950, died there", "Ann, who met Tom in 1950, married him".
    """
    if split.leads or not any(parse.parts[position] in NOUNS for position in split.clause):
        return False
    return any(
        (parse.tokens[position].lower() in word_set("backward_words") and parse.tags[position] != "EX")
        or (parse.tags[position] == "PRP" and parse.labels[position] in ("dobj", "pobj", "dative"))
        for position in range(split.clause[-1] + 1, len(parse))
        if position not in split.removed
    )


def _points_too_far(parse: Parse, split: Split) -> bool:
    """Returns whether words of another clause would come between a place or time and the adverb that refers to it.

    "The square, where it began, is closed by night": "The square is closed by night. There, it began."
    """
    adverbs = {adverb.split()[0] for adverb in pairs("relative_adverbs").values()}
    is_last = all(parse.parts[position] == "PUNCT" for position in range(split.clause[-1] + 1, len(parse)))
    return not is_last and split.sentence[0].position is None and split.sentence[0].text.lower() in adverbs


def _has_main_clause(parse: Parse) -> bool:
    return any(finite_word(parse, root) is not None and subject(parse, root) is not None for root in parse.roots)

"""Checks that a pronoun in place of a relative pronoun has one possible antecedent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lattice_simp.grammars.hindi.symbols import classes_of
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.simplify.arguments import has_ne, is_bare, nominal_chunks
from lattice_simp.systems.hindi.simplify.clause_tree import verb_chunk
from lattice_simp.systems.hindi.simplify.tables import pronouns, word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import VerbGroup, verb_group


@dataclass(frozen=True)
class _Features:
    """The gender and number that a relative clause gives its pronoun; "" if unknown."""

    gender: str
    number: str


def is_ambiguous(sentence: Sentence, before: Sequence[int], clause: Sequence[int]) -> bool:
    """Returns whether a pronoun in a separate sentence may stand for several nouns of the main clause.

    `before` are the main clause's tokens before the relative clause, `clause` those of the latter, first its pronoun.
    """
    if _stands_for_the_clause(sentence, clause):
        return False
    features = _features(sentence, clause)
    described = _described(sentence, before)
    phrases = [phrase for phrase in described if _fits(sentence, phrase, features)]
    if sentence.tokens[clause[0]].form in words_of("locative_relative"):
        phrases = [phrase for phrase in phrases if not has_ne(sentence, phrase)]
    arguments = [phrase for phrase in phrases if _is_argument(sentence, phrase)]
    if any(_hides_pronoun(sentence, phrase) for phrase in described):
        return True
    if not arguments or len(described) < 2:
        return False
    # The last noun is what most relative clauses describe, whatever gender a tagger gives it.
    if not _is_argument(sentence, described[-1]) or phrases[-1] != arguments[-1]:
        return True
    main = _last_verb(sentence, before)
    is_equation = main is not None and main.root in words_of("be") and not has_ne(sentence, arguments[0])
    return len(arguments) > (2 if is_equation else 1)


def _hides_pronoun(sentence: Sentence, phrase: int) -> bool:
    """Returns whether a phrase with a case marker begins with a pronoun that has none: that is another phrase."""
    chunk = sentence.chunks[phrase]
    first = sentence.tokens[chunk.start]
    is_direct = first.tag == "DEM" and any(first.form == pronoun.direct != pronoun.oblique for pronoun in pronouns())
    return is_direct and bool(sentence.postpositions(chunk))


def disagrees(sentence: Sentence, before: Sequence[int], clause: Sequence[int]) -> bool:
    """Returns whether a plural relative clause describes the subject of a verb such as `hai`, in the singular."""
    main, verb = _last_verb(sentence, before), _last_verb(sentence, clause)
    if main is None or verb is None or main.root not in words_of("be") or verb.takes_agent_with_ne:
        return False
    is_subject = sentence.tokens[clause[0]].form in words_of("subject_relative")
    return is_subject and main.agreement.number == "sg" and verb.agreement.number == "pl"


def says_where(sentence: Sentence, before: Sequence[int], clause: Sequence[int]) -> bool:
    """Returns whether a relative clause describes a place with a case marker (`in areas where ...`)."""
    described = _described(sentence, before)
    is_place = sentence.tokens[clause[0]].form in words_of("place_relative")
    return is_place and bool(described) and not _is_argument(sentence, described[-1])


def _stands_for_the_clause(sentence: Sentence, clause: Sequence[int]) -> bool:
    """Returns whether a relative pronoun stands for a whole clause (whereby, after which) or for a place."""
    pronoun = sentence.tokens[clause[0]].form
    following = sentence.tokens[clause[1]].form if len(clause) > 1 else ""
    return pronoun in words_of("clause_relative") or following in words_of("circumstance")


def _features(sentence: Sentence, clause: Sequence[int]) -> _Features:
    pronoun = sentence.tokens[clause[0]].form
    group = _last_verb(sentence, clause)
    if pronoun in words_of("subject_relative") and group is not None and not group.takes_agent_with_ne:
        genders = [verb.gender for verb in group.verbs if verb.gender in ("m", "f")]
        return _Features(genders[-1] if genders else "", group.agreement.number)
    return _Features("", "pl" if pronoun.startswith(word_of("plural_relative")) else "sg")


def _last_verb(sentence: Sentence, tokens: Sequence[int]) -> VerbGroup | None:
    """Returns the last finite verb group among tokens."""
    return verb_group(sentence, verb_chunk(sentence, tokens))


def _described(sentence: Sentence, tokens: Sequence[int]) -> list[int]:
    """Returns the noun phrases that a relative clause may describe: no times, and no possessors."""
    return [
        phrase
        for phrase in nominal_chunks(sentence, tokens)
        if classes_of(sentence.head_of(sentence.chunks[phrase]).form).isdisjoint(("time", "adverbial pronoun"))
        and sentence.tokens[sentence.chunks[phrase].end - 1].form not in words_of("genitive")
    ]


def _fits(sentence: Sentence, phrase: int, features: _Features) -> bool:
    head = sentence.head_of(sentence.chunks[phrase])
    is_other_gender = {head.gender, features.gender} == {"m", "f"}
    is_other_number = features.number == "sg" and head.number == "pl"
    # A name may take a plural verb out of respect; other nouns in the singular rarely do.
    is_single = features.number == "pl" and head.number == "sg" and head.tag == "NN" and not has_ne(sentence, phrase)
    return not (is_other_gender or is_other_number or is_single)


def _is_argument(sentence: Sentence, phrase: int) -> bool:
    markers = sentence.postpositions(sentence.chunks[phrase])
    return is_bare(sentence, phrase) or has_ne(sentence, phrase) or markers == [word_of("dative")]

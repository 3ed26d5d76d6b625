"""Finds out whether a clause certainly has a subject."""

from __future__ import annotations

from collections.abc import Sequence

from lattice_simp.grammars.hindi.symbols import classes_of
from lattice_simp.grammars.hindi.verbs import takes_ne
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.sentence import CCP, GERUND, NON_FINITE, NP, PUNCTUATION, Chunk, Sentence
from lattice_simp.systems.hindi.simplify.arguments import (
    follows_conjunction,
    has_ne,
    is_bare,
    nominal_chunks,
    whole_chunks,
)
from lattice_simp.systems.hindi.simplify.clause_tree import verb_chunks
from lattice_simp.systems.hindi.simplify.model import Part
from lattice_simp.systems.hindi.simplify.nominal_cases import NOUNS
from lattice_simp.systems.hindi.simplify.tables import connectives, pronouns, word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import VerbGroup, verb_group


def first_verb(sentence: Sentence, part: Part, last: int) -> int:
    """Returns the first finite verb group of a part, which may consist of several clauses."""
    return next((chunk for chunk in verb_chunks(sentence, part.tokens) if chunk < last), last)


def has_subject(sentence: Sentence, part: Part, verb: int) -> bool:
    """Returns whether a clause has a phrase that is certainly its verb's subject."""
    group = verb_group(sentence, verb)
    if group is None:
        return False
    phrases = [phrase for phrase in nominal_chunks(sentence, part.tokens) if phrase < verb]
    has_agent = any(has_ne(sentence, phrase) for phrase in phrases)
    if has_agent or group.takes_agent_with_ne:
        return has_agent
    dative = any(is_dative(sentence, phrase) for phrase in phrases)
    bare = _candidates(sentence, part, group, phrases)
    if group.root in words_of("be") and _is_gerund(sentence, part, verb):
        return True
    if group.is_passive:
        return bool(bare) or (dative and group.root not in words_of("giving"))
    if dative and group.root in words_of("be") and len(group.verbs) == 1:
        return not sentence.chunks[verb - 1].is_verbal
    if len(bare) > 1 or any(sentence.head_of(sentence.chunks[phrase]).tag == "PRP" for phrase in bare):
        return True
    if dative and group.is_obligation:
        return bool(bare) or group.verbs[-1].form not in words_of("obligation")
    if not bare or takes_ne(group.root) or group.root in words_of("transitive"):
        return False
    adjacent = bare[0] == verb - 1
    if group.root in words_of("linking"):
        # `in x is y`, of which y may also be what the subject of the clause before is.
        is_likely = part.clause_kind == ClauseType.COMPLEMENT or group.root in words_of("copula")
        is_somewhere = group.root in words_of("be") and not group.has_vector and len(phrases) > 1 and is_likely
        return not adjacent or (is_somewhere and not _is_genitive(sentence, bare[0] - 1))
    return not (adjacent and group.root in words_of("moving"))


def _candidates(sentence: Sentence, part: Part, group: VerbGroup, phrases: Sequence[int]) -> list[int]:
    """Returns the bare phrases that may be the subject; none if the verb agrees with none of them."""
    bare = [phrase for phrase in phrases if _may_be_subject(sentence, phrase)]
    # Genders and numbers of unknown nouns are guesses; a complement has a subject more often than a coordinate clause.
    is_complement = part.clause_kind == ClauseType.COMPLEMENT
    if not is_complement and not any(_agrees(sentence, phrase, group) for phrase in bare):
        return []
    may_honour = is_complement and group.root not in words_of("be")
    is_first = bare[:1] == phrases[:1]
    if not (may_honour or is_first) and all(_honours(sentence, phrase, group) for phrase in bare):
        return []
    return bare


def may_have_subject(sentence: Sentence, part: Part, verb: int) -> bool:
    """Returns whether a clause has any phrase that may be its subject."""
    group = verb_group(sentence, verb)
    phrases = nominal_chunks(sentence, part.tokens)
    bare = [at for at in phrases if is_bare(sentence, at) and not is_adverb(sentence, at)]
    is_transitive = group is not None and takes_ne(group.root)
    if group is not None and is_transitive and not (group.is_passive or group.is_obligation):
        pronouns_too = (sentence.head_of(sentence.chunks[at]).tag == "PRP" for at in bare)
        return any(at != verb - 1 for at in bare) or any(pronouns_too)
    has_case_marked = any(is_dative(sentence, at) or has_ne(sentence, at) for at in phrases)
    return bool(bare) or has_case_marked or _is_gerund(sentence, part, verb)


def _is_gerund(sentence: Sentence, part: Part, verb: int) -> bool:
    """Returns whether a gerund without a case marker may be the subject of a verb."""
    gerunds = (sentence.chunks[position] for position in whole_chunks(sentence, part.tokens, GERUND) if position < verb)
    return any(not sentence.postpositions(gerund) for gerund in gerunds)


def is_dative(sentence: Sentence, phrase: int) -> bool:
    """Returns whether a phrase has the case marker `ko`."""
    chunk = sentence.chunks[phrase]
    form = sentence.head_of(chunk).form
    return word_of("dative") in sentence.postpositions(chunk) or any(form == pronoun.dative for pronoun in pronouns())


def _may_be_subject(sentence: Sentence, phrase: int) -> bool:
    """Returns whether a bare phrase is no adverb, no joined phrase, and no object of a participle or gerund."""
    rest = (sentence.chunks[position] for position in range(phrase + 1, len(sentence.chunks)))
    following = next((chunk.tag for chunk in rest if not _says_how(sentence, chunk)), "")
    form = sentence.head_of(sentence.chunks[phrase]).form
    is_free = following not in (NON_FINITE, GERUND, CCP) and form not in (*words_of("possessive"), *connectives())
    is_direct = is_bare(sentence, phrase) and not form.endswith(words_of("oblique_plural")) and not form.isdigit()
    return is_free and is_direct and not is_adverb(sentence, phrase) and not _is_listed(sentence, phrase)


def _is_listed(sentence: Sentence, phrase: int) -> bool:
    """Returns whether a phrase is an early member of a list (`a, b and c`), whose last one has the case marker."""
    chunks = sentence.chunks[phrase : phrase + 3]
    ends_with_comma = sentence.tokens[chunks[0].end - 1].tag == PUNCTUATION
    return ends_with_comma and [chunk.tag for chunk in chunks[1:]] in ([NP, CCP], [NP, NP])


def _agrees(sentence: Sentence, phrase: int, group: VerbGroup) -> bool:
    """Returns whether a verb may agree with a phrase; its gender may be that of several nouns joined by `and`."""
    head = sentence.head_of(sentence.chunks[phrase])
    if follows_conjunction(sentence, phrase):
        return True
    genders = {verb.gender for verb in group.verbs} & {"m", "f"}
    return head.gender not in ("m", "f") or not genders or head.gender in genders


def _says_how(sentence: Sentence, chunk: Chunk) -> bool:
    return chunk.tag in ("RBP", "JJP") or sentence.head_of(chunk).tag == "NST"


def is_adverb(sentence: Sentence, phrase: int) -> bool:
    """Returns whether the noun of a phrase says when, how or how often."""
    form = sentence.head_of(sentence.chunks[phrase]).form
    return form in words_of("manner") or not classes_of(form).isdisjoint(("time", "adverbial pronoun"))


def _honours(sentence: Sentence, phrase: int, group: VerbGroup) -> bool:
    """Returns whether a noun in the singular is what somebody is, of whom the verb speaks in the plural."""
    chunk = sentence.chunks[phrase]
    head = sentence.head_of(chunk)
    # Many masculine nouns have the same form in both numbers; several things are not somebody.
    is_counted = any(
        sentence.tokens[index].tag == "QC" and sentence.tokens[index].form not in words_of("one")
        for index in chunk.positions
    )
    is_several = is_counted or follows_conjunction(sentence, phrase)
    return group.agreement.number == "pl" and head.number == "sg" and head.tag in NOUNS and not is_several


def _is_genitive(sentence: Sentence, phrase: int) -> bool:
    return sentence.tokens[sentence.chunks[phrase].end - 1].form in words_of("genitive")

"""Participles that can only describe the noun beside them, or the subject of the only verb before them."""

from __future__ import annotations

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.certainty.entity import (
    NOUNS,
    describes_subject,
    is_beside,
    is_kind,
    is_nested,
    phrase_head,
    speaks,
)
from lattice_simp.systems.simplify.certainty.tenses import is_progressive, is_simple_tense
from lattice_simp.systems.simplify.clauses import SUBJECTS, auxiliaries, child, finite_word, is_past, subject
from lattice_simp.systems.simplify.constructions.participle import reports
from lattice_simp.systems.simplify.sentence import DASHES
from lattice_simp.systems.simplify.split import Split
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import mark_kind


def is_certain_participle(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a participle can only describe the noun beside it, or the subject of the only verb before it."""
    if not _stands_apart(parse, split) or (entity and is_kind(parse, entity)):
        return False
    first, head = min(split.removed), phrase_head(parse, list(split.clause))
    if not entity or parse.tokens[first].lower() == "being":  # "being" may say why
        return not entity and _tells_of_act(parse, first, parse.heads[head])
    if parse.tokens[head].lower() in word_set("reason_participles") or not _is_certain_time(parse, split, head):
        return False
    noun = phrase_head(parse, entity)
    if _is_of_title(parse, split, entity):
        return _is_timed(parse, head, noun)
    if parse.labels[noun] == "attr" or speaks(parse, noun) or _points(parse, noun):
        return False  # "is a book of the Bible, known as"
    if parse.labels[head] == "acl":
        return _describes_noun(parse, split, entity, head)
    if reports(parse, head):  # "she said it was cold, adding that"
        return parse.heads[head] in parse.roots and not _reports_of_pronoun(parse, head)
    return split.leads or _describes_subject(parse, split, head)


def _points(parse: Parse, noun: int) -> bool:
    """Returns whether `it` points at a predicate noun, whose role it does not share ("it was a man, walking home")."""
    verb = parse.heads[noun]
    is_predicate = parse.lemmas[verb] == "be" and child(parse, verb, {"attr"}) is not None
    return is_predicate and parse.tokens[noun].lower() == "it"


def _stands_apart(parse: Parse, split: Split) -> bool:
    """Returns whether a clause is set off from its sentence, and no part of a list or another construction."""
    first = min(split.removed)
    follows_dash = first > 0 and parse.tokens[first - 1] in DASHES | {";"}  # "rare risks -- so flying"
    return not (
        follows_dash
        or _is_heading(parse, split)
        or _leaves_participle(parse, split)
        or not _is_set_off(parse, split)
        or parse.tokens[first].lower() in ("so", "that")
        or _ends_with_bare_place(parse, split)
        or _ends_list(parse, split)
        or split.kept_commas
        or _leaves_joined_participle(parse, split)
        or _follows_participle(parse, first)
        or _is_in_front(parse, split)
    )


def _is_in_front(parse: Parse, split: Split) -> bool:
    """Returns whether a clause ends a phrase before the subject, which would lose its comma ("with him there, looking
    at them, Ann sang").
    """
    noun = subject(parse, parse.roots[0])
    return not split.leads and noun is not None and parse.subtree(noun)[0] > max(split.removed)


def _leaves_joined_participle(parse: Parse, split: Split) -> bool:
    """Returns whether a participle behind `and` is left as it is ("this gave him a turn and including him")."""
    left = {token.position for token in split.sentence if token.text.endswith("ing")}
    return parse.tags[split.clause[0]] == "VBG" and any(
        position in left and parse.tags[position] == "VBG" and parse.tags[position - 1] == "CC"
        for position in split.clause
    )


def _tells_of_act(parse: Parse, first: int, verb: int) -> bool:
    """Returns whether a verb tells an act that `this` can stand for in the clause that begins at `first`."""
    is_plan = parse.tags[verb] == "VB" or (
        child(parse, verb, {"xcomp"}) is not None and parse.lemmas[verb] not in word_set("implicative_verbs")
    )  # "it wants to build a plant, creating jobs"
    is_state = parse.lemmas[verb] in ("have", "be")  # "they have a house, giving it to others"
    is_name = parse.labels[max(first - 2, 0)] == "appos"  # "they die of a disease, Lee's fever, causing"
    is_person = _has_person(parse, verb)  # "he blamed them, giving them a lesson"
    return not (is_plan or is_state or is_name or is_person)


def _follows_participle(parse: Parse, first: int) -> bool:
    """Returns whether another participle ends before a clause ("men living there, giving him food")."""
    return any(
        parse.labels[position] in ("acl", "advcl")
        and parse.tags[position] == "VBG"
        and parse.subtree(position)[-1] >= first - 2
        for position in range(first)
    )


def _has_person(parse: Parse, verb: int) -> bool:
    """Returns whether the subject of a verb is a personal pronoun other than `it`."""
    noun = subject(parse, verb)
    return noun is not None and parse.tags[noun] == "PRP" and parse.tokens[noun].lower() != "it"


def _is_certain_time(parse: Parse, split: Split, head: int) -> bool:
    """Returns whether a participle has the time of its main verb, or another certain one."""
    verb, tag = parse.heads[head], parse.tags[head]
    if tag == "VBN":
        return bool(auxiliaries(parse, head)) or _has_sure_time(parse, split, head)
    if tag != "VBG":
        return True
    if is_progressive(parse, verb) or not is_simple_tense(parse, verb):
        return False
    if parse.lemmas[head] in word_set("lasting_verbs") and is_past(parse, parse.roots[0]):
        return False  # "the park, covering ten hectares, was opened in May": it still covers them
    return split.leads or child(parse, verb, {"auxpass"}) is None  # "the trees were cut, taking away its home"


def _describes_noun(parse: Parse, split: Split, entity: list[int], head: int) -> bool:
    """Returns whether a participle at a noun can only describe it."""
    noun = phrase_head(parse, entity)
    if entity[-1] != noun and parse.parts[entity[-1]] in NOUNS:
        return False  # "deeds of the club, founded in May"
    label = parse.labels[noun]
    is_unclear = label == "pobj" or (parse.tags[head] == "VBG" and label not in SUBJECTS)
    describes_neighbour = is_beside(parse, split, entity) and not is_nested(parse, split, entity)
    return not is_unclear and (describes_neighbour or _is_of_subject(parse, split, entity, head))


def _describes_subject(parse: Parse, split: Split, head: int) -> bool:
    """Returns whether a participle behind its main verb can only describe the subject."""
    verb, tag, before = parse.heads[head], parse.tags[head], min(split.removed) - 2
    if tag == "VBN" and child(parse, verb, {"dobj"}) is not None:
        return False  # "they sold a car, known as Bess"
    if tag == "VBN" and parse.labels[head] == "advcl" and parse.parts[before] in NOUNS:
        return False  # "she is the mother of the club, founded in May"
    if tag == "VBD" and child(parse, head, {"agent"}) is None:
        return False  # "they spoke to her, trawled through papers"
    subjects = [position for position in range(split.clause[0]) if parse.labels[position] in SUBJECTS]
    return len(subjects) == 1 and parse.lemmas[verb].lower() not in word_set("reporting_verbs")


def _reports_of_pronoun(parse: Parse, verb: int) -> bool:
    """Returns whether a reported statement is about a pronoun, which would mean its reporter ("they fined the bank,
    saying that it had misled them").
    """
    statement = child(parse, verb, {"ccomp"})
    noun = None if statement is None else subject(parse, statement)
    return noun is not None and any(
        parse.tags[position] in ("PRP", "PRP$") and parse.tokens[position].lower() not in word_group("speakers")
        for position in parse.subtree(noun)
    )


def _is_of_subject(parse: Parse, split: Split, entity: list[int], head: int) -> bool:
    """Returns whether a participle at a predicate noun describes the subject, at a known time."""
    return describes_subject(parse, split, entity) and _is_timed(parse, head, phrase_head(parse, entity))


def _is_of_title(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a predicate noun stands for a title ("The song was written by Ann" after '"Home" is a song')."""
    return parse.labels[entity[0]] == "attr" and split.sentence[0].text == "the" and len(entity) == 1


def _is_timed(parse: Parse, head: int, noun: int) -> bool:
    """Returns whether the time of a participle at a predicate noun is known ("a school run by nuns": perhaps still)."""
    timed_words = word_set("stative_participles") | word_set("completed_participles")
    return parse.tokens[head].lower() in timed_words or is_past(parse, parse.heads[noun])


def _is_set_off(parse: Parse, split: Split) -> bool:
    """Returns whether a mark follows a clause ("closing the door he left": `he` may begin another sentence)."""
    return mark_kind(parse.tokens[max(split.removed) + 1]) is not None if max(split.removed) + 1 < len(parse) else True


def _leaves_participle(parse: Parse, split: Split) -> bool:
    """Returns whether a list of participles would go on after a finite verb ("encouraged her, helping her")."""
    written = {token.position: token.text for token in split.sentence}
    return any(
        parse.tags[position] == "VBG" and parse.tokens[position - 1] == "," and written[position].endswith("ing")
        for position in split.clause[1:]
    )


def _has_sure_time(parse: Parse, split: Split, head: int) -> bool:
    """Returns whether the time of a past participle is certain: that of its main verb, or of a past event.

    "A man, married for ten years, hopes": he still is married.
    """
    words = {parse.tokens[position].lower() for position in split.clause}
    is_dated = any(word.isdigit() and len(word) == 4 for word in words)
    timed_words = (
        word_set("stative_participles")
        | word_set("present_adverbs")
        | word_set("past_adverbs")
        | word_set("completed_participles")
    )
    if parse.tokens[head].lower() in word_set("located_participles") and is_past(parse, parse.roots[0]):
        return False  # "the house, located there, was sold": it still is there
    if "during" in words and not all(is_past(parse, root) for root in parse.roots):
        return False  # "a player, linked with Leeds during May, has left"
    if not is_dated and any(is_past(parse, root) and not is_simple_tense(parse, root) for root in parse.roots):
        return False  # "they would choose May, considered the best month": it is considered so
    return is_dated or not words.isdisjoint(timed_words) or all(is_past(parse, root) for root in parse.roots)


def _ends_with_bare_place(parse: Parse, split: Split) -> bool:
    """Returns whether a clause ends with a name after a number and a comma ("born 9 May 1950, Rome")."""
    number, comma, name = (*split.clause[-3:], 0, 0, 0)[:3]
    return parse.tokens[number].isdigit() and parse.tokens[comma] == "," and parse.tags[name] == "NNP"


def _is_heading(parse: Parse, split: Split) -> bool:
    """Returns whether a clause is a heading before the sentence ("Writing After he left Rome, he wrote a play")."""
    return any(parse.tokens[position].istitle() and parse.tags[position] == "IN" for position in split.clause[1:])


def _ends_list(parse: Parse, split: Split) -> bool:
    """Returns whether a clause contains the next member of a list ("Matte, meaning meadow, and Horn", "before going
    home, changing his clothes and escaping").
    """
    first, after = min(split.removed), max(split.removed) + 1
    if (
        after < len(parse)
        and parse.tokens[after] in DASHES | {","}
        and parse.tags[after + 1 : after + 2] == ("CC",)
        and not _goes_on_after(parse, after + 2)
    ):
        return True  # "fun includes fishing, walking there, and the music"
    if any(parse.labels[position] == "conj" and parse.parts[position] == "ADP" for position in split.clause):
        return True  # "has a staff of ten and among the best"
    if any(parse.tokens[position : position + 3] == (",", "as", "well") for position in split.clause):
        return True  # "he liked the first game, calling it good, as well as the second one"
    joins = any(parse.labels[position] == "conj" and parse.tags[position] == "VBG" for position in split.clause)
    follows = any(parse.labels[position] == "pcomp" and parse.tags[position] == "VBG" for position in range(first))
    return (joins and follows) or any(
        parse.labels[position] == "conj" and parse.parts[position] in NOUNS and _follows_comma_and(parse, position)
        for position in split.clause
    )


def _follows_comma_and(parse: Parse, noun: int) -> bool:
    first = parse.subtree(noun)[0]
    return first > 1 and parse.tokens[first - 2] == "," and parse.labels[first - 1] == "cc"


def _goes_on_after(parse: Parse, first: int) -> bool:
    """Returns whether the conjunct that begins here is a finite verb."""
    joined = next((position for position in range(first, len(parse)) if parse.labels[position] == "conj"), None)
    return joined is not None and finite_word(parse, joined) is not None

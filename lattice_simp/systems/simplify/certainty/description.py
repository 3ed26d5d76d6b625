"""Relative clauses and appositions that can only describe their entity."""

from __future__ import annotations

from itertools import pairwise, takewhile

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.certainty.adverbial import dropped_words
from lattice_simp.systems.simplify.certainty.entity import (
    NOUNS,
    VERBS,
    describes_subject,
    fits_verb,
    is_beside,
    is_inserted,
    is_nested,
    phrase_head,
    speaks,
)
from lattice_simp.systems.simplify.certainty.tenses import tenses_agree
from lattice_simp.systems.simplify.clauses import FINITE, SUBJECTS, child, finite_word, is_past, pairs
from lattice_simp.systems.simplify.constructions.apposition import is_speaker
from lattice_simp.systems.simplify.constructions.clause import finite_governor
from lattice_simp.systems.simplify.constructions.relative import may_judge
from lattice_simp.systems.simplify.noun_phrase import is_plural
from lattice_simp.systems.simplify.sentence import DASHES
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind


def is_certain_description(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a relative clause or an apposition can only describe its entity."""
    is_relative, conjunction = split.kind is SplitKind.RELATIVE, dropped_words(parse, split)
    interrupted = any(parse.tokens[position + 1] == "," for position in split.dropped)
    if is_relative and (interrupted or parse.tokens[min(split.removed) - 1] == ";"):
        return False  # "a man who, we remember, sang"
    if conjunction in word_group("uncertain_conjunctions") or (
        conjunction == "where" and not _names_place(parse, split)
    ):
        return False
    if is_relative and _may_go_on(parse, split):
        return False  # "she met Ann, who had left, and sang"
    if not is_relative and (_mixes_times(parse, split) or _is_bare_name(parse, split)):
        return False
    if is_relative and _is_of_predicate(parse, split, entity):
        return False  # "Bell is a clerk, whose work is praised": the work of the clerk
    if not _is_apart(parse, split) or not _agrees(parse, split, entity):
        return False
    if not entity:
        return True
    if is_relative and (_has_stranded_preposition(parse, split) or _refers_back(parse, split)):
        return False  # "it was hit by a rock, which she blamed him for"
    if _is_imagined(parse, phrase_head(parse, entity)):
        return False
    noun = phrase_head(parse, entity)
    if parse.labels[noun] in SUBJECTS and entity[0] and parse.parts[entity[0] - 1] in ("ADP", "PART"):
        return False  # the object of a preposition, taken for a subject: "according to Ann Lee, the king, who"
    if _is_cleft(parse, entity) or _is_in_title(parse, entity) or (is_relative and _has_time_clause(parse, split)):
        return False
    if _may_judge(parse, split, entity) or _may_describe_part(parse, split, entity):
        return False
    if is_relative and is_inserted(parse, noun):
        return False  # "he had a car, with fine wheels, which"
    describes_neighbour = is_beside(parse, split, entity) and not is_nested(parse, split, entity)
    return describes_neighbour or describes_subject(parse, split, entity)


def _is_bare_name(parse: Parse, split: Split) -> bool:
    """Returns whether an apposition is a name alone, as of a country ("in Leiden, the Netherlands")."""
    return all(parse.tags[position] in ("NNP", "NNPS", "DT") for position in split.clause) and len(split.clause) < 3


def _mixes_times(parse: Parse, split: Split) -> bool:
    """Returns whether a past form of `be` was inserted before a clause in the present ("was a state where men are"), or
    for what only would be so ("it would save ten tonnes, the weight of a car").
    """
    is_past = any(token.position is None and token.text in ("was", "were") for token in split.sentence)
    verb = None if split.head is None else finite_governor(parse, split.head)
    finite = None if verb is None else finite_word(parse, verb)
    is_possible = finite is not None and parse.tags[finite] == "MD"
    return is_past and (is_possible or any(parse.tags[position] in ("VBZ", "VBP") for position in split.clause))


def _may_go_on(parse: Parse, split: Split) -> bool:
    """Returns whether a verb follows a clause with `and`, so that its subject may be that of the clause, too."""
    after = split.clause[-1] + 1
    after += parse.tokens[after : after + 1] == (",",)
    following = parse.tags[after : after + 2]
    return len(following) == 2 and following[0] == "CC" and following[1] in FINITE


def _has_stranded_preposition(parse: Parse, split: Split) -> bool:
    """Returns whether a clause ends with a preposition, or one follows another ("they built on in 1861")."""
    ends = parse.parts[split.clause[-1]] == "ADP"
    pairs = pairwise(split.clause)
    return ends or any(parse.labels[first] == parse.labels[second] == "prep" for first, second in pairs)


def _refers_back(parse: Parse, split: Split) -> bool:
    """Returns whether `it` in a clause would move away from what it means ("Ann, who liked it, had an idea")."""
    after = range(max(split.removed) + 1, len(parse))
    moves = any(mark_kind(parse.tokens[position]) is None for position in after)
    return moves and any(parse.tokens[position].lower() == "it" for position in split.clause)


def _is_imagined(parse: Parse, noun: int) -> bool:
    """Returns whether a noun stands for what somebody may become ("she wants to be a queen, who is always kind")."""
    verb = parse.heads[noun]
    return parse.labels[noun] == "attr" and any(parse.tags[below] == "TO" for below in parse.children[verb])


def _names_place(parse: Parse, split: Split) -> bool:
    """Returns whether `where` follows the name of a place ("an election, where"), at which something happens ("Rome,
    where he moved").
    """
    verb = phrase_head(parse, list(split.clause))
    moves = parse.lemmas[verb].lower() in word_set("motion_verbs")
    place = max(min(split.removed) - 2, 0)
    return not moves and parse.tags[place] in ("NNP", "NNPS") and not _is_addressed(parse, place)


def _is_addressed(parse: Parse, noun: int) -> bool:
    """Returns whether a noun follows `to` and a verb that is not one of motion ("signed to Arista, where he sings")."""
    preposition = parse.heads[noun]
    if preposition == ROOT or parse.labels[noun] != "pobj" or parse.tokens[preposition].lower() != "to":
        return False
    verb = parse.heads[preposition]
    return verb != ROOT and parse.lemmas[verb].lower() not in word_set("motion_verbs")


def _is_cleft(parse: Parse, entity: list[int]) -> bool:
    """Returns whether `it is` stresses an entity ("It is the state, which ...")."""
    noun = phrase_head(parse, entity) if entity else ROOT
    verb = ROOT if noun == ROOT else parse.heads[noun]
    if verb == ROOT or parse.lemmas[verb] != "be":
        return False
    return any(
        parse.labels[below] in SUBJECTS and parse.tokens[below].lower() == "it" for below in parse.children[verb]
    )


def _may_judge(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause may refer to the whole statement before it ("which is great")."""
    if split.kind is not SplitKind.RELATIVE or parse.tokens[min(split.removed)].lower() != "which":
        return False
    return may_judge(parse, phrase_head(parse, list(split.clause)), phrase_head(parse, entity))


def _may_describe_part(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether `which` may refer to the last noun of an entity ("the father of the family, which moved")."""
    if split.kind is not SplitKind.RELATIVE or not entity or parse.tokens[min(split.removed)].lower() != "which":
        return False
    noun, last = phrase_head(parse, entity), entity[-1]
    if last != noun:
        return parse.tags[last] in ("NN", "NNS") and is_plural(parse, last) == is_plural(parse, noun)
    above = parse.heads[noun] - 1  # "rumours of fights at the club, which"
    is_below = parse.labels[noun] == "pobj" and parse.parts[above] == "NOUN" and parse.parts[above + 1] == "ADP"
    return is_below and fits_verb(parse, split, above)


def _is_in_title(parse: Parse, entity: list[int]) -> bool:
    """Returns whether a name may be the end of a longer title ("the series Life with Ann, which")."""
    before = parse.tokens[max(0, entity[0] - 2) : entity[0]]
    return len(before) == 2 and parse.parts[entity[0] - 1] == "ADP" and entity[0] > 2 and before[0].istitle()


def _has_time_clause(parse: Parse, split: Split) -> bool:
    """Returns whether an adverbial clause follows that may belong to the main verb ("Rome, which was old, when")."""
    return any(
        parse.tokens[position - 1] == "," and parse.tags[position] in ("WRB", "IN")
        for position in split.clause[1:]
        if parse.labels[position] in ("mark", "advmod")
    )


def _agrees(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether an apposition has the number of its noun, and one of them is not a definite description.

    A title without an article ("said Ann Lee, head of sales") makes no sentence, and neither does an apposition to a
    report's speaker.
    """
    if split.kind is not SplitKind.APPOSITION or not entity:
        return True
    noun, name = phrase_head(parse, entity), phrase_head(parse, list(split.clause))
    if any(parse.tags[position] == "WP" for position in split.clause[1:]):
        return False  # "said Ann Lee, the head of Lee Steel, who saw it"
    absolute = any(parse.tokens[position].lower() == "being" for position in split.clause)  # "the other being"
    if absolute:
        return False
    if is_speaker(parse, noun):
        return _has_role(parse, noun, name)
    repeats = parse.lemmas[noun].lower() == parse.lemmas[name].lower()
    plays_role = parse.labels[noun] == "pobj" and parse.tokens[parse.heads[noun]].lower() == "as"
    if plays_role or repeats or parse.labels[noun] == "attr" or is_inserted(parse, noun) or _is_born(parse, noun, name):
        return False  # "Freedom is a choice, a way of life", "it acts as a guide, a friend and helper"
    if entity[-1] != noun and parse.parts[entity[-1]] in NOUNS:
        return False  # "the lord of the house of Orbelian, a branch"
    first = parse.tokens[split.clause[0]].lower()
    names_person = parse.lemmas[name].lower() in pairs("roles")
    if names_person and parse.tokens[entity[0]].lower() == "the" and parse.parts[noun] == "PROPN":
        return False  # "he will get the Song Prize, the fourth president to do so"
    if first in ("a", "an") and _is_place(parse, noun) and parse.lemmas[name].lower() not in word_set("places"):
        return False  # "the show was held in Rome, a meeting place"
    if parse.parts[noun] == parse.parts[name] == "PROPN" and first not in word_group("articles"):
        return False  # "Tampa, Florida's Bull"
    if parse.parts[noun] != "PROPN" and parse.lemmas[name].lower() in word_set("summary_nouns"):
        return False  # "he was apprenticed to a smith, a trade that he hated"
    bare = parse.tags[name] == "NN" and child(parse, name, {"det", "poss", "nummod"}) is None
    if bare or speaks(parse, noun):
        return False
    lasts = any(parse.tags[position] in ("JJS", "RBS") or _is_of_now(parse, position) for position in split.clause)
    if lasts and any(is_past(parse, root) for root in parse.roots):
        return False  # "named after the Nile, the longest river", "Ann Lee, the current minister, came"
    described = parse.parts[noun] == "PROPN" or first in ("a", "an")
    return described and is_plural(parse, noun) == is_plural(parse, name)


def _has_role(parse: Parse, noun: int, name: int) -> bool:
    """Returns whether an apposition tells the role of a speaker, not of one in history ("in 1950, said Ann Lee")."""
    is_dated = any(token.isdigit() and len(token) == 4 for token in parse.tokens)
    is_named = parse.parts[noun] == "PROPN" and not is_plural(parse, noun) and not is_plural(parse, name)
    has_article = child(parse, name, {"det", "poss"}) is not None or child(parse, name, {"prep"}) is not None
    return is_named and has_article and not is_dated and parse.lemmas[name].lower() in pairs("roles")


def _is_of_now(parse: Parse, position: int) -> bool:
    return parse.tokens[position].lower() in word_set("present_adverbs") | {"current"}


def _is_of_predicate(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether `whose` or an object pronoun describes a predicate noun, whose subject has another name."""
    word = min(split.removed)
    is_predicate = bool(entity) and parse.labels[phrase_head(parse, entity)] == "attr"
    return is_predicate and parse.tokens[word].lower() in ("whose", "whom")


def _is_place(parse: Parse, noun: int) -> bool:
    return parse.labels[noun] == "pobj" and parse.tokens[parse.heads[noun]].lower() in word_set("place_prepositions")


def _is_born(parse: Parse, noun: int, name: int) -> bool:
    """Returns whether a place stands before whose child somebody is ("was born in Rome, the son of a judge")."""
    return _is_place(parse, noun) and parse.lemmas[name].lower() in word_group("children")


def _is_apart(parse: Parse, split: Split) -> bool:
    """Returns whether a clause stands between commas or brackets, before the end, a verb or another clause."""
    first, last = min(split.removed), max(split.removed)
    after = [position for position in range(last + 1, len(parse)) if mark_kind(parse.tokens[position]) is None]
    if parse.tokens[first - 1] in DASHES or split.kept_commas or parse.parts[first] in ("ADP", "NUM"):
        return False
    if not after:
        return True
    adverbs = takewhile(lambda position: parse.tags[position] == "RB", after[:-1])
    following = after[len(list(adverbs))]  # "Ann, who lived there, never sang"
    above = parse.heads[following]
    if parse.labels[following] == "cc":
        joined = next((position for position in after if parse.labels[position] == "conj"), following)
        is_clause = finite_word(parse, joined) is not None and tenses_agree(parse, above, joined)
        return parse.parts[above] in VERBS and above not in split.removed and is_clause
    return parse.tags[following] in FINITE

"""Finds certain splits: the described entity and the relation of the halves are unambiguous."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.clauses import FINITE, SUBJECTS, auxiliaries, child, finite_word, is_past, subject
from lattice_simp.systems.simplify.noun_phrase import is_plural
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

_UNCERTAIN_CONJUNCTIONS = frozenset({"as", "since", "when", "so that"})
"""Conjunctions with other senses than that of the sentence opening that would replace them."""

_CONDITIONAL = frozenset({"would", "could", "might", "may"})
"""Verbs of possible consequences."""

_LINKING = frozenset({"together", "that", "thus", "therefore", "hence"})
"""Words that link a clause to the one before it."""

_JUDGING = frozenset({"i", "we", "thing", "pity", "shame", "problem", "mistake", "reason"})
"""Words of clauses that judge the whole statement before them ("which I think is a terrible thing")."""

_RESULTING = frozenset({"make", "mean", "lead", "result", "cause", "allow", "enable", "help", "suggest", "explain"})
"""Verbs of clauses that may tell the result of the whole statement."""

_OF_SEVERAL_CLAUSES = frozenset({"maybe", "perhaps", "sorry"})
"""Words whose scope may be both of two joined clauses."""

_VAGUE = frozenset({",", "or", "sort", "kind"})
"""Words in phrases that do not name the same entity again."""

LONGEST_NAME, LONGEST_ENTITY = 6, 4
"""The most words of a repeated name or other entity; repeating a longer one would not make the text simpler."""

_EVENTS = frozenset(
    "born founded established built published released written created formed developed recorded composed directed "
    "designed invented launched introduced painted discovered".split()
)
"""Participles of events that are past in any tense of the main verb."""

_JOINED_SENTENCES = re.compile(r"[a-z]\.[A-Z]")
"""The border of two sentences without a space ("Mali.It"), which parsers take for a word."""

_DASHES = frozenset({"-", "--", "–", "—"})
_ELLIPSES = frozenset({"...", "…"})
_VERBS = frozenset({"VERB", "AUX"})
_NOUNS = frozenset({"NOUN", "PROPN"})


def is_certain(parse: Parse, split: Split) -> bool:
    """Returns whether a split has only one reading."""
    entity = [token.position for token in split.sentence if token.copied and token.position is not None]
    if split.restrictive or not _is_statement(parse, split):
        return False
    if entity and (_is_long(parse, entity) or _is_torn(parse, entity) or _is_bare(parse, entity)):
        return False
    if entity and not _is_nameable(parse, entity):
        return False
    match split.kind:
        case SplitKind.RELATIVE | SplitKind.APPOSITION:
            return _is_certain_description(parse, split, entity)
        case SplitKind.PARTICIPLE:
            return _is_certain_participle(parse, split, entity)
        case SplitKind.COORDINATION:
            return _is_certain_coordination(parse, split)
        case SplitKind.ADVERBIAL:
            return _is_certain_adverbial(parse, split)
    return True


def _conjunction(parse: Parse, split: Split) -> str:
    """Returns the words that a split drops."""
    return " ".join(parse.tokens[position].lower() for position in split.dropped)


def _is_long(parse: Parse, entity: list[int]) -> bool:
    named = any(parse.tags[position] in ("NNP", "NNPS") for position in entity)
    return len(entity) > (LONGEST_NAME if named else LONGEST_ENTITY)


def _is_bare(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is a singular noun without a determiner ("current chairman")."""
    noun = _head(parse, entity)
    return len(entity) > 1 and parse.tags[noun] == "NN" and parse.parts[entity[0]] == "ADJ"


def _is_kind(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is a plural noun alone, which names other things when repeated ("children")."""
    return len(entity) == 1 and parse.tags[entity[0]] == "NNS"


def _is_torn(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is followed by the rest of its name ("Lee Bank" of "Lee Bank head Ann Berg")."""
    return parse.tags[entity[-1]].startswith("NN") and parse.tags[entity[-1] + 1].startswith("NN")


def _is_statement(parse: Parse, split: Split) -> bool:
    """Returns whether a sentence ends as a statement, and both halves can begin and end without a colon."""
    around = (parse.tokens[min(split.removed) - 1], *parse.tokens[max(split.removed) + 1 : max(split.removed) + 2])
    is_repeated = split.sentence[0] == Token(parse.tokens[0])  # "But ... . But ..."
    is_open = parse.tokens[-1] in _ELLIPSES or ":" in around or any(map(_JOINED_SENTENCES.search, parse.tokens))
    return len(split.clause) > 1 and _has_main_clause(parse) and not is_open and not is_repeated  # "Ann Lee (born)"


def _is_certain_adverbial(parse: Parse, split: Split) -> bool:
    """Returns whether the conjunction of an adverbial clause has one sense."""
    conjunction, before = _conjunction(parse, split), parse.tokens[min(split.removed) - 1]
    if conjunction in _UNCERTAIN_CONJUNCTIONS or (split.leads and not _is_followed_by_clause(parse, split)):
        return False
    is_possible = any(parse.tags[position] == "MD" for position in split.clause)
    return conjunction != "before" or (before == "," and not is_possible)  # "lost him before", "before they can start"


def _is_certain_description(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a relative clause or an apposition can only describe its entity."""
    is_relative, conjunction = split.kind is SplitKind.RELATIVE, _conjunction(parse, split)
    interrupted = any(parse.tokens[position + 1] == "," for position in split.dropped)
    if is_relative and (interrupted or parse.tokens[min(split.removed) - 1] == ";"):
        return False  # "a man who, we remember, sang"
    if conjunction in _UNCERTAIN_CONJUNCTIONS or (conjunction == "where" and not _names_place(parse, split)):
        return False
    if not _is_apart(parse, split) or not _agrees(parse, split, entity):
        return False
    if not entity:
        return True
    if is_relative and (_has_stranded_preposition(parse, split) or _refers_back(parse, split)):
        return False  # "it was hit by a rock, which she blamed him for"
    if _is_imagined(parse, _head(parse, entity)):
        return False
    if parse.labels[_head(parse, entity)] in SUBJECTS and entity[0] and parse.parts[entity[0] - 1] in ("ADP", "PART"):
        return False  # the object of a preposition, taken for a subject: "according to Ann Lee, the king, who"
    if _is_cleft(parse, entity) or _is_in_title(parse, entity) or (is_relative and _has_time_clause(parse, split)):
        return False
    if _may_judge(parse, split, entity) or _may_describe_part(parse, split, entity):
        return False
    if is_relative and _is_inserted(parse, _head(parse, entity)):
        return False  # "he had a car, with fine wheels, which"
    is_beside = _is_beside(parse, split, entity) and not _is_nested(parse, split, entity)
    return is_beside or _describes_subject(parse, split, entity)


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


def _is_followed_by_clause(parse: Parse, split: Split) -> bool:
    """Returns whether a comma and no conjunction follows a fronted clause ("because it rained - and if it snowed")."""
    after = max(split.removed) + 1
    return parse.tokens[after] == "," and parse.tags[after + 1] != "CC"


def _names_place(parse: Parse, split: Split) -> bool:
    """Returns whether `where` follows the name of a place ("an election, where"), at which something happens ("Rome,
    where he moved").
    """
    verb = _head(parse, list(split.clause))
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
    noun = _head(parse, entity) if entity else ROOT
    verb = ROOT if noun == ROOT else parse.heads[noun]
    if verb == ROOT or parse.lemmas[verb] != "be":
        return False
    return any(
        parse.labels[below] in SUBJECTS and parse.tokens[below].lower() == "it" for below in parse.children[verb]
    )


def _may_judge(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause may refer to the whole statement before it ("which is great", "which would help")."""
    if split.kind is not SplitKind.RELATIVE or not entity or parse.tokens[min(split.removed)].lower() != "which":
        return False
    noun = _head(parse, entity)
    if parse.labels[noun] in SUBJECTS:
        return False
    if parse.lemmas[noun].lower() in word_set("times"):
        return True  # "they scored in the last minute, which shook the others"
    if any(parse.tokens[position].lower() in _JUDGING for position in split.clause):
        return True
    verb = _head(parse, list(split.clause))
    if parse.lemmas[verb].lower() in _RESULTING:
        return True  # "it plays a role, which makes them see well"
    depends = any(parse.tokens[position].lower() in _CONDITIONAL for position in auxiliaries(parse, verb))
    complement = child(parse, verb, {"acomp"})
    is_bare = complement is not None and not [below for below in parse.children[complement] if below > complement]
    return depends or (parse.lemmas[verb] == "be" and is_bare)


def _may_describe_part(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether `which` may refer to the last noun of an entity ("the father of the family, which moved")."""
    if split.kind is not SplitKind.RELATIVE or not entity or parse.tokens[min(split.removed)].lower() != "which":
        return False
    noun, last = _head(parse, entity), entity[-1]
    if last != noun:
        return parse.tags[last] in ("NN", "NNS") and is_plural(parse, last) == is_plural(parse, noun)
    above = parse.heads[noun] - 1  # "rumours of fights at the club, which"
    return parse.labels[noun] == "pobj" and parse.parts[above] == "NOUN" and parse.parts[above + 1] == "ADP"


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


def _has_main_clause(parse: Parse) -> bool:
    return any(finite_word(parse, root) is not None and subject(parse, root) is not None for root in parse.roots)


def _is_nameable(parse: Parse, entity: list[int]) -> bool:
    """Returns whether words name the same entity again.

    It is no count ("one of them"), no adverb ("only the first"), no kind ("a sort of sequel"), nor two
    names ("the Polish people, or Poles").
    """
    words = {parse.tokens[position].lower() for position in entity}
    first = parse.tokens[entity[0]].lower()
    counted = (
        parse.tags[entity[0]] == "CD"
        or first in word_set("quantifiers")
        or any(parse.tags[position] == "RB" for position in entity)
    )
    return not counted and words.isdisjoint(_VAGUE) and not _is_quoted(parse, entity)


def _agrees(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether an apposition has the number of its noun, and one of them is not a definite description. A title
    without an article ("said Ann Lee, head of sales") makes no sentence, and neither does an apposition to a report's
    speaker.
    """
    if split.kind is not SplitKind.APPOSITION or not entity:
        return True
    noun, name = _head(parse, entity), _head(parse, list(split.clause))
    absolute = any(parse.tokens[position].lower() == "being" for position in split.clause)  # "the other being"
    reports = parse.labels[noun] in SUBJECTS and parse.lemmas[parse.heads[noun]].lower() in word_set("reporting_verbs")
    if absolute or (reports and is_past(parse, parse.heads[noun])):
        return False  # "Ann Lee, the head of the bank, said": she still is its head
    repeats = parse.lemmas[noun].lower() == parse.lemmas[name].lower()
    if repeats or parse.labels[noun] == "attr" or _is_inserted(parse, noun) or _is_born(parse, noun, name):
        return False  # "Freedom is a choice, a way of life"
    if entity[-1] != noun and parse.parts[entity[-1]] in _NOUNS:
        return False  # "the lord of the house of Orbelian, a branch"
    first = parse.tokens[split.clause[0]].lower()
    if parse.parts[noun] == parse.parts[name] == "PROPN" and first not in ("a", "an", "the"):
        return False  # "Tampa, Florida's Bull"
    bare = parse.tags[name] == "NN" and child(parse, name, {"det", "poss", "nummod"}) is None
    if bare or _speaks(parse, noun):
        return False
    lasts = any(parse.tags[position] in ("JJS", "RBS") or _is_of_now(parse, position) for position in split.clause)
    if lasts and any(is_past(parse, root) for root in parse.roots):
        return False  # "named after the Nile, the longest river", "Ann Lee, the current minister, came"
    described = parse.parts[noun] == "PROPN" or first in ("a", "an")
    return described and is_plural(parse, noun) == is_plural(parse, name)


def _is_of_now(parse: Parse, position: int) -> bool:
    return parse.tokens[position].lower() in word_set("present_adverbs") | {"current"}


def _is_born(parse: Parse, noun: int, name: int) -> bool:
    """Returns whether a place stands before whose child somebody is ("was born in Rome, the son of a judge")."""
    is_place = parse.labels[noun] == "pobj" and parse.tokens[parse.heads[noun]].lower() in word_set(
        "place_prepositions"
    )
    return is_place and parse.lemmas[name].lower() in ("child", "daughter", "son")


def _is_inserted(parse: Parse, noun: int) -> bool:
    """Returns whether commas enclose the prepositional phrase of a noun ("paintings are, for Ann, a language")."""
    return parse.labels[noun] == "pobj" and parse.tokens[max(parse.heads[noun] - 1, 0)] == ","


def _speaks(parse: Parse, noun: int) -> bool:
    """Returns whether a noun is a subject after its verb (", said Ann Lee")."""
    return parse.labels[noun] in SUBJECTS and parse.heads[noun] < noun


def _is_quoted(parse: Parse, entity: list[int]) -> bool:
    """Returns whether a quotation mark is in or beside the words that name an entity."""
    around = parse.tokens[max(0, entity[0] - 1) : entity[-1] + 2]
    return any(mark_kind(token) == "quote" for token in around)


def _is_certain_participle(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a participle can only describe the noun beside it, or the subject of the only verb before it."""
    first = min(split.removed)
    if (
        (first and parse.tokens[first - 1] in _DASHES | {";"})
        or _is_heading(parse, split)
        or _leaves_participle(parse, split)
        or not _is_set_off(parse, split)
        or parse.tokens[first].lower() in ("so", "that")
        or (entity and _is_kind(parse, entity))
        or _ends_with_bare_place(parse, split)
        or _ends_list(parse, split)
        or split.kept_commas
    ):
        return False  # "rare risks -- so flying"
    if not entity or parse.tokens[first].lower() == "being":  # "being" may say why
        return not entity
    head = _head(parse, list(split.clause))
    if parse.tags[head] == "VBG" and (_goes_on(parse, parse.heads[head]) or not _is_simple(parse, parse.heads[head])):
        return False
    if parse.tags[head] == "VBN" and not auxiliaries(parse, head) and not _has_sure_time(parse, split, head):
        return False
    if parse.tags[head] == "VBG" and not split.leads and child(parse, parse.heads[head], {"auxpass"}) is not None:
        return False  # "the trees were cut, taking away its home"
    if _is_of_title(parse, split, entity):
        return _is_timed(parse, head, _head(parse, entity))
    noun = parse.labels[_head(parse, entity)]
    if noun == "attr" or _speaks(parse, _head(parse, entity)):
        return False  # "is a book of the Bible, known as"
    if parse.labels[head] == "acl":
        present = parse.tags[head] == "VBG" and noun not in SUBJECTS
        unclear = present or noun == "pobj"
        is_beside = _is_beside(parse, split, entity) and not _is_nested(parse, split, entity)
        return not unclear and (is_beside or _is_of_subject(parse, split, entity, head))
    if parse.tags[head] == "VBN" and not split.leads and child(parse, parse.heads[head], {"dobj"}) is not None:
        return False  # "they sold a car, known as Bess"
    if parse.tags[head] == "VBD" and not split.leads and child(parse, head, {"agent"}) is None:
        return False  # "they spoke to her, trawled through papers"
    subjects = [position for position in range(split.clause[0]) if parse.labels[position] in SUBJECTS]
    reported = parse.lemmas[parse.heads[head]].lower() in word_set("reporting_verbs")
    return split.leads or (len(subjects) == 1 and not reported)


def _is_of_subject(parse: Parse, split: Split, entity: list[int], head: int) -> bool:
    """Returns whether a participle at a predicate noun describes the subject, at a known time."""
    return _describes_subject(parse, split, entity) and _is_timed(parse, head, _head(parse, entity))


def _is_of_title(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a predicate noun stands for a title ("The song was written by Ann" after '"Home" is a song')."""
    return parse.labels[entity[0]] == "attr" and split.sentence[0].text == "the" and len(entity) == 1


def _is_timed(parse: Parse, head: int, noun: int) -> bool:
    """Returns whether the time of a participle at a predicate noun is known ("a school run by nuns": perhaps still)."""
    timed_words = word_set("stative_participles") | _EVENTS
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
    is_event = child(parse, head, {"agent"}) is not None or any(word.isdigit() and len(word) == 4 for word in words)
    timed_words = word_set("stative_participles") | word_set("present_adverbs") | word_set("past_adverbs") | _EVENTS
    if parse.tokens[head].lower() in ("located", "situated") and is_past(parse, parse.roots[0]):
        return False  # "the house, located there, was sold": it still is there
    if "during" in words and not all(is_past(parse, root) for root in parse.roots):
        return False  # "a player, linked with Leeds during May, has left"
    return is_event or not words.isdisjoint(timed_words) or all(is_past(parse, root) for root in parse.roots)


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
        parse.tokens[after : after + 1] == (",",)
        and parse.tags[after + 1] == "CC"
        and not _goes_on_after(parse, after + 2)
    ):
        return True  # "fun includes fishing, walking there, and the music"
    joins = any(parse.labels[position] == "conj" and parse.tags[position] == "VBG" for position in split.clause)
    follows = any(parse.labels[position] == "pcomp" and parse.tags[position] == "VBG" for position in range(first))
    return (joins and follows) or any(
        parse.labels[position] == "conj" and parse.parts[position] in _NOUNS and _follows_comma_and(parse, position)
        for position in split.clause
    )


def _follows_comma_and(parse: Parse, noun: int) -> bool:
    first = parse.subtree(noun)[0]
    return first > 1 and parse.tokens[first - 2] == "," and parse.labels[first - 1] == "cc"


def _goes_on_after(parse: Parse, first: int) -> bool:
    """Returns whether the conjunct that begins here is a finite verb."""
    joined = next((position for position in range(first, len(parse)) if parse.labels[position] == "conj"), None)
    return joined is not None and finite_word(parse, joined) is not None


def _is_simple(parse: Parse, verb: int) -> bool:
    """Returns whether a verb group is neither perfect nor modal ("they will make albums, selling them")."""
    helping = auxiliaries(parse, verb)
    return not any(parse.lemmas[position] == "have" or parse.tags[position] == "MD" for position in helping)


def _goes_on(parse: Parse, verb: int) -> bool:
    """Returns whether a verb group is progressive ("is lying there, waiting"): `waits` would be a habit."""
    stays = parse.lemmas[verb] == "be" and child(parse, verb, {"attr", "acomp"}) is None
    return stays or (parse.tags[verb] == "VBG" and bool(auxiliaries(parse, verb)))


def _is_certain_coordination(parse: Parse, split: Split) -> bool:
    """Returns whether a conjunction or semicolon joins two clauses, in tenses that go together if they share words."""
    first = min(split.removed)
    if _is_between_dashes(parse, split) or _follows_not_only(parse, split):
        return False
    if not split.dropped and parse.tokens[split.clause[0] - 1] != ";" and parse.tokens[first].lower() != "then":
        return split.clause[0] == 0 or ";" in parse.tokens[split.clause[-1] + 1 : split.clause[-1] + 2]
    begins = split.clause[0]
    if parse.tokens[begins].lower() in _LINKING:
        return False  # "she met him and together had a son", "a plan that works and that helps"
    last = max(first - 2 if parse.tokens[first - 1] == "," else first - 1, 0)
    stranded = parse.labels[last] == "prep" or parse.parts[last] == "ADP" or parse.tags[last] == "MD"  # "what they can"
    stranded = stranded or (parse.tags[last] == "CD" and parse.labels[last] == "dobj")  # "I had 6, and you had 7 cents"
    if parse.labels[begins] in ("mark", "neg") or parse.tags[begins] in ("WDT", "WP", "WP$", "WRB") or stranded:
        return False
    head = _head(parse, list(split.clause))
    copied = [token.position for token in split.sentence if token.copied and token.position is not None]
    above = parse.heads[head]
    if above == ROOT or _has_alternative(parse, above) or not _is_main(parse, above):
        return above == ROOT
    if copied and _may_be_subordinate(parse, above, first):
        return False
    if _is_unfinished(parse, above) or _joins_phrases(parse, split) or _may_be_reported(parse, above, first):
        return False
    if _is_list(parse, above) or _joins_nouns(parse, head) or _begins_with_time(parse, head):
        return False
    if not copied:
        return True
    if _may_share_auxiliary(parse, above, head) or _is_reported(parse, head):
        return False
    if parse.tags[head] == "VBD" and parse.tokens[head].lower() == parse.lemmas[head].lower():
        return False  # "flats are small and cost much": the verb may be of the present
    if parse.tags[head] == "VBP" and not _is_simple(parse, above):
        return False  # "they can send it and control it"
    if any(parse.tags[position] in FINITE for position in copied):  # auxiliaries
        return parse.tags[head] not in FINITE  # "was aired and was a part"
    return _tenses_agree(parse, above, head)


def _may_share_auxiliary(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a joined verb may need the auxiliary before it ("has raised sales but lost jobs", "was sold and
    renamed Ys").
    """
    helping = auxiliaries(parse, verb)
    is_perfect = any(parse.lemmas[position] == "have" for position in helping)
    is_named = bool(helping) and parse.lemmas[joined].lower() in word_set("naming_verbs")
    return not auxiliaries(parse, joined) and (is_perfect or is_named)


def _is_reported(parse: Parse, verb: int) -> bool:
    """Returns whether a verb says what is thought or said by anybody ("is bold and could be said that she won")."""
    return child(parse, verb, {"auxpass"}) is not None and child(parse, verb, {"ccomp"}) is not None


def _follows_not_only(parse: Parse, split: Split) -> bool:
    """Returns whether `but` belongs to `not only` ("not only was it cold, but it rained")."""
    before = [parse.tokens[position].lower() for position in range(min(split.removed))]
    negated = any(first in word_set("negations") and second in ("only", "just") for first, second in pairwise(before))
    return split.sentence[0].text == "But" and negated


def _is_between_dashes(parse: Parse, split: Split) -> bool:
    """Returns whether a clause is inside of an insertion ("he said - yes, he sang; yes, he danced - that")."""
    before, after = parse.tokens[: split.clause[0]], parse.tokens[split.clause[-1] :]
    return not _DASHES.isdisjoint(before) and not _DASHES.isdisjoint(after)


def _may_be_reported(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a clause without a comma before it may belong to a report ("I know he slept and she left")."""
    reports = any(parse.labels[position] == "ccomp" for position in range(verb, joined))
    return reports and parse.tokens[joined - 1] != ","


def _may_be_subordinate(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a clause may belong to an adverbial clause before it ("it rained as he came and sang")."""
    clauses = [place for place in parse.children[verb] if verb < place < joined and parse.labels[place] == "advcl"]
    return any(finite_word(parse, place) is not None and subject(parse, place) is not None for place in clauses)


def _is_unfinished(parse: Parse, verb: int) -> bool:
    """Returns whether a clause alone is not a statement ("if you were", "why is", "sorry", "they ran, they sang"), or
    `maybe` belongs to the next one, too.
    """
    chain = [verb]
    while parse.labels[chain[-1]] == "conj":
        chain.append(parse.heads[chain[-1]])
    below = [position for each in chain for position in parse.children[each] if position < each]
    asks = any(parse.labels[position] == "mark" or parse.tags[position] in ("WRB", "WP") for position in below)
    words = {parse.tokens[position].lower() for each in chain for position in parse.children[each]}
    reports = parse.lemmas[verb].lower() in word_set("reporting_verbs")
    spliced = not reports and any(_is_spliced(parse, position) for position in below)
    return asks or spliced or not words.isdisjoint(_OF_SEVERAL_CLAUSES)


def _is_spliced(parse: Parse, verb: int) -> bool:
    """Returns whether a comma alone joins a clause to the next one."""
    marked = child(parse, verb, {"mark"}) is not None
    joined = parse.labels[verb] == "ccomp" or (parse.labels[verb] == "advcl" and not marked)
    asks = any(parse.tags[position] in ("WRB", "WP", "WDT") for position in parse.children[verb])
    return joined and not asks and subject(parse, verb) is not None and finite_word(parse, verb) is not None


def _is_list(parse: Parse, verb: int) -> bool:
    """Returns whether a verb, or one that it is joined to, continues a list without `and` ("sank ships, left, and")."""
    joined = [position for position in parse.children[verb] if parse.labels[position] == "conj"]
    members = [*joined[:-1], *([verb] if parse.labels[verb] == "conj" else [])]
    before = [parse.subtree(position)[0] - 1 for position in members]
    return any(parse.tags[place - (parse.tokens[place] == ",")] != "CC" for place in before)


def _joins_nouns(parse: Parse, verb: int) -> bool:
    """Returns whether a conjunction follows the subject ("on trade and then a board and was its head")."""
    noun = subject(parse, verb)
    return noun is not None and child(parse, noun, {"cc"}) is not None and child(parse, noun, {"conj"}) is None


def _begins_with_time(parse: Parse, verb: int) -> bool:
    """Returns whether the parser took a time for a subject ("and this summer moved to Rome")."""
    noun = subject(parse, verb)
    first = None if noun is None else parse.subtree(noun)[0]
    return first is not None and parse.tokens[first].lower() in ("this", "last", "next")


def _joins_phrases(parse: Parse, split: Split) -> bool:
    """Returns whether `and` may join two prepositional phrases ("it rained, at sea and on land there was snow")."""
    begins, joined = split.clause[0], min(split.removed) - 1
    if parse.parts[begins] != "ADP":
        return False
    comma = max((position for position in range(joined) if parse.tokens[position] == ","), default=0)
    return comma > 0 and parse.parts[comma + 1] == "ADP"


def _is_main(parse: Parse, verb: int) -> bool:
    """Returns whether a verb is that of a main clause, or of reported speech that the sentence begins with."""
    while parse.labels[verb] == "conj" or (parse.labels[verb] == "ccomp" and verb < parse.heads[verb]):
        verb = parse.heads[verb]
    return parse.heads[verb] == ROOT


def _has_alternative(parse: Parse, verb: int) -> bool:
    """Returns whether `or` joins a verb, or the one that it is the conjunct of, to another."""
    chain = {verb, parse.heads[verb]} if parse.labels[verb] == "conj" else {verb}
    words = {parse.tokens[below].lower() for each in chain for below in parse.children[each]}
    return not words.isdisjoint({"or", "nor"})


def _tenses_agree(parse: Parse, first: int, second: int) -> bool:
    """Returns whether the tenses of two verbs of one subject agree: "was able to go and see", "is old and named so"."""
    finite = finite_word(parse, first)
    before = "" if finite is None else parse.tags[finite]
    if parse.tags[second] in ("VBP", "VBZ"):
        return before != "VBD"  # "was drafted and then spells"
    alone = child(parse, second, {"dobj", "acomp", "attr", "ccomp", "xcomp"}) is None
    transitive = parse.lemmas[second].lower() not in word_set("intransitive_verbs")
    return not (parse.tags[second] == "VBD" and before in ("VBZ", "VBP") and alone and transitive)


def _head(parse: Parse, positions: list[int]) -> int:
    """Returns the position whose head is outside of the positions."""
    return next(position for position in positions if parse.heads[position] not in positions)


def _is_apart(parse: Parse, split: Split) -> bool:
    """Returns whether a clause stands between commas or brackets, before the end, a verb or another clause."""
    first, last = min(split.removed), max(split.removed)
    after = [position for position in range(last + 1, len(parse)) if mark_kind(parse.tokens[position]) is None]
    if parse.tokens[first - 1] in _DASHES or split.kept_commas or parse.parts[first] in ("ADP", "NUM"):
        return False
    if not after:
        return True
    following = after[0]
    above = parse.heads[following]
    if parse.labels[following] == "cc":
        joined = next((position for position in after if parse.labels[position] == "conj"), following)
        is_clause = finite_word(parse, joined) is not None and _tenses_agree(parse, above, joined)
        return parse.parts[above] in _VERBS and above not in split.removed and is_clause
    return parse.tags[following] in FINITE


def _describes_subject(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause at a predicate noun describes the subject ("Ann is a rower from Rome who sings")."""
    noun = _head(parse, entity)
    predicate = child(parse, parse.heads[noun], {"attr"}) if parse.labels[noun] in SUBJECTS else None
    return predicate is not None and predicate < min(split.removed)


def _is_beside(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether only marks and words of the clause separate an entity from its clause."""
    first = min(split.removed)
    between = [position for position in range(entity[-1] + 1, first) if mark_kind(parse.tokens[position]) is None]
    return not between and entity[-1] < first


def _is_nested(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause may describe another noun above its entity ("the head of a firm, who").

    Nouns of another number than that of an apposition are no candidates ("two men from Rome, a city").
    """
    noun = _head(parse, entity)
    above = [position for position in _nouns_above(parse, noun) if position not in entity]
    if split.kind is SplitKind.APPOSITION:
        above = [position for position in above if is_plural(parse, position) == is_plural(parse, noun)]
    return bool(above)


def _nouns_above(parse: Parse, noun: int) -> Iterator[int]:
    """Yields the nouns above a noun in its phrase."""
    current = parse.heads[noun]
    while current != ROOT:
        if parse.parts[current] in _VERBS and parse.labels[current] not in ("acl", "relcl"):
            return
        if parse.parts[current] in _NOUNS:
            yield current
        current = parse.heads[current]

"""Finds certain splits: the described entity and the relation of the halves are unambiguous."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.clauses import FINITE, SUBJECTS, auxiliaries, child, finite_word, is_past, subject
from lattice_simp.systems.simplify.noun_phrase import is_plural
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

_UNCERTAIN_CONJUNCTIONS = frozenset({"as", "since", "when", "while", "so that"})
"""Conjunctions with other senses than that of the sentence opening that would replace them."""

_CONDITIONAL = frozenset({"would", "could", "might", "may"})
"""Verbs of possible consequences."""

_VAGUE = frozenset({",", "or", "sort", "kind"})
"""Words in phrases that do not name the same entity again."""

LONGEST_ENTITY = 6
"""The most words of a repeated entity; repeating a longer name would not make the text simpler."""

_DASHES = frozenset({"-", "--", "–", "—"})
_NOUNS = frozenset({"NOUN", "PROPN"})


def is_certain(parse: Parse, split: Split) -> bool:
    """Returns whether a split has only one reading."""
    conjunction = " ".join(parse.tokens[position].lower() for position in split.dropped)
    tags = {parse.tags[position] for position in split.clause}
    if (
        split.restrictive
        or ":" in (parse.tokens[min(split.removed) - 1], *parse.tokens[max(split.removed) + 1 : max(split.removed) + 2])
        or (split.kind is SplitKind.RELATIVE and parse.tokens[min(split.removed) - 1] == ";")
        or conjunction in _UNCERTAIN_CONJUNCTIONS
        or not _has_main_clause(parse)
    ):
        return False
    entity = [token.position for token in split.sentence if token.copied and token.position is not None]
    if conjunction == "before" and (parse.tokens[min(split.removed) - 1] != "," or "MD" in tags):
        return False  # "extends the time before", "lost him before", "before they can start"
    interrupted = any(parse.tokens[position + 1] == "," for position in split.dropped)
    if len(split.clause) == 1 or (interrupted and split.kind is SplitKind.RELATIVE):
        return False  # "Ann Lee (born)", "a man who, we remember, sang"
    if entity and (len(entity) > LONGEST_ENTITY or not _is_nameable(parse, entity)):
        return False
    if split.kind is SplitKind.PARTICIPLE:
        return _is_certain_participle(parse, split, entity)
    if conjunction == "where" and parse.tags[max(min(split.removed) - 2, 0)] not in ("NNP", "NNPS"):
        return False  # "an election, where"
    if split.kind in (SplitKind.RELATIVE, SplitKind.APPOSITION):
        beside = not entity or (_is_beside(parse, split, entity) and not _is_nested(parse, entity))
        clear = not _is_cleft(parse, entity) and not _may_judge(parse, split, entity)
        return clear and beside and _is_apart(parse, split) and _agrees(parse, split, entity)
    return split.kind is not SplitKind.COORDINATION or _is_certain_coordination(parse, split)


def _is_cleft(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is what `it is` stresses ("It is the state, which ...")."""
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
    if parse.labels[_head(parse, entity)] in SUBJECTS:
        return False
    verb = _head(parse, list(split.clause))
    depends = any(parse.tokens[position].lower() in _CONDITIONAL for position in auxiliaries(parse, verb))
    complement = child(parse, verb, {"acomp"})
    is_bare = complement is not None and not [below for below in parse.children[complement] if below > complement]
    return depends or (parse.lemmas[verb] == "be" and is_bare)


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
    if entity[-1] != noun and parse.parts[entity[-1]] in _NOUNS:
        return False  # "the lord of the house of Orbelian, a branch"
    first = parse.tokens[split.clause[0]].lower()
    if parse.parts[noun] == parse.parts[name] == "PROPN" and first not in ("a", "an", "the"):
        return False  # "Tampa, Florida's Bull"
    bare = parse.tags[name] == "NN" and child(parse, name, {"det", "poss", "nummod"}) is None
    speaks = parse.labels[noun] in SUBJECTS and parse.heads[noun] < noun
    if bare or speaks:
        return False
    lasts = any(parse.tags[position] in ("JJS", "RBS") for position in split.clause)
    if lasts and any(is_past(parse, root) for root in parse.roots):
        return False  # "named after the Nile, the longest river"
    described = parse.parts[noun] == "PROPN" or first in ("a", "an")
    return described and is_plural(parse, noun) == is_plural(parse, name)


def _is_quoted(parse: Parse, entity: list[int]) -> bool:
    """Returns whether a quotation mark is in or beside the words that name an entity."""
    around = parse.tokens[max(0, entity[0] - 1) : entity[-1] + 2]
    return any(mark_kind(token) == "quote" for token in around)


def _is_certain_participle(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a participle can only describe the noun beside it, or the subject of the only verb before it."""
    first = min(split.removed)
    if (
        (first and parse.tokens[first - 1] in _DASHES)
        or parse.tokens[first].lower() == "so"
        or _ends_list(parse, split)
    ):
        return False  # "rare risks -- so flying"
    if not entity or parse.tokens[first].lower() == "being":  # "being" may say why
        return not entity
    head = _head(parse, list(split.clause))
    if parse.tags[head] == "VBG" and (_goes_on(parse, parse.heads[head]) or _is_perfect(parse, parse.heads[head])):
        return False
    noun = parse.labels[_head(parse, entity)]
    if noun == "attr":
        return False  # "is a book of the Bible, known as"
    if parse.labels[head] == "acl":
        present = parse.tags[head] == "VBG" and noun not in SUBJECTS
        unclear = present or noun == "pobj"
        return not unclear and _is_beside(parse, split, entity) and not _is_nested(parse, entity)
    if parse.tags[head] == "VBN" and not split.leads and child(parse, parse.heads[head], {"dobj"}) is not None:
        return False  # "they sold a car, known as Bess"
    if parse.tags[head] == "VBD" and not split.leads and child(parse, head, {"agent"}) is None:
        return False  # "they spoke to her, trawled through papers"
    subjects = [position for position in range(split.clause[0]) if parse.labels[position] in SUBJECTS]
    reported = parse.lemmas[parse.heads[head]].lower() in word_set("reporting_verbs")
    return split.leads or (len(subjects) == 1 and not reported)


def _ends_list(parse: Parse, split: Split) -> bool:
    """Returns whether a clause contains the next member of a list ("Matte, meaning meadow, and Horn")."""
    return any(
        parse.labels[position] == "conj"
        and parse.tokens[position - 2] == ","
        and parse.labels[position - 1] == "cc"
        and parse.parts[position] in _NOUNS
        for position in split.clause
    )


def _is_perfect(parse: Parse, verb: int) -> bool:
    """Returns whether a verb group is perfect ("they have made albums, selling"), which would not mean "they sell"."""
    return any(parse.lemmas[position] == "have" for position in auxiliaries(parse, verb))


def _goes_on(parse: Parse, verb: int) -> bool:
    """Returns whether a verb group is progressive ("is lying there, waiting"): `waits` would be a habit."""
    stays = parse.lemmas[verb] == "be" and child(parse, verb, {"attr", "acomp"}) is None
    return stays or (parse.tags[verb] == "VBG" and bool(auxiliaries(parse, verb)))


def _is_certain_coordination(parse: Parse, split: Split) -> bool:
    """Returns whether a conjunction or semicolon joins two clauses, in tenses that go together if they share words."""
    first = min(split.removed)
    if not split.dropped and parse.tokens[split.clause[0] - 1] != ";" and parse.tokens[first].lower() != "then":
        return split.clause[0] == 0 or ";" in parse.tokens[split.clause[-1] + 1 : split.clause[-1] + 2]
    begins = split.clause[0]
    stranded = parse.labels[max(first - 1, 0)] == "prep" or parse.parts[max(first - 1, 0)] == "ADP"
    if parse.labels[begins] in ("mark", "neg") or parse.tags[begins] in ("WDT", "WP", "WP$", "WRB") or stranded:
        return False
    head = _head(parse, list(split.clause))
    copied = [token.position for token in split.sentence if token.copied and token.position is not None]
    above = parse.heads[head]
    if above == ROOT or _has_alternative(parse, above) or not _is_main(parse, above):
        return above == ROOT
    if _is_unfinished(parse, above):
        return False
    if not copied:
        return True
    if _is_list(parse, above):
        return False
    if any(parse.tags[position] in FINITE for position in copied):  # auxiliaries
        return parse.tags[head] not in FINITE  # "was aired and was a part"
    return _tenses_agree(parse, above, head)


def _is_unfinished(parse: Parse, verb: int) -> bool:
    """Returns whether a clause alone is not a statement ("if you were", "why is", "sorry", "they ran, they sang")."""
    chain = [verb]
    while parse.labels[chain[-1]] == "conj":
        chain.append(parse.heads[chain[-1]])
    below = [position for each in chain for position in parse.children[each] if position < each]
    asks = any(parse.labels[position] == "mark" or parse.tags[position] in ("WRB", "WP") for position in below)
    apologises = any(parse.tokens[position].lower() == "sorry" for each in chain for position in parse.children[each])
    reports = parse.lemmas[verb].lower() in word_set("reporting_verbs")
    spliced = not reports and any(_is_spliced(parse, position) for position in below)
    return asks or apologises or spliced


def _is_spliced(parse: Parse, verb: int) -> bool:
    """Returns whether a comma alone joins a clause to the next one."""
    marked = child(parse, verb, {"mark"}) is not None
    joined = parse.labels[verb] == "ccomp" or (parse.labels[verb] == "advcl" and not marked)
    asks = any(parse.tags[position] in ("WRB", "WP", "WDT") for position in parse.children[verb])
    return joined and not asks and subject(parse, verb) is not None and finite_word(parse, verb) is not None


def _is_list(parse: Parse, verb: int) -> bool:
    """Returns whether a verb continues a list without `and` ("sank ships, left men homeless, and ...")."""
    return parse.labels[verb] == "conj" and child(parse, parse.heads[verb], {"cc"}) is None


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
    joins = parse.labels[following] == "cc" and parse.parts[above] in ("VERB", "AUX") and above not in split.removed
    return joins or parse.tags[following] in FINITE


def _is_beside(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether only marks and words of the clause separate an entity from its clause."""
    first = min(split.removed)
    between = [position for position in range(entity[-1] + 1, first) if mark_kind(parse.tokens[position]) is None]
    return not between and entity[-1] < first


def _is_nested(parse: Parse, entity: list[int]) -> bool:
    """Returns whether an entity is the last of several nouns that a clause may describe ("the head of a firm, who")."""
    return any(position not in entity for position in _nouns_above(parse, _head(parse, entity)))


def _nouns_above(parse: Parse, noun: int) -> Iterator[int]:
    """Yields the nouns above a noun in its phrase."""
    current = parse.heads[noun]
    while current != ROOT:
        if parse.parts[current] in ("VERB", "AUX") and parse.labels[current] not in ("acl", "relcl"):
            return
        if parse.parts[current] in _NOUNS:
            yield current
        current = parse.heads[current]

"""Relative clauses: the antecedent replaces the relative pronoun."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.clauses import (
    auxiliaries,
    child,
    finite_word,
    pairs,
    relative_word,
    subject,
    verb_number,
)
from lattice_simp.systems.simplify.constructions.clause import (
    clause_span,
    ends_sentence,
    finite_governor,
    follows_comma,
    inserted,
    plain,
)
from lattice_simp.systems.simplify.noun_phrase import is_plural, mention, short_mention
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse

LONGEST = 4
"""The most words of an entity that is repeated whole, if its noun alone can name it."""

_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_INDEFINITE = frozenset({"a", "an"})
_NAMED = frozenset({"NNP", "NN", "PRP"})


def relative_clauses(parse: Parse) -> Iterator[Split]:
    """Yields the relative clauses that have a relative word and a finite verb."""
    for head, label in enumerate(parse.labels):
        if label not in ("relcl", "advcl") or parse.heads[head] == ROOT or finite_word(parse, head) is None:
            continue
        word = relative_word(parse, head)
        span = clause_span(parse, head)
        if word is None or word not in span:
            continue
        noun = _antecedent(parse, head, word) if label == "relcl" else None
        if _is_about_statement(parse, head, noun, span):
            sentence = (*inserted("this"), *plain(parse, span[1:]))
            yield from _clauses(parse, head, parse.heads[head], sentence, restrictive=False)
            continue
        if noun is None:
            continue
        described = described_subject(parse, noun, span[0]) if parse.labels[word] in _SUBJECT else None
        if described is not None:
            entity = mention(parse, described)
            yield from _clauses(parse, head, noun, _realised(parse, head, word, span, entity), restrictive=False)
            continue
        restrictive = not follows_comma(parse, span)
        whole = any(parse.labels[child] == "conj" and child < head for child in parse.children[noun])
        entity = mention(parse, noun, head, whole=whole, definite=restrictive)
        if len(entity) > LONGEST and not restrictive:
            entity = short_mention(parse, noun)
        elif entity and not restrictive and _is_kind(parse, noun):
            entity = (*inserted("these"), *entity)
        yield from _clauses(parse, head, noun, _realised(parse, head, word, span, entity), restrictive=restrictive)


def may_judge(parse: Parse, verb: int, noun: int) -> bool:
    """Returns whether the verb of a clause with `which` may refer to the whole statement before it, not to a noun
    ("which is great", "which would help").
    """
    if parse.labels[noun] in _SUBJECT:
        return False
    if _tells_why(parse, verb):
        return True
    is_time = parse.lemmas[noun].lower() in word_set("times")  # "in the last minute, which shook the others"
    depends = any(parse.tokens[position].lower() in word_group("consequences") for position in auxiliaries(parse, verb))
    complement = child(parse, verb, {"acomp"})
    is_bare = complement is not None and not [below for below in parse.children[complement] if below > complement]
    return is_time or _judges(parse, verb) or depends or (parse.lemmas[verb] == "be" and is_bare)


def _judges(parse: Parse, verb: int) -> bool:
    """Returns whether a clause judges a statement, or tells its result ("which makes them see well")."""
    if any(parse.tokens[position].lower() in word_set("judging_words") for position in clause_span(parse, verb)):
        return True
    return parse.lemmas[verb].lower() in word_set("resulting_verbs") and child(parse, verb, {"auxpass"}) is None


def _is_about_statement(parse: Parse, verb: int, noun: int | None, span: tuple[int, ...]) -> bool:
    """Returns whether a final clause with `which` as its subject refers to the main statement, so that `this` can take
    its place.

    Its singular verb may say so ("the rules changed, which makes it hard"), or its meaning.
    """
    is_final = ends_sentence(parse, span) and follows_comma(parse, span)
    is_subject = parse.tokens[span[0]].lower() == "which" and subject(parse, verb) == span[0]
    statement = finite_governor(parse, verb)
    if not (is_final and is_subject) or statement is None or parse.heads[statement] != ROOT:
        return False
    plural = verb_number(parse, verb)
    if _tells_why(parse, verb):
        return True
    if _leads_somewhere(parse, verb) or plural or word_group("conditions") & {token.lower() for token in parse.tokens}:
        return False
    above: int = parse.heads[verb]
    if above and parse.tokens[above][:1].isupper() and parse.parts[above] != "PROPN":
        return False  # a title: "he sang What I Do, which was sold"
    if parse.parts[above] in ("VERB", "AUX"):  # "she sang a song, which was sold" is about the song
        return child(parse, verb, {"auxpass"}) is None or _judges(parse, verb)
    if noun is None:
        return (
            plural is False
            and parse.parts[above] != "NUM"
            and is_plural(parse, above)
            and is_plural(parse, span[0] - 2)
        )
    complement = child(parse, verb, {"acomp"})
    is_judged = complement is not None and parse.lemmas[complement].lower() in word_set("judging_adjectives")
    return parse.parts[noun] == "NOUN" and (is_judged or _judges(parse, verb)) and not _is_stressed(parse, statement)


def _tells_why(parse: Parse, verb: int) -> bool:
    """Returns whether a clause tells what follows from a statement ("which is why it was sold")."""
    return parse.lemmas[verb] == "be" and any(
        token.lower() in ("why", "how") for token in parse.tokens[verb + 1 : verb + 2]
    )


def _leads_somewhere(parse: Parse, verb: int) -> bool:
    """Returns whether a verb may say where a way leads ("a hall, which leads to the garden"), not to what a deed does
    ("which leads to protests").
    """
    to = next((below for below in parse.children[verb] if parse.tokens[below].lower() == "to"), None)
    place = None if to is None else child(parse, to, {"pobj"})
    if parse.lemmas[verb].lower() != "lead" or place is None:
        return False
    first = parse.tokens[parse.subtree(place)[0]].lower()
    return parse.parts[place] == "PROPN" or first in word_group("definite")


def _is_stressed(parse: Parse, verb: int) -> bool:
    """Returns whether `it is` stresses a noun ("it is not just the machine, which makes the base")."""
    noun = subject(parse, verb)
    return parse.lemmas[verb] == "be" and noun is not None and parse.tokens[noun].lower() == "it"


def _is_kind(parse: Parse, noun: int) -> bool:
    """Returns whether a plural without a determiner would name a kind when repeated ("houses")."""
    below = child(parse, noun, {"det", "poss", "nummod", "conj", "compound"})
    return parse.tags[noun] == "NNS" and below is None and parse.labels[noun] not in _SUBJECT


def _clauses(parse: Parse, head: int, noun: int, sentence: tuple[Token, ...], *, restrictive: bool) -> Iterator[Split]:
    """Yields the clause of a new sentence; none for an empty one."""
    if sentence:
        span, kept = clause_span(parse, head), {token.position for token in sentence if not token.copied}
        dropped = tuple(position for position in span if position not in kept)
        clause = tuple(position for position in span if position in kept)
        yield Split(SplitKind.RELATIVE, clause, dropped, sentence, restrictive=restrictive, head=head, governor=noun)


def described_subject(parse: Parse, noun: int, first: int) -> int | None:
    """Returns the subject that a predicate noun describes, so that a clause that begins at `first` describes both.

    "Ann is a rower from Rome who sings" says that Ann sings; "Ann is a woman" would say nothing without the clause.
    """
    verb, below = parse.heads[noun], parse.children[noun]
    if parse.labels[noun] != "attr" or parse.lemmas[verb] != "be" or parse.heads[verb] != ROOT:
        return None
    between = [position for position in range(noun + 1, first) if parse.parts[position] not in ("PROPN", "PUNCT")]
    is_indefinite = any(parse.tokens[position].lower() in _INDEFINITE for position in below)
    is_described = any(parse.labels[position] in ("amod", "compound", "prep") for position in below)
    is_plain = all(parse.labels[position] == "prep" for position in between)
    if not (is_plain and is_indefinite and is_described) or child(parse, verb, {"neg", "aux"}) is not None:
        return None
    main_subject = subject(parse, verb)
    if main_subject is None or parse.tokens[parse.subtree(main_subject)[0]].lower() in _INDEFINITE:
        return None  # "a ship is a large vessel that": any ship
    return main_subject if parse.tags[main_subject] in _NAMED else None


def _antecedent(parse: Parse, clause: int, word: int) -> int | None:
    """Returns the noun above a clause that agrees with its verb; parsers sometimes attach clauses too low."""
    noun: int = parse.heads[clause]
    if parse.tokens[noun].lower() in word_set("months") and parse.labels[noun] == "pobj":
        return None  # "he left in May, which was good"
    above = parse.heads[noun]
    is_person = parse.tokens[word].lower() in ("who", "whom") and parse.labels[noun] == "pobj"
    if is_person and parse.tokens[above].lower() in word_set("place_prepositions"):
        noun = parse.heads[above]  # "a player from Wales, who"
        if noun == ROOT or parse.parts[noun] not in ("NOUN", "PROPN"):
            return None
    if parse.labels[word] not in _SUBJECT:
        return noun
    plural = verb_number(parse, parse.heads[word])
    while plural is not None and is_plural(parse, noun) != plural:
        above = parse.heads[noun]
        if plural and parse.labels[noun] == "conj" and above != ROOT:
            return above if parse.parts[above] in ("NOUN", "PROPN") else None
        if above == ROOT or parse.labels[noun] != "pobj" or parse.labels[above] != "prep":
            return None
        noun = parse.heads[above]
        if noun == ROOT or parse.parts[noun] not in ("NOUN", "PROPN", "NUM"):
            return None
    between = any(parse.labels[child] == "conj" and child < clause for child in parse.children[noun])
    return None if between and not plural else noun


def _realised(
    parse: Parse, head: int, word: int, span: tuple[int, ...], entity: tuple[Token, ...]
) -> tuple[Token, ...]:
    """Returns the clause as a sentence; empty if the place of its gap is uncertain."""
    label, governor = parse.labels[word], parse.heads[word]
    rest = [position for position in span if position != word]
    if not entity:
        return ()
    if label in _SUBJECT and finite_word(parse, governor) is not None:
        first = min(position for position in parse.subtree(governor) if position != word)
        return _filled(parse, span, word, entity) if governor == head else _after(parse, rest, first - 1, entity)
    if label == "poss":
        fits = parse.labels[governor] in _SUBJECT and span[0] == word
        return _filled(parse, span, word, (*entity, *_possessive(entity))) if fits else ()
    if label == "advmod" and parse.tokens[word].lower() in pairs("relative_adverbs"):
        return _with_adverb(parse, head, word, rest)
    shares = child(parse, head, {"conj"}) is not None  # "which they enjoy and interest them"
    if label == "dobj" and span[0] == word and subject(parse, head) is not None and not shares:
        stranded = rest[-1] if parse.labels[rest[-1]] == "prep" else _end_of_verb(parse, governor)
        return _after(parse, rest, stranded, entity)
    if label == "pobj":
        return _with_preposition(parse, head, word, span, entity)
    return ()


def _filled(parse: Parse, span: tuple[int, ...], word: int, entity: tuple[Token, ...]) -> tuple[Token, ...]:
    parts = (entity if position == word else plain(parse, [position]) for position in span)
    return tuple(token for part in parts for token in part)


def _possessive(entity: tuple[Token, ...]) -> tuple[Token, ...]:
    return inserted("'" if entity[-1].text.endswith("s") else "'s")


def _with_adverb(parse: Parse, head: int, word: int, rest: list[int]) -> tuple[Token, ...]:
    clause_subject = subject(parse, head)
    if parse.labels[parse.heads[head]] == "attr":
        return ()
    if (
        clause_subject is None
        or parse.labels[clause_subject] == "expl"
        or parse.heads[word] != head
        or (rest and rest[0] < word)
    ):
        return ()
    return (*inserted(pairs("relative_adverbs")[parse.tokens[word].lower()]), *plain(parse, rest))


def _after(parse: Parse, rest: list[int], place: int, entity: tuple[Token, ...]) -> tuple[Token, ...]:
    before = [position for position in rest if position <= place]
    return (*plain(parse, before), *entity, *plain(parse, rest[len(before) :]))


def _end_of_verb(parse: Parse, verb: int) -> int:
    particles = [child for child in parse.children[verb] if parse.labels[child] == "prt" and child == verb + 1]
    return particles[0] if particles else verb


def _with_preposition(
    parse: Parse, head: int, word: int, span: tuple[int, ...], entity: tuple[Token, ...]
) -> tuple[Token, ...]:
    """Moves a fronted prepositional phrase to the end; fills other gaps of prepositions in place."""
    preposition = parse.heads[word]
    rest = [position for position in span if position != word]
    if parse.parts[preposition] in ("VERB", "AUX"):
        return ()  # a wrong parse: "which he is passing through"
    if preposition > word:
        return _after(parse, rest, preposition, entity)
    if parse.heads[preposition] == head and span[0] == preposition and parse.parts[head] in ("VERB", "AUX"):
        rest = [position for position in rest if position != preposition]
        clause_subject = subject(parse, head)
        if clause_subject is None or parse.labels[clause_subject] == "expl" or rest[0] > clause_subject:
            return ()
        return (*plain(parse, rest), *plain(parse, [preposition]), *entity)
    clause_subject = subject(parse, head)
    if (
        clause_subject is not None
        and parse.labels[clause_subject] in _SUBJECT
        and word in parse.subtree(clause_subject)
    ):
        is_both = parse.tokens[span[0]].lower() == "both"  # not "both of the two men"
        return _filled(parse, span, word, inserted("them") if is_both else entity)
    return ()

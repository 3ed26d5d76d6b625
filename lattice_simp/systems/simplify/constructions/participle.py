"""Participial clauses: "Born in Rome, she moved", "a town, known as Ys, sank", "he left, closing the door"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.clauses import auxiliaries, child, is_past, main_subject, subject
from lattice_simp.systems.simplify.constructions.clause import (
    clause_span,
    ends_sentence,
    finite_governor,
    follows_comma,
    inserted,
    plain,
)
from lattice_simp.systems.simplify.constructions.relative import described_subject
from lattice_simp.systems.simplify.inflection import be_form, finite_form, inflected
from lattice_simp.systems.simplify.noun_phrase import is_plural, mention
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

_PARTICIPLES = frozenset({"VBN", "VBG"})
_OPENERS = frozenset({"mark", "cc"})


def participial_clauses(parse: Parse) -> Iterator[Split]:
    """Yields participial clauses without a conjunction, at nouns and at main verbs."""
    for head, label in enumerate(parse.labels):
        if label not in ("acl", "advcl") or parse.heads[head] == ROOT or not _is_bare(parse, head):
            continue
        span, verb = clause_span(parse, head), finite_governor(parse, head)
        if not span or verb is None:
            continue
        fronted = span[0] == 0 or parse.labels[span[0] - 1] == "cc"
        described = described_subject(parse, parse.heads[head], span[0]) if label == "acl" else None
        if described is not None and parse.tags[head] == "VBN":
            yield from _of_subject(parse, head, verb, span, described)
            continue
        restrictive = not fronted and not follows_comma(parse, span)
        if restrictive and (label == "advcl" or parse.labels[parse.heads[head]] == "conj" or auxiliaries(parse, head)):
            continue
        sentence = _realised(parse, head, verb, span)
        if sentence:
            governor = verb if label == "advcl" else parse.heads[head]
            yield _split(span, sentence, head, governor, leads=fronted, restrictive=restrictive)


def _split(
    span: tuple[int, ...],
    sentence: tuple[Token, ...],
    head: int,
    governor: int,
    *,
    leads: bool = False,
    restrictive: bool = False,
) -> Split:
    return Split(SplitKind.PARTICIPLE, span, (), sentence, leads, restrictive=restrictive, head=head, governor=governor)


def _of_subject(parse: Parse, head: int, verb: int, span: tuple[int, ...], noun: int) -> Iterator[Split]:
    """Yields the clause at a predicate noun as a sentence about the subject ("Ys is a small town known for salt")."""
    if not ends_sentence(parse, span) or parse.tokens[head + 1].lower() == "to":
        return
    entity, whole = mention(parse, noun), parse.subtree(noun)
    if any(mark_kind(token) == "quote" for token in parse.tokens[max(whole[0] - 1, 0) : whole[-1] + 2]):
        predicate = parse.heads[head]
        entity = (Token("the"), Token(parse.tokens[predicate], predicate, copied=True))  # of a title
    elif not entity or entity[0].position != whole[0]:
        return  # "Goa" of "Cultural Centre, Goa"
    sentence = _finite(parse, head, span, is_past(parse, verb), _has_plural_verb(parse, verb))
    if sentence and entity[0].text.lower() not in ("i", "you"):
        yield _split(span, (*entity, *sentence), head, parse.heads[head])


def _has_plural_verb(parse: Parse, verb: int) -> bool:
    """Returns whether a form of `be` is plural, also that of a plural name ("Hill and Ford is a firm")."""
    return parse.tokens[verb].lower() in ("are", "were")


def _is_bare(parse: Parse, head: int) -> bool:
    """Returns whether a participle has no subject and no conjunction, and is not used as a preposition."""
    first = min([head, *auxiliaries(parse, head)])
    if parse.tags[first] not in _PARTICIPLES or subject(parse, head) is not None:
        return False
    if child(parse, head, _OPENERS) is not None and min(parse.subtree(head)) < first:
        return False
    if parse.tokens[head].lower() == "meaning" and child(parse, head, {"ccomp"}) is None:
        return False  # "prints, meaning those of hands": a sense of words
    opens = parse.subtree(head)[0]
    is_adverb = parse.labels[opens] in ("advmod", "neg") and parse.tags[opens] in ("RB", "RBS")
    is_adverb = is_adverb and parse.tokens[opens].lower() != "once"  # "once born"
    marked = opens != first and not is_adverb and parse.labels[opens] != "punct"
    joined = any(
        parse.labels[dependent] == "ccomp" and subject(parse, dependent) is not None
        for dependent in parse.children[head]
    )
    if joined and not reports(parse, head):
        return False  # two sentences that the parser joined here
    return not marked and parse.tokens[head].lower() not in word_set("participle_prepositions")


def reports(parse: Parse, verb: int) -> bool:
    """Returns whether a verb reports a statement with `that` ("he left, saying that it was cold")."""
    statement = child(parse, verb, {"ccomp"})
    mark = None if statement is None else child(parse, statement, {"mark"})
    is_reported = mark is not None and parse.tokens[mark].lower() == "that"
    return is_reported and parse.lemmas[verb].lower() in word_set("reporting_verbs")


def _realised(parse: Parse, head: int, verb: int, span: tuple[int, ...]) -> tuple[Token, ...]:
    tells_event = _tells_event(parse, head)
    if tells_event and parse.tags[head] == "VBG" and ends_sentence(parse, span) and follows_comma(parse, span):
        clause = _finite(parse, head, span, is_past(parse, verb), plural=False)
        return (*inserted("this"), *clause) if clause else ()
    noun = parse.heads[head] if parse.labels[head] == "acl" else main_subject(parse, head)
    if noun is None or parse.labels[noun] == "expl" or tells_event or _tells_of_subject(parse, head, span):
        return ()
    definite = parse.labels[head] == "acl" and not follows_comma(parse, span)
    entity = mention(parse, noun, head, whole=parse.labels[head] == "advcl", definite=definite)
    if not entity:
        return ()
    past, plural = is_past(parse, verb), is_plural(parse, noun)
    clause = _finite(parse, head, span, past, plural)
    return (*entity, *clause) if clause and entity[0].text.lower() not in ("i", "you") else ()


def _tells_event(parse: Parse, head: int) -> bool:
    """Returns whether a participle tells what the main clause brings about ("he left, making her sad")."""
    if parse.tokens[head].lower() not in word_set("event_participles"):
        return False
    completed = child(parse, head, {"ccomp", "xcomp", "oprd", "acomp"}) is not None
    if parse.lemmas[head] == "bring":
        return any(parse.tags[position] == "CD" for position in parse.subtree(head))  # "bringing the loss to ten cents"
    return completed or parse.lemmas[head] != "make"  # "making six tables"


def _forms_of_conjuncts(parse: Parse, head: int, past: bool, plural: bool) -> dict[int, str] | None:
    """Returns finite forms of the coordinated present participles; None if past and present ones are mixed."""
    forms: dict[int, str] = {}
    pending = [head]
    while pending:
        current = pending.pop()
        for conjunct in parse.children[current]:
            if (
                parse.labels[conjunct] != "conj"
                or parse.tags[conjunct] not in _PARTICIPLES
                or subject(parse, conjunct) is not None
            ):
                continue
            pending.append(conjunct)
            if parse.tags[conjunct] == "VBG" and not auxiliaries(parse, conjunct):
                forms[conjunct] = finite_form(
                    parse.tokens[conjunct].lower(), parse.lemmas[conjunct].lower(), past, plural
                )
            elif parse.tags[conjunct] != parse.tags[head]:
                return None
    return forms


def _tells_of_subject(parse: Parse, head: int, span: tuple[int, ...]) -> bool:
    """Returns whether a clause attached to an object may describe the subject ("he met Ann, ending his trip")."""
    if parse.labels[head] != "acl" or parse.tags[head] != "VBG" or not follows_comma(parse, span):
        return False
    at_object = parse.labels[parse.heads[head]] not in ("nsubj", "nsubjpass")
    return at_object and any(parse.tags[position] in ("PRP$", "PRP") for position in span)


def _with_date(parse: Parse, head: int, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Inserts a preposition before a date that follows `born` ("born May 5, 1980")."""
    first, second = (*parse.tokens[head + 1 : head + 3], "", "")[:2]
    is_year, is_day = first.isdigit() and len(first) == 4, first.isdigit() and len(first) < 3
    months = word_set("months")
    is_month = first.lower() in months and second[:1].isdigit()
    if parse.tokens[head].lower() != "born" or not (is_year or is_month or (is_day and second.lower() in months)):
        return tokens
    word = "in" if is_year or (len(second) == 4 and second.isdigit()) else "on"
    place = next(index for index, token in enumerate(tokens) if token.position == head) + 1
    return (*tokens[:place], *inserted(word), *tokens[place:])


def _finite(parse: Parse, head: int, span: tuple[int, ...], past: bool, plural: bool) -> tuple[Token, ...]:
    """Returns the clause with a finite verb: `be` before a past participle, an inflected form of a present one."""
    first = min([head, *auxiliaries(parse, head)])
    forms = _forms_of_conjuncts(parse, head, past, plural)
    if forms is None or (parse.tags[first] == "VBG" and first > 0 and parse.tokens[first - 1].lower() == "not"):
        return ()  # "not having a car": a finite verb would need `do`
    tokens = tuple(
        replace(token, text=forms.get(position, token.text))
        for position, token in zip(span, plain(parse, span), strict=True)
    )
    if parse.tags[first] == "VBN" and not _is_active(parse, head):
        stative = parse.tokens[head].lower() in word_set("stative_participles")
        words = {parse.tokens[position].lower() for position in span}
        lasts = stative or not words.isdisjoint(word_set("present_adverbs"))
        past = past or not words.isdisjoint(word_set("past_adverbs"))
        return (*inserted(be_form(past or not lasts, plural)), *_with_date(parse, head, tokens))
    lemma = parse.lemmas[first].lower()
    is_past = parse.tags[first] == "VBN"
    form = inflected(lemma, "VBD") if is_past else finite_form(parse.tokens[first].lower(), lemma, past, plural)
    return tuple(Token(form, first) if token.position == first else token for token in tokens)


def _is_active(parse: Parse, verb: int) -> bool:
    """Returns whether a past participle with a particle has no passive ("started out as")."""
    particles = [parse.tokens[below].lower() for below in parse.children[verb] if parse.labels[below] == "prt"]
    return any(f"{parse.lemmas[verb]} {particle}" in word_set("intransitive_verbs") for particle in particles)

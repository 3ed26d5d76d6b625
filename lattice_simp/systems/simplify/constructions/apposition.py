"""Appositions: "Anna, a painter, left" becomes "Anna was a painter" and "Anna left"."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.clauses import is_past, pairs
from lattice_simp.systems.simplify.constructions.clause import (
    clause_span,
    finite_governor,
    follows_comma,
    inserted,
    plain,
)
from lattice_simp.systems.simplify.inflection import be_form
from lattice_simp.systems.simplify.noun_phrase import is_plural, mention
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

_NOUNS = frozenset({"NN", "NNS"})
_NO_START = frozenset({"RB", "FW", "IN", "UH", "CC"})
"""Tags of words that introduce examples and restrictions: e.g., especially."""
_DETERMINERS = frozenset({"det", "poss"})


def appositions(parse: Parse) -> Iterator[Split]:
    """Yields appositions with punctuation on both sides that describe an entity."""
    for head, label in enumerate(parse.labels):
        noun = parse.heads[head]
        if label != "appos" or noun == ROOT or noun > head or not _describes(parse, head, noun):
            continue
        span, verb = clause_span(parse, head), finite_governor(parse, head)
        if not span or verb is None or not follows_comma(parse, span) or parse.tags[span[0]] in _NO_START:
            continue
        after = span[-1] + 1
        if after < len(parse) and mark_kind(parse.tokens[after]) not in ("comma", "stop"):
            continue
        entity = mention(parse, noun, head, whole=False)
        if entity:
            speaks = is_speaker(parse, noun)
            form = be_form(is_past(parse, verb) and not speaks, is_plural(parse, noun))
            article = _missing_article(parse, head) if speaks else ""
            sentence = (*entity, *inserted(f"{form} {article}"), *plain(parse, span))
            leads = speaks and noun < verb
            yield Split(SplitKind.APPOSITION, span, (), sentence, leads=leads, head=head, governor=noun)


def is_speaker(parse: Parse, noun: int) -> bool:
    """Returns whether a noun is the subject of a report, whose speaker still is what an apposition says."""
    verb = parse.heads[noun]
    return verb != ROOT and parse.labels[noun] == "nsubj" and parse.lemmas[verb].lower() in word_set("reporting_verbs")


def _missing_article(parse: Parse, noun: int) -> str:
    """Returns the article that a role needs in a sentence ("head of sales": the)."""
    below = parse.children[noun]
    if any(parse.labels[position] in _DETERMINERS | {"nummod"} for position in below):
        return ""
    before = {parse.tokens[position].lower() for position in below if position < noun}
    return "a" if before & word_set("shared_roles") else pairs("roles").get(parse.lemmas[noun].lower(), "")


def _describes(parse: Parse, head: int, noun: int) -> bool:
    """Returns whether `noun is head` makes sense: not in a list, not a place within a place, not a number."""
    labels = {parse.labels[child] for child in parse.children[head]}
    beside = {parse.labels[child] for child in parse.children[noun] if child < head}
    if "conj" in labels or "conj" in beside or parse.labels[noun] in ("conj", "compound"):
        return False
    if any(parse.labels[child] in ("conj", "cc") for child in parse.children[noun]):
        return False
    inner = [child for child in parse.children[head] if parse.labels[child] == "appos"]
    if any(parse.labels[below] == "conj" for child in inner for below in parse.subtree(child)):
        return False  # "a lawyer, a teacher, a judge and a poet"
    if parse.tags[head] not in _NOUNS and not labels & _DETERMINERS:
        return False
    bare = parse.tags[head] == "NN" and not labels & _DETERMINERS and "prep" not in labels
    return not bare and parse.parts[noun] in ("NOUN", "PROPN") and is_plural(parse, head) <= is_plural(parse, noun)

"""Subjects, relative pronouns, tenses and agreement of clauses, read off a dependency tree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.support.tables import grammar_table
from lattice_simp.text.english.parse import ROOT, Parse

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
AUXILIARIES = frozenset({"aux", "auxpass"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_RELATIVE_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})


@cache
def pairs(name: str) -> dict[str, str]:
    """Returns a table of `grammars/english/` with two columns as a dictionary."""
    return {row["word"]: row["form"] for row in grammar_table(f"english/{name}.tsv", ("word", "form"))}


def child(parse: Parse, position: int, labels: frozenset[str] | set[str]) -> int | None:
    """Returns the first dependent that has one of these labels."""
    return next((dependent for dependent in parse.children[position] if parse.labels[dependent] in labels), None)


def subject(parse: Parse, verb: int) -> int | None:
    """Returns the subject of a verb; an expletive only if there is no real subject."""
    real = child(parse, verb, SUBJECTS - {"expl"})
    return child(parse, verb, {"expl"}) if real is None else real


def auxiliaries(parse: Parse, verb: int) -> tuple[int, ...]:
    """Returns the auxiliary verbs of a verb."""
    return tuple(dependent for dependent in parse.children[verb] if parse.labels[dependent] in AUXILIARIES)


def finite_word(parse: Parse, verb: int) -> int | None:
    """Returns the word of a verb group that carries tense; None for infinitives and participles."""
    group = sorted((*auxiliaries(parse, verb), verb))
    return next((position for position in group if parse.tags[position] in FINITE), None)


def is_past(parse: Parse, verb: int) -> bool:
    """Returns whether a verb group is in the past; groups without a finite verb count as past."""
    finite = finite_word(parse, verb)
    if finite is None:
        return True
    return parse.tags[finite] == "VBD" or parse.tokens[finite].lower() in word_group("past_modals")


def verb_number(parse: Parse, verb: int) -> bool | None:
    """Returns whether the finite form of a verb group is plural; None if its form is ambiguous."""
    finite = finite_word(parse, verb)
    if finite is None:
        return None
    text, tag = parse.tokens[finite].lower(), parse.tags[finite]
    if text in word_group("singular_forms") or tag == "VBZ":
        return False
    return True if text in word_group("plural_forms") or tag == "VBP" else None


def relative_word(parse: Parse, clause: int) -> int | None:
    """Returns the relative pronoun or adverb of a relative clause.

    >>> parse = Parse(("men", "who", "sing"), (-1, 2, 0), ("ROOT", "nsubj", "relcl"), ("NOUN", "PRON", "VERB"),
    ...               ("NNS", "WP", "VBP"), ("man", "who", "sing"))
    >>> relative_word(parse, 2)
    1
    """
    for position in parse.subtree(clause):
        if position >= clause:
            return None
        is_that = parse.tokens[position].lower() == "that" and parse.labels[position] in ("nsubj", "nsubjpass", "dobj")
        if parse.tags[position] in _RELATIVE_TAGS or is_that:
            return position
    return None


def main_subject(parse: Parse, verb: int) -> int | None:
    """Returns the subject that a verb shares with its coordination, its main clause or its noun.

    Returns None if the verb has a subject or a relative pronoun, or is a complement.
    """
    label, head = parse.labels[verb], parse.heads[verb]
    if head == ROOT or subject(parse, verb) is not None:
        return None
    if label == "acl":
        return head if parse.tags[verb] in ("VBN", "VBG") else None
    if label in ("conj", "advcl", "xcomp"):
        above = subject(parse, head)
        return above if above is not None else main_subject(parse, head)
    return None


def repaired(parse: Parse) -> Parse:
    """Corrects frequent parser errors in coordinations.

    A past tense without a subject becomes a participle, and a participle with one becomes a past tense. Finite
    conjuncts of infinitives move to the finite verb above that they agree with ("ordered that she should rest
    and sent her home"). A transitive verb without an object that is joined to a passive becomes a participle
    ("was born in Rome and raised in Paris").
    """
    return _with_finite_conjuncts(_with_verb_forms(parse))


def _with_verb_forms(parse: Parse) -> Parse:
    """Corrects the tags of verbs whose past tense and participle look alike."""
    tags = tuple(_verb_form(parse, position) for position in range(len(parse)))
    return parse if tags == parse.tags else replace(parse, tags=tags)


def _verb_form(parse: Parse, position: int) -> str:
    tag, label, head = parse.tags[position], parse.labels[position], parse.heads[position]
    if tag not in ("VBD", "VBN") or auxiliaries(parse, position):
        return tag
    verb_subject = subject(parse, position)
    if tag == "VBN":
        finite_head = label == "conj" and parse.tags[head] == "VBD" and not auxiliaries(parse, head)
        return "VBD" if (verb_subject is not None and label in ("conj", "ROOT", "relcl")) or finite_head else tag
    if verb_subject is None and label in ("advcl", "acl"):
        return "VBN"
    passive = label == "conj" and child(parse, head, {"auxpass"}) is not None
    alone = verb_subject is None and child(parse, position, {"dobj", "ccomp", "xcomp"}) is None
    return "VBN" if passive and alone and parse.lemmas[position] not in word_set("intransitive_verbs") else tag


def _with_finite_conjuncts(parse: Parse) -> Parse:
    heads = list(parse.heads)
    for position, label in enumerate(parse.labels):
        lacks_subject = label == "conj" and parse.tags[position] in FINITE and subject(parse, position) is None
        if not lacks_subject or parse.tags[parse.heads[position]] == parse.tags[position]:
            continue
        below = parse.heads[position]
        if _has_tense(parse, below, parse.tags[position]):
            continue
        above: int = parse.heads[below]
        while above != ROOT and parse.tags[above] != parse.tags[position]:
            above = parse.heads[above]
        if above != ROOT:
            joining = [dependent for dependent in parse.children[below] if parse.labels[dependent] in ("cc", "punct")]
            for dependent in (
                position,
                *(dependent for dependent in joining if below < dependent and position - 3 < dependent < position),
            ):
                heads[dependent] = above
    return parse if tuple(heads) == parse.heads else replace(parse, heads=tuple(heads))


def _has_tense(parse: Parse, verb: int, tag: str) -> bool:
    """Returns whether an auxiliary of the verb has the tag of its conjunct ("was born and lived")."""
    return any(parse.tags[auxiliary] == tag for auxiliary in auxiliaries(parse, verb))

"""Clauses that say more of somebody or something new: "She bought a boat that had two sails".

A restrictive clause identifies what a definite noun means, but an indefinite one is new in the sentence, so that a
second sentence can describe it ("She bought a boat. The boat had two sails.").
"""

from __future__ import annotations

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.certainty.entity import phrase_head
from lattice_simp.systems.simplify.certainty.tenses import is_simple_tense
from lattice_simp.systems.simplify.clauses import auxiliaries, child, finite_word, is_past, relative_word, subject
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

LEAST_REMAINING = 5
"""The least words of the first sentence; a shorter one would say nothing."""

_ARTICLES = frozenset({"a", "an"})


def is_certain_addition(parse: Parse, split: Split, entity: list[int]) -> bool:
    """Returns whether a clause without commas at the end of a sentence adds to an indefinite noun before it."""
    first, noun = min(split.removed), phrase_head(parse, entity) if entity else ROOT
    is_last = all(mark_kind(token) is not None for token in parse.tokens[max(split.removed) + 1 :])
    if noun == ROOT or noun != first - 1 or not is_last or len(split.clause) < 3:
        return False
    remaining = sum(mark_kind(token) is None for token in parse.tokens) - len(split.removed)
    if remaining < LEAST_REMAINING or not _is_new(parse, noun) or not _is_told(parse, noun):
        return False
    if split.kind is SplitKind.RELATIVE:
        return _is_described(parse, split)
    return split.kind is SplitKind.PARTICIPLE and _is_named(parse, split)


def _is_new(parse: Parse, noun: int) -> bool:
    """Returns whether a noun stands for somebody or something new, and no other word for the same."""
    below, lemma = parse.children[noun], parse.lemmas[noun].lower()
    has_article = any(parse.tokens[position].lower() in _ARTICLES for position in below)
    is_counted = parse.tags[noun] == "NNS" and any(parse.labels[position] == "nummod" for position in below)
    is_joined = any(parse.labels[position] in ("conj", "cc") for position in below) or parse.labels[noun] == "conj"
    is_vague = lemma in word_set("vague_nouns") | word_set("partitives") | word_set("times")
    is_unique = [entry.lower() for entry in parse.lemmas].count(lemma) == 1
    return (has_article or is_counted) and is_unique and not is_vague and not is_joined


def _is_told(parse: Parse, noun: int) -> bool:
    """Returns whether the main clause says that what a noun stands for exists ("bought a boat", not "needs a boat")."""
    above = parse.heads[noun]
    if parse.labels[noun] == "pobj" and parse.tokens[above].lower() in word_group("prepositions"):
        if parse.tokens[above - 1] == ",":
            return False  # "the court met them, in a session that took hours"
        above = parse.heads[above]
    elif parse.labels[noun] != "dobj":
        return False
    if above == ROOT or parse.heads[above] != ROOT or finite_word(parse, above) is None:
        return False
    lemma = parse.lemmas[above].lower()
    is_plain = is_simple_tense(parse, above) and child(parse, above, {"neg", "mark", "advcl", "ccomp"}) is None
    is_joined = child(parse, above, {"conj"}) is not None
    is_empty = lemma in word_set("support_verbs") and child(parse, noun, {"amod", "compound", "nummod"}) is None
    is_real = lemma not in word_set("wishing_verbs") and not is_empty
    return is_plain and is_real and not is_joined and _acts(parse, above)


def _acts(parse: Parse, verb: int) -> bool:
    """Returns whether the subject of a verb stands for somebody or something known."""
    noun = subject(parse, verb)
    if noun is None or parse.labels[noun] not in ("nsubj", "nsubjpass"):
        return False
    first = parse.tokens[parse.subtree(noun)[0]].lower()
    is_kind = parse.tags[noun] in ("NNS", "NN") and child(parse, noun, {"det", "poss", "nummod"}) is None
    is_general = first in _ARTICLES | word_set("quantifiers") | word_set("negations") | {"you", "one"} or is_kind
    return is_past(parse, verb) or not is_general


def _is_described(parse: Parse, split: Split) -> bool:
    """Returns whether a relative pronoun is the subject or object of its clause, which tells a fact."""
    head = phrase_head(parse, list(split.clause))
    word = relative_word(parse, head)
    if word is None or word != min(split.removed) or parse.labels[word] not in ("nsubj", "nsubjpass", "dobj"):
        return False
    helping = {parse.tokens[position].lower() for position in auxiliaries(parse, head)}
    return parse.labels[head] == "relcl" and helping.isdisjoint(word_group("possible"))


def _is_named(parse: Parse, split: Split) -> bool:
    """Returns whether a participle tells a name, or who did something, and nothing behind that may belong to the main
    verb ("a fire started in a shed owned by Ann at the station").
    """
    head = phrase_head(parse, list(split.clause))
    is_known = parse.tokens[head : head + 2] == ("known", "as")
    is_name = is_known or parse.tokens[head].lower() in word_set("naming_participles")
    agent = child(parse, head, {"agent"})
    is_last = agent is not None and all(
        parse.labels[below] in ("agent", "punct") for below in parse.children[head] if below >= agent
    )
    is_done = is_last and is_past(parse, parse.roots[0])
    return head == min(split.removed) and parse.tags[head] == "VBN" and (is_name or is_done)

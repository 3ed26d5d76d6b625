"""Dependents that a word needs, beyond the costs in `deletable.tsv`."""

from __future__ import annotations

from functools import cache

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.simplify.clauses import subject
from lattice_simp.text.english.parse import Parse

_ANY = "*"
_COMPLEMENTS = frozenset({"dobj", "attr", "acomp", "oprd", "ccomp", "xcomp", "dative", "prt", "agent"})


@cache
def needed_relations() -> frozenset[tuple[str, str]]:
    """Returns the (lemma, preposition) pairs that belong together; `*` matches any."""
    rows = grammar_table("english/needed_relations.tsv", ("head", "relation"))
    return frozenset((row["head"], row["relation"]) for row in rows)


def is_needed(parse: Parse, position: int) -> bool:
    """Returns whether deleting a dependent would break the grammar or change the meaning of the sentence."""
    label, head = parse.labels[position], parse.heads[position]
    below = parse.subtree(position)
    if any(parse.tokens[index].lower() in word_set("negations") for index in below[:1]) or parse.labels[head] == "prep":
        return True
    if label == "prep":
        return _is_needed_relation(parse, position, head)
    if label in ("amod", "advmod"):
        return _is_needed_modifier(parse, position, head)
    marks = [parse.tokens[index].lower() for index in parse.children[position] if parse.labels[index] == "mark"]
    if label == "advcl" and any((_ANY, mark) in needed_relations() for mark in marks):
        return True
    if label == "advcl" and _has_conjunction(parse, position):
        return parse.lemmas[head] == "be" and not {parse.labels[index] for index in parse.children[head]} & _COMPLEMENTS
    if label == "appos" and any(parse.parts[index] == "NUM" for index in (position, *parse.children[position])):
        return True  # a part of a date
    if label in ("relcl", "acl", "advcl", "appos", "parataxis"):
        return not _is_set_off(parse, position)
    if label == "npadvmod":
        is_measure = (parse.lemmas[head], label) in needed_relations()
        of_verb = parse.parts[head] in ("VERB", "AUX") and subject(parse, head) is not None and not is_measure
        return not of_verb or _is_hyphenated(parse, position)
    return label in ("poss", "compound", "nmod", "dep", "neg", "nummod", "quantmod")


def _has_conjunction(parse: Parse, clause: int) -> bool:
    """Returns whether an adverbial clause says why or when; such a clause can be deleted even without a comma."""
    marks = [child for child in parse.children[clause] if parse.labels[child] in ("mark", "advmod") and child < clause]
    return bool(marks) and parse.tokens[marks[0]].lower() in word_set("connectives")


def _is_needed_relation(parse: Parse, position: int, head: int) -> bool:
    word, lemma, pairs = parse.tokens[position].lower(), parse.lemmas[head].lower(), needed_relations()
    if (_ANY, word) in pairs or (lemma, word) in pairs or parse.parts[head] in ("ADP", "SCONJ"):
        return True
    if _is_hyphenated(parse, position):
        return True
    if parse.parts[head] == "ADJ" and parse.labels[head] == "acomp" and position == head + 1:
        return True  # "accessible to readers"
    if word == "of" and parse.parts[head] == "PROPN":
        return any(parse.parts[sibling] == "PROPN" for sibling in parse.children[position])  # "the House of Lords"
    labels = {parse.labels[sibling] for sibling in parse.children[head]}
    first = min(
        sibling
        for sibling in parse.children[head]
        if parse.labels[sibling] == "prep" and sibling >= min(position, head)
    )
    bare = not labels & _COMPLEMENTS and position > head and position == first
    return bare and ((lemma, _ANY) in pairs or parse.labels[head] == "acl")


def _is_needed_modifier(parse: Parse, position: int, head: int) -> bool:
    token, tag = parse.tokens[position], parse.tags[position]
    named = token[:1].isupper() and position > 0 and parse.labels[position] == "amod"
    labels = {parse.labels[dependent] for dependent in parse.children[position]}
    return (
        token.lower() in word_set("needed_modifiers")
        or named
        or tag in ("WRB", "JJR", "RBR", "IN")
        or parse.parts[head] in ("NUM", "ADV", "ADP", "SCONJ", "PRON")
        or "npadvmod" in labels
        or parse.labels[head] == "npadvmod"
        or _is_hyphenated(parse, position)
    )


def _is_hyphenated(parse: Parse, position: int) -> bool:
    """Returns whether a separate hyphen token joins the word to its neighbours (`a 9th - century text`)."""
    below = parse.subtree(position)
    beside = (below[0] - 1, below[-1] + 1)
    return any(0 <= index < len(parse) and parse.tokens[index] in ("-", "–", "/", "@-@") for index in beside)


def _is_set_off(parse: Parse, position: int) -> bool:
    """Returns whether punctuation separates a clause from its head."""
    below = parse.subtree(position)
    before, after = below[0] - 1, below[-1] + 1
    if before < 0:
        return parse.parts[below[-1]] == "PUNCT" or (after < len(parse) and parse.tokens[after] == ",")
    return parse.tokens[before] in (",", "(", "-", "--", "–", "—") or parse.tokens[below[0]] in (",", "(")

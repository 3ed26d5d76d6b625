"""Adverbial clauses whose conjunction has one sense."""

from __future__ import annotations

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.certainty.entity import phrase_head
from lattice_simp.systems.simplify.certainty.tenses import is_simple_tense
from lattice_simp.systems.simplify.clauses import SUBJECTS, child, finite_word, is_past
from lattice_simp.systems.simplify.sentence import DASHES
from lattice_simp.systems.simplify.split import Split
from lattice_simp.text.english.parse import Parse

_NO_SINGLE_ACT = frozenset({"ccomp", "xcomp", "neg", "advmod", "aux"})
"""The labels of dependents of a verb that may tell of several acts, or of another one than its own."""

_COMPLEMENTS = frozenset({"attr", "acomp", "prep", "ccomp", "xcomp"})


def dropped_words(parse: Parse, split: Split) -> str:
    """Returns the words that a split drops."""
    return " ".join(parse.tokens[position].lower() for position in split.dropped)


def is_certain_adverbial(parse: Parse, split: Split) -> bool:
    """Returns whether the conjunction of an adverbial clause has one sense."""
    conjunction, before = _conjunction(parse, split), parse.tokens[min(split.removed) - 1]
    if (
        conjunction in word_group("uncertain_conjunctions")
        or before in DASHES
        or (split.leads and not _is_followed_by_clause(parse, split))
    ):
        return False
    head = phrase_head(parse, list(split.clause))
    verb = parse.heads[head]
    if parse.lemmas[verb] == "be" and child(parse, verb, _COMPLEMENTS) is None:
        return False  # "if it is, it will be because he sang"
    said = parse.tokens[min(split.clause)].lower()
    if conjunction in ("because", "after") and not split.leads:
        if said in ("this", "that") or not _is_about_whole(parse, verb, head, min(split.removed)):
            return False  # "this is because this is"
        if conjunction == "after" and not _tells_what_preceded(parse, verb, head):
            return False
    if conjunction == "while" and not _is_same_time(parse, verb, head):
        return False
    is_possible = any(parse.tags[position] == "MD" for position in split.clause)
    return conjunction != "before" or (before == "," and not is_possible)  # "lost him before", "before they can start"


def _conjunction(parse: Parse, split: Split) -> str:
    """Returns the dropped words without a pronoun that its noun replaces ("when she came, Ann")."""
    words = (position for position in split.dropped if parse.labels[position] not in SUBJECTS)
    return " ".join(parse.tokens[position].lower() for position in words)


def _tells_what_preceded(parse: Parse, verb: int, head: int) -> bool:
    """Returns whether a clause with `after` tells what preceded a single act ("was sent home after he slept", not "said
    that it was cold after", "often sang after").
    """
    is_act = parse.lemmas[verb] not in ("be", "have") and child(parse, verb, _NO_SINGLE_ACT) is None
    finite = [finite_word(parse, each) for each in (verb, head)]
    return (
        is_act
        and is_simple_tense(parse, verb)
        and all(word is not None and parse.tags[word] == "VBD" for word in finite)
    )


def _is_about_whole(parse: Parse, verb: int, head: int, conjunction: int) -> bool:
    """Returns whether a final clause belongs to all that stands before it.

    It does not if a word limits it ("it only rang because he pushed it"), if what is denied may be the reason ("he did
    not leave because he was ill"), behind a report ("they said that it rang after he left"), and behind the time
    between ("an hour after").
    """
    before = conjunction - 1
    words = {parse.tokens[below].lower() for below in parse.children[verb] if below < conjunction}
    is_denied = child(parse, verb, {"neg"}) is not None and child(parse, head, {"neg"}) is None
    is_reported = any(parse.labels[below] == "ccomp" for below in parse.children[verb])
    is_limited = not words.isdisjoint(word_group("focus")) or _limits(parse, conjunction)
    follows_time = parse.lemmas[before].lower() in word_set("times") and parse.tags[before].startswith("NN")
    return not (is_limited or is_reported or follows_time or (is_denied and parse.tokens[before] != ","))


def _limits(parse: Parse, conjunction: int) -> bool:
    """Returns whether an adverb limits a conjunction ("partly because")."""
    before = conjunction - 1 - (parse.tokens[conjunction - 1] == ",")
    return parse.tags[before] == "RB" and parse.tags[before - 1] in ("RB", "CC", ",", "IN")


def _is_same_time(parse: Parse, first: int, second: int) -> bool:
    """Returns whether two verbs are in one tense, so that `meanwhile` may join them."""
    finite = [finite_word(parse, verb) for verb in (first, second)]
    tags = [parse.tags[word] for word in finite if word is not None]
    return "MD" not in tags and is_past(parse, first) == is_past(parse, second)


def _is_followed_by_clause(parse: Parse, split: Split) -> bool:
    """Returns whether a comma and no conjunction follows a fronted clause ("because it rained - and if it snowed")."""
    after = max(split.removed) + 1
    return parse.tokens[after] == "," and parse.tags[after + 1] != "CC"

"""Verb groups whose tenses go together."""

from __future__ import annotations

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.clauses import auxiliaries, child, finite_word
from lattice_simp.text.english.parse import Parse


def is_simple_tense(parse: Parse, verb: int) -> bool:
    """Returns whether a verb group is neither perfect nor modal ("they will make albums, selling them")."""
    helping = auxiliaries(parse, verb)
    return not any(parse.lemmas[position] == "have" or parse.tags[position] == "MD" for position in helping)


def is_progressive(parse: Parse, verb: int) -> bool:
    """Returns whether a verb group is progressive ("is lying there, waiting"): `waits` would be a habit."""
    stays = parse.lemmas[verb] == "be" and child(parse, verb, {"attr", "acomp"}) is None
    return stays or (parse.tags[verb] == "VBG" and bool(auxiliaries(parse, verb)))


def tenses_agree(parse: Parse, first: int, second: int) -> bool:
    """Returns whether the tenses of two verbs of one subject agree: "was able to go and see", "is old and named so".

    A present tense behind a past one may be a noun ("was drafted and then spells"), unless it is `is` or `has`. A past
    form behind a modal verb may be an adjective ("can be named signed languages, and whistled languages").
    """
    finite = finite_word(parse, first)
    before = "" if finite is None else parse.tags[finite]
    if parse.tags[second] in ("VBP", "VBZ"):
        return before != "VBD" or parse.lemmas[second] in ("be", "have")
    is_past = parse.tags[second] == "VBD"
    if is_past and before == "MD" and parse.tokens[finite or 0].lower() not in word_group("past_modals"):
        return False
    alone = child(parse, second, {"dobj", "acomp", "attr", "ccomp", "xcomp"}) is None
    transitive = parse.lemmas[second].lower() not in word_set("intransitive_verbs")
    return not (is_past and before in ("VBZ", "VBP") and alone and transitive)

"""Finite forms of verbs: of `be`, and of present participles.

A present participle shows how the stem is spelt before a vowel, doubled consonants included, so the regular past is at
hand; irregular ones are listed in `grammars/english/irregular_verbs.tsv`.
"""

from __future__ import annotations

from lattice_simp.systems.simplify.clauses import pairs

_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_VOWELS = "aeiou"


def be_form(past: bool, plural: bool) -> str:
    """Returns the form of `be` for the third person.

    >>> be_form(past=True, plural=False), be_form(past=False, plural=True)
    ('was', 'are')
    """
    return ("were" if plural else "was") if past else ("are" if plural else "is")


def finite_form(participle: str, lemma: str, past: bool, plural: bool) -> str:
    """Returns the third person of the verb whose present participle is given.

    >>> finite_form("planning", "plan", past=True, plural=False), finite_form("carrying", "carry", True, True)
    ('planned', 'carried')
    >>> finite_form("carrying", "carry", past=False, plural=False), finite_form("having", "have", False, False)
    ('carries', 'has')

    Some parsers take the first word of a sentence for its own lemma:

    >>> finite_form("having", "having", past=True, plural=False), finite_form("getting", "getting", True, False)
    ('had', 'got')
    """
    lemma = _base(participle, lemma)
    if lemma == "be":
        return be_form(past, plural)
    if past:
        return pairs("irregular_verbs").get(lemma) or _regular_past(participle)
    if plural:
        return lemma
    if lemma == "have":
        return "has"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ies"
    return lemma + ("es" if lemma.endswith(_SIBILANTS) else "s")


def _base(participle: str, lemma: str) -> str:
    """Returns the lemma; where that is the participle itself, an irregular verb that it may be of."""
    stem = participle.removesuffix("ing")
    if lemma != participle or not stem:
        return lemma
    doubled = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
    return next((one for one in (stem, stem + "e", doubled) if one in pairs("irregular_verbs")), stem)


def _regular_past(participle: str) -> str:
    stem = participle.removesuffix("ing")
    if stem.endswith("y") and stem[-2:-1] not in _VOWELS:
        return stem[:-1] + "ied"
    return stem + ("d" if stem.endswith("e") else "ed")

"""Forms of verbs and nouns: finite forms of present participles, and the forms of Penn tags.

A present participle shows the spelling of the stem before a vowel, including doubled consonants, which yields the
regular past. Irregular verbs are listed in `grammars/english/irregular_verbs.tsv`.
"""

from __future__ import annotations

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.clauses import pairs

_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_VOWELS = "aeiou"


def be_form(past: bool, plural: bool) -> str:
    """Returns the third-person form of `be`.

    >>> be_form(past=True, plural=False), be_form(past=False, plural=True)
    ('was', 'are')
    """
    return ("were" if plural else "was") if past else ("are" if plural else "is")


def finite_form(participle: str, lemma: str, past: bool, plural: bool) -> str:
    """Returns the third-person form of a verb from its present participle.

    >>> finite_form("planning", "plan", past=True, plural=False), finite_form("carrying", "carry", True, True)
    ('planned', 'carried')
    >>> finite_form("carrying", "carry", past=False, plural=False), finite_form("having", "have", False, False)
    ('carries', 'has')

    Some parsers return the first word of a sentence as its lemma:

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
    """Returns the lemma; if that is the participle itself, guesses a verb from the stem."""
    stem = participle.removesuffix("ing")
    if lemma != participle or not stem:
        return lemma
    doubled = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
    return next((candidate for candidate in (stem, stem + "e", doubled) if candidate in pairs("irregular_verbs")), stem)


def _regular_past(participle: str) -> str:
    stem = participle.removesuffix("ing")
    if stem.endswith("y") and stem[-2:-1] not in _VOWELS:
        return stem[:-1] + "ied"
    return stem + ("d" if stem.endswith("e") else "ed")


def inflected(lemma: str, tag: str) -> str:
    """Returns the form of a verb or noun for a Penn tag; other tags return the lemma.

    >>> [inflected("begin", tag) for tag in ("VBD", "VBN", "VBZ", "VBG", "VBP")]
    ['began', 'begun', 'begins', 'beginning', 'begin']
    >>> inflected("copy", "NNS"), inflected("stop", "VBD"), inflected("person", "NNS"), inflected("be", "VBP")
    ('copies', 'stopped', 'people', 'are')
    """
    participle = present_participle(lemma)
    past = pairs("irregular_verbs").get(lemma) or _regular_past(participle)
    forms = {
        "VBD": past,
        "VBN": pairs("irregular_participles").get(lemma, past),
        "VBZ": finite_form(participle, lemma, past=False, plural=False),
        "VBG": participle,
        "NNS": plural_form(lemma),
        **({"VBP": be_form(past=False, plural=True)} if lemma == "be" else {}),
    }
    return forms.get(tag, lemma)


def present_participle(lemma: str) -> str:
    """Returns the present participle of a verb.

    >>> [present_participle(lemma) for lemma in ("make", "see", "die", "stop", "begin", "fix", "help", "quit")]
    ['making', 'seeing', 'dying', 'stopping', 'beginning', 'fixing', 'helping', 'quitting']
    """
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")) and len(lemma) > 2:
        return lemma[:-1] + "ing"
    vowels = [letter in _VOWELS for letter in lemma.replace("qu", "qw")]
    doubles = vowels[-3:] == [False, True, False] and lemma[-1] not in "wxy"
    stressed = sum(vowels) == 1 or lemma in word_set("doubling_verbs")
    return lemma + (lemma[-1] if doubles and stressed else "") + "ing"


def plural_form(noun: str) -> str:
    """Returns the plural of a noun.

    >>> [plural_form(noun) for noun in ("house", "church", "city", "day", "person")]
    ['houses', 'churches', 'cities', 'days', 'people']
    """
    if noun in pairs("irregular_plurals"):
        return pairs("irregular_plurals")[noun]
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")

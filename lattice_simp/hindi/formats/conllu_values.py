"""What CoNLL-U calls the treebank's values, and back.

UD_Hindi-HDTB has the treebank's own tags in the column XPOS, and TAM and vibhakti in MISC. Where XPOS is empty, as in
UD_Hindi-PUD, tags are made from UPOS and the features. A value of ours that the columns would not give back stands in
MISC, too, under the names of `OVERRIDES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from lattice_simp.hindi.sentence import EMPTY, Token

CHUNK = "ChunkId"
"""The name in MISC for the chunk that a word is in."""

OVERRIDES = {
    "tag": "Tag",
    "root": "Root",
    "category": "Category",
    "gender": "Gender",
    "number": "Number",
    "person": "Person",
    "case": "Case",
    "vibhakti": "Vibhakti",
    "tam": "TAM",
}
"""The names in MISC for values that other columns do not tell."""

_ELIDED, _YES, _NO = "Elided", "Yes", "No"
"""Says in MISC whether a word is elided, where its form and its chunk do not tell."""

_GENDERS = {"Masc": "m", "Fem": "f"}
_NUMBERS = {"Sing": "sg", "Plur": "pl"}
_CASES = {"Nom": "d", "Acc": "o"}
_OBLIQUE = "o"
_HONORIFIC = "h"
_POLITE = "Form"
_INFINITIVE = "ना"

_TAGS = {
    "ADJ": "JJ",
    "ADP": "PSP",
    "ADV": "RB",
    "AUX": "VAUX",
    "CCONJ": "CC",
    "DET": "DEM",
    "INTJ": "INJ",
    "NOUN": "NN",
    "NUM": "QC",
    "PART": "RP",
    "PRON": "PRP",
    "PROPN": "NNP",
    "PUNCT": "SYM",
    "SCONJ": "CC",
    "SYM": "SYM",
    "VERB": "VM",
    "X": "UNK",
}

_UNIVERSAL = {
    **{tag: part for part, tag in _TAGS.items() if part not in ("SCONJ", "SYM")},
    "INTF": "ADV",
    "NEG": "PART",
    "NST": "ADP",
    "QF": "DET",
    "QO": "ADJ",
    "WQ": "PRON",
}

_CATEGORIES = {
    "CC": "avy",
    "DEM": "pn",
    "INJ": "avy",
    "INTF": "avy",
    "JJ": "adj",
    "NEG": "avy",
    "NN": "n",
    "NNP": "n",
    "NST": "nst",
    "PRP": "pn",
    "PSP": "psp",
    "QC": "num",
    "QF": "adj",
    "QO": "num",
    "RB": "adv",
    "RP": "avy",
    "SYM": "punc",
    "VAUX": "v",
    "VM": "v",
    "WQ": "pn",
}

_COMPOUND = "C"
"""Ends the tags of all but the last word of a compound (`NNC`, `JJC`)."""


def _whole(tag: str) -> str:
    return tag if tag == "CC" else tag.removesuffix(_COMPOUND) or tag


def universal_part(tag: str) -> str:
    """Returns the universal part of speech of one of the treebank's tags.

    >>> universal_part("NNPC"), universal_part("VM"), universal_part("QCC"), universal_part("")
    ('PROPN', 'VERB', 'NUM', '_')
    """
    return _UNIVERSAL.get(tag) or _UNIVERSAL.get(_whole(tag)) or ("X" if tag else "_")


def treebank_tag(part: str, features: Mapping[str, str], relation: str) -> str:
    """Returns the treebank's tag where there is none.

    >>> treebank_tag("PART", {"Polarity": "Neg"}, "advmod"), treebank_tag("AUX", {}, "cop")
    ('NEG', 'VM')
    """
    if part == "PART" and features.get("Polarity") == "Neg":
        return "NEG"
    if part == "AUX" and relation.startswith("cop"):
        return "VM"
    if part == "DET" and features.get("PronType") in ("Ind", "Tot"):
        return "QF"
    if part == "ADJ" and features.get("NumType") == "Ord":
        return "QO"
    return _TAGS.get(part, "")


def universal_features(token: Token) -> dict[str, str]:
    """Returns the features of a token, as far as the universal ones have names for them.

    >>> universal_features(Token("आए", gender="m", number="any", person="3h"))
    {'Gender': 'Masc', 'Person': '3', 'Polite': 'Form'}
    """
    found = {
        "Case": _name(_CASES, token.case),
        "Gender": _name(_GENDERS, token.gender),
        "Number": _name(_NUMBERS, token.number),
    }
    person = token.person.removesuffix(_HONORIFIC)
    if person in ("1", "2", "3"):
        found["Person"] = person
        found["Polite"] = _POLITE if person != token.person else ""
    return {name: value for name, value in found.items() if value}


def _name(names: Mapping[str, str], value: str) -> str:
    return next((name for name, ours in names.items() if ours == value), "")


def lemma(token: Token) -> str:
    """Returns the dictionary form: of verbs the infinitive, where the treebank has the stem.

    >>> lemma(Token("गया", "VM", "जा")), lemma(Token("है", "VM", "है")), lemma(Token("घर", "NN", "घर"))
    ('जाना', 'है', 'घर')
    """
    verbal = universal_part(token.tag) in ("VERB", "AUX")
    inflects = token.root.isascii() or token.root in ("है", "था")
    return token.root if not verbal or inflects else token.root + _INFINITIVE


def token_of_columns(
    form: str, lemma: str, part: str, tag: str, features: Mapping[str, str], relation: str, misc: Mapping[str, str]
) -> Token:
    """Makes a token of the values of its columns, "" where one is empty.

    The MISC entry `Vib` of a phrase's head goes on with the rest of the phrase, behind `_`: that part stays away.
    A word `NULL` is elided if it is in a chunk: treebanks have chunks, what a parser makes of text has none.
    """
    tag = tag or treebank_tag(part, features, relation)
    stem = lemma.removesuffix(_INFINITIVE) if part in ("VERB", "AUX") else lemma
    person = features.get("Person", "")
    case = features.get("Case", "")
    values = {
        "tag": tag,
        "root": stem or lemma,
        "category": _CATEGORIES.get(tag) or _CATEGORIES.get(_whole(tag), ""),
        "gender": _GENDERS.get(features.get("Gender", ""), ""),
        "number": _NUMBERS.get(features.get("Number", ""), ""),
        "person": person + _HONORIFIC if person and features.get("Polite") == _POLITE else person,
        "case": _CASES.get(case, _OBLIQUE if case else ""),
        "vibhakti": misc.get("Vib", "").partition("_")[0],
        "tam": misc.get("Tam", ""),
    }
    is_empty = misc.get(_ELIDED, _YES if form == EMPTY and CHUNK in misc else _NO) == _YES
    return Token(form, **{name: misc.get(OVERRIDES[name], value) for name, value in values.items()}, is_empty=is_empty)


def differing(token: Token, read: Token) -> dict[str, str]:
    """Gives, by their names in MISC, the values of a token that reading would not give back."""
    names = [field.name for field in fields(Token) if field.name in OVERRIDES]
    elided = {} if token.is_empty == read.is_empty else {_ELIDED: _YES if token.is_empty else _NO}
    return elided | {
        OVERRIDES[name]: getattr(token, name) for name in names if getattr(token, name) != getattr(read, name)
    }

"""Noun phrases: article, adjective and noun, which agree in gender, case and number in German.

    the new museum      das neue museum (nominative), dem neuen museum (dative)
    an old letter       ein alter brief (nominative), einen alten brief (accusative)
    of the council      des rates
    by the librarians   von den bibliothekarinnen

Adjectives have weak endings after the definite article and mixed ones after the indefinite one. Only adjectives that
suit the noun's class occur.
"""

from __future__ import annotations

from collections.abc import Iterable

import pynini

from lattice_simp.grammars.demo.lexicon import Lexicon, Noun
from lattice_simp.grammars.demo.vocabulary import Vocabulary, choice

DEFINITE = {
    "m": {"nom": "der", "acc": "den", "dat": "dem", "gen": "des"},
    "f": {"nom": "die", "acc": "die", "dat": "der", "gen": "der"},
    "n": {"nom": "das", "acc": "das", "dat": "dem", "gen": "des"},
    "pl": {"nom": "die", "acc": "die", "dat": "den", "gen": "der"},
}
"""Definite articles; the relative pronouns of the nominative and the accusative are the same words."""

INDEFINITE = {
    "m": {"nom": "ein", "acc": "einen"},
    "f": {"nom": "eine", "acc": "eine"},
    "n": {"nom": "ein", "acc": "ein"},
}

WEAK_E = {("m", "nom"), ("f", "nom"), ("f", "acc"), ("n", "nom"), ("n", "acc")}
"""The cases and genders with the weak ending -e; all others have -en."""

MIXED = {("m", "nom"): "er", ("f", "nom"): "e", ("f", "acc"): "e", ("n", "nom"): "es", ("n", "acc"): "es"}
"""The endings after *ein*; all other cases and genders have -en."""

VOWELS = "aeiou"


def agreement(noun: Noun, number: str) -> str:
    """Returns the key of agreement of articles and pronouns: the gender, or `pl`."""
    return "pl" if number == "pl" else noun.gender


class NounPhrases:
    """Builds noun phrases over one vocabulary."""

    def __init__(self, lexicon: Lexicon, vocabulary: Vocabulary) -> None:
        self.lexicon = lexicon
        self.vocabulary = vocabulary

    def phrases(self, nouns: Iterable[Noun], number: str, case: str, *, indefinite: bool = True) -> pynini.Fst:
        """Returns the phrases of some nouns, with the definite article or (in the singular) the indefinite one."""
        choices = []
        for noun in nouns:
            gender = agreement(noun, number)
            ending = "e" if (gender, case) in WEAK_E else "en"
            article = self.vocabulary.lexeme(f"d.{noun.id}", "the", DEFINITE[gender][case])
            choices.append(article + self._core(noun, number, case, ending, None))
            if indefinite and number == "sg":
                ending = MIXED.get((gender, case), "en")
                for english, vowel in (("a", False), ("an", True)):
                    article = self.vocabulary.lexeme(f"d.{noun.id}", english, INDEFINITE[gender][case])
                    choices.append(article + self._core(noun, number, case, ending, vowel))
        return choice(*choices)

    def owners(self, number: str) -> pynini.Fst:
        """Builds genitives of acting nouns: *of the council*."""
        return self._with_preposition("o", "of|the", "gen", number)

    def agents(self, number: str) -> pynini.Fst:
        """Builds agents of the passive: *by the council*."""
        return self._with_preposition("b", "by|the", "dat", number)

    def _with_preposition(self, prefix: str, english: str, case: str, number: str) -> pynini.Fst:
        choices = []
        for noun in self.lexicon.nouns_of("person", number) + self.lexicon.nouns_of("body", number):
            article = DEFINITE[agreement(noun, number)][case]
            german = article if case == "gen" else "vom" if article == "dem" else f"von|{article}"
            phrase = self.vocabulary.lexeme(f"{prefix}.{noun.id}", english, german)
            choices.append(phrase + self._core(noun, number, case, "en", None))
        return choice(*choices)

    def _core(self, noun: Noun, number: str, case: str, ending: str, vowel: bool | None) -> pynini.Fst:
        """Builds adjective and noun, or the noun alone; `vowel`: whether English begins with a vowel (None: either)."""

        def fits(english: str) -> bool:
            return vowel is None or (english[0] in VOWELS) == vowel

        head = self.vocabulary.lexeme(f"n.{noun.id}", noun.english[number], noun.german[number, case])
        described = [
            self.vocabulary.lexeme(f"a.{adjective.id}", adjective.english, adjective.german + ending)
            for adjective in self.lexicon.adjectives
            if noun.kind in adjective.classes and fits(adjective.english)
        ]
        choices = [head] if fits(noun.english[number]) else []
        if described:
            choices.append(choice(*described) + head)
        return choice(*choices) if choices else pynini.Fst()

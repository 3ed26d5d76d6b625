"""Subordinate clauses: German puts their verb last and commas around them.

    that was opened in march            , das im märz eröffnet wurde ,
    that the council had rejected       , den der rat abgelehnt hatte ,
    that the council rejected           , den der rat ablehnte ,
    who rejected the plan yesterday     , der den plan gestern ablehnte ,
    who had resigned                    , der zurückgetreten war ,
    to close the museum in may          , das museum im mai zu schließen ,

A finite-state machine remembers a verb only by a state of its own. So a verb that moves is deleted, and inserted again
behind the phrase that it crosses, separately for each verb: `moved` builds one member of this union.

`place` is the place of a clause in the sentence. It distinguishes the function words of several clauses, since the keys
of a sentence must differ (see `vocabulary`). The caller adds the closing comma, which is omitted before the full stop.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import pynini

from lattice_simp.grammars.demo.lexicon import HUMAN_CLASSES, Lexicon, Noun
from lattice_simp.grammars.demo.nominal import DEFINITE, NounPhrases, agreement
from lattice_simp.grammars.demo.vocabulary import Vocabulary, choice, lexeme

NUMBERS = ("sg", "pl")
WAS = {"sg": ("was", "wurde"), "pl": ("were", "wurden")}
HAD = {"haben": {"sg": "hatte", "pl": "hatten"}, "sein": {"sg": "war", "pl": "waren"}}


class Subordinate:
    """Builds subordinate clauses, and the phrases that main clauses share with them."""

    def __init__(self, lexicon: Lexicon, vocabulary: Vocabulary) -> None:
        self.lexicon = lexicon
        self.vocabulary = vocabulary
        self.nominal = NounPhrases(lexicon, vocabulary)
        # They are called many times, with few different arguments.
        self.adverbials = lru_cache(None)(self._adverbials)
        self.actors = lru_cache(None)(self._actors)
        self.objects = lru_cache(None)(self._objects)
        self.infinitive = lru_cache(None)(self._infinitive)

    def moved(self, english: Iterable[str], german: Iterable[str], crossed: pynini.Fst) -> pynini.Fst:
        """Returns a phrase with English symbols before it and German symbols after it."""
        return self.vocabulary.pair(english, []) + crossed + self.vocabulary.pair([], german)

    def optional(self, fst: pynini.Fst) -> pynini.Fst:
        """Returns the phrase or nothing, with equal probabilities in a random path."""
        return choice(self.vocabulary.pair([], []), fst)

    # ---------------------------------------------------------------- phrases

    def _adverbials(self) -> pynini.Fst:
        """Returns one adverbial of any kind."""
        entries = self.lexicon.adverbials
        return choice(*(self.vocabulary.lexeme(f"t.{row.id}", row.english, row.german) for row in entries))

    def _actors(self, number: str) -> pynini.Fst:
        """Builds acting subjects without modifiers."""
        nouns = [noun for kind in HUMAN_CLASSES for noun in self.lexicon.nouns_of(kind, number)]
        return self.nominal.phrases(nouns, number, "nom")

    def _objects(self, classes: frozenset[str]) -> pynini.Fst:
        """Builds objects of the classes, without modifiers."""
        return choice(
            *(
                self.nominal.phrases(self.lexicon.nouns_of(kind, number), number, "acc")
                for kind in sorted(classes)
                for number in NUMBERS
            )
        )

    def heads(
        self, kinds: Iterable[str], number: str, case: str, pronoun_case: str, place: str, mark: str
    ) -> pynini.Fst:
        """Builds noun phrases, the mark that opens a gap, and the relative pronoun that agrees with the noun."""
        groups: dict[tuple[str, str], list[Noun]] = {}
        for kind in kinds:
            for noun in self.lexicon.nouns_of(kind, number):
                english = "who" if kind == "person" else "that"
                groups.setdefault((english, DEFINITE[agreement(noun, number)][pronoun_case]), []).append(noun)
        key = f"rel.{place}"
        choices = []
        for (english, german), nouns in groups.items():
            pronoun = self.vocabulary.pair([mark, lexeme(key, english)], [",", lexeme(key, german)])
            choices.append(self.nominal.phrases(nouns, number, case, indefinite=False) + pronoun)
        return choice(*choices)

    # ---------------------------------------------------------------- after the relative pronoun

    def passive(self, kind: str, number: str, place: str) -> pynini.Fst:
        """Builds *was opened in march*: *im märz eröffnet wurde*."""
        was, wurde = (lexeme(f"aux.{place}", form) for form in WAS[number])
        choices = []
        for verb in self.lexicon.verbs_of(kind):
            english, german = lexeme(verb.key, verb.english_participle), lexeme(verb.key, verb.german_participle)
            choices.append(self.moved([was, english], [german, wurde], self.optional(self.adverbials())))
        return choice(*choices)

    def acted_upon(self, kind: str, place: str) -> pynini.Fst:
        """Builds *the council (had) rejected*: *der rat ablehnte*, *der rat abgelehnt hatte*."""
        key = f"aux.{place}"
        choices = []
        for number in NUMBERS:
            verbs = []
            for verb in self.lexicon.verbs_of(kind):
                finite, particle = verb.past(number)
                verbs.append(self.vocabulary.lexeme(verb.key, verb.english_past, particle + finite))
                english = [lexeme(key, "had"), lexeme(verb.key, verb.english_participle)]
                german = [lexeme(verb.key, verb.german_participle), lexeme(key, HAD["haben"][number])]
                verbs.append(self.vocabulary.pair(english, german))
            choices.append(self.actors(number) + choice(*verbs))
        return choice(*choices)

    def acting(self, number: str) -> pynini.Fst:
        """Builds *rejected the plan yesterday*: *den plan gestern ablehnte*."""
        choices = []
        for verb in self.lexicon.verbs:
            finite, particle = verb.past(number)
            english, german = lexeme(verb.key, verb.english_past), lexeme(verb.key, particle + finite)
            crossed = self.objects(verb.classes) + self.optional(self.adverbials())
            choices.append(self.moved([english], [german], crossed))
        return choice(*choices)

    def happening(self, number: str, place: str) -> pynini.Fst:
        """Builds *had resigned in may*: *im mai zurückgetreten war*."""
        key = f"aux.{place}"
        choices = []
        for verb in self.lexicon.intransitives:
            english = [lexeme(key, "had"), lexeme(verb.key, verb.english_participle)]
            german = [lexeme(verb.key, verb.german_participle), lexeme(key, HAD[verb.auxiliary][number])]
            choices.append(self.moved(english, german, self.optional(self.adverbials())))
        return choice(*choices)

    # ---------------------------------------------------------------- infinitive clauses

    def _infinitive(self) -> pynini.Fst:
        """Builds *to close the museum in may*: *, das museum im mai zu schließen*."""
        choices = []
        for verb in self.lexicon.verbs:
            english, german = (lexeme(verb.key, form) for form in verb.to_infinitive)
            crossed = self.objects(verb.classes) + self.optional(self.adverbials())
            choices.append(self.moved([english], [german], crossed))
        return self.vocabulary.pair([], [","]) + choice(*choices)

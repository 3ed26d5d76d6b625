"""Main clauses, in which the German verb moves and a skeleton helps.

    the plan <clause> of the council to close the museum </clause> was passed <adverbial> in may </adverbial> .
    der plan des rates , das museum zu schließen , wurde im mai angenommen .

    <fronted> in may , </fronted> the mayor <clause> who had resigned </clause> had arrived .
    im mai war der bürgermeister , der zurückgetreten war , angekommen .

    the council <clause> that sold the mill </clause> had rejected the plan <clause> to close the school </clause> .
    der rat , der die mühle verkaufte , hatte den plan abgelehnt , die schule zu schließen .

    the party rejected the motions <adverbial> with regret </adverbial> .
    die partei lehnte die anträge mit bedauern ab .

    the judge had promised <clause> to pay the fine </clause> .
    die richterin hatte versprochen , die geldbuße zu bezahlen .

On the English side, marks enclose the parts that a skeleton may leave out: the rest is a sentence of the grammar again.
German is verb second: a fronted adverbial takes the place of the subject, which moves behind the finite verb;
participles and particles end the clause, after adverbials. An infinitive clause of an object follows them.

Shared continuations are built once: all acting subjects share one set of verb phrases after *had*.
"""

from __future__ import annotations

from functools import lru_cache

import pynini

from lattice_simp.grammars.demo.lexicon import HUMAN_CLASSES, Control, Intransitive, Lexicon, Verb
from lattice_simp.grammars.demo.subordinate import HAD, NUMBERS, WAS, Subordinate
from lattice_simp.grammars.demo.vocabulary import ADVERBIAL, CLAUSE, CLOSE, FRONTED, OPEN, Vocabulary, choice, lexeme

MAIN, SUBJECT_PLACE, OBJECT_PLACE = "m", "s", "o"
"""The places of clauses: the main clause, and the modifiers of its subject and its object."""

AUXILIARY = f"aux.{MAIN}"


class Clauses:
    """Builds the transducer of whole sentences."""

    def __init__(self, lexicon: Lexicon, vocabulary: Vocabulary) -> None:
        self.lexicon = lexicon
        self.vocabulary = vocabulary
        self.parts = Subordinate(lexicon, vocabulary)
        self.acting_subjects = lru_cache(None)(self._acting_subjects)
        self.subjects = lru_cache(None)(self._subjects)
        self.tail = lru_cache(None)(self._tail)
        self.objects = lru_cache(None)(self._objects)

    def sentences(self) -> pynini.Fst:
        """Returns all sentences, from marked English symbols to German ones."""
        clauses = choice(self._passives(), self._perfects(), self._preterites())
        stop = self.vocabulary.lexeme("stop", ".", ".")
        sentences: pynini.Fst = clauses + stop
        sentences.connect()
        return sentences

    # ---------------------------------------------------------------- gaps

    def _gap(self, kind: str, fst: pynini.Fst) -> pynini.Fst:
        return self.vocabulary.pair([OPEN[kind]], []) + fst + self.vocabulary.pair([CLOSE[kind]], [])

    def _closed(self, fst: pynini.Fst) -> pynini.Fst:
        """Closes an open gap, with a German comma."""
        return fst + self.vocabulary.pair([CLOSE[CLAUSE]], [","])

    # ---------------------------------------------------------------- phrases with gaps

    def _acting_subjects(self, number: str) -> pynini.Fst:
        """Builds acting subjects, with or without a relative clause."""
        heads = self.parts.heads(HUMAN_CLASSES, number, "nom", "nom", SUBJECT_PLACE, OPEN[CLAUSE])
        clauses = choice(self.parts.acting(number), self.parts.happening(number, SUBJECT_PLACE))
        return choice(self.parts.actors(number), self._closed(heads + clauses))

    def _subjects(self, kind: str, number: str) -> pynini.Fst:
        """Builds subjects of a class of things with or without a modifier."""
        parts, nouns = self.parts, self.lexicon.nouns_of(kind, number)
        definite = parts.nominal.phrases(nouns, number, "nom", indefinite=False)
        nominative, accusative = (
            parts.heads((kind,), number, "nom", case, SUBJECT_PLACE, OPEN[CLAUSE]) for case in ("nom", "acc")
        )
        owners = choice(*(parts.nominal.owners(owner) for owner in NUMBERS))
        choices = [
            parts.nominal.phrases(nouns, number, "nom"),
            definite + self._gap(CLAUSE, owners),
            self._closed(nominative + parts.passive(kind, number, SUBJECT_PLACE)),
            self._closed(accusative + parts.acted_upon(kind, SUBJECT_PLACE)),
        ]
        if any(noun.takes_infinitive for noun in nouns):
            begin = definite + self.vocabulary.pair([OPEN[CLAUSE]], [])
            choices.append(self._closed(begin + parts.optional(owners) + parts.infinitive()))
        return choice(*choices)

    def _objects(self, classes: frozenset[str], comma: bool) -> pynini.Fst:
        """Builds objects; singular ones with a relative clause, which a comma closes unless the sentence ends there."""
        choices = [self.parts.objects(classes)]
        for kind in sorted(classes):
            heads = self.parts.heads((kind,), "sg", "acc", "nom", OBJECT_PLACE, OPEN[CLAUSE])
            close = self.vocabulary.pair([CLOSE[CLAUSE]], [","] if comma else [])
            choices.append(heads + self.parts.passive(kind, "sg", OBJECT_PLACE) + close)
        return choice(*choices)

    def _tail(self) -> pynini.Fst:
        """Returns one adverbial, or two in different orders: manner, time in English; time, manner in German."""
        kinds: dict[str, list[tuple[str, str]]] = {}
        for row in self.lexicon.adverbials:
            key = f"t.{row.id}"
            kinds.setdefault(row.kind, []).append((lexeme(key, row.english), lexeme(key, row.german)))
        times = choice(*(self.vocabulary.pair([english], [german]) for english, german in kinds["time"]))
        two_adverbials = choice(*(self.parts.moved([english], [german], times) for english, german in kinds["manner"]))
        return self._gap(ADVERBIAL, choice(self.parts.adverbials(), two_adverbials))

    # ---------------------------------------------------------------- after the auxiliary

    def _participles(self, kind: str) -> pynini.Fst:
        """Builds *supported by the council in may*: *vom rat im mai unterstützt*, for subjects of a class."""
        agents = choice(*(self.parts.nominal.agents(number) for number in NUMBERS))
        optional = self.parts.optional
        crossed = optional(self._gap(ADVERBIAL, agents)) + optional(self.tail())
        return choice(*(self.parts.moved(*_participle(verb), crossed) for verb in self.lexicon.verbs_of(kind)))

    def _transitives(self) -> pynini.Fst:
        """Builds *rejected the plan in may*: *den plan im mai abgelehnt*."""
        tail, moved = self.parts.optional(self.tail()), self.parts.moved
        verbs = self.lexicon.verbs
        return choice(*(moved(*_participle(verb), self.objects(verb.classes, True) + tail) for verb in verbs))

    def _with_infinitive(self) -> pynini.Fst:
        """Builds *rejected the plan to ...*: *den plan abgelehnt , ...*; *promised to ...*: *versprochen , ...*."""
        infinitive = self._gap(CLAUSE, self.parts.infinitive())
        controls = choice(*(self.vocabulary.pair(*_participle(control)) for control in self.lexicon.controls))
        choices = []
        for verb in self.lexicon.verbs:
            for number in NUMBERS:
                nouns = [noun for kind in sorted(verb.classes) for noun in self.lexicon.nouns_of(kind, number)]
                nouns = [noun for noun in nouns if noun.takes_infinitive]
                if nouns:
                    phrases = self.parts.nominal.phrases(nouns, number, "acc", indefinite=False)
                    choices.append(self.parts.moved(*_participle(verb), phrases))
        return choice(controls + self.parts.optional(infinitive), choice(*choices) + infinitive)

    def _intransitives(self, auxiliary: str) -> pynini.Fst:
        """Builds *resigned in may*: *im mai zurückgetreten*."""
        tail = self.parts.optional(self.tail())
        verbs = [verb for verb in self.lexicon.intransitives if verb.auxiliary == auxiliary]
        return choice(*(self.parts.moved(*_participle(verb), tail) for verb in verbs))

    # ---------------------------------------------------------------- clauses

    def _begun(self, english: str, german: str, subjects: pynini.Fst) -> pynini.Fst:
        """Builds subject and auxiliary; after a fronted adverbial the German auxiliary comes first."""
        auxiliary = [lexeme(AUXILIARY, english)], [lexeme(AUXILIARY, german)]
        fronted = self._gap(FRONTED, self.parts.adverbials() + self.vocabulary.pair([","], []))
        inverted = self.vocabulary.pair([], auxiliary[1]) + subjects + self.vocabulary.pair(auxiliary[0], [])
        return choice(subjects + self.vocabulary.pair(*auxiliary), fronted + inverted)

    def _passives(self) -> pynini.Fst:
        choices = []
        for kind in self.lexicon.thing_classes:
            begun = [self._begun(*WAS[number], self.subjects(kind, number)) for number in NUMBERS]
            choices.append(choice(*begun) + self._participles(kind))
        return choice(*choices)

    def _perfects(self) -> pynini.Fst:
        choices = []
        for auxiliary, forms in HAD.items():
            predicates = [self._intransitives(auxiliary)]
            if auxiliary == "haben":
                predicates += [self._transitives(), self._with_infinitive()]
            begun = [self._begun("had", forms[number], self.acting_subjects(number)) for number in NUMBERS]
            choices.append(choice(*begun) + choice(*predicates))
        return choice(*choices)

    def _preterites(self) -> pynini.Fst:
        """Builds *rejected the plan yesterday*: *lehnte den plan gestern ab*."""
        choices = []
        for number in NUMBERS:
            predicates = []
            for verb in self.lexicon.verbs:
                finite, particle = verb.past(number)
                begun = self.vocabulary.lexeme(verb.key, verb.english_past, finite)
                if particle:
                    rest = self.objects(verb.classes, True) + self.parts.optional(self.tail())
                    rest += self.vocabulary.pair([], [lexeme(verb.key, particle)])
                else:
                    rest = choice(self.objects(verb.classes, False), self.objects(verb.classes, True) + self.tail())
                predicates.append(begun + rest)
            choices.append(self.acting_subjects(number) + choice(*predicates))
        return choice(*choices)


def _participle(verb: Verb | Intransitive | Control) -> tuple[list[str], list[str]]:
    """Returns the participles of both languages as strings of symbols."""
    english, german = verb.english_participle, verb.german_participle
    return [lexeme(verb.key, english)], [lexeme(verb.key, german)]

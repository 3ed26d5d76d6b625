"""The lexicon: tables of tab-separated values, one row for each *sense* of a word.

An English word with two German translations has two rows, distinguished by the classes of their noun or object::

    id            english  german         class        id              english_participle  german_participle  classes
    bill_money    bill     rechnung       money        settle_money    settled             beglichen          money
    bill_law      bill     gesetzentwurf  law          settle_dispute  settled             beigelegt          dispute

So *the bill ... was settled* is one thing and *the bill ... was passed* another, but only together do subject and verb
show which: a phrase table that sees one word alone cannot tell.

In `german` verbs, `|` comes after a separable particle: `ab|lehnen` gives *abzulehnen*, *lehnte ... ab*, *ablehnte*.
In adverbials, `|` divides both sides into pieces that translate each other. `-` is an empty field.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lattice_simp.support.tables import Row, grammar_table

HUMAN_CLASSES = ("person", "body")
"""The noun classes that act; all others are acted upon."""

PARTICLE_MARK = "|"


@dataclass(frozen=True)
class Noun:
    """A sense of a noun with its German forms (singular oblique: accusative and dative)."""

    id: str
    english: dict[str, str]
    gender: str
    kind: str
    takes_infinitive: bool
    german: dict[tuple[str, str], str]

    @classmethod
    def from_row(cls, row: Row) -> Noun:
        oblique = row["german"] if row["oblique"] == "-" else row["oblique"]
        singular = {"nom": row["german"], "acc": oblique, "dat": oblique, "gen": row["genitive"]}
        german = {("sg", case): form for case, form in singular.items()}
        english = {"sg": row["english"]}
        if row["plural"] != "-":
            english["pl"] = row["english_plural"]
            for case in singular:
                german["pl", case] = row["dative_plural" if case == "dat" else "plural"]
        return cls(row["id"], english, row["gender"], row["class"], row["infinitive"] == "yes", german)


@dataclass(frozen=True)
class Adjective:
    """A sense of an adjective; `german` is the stem that takes the endings."""

    id: str
    english: str
    german: str
    classes: frozenset[str]


@dataclass(frozen=True)
class Verb:
    """A sense of a transitive verb; `classes` are those of its objects."""

    id: str
    english: str
    english_past: str
    english_participle: str
    german: str
    german_past: str
    german_participle: str
    classes: frozenset[str]

    @property
    def key(self) -> str:
        """What identifies the sense on both sides of the grammar."""
        return f"v.{self.id}"

    @property
    def to_infinitive(self) -> tuple[str, str]:
        """English and German infinitives with *to* and *zu*, in pieces where the pieces correspond."""
        particle, mark, stem = self.german.rpartition(PARTICLE_MARK)
        if mark:
            return f"to {self.english}", f"{particle}zu{stem}"
        return f"to|{self.english}", f"zu|{stem}"

    def past(self, number: str) -> tuple[str, str]:
        """Returns the finite German past tense, and its particle or ''."""
        particle, _, stem = self.german_past.rpartition(PARTICLE_MARK)
        if number == "sg":
            return stem, particle
        return stem + ("n" if stem.endswith("e") else "en"), particle


@dataclass(frozen=True)
class Intransitive:
    """A verb without object; `auxiliary` is that of its German perfect (`haben` or `sein`)."""

    id: str
    english_participle: str
    german_participle: str
    auxiliary: str

    @property
    def key(self) -> str:
        """What identifies the sense on both sides of the grammar."""
        return f"i.{self.id}"


@dataclass(frozen=True)
class Control:
    """A verb that takes an infinitive clause: *promised to ...*."""

    id: str
    english_participle: str
    german_participle: str

    @property
    def key(self) -> str:
        """What identifies the sense on both sides of the grammar."""
        return f"c.{self.id}"


@dataclass(frozen=True)
class Adverbial:
    """An adverbial of some kind (`time`, `place`, `manner`)."""

    id: str
    english: str
    german: str
    kind: str


class Lexicon:
    """The tables of the lexicon.

    >>> lexicon = Lexicon()
    >>> [noun.german["sg", "acc"] for noun in lexicon.nouns if noun.english["sg"] == "bill"]
    ['rechnung', 'gesetzentwurf']
    >>> next(verb for verb in lexicon.verbs if verb.id == "reject_proposal").to_infinitive
    ('to reject', 'abzulehnen')
    """

    @cached_property
    def nouns(self) -> list[Noun]:
        return [Noun.from_row(row) for row in _rows("nouns")]

    @cached_property
    def adjectives(self) -> list[Adjective]:
        return [Adjective(row["id"], row["english"], row["german"], _classes(row)) for row in _rows("adjectives")]

    @cached_property
    def verbs(self) -> list[Verb]:
        rows = _rows("verbs")
        return [Verb(**{**row.cells, "classes": _classes(row)}) for row in rows]  # type: ignore[arg-type]

    @cached_property
    def intransitives(self) -> list[Intransitive]:
        return [Intransitive(**row.cells) for row in _rows("intransitives")]

    @cached_property
    def controls(self) -> list[Control]:
        return [Control(**row.cells) for row in _rows("controls")]

    @cached_property
    def adverbials(self) -> list[Adverbial]:
        return [Adverbial(**row.cells) for row in _rows("adverbials")]

    def nouns_of(self, kind: str, number: str) -> list[Noun]:
        """Returns the nouns of a class in a number."""
        return [noun for noun in self.nouns if noun.kind == kind and number in noun.english]

    def verbs_of(self, kind: str) -> list[Verb]:
        """Returns the verbs that take objects of a class."""
        return [verb for verb in self.verbs if kind in verb.classes]

    @property
    def thing_classes(self) -> list[str]:
        """The noun classes that can be objects, in the order of the table."""
        return list(dict.fromkeys(noun.kind for noun in self.nouns if noun.kind not in HUMAN_CLASSES))


def _rows(name: str) -> Iterator[Row]:
    return grammar_table(f"demo/{name}.tsv", full=True)


def _classes(row: Row) -> frozenset[str]:
    return frozenset(row["classes"].split(","))

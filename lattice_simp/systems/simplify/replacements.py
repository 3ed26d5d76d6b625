"""Replacements by simpler words of the same part of speech and form, from `grammars/english/simpler_words.tsv`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.simplify.clauses import AUXILIARIES, SUBJECTS, auxiliaries, finite_word, subject
from lattice_simp.systems.simplify.inflection import inflected
from lattice_simp.systems.simplify.noun_phrase import is_plural
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs

LONGEST_TITLE = 5
"""The most words between quotation marks that count as a title, whose words stay."""

NEARBY = 7
"""The number of words on each side that must differ from a new word."""

LONGEST_FUNCTION_WORD = 3
"""The longest words that may be repeated."""

REMOVED = ("~",)
"""The entry of a row, instead of simpler words, whose words are redundant."""

SLIGHT = "slight"
"""The condition of rows that apply only beside another change; it always holds."""

_TAGS = {"verb": "VB", "noun": "NN", "adjective": "JJ", "adverb": "RB"}
_NUMBERED = ("NN", "NNS")
_FINITE_TAGS = ("VBD", "VBP", "VBZ")
_HYPHENS = frozenset({"-", "–", "/", "@-@"})
_PRONOUNS = frozenset({"PRP", "DT"})


_MODIFIERS = frozenset({"amod", "advmod"})

_OBJECTS = frozenset({"dobj", "ccomp", "xcomp"})
_COMPLEMENTS = frozenset({"ccomp", "xcomp"})
"""The labels that conditions on the words to replace require of dependents only."""


@dataclass(frozen=True)
class SimplerWords:
    """A row of the table.

    Attributes:
        words: the words to replace.
        part: `verb`, `noun`, `adjective`, `adverb` or `fixed`.
        simpler: the replacement; empty to keep the words, `REMOVED` to delete them.
        needs: groups of alternative conditions, all of which must hold.
    """

    words: tuple[str, ...]
    part: str
    simpler: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]

    @property
    def is_name(self) -> bool:
        """Whether the words are a name or a part of one ("Dec.")."""
        return ("NNP",) in self.needs

    @property
    def is_slight(self) -> bool:
        """Whether the words are no harder than the simpler ones, so that this change alone is not worthwhile."""
        return (SLIGHT,) in self.needs

    @property
    def is_compound(self) -> bool:
        """Whether the words are the last ones of a compound ("trade pact")."""
        return ("compound",) in self.needs

    @property
    def head(self) -> int:
        """The index of the inflected word, whose dependents are those of the phrase."""
        return len(self.words) - 1 if self.part == "noun" else 0

    @property
    def simpler_head(self) -> int:
        """The index of the inflected word among the simpler ones ("point of view", "person taking part")."""
        if self.part != "noun":
            return 0
        after = (index for index, word in enumerate(self.simpler) if index and word in word_group("behind_nouns"))
        return next(after, len(self.simpler)) - 1

    def simpler_forms(self, tag: str) -> tuple[str, ...]:
        """Returns the simpler words in the form of a tag."""
        if self.part not in ("verb", "noun"):
            return self.simpler
        head = self.simpler_head
        return (*self.simpler[:head], inflected(self.simpler[head], tag), *self.simpler[head + 1 :])


@dataclass(frozen=True)
class Replacement:
    """A replacement of words of a sentence by simpler ones.

    Attributes:
        positions: the contiguous positions of the words, in order.
        words: the new words.
        head: the index of the new word that keeps the tag of a replaced word; None if there is none.
        tag: the tag of this word.
        is_modifier: whether an adjective or adverb without dependents replaces another, so that the sentence keeps its
            structure.
    """

    positions: tuple[int, ...]
    words: tuple[str, ...]
    head: int | None = None
    tag: str = ""
    is_modifier: bool = False


def replacements(parse: Parse) -> tuple[Replacement, ...]:
    """Returns the replacements of a sentence, which do not overlap; longer ones come before shorter ones.

    >>> parse = Parse(("They", "purchased", "it"), (1, -1, 1), ("nsubj", "ROOT", "dobj"), ("PRON", "VERB", "PRON"),
    ...               ("PRP", "VBD", "PRP"), ("they", "purchase", "it"))
    >>> [replacement.words for replacement in replacements(parse)]
    [('bought',)]
    """
    matches = ((row, first) for row, first in _matches_of(parse) if row.simpler != REMOVED)
    chosen = (_replacement(parse, row, first) for row, first in matches if not _has_unsure_form(parse, row, first))
    return tuple(each for each in chosen if not _repeats(parse, each) and not _strands_pronoun(parse, each))


def redundant_words(parse: Parse) -> tuple[tuple[int, ...], ...]:
    """Returns the positions of each redundant word or phrase, in order.

    >>> parse = Parse(("It", ",", "of", "course", ",", "rained", "."), (5, 5, 5, 2, 5, -1, 5),
    ...               ("nsubj", "punct", "advmod", "advmod", "punct", "ROOT", "punct"),
    ...               ("PRON", "PUNCT", "ADV", "ADV", "PUNCT", "VERB", "PUNCT"),
    ...               ("PRP", ",", "RB", "RB", ",", "VBD", "."), ("it", ",", "of", "course", ",", "rain", "."))
    >>> redundant_words(parse)
    ((2, 3),)
    """
    matches = ((row, first) for row, first in _matches_of(parse) if row.simpler == REMOVED)
    return tuple(tuple(range(first, first + len(row.words))) for row, first in matches)


def slight_changes(parse: Parse) -> frozenset[tuple[int, ...]]:
    """Returns the positions of replacements and redundant words that are not worthwhile alone."""
    matches = ((row, first) for row, first in _matches_of(parse) if row.is_slight)
    return frozenset(tuple(range(first, first + len(row.words))) for row, first in matches)


def _matches_of(parse: Parse) -> Iterator[tuple[SimplerWords, int]]:
    """Yields the rows whose words occur in a sentence, with their first positions, without overlaps."""
    names, hyphenated, first = _names(parse), _beside_hyphens(parse), 0
    while first < len(parse):
        row = _matching_row(parse, first)
        length = 1 if row is None else len(row.words)
        if row is not None and row.simpler:
            kept = (set() if row.is_name else names) | (set() if "-" in row.words else hyphenated)
            if kept.isdisjoint(range(first, first + length)):
                yield row, first
        first += length


_COMPLETIONS = frozenset({"dobj", "dative", "ccomp", "acomp", "attr", "prt"})
"""Relations of words that a participle behind `and` rarely has."""

_ENDINGS = ("ing", "er", "ly")

STEM = 5
"""Words that share this many first letters sound alike."""


def _repeats(parse: Parse, replacement: Replacement) -> bool:
    """Returns whether a new content word occurs nearby already ("rules and regulations", "result in consequences")."""
    first, last = replacement.positions[0], replacement.positions[-1]
    before, after = parse.tokens[first - 1].lower() if first else "", parse.tokens[last + 1].lower()
    if replacement.words[0].lower() == before or replacement.words[-1].lower() == after:
        return True  # "is now now"
    nearby = (*range(max(0, first - NEARBY), first), *range(last + 1, min(last + 1 + NEARBY, len(parse))))
    joints = [position for position in nearby if parse.tokens[position].lower() == "and"]
    if replacement.words == ("and",) and any(parse.tokens[position - 1] != "," for position in joints):
        return True  # "cars and trains and old boats"
    content = [position for position in nearby if len(parse.tokens[position]) > LONGEST_FUNCTION_WORD]
    beside = {form.lower() for position in content for form in (parse.tokens[position], parse.lemmas[position])}
    old = parse.tokens[first].lower() if first == last else ""
    if len(old) > LONGEST_FUNCTION_WORD and any(form != old and form.endswith(old) for form in beside):
        return True  # "pleasant or unpleasant"
    stems = {form[:STEM] for form in beside if len(form) >= STEM}  # "traders also traded"
    forms = [form for word in replacement.words for form in (word, word.removesuffix("s"))]
    begins = {form[: len(form) - len(ending)] for form in beside for ending in _ENDINGS if form.endswith(ending)}
    return any(form in beside | begins or form[:STEM] in stems for form in forms)  # "a slow slowing"


def _has_unsure_form(parse: Parse, row: SimplerWords, first: int) -> bool:
    """Returns whether a past tense may be a participle of another form ("it closed, and demolished": torn down)."""
    if row.part != "verb" or parse.tags[first] != "VBD" or parse.labels[first] != "conj":
        return False
    if parse.lemmas[first].lower() in word_set("intransitive_verbs"):
        return False
    completed = any(parse.labels[below] in SUBJECTS | _COMPLETIONS for below in parse.children[first])
    return not completed and row.simpler_forms("VBD") != row.simpler_forms("VBN")


def _strands_pronoun(parse: Parse, replacement: Replacement) -> bool:
    """Returns whether a pronoun or an adverb would follow a particle ("throw away it", "watch over closely him")."""
    after = replacement.positions[-1] + 1
    is_phrasal = replacement.tag.startswith("VB") and replacement.words[-1] in word_set("particles")
    if not is_phrasal or len(replacement.words) == 1:
        return False
    objects = [child for child in parse.children[replacement.positions[0]] if parse.labels[child] == "dobj"]
    is_apart = parse.labels[after] == "advmod" and any(position > after for position in objects)
    return is_apart or (parse.labels[after] == "dobj" and parse.tags[after] in _PRONOUNS)


@cache
def _rows() -> dict[str, tuple[SimplerWords, ...]]:
    """Returns the rows of the table by their first words, longer ones first."""
    rows: dict[str, list[SimplerWords]] = {}
    for row in grammar_table("english/simpler_words.tsv", ("words", "part", "simpler", "needs"), full=True):
        needs = tuple(tuple(group.split("|")) for group in row["needs"].split())
        entry = SimplerWords(tuple(row["words"].split()), row["part"], tuple(row["simpler"].split()), needs)
        rows.setdefault(entry.words[0], []).append(entry)
    return {word: tuple(sorted(entries, key=lambda entry: -len(entry.words))) for word, entries in rows.items()}


def _matching_row(parse: Parse, first: int) -> SimplerWords | None:
    keys = dict.fromkeys((parse.tokens[first].lower(), parse.lemmas[first].lower()))
    candidates = (row for key in keys for row in _rows().get(key, ()))
    return next((row for row in candidates if _matches(parse, row, first)), None)


def _matches(parse: Parse, row: SimplerWords, first: int) -> bool:
    if first + len(row.words) >= len(parse):  # the last token of a sentence is a stop, or nothing follows to read
        return False
    head = first + row.head
    for index, word in enumerate(row.words):
        is_lemma = index == row.head and row.part in ("verb", "noun")
        column = parse.lemmas if is_lemma else parse.tokens
        if column[first + index].lower() != word:
            return False
    tag = _TAGS.get(row.part, "")
    fits = parse.tags[head].startswith(tag) and (row.part != "noun" or parse.tags[head] in _NUMBERED)
    if not fits or not _is_ordinary(parse, row, head):
        return False
    span = range(first, first + len(row.words))
    return all(any(_condition(parse, span, head, name) for name in group) for group in row.needs)


def _is_ordinary(parse: Parse, row: SimplerWords, head: int) -> bool:
    """Returns whether a word is neither part of a compound nor compared, nor perhaps a name ("Serpent is a cipher")."""
    below = parse.children[head]
    if row.simpler[:1] == ("be",) and any(parse.lemmas[child] == "do" for child in below if child < head):
        return False  # "it did not be in the film"
    is_joined = any(parse.labels[lower] == "conj" for child in below for lower in parse.children[child])
    if is_joined and ("not" in row.simpler or (row.simpler[:1] == ("was",) and parse.tags[head] == "VBD")):
        return False  # "do not have money and time": "or"; "Ann and Tom opposed it": "were against"
    if row.simpler[:1] == ("very",) and head and parse.tokens[head - 1].lower() in word_group("degrees"):
        return False  # "such very good plans"
    if row.part == "noun" and parse.tags[head] == "NN" and _is_start(parse, head):
        return False
    if parse.labels[head] == "xcomp" and parse.tags[head] in _FINITE_TAGS:
        return False  # "a program of vouchers purchase": a noun
    if row.part == "verb":
        return parse.labels[head] not in ("amod", "compound", "acomp") and _has_sure_form(parse, row, head)
    if row.part == "noun":
        is_single = row.is_compound or all(parse.labels[child] != "compound" for child in below)
        return parse.labels[head] not in ("compound", "nmod") and is_single
    return row.part == "fixed" or all(parse.tokens[child].lower() not in word_group("compared") for child in below)


def _has_sure_form(parse: Parse, row: SimplerWords, verb: int) -> bool:
    """Returns whether the tag of a past form is certain, or the new verb has the same form for both tags."""
    has_subject = any(parse.labels[child] in SUBJECTS for child in parse.children[verb])
    if parse.tags[verb] == "VBD" and parse.tokens[verb].lower() == parse.lemmas[verb].lower() and not has_subject:
        return False  # "to sing and put an end to it"
    helping = {parse.lemmas[child].lower() for child in parse.children[verb] if parse.labels[child] in AUXILIARIES}
    if parse.tags[verb] in ("VB", "VBP") and "have" in helping:
        return False  # "has it come to this": a participle
    if not row.simpler or inflected(row.simpler[0], "VBD") == inflected(row.simpler[0], "VBN"):
        return True
    labels, head = {parse.labels[child] for child in parse.children[verb]}, parse.heads[verb]
    intransitive = ("-dobj",) in row.needs or row.words[0] in word_set("intransitive_verbs")
    if parse.tags[verb] == "VBN":
        is_clause = parse.labels[verb] in ("acl", "advcl") and not intransitive  # "the town disintegrated and ..."
        return bool(labels & AUXILIARIES) or is_clause or _is_joined(parse, verb, "VBN", "JJ")
    needs_object = any(name.split(":")[0] == "dobj" for group in row.needs for name in group)
    if parse.tags[verb] == "VBD" and needs_object and labels.isdisjoint(_OBJECTS):
        return False  # "the contract awarded to the firm , forms part of it"
    active = intransitive and _is_joined(parse, verb, "VBD") and not auxiliaries(parse, head)
    return parse.tags[verb] != "VBD" or active or bool(labels & (SUBJECTS | {"dobj", "ccomp", "xcomp"}))


def _is_joined(parse: Parse, position: int, *tags: str) -> bool:
    """Returns whether a word is the conjunct of a word with this tag."""
    return parse.labels[position] == "conj" and parse.tags[parse.heads[position]] in tags


def _condition(parse: Parse, span: range, position: int, name: str) -> bool:
    """Returns whether a condition holds for a word among those at `span`; see the table."""
    if name.startswith("-") and len(name) > 1:
        return not _condition(parse, span, position, name[1:])
    if name.startswith("^"):
        head = parse.heads[position]
        return head != ROOT and (parse.lemmas[head].lower() == name[1:] or _condition(parse, span, head, name[1:]))
    if name[:1] in _BESIDE and len(name) > 1:
        beside = span.start - 1 if name[0] == "<" else span.stop
        return beside >= 0 and name[1:] in (parse.tags[beside], parse.tokens[beside].lower())
    if name in _PLACES:
        return _PLACES[name](parse, position)
    if ":" in name and len(name) > 1:
        return _has_child(parse, position, *name.split(":", 1))
    return _describes(parse, position, name, is_complement=name in _COMPLEMENTS and position not in span)


def _describes(parse: Parse, position: int, name: str, *, is_complement: bool) -> bool:
    """Returns whether a word has a label or tag, or a dependent with a label or word.

    Args:
        is_complement: whether the label of a complement may be that of the word itself ("threaten to quit").
    """
    below = parse.children[position]
    labels = {parse.labels[child] for child in below}
    if name == "passive":
        return "auxpass" in labels or (parse.labels[position] == "acl" and parse.tags[position] == "VBN")
    there = [child for child in below if parse.labels[child] != "aux"]  # not "to go"
    words = {form for child in there for form in (parse.tokens[child].lower(), parse.lemmas[child].lower())}
    own = {parse.tags[position], parse.labels[position]} - (frozenset() if is_complement else _COMPLEMENTS)
    return name in labels | words | own


def _has_child(parse: Parse, position: int, label: str, name: str) -> bool:
    """Returns whether a word has a dependent with this label, or behind this preposition, and with this tag or form."""
    below = [child for child in parse.children[position] if parse.labels[child] == label]
    for child in parse.children[position]:
        if parse.labels[child] == "prep" and parse.tokens[child].lower() == label:
            below += parse.children[child]
    return any(name in (parse.tags[child], parse.tokens[child].lower(), parse.lemmas[child].lower()) for child in below)


def _is_start(parse: Parse, position: int) -> bool:
    return all(mark_kind(token) is not None for token in parse.tokens[:position])


def _is_outside_subject(parse: Parse, position: int) -> bool:
    """Returns whether a word is outside of subjects, with which a verb would have to agree."""
    current = position
    while current != ROOT and parse.parts[current] not in ("VERB", "AUX"):
        if parse.labels[current] in SUBJECTS:
            return False
        current = parse.heads[current]
    return True


def _is_inside(parse: Parse, position: int) -> bool:
    """Returns whether a word follows the subject of its verb ("the town , however , is old")."""
    verb = parse.heads[position]
    noun = None if verb == ROOT else subject(parse, verb)
    return noun is not None and noun < position


def _has_finite_clause(parse: Parse, position: int) -> bool:
    """Returns whether the complement of a verb is a finite clause ("think that they are", not "think them to be")."""
    return any(
        parse.labels[child] == "ccomp" and finite_word(parse, child) is not None for child in parse.children[position]
    )


_BESIDE = frozenset("<>")
_PLACES: Mapping[str, Callable[[Parse, int], bool]] = {
    "after": lambda parse, position: parse.heads[position] < position,
    "start": _is_start,
    "inside": _is_inside,
    "outside": _is_outside_subject,
    "finite": _has_finite_clause,
    SLIGHT: lambda parse, position: True,
}


def _replacement(parse: Parse, row: SimplerWords, first: int) -> Replacement:
    head = first + row.head
    tag = parse.tags[head]
    words = row.simpler_forms(tag)
    noun = subject(parse, head)
    if words[:1] == ("was",) and row.part == "verb" and noun is not None and is_plural(parse, noun):
        words = ("were", *words[1:])
    positions = tuple(range(first, first + len(row.words)))
    if row.part in ("verb", "noun"):
        is_gerund = row.part == "noun" and words[row.simpler_head].endswith("ing")  # "setting up"
        return Replacement(positions, words, row.simpler_head, "" if is_gerund else tag)
    single = len(positions) == len(words) == 1 and row.part != "fixed"
    is_modifier = single and parse.labels[head] in _MODIFIERS and not parse.children[head]
    return Replacement(positions, words, 0 if single else None, tag if single else "", is_modifier)


def _names(parse: Parse) -> set[int]:
    """Returns the positions of names and of words in titles."""
    kept = {
        position
        for position, token in enumerate(parse.tokens)
        if parse.tags[position] in ("NNP", "NNPS")
        or (position and (token[:1].isupper() or parse.tokens[position - 1].lower() in word_set("naming_participles")))
    }
    for first, last in mark_pairs(parse.tokens):
        if last - first <= LONGEST_TITLE + 1 and mark_kind(parse.tokens[first]) == "quote":
            kept |= set(range(first + 1, last))
    return kept


def _beside_hyphens(parse: Parse) -> set[int]:
    hyphens = [position for position, token in enumerate(parse.tokens) if token in _HYPHENS]
    return {beside for position in hyphens for beside in (position - 1, position + 1)}

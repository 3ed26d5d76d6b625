"""Replacements by simpler words of the same part of speech and form, from `grammars/english/simpler_words.tsv`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.simplify.clauses import AUXILIARIES, SUBJECTS, auxiliaries
from lattice_simp.systems.simplify.inflection import inflected
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs

LONGEST_TITLE = 5
"""The most words between quotation marks that count as a title, whose words stay."""

NEARBY = 4
"""How many words on each side must not be the same as a new word."""

LONGEST_FUNCTION_WORD = 3
"""Words up to this length may be repeated."""

_TAGS = {"verb": "VB", "noun": "NN", "adjective": "JJ", "adverb": "RB"}
_NUMBERED = ("NN", "NNS")
_COMPARED = frozenset({"more", "most", "less", "least"})


@dataclass(frozen=True)
class SimplerWords:
    """A row of the table.

    Attributes:
        words: the words that are replaced.
        part: `verb`, `noun`, `adjective`, `adverb` or `fixed`.
        simpler: the words that take their place; empty if the words stay.
        needs: groups of alternative conditions, all of which must hold.
    """

    words: tuple[str, ...]
    part: str
    simpler: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]

    @property
    def head(self) -> int:
        """The index of the word that is inflected, or whose dependants count."""
        return len(self.words) - 1 if self.part == "noun" else 0

    def simpler_forms(self, tag: str) -> tuple[str, ...]:
        """Returns the simpler words in the form of a tag."""
        if self.part not in ("verb", "noun"):
            return self.simpler
        head = len(self.simpler) - 1 if self.part == "noun" else 0
        return (*self.simpler[:head], inflected(self.simpler[head], tag), *self.simpler[head + 1 :])


@dataclass(frozen=True)
class Replacement:
    """Words of a sentence that simpler ones can take the place of.

    Attributes:
        positions: the positions of the words, in order, without gaps.
        words: the new words.
        head: the index among the new words of the one that keeps the tag of a replaced one; None if there is none.
        tag: that tag.
    """

    positions: tuple[int, ...]
    words: tuple[str, ...]
    head: int | None = None
    tag: str = ""


def replacements(parse: Parse) -> tuple[Replacement, ...]:
    """Returns the replacements of a sentence, which do not overlap; longer ones come before shorter ones.

    >>> parse = Parse(("They", "purchased", "it"), (1, -1, 1), ("nsubj", "ROOT", "dobj"), ("PRON", "VERB", "PRON"),
    ...               ("PRP", "VBD", "PRP"), ("they", "purchase", "it"))
    >>> [replacement.words for replacement in replacements(parse)]
    [('bought',)]
    """
    kept = _kept_positions(parse)
    chosen, first = list[Replacement](), 0
    while first < len(parse):
        row = _matching_row(parse, first)
        length = 1 if row is None else len(row.words)
        if row is not None and row.simpler and kept.isdisjoint(range(first, first + length)):
            replacement = _replacement(parse, row, first)
            if not _repeats(parse, replacement):
                chosen.append(replacement)
        first += length
    return tuple(chosen)


def _repeats(parse: Parse, replacement: Replacement) -> bool:
    """Returns whether a new content word stands nearby already ("rules and regulations")."""
    first, last = replacement.positions[0], replacement.positions[-1]
    nearby = (*parse.tokens[max(0, first - NEARBY) : first], *parse.tokens[last + 1 : last + 1 + NEARBY])
    beside = {token.lower() for token in nearby if len(token) > LONGEST_FUNCTION_WORD}
    return not beside.isdisjoint(replacement.words)


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
    following = f">{parse.tags[first + len(row.words)]}"
    return all(following in group or _holds(parse, head, group) for group in row.needs)


def _is_ordinary(parse: Parse, row: SimplerWords, head: int) -> bool:
    """Returns whether a word is neither part of a compound nor compared."""
    below = parse.children[head]
    if row.part == "verb":
        return parse.labels[head] not in ("amod", "compound", "acomp") and _has_sure_form(parse, row, head)
    if row.part == "noun":
        return parse.labels[head] != "compound" and all(parse.labels[child] != "compound" for child in below)
    return row.part == "fixed" or all(parse.tokens[child].lower() not in _COMPARED for child in below)


def _has_sure_form(parse: Parse, row: SimplerWords, verb: int) -> bool:
    """Returns whether a past form is surely that of its tag, or the new verb has the same form for both."""
    if not row.simpler or inflected(row.simpler[0], "VBD") == inflected(row.simpler[0], "VBN"):
        return True
    labels, head = {parse.labels[child] for child in parse.children[verb]}, parse.heads[verb]
    if parse.tags[verb] == "VBN":
        return (
            bool(labels & AUXILIARIES) or parse.labels[verb] in ("acl", "advcl") or _is_joined(parse, verb, "VBN", "JJ")
        )
    intransitive = ("-dobj",) in row.needs or row.words[0] in word_set("intransitive_verbs")
    active = intransitive and _is_joined(parse, verb, "VBD") and not auxiliaries(parse, head)
    return parse.tags[verb] != "VBD" or active or bool(labels & (SUBJECTS | {"dobj", "ccomp", "xcomp"}))


def _is_joined(parse: Parse, position: int, *tags: str) -> bool:
    """Returns whether a word is the conjunct of one with such a tag."""
    return parse.labels[position] == "conj" and parse.tags[parse.heads[position]] in tags


def _holds(parse: Parse, position: int, alternatives: tuple[str, ...]) -> bool:
    """Returns whether one of the alternative conditions holds; see the table."""
    return any(_condition(parse, position, name) for name in alternatives)


def _condition(parse: Parse, position: int, name: str) -> bool:
    if name.startswith("-"):
        return not _condition(parse, position, name[1:])
    if name.startswith("^"):
        head = parse.heads[position]
        return head != ROOT and (parse.lemmas[head].lower() == name[1:] or _condition(parse, head, name[1:]))
    if name == "after":
        return parse.heads[position] < position
    below = parse.children[position]
    labels = {parse.labels[child] for child in below}
    if name == "passive":
        return "auxpass" in labels or (parse.labels[position] == "acl" and parse.tags[position] == "VBN")
    here = (parse.labels[position], parse.tags[position])
    words = {parse.tokens[child].lower() for child in below if parse.labels[child] != "aux"}  # not "to go"
    return name in labels | words or name in here


def _replacement(parse: Parse, row: SimplerWords, first: int) -> Replacement:
    head = first + row.head
    tag = parse.tags[head]
    words = row.simpler_forms(tag)
    positions = tuple(range(first, first + len(row.words)))
    if row.part in ("verb", "noun"):
        return Replacement(positions, words, len(words) - 1 if row.part == "noun" else 0, tag)
    single = len(positions) == len(words) == 1 and row.part != "fixed"
    return Replacement(positions, words, 0 if single else None, tag if single else "")


def _kept_positions(parse: Parse) -> set[int]:
    """Returns the positions of names, of words in titles and of words beside hyphens."""
    kept = {
        position
        for position, token in enumerate(parse.tokens)
        if parse.tags[position] in ("NNP", "NNPS") or (position and token[:1].isupper())
    }
    for position, token in enumerate(parse.tokens):
        if token in ("-", "–", "/", "@-@"):
            kept |= {position - 1, position + 1}
    for first, last in mark_pairs(parse.tokens):
        if last - first <= LONGEST_TITLE + 1 and mark_kind(parse.tokens[first]) == "quote":
            kept |= set(range(first + 1, last))
    return kept

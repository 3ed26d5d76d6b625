"""Checks that a simplification consists of sound sentences, by comparing its parse with that of its source.

Tokens keep their source positions, so both parses can be compared word by word:
words that stay must keep their tags, their heads and their roles, and each sentence must have a subject and a finite
verb.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.clauses import FINITE, SUBJECTS, child, finite_word, subject
from lattice_simp.systems.simplify.noun_phrase import is_plural
from lattice_simp.systems.simplify.sentence import Sentence
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

CORE = SUBJECTS | {"dobj", "attr", "acomp", "oprd", "ccomp", "xcomp", "dative", "agent", "prt", "pobj", "pcomp", "neg"}
"""The labels of dependents that a sentence needs."""

_ALIKE = (
    frozenset({"VB", "VBP"}),
    frozenset({"VBD", "VBN"}),
    frozenset({"NN", "NNP", "JJ"}),
    frozenset({"NNS", "NNPS"}),
    frozenset({"IN", "RB", "RP", "WDT", "DT"}),
    frozenset({"RB", "JJ"}),
    frozenset({"JJ", "VBN"}),
    frozenset({"JJ", "JJR"}),
    frozenset({"RB", "RBR"}),
)
"""Groups of tags that parsers confuse."""

_ALIKE_ON_SAME_WORD = (
    frozenset({"NN", "NNS", "NNP", "NNPS"}),
    frozenset({"CC", "DT", "PDT"}),
    frozenset({"JJR", "RBR"}),
)
"""Further groups of tags that parsers confuse on a word that stays ("police", "Wales", "both")."""

_CONTENT = frozenset({"NOUN", "PROPN", "NUM", "VERB"})


@dataclass(frozen=True)
class Written:
    """A sentence of a simplification.

    Attributes:
        tokens: its tokens with source positions, first words capitalised.
        parse: its parse.
        new: the required tag of each token of a replacement; empty for any.
    """

    tokens: Sentence
    parse: Parse
    new: dict[int, str]

    @cached_property
    def index_of(self) -> dict[int, int]:
        """The indices of source tokens by source position; of a copy only if the original is not in the sentence."""
        stays = [index for index in range(len(self.tokens)) if index not in self.new]
        copied = {self.tokens[index].position: index for index in stays if self.tokens[index].copied}
        originals = {self.tokens[index].position: index for index in stays if not self.tokens[index].copied}
        return {position: index for position, index in (copied | originals).items() if position is not None}


def fault(
    source: Parse,
    sentences: Sequence[Written],
    free: frozenset[int] = frozenset(),
    *,
    only_replaces: bool = False,
) -> str:
    """Returns the first fault of a simplification; empty if there is none.

    Args:
        source: the parse of the source.
        sentences: the sentences of the simplification.
        free: the source positions that were deleted or replaced, or that a split drops.
        only_replaces: whether words are only replaced by others of the same kind, so that the structure stays: where
            the parses of the other words differ, one of them is wrong.
    """
    lost = _lost_words(source, sentences, free)
    if lost:
        return f"lost: {lost}"
    for sentence in sentences:
        wrong = (
            _doubled_mark(source, sentence)
            or _changed_new_tag(sentence)
            or ("" if only_replaces else _changed_structure(source, sentence, free))
            or _disagreement(source, sentence)
            or _miscounted(sentence)
        )
        if wrong:
            return wrong
    return ""


def _changed_structure(source: Parse, sentence: Written, free: frozenset[int]) -> str:
    """Returns the first fault of the clauses of a sentence, or of the places of its words."""
    return _without_verb(source, sentence) or _changed_tag(source, sentence) or _changed_head(source, sentence, free)


def _lost_words(source: Parse, sentences: Sequence[Written], free: frozenset[int]) -> str:
    """Returns the first content word, negation or quotation mark that is missing although no operation removed it."""
    there = {position for sentence in sentences for position in sentence.index_of}
    needed = (
        source.tokens[position]
        for position in range(len(source))
        if position not in there | free and _is_needed(source, position)
    )
    return next(needed, "")


def _is_needed(source: Parse, position: int) -> bool:
    token = source.tokens[position]
    is_quote = mark_kind(token) == "quote"
    return is_quote or source.parts[position] in _CONTENT or token.lower() in word_set("negations")


def _doubled_mark(source: Parse, sentence: Written) -> str:
    """Returns a fault if two commas or stops, or `and` and one of them, are neighbours, but not in the source."""
    source_pairs, parse = set(pairwise(source.tokens)), sentence.parse
    for index, pair in enumerate(pairwise(parse.tokens)):
        marks = [mark_kind(token) in ("comma", "stop") for token in pair]
        marks[0] = marks[0] or (pair[1] == "." and pair[0].endswith(".") and len(pair[0]) > 2)
        joins = parse.tags[index] == "CC" and not sentence.tokens[index].copied
        if marks[1] and (marks[0] or joins) and pair not in source_pairs:
            return f"doubled: {' '.join(pair)}"
    end = parse.tokens[-3:]
    if len(end) == 3 and mark_kind(end[0]) == mark_kind(end[2]) == "stop" and mark_kind(end[1]) is not None:
        return "" if end == source.tokens[-3:] else f"doubled: {' '.join(end)}"
    return ""


def _without_verb(source: Parse, sentence: Written) -> str:
    """Returns a fault if a sentence lacks a finite main verb or a subject although its source has both."""
    parse = sentence.parse
    roots = [root for root in parse.roots if mark_kind(parse.tokens[root]) is None]
    complete = any(_is_clause(source, root) for root in source.roots)
    if len(roots) != 1 and len(source.roots) == 1:
        return "several roots"
    if any(parse.lemmas[root] == "be" and _is_bare(parse, root) for root in roots):
        return "nothing after be"
    begins_with_verb = parse.tags[0] in FINITE and parse.tags[0] != source.tags[0]
    if complete and begins_with_verb and parse.tokens[-1] != "?":
        return "verb first"
    if complete and not any(_is_clause(parse, root) for root in roots):
        return "no main clause"
    return ""


def _is_bare(parse: Parse, root: int) -> bool:
    """Returns whether a verb has no dependents but a subject."""
    return all(parse.labels[below] in SUBJECTS | {"punct", "cc"} for below in parse.children[root])


def _is_clause(parse: Parse, root: int) -> bool:
    """Returns whether a root heads a finite clause with a subject and without a subordinator."""
    subordinate = child(parse, root, {"mark"}) is not None
    return not subordinate and finite_word(parse, root) is not None and subject(parse, root) is not None


def _changed_new_tag(sentence: Written) -> str:
    """Returns the first new word whose tag differs from the required one."""
    parse = sentence.parse
    for index, tag in sentence.new.items():
        if tag and not _are_alike(tag, parse.tags[index]) and not _is_plural_instead(parse, index, tag):
            return f"{parse.tokens[index]} is {parse.tags[index]}, not {tag}"
    return ""


def _changed_tag(source: Parse, sentence: Written) -> str:
    """Returns the first word of the source whose tag differs."""
    parse = sentence.parse
    for position, index in sentence.index_of.items():
        token, before, after = parse.tokens[index], source.tags[position], parse.tags[index]
        same = token.lower() == source.tokens[position].lower() and mark_kind(token) is None
        if same and not _are_alike(before, after, _ALIKE_ON_SAME_WORD) and not _is_figure(token):
            return f"{token} is {after}, not {before}"
    return ""


def _is_plural_instead(parse: Parse, index: int, tag: str) -> bool:
    """Returns whether a plural takes the place of a singular noun without a singular determiner ("turnover": sales)."""
    below = {parse.tokens[position].lower() for position in parse.children[index]}
    return (tag, parse.tags[index]) == ("NN", "NNS") and below.isdisjoint(word_group("singular_determiners"))


def _is_figure(token: str) -> bool:
    """Returns whether a word is written with figures ("13-year-old", "9pm"), whose tags vary."""
    return any(letter.isdigit() for letter in token)


def _are_alike(first: str, second: str, further: tuple[frozenset[str], ...] = ()) -> bool:
    return first == second or any({first, second} <= group for group in (*_ALIKE, *further))


def _changed_head(source: Parse, sentence: Written, free: frozenset[int]) -> str:
    """Returns the first core dependent whose head or label differs from the source's."""
    parse, index_of = sentence.parse, sentence.index_of
    for position, index in index_of.items():
        head = source.heads[position]
        if source.labels[position] not in CORE or sentence.tokens[index].copied or head == ROOT:
            continue
        if head in free or head not in index_of or source.parts[position] == "PUNCT":
            continue
        if parse.heads[index] != index_of[head] or not _same_role(source.labels[position], parse.labels[index]):
            return f"{parse.tokens[index]} is {parse.labels[index]}, not {source.labels[position]}"
    return ""


def _same_role(first: str, second: str) -> bool:
    return first == second or {first, second} <= SUBJECTS or {first, second} <= {"attr", "acomp", "dobj", "oprd"}


def _disagreement(source: Parse, sentence: Written) -> str:
    """Returns the first verb that disagrees with its subject, if one of them is new."""
    parse = sentence.parse
    for index, label in enumerate(parse.labels):
        if label not in ("nsubj", "nsubjpass") or parse.heads[index] == ROOT:
            continue
        verb = finite_word(parse, parse.heads[index])
        if verb is None or parse.parts[index] not in ("NOUN", "PROPN", "PRON"):
            continue
        is_new = any(_is_new(source, sentence, word) for word in (index, verb))
        if is_new and _disagree(parse, index, verb):
            return f"{parse.tokens[index]} {parse.tokens[verb]} disagree"
    return ""


def _is_new(source: Parse, sentence: Written, index: int) -> bool:
    """Returns whether a word is new or copied, or a subject only now ("a string of plans has": "several plans has").

    A new word in the form of the one that it replaces agrees as that one did; forms of `be` also differ in the past.
    """
    token = sentence.tokens[index]
    if index in sentence.new:
        return sentence.new[index] != sentence.parse.tags[index] or sentence.parse.lemmas[index] == "be"
    was_other = token.position is not None and sentence.parse.labels[index] in SUBJECTS
    return token.position is None or token.copied or (was_other and source.labels[token.position] not in SUBJECTS)


def _miscounted(sentence: Written) -> str:
    """Returns the first new word of number before a singular noun ("many labour")."""
    parse = sentence.parse
    for index in sentence.new:
        word, noun = parse.tokens[index].lower(), parse.heads[index]
        if (
            word in word_group("counting")
            and parse.labels[index] in ("amod", "det")
            and parse.tags[noun] in ("NN", "NNP")
        ):
            return f"{word} {parse.tokens[noun]}"
    return ""


def _disagree(parse: Parse, noun: int, verb: int) -> bool:
    text = parse.tokens[verb].lower()
    subject_word = parse.tokens[noun].lower()
    if subject_word in word_group("any_number") or (subject_word == "i" and text == "was"):
        return False
    plural = is_plural(parse, noun) or subject_word in word_group("plural_subjects")
    if text in word_group("singular_verbs") or parse.tags[verb] == "VBZ":
        return plural
    return (
        not plural
        and (text in word_group("plural_verbs") or parse.tags[verb] == "VBP")
        and parse.tags[noun] in ("NN", "NNP", "PRP")
    )

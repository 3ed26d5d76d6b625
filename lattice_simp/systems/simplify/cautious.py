"""Cautious simplification: only operations that leave sentences sound, tested first one by one, then together.

Each split, deletion and replacement is applied alone, and dropped if the parse of the result has a fault
(`soundness.py`).
The remaining ones form the lattice of hypotheses; the first of its best paths without a fault is the simplification.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.analysis import Analysis
from lattice_simp.systems.simplify.births import birth_splits
from lattice_simp.systems.simplify.certainty.certain import is_certain
from lattice_simp.systems.simplify.clause_marks import mark_splits
from lattice_simp.systems.simplify.deletion import Deletion, DeletionKind, length_range
from lattice_simp.systems.simplify.hypotheses import Variant, make_variant
from lattice_simp.systems.simplify.linking import linking_adverbs
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.questions import question_splits
from lattice_simp.systems.simplify.quotations import quotation_splits
from lattice_simp.systems.simplify.replacements import Replacement, redundant_words, replacements, slight_changes
from lattice_simp.systems.simplify.reports import fronted_reports
from lattice_simp.systems.simplify.sentence import DASHES, finished
from lattice_simp.systems.simplify.soundness import Written, fault
from lattice_simp.systems.simplify.split import Split, SplitKind, compatible
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs
from lattice_simp.text.english.spacy_parser import parse_sentences

WEIGHTS: Mapping[str, float] = {
    "LM": 1.0,
    "Input:Split": 1.0,
    "Input:Splits": 40.0,
    "Input:Deleted": 5.0,
    "Input:Replaced": 20.0,
}
"""The reward of each operation in nats, against the language model, which decides between combinations of them."""

LEAST_SPLIT = 8
"""The least number of words of a sentence that is worth splitting."""

BEAM = 200.0
"""The beam, in nats, of the best paths: wide enough for paths without some of the operations."""

CANDIDATES = 50
"""The number of best paths to check."""


@dataclass(frozen=True)
class Reading:
    """A path through a variant: the indices of the written tokens."""

    variant: Variant
    indices: tuple[int, ...]

    def only_replaces(self, source: Parse) -> bool:
        """Returns whether words of a source are only replaced: none is moved, repeated, inserted or left out."""
        positions: list[int | None] = []
        for index in self.indices:
            bypass, offset = self.variant.new.get(index, (None, 0))
            if bypass is None:
                positions.append(self.variant.written[index].position)
            elif offset == 0:
                positions += bypass.replacement.positions
        return positions == list(range(len(source)))

    def free(self) -> frozenset[int]:
        """Returns the source positions that the operations of the reading change or remove."""
        variant, kept = self.variant, set(self.indices)
        changed = {position for split in variant.splits for position in split.dropped}
        changed |= {position for split in variant.splits for position, _ in split.changes}
        for leap in variant.leaps:
            if kept.isdisjoint(range(leap.begin, leap.end)):
                changed |= {
                    token.position for token in variant.tokens[leap.begin : leap.end] if token.position is not None
                }
        for index in self.indices:
            if index in variant.new:
                changed |= set(variant.new[index][0].replacement.positions)
        return frozenset(changed)


def faults(source: Parse, readings: Sequence[Reading]) -> list[str]:
    """Returns the fault of each reading, or an empty string; parses all at once."""
    texts = [_sentences(source, reading) for reading in readings]
    parses = iter(
        parse_sentences(
            _parsed_words(source, reading, words, indices)
            for reading, sentences in zip(readings, texts, strict=True)
            for words, indices in sentences
        )
    )
    wrong = []
    for reading, sentences in zip(readings, texts, strict=True):
        written = [_written(reading, words, indices, next(parses)) for words, indices in sentences]
        wrong.append(fault(source, written, reading.free(), only_replaces=reading.only_replaces(source)))
    return wrong


def _parsed_words(source: Parse, reading: Reading, words: Sequence[str], indices: Sequence[int]) -> list[str]:
    """Returns the words to parse: replaced modifiers stand for the new ones, because parses change with rare words."""
    new = {index: bypass.replacement for index, (bypass, _) in reading.variant.new.items()}
    return [
        source.tokens[new[index].positions[0]] if index in new and new[index].is_modifier else word
        for word, index in zip(words, indices, strict=True)
    ]


def _sentences(source: Parse, reading: Reading) -> list[tuple[list[str], list[int]]]:
    """Returns the words of each sentence with their indices."""
    tokens = finished([reading.variant.written[index].text for index in reading.indices], source.tokens)
    sentences: dict[int, tuple[list[str], list[int]]] = {}
    for word, index in zip(tokens, reading.indices, strict=True):
        words, indices = sentences.setdefault(reading.variant.sentence_of(index), ([], []))
        words.append(word)
        indices.append(index)
    return list(sentences.values())


def _written(reading: Reading, words: Sequence[str], indices: Sequence[int], parse: Parse) -> Written:
    variant, new = reading.variant, dict[int, str]()
    for place, index in enumerate(indices):
        if index in variant.new:
            bypass, offset = variant.new[index]
            new[place] = bypass.replacement.tag if offset == bypass.replacement.head else ""
    tokens = tuple(replace(variant.written[index], text=word) for index, word in zip(indices, words, strict=True))
    return Written(tokens, replace(parse, tokens=tuple(words)), new)


def cautious_analysis(analysis: Analysis) -> Analysis:
    """Returns an analysis with replacements, reduced to the operations that are sound when applied alone."""
    words = sum(mark_kind(token) is None for token in analysis.tokens)
    is_long = words >= LEAST_SPLIT
    splits = [split for split in analysis.splits if is_long and is_certain(analysis.parse, split)]
    for split in _further_splits(analysis.parse) if is_long else ():
        splits += [split] if compatible((*splits, split)) and not _meets(split, splits) else []
    if not splits and is_long:
        splits = list(fronted_reports(analysis.parse))
    splits = splits or list(linking_adverbs(analysis.parse))
    deletions = [
        deletion for deletion in analysis.deletions if is_harmless(deletion) and not _limits(analysis, deletion)
    ]
    deletions += redundant_brackets(analysis.tokens)
    deletions += [_redundant(analysis.tokens, positions) for positions in redundant_words(analysis.parse)]
    changes = replacements(analysis.parse)
    plain = replace(analysis, deletions=tuple(deletions))
    readings = [_reading(make_variant(plain, _NOTHING, [split], (), _none)) for split in splits]
    whole = make_variant(plain, _NOTHING, (), (), lambda deletion: True)
    applied_deletions = [leap.deletion for leap in whole.leaps]
    readings += [_reading(whole, range(leap.begin, leap.end)) for leap in whole.leaps]
    for change in changes:
        variant = make_variant(replace(analysis, replacements=(change,)), _NOTHING, (), (), _none)
        readings.append(_replaced(variant))
    sound = [not wrong for wrong in faults(analysis.parse, readings)]
    good = replace(
        analysis,
        splits=_uninterrupted(_filled(analysis.tokens, _where(splits, sound))),
        deletions=_where(applied_deletions, sound[len(splits) :]),
        replacements=_where(changes, sound[len(splits) + len(applied_deletions) :]),
    )
    return good if _is_worth_while(good) else replace(good, splits=(), deletions=(), replacements=())


def _further_splits(parse: Parse) -> Iterator[Split]:
    """Yields the splits at births, marks, quotations and questions, which are not constructions of the parse."""
    yield from birth_splits(parse)
    yield from mark_splits(parse)
    yield from quotation_splits(parse)
    yield from question_splits(parse)


def _meets(split: Split, splits: Sequence[Split]) -> bool:
    """Returns whether an existing split separates the same two clauses."""
    first = min(split.removed)
    return any(first in (existing.clause[0] - 1, existing.clause[0], existing.clause[-1] + 1) for existing in splits)


def _is_worth_while(analysis: Analysis) -> bool:
    """Returns whether a single change, or several slight ones together, make the sentence simpler."""
    slight = slight_changes(analysis.parse)
    deletions = [deletion for deletion in analysis.deletions if deletion.word != "("]
    slight |= {deletion.positions for deletion in deletions if is_harmless(deletion)}
    changes: tuple[Deletion | Replacement, ...] = (*deletions, *analysis.replacements)
    return bool(analysis.splits) or len(changes) > 1 or any(change.positions not in slight for change in changes)


def _filled(tokens: Sequence[str], splits: Sequence[Split]) -> tuple[Split, ...]:
    """Drops splits that leave a single word of the clause of another split ("and missed, hitting the post")."""

    def empties(inner: Split, outer: Split) -> bool:
        rest = [position for position in set(outer.clause) - inner.removed if mark_kind(tokens[position]) is None]
        return set(inner.clause) < set(outer.clause) and len(rest) == 1

    return tuple(split for split in splits if not any(empties(split, other) for other in splits))


def _uninterrupted(splits: Sequence[Split]) -> tuple[Split, ...]:
    """Drops splits whose opening refers to another sentence than the one before it ("He was born there . But ...")."""
    following = sorted((split for split in splits if not split.leads), key=lambda split: split.clause[0])
    interrupted = {
        after
        for before, after in pairwise(following)
        if not before.removed & after.removed and not _goes_on(before) and _refers_back(after)
    }
    return tuple(split for split in splits if split not in interrupted)


def _refers_back(split: Split) -> bool:
    return (
        bool(split.sentence)
        and split.sentence[0].position is None
        and split.sentence[0].text.lower() in word_group("referring")
    )


def _goes_on(split: Split) -> bool:
    """Returns whether the sentence of a split goes on with the statement before it."""
    return split.kind in (SplitKind.COORDINATION, SplitKind.ADVERBIAL)


_NOTHING = OperationModel()
_Operation = TypeVar("_Operation", Split, Deletion, Replacement)


def _none(deletion: Deletion) -> bool:
    return False


def _where(items: Iterable[_Operation], sound: Iterable[bool]) -> tuple[_Operation, ...]:
    return tuple(item for item, is_sound in zip(items, sound, strict=False) if is_sound)


def is_harmless(deletion: Deletion) -> bool:
    """Returns whether a statement stays as true and complete without the words of a deletion."""
    return deletion.word in word_set("harmless_words")


def _limits(analysis: Analysis, deletion: Deletion) -> bool:
    """Returns whether a word limits what follows ("there is basically no food"), or would leave a comma ("and, of
    course we").
    """
    first, last = deletion.positions[0], deletion.positions[-1]
    before, following = analysis.tokens[max(first - 1, 0)], analysis.tokens[last + 1]
    if before in DASHES:
        return True
    if first > 1 and before == "," != following and analysis.parse.tags[first - 2] == "CC":
        return True
    after = analysis.parse.tags[deletion.positions[-1] + 1 : deletion.positions[-1] + 2]
    return after[:1] in (("DT",), ("CD",)) or analysis.tokens[deletion.positions[-1] + 1].lower() in word_set(
        "negations"
    )


def redundant_brackets(tokens: Sequence[str]) -> Iterator[Deletion]:
    """Yields brackets with an abbreviation that is not used elsewhere, or with a measure after another measure.

    >>> [deletion.positions for deletion in redundant_brackets("the Red Army ( RA ) went 6 miles ( 10 km ) .".split())]
    [(3, 4, 5), (9, 10, 11, 12)]
    """
    for first, last in mark_pairs(tokens):
        inner = tokens[first + 1 : last]
        if tokens[first] != "(" or not 1 <= len(inner) <= 2:
            continue
        named = first > 0 and tokens[first - 1][:1].isalpha()
        short = named and len(inner) == 1 and _abbreviates(inner[0], tokens[first - 1]) and tokens.count(inner[0]) == 1
        measures = first > 1 and len(inner) == 2 and _is_number(inner[0]) and _is_number(tokens[first - 2])
        is_unit = measures and inner[1].isalpha() and inner[1].lower() not in word_group("currencies")
        if short or (is_unit and tokens[first - 1].isalpha()):
            yield Deletion(DeletionKind.RELATION, "(", length_range(len(inner)), tuple(range(first, last + 1)))


def _abbreviates(word: str, before: str) -> bool:
    """Returns whether capitals may stand for a name that ends with the word before them ("Texas (USA)": no)."""
    return word.isupper() and word.isalpha() and before[:1].upper() in word


def _redundant(tokens: Sequence[str], positions: tuple[int, ...]) -> Deletion:
    word = " ".join(tokens[position].lower() for position in positions)
    return Deletion(DeletionKind.ORPHAN, word, "false", positions)


def _is_number(token: str) -> bool:
    return token.replace(",", "").replace(".", "").isdigit()


def _reading(variant: Variant, gone: Iterable[int] = ()) -> Reading:
    remaining = set(range(len(variant.tokens))) - set(gone)
    return Reading(variant, tuple(sorted(remaining)))


def _replaced(variant: Variant) -> Reading:
    """Returns the reading with the only replacement of a variant."""
    bypass = next(iter(variant.bypasses), None)
    if bypass is None:
        return _reading(variant)
    new = range(len(variant.tokens), len(variant.written))
    return Reading(variant, (*range(bypass.begin), *new, *range(bypass.end, len(variant.tokens))))

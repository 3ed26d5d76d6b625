"""Sentences and judgements from files, and to files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, SkeletonError
from lattice_simp.skeleton.io import SkeletonRecord
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.annotation.aggregation import Choice, aggregate
from lattice_simp.systems.annotation.judgements import Judgement, Sentence
from lattice_simp.systems.annotation.store import AnnotationStore


def read_sentences(
    path: str | Path, name: str, tokens: Callable[[str], Sequence[str]] = split_tokens
) -> Iterator[Sentence]:
    """Yields the sentences of a text file, one a line; blank lines are passed over.

    Args:
        path: the file.
        name: what their ids begin with; the number of the line, from 0, follows.
        tokens: makes tokens of a line; by default, they are there, with blanks between them.

    Raises:
        FormatError: a token holds white space.
    """
    for number, text in enumerate(read_lines(path)):
        if own := tokens(text):
            try:
                yield Sentence(f"{name}.{number}", number, tuple(own))
            except SkeletonError as error:
                remedy = "tokenise the text, or replace it"
                raise FormatError(str(error), path=path, line=number + 1, remedy=remedy) from error


def judgements_of(records: Iterable[SkeletonRecord], names: Sequence[str] = ()) -> Iterator[Judgement]:
    """Yields the skeletons of records as judgements.

    Args:
        records: of a skeleton file.
        names: of the annotators, in the order of a record's skeletons, where the records do not name them; without
            them, `annotator 1` and so on.
    """
    for record in records:
        sentence = Sentence(record.id, record.line, record.tokens)
        numbered = [f"annotator {number}" for number in range(1, len(record.skeletons) + 1)]
        own = record.annotators or [*names, *numbered[len(names) :]][: len(numbered)]
        for name, skeleton in zip(own, record.skeletons, strict=True):
            yield Judgement(sentence, name, skeleton)


def judgement_records(store: AnnotationStore) -> Iterator[SkeletonRecord]:
    """Yields the sentences that somebody judged, with all judgements and who made them."""
    by_sentence: dict[str, list[Judgement]] = {}
    for own in store.judgements():
        by_sentence.setdefault(own.sentence.id, []).append(own)
    for group in by_sentence.values():
        sentence = group[0].sentence
        skeletons, names = tuple(own.skeleton for own in group), tuple(own.annotator for own in group)
        yield SkeletonRecord(sentence.id, sentence.line, skeletons, names)


def aggregated_records(store: AnnotationStore, choice: Choice = "judgement") -> Iterator[SkeletonRecord]:
    """Yields the sentences that somebody judged, with the one skeleton that their judgements come to; see `aggregate`.

    Raises:
        LatticeSimpError: nobody has judged anything.
    """
    found = aggregate(store.judgements(), store.verdicts())
    skeletons = found.skeletons(choice)
    for own in found.decisions.sentences:
        yield SkeletonRecord(own.id, own.line, (skeletons[own.id],))


def _event_lines(store: AnnotationStore) -> Iterator[str]:
    return (json.dumps(event, ensure_ascii=False) for event in store.events())


EXPORTS: Mapping[str, Callable[[AnnotationStore], Iterator[str]]] = {
    "judgements": lambda store: (record.to_json() for record in judgement_records(store)),
    "skeletons": lambda store: (record.to_json() for record in aggregated_records(store)),
    "tokens": lambda store: (record.to_json() for record in aggregated_records(store, "tokens")),
    "events": _event_lines,
}
"""What can be taken out of a file of annotations, as JSON lines."""


def export(store: AnnotationStore, what: str) -> Iterator[str]:
    """Yields the JSON lines, without their ends, of what annotators made.

    Args:
        store: the annotations.
        what: `judgements` for each sentence's skeletons and who made them; `skeletons` for the one that they come to,
            `tokens` for the one of the more probable decisions on each token (see `Aggregation.skeletons`); `events`
            for everything that ever happened, skips, checks and what was undone, too.

    Raises:
        LatticeSimpError: nobody has judged anything, but one skeleton is asked for.
    """
    return EXPORTS[what](store)

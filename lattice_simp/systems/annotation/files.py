"""Reads sentences and judgements from files, and exports them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, SkeletonError
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.skeleton.io import SkeletonRecord
from lattice_simp.support.groups import grouped
from lattice_simp.systems.annotation.aggregation import Choice, aggregate
from lattice_simp.systems.annotation.judgements import Judgement, Sentence
from lattice_simp.systems.annotation.store import AnnotationStore


def read_sentences(
    path: str | Path, name: str, tokens: Callable[[str], Sequence[str]] = split_tokens
) -> Iterator[Sentence]:
    """Yields the sentences of a text file, one on each line, skipping blank lines.

    Args:
        path: the file.
        name: the prefix of their ids, followed by the line number from 0.
        tokens: a function that tokenises a line; by default it splits at spaces.

    Raises:
        FormatError: a token contains white space.
    """
    for number, text in enumerate(sentence_lines(path)):
        if words := tokens(text):
            try:
                yield Sentence(f"{name}.{number}", number, tuple(words))
            except SkeletonError as error:
                remedy = "tokenise the text, or replace the white space"
                raise FormatError(str(error), path=path, line=number + 1, remedy=remedy) from error


def judgements_of(records: Iterable[SkeletonRecord], names: Sequence[str] = ()) -> Iterator[Judgement]:
    """Yields the skeletons of records as judgements.

    Args:
        records: the records of a skeleton file.
        names: the names of annotators in the order of a record's skeletons, for records without names; by default
            `annotator 1` and so on.
    """
    for record in records:
        sentence = Sentence(record.id, record.line, record.tokens)
        numbered = [f"annotator {number}" for number in range(1, len(record.skeletons) + 1)]
        annotators = record.annotators or [*names, *numbered[len(names) :]][: len(numbered)]
        for name, skeleton in zip(annotators, record.skeletons, strict=True):
            yield Judgement(sentence, name, skeleton)


def judgement_records(store: AnnotationStore) -> Iterator[SkeletonRecord]:
    """Yields the judged sentences with all judgements and their annotators."""
    for group in grouped((judgement.sentence.id, judgement) for judgement in store.judgements()).values():
        sentence = group[0].sentence
        skeletons = tuple(judgement.skeleton for judgement in group)
        names = tuple(judgement.annotator for judgement in group)
        yield SkeletonRecord(sentence.id, sentence.line, skeletons, names)


def aggregated_records(store: AnnotationStore, choice: Choice = "judgement") -> Iterator[SkeletonRecord]:
    """Yields the judged sentences with the skeleton aggregated from their judgements; see `aggregate`.

    Raises:
        LatticeSimpError: there are no judgements.
    """
    aggregation = aggregate(store.judgements(), store.verdicts())
    skeletons = aggregation.skeletons(choice)
    for sentence in aggregation.decisions.sentences:
        yield SkeletonRecord(sentence.id, sentence.line, (skeletons[sentence.id],))


EXPORTS: Mapping[str, Callable[[AnnotationStore], Iterator[str]]] = {
    "judgements": lambda store: (record.to_json() for record in judgement_records(store)),
    "skeletons": lambda store: (record.to_json() for record in aggregated_records(store)),
    "tokens": lambda store: (record.to_json() for record in aggregated_records(store, "tokens")),
    "events": lambda store: (json.dumps(event, ensure_ascii=False) for event in store.events()),
}
"""The exports of a file of annotations, as JSON lines."""


def export(store: AnnotationStore, what: str) -> Iterator[str]:
    """Yields the JSON lines of an export, without line ends.

    Args:
        store: the annotations.
        what: `judgements` for the skeletons of each sentence and their annotators; `skeletons` for the aggregated
            skeleton; `tokens` for the one of the more probable decisions on tokens (see `Aggregation.skeletons`);
            `events` for the whole history, including skips, checks and undone events.

    Raises:
        LatticeSimpError: an aggregated skeleton is requested, but there are no judgements.
    """
    return EXPORTS[what](store)

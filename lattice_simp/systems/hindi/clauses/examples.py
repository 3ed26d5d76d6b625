"""Sentences of a treebank without elided words, with the clauses that a system should find."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.plurals import counted
from lattice_simp.systems.hindi.clause import Clause, without_tokens
from lattice_simp.systems.hindi.clauses.model import bare
from lattice_simp.systems.hindi.formats.problems import report
from lattice_simp.systems.hindi.formats.treebank import read_marked, read_treebank
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.sentence import Sentence


@dataclass(frozen=True)
class Example:
    """A sentence with its clauses.

    Attributes:
        full: the sentence of the treebank with elided words.
        sentence: the sentence without them.
        clauses: the clauses of `sentence`, without punctuation at their ends.
    """

    full: Sentence
    sentence: Sentence
    clauses: list[Clause]

    @classmethod
    def of(cls, full: Sentence, clauses: Iterable[Clause]) -> Example:
        """Returns the example for a sentence and its clauses, both with elided words."""
        sentence = full.without_empty
        real_clauses = without_tokens(clauses, [token.is_empty for token in full.tokens])
        return cls(full, sentence, bare(sentence, real_clauses))


def tree_examples(
    path: Path, problems: list[FormatError] | None = None, *, only: Collection[str] | None = None
) -> Iterator[Example]:
    """Yields the sentences of a treebank with the clauses of their trees.

    Like broken sentences (see `read_treebank`), a file in `only` without a sentence is a problem.
    """
    names = set()
    for name, sentence in read_treebank(path, problems, only=only):
        names.add(name)
        example = Example.of(sentence, clauses_of_tree(sentence))
        if example.sentence.tokens:
            yield example
    if missing := sorted(set(only or ()) - names):
        message = f"has no sentence of {counted(len(missing), 'file')}, beginning with {missing[0]!r}"
        report(_mismatch(message, path), problems)


def marked_examples(path: Path, marked: Path, problems: list[FormatError] | None = None) -> Iterator[Example]:
    """Yields the hand-marked sentences of a treebank; one that the treebank lacks is a problem, too.

    Raises FormatError if the table is broken, or a clause extends beyond its sentence.
    """
    marked_clauses = read_marked(marked)
    missing = {(name, number) for name, sentences in marked_clauses.items() for number in sentences}
    for name, sentence in read_treebank(path, problems, only=marked_clauses.keys()):
        clauses = marked_clauses[name].get(sentence.id)
        if clauses is None:
            continue
        missing.discard((name, sentence.id))
        if max(clause.end for clause in clauses) > len(sentence):
            message = f"{name}#{sentence.id} has {counted(len(sentence), 'token')}, but a clause ends after them"
            raise FormatError(message, path=marked, remedy="correct the line")
        yield Example.of(sentence, clauses)
    if missing:
        name, number = min(missing)
        message = f"{path} lacks {len(missing)} of the sentences, beginning with {name}#{number}"
        report(_mismatch(message, marked), problems)


def _mismatch(message: str, path: Path) -> FormatError:
    return FormatError(message, path=path, remedy="correct the list, or use the matching treebank")

"""Sentences of a treebank with the clauses that a system should find, without words that are not there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.hindi.clause import Clause, without_tokens
from lattice_simp.hindi.clauses.model import bare
from lattice_simp.hindi.formats.treebank import read_marked, read_treebank
from lattice_simp.hindi.from_tree import clauses_of_tree
from lattice_simp.hindi.sentence import Sentence


@dataclass(frozen=True)
class Example:
    """A sentence with its clauses.

    Attributes:
        full: as the treebank has it, with elided words.
        sentence: without them.
        clauses: of `sentence`, without punctuation at their ends.
    """

    full: Sentence
    sentence: Sentence
    clauses: list[Clause]

    @classmethod
    def of(cls, full: Sentence, clauses: Iterable[Clause]) -> Example:
        """Makes an example of a sentence and its clauses, both with elided words."""
        sentence = full.without_empty
        return cls(full, sentence, bare(sentence, _reduced(full, clauses)))

    def reduced(self, clauses: Sequence[Clause]) -> list[Clause]:
        """Gives clauses of the full sentence as clauses of the other."""
        return _reduced(self.full, clauses)


def tree_examples(
    path: Path, problems: list[FormatError] | None = None, *, only: Collection[str] | None = None
) -> Iterator[Example]:
    """Reads a treebank with the clauses of its trees; see `read_treebank`."""
    for _, sentence in read_treebank(path, problems, only=only):
        example = Example.of(sentence, clauses_of_tree(sentence))
        if example.sentence.tokens:
            yield example


def marked_examples(path: Path, marked: Path, problems: list[FormatError] | None = None) -> Iterator[Example]:
    """Reads the sentences of a treebank that are marked by hand.

    Raises:
        FormatError: the table is broken, or a clause reaches beyond its sentence.
    """
    wanted = read_marked(marked)
    for name, sentence in read_treebank(path, problems, only=wanted.keys()):
        clauses = wanted[name].get(sentence.id)
        if clauses is None:
            continue
        if max(clause.end for clause in clauses) > len(sentence):
            message = f"{name}#{sentence.id} has {len(sentence)} tokens, and a clause that ends behind them"
            raise FormatError(message, path=marked, remedy="mend the line")
        yield Example.of(sentence, clauses)


def _reduced(full: Sentence, clauses: Iterable[Clause]) -> list[Clause]:
    return without_tokens(clauses, [token.is_empty for token in full.tokens])

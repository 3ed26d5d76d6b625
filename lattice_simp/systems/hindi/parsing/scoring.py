"""Attachment scores of chunks, even if the parsed sentence has other chunks than the treebank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lattice_simp.systems.hindi.sentence import PUNCTUATION, Sentence


@dataclass(frozen=True)
class Attachment:
    """The numbers of chunks, of those with the right head, and of those with the right relation, too.

    >>> Attachment(chunks=4, heads=3, labelled=2).las
    50.0
    """

    chunks: int
    heads: int
    labelled: int

    @property
    def uas(self) -> float:
        """Unlabelled attachment score: per cent of chunks with the right head."""
        return 100 * self.heads / max(self.chunks, 1)

    @property
    def las(self) -> float:
        """Labelled attachment score: per cent of chunks with the right head and relation."""
        return 100 * self.labelled / max(self.chunks, 1)


def attachment(pairs: Iterable[tuple[Sentence, Sentence]]) -> Attachment:
    """Compares trees of the same words: those of a treebank, without elided words, and those of a parser.

    The head word of each chunk of the treebank must be the head word of a chunk in the parse, too, and that chunk must
    depend on a chunk with the right head word. Chunks of punctuation alone are ignored.
    """
    chunks = heads = labelled = 0
    for reference, parsed in pairs:
        parsed_arcs = dict(_arcs(parsed))
        for word, arc in _arcs(reference):
            if reference.tokens[word].tag == PUNCTUATION:
                continue
            chunks += 1
            governor, _ = parsed_arcs.get(word, (None, ""))
            heads += governor == arc[0]
            labelled += parsed_arcs.get(word) == arc
    return Attachment(chunks, heads, labelled)


def _arcs(sentence: Sentence) -> Iterable[tuple[int, tuple[int, str]]]:
    """Yields the head word of each chunk with the head word of its governor (-1 for a root) and the relation."""
    heads = [sentence.head_position(chunk) for chunk in sentence.chunks]
    for word, chunk in zip(heads, sentence.chunks, strict=True):
        yield word, (heads[chunk.head] if chunk.head >= 0 else -1, chunk.relation)

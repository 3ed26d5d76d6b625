"""Transfers the tree of a treebank sentence to the chunks of an analyser, for training on realistic input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lattice_simp.systems.hindi.formats.tagset import tag_facts
from lattice_simp.systems.hindi.sentence import Sentence, find_cycle

BLOCK = 200
"""The number of consecutive sentences that go into the same fold, mostly those of whole files."""

FOLDS = 2


def projected(sentence: Sentence, analysed: Sentence) -> Sentence | None:
    """Returns the analysed sentence with the heads and relations of the same words in a treebank, none of them elided.

    A chunk depends on the chunk that holds the head word of its governor in the treebank. If a treebank chunk is split,
    its other parts depend on the part with its head word, by the relation of words inside a chunk. Returns None if the
    tree does not fit the chunks: it would have a cycle.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> tokens = Token("राम", "NNP"), Token("ने", "PSP"), Token("खाया", "VM")
    >>> gold = Sentence(tokens, (Chunk("NP", 0, 2, 1, "k1"), Chunk("VGF", 2, 3)))
    >>> split = Sentence(tokens, (Chunk("NP", 0, 1), Chunk("BLK", 1, 2), Chunk("VGF", 2, 3)))
    >>> [(chunk.head, chunk.relation) for chunk in projected(gold, split).chunks]
    [(2, 'k1'), (0, 'lwg__psp'), (-1, '')]
    """
    links = [_link(sentence, analysed, number) for number in range(len(analysed.chunks))]
    if find_cycle([head for head, _ in links]) is not None:
        return None
    chunks = zip(analysed.chunks, links, strict=True)
    return replace(
        analysed, chunks=tuple(replace(chunk, head=head, relation=relation) for chunk, (head, relation) in chunks)
    )


def _link(sentence: Sentence, analysed: Sentence, number: int) -> tuple[int, str]:
    """Returns the head and the relation of an analysed chunk."""
    place = analysed.chunk_of
    word = analysed.head_position(analysed.chunks[number])
    chunk = sentence.chunk_of[word]
    above = place[sentence.head_position(sentence.chunks[chunk])]
    if above != number:
        return above, tag_facts(analysed.tokens[word].tag).relation
    while (head := sentence.chunks[chunk].head) >= 0:
        above = place[sentence.head_position(sentence.chunks[head])]
        if above != number:
            return above, sentence.chunks[chunk].relation
        chunk = head
    return -1, ""


def folds(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """Deals sentences into folds, by blocks of neighbours; the blocks are smaller if there are few sentences.

    >>> [len(fold) for fold in folds([Sentence(())] * 500)], [len(fold) for fold in folds([Sentence(())] * 9)]
    ([300, 200], [5, 4])
    """
    block = max(min(BLOCK, len(sentences) // FOLDS), 1)
    return [
        [sentence for position, sentence in enumerate(sentences) if position // block % FOLDS == fold]
        for fold in range(FOLDS)
    ]

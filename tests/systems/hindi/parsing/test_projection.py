"""Trees of a treebank on the chunks that an analyser finds."""

from __future__ import annotations

import random

from lattice_simp.systems.hindi.parsing.projection import folds, projected
from lattice_simp.systems.hindi.parsing.scoring import attachment
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token, find_cycle


def sentence_of(*chunks):
    """Makes a sentence of chunks of two words: (tag, head, relation)."""
    tags = {"NP": ("NN", "PSP"), "VGF": ("VM", "VAUX"), "CCP": ("CC", "RP")}
    tokens = [
        Token(f"w{2 * number + place}", tags[tag][place]) for number, (tag, *_) in enumerate(chunks) for place in (0, 1)
    ]
    return Sentence(
        tuple(tokens),
        tuple(
            Chunk(tag, 2 * number, 2 * number + 2, head, relation)
            for number, (tag, head, relation) in enumerate(chunks)
        ),
    )


GOLD = sentence_of(("NP", 1, "r6"), ("NP", 2, "k1"), ("VGF", -1, ""))


def with_chunks(*chunks):
    return Sentence(GOLD.tokens, tuple(Chunk(*chunk) for chunk in chunks))


def links(sentence):
    return [(chunk.head, chunk.relation) for chunk in sentence.chunks]


def test_the_same_chunks_get_the_same_tree():
    analysed = with_chunks(("NP", 0, 2), ("NP", 2, 4), ("VGF", 4, 6))
    assert links(projected(GOLD, analysed)) == links(GOLD)


def test_joined_chunks_hang_where_the_upper_one_does():
    analysed = with_chunks(("NP", 0, 4), ("VGF", 4, 6))
    assert links(projected(GOLD, analysed)) == [(1, "k1"), (-1, "")]


def test_a_split_chunk_depends_on_the_part_with_the_head():
    analysed = with_chunks(("NP", 0, 2), ("NP", 2, 4), ("VGF", 4, 5), ("VGF", 5, 6))
    assert links(projected(GOLD, analysed)) == [(1, "r6"), (2, "k1"), (-1, ""), (2, "lwg__vaux")]


def test_projections_are_trees():
    rng = random.Random(5)
    for _ in range(50):
        count = rng.randint(2, 6)
        tags = [rng.choice(["NP", "VGF", "CCP"]) for _ in range(count)]
        gold = sentence_of(
            *((tag, number - 1 - rng.randrange(number) if number else -1, "x") for number, tag in enumerate(tags))
        )
        ends = sorted(rng.sample(range(1, 2 * count), rng.randint(0, 3)))
        spans = zip([0, *ends], [*ends, 2 * count], strict=True)
        tree = projected(gold, Sentence(gold.tokens, tuple(Chunk("NP", *span) for span in spans)))
        assert tree is None or find_cycle([chunk.head for chunk in tree.chunks]) is None


def test_attachment_counts_heads_and_relations():
    parsed = sentence_of(("NP", 1, "k7"), ("NP", -1, ""), ("VGF", -1, ""))
    score = attachment([(GOLD, parsed)])
    assert (score.chunks, score.heads, score.labelled) == (3, 2, 1)
    fewer = Sentence(GOLD.tokens, (Chunk("NP", 0, 4, 1, "k1"), Chunk("VGF", 4, 6)))
    assert attachment([(GOLD, fewer)]).labelled == 2  # the second noun, and the verb


def test_folds_hold_all_sentences_once():
    sentences = [Sentence((), id=str(number)) for number in range(450)]
    first, second = folds(sentences)
    assert sorted(first + second, key=lambda sentence: int(sentence.id)) == sentences
    assert len(first) == 250

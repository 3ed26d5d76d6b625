"""Features of taggers, chunks as labels, the treebank without elided words, and the models' files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token
from lattice_simp.systems.hindi.text.features import chunk_labels, chunker_features, chunks_of_labels, tagger_features


def names(features):
    return {name.decode() for name in features}


def test_tagger_features_know_the_neighbours():
    first, second, third = map(names, tagger_features(["राम", "घर", "गया"]))
    assert {"w=राम", "s2=ाम", "p1=र", "-1w=#", "-2w=#", "+1w=घर", "+2w=गया", "#<w=राम"} <= first
    assert {"-1w=राम", "+1w=गया", "+2w=#", "राम<>गया"} <= second
    assert {"-2w=राम", "-1w=घर", "+1w=#"} <= third


def test_features_do_not_depend_on_the_spelling():
    assert tagger_features(["पढ\u093c", "१२"]) == tagger_features(["प\u095d", "12"])


def test_chunker_features_see_the_end_of_the_verb_group():
    words, tags = ["खाते", "ही", "रहे", "से"], ["VM", "RP", "VAUX", "PSP"]
    first, second, *_ = map(names, chunker_features(words, tags))
    assert {"last=रहे", "behind=से", "last,tag=रहे,PSP", "t=VM", "t+3=PSP", "w+2=रहे"} <= first
    assert not any(name.startswith("last") for name in second)


@given(st.lists(st.sampled_from(["राम", "x", "-", "1.5"]), max_size=6))
def test_one_list_for_each_token(words):
    assert len(tagger_features(words)) == len(chunker_features(words, ["NN"] * len(words))) == len(words)


@given(st.lists(st.tuples(st.sampled_from(["NP", "VGF"]), st.integers(1, 3)), max_size=5))
def test_labels_and_chunks(parts):
    chunks, start = [], 0
    for tag, size in parts:
        chunks.append(Chunk(tag, start, start + size))
        start += size
    assert list(chunks_of_labels(chunk_labels(chunks))) == chunks


@given(st.lists(st.sampled_from(["B-NP", "I-NP", "B-VGF", "I-VGF"]), max_size=8))
def test_whatever_the_labels_chunks_cover_all(labels):
    chunks = chunks_of_labels(labels)
    Sentence(tuple(Token("x") for _ in labels), chunks)
    assert [chunk.tag for chunk in chunks for _ in range(chunk.start, chunk.end)] == [label[2:] for label in labels]


def test_elided_words_are_left_out():
    tokens = (Token("a"), Token("NULL", is_empty=True), Token("b"), Token("?", is_empty=True), Token("c"))
    chunks = (
        Chunk("NP", 0, 1, 1, "k1"),
        Chunk("VGF", 1, 2, is_empty=True),
        Chunk("CCP", 2, 4, 1, "x", True),
        Chunk("NP", 4, 5, 2, "y"),
    )
    shorter = Sentence(tokens, chunks, "1").without_empty
    assert shorter.chunks == (Chunk("NP", 0, 1), Chunk("CCP", 1, 2), Chunk("NP", 2, 3, 1, "y"))
    assert [token.form for token in shorter.tokens] == ["a", "b", "c"]
    assert shorter.id == "1"
    assert shorter.without_empty == shorter


def test_a_word_null_stays():
    sentence = Sentence((Token("NULL"), Token("a")), (Chunk("NP", 0, 2),))
    assert sentence.without_empty == sentence
    assert str(sentence) == "NULL a"

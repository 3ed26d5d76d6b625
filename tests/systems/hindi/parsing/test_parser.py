"""The parser of chunks: learns artificial trees, saves its weights, and frees the words of parsed sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers import needs
from small_treebank import write_bank

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.parsing import Parser, ParserSettings
from lattice_simp.systems.hindi.parsing.parser import BATCH, META, WEIGHTS
from lattice_simp.systems.hindi.parsing.phrases import phrases
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

needs("hindi-parser", "spacy")

SMALL = ParserSettings(epochs=1, width=16, depth=1, batch=8)


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    write_bank(folder)
    return [sentence for _, sentence in read_treebank(folder)]


@pytest.fixture(scope="module")
def folder(bank, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parser")
    Parser.train(folder, bank[:60], SMALL)
    return folder


def without_trees(sentence):
    return replace(sentence, chunks=tuple(replace(chunk, head=-1, relation="") for chunk in sentence.chunks))


@pytest.mark.slow
def test_unseen_sentences_get_their_trees_in_order(bank, folder):
    unseen = bank[60:] * 2
    assert len(unseen) > BATCH
    parsed = list(Parser.load(folder).parsed(map(without_trees, unseen)))
    assert [str(sentence) for sentence in parsed] == [str(sentence) for sentence in unseen]
    assert [sentence.chunks for sentence in parsed] == [sentence.chunks for sentence in unseen]


@pytest.mark.slow
def test_training_twice_gives_the_same_weights(bank, tmp_path):
    for name in ("a", "b"):
        Parser.train(tmp_path / name, bank[:10], replace(SMALL, epochs=1))
    first, second = ((tmp_path / name / WEIGHTS / "model").read_bytes() for name in ("a", "b"))
    assert first == second


def test_words_of_parsed_sentences_are_forgotten(folder):
    parser = Parser.load(folder)
    known = len(parser.pipeline.vocab.strings)
    sentences = (Sentence((Token(f"शब्द{number}", "NN"),), (Chunk("NP", 0, 1),)) for number in range(3 * BATCH))
    assert sum(1 for _ in parser.parsed(sentences)) == 3 * BATCH
    assert len(parser.pipeline.vocab.strings) < known + BATCH


def test_a_sentence_without_chunks_stays(folder):
    assert [len(sentence) for sentence in Parser.load(folder).parsed([Sentence(())])] == [0]


def test_the_markers_of_a_phrase_are_told():
    tokens = (Token("राम", "NNP"), Token("के", "PSP"), Token("साथ", "NST"))
    assert phrases(Sentence(tokens, (Chunk("NP", 0, 3),)))[0].markers == "के साथ"


def test_trees_are_needed_to_learn(bank, tmp_path):
    with pytest.raises(LatticeSimpError, match="no trees to learn from"):
        Parser.train(tmp_path, map(without_trees, bank))


@pytest.mark.parametrize("name", [META, f"{WEIGHTS}/model", f"{WEIGHTS}/cfg"])
def test_damaged_files_are_named(bank, folder, tmp_path, name):
    for path in folder.rglob("*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(folder)
            copy.parent.mkdir(exist_ok=True)
            data = path.read_bytes()
            copy.write_bytes(data[: len(data) // 2] if copy == tmp_path / name else data)
    with pytest.raises(FormatError, match=rf"{name.partition('/')[0]}.*train the parser again"):
        Parser.load(tmp_path)

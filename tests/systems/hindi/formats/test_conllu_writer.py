"""Sentences written as CoNLL-U are read back as they were."""

from __future__ import annotations

import random
from pathlib import Path

from lattice_simp.systems.hindi.formats.conllu import read_conllu
from lattice_simp.systems.hindi.formats.conllu_writer import conllu_lines
from lattice_simp.systems.hindi.formats.tagset import tag_facts
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

PHRASES = {"NP": ("NNPC", "NNP", "PSP"), "VGF": ("NEG", "VM", "VAUX"), "CCP": ("CC",), "BLK": ("SYM",), "JJP": ("JJ",)}


def random_sentence(rng):
    tokens, chunks = [], []
    count = rng.randint(1, 6)
    root = rng.randrange(count)
    for number in range(count):
        tag = rng.choice(list(PHRASES))
        start = len(tokens)
        for part in PHRASES[tag]:
            category = tag_facts(part).category
            values = rng.choice([("m", "sg", "3", "d"), ("f", "pl", "3h", "o"), ("", "", "", "")])
            tam = "yA" if part == "VM" else ""
            tokens.append(
                Token(f"w{len(tokens)}", part, f"r{len(tokens)}", category, *values, "या" if tam else "", tam)
            )
        # A root with a head before or after it: no cycles.
        head, relation = (-1, "") if number == root else (root, rng.choice(["k1", "k2", "r6"]))
        chunks.append(Chunk(tag, start, len(tokens), head, relation))
    return Sentence(tuple(tokens), tuple(chunks), "s-1")


def test_what_is_written_is_read_again():
    for seed in range(30):
        sentence = random_sentence(random.Random(seed))
        lines = list(conllu_lines(sentence))
        assert lines[-1] == ""
        assert list(read_conllu(Path("x.conllu"), lines=lines)) == [sentence], seed


def test_elided_words_are_left_out():
    tokens = (Token("NULL", "NN", is_empty=True), Token("सोया", "VM", "सो"))
    sentence = Sentence(tokens, (Chunk("NP", 0, 1, 1, "k1", is_empty=True), Chunk("VGF", 1, 2)))
    assert [line.split("\t")[:3] for line in conllu_lines(sentence)] == [["# text = सोया"], ["1", "सोया", "सोना"], [""]]


def test_unknown_tags_have_their_own_part_of_speech():
    lines = list(conllu_lines(Sentence((Token("अ", "ABC"),), (Chunk("NP", 0, 1),))))
    assert lines[1].split("\t")[3:5] == ["X", "ABC"]


def test_verbs_without_an_infinitive_are_their_own_lemmas():
    tokens = tuple(
        Token(form, "VM", root) for form, root in (("है", "है"), ("थी", "था"), ("चाहिए", "चाहिए"), ("बना", "बन"))
    )
    sentence = Sentence(tokens, (Chunk("VGF", 0, 4),))
    assert [line.split("\t")[2] for line in conllu_lines(sentence) if "\t" in line] == ["है", "था", "चाहिए", "बनना"]
    (result,) = read_conllu(Path("x.conllu"), lines=conllu_lines(sentence))
    assert [token.root for token in result.tokens] == [token.root for token in tokens]

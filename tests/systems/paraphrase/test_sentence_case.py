"""Capitals at the beginnings of sentences, within texts of several sentences, too."""

from __future__ import annotations

import numpy as np

from lattice_simp import Lattice, Paraphraser, Tree, nbest
from lattice_simp.systems.paraphrase.sentence_case import capitalised, in_mid_sentence, with_capitals
from lattice_simp.systems.paraphrase.tree import Node


def tree_of(tagged):
    tokens, tags = zip(*(word.rsplit("/", 1) for word in tagged.split()), strict=True)
    return Tree(tokens, tags, tuple(map(str.lower, tokens)), (Node("S", 0, len(tokens)),))


def lowered(*tagged):
    return [" ".join(tree.tokens) for tree in in_mid_sentence([tree_of(entry) for entry in tagged])]


def test_first_words_of_all_sentences_are_lowered():
    assert lowered('The/DT dog/NN ran/VBD ./. "/`` It/PRP barked/VBD ./.') == ['the dog ran . " it barked .']


def test_names_abbreviations_and_i_keep_their_capitals():
    assert lowered("Delhi/NNP grew/VBD ./. I/PRP left/VBD ./. UNO/NN stayed/VBD") == [
        "Delhi grew . I left . UNO stayed"
    ]


def test_words_of_any_length_are_lowered_and_mixed_ones_are_not():
    assert lowered("A/DT dog/NN ran/VBD") == ["a dog ran"]
    assert lowered("X/SYM went/VBD ./. It/PRP is/VBZ ./. OK/UH") == ["x went . it is . OK"]
    assert lowered("B2/NN came/VBD ./. McDonald/NN left/VBD") == ["B2 came . McDonald left"]


def test_words_that_have_a_capital_within_sentences_keep_it():
    assert lowered("Indian/JJ food/NN", "the/DT Indian/JJ food/NN") == ["Indian food", "the Indian food"]
    assert lowered("Old/JJ food/NN", "the/DT Old/JJ and/CC old/JJ food/NN") == ["old food", "the Old and old food"]


def test_lattices_and_texts_get_the_same_capitals():
    words = ("a", "A", "b", ".", '"', "?", "Big")
    for seed in range(60):
        rng = np.random.default_rng(seed)
        texts = {" ".join(rng.choice(words, int(rng.integers(1, 7)))) for _ in range(6)}
        lattice = capitalised(Lattice.from_strings([(text, float(len(text))) for text in texts]))
        expected = {}
        for text in texts:
            actual = with_capitals(text.split())
            expected[actual] = min(float(len(text)), expected.get(actual, np.inf))
        paths = nbest(lattice, 100, unique=False)
        assert {path.tokens: path.cost for path in paths} == expected, f"seed {seed}"
        assert len(paths) == len(expected), f"seed {seed}"


def test_what_sentences_make_begins_with_capitals():
    trees = [
        "(S (S (NP (DT The) (NN dog)) (VP (VBD ran))) (. .) (S (NP (DT The) (JJ old) (NN cat)) (VP (VBD sat))) (. .))",
        "(S (S (NP (DT A) (NN dog)) (VP (VBD ran))) (CC and) (S (NP (DT the) (JJ old) (NN cat)) (VP (VBD lay))) (. .))",
    ]
    expansion = Paraphraser().expand([Tree.from_brackets(tree) for tree in trees])
    assert {path.text for path in nbest(expansion.lattice, 20)} == {
        "The dog ran . The old cat sat .",
        "A dog ran . The old cat sat .",
        "A dog ran and the old cat lay .",
        "The dog ran and the old cat lay .",
    }

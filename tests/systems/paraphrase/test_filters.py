"""Each filter removes the right sentences, and keeps those of the set."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from random_trees import random_tree

from lattice_simp import Lattice, Paraphraser, ParaphraseSettings, Thesaurus, Tree, nbest
from lattice_simp.systems.paraphrase.alignment import PAPER
from lattice_simp.systems.paraphrase.filters import FILTERS, SentenceSet


def sentence_set(*tagged):
    """Makes a set of sentences, written as word/TAG."""
    pairs = [[word.rsplit("/", 1) for word in sentence.split()] for sentence in tagged]
    tokens, tags = (tuple(tuple(pair[side] for pair in words) for words in pairs) for side in (0, 1))
    return SentenceSet(tokens, tags, tuple(tuple(map(str.lower, sentence)) for sentence in tokens))


def passing(name, source_set, sentences):
    lattice = Lattice.from_strings([(sentence, 0.0) for sentence in sentences])
    return {path.text for path in nbest(FILTERS[name](lattice, source_set), 100)}


CASES = {
    "mood": (
        ["would/MD you/PRP stay/VB ?/.", "please/UH stay/VB ./."],
        ["please stay .", "would you stay ?"],
        ["would you stay .", "please stay ?", "stay would you"],
    ),
    "modality": (
        ["you/PRP must/MD go/VB", "you/PRP should/MD go/VB", "you/PRP can/MD go/VB and/CC must/MD stay/VB"],
        ["you should go and must stay", "you can should go"],
        ["you can go", "you go"],
    ),
    "polarity": (
        ["he/PRP did/VBD not/RB go/VB", "he/PRP never/RB went/VBD"],
        ["he never go", "he did not went"],
        ["he went", "he never did not go"],
    ),
    "agreement": (
        ["this/DT old/JJ house/NN stands/VBZ", "these/DT houses/NNS stand/VBP", "they/PRP were/VBD old/JJ"],
        ["this house stands", "these old houses stand", "they stand"],
        ["this houses stand", "this old houses stand", "these house stands", "these old stands", "they stands"],
    ),
    "articles": (
        ["an/DT old/JJ house/NN", "a/DT house/NN"],
        ["an old house", "a house"],
        ["a old house", "an house"],
    ),
    "repetition": (
        ["the/DT old/JJ house/NN", "that/IN that/DT is/VBZ"],
        ["the house", "that that is", "old the old"],
        ["the the house", "old house house", "The the house", "the old the old house", "the old house the old house"],
    ),
    "neighbours": (
        [
            "it/PRP is/VBZ older/JJR than/IN that/DT",
            "it/PRP dates/VBZ from/IN more/JJR times/NNS",
            "they/PRP are/VBP old/JJ ./.",
        ],
        ["it is older than that .", "than that"],
        ["they dates from more times", "it is older than more times", "it is than that", "it dates from old"],
    ),
    "notation": (
        ["two/CD boys/NNS and/CC three/CD girls/NNS of/IN 15/CD", "2/CD boys/NNS and/CC 3/CD girls/NNS", "one/CD"],
        ["2 boys and 3 girls", "three boys of 15", "one of 3"],
        ["2 boys and three girls", "two of 15 and 2"],
    ),
    "doubling": (
        [
            "the/DT winter/NN lasts/VBZ",
            "the/DT cold/JJ season/NN lasts/VBZ",
            "the/DT season/NN of/IN season/NN is/VBZ is/VBZ",
        ],
        ["the cold season lasts", "the season of the season", "the the winter is is"],
        ["the season of winter season season", "winter lasts lasts", "the cold winter is cold"],
    ),
}


def test_numbers_may_be_mixed_where_a_sentence_mixes_them():
    mixed = sentence_set("two/CD boys/NNS and/CC 3/CD girls/NNS")
    assert passing("notation", mixed, ["3 boys and two girls"]) == {"3 boys and two girls"}


@pytest.mark.parametrize("name", CASES)
def test_what_a_filter_takes_out(name):
    first, kept, removed = CASES[name]
    known = sentence_set(*first)
    assert passing(name, known, [*kept, *removed]) == set(kept)


def test_every_filter_has_a_case():
    assert set(CASES) == set(FILTERS)


WORDS = (
    "a/DT an/DT old/JJ houses/NNS house/NN stands/VBZ not/RB must/MD would/MD many/JJ he/PRP stand/VBP ?/. the/DT"
).split()


def test_forms_of_a_word_are_doubled_too():
    words = ("the", "winter", "winters", "long")
    known = SentenceSet((words[:2], words[::2]), (("DT", "NN"), ("DT", "NNS")), (("the", "winter"), ("the", "winter")))
    assert passing("doubling", known, ["winter the the", "the winters winter"]) == {"winter the the"}


def test_all_filters_keep_the_sentences_of_the_set():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        arguments = sentence_set(*(" ".join(rng.choice(WORDS, 6)) for _ in range(3)))
        sentences = {" ".join(sentence) for sentence in arguments.sentences}
        for name in FILTERS:
            assert passing(name, arguments, sentences) == sentences, f"seed {seed}, {name}"


def test_repetition_by_brute_force():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        words = ("a", "b", "B", "c")
        arguments = sentence_set(*(" ".join(f"{word}/NN" for word in rng.choice(words, 7)) for _ in range(2)))
        sentences = {" ".join(rng.choice(arguments.words, 8)) for _ in range(30)}
        kept = {sentence for sentence in sentences if not repetitions(sentence.split()) & looked_for(arguments)}
        assert passing("repetition", arguments, sentences) == kept, f"seed {seed}"


def repetitions(words):
    """Returns the sequences of at most three words that are repeated at once."""
    lowered = [word.lower() for word in words]
    pairs = [(lowered[i : i + n], lowered[i + n : i + 2 * n]) for n in (1, 2, 3) for i in range(len(words) - 2 * n + 1)]
    return {tuple(first) for first, other in pairs if first == other}


def looked_for(source_set):
    lowered = [tuple(map(str.lower, sentence)) for sentence in source_set.sentences]
    grams = {entry[i : i + n] for entry in lowered for n in (1, 2, 3) for i in range(len(entry) - n + 1)}
    return grams - set().union(*(repetitions(sentence) for sentence in source_set.sentences))


def test_what_filters_remove_is_counted():
    for seed in range(20):
        trees = [random_tree(np.random.default_rng(seed), most=5) for _ in range(3)]
        every = Paraphraser(ParaphraseSettings(PAPER, depth=2, filters=())).expand(trees)
        filtered = Paraphraser(ParaphraseSettings(PAPER, depth=2, filters=("repetition", "mood"))).expand(trees)
        assert every.count - sum(filtered.removed.values()) == filtered.count, f"seed {seed}"
        assert every.removed == {}
        assert list(filtered.removed) == ["repetition", "mood"]


def test_an_unwanted_question_is_removed():
    trees = [
        Tree.from_brackets(text)
        for text in (
            "(SQ (MD can) (NP (PRP you)) (VP (VB see) (NP (DT the) (JJ big) (NN house))) (. ?))",
            "(S (VP (VB say) (SBAR (IN if) (S (NP (PRP you)) (VP (MD can) "
            "(VP (VB see) (NP (DT the) (JJ large) (NN house))))))) (. .))",
        )
    ]
    result = Paraphraser(thesaurus=Thesaurus.from_groups([["big", "large"]])).expand(trees)
    texts = {path.text for path in nbest(result.lattice, 100)}
    assert texts >= {"can you see the large house ?"}
    assert all(text.endswith("?") == text.startswith("can") for text in texts)


@pytest.mark.parametrize("name", ["repetition", "neighbours"])
def test_memory_does_not_grow_with_the_square_of_the_vocabulary(name):
    sentences = [" ".join(f"w{number + step}/NN" for step in range(18)) for number in range(0, 1080, 18)]
    source_set = sentence_set(*sentences)
    lattice = Lattice.from_strings([(" ".join(tokens), 0.0) for tokens in source_set.sentences])
    FILTERS[name](lattice, source_set)  # compiles the kernels
    tracemalloc.start()
    kept = FILTERS[name](lattice, source_set)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept.num_arcs == lattice.num_arcs
    assert peak < 5_000_000

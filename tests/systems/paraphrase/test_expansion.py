"""Expansions: the paper's example; against the recursive definition on random sets; numbers and samples."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from example import NEW, TAXI
from random_trees import random_tree

from lattice_simp import LatticeSimpError, Paraphraser, ParaphraseSettings, Thesaurus, Tree, nbest, sample
from lattice_simp.systems.paraphrase.alignment import PAPER, align_phrases
from lattice_simp.systems.paraphrase.links import link_words
from lattice_simp.systems.paraphrase.network import SUBSTITUTIONS
from lattice_simp.systems.paraphrase.paraphraser import DEPTH_OF_RECURSION

UNFILTERED = ParaphraseSettings(alignment=PAPER, filters=())


def listed(expansion):
    """Returns the number of substitutions of each sentence."""
    paths = nbest(expansion.lattice, expansion.count + 1, unique=False)
    values = {path.tokens: -round(path.features[SUBSTITUTIONS]) for path in paths}
    assert len(values) == len(paths) == expansion.count
    return values


def test_the_papers_six_new_sentences():
    trees = [Tree.from_brackets(text) for text in TAXI]
    for settings in (UNFILTERED, ParaphraseSettings()):
        expansion = Paraphraser(settings).expand(trees)
        result = listed(expansion)
        assert {" ".join(words) for words in result} == NEW | {" ".join(tree.tokens) for tree in trees}
        assert expansion.new == 6
        assert len(expansion.grammar.pairs) == 3
        assert expansion.bounded is None
        assert result[tuple("Please get me a taxi at 10 in the morning .".split())] == 1  # of the longest phrases
        assert result[trees[0].tokens] == 0


def by_definition(trees, depth):
    """Returns the fewest substitutions of each sentence, by the definition: nodes, their equivalents, recursively."""
    key = {}
    occurrences = {}
    for number, tree in enumerate(trees):
        for node in range(len(tree.nodes)):
            key[number, node] = (tree.nodes[node].category, tree.phrase(node))
            occurrences.setdefault(key[number, node], []).append((number, node))
    equivalents = {name: set() for name in occurrences}
    for index in range(len(trees)):
        for other in range(index + 1, len(trees)):
            pairs = align_phrases(trees[index], trees[other], link_words(trees[index], trees[other]), PAPER)
            for pair in pairs:
                first, second = key[index, pair.nodes[0]], key[other, pair.nodes[1]]
                if first[1] != second[1]:
                    equivalents[first].add(second)
                    equivalents[second].add(first)

    def own(name, left):
        for number, node in occurrences[name]:
            parts = [
                [((part,), 0)] if isinstance(part, str) else list(strings(key[number, part], left))
                for part in trees[number].parts(node)
            ]
            for chosen in product(*parts):
                yield tuple(word for words, _ in chosen for word in words), sum(count for _, count in chosen)

    def strings(name, left):
        values = {}
        for words, count in own(name, left):
            values[words] = min(count, values.get(words, count))
        for other in equivalents[name] if left else ():
            for words, count in own(other, left - 1):
                values[words] = min(count + 1, values.get(words, count + 1))
        return values.items()

    best = {}
    for number in range(len(trees)):
        for words, count in strings(key[number, 0], depth):
            best[words] = min(count, best.get(words, count))
    return best


def test_all_sentences_of_the_definition_and_no_others():
    grown, recursive = 0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        trees = [random_tree(rng, most=5) for _ in range(3)]
        depth = int(rng.integers(0, 3))
        expected = by_definition(trees, depth)
        actual = Paraphraser(ParaphraseSettings(PAPER, depth=depth, filters=())).expand(trees)
        assert listed(actual) == expected, f"seed {seed}"
        grown += len(expected) > 3
        free = Paraphraser(UNFILTERED).expand(trees)
        recursive += free.bounded is not None
        deep = by_definition(trees, DEPTH_OF_RECURSION if free.bounded else 4)
        assert listed(free) == deep, f"seed {seed}"
    assert grown > 10
    assert 3 < recursive < 57


def test_explanations_have_as_many_substitutions_as_the_lattice_says_and_undo_to_the_sentence():
    several = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        trees = [random_tree(rng, most=5) for _ in range(3)]
        expansion = Paraphraser(UNFILTERED).expand(trees)
        for words, count in list(listed(expansion).items())[:50]:
            result = expansion.explain(words)
            assert len(result.replacements) == count, f"seed {seed}, {words}"
            outermost = [
                replacement
                for replacement in result.replacements
                if not any(
                    o is not replacement and o.start <= replacement.start and replacement.end <= o.end
                    for o in result.replacements
                )
            ]
            undone = list(words)
            for entry in sorted(outermost, reverse=True):
                undone[entry.start : entry.end] = entry.words
            if len(outermost) == count:  # words of a phrase within another one are not those of the sentence
                assert tuple(undone) == result.sentence, f"seed {seed}, {words}"
            several += count > 1
    assert several > 20
    with pytest.raises(LatticeSimpError, match="the grammar does not derive 'no such words'"):
        expansion.explain("no such words")


def test_substitutions_can_be_bounded():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        trees = [random_tree(rng, most=5) for _ in range(3)]
        every = by_definition(trees, 2)
        for most in (0, 1, 2):
            settings = ParaphraseSettings(PAPER, depth=2, max_substitutions=most, filters=())
            result = listed(Paraphraser(settings).expand(trees))
            assert result == {words: count for words, count in every.items() if count <= most}, f"seed {seed}"


def test_samples_are_of_the_sentences():
    expansion = Paraphraser().expand([Tree.from_brackets(text) for text in TAXI])
    texts = {path.text for path in sample(expansion.lattice, 200, uniform=True)}
    assert len(texts) == expansion.count


def test_sentences_begin_with_capitals():
    trees = [
        "(S (NP (DT The) (JJ old) (NN man)) (VP (VBD slept)))",
        "(S (ADVP (RB yesterday)) (NP (DT an) (JJ aged) (NN man)) (VP (VBD slept)))",
    ]
    expected = {"The old man slept", "An aged man slept", "Yesterday the old man slept", "Yesterday an aged man slept"}
    for first, wanted in ((trees, expected), ([tree.lower() for tree in trees], {entry.lower() for entry in expected})):
        tagged = [Tree.from_brackets(entry if first is trees else _upper_tags(entry)) for entry in first]
        expansion = Paraphraser(thesaurus=Thesaurus.from_groups([["old", "aged"]])).expand(tagged)
        assert {" ".join(words) for words in listed(expansion)} == wanted
        assert expansion.new == 2


def _upper_tags(text):
    return re.sub(r"\((\w+)", lambda match: "(" + match[1].upper(), text)


def test_each_sentence_alone_makes_its_part_of_them_all():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        trees = [random_tree(rng, most=5) for _ in range(3)]
        paraphraser = Paraphraser(ParaphraseSettings(PAPER, depth=1, filters=()))
        every = listed(paraphraser.expand_trees(trees))
        parts = paraphraser.expand_each(trees)
        assert [part.sentences for part in parts] == [
            (tokens,) for tokens in dict.fromkeys(tree.tokens for tree in trees)
        ]
        assert {words for part in parts for words in listed(part)} == set(every), f"seed {seed}"


def test_a_sentence_alone_stays_alone():
    expansion = Paraphraser().expand([Tree.from_brackets(TAXI[0])])
    assert (expansion.count, expansion.new) == (1, 0)
    with pytest.raises(LatticeSimpError, match="has no sentences"):
        Paraphraser().expand([])


def test_too_many_states_are_reported():
    settings = ParaphraseSettings(max_states=5)
    with pytest.raises(LatticeSimpError, match="more than 5 states"):
        Paraphraser(settings).expand([Tree.from_brackets(text) for text in TAXI])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depth": -1}, "--depth"),
        ({"max_substitutions": -2}, "--max-substitutions"),
        ({"filters": ("no",)}, "unknown filter"),
    ],
)
def test_settings_that_mean_nothing(settings, message):
    with pytest.raises(LatticeSimpError, match=message):
        ParaphraseSettings(**settings)


@pytest.mark.parametrize(
    "texts",
    [
        ["(S (NP (NP (DT the) (NN dog))) (VP (VBD ran)))"],
        ["(S (NP (VP (NP (NN jumping)))) (VP (VBZ helps)))"],
        ["(S (NP (VP (VBG jumping))) (VP (VBZ helps)))", "(S (VP (NP (VBG jumping))) (VP (VBZ helps)))"],
    ],
)
def test_a_phrase_that_is_made_of_itself_alone_says_nothing(texts):
    """Penn trees whose traces were taken out have such chains."""
    trees = [Tree.from_brackets(text) for text in texts]
    for settings in (UNFILTERED, ParaphraseSettings()):
        result = listed(Paraphraser(settings).expand(trees))
        assert set(result) == {tree.tokens for tree in trees}
        assert not any(result.values())

"""Affiliations and symbols, against their definitions; batches, against single sentences."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.rescore.joint.affiliations import affiliations
from lattice_simp.rescore.joint.examples import Examples, batch, batches, flat
from lattice_simp.rescore.joint.symbols import target_symbols
from lattice_simp.rescore.vocabulary import Sentences, Vocabulary
from lattice_simp.translate.affiliation import target_tokens

SEEDS = range(40)


def defined_affiliation(word: int, links: list[tuple[int, int]], length: int) -> int | None:
    results = sorted(source for source, target in links if target == word)
    if results:
        return results[(len(results) - 1) // 2]
    for distance in range(1, length):
        for neighbour in (word + distance, word - distance):  # of equally near ones the right one
            if any(target == neighbour for _, target in links):
                return defined_affiliation(neighbour, links, length)
    return None


def test_affiliations_are_those_of_the_definition():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lengths = rng.integers(1, 7, (5, 2))
        links = [
            sorted(
                {(int(rng.integers(source)), int(rng.integers(target))) for _ in range(rng.integers(0, 6))},
                key=lambda link: link[::-1],
            )
            for source, target in lengths.tolist()
        ]
        source, target = (Sentences.of([[0] * length for length in column]) for column in lengths.T.tolist())
        points = np.array([link for outcome in links for link in outcome], dtype=np.int32).reshape(-1, 2)
        offsets = np.cumsum([0, *map(len, links)]).astype(np.int64)
        actual = affiliations(source, target, Sentences(offsets, points)).tolist()
        for (source_length, target_length), outcome in zip(lengths.tolist(), links, strict=True):
            for word in range(target_length):
                expected = defined_affiliation(word, outcome, target_length)
                assert actual.pop(0) == (word * source_length // target_length if expected is None else expected), seed
            assert actual.pop(0) == source_length
        assert not actual


def test_models_are_trained_with_the_affiliations_that_the_decoder_writes():
    without_links = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        source, target = rng.integers(1, 7, 2).tolist()
        points = [(s, t) for t in range(target) for s in range(source) if rng.random() < 0.15]
        links = np.array(points, dtype=np.int32).reshape(-1, 2)
        sides = (Sentences.of([[0] * length]) for length in (source, target))
        trained = affiliations(*sides, Sentences(np.array([0, len(links)]), links))
        places = np.arange(source, dtype=np.int32)
        decoded = target_tokens(np.zeros(target, dtype=np.int32), rng.permutation(links), places, 0)
        assert trained[:-1].tolist() == decoded.tolist(), seed
        without_links += not points and target > 1
    assert without_links > 1


def test_symbols_are_frequent_words_and_the_rest_of_each_class():
    words = Vocabulary(tuple("abcdefg"))
    counts, classes = np.array([5, 9, 2, 2, 7, 3, 1]), np.array([1, 0, 1, 1, 1, 0, 0])
    result = target_symbols(words, counts, classes, 3)
    by_class: dict[int, set[int]] = {0: set(), 1: set()}
    for number, word_class in enumerate(classes.tolist()):
        by_class[word_class].add(int(result.symbols[number]))
    for word_class, symbols in by_class.items():
        begin, end = result.class_begins[word_class : word_class + 2]
        assert symbols == set(range(begin, end))
    assert len({result.symbols[0], result.symbols[1], result.symbols[4]}) == 3  # the frequent ones
    assert result.symbols[2] == result.symbols[3]
    assert result.symbols[5] == result.symbols[6]
    assert np.exp(result.of(["c", "d"])[1]) == pytest.approx([0.5, 0.5])
    assert np.exp(result.of(["f", "g"])[1]) == pytest.approx([0.75, 0.25])
    assert result.of(["zzz"]) == (result.size - 2, 0.0)
    assert result.classes.tolist() == sorted(result.classes.tolist())


def random_examples(seed: int) -> Examples:
    rng = np.random.default_rng(seed)
    sides = [Sentences.of([rng.integers(0, 9, n).tolist() for n in rng.integers(1, 6, 7)]) for _ in range(2)]
    source, target = (flat(side, np.arange(9, dtype=np.int32), 9) for side in sides)
    lengths = np.diff(source.offsets)
    result = np.repeat(lengths, np.diff(target.offsets))
    return Examples(source, target, (rng.random(len(result)) * result).astype(np.int32))


def test_a_batch_holds_the_words_of_its_sentences():
    for seed in SEEDS:
        examples = random_examples(seed)
        chosen = np.random.default_rng(seed).permutation(examples.num_sentences)[:4]
        result = batch(examples, chosen, 9)
        place = 0
        for sentence in chosen.tolist():
            begin, end = examples.target.offsets[sentence : sentence + 2]
            words = examples.target.words[begin:end].tolist()
            source = examples.source.words[slice(*examples.source.offsets[sentence : sentence + 2])].tolist()
            for index, word in enumerate(words):
                assert result.words[place] == word
                assert result.histories[place].tolist() == ([9, 9, 9, *words])[index : index + 3]
                row = result.rows[place]
                position = examples.positions[begin + index]
                assert result.source[row - position : row - position + len(source)].tolist() == source
                assert result.filled[row - position : row - position + len(source)].all()
                assert not result.filled[row - position - 2 : row - position].any()
                assert not result.filled[row - position + len(source) :][:2].any()
                place += 1
        assert place == len(result.words)
        assert result.filled.sum() == np.diff(examples.source.offsets)[chosen].sum()


def test_an_epoch_has_each_sentence_once_in_another_order():
    examples = random_examples(1)
    orders = []
    for seed in (1, 2):
        every = list(batches(examples, np.array([0, 2, 3, 5, 6]), 6, seed))
        assert len(every) > 1
        orders.append(np.concatenate(every).tolist())
        assert sorted(orders[-1]) == [0, 2, 3, 5, 6]
    assert orders[0] != orders[1]

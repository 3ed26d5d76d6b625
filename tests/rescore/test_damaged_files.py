"""Damaged or crafted model files of arrays are refused when they are opened, before kernels use them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import random_arpa

from lattice_simp import LanguageModel
from lattice_simp.errors import FormatError
from lattice_simp.lm.build import from_arrays, to_arrays
from lattice_simp.rescore import BilingualScorer, ClassScorer
from lattice_simp.rescore.model1 import WordTable
from lattice_simp.support.array_cache import read_arrays, write_arrays
from lattice_simp.systems.hindi.clauses.crf import LinearChain
from lattice_simp.translate.grammar import Grammar

RULES = """[X] ||| a b ||| b a ||| P=-1 Q=-2 ||| 0-1 1-0
[X] ||| a [X,1] c [X,2] ||| [X,2] d [X,1] ||| P=-2 Q=-1 ||| 0-1 1-2 3-0
[X] ||| a [X,1] ||| e [X,1] f ||| P=-2 Q=-1 ||| 0-0 1-1
[X] ||| b ||| x ||| P=-3 Q=0 ||| 0-0
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory, linked_corpus):
    """Returns a file of each kind, and its reader."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(2)
    pairs = np.array([[0, 0], [0, 2], [1, 1], [-1, 2], [2, 0]], np.int32)
    words = WordTable.from_pairs(["la", "maison", "bleue"], ["the", "house", "blue"], pairs, *rng.random((2, 5)))
    words.write(folder / "words")
    _, parts = linked_corpus(1)
    source, target = [f"s{n}" for n in range(9)], [f"t{n}" for n in range(11)]
    BilingualScorer.train(parts, source, target).write(folder / "bilingual")
    (folder / "classes.arpa").write_text(random_arpa(rng, ["c0", "c1", "unknown"], 3))
    model = LanguageModel.read(folder / "classes.arpa", cache=False)
    counts, classes = np.array([4, 3, 1]), np.array([0, 1, 1], np.int32)
    ClassScorer.from_classes(["a", "b", "c"], counts, classes, model).write(folder / "classes")
    (folder / "rules.txt").write_text(RULES)
    Grammar.read(folder / "rules.txt", cache=False).write(folder / "rules")
    weights = rng.normal(size=(4, 2)).astype(np.float32)
    chain = LinearChain(("A", "B"), {f"f{n}": n for n in range(4)}, weights, rng.normal(size=(2, 2)))
    chain.write(folder / "chain")
    readers = {"words": WordTable, "bilingual": BilingualScorer, "classes": ClassScorer, "rules": Grammar}
    return {folder / name: reader.read for name, reader in (readers | {"chain": LinearChain}).items()}


NOT_INDICES = {"features", "membership", "jumps", "null", "unigram", "kind"}


def crafted(array: np.ndarray, rng: np.random.Generator) -> np.ndarray | None:
    """Returns an array with one number out of range; None for text, and for values without meaning to kernels."""
    if array.dtype.kind != "i" or not array.size:
        return None
    changed = array.copy()
    changed[tuple(rng.integers(size) for size in array.shape)] = np.iinfo(array.dtype).max - int(rng.integers(9))
    return changed


@pytest.mark.parametrize("seeds", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_numbers_outside_are_refused(models, seeds):
    for path, read in models.items():
        whole = read_arrays(path)
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            for name, array in whole.items():
                changed = crafted(array, rng)
                if changed is None:
                    continue
                for damage in (changed, -changed, array[:-1], array.astype(np.float64), np.array([2**40] * len(array))):
                    copy = Path(f"{path}.{seed}")
                    write_arrays(copy, whole | {name: damage})
                    with pytest.raises(FormatError, match=r"damaged|conditional random field|does not hold") as raised:
                        read(copy)
                    assert str(copy) in str(raised.value), (name, seed)


def test_scores_of_another_type_or_number_and_those_that_are_none_are_refused(models):
    for path, read in models.items():
        whole = read_arrays(path)
        for name, array in whole.items():
            if array.dtype.kind != "f" or not array.size:
                continue
            other = array.astype(np.float64 if array.dtype == np.float32 else np.float32)
            wrong = array.copy()
            wrong.flat[-1] = np.nan
            for damage in (other, array[:-1], np.concatenate([array, array[:1]]), wrong):
                copy = Path(f"{path}.scores")
                write_arrays(copy, whole | {name: damage})
                with pytest.raises(FormatError, match=r"damaged|conditional random field|does not hold") as raised:
                    read(copy)
                assert str(copy) in str(raised.value), name


def test_flipped_bits_are_refused(models):
    for path, read in models.items():
        whole = path.read_bytes()
        begin = whole.index(b"\n", whole.index(b"\n") + 1)
        for seed in range(20):
            rng = np.random.default_rng(seed)
            data = bytearray(whole)
            place = int(rng.integers(begin + 64, len(data)))
            data[place] ^= 1 << int(rng.integers(8))
            copy = Path(f"{path}.flipped")
            copy.write_bytes(data)
            with pytest.raises(FormatError, match="checksum"):
                read(copy)


def test_headers_cannot_lead_out_of_the_file(models):
    for path, read in models.items():
        whole = path.read_bytes()
        for old, new in ((b'"<i8"', b'"|O8"'), (b'"<i4"', b'"|O4"'), (b'": [0, [', b'": [-9, ['), (b", [", b", [-1, ")):
            if old not in whole[:8192]:
                continue
            copy = Path(f"{path}.header")
            head, rest = whole.replace(old, new, 1)[: len(whole)], b""
            copy.write_bytes(head + rest)
            with pytest.raises(FormatError):
                read(copy)


def test_a_damaged_cache_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LATTICE_SIMP_CACHE", str(tmp_path / "cache"))
    (tmp_path / "lm.arpa").write_text(random_arpa(np.random.default_rng(0), ["a", "b"], 3))
    (tmp_path / "rules").write_text(RULES)
    before = LanguageModel.read(tmp_path / "lm.arpa").score("a b"), Grammar.read(tmp_path / "rules").num_rules
    for seed in range(6):
        rng = np.random.default_rng(seed)
        for cached in (tmp_path / "cache").glob("*.arrays"):
            arrays = read_arrays(cached)
            names = sorted(name for name, array in arrays.items() if crafted(array, rng) is not None)
            name = names[int(rng.integers(len(names)))]
            write_arrays(cached, arrays | {name: crafted(arrays[name], rng)})
        after = LanguageModel.read(tmp_path / "lm.arpa").score("a b"), Grammar.read(tmp_path / "rules").num_rules
        assert after == before, seed


def test_suffixes_that_lead_in_a_circle_are_refused(tmp_path):
    (tmp_path / "lm.arpa").write_text(random_arpa(np.random.default_rng(0), ["a", "b"], 2))
    model = LanguageModel.read(tmp_path / "lm.arpa", cache=False)
    arrays = to_arrays(model.ngrams)
    assert from_arrays(model.words, arrays).suffix is arrays["suffix"]
    suffix = arrays["suffix"].copy()
    suffix[1] = 1
    with pytest.raises(ValueError, match="suffix: number 1 at place 1"):
        from_arrays(model.words, arrays | {"suffix": suffix})


def test_single_numbers_in_the_place_of_arrays_are_refused(models):
    for path, read in models.items():
        whole = read_arrays(path)
        for name, array in whole.items():
            copy = Path(f"{path}.single")
            write_arrays(copy, whole | {name: np.array(7, dtype=array.dtype)})
            with pytest.raises(FormatError):
                read(copy)

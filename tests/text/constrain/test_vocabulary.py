"""Vocabularies: their prefix tree against brute force, files that are damaged, and constraints that share one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lattice_simp as ls
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.array_cache import read_arrays, write_arrays

TOKENS = st.lists(st.none() | st.lists(st.sampled_from([0, 97, 98, 255]), max_size=5).map(bytes), max_size=12)


def nodes(trie):
    """Returns the prefix of each node, and the prefix of each token by its number."""
    prefixes, of_tokens = [b""], {}
    for node in range(len(trie.bytes)):
        if node:
            prefixes.append(prefixes[node - 1][: trie.depths[node] - 1] + bytes([trie.bytes[node]]))
        of_tokens |= {int(token): prefixes[node] for token in trie.tokens[trie.offsets[node] : trie.offsets[node + 1]]}
    return prefixes, of_tokens


@given(TOKENS, st.sets(st.integers(0, 11)))
def test_the_tree_holds_each_prefix_once_and_each_token(tokens, ends):
    trie = ls.TokenVocabulary.of(tokens).trie
    prefixes, of_tokens = nodes(trie)
    assert prefixes == sorted({token[:size] for token in tokens if token for size in range(len(token) + 1)} | {b""})
    assert of_tokens == {number: token for number, token in enumerate(tokens) if token}
    for node, prefix in enumerate(prefixes):
        below = [other for other in prefixes[node:] if other.startswith(prefix)]
        assert trie.ends[node] == node + len(below)
    left = trie.without(ends)
    assert nodes(left) == (prefixes, {number: text for number, text in of_tokens.items() if number not in ends})


@given(TOKENS)
def test_a_vocabulary_is_read_as_it_was_written(tmp_path_factory, tokens):
    path = tmp_path_factory.getbasetemp() / "tokens.arrays"
    written = ls.TokenVocabulary.of(tokens)
    written.write(path)
    read = ls.TokenVocabulary.read(path)
    assert list(read.tokens) == tokens
    assert read.size == len(tokens)
    for mine, other in zip(read.trie.columns, written.trie.columns, strict=True):
        assert mine.dtype == other.dtype == np.int32
        assert np.array_equal(mine, other)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("token_order", [2, 1, 3], "not sorted"),
        ("token_order", [1, 2, 2], "not sorted"),
        ("token_order", [1, 3, 2], "not sorted"),
        ("token_order", [1, 2], "not the numbers"),
        ("token_order", [1, 2, 9], "not the numbers"),
        ("token_order", [1, 2, -1], "not the numbers"),
        ("token_order", [0, 1, 2], "without text"),
        ("token_lengths", [-1, 1, 2, 1], "not those of the text"),
        ("token_lengths", [-2, 1, 2, 2], "not those of the text"),
        ("token_lengths", [[-1, 1, 2, 2]], "expected int32"),
    ],
)
def test_inconsistent_files_are_refused(tmp_path, name, values, message):
    path = tmp_path / "tokens.arrays"
    ls.TokenVocabulary.of([None, b"a", b"ab", b"ab"]).write(path)
    write_arrays(path, {**read_arrays(path), name: np.array(values, dtype=np.int32)})
    with pytest.raises(FormatError, match=f"tokens.arrays: the file is damaged: .*{message}"):
        ls.TokenVocabulary.read(path)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "tokens.arrays"
    with pytest.raises(FormatError, match="cannot be read"):
        ls.TokenVocabulary.read(path)
    write_arrays(path, {"costs": np.zeros(2)})
    with pytest.raises(FormatError, match="holds no vocabulary"):
        ls.TokenVocabulary.read(path)
    ls.TokenVocabulary.of([b"a"]).write(path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="checksum"):
        ls.TokenVocabulary.read(path)
    with pytest.raises(LatticeSimpError, match="a list of bytes"):
        ls.TokenVocabulary.of(["a", "b"])


def test_constraints_that_share_a_vocabulary_have_their_own_ends():
    """A token with text that ends texts in one constraint is text in the other."""
    vocabulary = ls.TokenVocabulary.of([None, b"a", b"\n", b" a", b","])
    lattice = ls.Lattice.from_strings([("a a", 0.0)])
    lines, texts = (ls.TokenConstraint.of(lattice, vocabulary, end) for end in (2, 0))
    assert lines.trie is not texts.trie
    assert texts.trie is vocabulary.trie
    assert lines.allowed([1, 3]).tolist() == [False, False, True, False, False]
    assert texts.allowed([1, 3]).tolist() == [True, False, False, False, False]
    again = ls.TokenConstraint.of(ls.gappy_acceptor([("a", 0.0)]), list(vocabulary.tokens), (1, 4))
    shared = ls.TokenConstraint.of(ls.gappy_acceptor([("a", 0.0)]), vocabulary, (1, 4))
    assert shared.fewest_tokens == again.fewest_tokens == 2
    assert shared.allowed([]).tolist() == again.allowed([]).tolist() == [False, False, False, True, False]

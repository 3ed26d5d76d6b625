"""A language model's arrays in the cache beside its ARPA file."""

from __future__ import annotations

from pathlib import Path

from lattice_simp.lm.trie import NgramTrie
from lattice_simp.support.array_cache import load_arrays, pack_words, store_arrays, unpack_words

_KIND = "trie2"  # the number grows when parsing changes
_FIELDS = ("levels", "word", "cost", "backoff", "children", "suffix")


def load_trie(path: str | Path) -> NgramTrie | None:
    """Maps a cached model, or gives None."""
    arrays = load_arrays(path, _KIND)
    if arrays is None or not {*_FIELDS, "words"} <= arrays.keys():
        return None
    return NgramTrie(words=unpack_words(arrays["words"]), **{name: arrays[name] for name in _FIELDS})


def store_trie(path: str | Path, trie: NgramTrie) -> None:
    """Caches a model."""
    arrays = {name: getattr(trie, name) for name in _FIELDS}
    store_arrays(path, _KIND, {**arrays, "words": pack_words(trie.words)})

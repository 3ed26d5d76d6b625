"""Language models: ARPA files, read once and then mapped from a cache, and KenLM binaries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lattice_simp.errors import FormatError
from lattice_simp.lm.arpa import parse_arpa
from lattice_simp.lm.binary import END, START, UNKNOWN, BinaryModel, Successors, is_binary
from lattice_simp.lm.cache import load_trie, store_trie
from lattice_simp.lm.optimistic import advance, optimistic_costs, order_view
from lattice_simp.lm.restrict import RestrictedModel, restrict
from lattice_simp.lm.trie import LOG_10, NgramTrie, build_trie
from lattice_simp.support.textio import read_bytes

MAX_BYTES = 1 << 37
"""The size of an unpacked ARPA file beyond which it is taken for a mistake."""

UNKNOWN_COST = 100.0
"""The log10 cost of unknown words in a model without `<unk>`, as KenLM sets it."""


class LanguageModel:
    """A backoff n-gram model of any order.

    >>> text = "\\\\data\\\\\\nngram 1=4\\n\\n\\\\1-grams:\\n-9 <unk>\\n0 <s> 0\\n-0.5 a\\n-0.25 </s>\\n\\\\end\\\\\\n"
    >>> model = LanguageModel.from_bytes(text.encode())
    >>> model.order, round(model.score(["a", "a"]), 4)     # 10 ** -(0.5 + 0.5 + 0.25), as a natural log
    (1, -2.8782)

    Unknown words get the probability of `<unk>`; `<s>` is the first context and is not scored itself, `</s>` is.
    """

    def __init__(self, trie: NgramTrie, name: str = "<memory>", binary: BinaryModel | None = None) -> None:
        """Takes the n-grams; of a binary model, which cannot list them, only the unigrams it was asked for."""
        self.trie = trie
        self.name = name
        self._binary = binary
        self._ids = {word: number for number, word in enumerate(trie.words)}
        self._start, self._end = (self._special(word) for word in (START, END))
        self._unknown = self._ids[UNKNOWN]

    def _special(self, word: str) -> int:
        if word not in self._ids:
            raise FormatError(f"the model has no {word}", path=self.name, remedy="estimate it on whole sentences")
        return self._ids[word]

    @classmethod
    def read(cls, path: str | Path, *, cache: bool = True) -> LanguageModel:
        """Reads an ARPA file (gz, xz, zst or plain) or a KenLM binary.

        With `cache`, the parsed arrays are kept beside the file (or in the user's cache folder where that cannot be
        written), keyed by the file's content, and mapped from there the next time.

        Raises:
            FormatError: names the line that is no ARPA.
        """
        if is_binary(path):
            binary = BinaryModel(path)
            return cls(build_trie(*binary.ngrams([], {}), str(path)), str(path), binary)
        trie = load_trie(path) if cache else None
        if trie is None:
            trie = _parse(read_bytes(path, limit=MAX_BYTES), str(path))
            if cache:
                store_trie(path, trie)
        return cls(trie, str(path))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<bytes>") -> LanguageModel:
        """Reads an ARPA file's content."""
        return cls(_parse(data, name), name)

    @property
    def order(self) -> int:
        return self.trie.order

    @property
    def needs_successors(self) -> bool:
        """Whether `restrict` is much faster if it is told which words can follow which."""
        return self._binary is not None

    def __contains__(self, word: object) -> bool:
        return word in (self._ids if self._binary is None else self._binary)

    def __repr__(self) -> str:
        size = "binary" if self._binary is not None else f"{len(self.trie.cost)} n-grams"
        return f"LanguageModel({self.name!r}, order {self.order}, {size})"

    def restrict(self, words: Sequence[str], successors: Successors | None = None) -> RestrictedModel:
        """Cuts the model down to a vocabulary; `word_ids[i]` of the result stands for `words[i]`.

        `successors` names the words that can stand behind each word (behind `<s>` as well); n-grams of other
        neighbours may be left out.
        """
        if self._binary is not None:
            listed = build_trie(*self._binary.ngrams(words, successors), self.name)
            return LanguageModel(listed, self.name).restrict(words)
        get = self._ids.get
        vocabulary = np.fromiter((get(word, -1) for word in words), dtype=np.int32, count=len(words))
        return restrict(self.trie, vocabulary, self._start, self._end, self._unknown)

    def score(self, words: Sequence[str]) -> float:
        """Returns the natural log probability of a sentence, `</s>` included."""
        if self._binary is not None:
            return LOG_10 * self._binary.score(list(words))
        model = self.restrict(words)
        view = order_view(model, optimistic_costs(model), model.order)
        state, cost = view.start, float(view.settle_cost[model.start_word])
        for word in [*model.word_ids.tolist(), view.end]:
            node, paid = advance(view, state, word)
            cost += paid + view.match_cost[node]
            state = view.next_state[node]
        return -float(cost)


def _parse(data: bytes, name: str) -> NgramTrie:
    words, sections = parse_arpa(data, name)
    if UNKNOWN not in words:
        unigrams = sections[0]
        words.append(UNKNOWN)
        sections[0] = type(unigrams)(
            np.append(unigrams.words, [[len(words) - 1]], axis=0).astype(np.int32),
            np.append(unigrams.probs, -UNKNOWN_COST),
            np.append(unigrams.backoffs, 0.0),
        )
    return build_trie(words, sections, name)

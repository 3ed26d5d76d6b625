"""Grammar filtering: the source sides that match somewhere in given sentences, as a hash table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from lattice_simp.core.growing import find_slot, grown_table
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.skeleton import read_skeletons
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.rules.extract import Limits, pattern_hash
from lattice_simp.train.text.vocabulary import numbers_of

EVERYTHING: Longs = np.zeros(0, dtype=np.int64)
"""The filter that accepts every pattern."""


def filter_sentences(paths: Iterable[Path], tokeniser: Tokeniser) -> list[str]:
    """Reads sentences of text files, and the sentences and skeletons of skeleton files, as token lines, each once.

    Raises:
        FormatError: a broken file.
    """
    return list(dict.fromkeys(line for path in paths for line in _token_lines(path, tokeniser)))


def _token_lines(path: Path, tokeniser: Tokeniser) -> Iterator[str]:
    if ".jsonl" not in path.suffixes:  # skeleton files, compressed or not, hold tokens
        yield from map(tokeniser.tokens, sentence_lines(path))
        return
    for record in read_skeletons(path):
        for words in (record.tokens, *(skeleton.words for skeleton in record.skeletons)):
            yield tokeniser.cased(" ".join(words))


def matching_patterns(sentences: list[str], words: Sequence[str], limits: Limits) -> Longs:
    """Returns the hash table (`find_slot`) of all patterns that match somewhere in token lines."""
    return _patterns(*numbers_of(sentences, list(words)), limits)


@jit
def _patterns(offsets: Longs, flat: Ints, limits: Limits) -> Longs:
    keys = np.full(1 << 16, -1, dtype=np.int64)
    used = 0
    symbols = np.empty(limits.max_symbols + 2, dtype=np.int32)
    for sentence in range(len(offsets) - 1):
        words = flat[offsets[sentence] : offsets[sentence + 1]]
        # A pattern grows symbol by symbol: a stack of (position, symbols so far, gaps so far, a gap is last, symbol).
        for begin in range(len(words)):
            last = min(begin + limits.max_span, len(words))
            stack = [(begin, 0, 0, False, 0)]
            while len(stack) > 0:
                index, length, gaps, after_gap, symbol = stack.pop()
                if length > 0:
                    symbols[length - 1] = symbol
                if length > 0 and gaps < length:  # there is a word
                    key = pattern_hash(symbols[:length])
                    slot = find_slot(keys, key)
                    if keys[slot] < 0:
                        if 2 * used >= len(keys):
                            keys = grown_table(keys, np.empty(len(keys), dtype=np.int32))[0]
                            slot = find_slot(keys, key)
                        keys[slot] = key
                        used += 1
                if length == limits.max_symbols or index >= last:
                    continue
                if words[index] >= 0:
                    stack.append((index + 1, length + 1, gaps, False, words[index]))
                if gaps < limits.max_gaps and not after_gap:
                    for end in range(index + 1, last + 1):
                        stack.append((end, length + 1, gaps + 1, True, -1 - gaps))
    return keys

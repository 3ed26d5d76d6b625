"""The smoothed word probabilities p(t | previous t, s) of the bilingual model, estimated from linked sentences.

Interpolated absolute discounting (Chen and Goodman 1998, section 2.5, with their three discounts): p(t | previous, s)
falls back on p(t | s), that on p(t), and that on a uniform distribution over the vocabulary. The probability that a
context loses by discounts or dropped rare events goes to the shorter context, so the probabilities of each context sum
to 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import block_numbers, prefix_sums
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.counts import count_events, discounted, summed
from lattice_simp.rescore.jumps import BUCKETS, JumpCounts, count_jumps, fit_weights
from lattice_simp.rescore.vocabulary import Sentences, Vocabulary, frequent, word_counts
from lattice_simp.support.array_checks import check_array, check_finite, check_indices, check_offsets, length_of

Singles = npt.NDArray[np.float32]

LinkedPart = tuple[Sentences, Sentences, Sentences]
"""Source, target, and links, which are sentences whose `words` are (links, 2) positions, sorted by target position."""

_BITS = 21
_MASK = (1 << _BITS) - 1


class BilingualArrays(NamedTuple):
    """Word probabilities as sorted arrays.

    Source symbols are the vocabulary's words, then the unknown word, the end, and NULL. Target symbols are the words,
    the unknown word, and the boundary, which stands for the end and for the place before the first word.

    Attributes:
        unigram: (target symbols,) p(t).
        source_backoff: (source symbols,) the weight of p(t) after s.
        pair_begins: (source symbols + 1,) where the pairs of each s begin.
        pair_words, pair_probabilities: (pairs,) t, sorted for each s, and p(t | s).
        context_begins: (source symbols + 1,) where the contexts of each s begin.
        context_words, context_backoff: (contexts,) the previous t, sorted for each s, and the weight of p(t | s).
        triple_begins: (contexts + 1,) where the triples of each context begin.
        triple_words, triple_probabilities: (triples,) t, sorted for each context, and p(t | previous, s).
        jumps: the weights of jumps (`jumps.py`).
        null: (1,) the probability that a word comes from NULL.
    """

    unigram: Floats
    source_backoff: Floats
    pair_begins: Longs
    pair_words: Ints
    pair_probabilities: Singles
    context_begins: Longs
    context_words: Ints
    context_backoff: Singles
    triple_begins: Longs
    triple_words: Ints
    triple_probabilities: Singles
    jumps: Floats
    null: Floats

    def check(self, source: Vocabulary, target: Vocabulary) -> None:
        """Raises BrokenArrayError if the arrays contradict each other or the vocabularies."""
        source_symbols, target_symbols = source.unknown + 3, target.unknown + 2
        words = ("pair_words", "context_words", "triple_words")
        pairs, contexts, triples = (length_of(name, getattr(self, name)) for name in words)
        sizes: dict[str, tuple[npt.DTypeLike, int]] = {
            "unigram": (np.float64, target_symbols),
            "source_backoff": (np.float64, source_symbols),
            "pair_begins": (np.int64, source_symbols + 1),
            "pair_words": (np.int32, pairs),
            "pair_probabilities": (np.float32, pairs),
            "context_begins": (np.int64, source_symbols + 1),
            "context_words": (np.int32, contexts),
            "context_backoff": (np.float32, contexts),
            "triple_begins": (np.int64, contexts + 1),
            "triple_words": (np.int32, triples),
            "triple_probabilities": (np.float32, triples),
            "jumps": (np.float64, BUCKETS),
            "null": (np.float64, 1),
        }
        for name, (dtype, size) in sizes.items():
            check_array(name, getattr(self, name), dtype, size)
            if np.issubdtype(np.dtype(dtype), np.floating):
                check_finite(name, getattr(self, name))
        for kind, count in (("pair", pairs), ("context", contexts), ("triple", triples)):
            check_offsets(f"{kind}_begins", getattr(self, f"{kind}_begins"), count)
            check_indices(f"{kind}_words", getattr(self, f"{kind}_words"), target_symbols)


def train_table(
    parts: Iterable[LinkedPart],
    source_words: list[str],
    target_words: list[str],
    *,
    least_word: int = 2,
    least_pair: int = 1,
    least_triple: int = 2,
) -> tuple[Vocabulary, Vocabulary, BilingualArrays]:
    """Estimates source and target vocabulary and word probabilities; the same input gives the same bytes.

    A target word with several links counts once for each; one without counts with NULL.

    Args:
        parts: the corpus, part by part (read twice).
        source_words, target_words: the words by number.
        least_word: words that occur less often, on either side, are unknown words.
        least_pair, least_triple: (s, t) and (s, previous, t) that occur less often are dropped.

    Raises:
        LatticeSimpError: numbers that do not fit; no sentences; more words than 2^21 - 3 on one side.
    """
    parts = list(parts)
    sides = [(0, source_words), (1, target_words)]
    vocabularies = [
        frequent(word_counts([part[side] for part in parts], len(words)), words, least_word) for side, words in sides
    ]
    (source, source_numbers), (target, target_numbers) = vocabularies
    if max(source.unknown, target.unknown) + 3 > _MASK:
        raise LatticeSimpError(f"more than {_MASK - 3} words on one side; raise the least count of words")
    if not any(part[0].num_sentences for part in parts):
        raise LatticeSimpError("no sentences to train on")
    jumps = JumpCounts.none()

    def events(part: LinkedPart) -> Longs:
        part_source, part_target, links = part
        _check_links(*part)
        count_jumps(np.diff(part_source.offsets), part_target.offsets, *links, jumps)
        numbered = (
            part_source._replace(words=source_numbers[part_source.words]),
            part_target._replace(words=target_numbers[part_target.words]),
        )
        return _events(*numbered, links, source.unknown, target.unknown)

    counted = count_events(map(events, parts))
    return source, target, _smoothed(source, target, counted, jumps, least_pair, least_triple)


def _check_links(source: Sentences, target: Sentences, links: Sentences) -> None:
    if not source.num_sentences == target.num_sentences == links.num_sentences:
        raise LatticeSimpError(
            f"{source.num_sentences} source sentences, {target.num_sentences} target sentences and "
            f"{links.num_sentences} lists of links"
        )
    counts = np.diff(links.offsets)
    limits = np.stack([np.repeat(np.diff(side.offsets), counts) for side in (source, target)], axis=1)
    if len(links.words) and ((links.words < 0) | (links.words >= limits)).any():
        raise LatticeSimpError("a link leads to a word outside its sentence")
    same = block_numbers(links.offsets)
    if ((np.diff(links.words[:, 1]) < 0) & (np.diff(same) == 0)).any():
        raise LatticeSimpError("links are not sorted by target position")


def _events(source: Sentences, target: Sentences, links: Sentences, source_unknown: int, target_unknown: int) -> Longs:
    """Returns the packed (s, previous t, t) of all links, of unlinked words (with NULL), and of the ends."""
    ends = target.offsets[1:] + np.arange(target.num_sentences)
    words = np.insert(target.words, target.offsets[1:], target_unknown + 1).astype(np.int64)
    bigrams = np.roll(words, 1) << _BITS | words
    sentence = block_numbers(links.offsets)
    linked = target.offsets[sentence] + sentence + links.words[:, 1]
    symbols = np.full(len(words), source_unknown + 2, dtype=np.int64)
    symbols[ends] = source_unknown + 1
    symbols = np.append(np.delete(symbols, linked), source.words[source.offsets[sentence] + links.words[:, 0]])
    return symbols << 2 * _BITS | np.append(np.delete(bigrams, linked), bigrams[linked])


def _smoothed(
    source: Vocabulary,
    target: Vocabulary,
    counted: tuple[Longs, Longs],
    jumps: JumpCounts,
    least_pair: int,
    least_triple: int,
) -> BilingualArrays:
    events, counts = counted
    source_size, target_size = source.unknown + 3, target.unknown + 2
    words = events & _MASK
    unigram = _unigram(words, counts, target_size)

    pairs, pair_counts = summed((events >> (2 * _BITS) << _BITS) | words, counts)
    pair_source = pairs >> _BITS
    shares, source_backoff = _shares(pair_source, pair_counts, least_pair, source_size)
    pair_probabilities = shares + source_backoff[pair_source] * unigram[pairs & _MASK]
    # The share of a dropped pair is 0, so only its weighted p(t) is left here, as it should be.
    lower = pair_probabilities[np.searchsorted(pairs, (events >> (2 * _BITS) << _BITS) | words)]
    kept = pair_counts >= least_pair
    pairs, pair_probabilities = pairs[kept], pair_probabilities[kept]

    contexts, context_of = np.unique(events >> _BITS, return_inverse=True)
    shares, backoff = _shares(context_of, counts, least_triple, len(contexts))
    kept = counts >= least_triple
    triple_probabilities = (shares + backoff[context_of] * lower)[kept]
    kept_contexts, sizes = np.unique(context_of[kept], return_counts=True)  # the others fall back with weight 1
    contexts = contexts[kept_contexts]
    return BilingualArrays(
        unigram=unigram,
        source_backoff=source_backoff,
        pair_begins=np.searchsorted(pairs >> _BITS, np.arange(source_size + 1)).astype(np.int64),
        pair_words=(pairs & _MASK).astype(np.int32),
        pair_probabilities=pair_probabilities.astype(np.float32),
        context_begins=np.searchsorted(contexts >> _BITS, np.arange(source_size + 1)).astype(np.int64),
        context_words=(contexts & _MASK).astype(np.int32),
        context_backoff=backoff[kept_contexts].astype(np.float32),
        triple_begins=prefix_sums(sizes),
        triple_words=words[kept].astype(np.int32),
        triple_probabilities=triple_probabilities.astype(np.float32),
        jumps=fit_weights(jumps.buckets, jumps.departures),
        null=np.array([jumps.null()]),
    )


def _unigram(words: Longs, counts: Longs, size: int) -> Floats:
    """Returns p(t) of all target symbols: discounted counts, and a uniform share."""
    totals = np.bincount(words, weights=counts, minlength=size)
    occurs = totals > 0
    unigram = np.zeros(size)
    unigram[occurs] = discounted(totals[occurs].astype(np.int64)) / totals.sum()
    return unigram + (1.0 - unigram.sum()) / size


def _shares(contexts: Longs, counts: Longs, least: int, size: int) -> tuple[Floats, Floats]:
    """Returns each event's discounted share of its context (0 if rare), and the remaining share of each context."""
    totals = np.bincount(contexts, weights=counts, minlength=size)
    shares = np.where(counts >= least, discounted(counts) / totals[contexts], 0.0)
    return shares, np.ones(size) - np.bincount(contexts, weights=shares, minlength=size)

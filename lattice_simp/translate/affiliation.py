"""The one source token that each target word of a chart's items belongs to.

The links of a word's rule decide, see `core.affiliation`; a slot counts as one symbol. The words of a rule without
links are spread over its own source words; those of a rule without source words belong to the middle of its span.

Target sides of several rules share arcs, so a lattice whose arcs name their tokens needs an arc for each pair of a word
and a token: in the chart such a pair is a label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.affiliation import affiliate
from lattice_simp.core.kernel import Ints, jit
from lattice_simp.core.symbols import EPSILON
from lattice_simp.translate.derivation import COPY_RULE
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.match import Matches

NO_TOKEN = -1
"""The token of epsilons, references and unexpanded gaps."""


class WordLabels(NamedTuple):
    """Pairs of a target word and the token it belongs to, by label; label 0 is epsilon."""

    words: Ints
    tokens: Ints


def word_labels(symbols: Ints, tokens: Ints) -> tuple[Ints, WordLabels]:
    """Returns labels for words, one for each distinct pair; references (negative) stay.

    >>> labels, pairs = word_labels(np.array([7, -1, 7, 9]), np.array([2, -1, 3, 2]))
    >>> labels.tolist(), pairs.words.tolist(), pairs.tokens.tolist()
    ([1, -1, 2, 3], [0, 7, 7, 9], [-1, 2, 3, 2])
    """
    is_word = symbols >= 0
    pairs, numbers = np.unique(np.stack([symbols[is_word], tokens[is_word]], axis=1), axis=0, return_inverse=True)
    labels = symbols.astype(np.int32)
    labels[is_word] = 1 + numbers.reshape(-1)
    pairs = np.concatenate([[[EPSILON, NO_TOKEN]], pairs]).astype(np.int32)
    return labels, WordLabels(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))


def item_tokens(grammar: Grammar, matches: Matches, match: Ints, rule: Ints, offsets: Ints) -> Ints:
    """Returns the token of each target symbol of items of matches, flat.

    Args:
        grammar, matches: the rules, and their matches in a sentence.
        match, rule: (items,) the match of each item, and its rule; negative for a token that stands for itself.
        offsets: (items + 1,) where its symbols begin.
    """
    rules = _Rules(
        grammar.source_offsets,
        grammar.source,
        grammar.target_offsets,
        grammar.target,
        grammar.alignment_offsets,
        grammar.alignment,
    )
    spans, slots = np.ascontiguousarray(matches.span), np.ascontiguousarray(matches.slots)
    tokens = np.empty(int(offsets[-1]), dtype=np.int32)
    _item_tokens(rules, matches.pattern, spans, slots, match, rule, offsets, tokens)
    return tokens


class _Rules(NamedTuple):
    """Both sides of a grammar's rules, and their alignments; see `Grammar`."""

    source_offsets: Ints
    source: Ints
    target_offsets: Ints
    target: Ints
    alignment_offsets: Ints
    alignment: Ints


@jit
def _item_tokens(
    rules: _Rules, pattern: Ints, spans: Ints, slots: Ints, match: Ints, rule: Ints, offsets: Ints, tokens: Ints
) -> None:
    for item in range(len(match)):
        row, number = match[item], rule[item]
        start, end = spans[row, 0], spans[row, 1]
        if number < 0:
            tokens[offsets[item] : offsets[item + 1]] = start if number == COPY_RULE else NO_TOKEN
            continue
        source = rules.source[rules.source_offsets[pattern[row]] : rules.source_offsets[pattern[row] + 1]]
        places = np.full(len(source), NO_TOKEN, dtype=np.int32)  # the token of each source word
        place, slot = start, 0
        for index in range(len(source)):
            if source[index] >= 0:
                places[index] = place
                place += 1
            else:
                place = slots[row, 2 * slot + 1]
                slot += 1
        target = rules.target[rules.target_offsets[number] : rules.target_offsets[number + 1]]
        points = rules.alignment[rules.alignment_offsets[number] : rules.alignment_offsets[number + 1]]
        tokens[offsets[item] : offsets[item + 1]] = target_tokens(target, points, places, (start + end - 1) // 2)


@jit
def target_tokens(target: Ints, points: Ints, places: Ints, middle: int) -> Ints:
    """Returns the token of each symbol of a rule's target side, NO_TOKEN for slots.

    Args:
        target: the symbols; negative for slots.
        points: (points, 2) source and target symbols that are linked.
        places: (source symbols,) the token of each, NO_TOKEN for slots.
        middle: the token of the words of a rule without source words.
    """
    links = np.empty((len(points), 2), dtype=np.int32)
    count = 0
    for symbol in range(len(target)):
        for source in range(len(places)):
            for point in range(len(points)):
                is_link = points[point, 0] == source and points[point, 1] == symbol
                if is_link and target[symbol] >= 0 and places[source] >= 0:
                    links[count, 0], links[count, 1] = places[source], symbol
                    count += 1
                    break
    words = places[places >= 0]
    tokens = np.empty(len(target), dtype=np.int32)
    affiliate(links[:count], words if len(words) > 0 else np.full(1, middle, dtype=np.int32), tokens)
    tokens[target < 0] = NO_TOKEN
    return tokens

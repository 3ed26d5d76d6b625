"""A rule that swaps two neighbouring phrases: reordering without words (Wu 1997), as far as `max_span` reaches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lattice_simp.core.kernel import Ints
from lattice_simp.translate.grammar import Grammar

SWAP = "Swap"
"""The score of the rule: -1 for each swap."""

START_WEIGHT = 2.0
"""The cost of a swap (nats) before tuning."""


def with_swaps(grammar: Grammar) -> Grammar:
    """Returns a shallow grammar with the rule `X -> V V` that writes its two phrases in the opposite order.

    A swapped phrase is not swapped again, so the grammar does not nest, and decoding stays exact. X must be the top,
    and V the phrases in its gaps.

    >>> from lattice_simp.formats.moses.rule_table import parse_rules
    >>> table = ["[V] ||| a ||| a ||| P=-1", "[X] ||| [V,1] ||| [V,1] ||| P=0"]
    >>> swapped = with_swaps(Grammar.from_rules(parse_rules(table)))
    >>> swapped.rule(2).source, swapped.rule(2).target, swapped.rule(2).features
    ((('V',), ('V',)), (1, 0), (('P', 0.0), ('Swap', -1.0)))
    >>> swapped.nests
    False
    """
    top, phrase = grammar.nonterminals.index("X"), grammar.nonterminals.index("V")
    features = np.zeros((grammar.num_rules + 1, len(grammar.feature_names) + 1))
    features[:-1, :-1] = grammar.features
    features[-1, -1] = -1.0
    source, target = [-1 - phrase, -1 - phrase], [-2, -1]
    changed = replace(grammar, features=features, feature_names=(*grammar.feature_names, SWAP))
    kept = ("source_words", "target_words", "nonterminals", "features", "feature_names", "alignment")
    return Grammar.from_arrays(
        **{name: getattr(changed, name) for name in kept},
        source_offsets=_longer(grammar.source_offsets, len(source)),
        source=np.append(grammar.source, source).astype(np.int32),
        pattern_left=np.append(grammar.pattern_left, top).astype(np.int32),
        pattern_rules=_longer(grammar.pattern_rules, 1),
        target_offsets=_longer(grammar.target_offsets, len(target)),
        target=np.append(grammar.target, target).astype(np.int32),
        alignment_offsets=_longer(grammar.alignment_offsets, 0),
    )


def _longer(offsets: Ints, length: int) -> Ints:
    """Returns offsets with another row of a length."""
    return np.append(offsets, offsets[-1] + length).astype(np.int32)

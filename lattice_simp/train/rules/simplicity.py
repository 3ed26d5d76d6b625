"""Measures how much simpler a rule's target words are than its source words: more frequent in simple text, shorter.

Both sides are in the same language. Words that both sides share are ignored; the means over the replaced words and over
the new words are compared, so longer phrases gain nothing by their length.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lattice_simp.core.blocks import block_numbers
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.lm import LanguageModel
from lattice_simp.pipeline.shards import taken
from lattice_simp.translate.grammar import Grammar

FREQUENCY, LENGTH = "Frequency", "Length"
"""Log probability of a new word minus that of a replaced one; letters of a replaced word minus those of a new one."""

FEATURES = (FREQUENCY, LENGTH)


def with_simplicity(grammar: Grammar, model: LanguageModel) -> Grammar:
    r"""Returns a grammar with the features `Frequency` and `Length`.

    Args:
        grammar: a grammar from complex to simple words.
        model: a model of simple text; its unigrams give the frequencies of words, and unknown words are as rare as
            `<unk>`.

    >>> from lattice_simp.formats.moses.rule_table import parse_rules
    >>> text = "\\data\\\nngram 1=5\n\n\\1-grams:\n-4 <unk>\n0 <s>\n-1 </s>\n-3 purchase\n-2 buy\n\n\\end\\\n"
    >>> rules = parse_rules(["[X] ||| purchase it ||| buy it ||| ", "[X] ||| it ||| it ||| "])
    >>> simpler = with_simplicity(Grammar.from_rules(rules), LanguageModel.from_bytes(text.encode()))
    >>> simpler.feature_names, simpler.features.round(2).tolist()
    (('Frequency', 'Length'), [[2.3, 5.0], [0.0, 0.0]])
    """
    table = SymbolTable(word for words in (grammar.source_words, grammar.target_words) for word in words)
    patterns = block_numbers(grammar.pattern_rules)
    read = _keys(grammar.source_offsets, grammar.source, grammar.source_words, patterns, table)
    written = _keys(grammar.target_offsets, grammar.target, grammar.target_words, np.arange(grammar.num_rules), table)
    removed, added = np.setdiff1d(read, written), np.setdiff1d(written, read)
    values = np.stack([_log_probabilities(table, model), [-float(len(word)) for word in table]], axis=1)
    before, after = (_means(keys, values, grammar.num_rules) for keys in (removed, added))
    gains = np.nan_to_num(after - before)  # nothing to compare if words are only removed or only added
    features = np.hstack([grammar.features, gains])
    return replace(grammar, features=features, feature_names=(*grammar.feature_names, *FEATURES))


def _keys(offsets: Ints, symbols: Ints, words: SymbolTable, rows: Longs, table: SymbolTable) -> Longs:
    """Returns `rule * len(table) + word` of the words of each rule's row; gaps and words without letters are skipped.

    The rows are those of the rules in a side of the grammar, given with its symbol table; `table` has the words of both
    sides.
    """
    of_table = table.encode(list(words))
    has_letters = np.array([any(letter.isalpha() for letter in word) for word in table])
    has_letters[EPSILON] = False
    rule_offsets, rule_symbols = taken(offsets.astype(np.int64), symbols, rows)
    rules = block_numbers(rule_offsets)
    word_ids = np.where(rule_symbols >= 0, of_table[np.maximum(rule_symbols, 0)], EPSILON)
    return (rules * len(table) + word_ids)[has_letters[word_ids]]


def _means(keys: Longs, values: Floats, num_rules: int) -> Floats:
    """Returns (rules, features) the mean values of each rule's words; NaN for rules without words."""
    rules, words = np.divmod(keys, len(values))
    counts = np.bincount(rules, minlength=num_rules)
    sums = [np.bincount(rules, weights=column[words], minlength=num_rules) for column in values.T]
    with np.errstate(invalid="ignore"):
        return np.stack(sums, axis=1) / counts[:, None]


def _log_probabilities(table: SymbolTable, model: LanguageModel) -> Floats:
    unigrams = model.restrict(list(table))
    return -unigrams.cost[unigrams.vocabulary]

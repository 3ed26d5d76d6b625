"""The stage `rules`: features of the counted rules, as a grammar that the decoder maps into memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.shards import read_shard, shard_paths
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.train.config import Config
from lattice_simp.train.rules.count import read_target_counts, target_hashes
from lattice_simp.train.rules.lexical import LexicalTable, RuleSides, lexical_weights
from lattice_simp.train.rules.out_of_core import rows_of
from lattice_simp.train.text.vocabulary import read_words
from lattice_simp.translate.grammar import Grammar

FILE = "rules.arrays"

LEAST_PROBABILITY = 1e-7
"""Of a word pair that the lexical table does not hold."""

FEATURES = (
    "TargetGivenSource",
    "SourceGivenTarget",
    "LexicalTargetGivenSource",
    "LexicalSourceGivenTarget",
    "RulePenalty",
    "Hierarchical",
    "CountOne",
    "CountTwo",
    "CountMore",
)
"""Log probabilities, then minus one for a rule, a rule with gaps, a rule seen once, twice, more often."""

PROVENANCE = "From"
"""Begins the name of a corpus's feature: one for a rule that was seen there."""


def rules_stage(config: Config) -> Stage:
    """Returns the stage that makes the grammar."""
    corpora = [corpus.name for corpus in config.corpora] if config.rules.provenance else []
    settings = {"grammar": config.rules.grammar, "provenance": corpora}
    return Stage("rules", ("number", "lexical", "count", "targets"), settings, (), partial(_rules, config, corpora))


def _rules(config: Config, corpora: list[str], run: Run, folder: Path) -> dict[str, Any]:
    counted = read_counted(run.folders["count"])
    lexicon = LexicalTable.read(run.folders["lexical"])
    features, names = _features(counted, lexicon, read_target_counts(run.folders["targets"]), corpora)
    words = (read_words(run.folders["number"], "source"), read_words(run.folders["number"], "target"))
    grammar = build_grammar(counted, features, names, words, shallow=config.rules.grammar == "shallow-1")
    grammar.write(folder / FILE)
    return {"rules": grammar.num_rules, "patterns": grammar.num_patterns}


@dataclass(frozen=True, eq=False)
class CountedRules:
    """Rules with their counts, sorted by source side; symbols as in `extract.py`.

    Attributes:
        sides: the symbols and the links.
        counts, source_counts: (rules,) int64 of the rule and its source side.
        target_hashes: (rules,) int64.
        corpora: (rules,) int64, a bit for each corpus.
    """

    sides: RuleSides
    counts: Longs
    source_counts: Longs
    target_hashes: Longs
    corpora: Longs


def read_counted(folder: Path) -> CountedRules:
    """Reads all buckets.

    Raises:
        LatticeSimpError: there are no rules.
    """
    table = pa.concat_tables([read_shard(path) for path in shard_paths(folder)])
    if not len(table):
        raise LatticeSimpError("no rules were found; are the corpora parallel, and do `rules.only_for` texts fit them?")
    return CountedRules(
        RuleSides(
            *rows_of(table["source"], np.int32),
            *rows_of(table["target"], np.int32),
            *rows_of(table["points"], np.uint8),
        ),
        counts=table["count"].to_numpy(),
        source_counts=table["source_count"].to_numpy(),
        target_hashes=target_hashes(table["target"]),
        corpora=table["corpora"].to_numpy(),
    )


def _features(
    rules: CountedRules, lexicon: LexicalTable, targets: tuple[Longs, Longs], corpora: list[str]
) -> tuple[Floats, tuple[str, ...]]:
    hashes, target_counts = targets
    of_target = target_counts[np.searchsorted(hashes, rules.target_hashes)]
    sides = rules.sides
    has_gaps = np.minimum.reduceat(sides.source, sides.source_offsets[:-1]) < 0
    columns = [
        np.log(rules.counts / rules.source_counts),
        np.log(rules.counts / of_target),
        lexical_weights(sides, lexicon.pairs, lexicon.target_given_source, True, LEAST_PROBABILITY),
        lexical_weights(sides, lexicon.pairs, lexicon.source_given_target, False, LEAST_PROBABILITY),
        np.full(len(has_gaps), -1.0),
        -has_gaps.astype(np.float64),
        *(-found.astype(np.float64) for found in (rules.counts == 1, rules.counts == 2, rules.counts > 2)),
        *((rules.corpora >> index & 1).astype(np.float64) for index in range(len(corpora))),
    ]
    return np.stack(columns, axis=1) + 0.0, (*FEATURES, *(f"{PROVENANCE}-{corpus}" for corpus in corpora))


def build_grammar(
    rules: CountedRules,
    features: Floats,
    names: tuple[str, ...],
    words: tuple[list[str], list[str]],
    *,
    shallow: bool,
) -> Grammar:
    """Arranges the rules as a grammar; a shallow one gets the rule X -> V, whose features are 0."""
    sides = rules.sides
    starts = np.flatnonzero(_differs(sides.source_offsets, sides.source))
    source_offsets, source = _select(sides.source_offsets, sides.source, starts)
    source, source_words = _renumbered(source, words[0])
    target, target_words = _renumbered(sides.target, words[1])
    has_gaps = np.minimum.reduceat(source, source_offsets[:-1]) < 0
    gap = 1 if shallow else 0
    source = np.where(source < 0, -1 - gap, source)
    left = np.where(has_gaps, 0, gap)
    pattern_rules = np.append(starts, len(rules.counts))
    target_offsets, point_offsets = sides.target_offsets, sides.point_offsets // 2
    if shallow:
        source_offsets, source = np.append(source_offsets, source_offsets[-1] + 1), np.append(source, -1 - gap)
        left = np.append(left, 0)
        pattern_rules = np.append(pattern_rules, len(rules.counts) + 1)
        target_offsets, target = np.append(target_offsets, target_offsets[-1] + 1), np.append(target, -1)
        point_offsets = np.append(point_offsets, point_offsets[-1])
        features = np.vstack([features, np.zeros((1, features.shape[1]))])
    return Grammar.from_arrays(
        source_words=source_words,
        target_words=target_words,
        nonterminals=("X", "V") if shallow else ("X",),
        pattern_left=left.astype(np.int32),
        pattern_rules=pattern_rules.astype(np.int32),
        source_offsets=source_offsets.astype(np.int32),
        source=source.astype(np.int32),
        target_offsets=target_offsets.astype(np.int32),
        target=target.astype(np.int32),
        features=features,
        feature_names=names,
        alignment_offsets=point_offsets.astype(np.int32),
        alignment=sides.points.reshape(-1, 2).astype(np.int32),
    )


def _differs(offsets: Longs, symbols: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Returns whether each row differs from the one before."""
    lengths = np.diff(offsets)
    width = int(lengths.max(initial=1))
    rows = np.full((len(lengths), width), np.iinfo(np.int32).min, dtype=np.int32)
    inside = np.arange(width) < lengths[:, None]
    rows[inside] = symbols
    return np.append(True, (rows[1:] != rows[:-1]).any(axis=1))


def _select(offsets: Longs, symbols: Ints, rows: Longs) -> tuple[Longs, Ints]:
    lengths = np.diff(offsets)[rows]
    chosen = np.concatenate(([0], np.cumsum(lengths)))
    indices = np.repeat(offsets[:-1][rows] - chosen[:-1], lengths) + np.arange(chosen[-1])
    return chosen, symbols[indices]


def _renumbered(symbols: Ints, words: list[str]) -> tuple[Ints, SymbolTable]:
    """Numbers the words that occur by a symbol table of their own; gaps stay."""
    used = np.unique(symbols[symbols >= 0])
    table = SymbolTable()
    numbers = table.encode([words[number] for number in used.tolist()])
    return np.where(symbols < 0, symbols, numbers[np.searchsorted(used, np.maximum(symbols, 0))]), table

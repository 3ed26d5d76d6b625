"""The stage `rules`: features of the counted rules, as a grammar that the decoder maps into memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.shards import read_shard, shard_paths, taken
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.train.config import Config
from lattice_simp.train.rules.count import read_target_counts
from lattice_simp.train.rules.extract import RuleSides, hash_rows
from lattice_simp.train.rules.lexical import LexicalTable, lexical_weights
from lattice_simp.train.rules.out_of_core import rows_of
from lattice_simp.train.text.vocabulary import read_words
from lattice_simp.translate.grammar import Grammar

FILE = "rules.arrays"

LEAST_PROBABILITY = 1e-7
"""The probability of a word pair that the lexical table does not hold."""

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
    table = pa.concat_tables([read_shard(path) for path in run.each(shard_paths(run.folders["count"]))])
    if not len(table):
        raise LatticeSimpError("no rules were found; are the corpora parallel, and do `rules.only_for` texts fit them?")
    sides = RuleSides(
        *rows_of(table["source"], np.int32), *rows_of(table["target"], np.int32), *rows_of(table["points"], np.uint8)
    )
    hashes, target_counts = read_target_counts(run.folders["targets"])
    of_target = target_counts[np.searchsorted(hashes, hash_rows(sides.target_offsets, sides.target))]
    features = _features(sides, table, of_target, LexicalTable.read(run.folders["lexical"]), len(corpora))
    names = (*FEATURES, *(f"{PROVENANCE}-{corpus}" for corpus in corpora))
    words = (read_words(run.folders["number"], "source"), read_words(run.folders["number"], "target"))
    starts = np.flatnonzero(np.append(True, pc.not_equal(table["source"][1:], table["source"][:-1]).to_numpy()))
    grammar = _grammar(sides, starts, features, names, words, shallow=config.rules.grammar == "shallow-1")
    grammar.write(folder / FILE)
    return {"rules": grammar.num_rules, "patterns": grammar.num_patterns}


def _features(sides: RuleSides, table: pa.Table, of_target: Longs, lexicon: LexicalTable, corpora: int) -> Floats:
    """Returns the features of all rules, (rules, features); `of_target` counts the rules' target sides."""
    counts, source_counts, seen_in = (table[name].to_numpy() for name in ("count", "source_count", "corpora"))
    has_gaps = np.minimum.reduceat(sides.source, sides.source_offsets[:-1]) < 0
    columns = [
        np.log(counts / source_counts),
        np.log(counts / of_target),
        lexical_weights(sides, lexicon.pairs, lexicon.target_given_source, True, LEAST_PROBABILITY),
        lexical_weights(sides, lexicon.pairs, lexicon.source_given_target, False, LEAST_PROBABILITY),
        np.full(len(has_gaps), -1.0),
        -has_gaps.astype(np.float64),
        *(-has_count.astype(np.float64) for has_count in (counts == 1, counts == 2, counts > 2)),
        *((seen_in >> index & 1).astype(np.float64) for index in range(corpora)),
    ]
    return np.stack(columns, axis=1) + 0.0


def _grammar(
    sides: RuleSides,
    starts: Longs,
    features: Floats,
    names: tuple[str, ...],
    words: tuple[list[str], list[str]],
    *,
    shallow: bool,
) -> Grammar:
    """Arranges the rules, source side by source side; a shallow grammar gets the rule X -> V, whose features are 0."""
    source_offsets, source = taken(sides.source_offsets, sides.source, starts)
    source, source_words = _renumbered(source, words[0])
    target, target_words = _renumbered(sides.target, words[1])
    has_gaps = np.minimum.reduceat(source, source_offsets[:-1]) < 0
    gap = 1 if shallow else 0
    source = np.where(source < 0, -1 - gap, source)
    left = np.where(has_gaps, 0, gap)
    pattern_rules = np.append(starts, len(features))
    target_offsets, point_offsets = sides.target_offsets, sides.point_offsets // 2
    if shallow:
        source_offsets, source = np.append(source_offsets, source_offsets[-1] + 1), np.append(source, -1 - gap)
        left = np.append(left, 0)
        pattern_rules = np.append(pattern_rules, len(features) + 1)
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


def _renumbered(symbols: Ints, words: list[str]) -> tuple[Ints, SymbolTable]:
    """Renumbers the words that occur by a new symbol table; gaps stay."""
    used = np.unique(symbols[symbols >= 0])
    table = SymbolTable()
    numbers = table.encode([words[number] for number in used.tolist()])
    return np.where(symbols < 0, symbols, numbers[np.searchsorted(used, np.maximum(symbols, 0))]), table

"""A decoder's lattice with the feature vector of every arc: what tuning needs of a translation."""

from __future__ import annotations

import numpy as np

from lattice_simp.kernel import Floats
from lattice_simp.symbols import SymbolTable
from lattice_simp.translate.derivation import COPY_FEATURE, COPY_RULE, GLUE_FEATURE, LENGTH_FEATURE, parse_label
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.result import Translation, score_features
from lattice_simp.tune.feature_lattice import FeatureLattice


def feature_lattice(result: Translation) -> FeatureLattice:
    """Gives a translation's lattice with features on its arcs; words keep the numbers of the lattice's table.

    The features are those of `Translation.features`: rule features, `Glue`, `OOV`, `WordPenalty`, then one for each of
    the lattice's score columns. Minus their weighted sum is the cost of a path.
    """
    lattice, grammar = result.lattice, result.grammar
    assert lattice.isymbols is not None
    columns = score_features(lattice.scores)
    scores = [-lattice.scores[column] for column in columns.values()]
    words = -(lattice.olabels != 0).astype(np.float64)
    arcs = np.column_stack([label_matrix(lattice.isymbols, grammar)[lattice.ilabels], words, *scores])
    finals = np.zeros((lattice.num_states, arcs.shape[1]))
    for place, column in enumerate(columns.values(), start=arcs.shape[1] - len(columns)):
        if column in lattice.final_scores:
            finals[:, place] = -lattice.final_scores[column]
    names = (*grammar.feature_names, GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE, *columns)
    finals[~np.isfinite(lattice.finals)] = 0.0
    return FeatureLattice.from_lattice(lattice, arcs, names, finals)


def label_matrix(labels: SymbolTable, grammar: Grammar) -> Floats:
    """Gives the summed features of the rules that each input label names, then glue steps and copies as minus one each.

    Returns:
        (labels, rule features + 2) float64.
    """
    matrix = np.zeros((len(labels), len(grammar.feature_names) + 2))
    rows, rules = [], []
    for label in range(1, len(labels)):
        uses, glue = parse_label(labels[label])
        matrix[label, -2] = -glue
        for use in uses:
            rows.append(label)
            rules.append(use.rule)
    row, rule = np.array(rows, dtype=np.int64), np.array(rules, dtype=np.int64)
    np.add.at(matrix[:, -1], row[rule == COPY_RULE], -1.0)
    np.add.at(matrix[:, :-2], row[rule >= 0], grammar.features[rule[rule >= 0]])
    return matrix

"""A decoder's lattice with the feature vector of every arc: what tuning needs of a translation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.compose import MATCHED
from lattice_simp.translate.derivation import COPY_FEATURE, COPY_RULE, GLUE_FEATURE, LENGTH_FEATURE, parse_label
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.result import Translation
from lattice_simp.tune.feature_lattice import tuning_lattice, with_own_symbols


def feature_lattice(result: Translation) -> Lattice:
    """Returns a translation's lattice as tuning takes it, with a symbol table of its own words alone.

    The features are those of `Translation.features`: rule features, `Glue`, `OOV`, `WordPenalty`, then one for each of
    the lattice's own features. Minus their weighted sum is the cost of a path.
    """
    lattice, grammar = result.lattice, result.grammar
    assert lattice.isymbols is not None
    own = lattice.features.without(MATCHED)
    words = -(lattice.olabels != 0).astype(np.float64)
    arcs = np.vstack([label_matrix(lattice.isymbols, grammar)[lattice.ilabels].T, words, *own.arcs])
    finals = np.zeros((len(arcs), lattice.num_states))
    finals[len(arcs) - len(own) :] = own.finals
    names = (*grammar.feature_names, GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE, *own)
    return with_own_symbols(tuning_lattice(lattice, names, arcs, finals)).project_output()


def path_features(lattice: Lattice, paths: Sequence[Hypothesis], grammar: Grammar) -> tuple[Floats, tuple[str, ...]]:
    """Returns the features of paths of a decoder's lattice, as `Translation.features`: (paths, features), and names."""
    assert lattice.isymbols is not None
    used = np.unique(np.array([label for path in paths for label in path.inputs], dtype=np.int64))
    per_label = label_matrix(["", *(lattice.isymbols[label] for label in used.tolist())], grammar)[1:]
    columns = lattice.features.without(MATCHED).names
    matrix = np.zeros((len(paths), per_label.shape[1] + 1 + len(columns)))
    for row, path in zip(matrix, paths, strict=True):
        own = np.searchsorted(used, path.inputs)
        row[: per_label.shape[1]] = per_label[own].sum(axis=0)
        row[per_label.shape[1] :] = [-len(path.tokens), *(path.features[name] for name in columns)]
    return matrix, (*grammar.feature_names, GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE, *columns)


def label_matrix(labels: Sequence[str] | SymbolTable, grammar: Grammar) -> Floats:
    """Returns the summed features of the rules that each input label names, then minus its glue steps and copies.

    The first label is the empty one. Shape (labels, rule features + 2).
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

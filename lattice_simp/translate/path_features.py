"""Extracts the features of many paths of a decoder's lattice at once, as `Translation.features` does for one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.compose_gappy import MATCHED
from lattice_simp.translate.derivation import COPY_FEATURE, GLUE_FEATURE, LENGTH_FEATURE, RuleLabels
from lattice_simp.translate.grammar import Grammar


def path_features(lattice: Lattice, paths: Sequence[Hypothesis], grammar: Grammar) -> tuple[Floats, tuple[str, ...]]:
    """Returns the features of paths of a decoder's lattice, as `Translation.features`: (paths, features), and names."""
    assert lattice.isymbols is not None
    used = np.unique(np.array([label for path in paths for label in path.inputs], dtype=np.int64))
    per_label = RuleLabels.read(lattice.isymbols[label] for label in used.tolist()).scores(grammar)
    columns = lattice.features.without(MATCHED).names
    matrix = np.zeros((len(paths), per_label.shape[1] + 1 + len(columns)))
    for row, path in zip(matrix, paths, strict=True):
        labels = np.searchsorted(used, path.inputs)
        row[: per_label.shape[1]] = per_label[labels].sum(axis=0)
        row[per_label.shape[1] :] = [-len(path.tokens), *(path.features[name] for name in columns)]
    return matrix, (*grammar.feature_names, GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE, *columns)

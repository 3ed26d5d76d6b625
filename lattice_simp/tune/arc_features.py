"""Extracts the lattice of a translation with the feature vector of every arc, for tuning."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.compose_gappy import MATCHED
from lattice_simp.translate.derivation import COPY_FEATURE, GLUE_FEATURE, LENGTH_FEATURE, RuleLabels
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.result import Translation
from lattice_simp.tune.feature_lattice import tuning_lattice


def feature_lattice(result: Translation) -> Lattice:
    """Returns the lattice of a translation for tuning, with a symbol table of only its words.

    The features are those of `Translation.features`: rule features, `Glue`, `OOV`, `WordPenalty`, then one for each of
    the lattice's own features. Minus their weighted sum is the cost of a path.
    """
    lattice, grammar = result.lattice, result.grammar
    assert lattice.isymbols is not None
    features = lattice.features.without(MATCHED)
    words = -(lattice.olabels != 0).astype(np.float64)
    arcs = np.vstack([_label_scores(lattice.isymbols, grammar)[lattice.ilabels].T, words, *features.arcs])
    finals = np.zeros((len(arcs), lattice.num_states))
    finals[len(arcs) - len(features) :] = features.finals
    names = (*grammar.feature_names, GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE, *features)
    return tuning_lattice(lattice, names, arcs, finals).with_used_symbols().project_output()


def _label_scores(table: SymbolTable, grammar: Grammar) -> Floats:
    """Returns the scores of the rules that each input label names; (labels, rule features + 2)."""
    scores = RuleLabels.read(table.words[1:]).scores(grammar)
    return np.concatenate([np.zeros((1, scores.shape[1])), scores])

"""lattice_simp: exact, fast operations on word lattices, and translation with source skeletons on top of them."""

from __future__ import annotations

from lattice_simp.language_model import LanguageModel
from lattice_simp.lattice import Lattice
from lattice_simp.ops.gappy import GappyAcceptor, gappy
from lattice_simp.ops.gappy_compose import EditCosts, gappy_compose
from lattice_simp.ops.lm import apply_lm
from lattice_simp.ops.nbest import Path, nshortest
from lattice_simp.ops.prune import prune
from lattice_simp.symbols import SymbolTable

__all__ = [
    "EditCosts",
    "GappyAcceptor",
    "LanguageModel",
    "Lattice",
    "Path",
    "SymbolTable",
    "apply_lm",
    "gappy",
    "gappy_compose",
    "nshortest",
    "prune",
]
__version__ = "0.1.0"

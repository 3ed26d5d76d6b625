"""lattice_simp: exact, fast operations on word lattices, and translation with source skeletons on top of them."""

from __future__ import annotations

from lattice_simp.language_model import LanguageModel
from lattice_simp.lattice import Lattice
from lattice_simp.ops.lm import apply_lm
from lattice_simp.symbols import SymbolTable

__all__ = ["LanguageModel", "Lattice", "SymbolTable", "apply_lm"]
__version__ = "0.1.0"

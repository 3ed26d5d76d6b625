"""N-gram language models, as failure automata in arrays."""

from __future__ import annotations

from lattice_simp.lm.model import LanguageModel

__all__ = ["LanguageModel"]

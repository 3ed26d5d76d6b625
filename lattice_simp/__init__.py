"""lattice_simp: exact, fast operations on word lattices, and translation with source skeletons on top of them."""

from __future__ import annotations

from lattice_simp.language_model import LanguageModel
from lattice_simp.lattice import Lattice
from lattice_simp.ops.gappy import GappyAcceptor, gappy
from lattice_simp.ops.gappy_compose import EditCosts, gappy_compose
from lattice_simp.ops.lm import apply_lm
from lattice_simp.ops.lm_joint import WeightedModel, apply_lms
from lattice_simp.ops.nbest import Path, nshortest
from lattice_simp.ops.prune import prune
from lattice_simp.ops.replace import replace
from lattice_simp.skeleton import Skeleton
from lattice_simp.symbols import SymbolTable
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.settings import DecoderSettings, SkeletonSettings

__all__ = [
    "Decoder",
    "DecoderSettings",
    "EditCosts",
    "GappyAcceptor",
    "LanguageModel",
    "Lattice",
    "Path",
    "Skeleton",
    "SkeletonSettings",
    "SymbolTable",
    "WeightedModel",
    "apply_lm",
    "apply_lms",
    "gappy",
    "gappy_compose",
    "nshortest",
    "prune",
    "replace",
]
__version__ = "0.1.0"

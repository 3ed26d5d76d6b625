"""lattice_simp: exact, fast operations on word lattices, and translation with source skeletons on top of them."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.formats import read, read_nbest, write
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.compose import EditCosts, compose
from lattice_simp.ops.gappy_acceptor import GappyAcceptor, gappy_acceptor
from lattice_simp.ops.nbest import nbest, shortest_path
from lattice_simp.ops.prune import prune
from lattice_simp.ops.replace import replace
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.settings import DecoderSettings, SkeletonSettings

__all__ = [
    "Decoder",
    "DecoderSettings",
    "EditCosts",
    "GappyAcceptor",
    "LanguageModel",
    "Lattice",
    "Skeleton",
    "SkeletonSettings",
    "SymbolTable",
    "apply_lm",
    "compose",
    "gappy_acceptor",
    "nbest",
    "prune",
    "read",
    "read_nbest",
    "replace",
    "shortest_path",
    "write",
]
__version__ = "0.1.0"

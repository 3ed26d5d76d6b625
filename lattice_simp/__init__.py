"""lattice_simp: exact, fast operations on word lattices, and translation with source skeletons on top of them.

Lattices:
    Lattice             weighted hypotheses as arrays: from_strings, from_nbest, from_arcs, from_pynini
    Hypothesis          one string with its cost and features
    SymbolTable         words and their numbers
    read, write         lattice files of any known format
    read_nbest          n-best lists
Operations:
    apply_lm            adds language models exactly, within a beam
    arc_posteriors      the probability of each arc
    compose             keeps what contains a hypothesis of an acceptor
    count_paths         how many paths there are
    determinize         one path for each string
    gappy_acceptor      hypotheses with loops where other words may occur
    mbr                 expected gains as costs (minimum Bayes risk)
    minimize            one path for each string, and the fewest states
    nbest               the n cheapest strings or paths
    ngram_posteriors    the probability that an n-gram occurs
    prune               keeps what is on good paths
    replace             expands words into lattices
    shortest_distance   least costs, or costs of summed probabilities
    shortest_path       the cheapest path
    union               the paths of several lattices
    to_dot, to_svg      drawings
Models and translation:
    LanguageModel       ARPA files and KenLM binaries
    Skeleton            what stays of a sentence
    Decoder             translates, with or without skeletons

Costs are negative natural logs; features are scores, higher is better. Errors are subclasses of `LatticeSimpError`.
"""

from __future__ import annotations

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import shortest_distance
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.draw import to_dot, to_svg
from lattice_simp.errors import (
    CyclicLatticeError,
    EmptyLatticeError,
    FormatError,
    GrammarError,
    InvalidLatticeError,
    LatticeSimpError,
    MissingExtraError,
    SkeletonError,
    UnknownSymbolError,
)
from lattice_simp.formats import read, read_nbest, write
from lattice_simp.formats.nbest import write_nbest
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.compose import EditCosts, compose
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.determinize import determinize, minimize
from lattice_simp.ops.gappy_acceptor import GappyAcceptor, gappy_acceptor
from lattice_simp.ops.mbr import MbrSettings, mbr
from lattice_simp.ops.nbest import nbest, shortest_path
from lattice_simp.ops.ngram_posteriors import ngram_posteriors
from lattice_simp.ops.prune import prune
from lattice_simp.ops.replace import replace
from lattice_simp.ops.union import union
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.result import Translation
from lattice_simp.translate.settings import DecoderSettings, SkeletonSettings

__all__ = [
    "CyclicLatticeError",
    "Decoder",
    "DecoderSettings",
    "EditCosts",
    "EmptyLatticeError",
    "FormatError",
    "GappyAcceptor",
    "GrammarError",
    "Hypothesis",
    "InvalidLatticeError",
    "LanguageModel",
    "Lattice",
    "LatticeSimpError",
    "MbrSettings",
    "MissingExtraError",
    "Skeleton",
    "SkeletonError",
    "SkeletonSettings",
    "SymbolTable",
    "Translation",
    "UnknownSymbolError",
    "apply_lm",
    "arc_posteriors",
    "compose",
    "count_paths",
    "determinize",
    "gappy_acceptor",
    "mbr",
    "minimize",
    "nbest",
    "ngram_posteriors",
    "prune",
    "read",
    "read_nbest",
    "replace",
    "shortest_distance",
    "shortest_path",
    "to_dot",
    "to_svg",
    "union",
    "write",
    "write_nbest",
]
__version__ = "0.1.0"

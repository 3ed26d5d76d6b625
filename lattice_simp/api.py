"""The names that `import lattice_simp` offers; the package imports this module when one of them is first used."""

from __future__ import annotations

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Arc, Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.reweight import reweight
from lattice_simp.core.shortest_distance import shortest_distance
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.draw import to_dot, to_image, to_svg
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
from lattice_simp.formats.collections import read_all
from lattice_simp.formats.generators.results import from_generator
from lattice_simp.formats.nbest import write_nbest
from lattice_simp.formats.terms import read_terms
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.compose import compose
from lattice_simp.ops.compose_gappy import EditCosts, compose_gappy
from lattice_simp.ops.concat import concat
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.consensus_nbest import consensus_nbest
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.determinize import determinize
from lattice_simp.ops.difference import difference
from lattice_simp.ops.equivalent import equivalent
from lattice_simp.ops.gappy_acceptor import GappyAcceptor, gappy_acceptor
from lattice_simp.ops.intersect import intersect
from lattice_simp.ops.invert import invert
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.ops.mbr import MbrSettings, mbr
from lattice_simp.ops.mbr_nbest import MbrPruning, mbr_nbest
from lattice_simp.ops.mbr_utilities import BatchUtility
from lattice_simp.ops.minimize import minimize
from lattice_simp.ops.nbest import nbest, shortest_path, shortest_paths
from lattice_simp.ops.ngram_posteriors import ngram_posteriors
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.oracle import Oracle, oracle
from lattice_simp.ops.pool_nbest import pool_nbest
from lattice_simp.ops.prune import prune
from lattice_simp.ops.push import push
from lattice_simp.ops.recombine import recombine
from lattice_simp.ops.remove_epsilons import remove_epsilons
from lattice_simp.ops.replace import replace
from lattice_simp.ops.reverse import reverse
from lattice_simp.ops.sample import sample
from lattice_simp.ops.term_acceptor import term_acceptor
from lattice_simp.ops.timed_words import TimedWord, timed_words
from lattice_simp.ops.union import union
from lattice_simp.ops.word_confidences import word_confidences
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.agreement import skeleton_agreement
from lattice_simp.systems.combination.combine import CombinationSettings, combine
from lattice_simp.systems.corpus.alignment import SentencePair, align_sentences
from lattice_simp.systems.corpus.settings import CorpusSettings
from lattice_simp.systems.paraphrase.alignment import AlignmentSettings, PhrasePair, align_phrases
from lattice_simp.systems.paraphrase.disambiguation import choose_parses
from lattice_simp.systems.paraphrase.links import WordLink, link_words
from lattice_simp.systems.paraphrase.paraphraser import Expansion, Paraphraser, ParaphraseSettings
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree
from lattice_simp.systems.simplify.graphs.boxer import read_graphs
from lattice_simp.systems.simplify.simplification import Simplification
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.text.constrain.adapters.ctranslate2 import Ctranslate2GeneratorStep, Ctranslate2TranslatorStep
from lattice_simp.text.constrain.adapters.llama_cpp import LlamaCppStep
from lattice_simp.text.constrain.adapters.transformers import TransformersStep
from lattice_simp.text.constrain.constraint import ConstraintProcessor, TokenConstraint
from lattice_simp.text.constrain.masks import apply_mask
from lattice_simp.text.constrain.search import GeneratedText, constrained_beam_search
from lattice_simp.text.constrain.vocabulary import TokenVocabulary, token_bytes
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.result import Translation
from lattice_simp.translate.settings import DecoderSettings, SkeletonSettings

__all__ = [
    "MARKS",
    "AlignmentSettings",
    "Arc",
    "BatchUtility",
    "CombinationSettings",
    "ConstraintProcessor",
    "CorpusSettings",
    "Ctranslate2GeneratorStep",
    "Ctranslate2TranslatorStep",
    "CyclicLatticeError",
    "Decoder",
    "DecoderSettings",
    "EditCosts",
    "EmptyLatticeError",
    "Expansion",
    "FormatError",
    "GappyAcceptor",
    "GeneratedText",
    "GrammarError",
    "Hypothesis",
    "InvalidLatticeError",
    "LanguageModel",
    "Lattice",
    "LatticeSimpError",
    "LlamaCppStep",
    "MbrPruning",
    "MbrSettings",
    "MissingExtraError",
    "Oracle",
    "ParaphraseSettings",
    "Paraphraser",
    "PhrasePair",
    "SentencePair",
    "Simplification",
    "Simplifier",
    "Skeleton",
    "SkeletonError",
    "SkeletonSettings",
    "SymbolTable",
    "Thesaurus",
    "TimedWord",
    "TokenConstraint",
    "TokenVocabulary",
    "TransformersStep",
    "Translation",
    "Tree",
    "UnknownSymbolError",
    "WordLink",
    "align_phrases",
    "align_sentences",
    "apply_lm",
    "apply_mask",
    "arc_posteriors",
    "choose_parses",
    "combine",
    "compose",
    "compose_gappy",
    "concat",
    "confusion_network",
    "consensus_nbest",
    "constrained_beam_search",
    "count_paths",
    "determinize",
    "difference",
    "equivalent",
    "from_generator",
    "gappy_acceptor",
    "intersect",
    "invert",
    "join_pieces",
    "link_words",
    "mbr",
    "mbr_nbest",
    "minimize",
    "nbest",
    "ngram_posteriors",
    "normalise",
    "oracle",
    "pool_nbest",
    "prune",
    "push",
    "read",
    "read_all",
    "read_graphs",
    "read_nbest",
    "read_terms",
    "recombine",
    "remove_epsilons",
    "replace",
    "reverse",
    "reweight",
    "sample",
    "shortest_distance",
    "shortest_path",
    "shortest_paths",
    "skeleton_agreement",
    "term_acceptor",
    "timed_words",
    "to_dot",
    "to_image",
    "to_svg",
    "token_bytes",
    "union",
    "word_confidences",
    "write",
    "write_nbest",
]

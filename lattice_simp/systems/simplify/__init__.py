"""English sentence simplification by splitting, deletion and substitution (Narayan and Gardent, ACL 2014).

A parse (`skeleton.automatic.parse_sentences`) or a file of discourse representations gives a `SemanticGraph`; splits
and deletions are found in it, and applied to tokens that keep their source positions.
"""

from __future__ import annotations

from lattice_simp.systems.simplify.between_events import event_splits
from lattice_simp.systems.simplify.candidates import event_pairs, split_candidates
from lattice_simp.systems.simplify.deletion import Deletion, DeletionKind, delete, deletion_candidates
from lattice_simp.systems.simplify.graphs.boxer import read_graphs
from lattice_simp.systems.simplify.graphs.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graphs.drawing import graph_dot, graph_image, graph_svg
from lattice_simp.systems.simplify.graphs.graph import Edge, EdgeKind, Node, NodeKind, SemanticGraph
from lattice_simp.systems.simplify.sentence import Sentence, Token, source_sentence, words
from lattice_simp.systems.simplify.split import (
    RoleSets,
    Split,
    SplitKind,
    apply_splits,
    compatible,
)

__all__ = [
    "Deletion",
    "DeletionKind",
    "Edge",
    "EdgeKind",
    "Node",
    "NodeKind",
    "RoleSets",
    "SemanticGraph",
    "Sentence",
    "Split",
    "SplitKind",
    "Token",
    "apply_splits",
    "compatible",
    "delete",
    "deletion_candidates",
    "dependency_graph",
    "event_pairs",
    "event_splits",
    "graph_dot",
    "graph_image",
    "graph_svg",
    "read_graphs",
    "source_sentence",
    "split_candidates",
    "words",
]

"""Texts as a tree of pieces (subwords), which a causal language model reads in one pass, with common beginnings once.

The nodes of the tree follow the prompt as one long text. A mask lets each node see only the prompt and its ancestors,
and its position is its depth. So its scores are those of the text that leads to it.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Bools, Floats
from lattice_simp.support.extras import Late
from lattice_simp.text.constrain.adapters.transformers import cache_name

torch, transformers = Late("torch", "causal"), Late("transformers", "causal")

Pieces = Sequence[int]

PLAIN_LAYERS = {"full_attention", "sliding_attention"}
"""The types of layers whose output depends only on positions that the mask makes visible."""


@dataclass(eq=False)
class PieceTree:
    """Texts whose common beginnings are stored once.

    Attributes:
        pieces: the piece of each inner node; that of the root, node 0, is the last piece before the texts.
        parents: the parent of each node; -1 for the root.
        depths: the depth of each node.
        branches: the number of each branch, by its source node and its piece.
        paths: the branches of each text.
    """

    pieces: list[int]
    parents: list[int] = field(default_factory=lambda: [-1])
    depths: list[int] = field(default_factory=lambda: [0])
    branches: dict[tuple[int, int], int] = field(default_factory=dict)
    paths: list[list[int]] = field(default_factory=list)

    @classmethod
    def of(cls, root: int, texts: Sequence[Pieces]) -> PieceTree:
        """Builds the tree of texts, which follow the piece `root`.

        >>> tree = PieceTree.of(9, [[1, 2, 3], [1, 2, 4], [5]])
        >>> tree.pieces, tree.parents, tree.depths
        ([9, 1, 2], [-1, 0, 1], [0, 1, 2])
        >>> tree.branches, tree.paths
        ({(0, 1): 0, (1, 2): 1, (2, 3): 2, (2, 4): 3, (0, 5): 4}, [[0, 1, 2], [0, 1, 3], [4]])
        """
        tree = cls([root])
        nodes: dict[int, int] = {}
        for text in texts:
            node, path = 0, list[int]()
            for piece in text:
                if path:  # the branch before leads to an inner node
                    node = nodes.get(path[-1]) or tree._add_node(node, text[len(path) - 1])
                    nodes[path[-1]] = node
                path.append(tree.branches.setdefault((node, piece), len(tree.branches)))
            tree.paths.append(path)
        return tree

    def _add_node(self, parent: int, piece: int) -> int:
        self.pieces.append(piece)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1)
        return len(self.pieces) - 1

    def visible(self) -> Bools:
        """Returns which nodes each node sees, (nodes, nodes): itself and its ancestors."""
        visible = np.eye(len(self.pieces), dtype=bool)
        for node, parent in enumerate(self.parents[1:], start=1):
            visible[node] |= visible[parent]
        return visible


def reads_trees(model: Any, longest: int) -> bool:
    """Returns whether a model scores a tree as it scores its texts, of at most `longest` pieces with the prompt.

    It does if all its layers respect an explicit mask, and no attention window is shorter than the texts.
    """
    config = model.config.get_text_config()
    layers = set(getattr(config, "layer_types", None) or ())
    window = getattr(config, "sliding_window", None) or longest
    masks = getattr(model, "_supports_attention_backend", False) and not getattr(model, "_is_stateful", False)
    return bool(masks and layers <= PLAIN_LAYERS and longest <= window)


@dataclass(eq=False)
class ReadPrompt:
    """The network's cache of the last prompt; the next prompt is read from the first different piece on."""

    pieces: list[int] = field(default_factory=list)
    cache: Any = None

    def read(self, model: Any, prompt: Pieces) -> None:
        """Reads a prompt."""
        common = 0
        while common < min(len(prompt), len(self.pieces)) and prompt[common] == self.pieces[common]:
            common += 1
        if self.cache is None:
            self.cache = transformers.DynamicCache()
        self.forget(len(self.pieces) - common)
        if common < len(prompt):
            rest = torch.tensor([prompt[common:]], device=model.device)
            model.base_model(rest, **{cache_name(model.base_model): self.cache}, use_cache=True)
        self.pieces = list(prompt)

    def forget(self, count: int) -> None:
        """Removes the last pieces from the cache."""
        if count:
            self.cache.crop(-count)


@dataclass(frozen=True, eq=False)
class Scored:
    """A causal language model of transformers and the pieces of its output layer, in ascending order."""

    model: Any
    pieces: npt.NDArray[np.int64]

    def columns(self, pieces: Pieces | npt.NDArray[np.int64]) -> list[int]:
        """Returns the columns of pieces in the scores."""
        columns: list[int] = np.searchsorted(self.pieces, pieces).tolist()
        return columns


def with_outputs(model: Any, pieces: Collection[int] | None) -> Scored:
    """Returns a model whose output layer has only these pieces (by default all) and that shares other parameters."""
    if pieces is None:
        return Scored(model, np.arange(model.config.get_text_config().vocab_size))
    chosen = np.array(sorted(pieces), dtype=np.int64)
    layer = model.get_output_embeddings()
    smaller = torch.nn.Linear(layer.in_features, len(chosen), bias=layer.bias is not None, device="meta")
    smaller.weight = torch.nn.Parameter(layer.weight[chosen], requires_grad=False)
    if layer.bias is not None:
        smaller.bias = torch.nn.Parameter(layer.bias[chosen], requires_grad=False)
    restricted = copy.copy(model)
    restricted._modules = dict(model._modules)  # so that the copy's modules can be replaced
    restricted.set_output_embeddings(smaller)
    return Scored(restricted, chosen)


def tree_costs(scored: Scored, before: ReadPrompt, prompt: Pieces, texts: Sequence[Pieces], most: int) -> Floats:
    """Returns (texts,) the costs of texts after a prompt of at least one piece, with `most` scores at once.

    The model must satisfy `reads_trees`; its cache `before` is changed to this prompt.
    """
    tree = PieceTree.of(prompt[-1], texts)
    visible = tree.visible()
    branches = np.array(list(tree.branches), dtype=np.int64).reshape(-1, 2)
    costs = np.zeros(len(branches))
    before.read(scored.model, prompt[:-1])
    step = max(1, most // len(scored.pieces))
    for start in range(0, len(visible), step):
        nodes = range(start, min(len(visible), start + step))
        chosen = np.flatnonzero((branches[:, 0] >= nodes.start) & (branches[:, 0] < nodes.stop))
        scores = _node_scores(scored.model, before, tree, visible, nodes)
        rows = torch.tensor(branches[chosen, 0] - nodes.start, device=scores.device)
        columns = torch.tensor(scored.columns(branches[chosen, 1]), dtype=torch.long, device=scores.device)
        log_probs = scores[rows, columns].double() - scores.logsumexp(1).double()[rows]
        costs[chosen] = -log_probs.cpu().numpy()
    before.forget(len(visible))
    return np.array([costs[path].sum() for path in tree.paths])


def _node_scores(model: Any, before: ReadPrompt, tree: PieceTree, visible: Bools, nodes: range) -> Any:
    """Returns (nodes, pieces) the scores of the pieces after these nodes; earlier nodes are in the cache."""
    read, rows = len(before.pieces), slice(nodes.start, nodes.stop)
    attention = np.hstack([np.ones((len(nodes), read), dtype=bool), visible[rows, : nodes.stop]])
    mask = torch.where(torch.tensor(attention, device=model.device), 0.0, torch.finfo(model.dtype).min).to(model.dtype)
    output = model(
        torch.tensor([tree.pieces[rows]], device=model.device),
        attention_mask=mask[None, None],
        position_ids=torch.tensor([tree.depths[rows]], device=model.device) + read,
        **{cache_name(model): before.cache},
        use_cache=True,
    )
    return output.logits[0].float()

"""The globally optimal skeleton: a shortest path through a lattice of keep-or-delete decisions.

The cost of a skeleton is the sum of its tokens' costs (from a deletion tagger, or from the tree), of the decisions'
transitions, and of a language model over the kept words, each word's cost reduced by its unigram cost so that rare
words are not penalised. Hard constraints are the dependency tree (a kept token needs its head, a kept head its
obligatory dependents), sound punctuation, and the number of kept tokens. Tree, counter and language model are
automata, and their product is searched exactly, so the best skeleton is the best of all 2^n; n-best lists come from
the same lattice. Clarke and Lapata 2008 solve such a problem by integer linear programming; Filippova and Strube 2008
prune the tree without the language model's context.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.model import LanguageModel
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.nbest import nbest
from lattice_simp.skeleton.automatic.candidates import check_wanted, choose
from lattice_simp.skeleton.automatic.chain import Chain, read_mask
from lattice_simp.skeleton.automatic.deletion_tree import DeletionTree, deletion_tree
from lattice_simp.skeleton.automatic.length_acceptor import limit_length
from lattice_simp.skeleton.automatic.tagger import NBEST_PER_CANDIDATE, DeletionTagger
from lattice_simp.skeleton.automatic.tree_acceptor import bonds, tree_acceptor
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.support.groups import children_of
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.spacy_parser import as_parse

BEAMS = (3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 200.0)
"""The beams of the search (nats above the best path), widened until one holds enough paths; worse paths are useless."""

LARGEST_COST = 5.0
"""The score (nats) of a token that the tree does not allow to be deleted on its own."""


@dataclass(frozen=True)
class OptimalSettings:
    """The objective of the search.

    Attributes:
        lm_weight: the weight of the language model's costs.
        unigram_weight: the weight of the subtracted unigram costs: 1 subtracts them completely.
        slack: the share of the tokens by which the number of kept tokens may differ from the desired number.
    """

    lm_weight: float = 0.1
    unigram_weight: float = 1.0
    slack: float = 0.15

    def __post_init__(self) -> None:
        for name in ("lm_weight", "unigram_weight", "slack"):
            if not 0 <= getattr(self, name) < math.inf:
                raise LatticeSimpError(f"{name} is {getattr(self, name)}; give a number from 0 up")


def optimal_skeletons(
    sentence: Parse | Sequence[str],
    model: LanguageModel | None = None,
    *,
    tagger: DeletionTagger | None = None,
    rate: float = 0.6,
    candidates: int = 1,
    settings: OptimalSettings | None = None,
) -> list[Skeleton]:
    """Returns the best skeletons of a parsed sentence.

    >>> parse = Parse(("it", "rained", "hard", "."), (1, -1, 1, 1), ("nsubj", "ROOT", "advmod", "punct"),
    ...               ("PRON", "VERB", "ADV", "PUNCT"), ("PRP", "VBD", "RB", "."), ("it", "rain", "hard", "."))
    >>> [str(skeleton) for skeleton in optimal_skeletons(parse, rate=0.75)]
    ['it rained [[hard]] .']

    If no skeleton of the desired length satisfies the constraints, it returns those of the nearest lengths.

    Args:
        sentence: a parse, or tokens, which spaCy parses (`parse_sentences` is quicker for many).
        model: a language model; a word that it holds only in lower case is looked up in lower case. None uses no model.
        tagger: a tagger for the tokens' costs; without one, they come from the tree (`tree_chain`).
        rate: the compression rate to aim at, above 0 and up to 1.
        candidates: the most skeletons to return.
        settings: the objective of the search; None for the defaults.

    Raises:
        LatticeSimpError: a rate out of range, fewer than one candidate, or no tokens.
        TangledTreeError: a very long sentence whose tree has many crossing arcs.
        MissingExtraError: tokens are given, and spaCy is not installed.
    """
    check_wanted(rate, candidates)
    settings = settings or OptimalSettings()
    parse = as_parse(sentence)
    tree = deletion_tree(parse)
    chain = tagger.chain(parse) if tagger else tree_chain(tree)
    lattice = skeleton_lattice(parse, tree, chain, rate, model, settings)
    paths = best_paths(lattice, NBEST_PER_CANDIDATE * candidates if candidates > 1 else 2, model, settings.lm_weight)
    masks = [read_mask(path.inputs, len(parse)) for path in paths]
    return choose(parse.tokens, masks, candidates)


def tree_chain(tree: DeletionTree) -> Chain:
    """Scores each token by the cheapest deletion that includes it: words that are easy to delete are worth little."""
    worth = np.minimum(tree.costs, LARGEST_COST)
    roots = [position for position, head in enumerate(tree.heads) if head < 0]
    worth[roots] = [LARGEST_COST if tree.words[position] else 0.0 for position in roots]
    below = children_of(tree.heads)
    pending = roots
    while pending:
        head = pending.pop()
        for position in below[head]:
            worth[position] = min(worth[position], worth[head])
        pending += below[head]
    return Chain(worth, np.zeros((2, 2)))


def skeleton_lattice(
    parse: Parse,
    tree: DeletionTree,
    chain: Chain,
    rate: float,
    model: LanguageModel | None = None,
    settings: OptimalSettings | None = None,
) -> Lattice:
    """Builds the lattice of all skeletons of the desired length, without the language model.

    The unigram costs of the language model that will be applied are subtracted.

    Raises:
        TangledTreeError: a very long sentence whose tree has many crossing arcs.
    """
    settings = settings or OptimalSettings()
    forms = [model_form(token, model) for token in parse.tokens] if model else list(parse.tokens)
    if model and settings.lm_weight:
        gain = settings.lm_weight * settings.unigram_weight * unigram_costs(forms, model)
        chain = replace(chain, keep=chain.keep + gain)
    lattice = tree_acceptor(forms, bonds(parse.tokens, tree), chain)
    length, slack = rate * len(parse), settings.slack * len(parse)
    for more in range(len(parse) + 1):
        fewest = max(1, math.ceil(length - slack - 1e-9) - more)
        most = min(len(parse), math.floor(length + slack + 1e-9) + more)
        if fewest <= most:
            limited = limit_length(lattice, fewest, most)
            if not limited.empty:
                return limited
    return lattice


def best_paths(lattice: Lattice, n: int, model: LanguageModel | None, lm_weight: float) -> list[Hypothesis]:
    """Returns exactly the n best paths: the beam of the language model grows until it holds n."""
    if model is None or lm_weight == 0:
        return nbest(lattice, n, unique=False)
    for beam in BEAMS:
        paths = nbest(apply_lm(lattice, {"LM": (model, lm_weight)}, beam=beam), n, unique=False)
        # Paths beyond the beam are incomplete, so they are ignored.
        within = [path for path in paths if path.cost <= paths[0].cost + beam]
        if len(within) == n:
            break
    return within


def model_form(token: str, model: LanguageModel) -> str:
    """Returns the form of the token in the model: lower case if the model holds only that form."""
    lowered = token.lower()
    return lowered if token not in model and lowered in model else token


def unigram_costs(forms: Sequence[str], model: LanguageModel) -> Floats:
    """Returns (num_tokens,) float64, the unigram cost of each word in nats."""
    restricted = model.restrict(forms, {})
    return restricted.cost[restricted.vocabulary]

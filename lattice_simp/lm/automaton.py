"""N-gram models as failure automata in flat arrays: the type of all language models here, and the walk through it.

A node is an n-gram. Nodes are numbered order by order: the unigrams first (a word and its unigram have one number),
then the bigrams sorted by (first word, second word), and so on; the last node is the root, the empty n-gram. The
children of a node, the n-grams that extend it by one word, are therefore one block of the next order, sorted by word,
and a whole model is a handful of arrays that can be mapped from disk.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs, inlined, jit

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
"""The marks of sentences' beginnings and ends, and the word that stands for all unknown ones."""

LOG_10 = float(np.log(10.0))

Costs = npt.NDArray[Any]
"""float32 in whole models, as in their files; float64 in models derived from them."""


class NgramAutomaton(NamedTuple):
    """A backoff model, whole or restricted to a vocabulary, of its own order or relaxed to a lower one.

    Attributes:
        order: the most words that a cost depends on, the word itself included.
        children: (nodes + 1,) int32; the n-grams that extend node n are `children[n]:children[n + 1]`.
        word: (nodes,) int32, the last word of each n-gram; -1 for the root.
        cost: (nodes,) the negative log probability of that word after the others.
        backoff: (nodes,) the cost of giving up the n-gram as a context for its suffix.
        suffix: (nodes,) int32, the longest proper suffix that the model holds; the root for unigrams and itself.
        vocabulary: (words,) int32, the unigram of each word that the model was restricted to; empty for a whole model.
        start: the unigram `<s>`.
        end: the unigram `</s>`.
        unit: nats of a cost of 1.
    """

    order: int
    children: Ints
    word: Ints
    cost: Costs
    backoff: Costs
    suffix: Ints
    vocabulary: Ints
    start: int
    end: int
    unit: float

    @property
    def root(self) -> int:
        """The empty n-gram."""
        return len(self.suffix) - 1

    @property
    def num_words(self) -> int:
        """The unigrams are `0:num_words`."""
        return int(self.children[0])

    @property
    def levels(self) -> Ints:
        """(order + 1,) int32; the n-grams of k words are `levels[k - 1]:levels[k]`."""
        levels = [0]
        for _ in range(self.order):
            levels.append(int(self.children[levels[-1]]))
        return np.array(levels, dtype=np.int32)

    @property
    def lengths(self) -> Ints:
        """(nodes,) int32, how many words each n-gram has; a relaxed model leaves 0 where none of its paths leads."""
        levels = self.levels
        lengths = np.zeros(self.root + 1, dtype=np.int32)
        lengths[: levels[-1]] = np.repeat(np.arange(1, self.order + 1), np.diff(levels))
        return lengths

    @property
    def parents(self) -> Ints:
        """(nodes,) int32, each n-gram without its last word; the root for unigrams and itself."""
        parents = np.full(self.root + 1, self.root, dtype=np.int32)
        parents[self.num_words : self.root] = np.repeat(
            np.arange(self.root + 1, dtype=np.int32), np.diff(self.children)
        )
        return parents

    def scaled(self, weight: float) -> NgramAutomaton:
        """Returns the model with `weight` times its costs."""
        return self._replace(cost=weight * self.cost, backoff=weight * self.backoff)


class Settled(NamedTuple):
    """Where an automaton's paths settle after each n-gram: see `settle`.

    Attributes:
        states: (nodes,) int32, the longest suffix, or the n-gram itself, that some word extends.
        costs: (nodes,) float64, the backoffs on the way there, which every continuation pays anyway.
    """

    states: Ints
    costs: Floats


@inlined
def find_child(children: Ints, word: Ints, node: int, word_id: int) -> int:
    """Returns the child of `node` by a word, or -1."""
    low, high = children[node], children[node + 1]
    while low < high:
        middle = (low + high) >> 1
        if word[middle] < word_id:
            low = middle + 1
        else:
            high = middle
    if low < children[node + 1] and word[low] == word_id:
        return low
    return -1


@inlined
def follow(
    state: int, word: int, penalty: float, children: Ints, words: Ints, suffix: Ints, backoff: Costs
) -> tuple[int, float]:
    """Walks from a state to its longest suffix that `word` extends; adds the backoffs on the way to `penalty`.

    Kernels use this walk. It takes the arrays of an `NgramAutomaton` separately, so that kernels can fetch them
    outside of their loops: fetching an array of a named tuple takes time.
    """
    matched, root = word, len(suffix) - 1
    while state != root:
        child = find_child(children, words, state, word)
        if child >= 0:
            matched = child
            break
        penalty += backoff[state]
        state = suffix[state]
    return matched, penalty


@jit
def advance(model: NgramAutomaton, state: int, word: int) -> tuple[int, float]:
    """Returns the state after a word, and the word's cost in nats.

    States are settled: the cost includes the backoffs that every continuation needs.

    >>> from lattice_simp import LanguageModel
    >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
    >>> model = LanguageModel.from_bytes(text.encode()).restrict(["a"])
    >>> state, cost = advance(model, model.root, model.vocabulary[0])
    >>> state == model.root, round(cost, 4)     # 0.5 * ln 10
    (True, 1.1513)
    """
    matched, penalty = follow(state, word, 0.0, model.children, model.word, model.suffix, model.backoff)
    settled, settling = _settled(model, matched)
    return settled, (penalty + model.cost[matched] + settling) * model.unit


@jit
def sentence_costs(model: NgramAutomaton, words: Ints, offsets: Longs, first: int, last: int) -> Floats:
    """Returns (sentences,) the costs of sentences in nats, one walk each.

    Args:
        model: the n-grams.
        words: (words,) int32, the unigrams of all sentences in a row.
        offsets: (sentences + 1,) int64, the beginning of each sentence in `words`.
        first: the n-gram before each sentence: the unigram `<s>`, or the root for no context.
        last: the unigram after each sentence, `</s>`; -1 for none.
    """
    children, word, suffix, backoff, cost = model.children, model.word, model.suffix, model.backoff, model.cost
    costs, full, root = np.zeros(len(offsets) - 1), _first_of_full_order(model), len(suffix) - 1
    for sentence in range(len(costs)):
        state = first
        begin, end = offsets[sentence], offsets[sentence + 1]
        for index in range(begin, end if last < 0 else end + 1):
            following = matched = words[index] if index < end else last
            penalty = 0.0
            while state != root:  # as in `follow`, which counts references to four arrays and so takes longer
                child = find_child(children, word, state, following)
                if child >= 0:
                    matched = child
                    break
                penalty += backoff[state]
                state = suffix[state]
            costs[sentence] += (penalty + cost[matched]) * model.unit
            state = matched if matched < full else suffix[matched]
    return costs


@inlined
def _first_of_full_order(model: NgramAutomaton) -> int:
    """Returns the first n-gram of the model's order; from there on, n-grams have no children."""
    node = 0
    for _ in range(model.order - 1):
        node = model.children[node]
    return node


@jit
def start_state(model: NgramAutomaton) -> tuple[int, float]:
    """Returns the state at the beginning of a sentence, and the backoffs that every first word needs, in nats."""
    state, penalty = _settled(model, model.start)
    return state, penalty * model.unit


@inlined
def _settled(model: NgramAutomaton, node: int) -> tuple[int, float]:
    """Returns the longest suffix of an n-gram that some word extends, and the backoffs on the way to it."""
    root, penalty = len(model.suffix) - 1, 0.0
    while node != root and model.children[node] == model.children[node + 1]:
        penalty += model.backoff[node]
        node = model.suffix[node]
    return node, penalty


def settle(model: NgramAutomaton) -> Settled:
    """Returns the settled state of each n-gram, for searches that need most of them."""
    return Settled(*_settle(model.children, model.suffix, model.backoff))


@jit
def _settle(children: Ints, suffix: Ints, backoff: Costs) -> tuple[Ints, Floats]:
    root = len(suffix) - 1
    states, costs = np.full(root + 1, root, dtype=np.int32), np.zeros(root + 1)
    for node in range(root):  # suffixes come first: nodes are numbered by length
        if children[node] < children[node + 1]:
            states[node] = node
        else:
            states[node], costs[node] = states[suffix[node]], backoff[node] + costs[suffix[node]]
    return states, costs


@jit
def suffixes(parent: Ints, word: Ints, children: Ints) -> Ints:
    """Returns each n-gram's suffix: of `context + w`, the longest suffix of `context` that `w` extends, plus `w`."""
    root = len(parent) - 1
    suffix = np.full(root + 1, root, dtype=np.int32)
    for node in range(children[0], root):
        context, last = suffix[parent[node]], word[node]
        suffix[node] = last
        while context != root:
            extended = find_child(children, word, context, last)
            if extended >= 0:
                suffix[node] = extended
                break
            context = suffix[context]
    return suffix

"""Fits the costs of rules that make the right bracketings most probable among a field's best.

For each sentence, a list holds the field's best balanced bracketings with the rules that they break. Their
probabilities are those of a log-linear model: the field's score minus the costs of broken rules (Lafferty, McCallum and
Pereira 2001).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.hindi.bracket_acceptors import AcceptorSearch, token_symbols, written
from lattice_simp.core.kernel import Floats
from lattice_simp.grammars.hindi.bracket_rules import bracket_rules, breaches
from lattice_simp.systems.hindi.clauses.crf import best_rests
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of
from lattice_simp.systems.hindi.clauses.model import ClauseModel

CANDIDATES = 20
"""The number of bracketings of each sentence, besides the right one."""

PRIOR = 1.0
"""The weight of half the sum of the squared costs."""

_MOST_STEPS, _SMALLEST_GAIN = 500, 1e-4


@dataclass(frozen=True)
class Candidates:
    """The bracketings of a sentence.

    Attributes:
        right: the index of the right one.
        costs: (n,) the costs by the field, nats.
        breaches: (n, num_rules) the number of times that each breaks each rule.
    """

    right: int
    costs: Floats
    breaches: Floats


def candidates(model: ClauseModel, example: Example) -> Candidates | None:
    """Lists the best balanced bracketings by a field alone; None if the right one has a label unknown to the field."""
    chain, sentence = model.chain, example.sentence
    scores, symbols = chain.scores(model.template(sentence)), token_symbols(sentence)
    results = AcceptorSearch(chain.labels, chain.transitions, {}).nbest(scores, symbols, CANDIDATES)
    wanted = brackets_of(example.clauses, len(sentence))
    if wanted not in [brackets for brackets, _ in results]:
        cost = _cost(model, scores, wanted)
        if cost is None:
            return None
        results.append((wanted, cost))
    right = [brackets for brackets, _ in results].index(wanted)
    names = [rule.name for rule in bracket_rules()]
    broken = [breaches(written(brackets, symbols)) for brackets, _ in results]
    counts = np.array([[by_name.get(name, 0) for name in names] for by_name in broken], dtype=np.float64)
    return Candidates(right, np.array([cost for _, cost in results]), counts)


def _cost(model: ClauseModel, scores: Floats, wanted: Sequence[Brackets]) -> float | None:
    """Returns the cost of a labelling above the field's best one; None if it has a label unknown to the field."""
    chain = model.chain
    columns = {label: column for column, label in enumerate(chain.labels)}
    labels = [columns.get(str(bracket)) for bracket in wanted]
    known = [label for label in labels if label is not None]
    if len(known) < len(labels):
        return None
    cost = scores[np.arange(len(known)), known].sum() + chain.transitions[known[:-1], known[1:]].sum()
    return float((scores[0] + best_rests(scores, chain.transitions)[0]).max() - cost)


def fitted(every: Sequence[Candidates], prior: float = PRIOR) -> Floats:
    """Returns (num_rules,) costs of at least 0 that make right bracketings most probable (projected gradient descent).

    >>> candidates = Candidates(1, np.array([0.0, 1.0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> costs = fitted([candidates] * 50)
    >>> bool(costs[0] > 3), float(costs[1])
    (True, 0.0)
    """
    costs = np.zeros(every[0].breaches.shape[1])
    loss, gradient = loss_of(costs, every, prior)
    step = 1.0
    for _ in range(_MOST_STEPS):
        following = np.maximum(costs - step * gradient, 0.0)
        lower, slope = loss_of(following, every, prior)
        if lower > loss:
            step /= 2
            continue
        gain, costs, loss, gradient = loss - lower, following, lower, slope
        if gain < _SMALLEST_GAIN:
            break
        step *= 1.5
    return costs


def loss_of(costs: Floats, every: Iterable[Candidates], prior: float) -> tuple[float, Floats]:
    """Returns the negative log probability of the right bracketings, and its gradient."""
    loss, gradient = 0.5 * prior * float(costs @ costs), prior * costs
    for entry in every:
        scores = -entry.costs - entry.breaches @ costs
        scores -= scores.max()
        total = float(np.log(np.exp(scores).sum()))
        loss += total - float(scores[entry.right])
        shares = np.exp(scores - total)
        gradient = gradient + entry.breaches[entry.right] - shares @ entry.breaches
    return loss, gradient

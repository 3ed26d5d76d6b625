"""Beam search for any generator, under a constraint.

Half of the beam goes to the best hypotheses, as in any beam search. The other half is divided by the fewest tokens
left to an end, a number that falls with each token that makes progress through the constraint (dynamic beam allocation,
Post and Vilar 2018; over arrays, as Hu et al. 2019). So the best hypotheses of each degree of progress stay, although
the model would not write the words of its own accord. Hypotheses that cannot end within the budget of tokens are
dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from lattice_simp.core.arguments import finite_real, instance, one_or_more, whole
from lattice_simp.core.blocks import places_in_blocks, prefix_sums
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.text.constrain.constraint import TokenConstraint
from lattice_simp.text.constrain.states import FAR
from lattice_simp.text.constrain.utf8 import DEAD

Step: TypeAlias = Callable[[Longs], Any]
"""Returns log-probabilities of the next tokens, (beam, vocabulary), for prefixes of tokens, (beam, length) int64."""

_ROUNDING = 1e-3
"""How far above 0 a log-probability may be: models compute them in single precision or less."""


@dataclass(frozen=True)
class GeneratedText:
    """An output of a constrained beam search.

    Attributes:
        tokens: the numbers of the tokens, without the one that ends the text.
        score: the objective of the search: the model's score minus the weighted cost, divided by the length to the
            power of the length penalty.
        model_score: the log-probability of the tokens and the end, nats.
        constraint_cost: the cost of the text under the constraint, nats.
    """

    tokens: tuple[int, ...]
    score: float
    model_score: float
    constraint_cost: float


def constrained_beam_search(
    step: Step,
    constraint: TokenConstraint | None = None,
    *,
    beam: int = 8,
    max_tokens: int = 128,
    eos: int | Iterable[int] | None = None,
    weight: float = 1.0,
    length_penalty: float = 0.0,
) -> list[GeneratedText]:
    """Returns the best texts of a generator that a constraint accepts, the best one first.

    >>> import lattice_simp as ls
    >>> tokens = [None, b" a", b" dog", b" cat"]
    >>> constraint = ls.TokenConstraint.of(ls.term_acceptor([["cat", "cats"]]), tokens, end=0)
    >>> step = lambda prefixes: np.log(np.tile([0.3, 0.4, 0.2, 0.1], (len(prefixes), 1)))
    >>> [text.tokens for text in constrained_beam_search(step, constraint, beam=4, max_tokens=3)]
    [(3,), (1, 3), (3, 1), (2, 3)]

    All texts end within `max_tokens`. The search stops when no other text can be better.

    Args:
        step: the generator: takes prefixes of tokens, (beam, length) int64, without the prompt, and returns natural
            log-probabilities of the next tokens, (beam, vocabulary). Each prefix extends one of the call before. A
            vocabulary may be wider than the constraint's; the tokens beyond are never written.
        constraint: the words that the texts must contain; None for a plain beam search.
        beam: the number of hypotheses. It should exceed the number of tokens of the required words.
        max_tokens: the most tokens of a text, with the one that ends it.
        eos: the token that ends a text, or several such tokens, of which the most probable one counts. Only for a
            search without a constraint; a constraint has its own ends.
        weight: the factor of the constraint's costs.
        length_penalty: the power of the number of tokens, with the end, that scores are divided by; 0 or more.

    Returns:
        At most `beam` texts; none if the generator gives each accepted text the probability 0.

    Raises:
        LatticeSimpError: an argument is out of range, the constraint needs more than `max_tokens`, or the generator
            returns an array of the wrong shape or something that is not a log-probability.
    """
    search = _Search(
        whole(beam, "the beam", 1),
        whole(max_tokens, "max_tokens", 1),
        finite_real(weight, "the weight"),
        finite_real(length_penalty, "the length penalty"),
    )
    if search.weight < 0 or search.length_penalty < 0:
        raise LatticeSimpError("the weight and the length penalty must be 0 or more")
    if (constraint is None) == (eos is None):
        raise LatticeSimpError("pass either a constraint, which has the ends of texts, or eos")
    if not callable(step):
        raise TypeError(f"the step must be a function of prefixes, not {step!r:.80}")
    if constraint is not None:
        instance(constraint, TokenConstraint, "the constraint", "TokenConstraint.of(acceptor, tokens, end)")
        _check_budget(constraint, search.max_tokens)
        return search.run(step, constraint)
    ends = one_or_more(eos, "eos")
    return search.run(step, _Free(ends, max(ends) + 1))


def _check_budget(constraint: TokenConstraint, max_tokens: int) -> None:
    if constraint.fewest_tokens == FAR:
        raise LatticeSimpError("no tokens spell a text that the constraint accepts; check the vocabulary")
    if constraint.fewest_tokens > max_tokens:
        raise LatticeSimpError(
            f"the shortest text has {constraint.fewest_tokens} tokens with its end, more than max_tokens={max_tokens}"
        )


@dataclass
class _Free:
    """The constraint that accepts all texts; it takes the size of the vocabulary from the generator's first step."""

    ends: tuple[int, ...]
    size: int
    distances: Ints = field(default_factory=lambda: np.ones(1, dtype=np.int32))

    @property
    def banks(self) -> Ints:
        return self.distances

    def targets(self, state: int) -> Ints:
        targets = np.zeros(self.size, dtype=np.int32)
        targets[list(self.ends)] = DEAD
        return targets

    def end_cost(self, state: int) -> float:
        return 0.0

    def least_costs(self, states: Ints) -> Floats:
        return np.zeros(states.shape)


_Constraint: TypeAlias = TokenConstraint | _Free


@dataclass(frozen=True)
class _Candidates:
    """Hypotheses and their extensions, a row each; where a text ends, the state is the one before the end.

    The costs are the least ones of the constraint, the banks the fewest tokens left if no word is missing.
    """

    prefixes: Longs
    states: Ints
    ended: Bools
    model: Floats
    costs: Floats
    banks: Ints

    def __getitem__(self, rows: Longs) -> _Candidates:
        return _Candidates(*(getattr(self, column.name)[rows] for column in fields(self)))

    def __add__(self, more: _Candidates) -> _Candidates:
        pairs = ((getattr(self, column.name), getattr(more, column.name)) for column in fields(self))
        return _Candidates(*(np.concatenate(pair) for pair in pairs))

    def extended(self, rows: Longs, tokens: Longs, **columns: Any) -> _Candidates:
        """Returns hypotheses with one more token."""
        return _Candidates(np.column_stack((self.prefixes[rows], tokens)), **columns)


@dataclass(frozen=True)
class _Search:
    """The settings of a search."""

    beam: int
    max_tokens: int
    weight: float
    length_penalty: float

    def run(self, step: Step, constraint: _Constraint) -> list[GeneratedText]:
        """Returns the best texts."""
        start, zero = np.zeros(1, dtype=np.int32), np.zeros(1)
        prefix, bank = np.zeros((1, 0), dtype=np.int64), constraint.banks[:1]
        live = _Candidates(prefix, start, np.zeros(1, dtype=np.bool_), zero, zero, bank)
        ended: list[GeneratedText] = []
        while len(live.states) and self._can_improve(live, ended):
            scores = np.asarray(step(live.prefixes), dtype=np.float64)
            _check_scores(scores, len(live.states), constraint.size)
            if isinstance(constraint, _Free):
                constraint.size = scores.shape[1]
            candidates = self._extensions(live, scores, constraint) + self._ends(live, scores, constraint)
            order, ranks = self._allocation(candidates)
            ended += self._texts(candidates[np.flatnonzero(candidates.ended & (ranks < self.beam))], constraint)
            ended = sorted(ended, key=lambda text: -text.score)[: self.beam]
            live = candidates[order[~candidates.ended[order]][: self.beam]]
        return ended

    def _extensions(self, live: _Candidates, scores: Floats, constraint: _Constraint) -> _Candidates:
        """Returns the best extensions of each bank that can still end within the budget."""
        targets = np.stack([constraint.targets(state) for state in live.states.tolist()])
        scores = scores[:, : targets.shape[1]]
        banks, costs = constraint.banks[targets], constraint.least_costs(targets)
        totals = live.model[:, None] + scores - self.weight * costs
        left = self.max_tokens - live.prefixes.shape[1] - 1
        possible = (targets != DEAD) & (constraint.distances[targets] <= left) & np.isfinite(totals)
        chosen = [np.empty(0, dtype=np.int64)]
        for bank in np.flatnonzero(np.bincount(banks[possible])).tolist():
            within = np.flatnonzero(possible & (banks == bank))
            if len(within) > self.beam:
                within = within[np.argpartition(-totals.flat[within], self.beam - 1)[: self.beam]]
            chosen.append(within)
        rows, tokens = np.divmod(np.concatenate(chosen), targets.shape[1])
        return live.extended(
            rows,
            tokens,
            states=targets[rows, tokens],
            ended=np.zeros(len(rows), dtype=np.bool_),
            model=live.model[rows] + scores[rows, tokens],
            costs=costs[rows, tokens],
            banks=banks[rows, tokens],
        )

    def _ends(self, live: _Candidates, scores: Floats, constraint: _Constraint) -> _Candidates:
        """Returns the hypotheses that may end, each with the most probable end, at the least cost of continuations."""
        may_end = np.isfinite([constraint.end_cost(state) for state in live.states.tolist()])
        ends = np.array(constraint.ends, dtype=np.int64)
        best = ends[scores[:, ends].argmax(axis=1)]
        rows = np.flatnonzero(may_end & np.isfinite(scores[np.arange(len(best)), best]))
        return live.extended(
            rows,
            best[rows],
            states=live.states[rows],
            ended=np.ones(len(rows), dtype=np.bool_),
            model=live.model[rows] + scores[rows, best[rows]],
            costs=live.costs[rows],
            banks=live.banks[rows],
        )

    def _allocation(self, candidates: _Candidates) -> tuple[Longs, Longs]:
        """Returns the candidates in the order of their claims, and ranks in their banks.

        The best of all candidates have claims on half of the beam; then come the best of each bank, the second best,
        and so on. If there are more banks than places in the beam, a selection of banks comes first, spread evenly from
        the most to the least progress.
        """
        banks, numbers, counts = np.unique(candidates.banks, return_inverse=True, return_counts=True)
        totals = candidates.model - self.weight * candidates.costs
        ranks = np.empty(len(totals), dtype=np.int64)
        by_bank = np.lexsort((-totals, numbers))
        ranks[by_bank] = places_in_blocks(prefix_sums(counts))
        later = np.ones(len(banks), dtype=np.bool_)
        later[np.linspace(0, len(banks) - 1, min(self.beam, len(banks))).round().astype(np.int64)] = False
        without_claim = np.ones(len(totals), dtype=np.bool_)
        without_claim[np.argsort(-totals, kind="stable")[: self.beam // 2]] = False
        return np.lexsort((numbers, later[numbers], ranks, without_claim)), ranks

    def _texts(self, ending: _Candidates, constraint: _Constraint) -> Iterator[GeneratedText]:
        """Yields the outputs of hypotheses that ended."""
        for prefix, state, model in zip(ending.prefixes.tolist(), ending.states, ending.model.tolist(), strict=True):
            cost = constraint.end_cost(int(state))
            score = (model - self.weight * cost) / len(prefix) ** self.length_penalty
            yield GeneratedText(tuple(prefix[:-1]), score, model, cost)

    def _can_improve(self, live: _Candidates, ended: list[GeneratedText]) -> bool:
        """Returns whether a hypothesis could still become a better text than the finished ones."""
        if len(ended) < self.beam:
            return True
        best = float((live.model - self.weight * live.costs).max())
        length = self.max_tokens if best < 0 else live.prefixes.shape[1] + 1
        return best / length**self.length_penalty > ended[-1].score


def _check_scores(scores: Floats, rows: int, size: int) -> None:
    if scores.ndim != 2 or len(scores) != rows or scores.shape[1] < size:
        raise LatticeSimpError(
            f"the generator returned an array of the shape {scores.shape} for "
            f"{counted(rows, 'prefix', 'prefixes')} and {counted(size, 'token')}"
        )
    if not scores.max(initial=-np.inf) <= _ROUNDING:  # nor NaN
        raise LatticeSimpError("the generator must return log-probabilities, 0 at most; apply log_softmax to logits")

"""Constrained beam search, against brute force over all texts and against a plain beam search."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.generators.automaton import text_automaton

TOKENS = [None, b"a", b" b", b"b", b" ", b"\xc3", b"\xa9", b" a\xc3", b"a b"]
END = 0


class RandomModel:
    """Log-probabilities that depend on the whole prefix; some are zero."""

    def __init__(self, seed, size, zeros=0.0):
        self.seed, self.size, self.zeros = seed, size, zeros
        self.calls = []

    def row(self, prefix):
        rng = np.random.default_rng([self.seed, len(prefix), *prefix])
        logits = rng.normal(scale=2.0, size=self.size)
        logits[rng.random(self.size) < self.zeros] = -np.inf
        return logits - np.logaddexp.reduce(logits) if np.isfinite(logits).any() else logits

    def __call__(self, prefixes):
        self.calls.append(len(prefixes))
        return np.stack([self.row(prefix) for prefix in prefixes.tolist()])

    def score(self, tokens):
        return sum(self.row(tokens[:place])[token] for place, token in enumerate(tokens))


def random_acceptor(rng):
    """Returns a weighted acceptor, possibly with gaps, and its strings as pairs of words and a cost."""
    words = ["a", "b", "é", "ab", "aé"]
    strings = {}
    for _ in range(rng.integers(1, 4)):
        strings[tuple(rng.choice(words, size=rng.integers(1, 3)).tolist())] = float(rng.integers(-4, 9)) / 4
    positions = [sorted({*rng.integers(0, len(words) + 1, size=2).tolist()}) for words in strings]
    return ls.gappy_acceptor(list(strings.items()), positions=None if rng.random() < 0.5 else positions)


def costs_of_texts(acceptor, spacing, deletion=None):
    """Returns a function of the cost of the cheapest path that may be written as a text, by the automaton of each."""
    paths = [
        (text_automaton(lattice, spacing, leading_blank=True), cost)
        for lattice, cost in one_path_acceptors(acceptor.as_lattice(), deletion)
    ]

    @cache
    def cost(data):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return np.inf
        return min((cost for automaton, cost in paths if automaton.accepts(text)), default=np.inf)

    return cost


def one_path_acceptors(lattice, deletion):
    """Yields a lattice for each path, with its loops and with each choice of missing words, and its cost."""
    paths = [((0,), (), float(0))]
    sigma = lattice.symbols.find("<sigma>") if "<sigma>" in lattice.symbols else -1
    columns = (lattice.sources, lattice.olabels, lattice.weights, lattice.nextstates)
    arcs = list(zip(*(column.tolist() for column in columns), strict=True))
    loops = {source for source, label, _, target in arcs if label == sigma and source == target}
    while paths:
        states, labels, cost = paths.pop()
        if np.isfinite(lattice.finals[states[-1]]):
            looping = [place for place, state in enumerate(states) if state in loops]
            for missing in itertools.product((False,) if deletion is None else (False, True), repeat=len(labels)):
                kept = [0 if lost else label for label, lost in zip(labels, missing, strict=True)]
                path = ls.Lattice.from_arcs(
                    [*range(len(kept)), *looping],
                    [*kept, *([sigma] * len(looping))],
                    np.zeros(len(kept) + len(looping)),
                    [*range(1, len(kept) + 1), *looping],
                    [*([np.inf] * len(kept)), 0.0],
                    lattice.symbols,
                )
                yield path, cost + float(lattice.finals[states[-1]]) + sum(missing) * (deletion or 0.0)
        for source, label, weight, target in arcs:
            if source == states[-1] and source != target:
                paths.append(((*states, target), (*labels, label), cost + weight))


def brute_force(model, cost_of, max_tokens, weight=1.0, length_penalty=0.0):
    """Returns the score, tokens, model score and cost of all texts, the best first."""
    scored = []
    for length in range(max_tokens):
        for tokens in itertools.product(range(1, len(TOKENS)), repeat=length):
            cost = cost_of(b"".join(TOKENS[token] for token in tokens))
            if np.isfinite(cost):
                model_score = model.score([*tokens, END])
                if np.isfinite(model_score):
                    total = (model_score - weight * cost) / (length + 1) ** length_penalty
                    scored.append((total, tokens, model_score, cost))
    return sorted(scored, reverse=True)


@pytest.mark.parametrize("deletion", [None, 1.5])
@pytest.mark.parametrize("spacing", ["text", "words"])
@pytest.mark.parametrize(("count", "least"), [(10, 80), pytest.param(25, 200, marks=pytest.mark.slow)])
def test_a_large_beam_finds_what_brute_force_finds(spacing, deletion, count, least):
    searches = 0
    for seed in range(count):
        rng = np.random.default_rng(seed)
        acceptor, model = random_acceptor(rng), RandomModel(seed, len(TOKENS) + 2, zeros=0.2)
        constraint = ls.TokenConstraint.of(acceptor, TOKENS, END, spacing=spacing, deletion=deletion)
        options = {"weight": float(rng.choice([0.0, 0.5, 2.0])), "length_penalty": float(rng.choice([0.0, 1.0]))}
        wanted = brute_force(model, costs_of_texts(acceptor, spacing, deletion), 4, **options)
        if constraint.fewest_tokens > 4:
            assert not wanted, seed
            with pytest.raises(LatticeSimpError, match="tokens"):
                ls.constrained_beam_search(model, constraint, max_tokens=4, **options)
            continue
        texts = ls.constrained_beam_search(model, constraint, beam=5000, max_tokens=4, **options)
        assert [text.tokens for text in texts] == [tokens for _, tokens, _, _ in wanted], seed
        for text, (total, _, model_score, cost) in zip(texts, wanted, strict=True):
            assert text.score == pytest.approx(total)
            assert text.model_score == pytest.approx(model_score)
            assert text.constraint_cost == pytest.approx(cost)
            searches += 1
    assert searches > least


def plain_beam_search(model, beam, max_tokens, length_penalty=0.0):
    """Returns the texts of an ordinary beam search: the best of all extensions, with ends kept apart."""
    live, ended = [(0.0, ())], []
    for length in range(1, max_tokens + 1):
        rows = [(score, prefix, model.row(prefix)) for score, prefix in live]
        extensions = [
            (score + row[token], (*prefix, token)) for score, prefix, row in rows for token in range(len(row))
        ]
        if length == max_tokens:
            extensions = [(score, tokens) for score, tokens in extensions if tokens[-1] == END]
        extensions = sorted(extensions, reverse=True)[: 2 * beam]
        for score, tokens in extensions[:beam]:
            if tokens[-1] == END:
                ended.append((score / length**length_penalty, tokens[:-1]))
        ended = sorted(ended, reverse=True)[:beam]
        live = [(score, tokens) for score, tokens in extensions if tokens[-1] != END][:beam]
        if len(ended) == beam and live and live[0][0] / max_tokens**length_penalty <= ended[-1][0]:
            break
    return ended


def test_without_a_constraint_it_is_a_plain_beam_search():
    gap = ls.gappy_acceptor([((), 0.0)])
    tokens = [None, *(bytes([97 + number]) for number in range(8))]
    for seed in range(20):
        model, options = RandomModel(seed, 9), {"beam": 1 + seed % 4, "length_penalty": [0.0, 1.0][seed % 2]}
        wanted = plain_beam_search(model, max_tokens=8, **options)
        for constraint, eos in ((None, np.int64(END)), (ls.TokenConstraint.of(gap, tokens, END), None)):
            texts = ls.constrained_beam_search(model, constraint, max_tokens=8, eos=eos, **options)
            assert [text.tokens for text in texts] == [words for _, words in wanted], seed
            assert [text.score for text in texts] == pytest.approx([score for score, _ in wanted])


def test_small_beams_write_accepted_texts_within_the_budget():
    """Whatever the beam and the budget, a text that can be accepted is found, and all texts are."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        acceptor = random_acceptor(rng)
        constraint = ls.TokenConstraint.of(acceptor, TOKENS, END)
        budget = constraint.fewest_tokens + int(rng.integers(0, 6))
        model = RandomModel(seed, len(TOKENS))
        texts = ls.constrained_beam_search(model, constraint, beam=int(rng.integers(1, 5)), max_tokens=budget)
        assert texts, seed
        assert max(model.calls) <= 4
        cost_of = costs_of_texts(acceptor, "text")
        for text in texts:
            assert len(text.tokens) < budget
            assert text.constraint_cost == pytest.approx(cost_of(b"".join(TOKENS[token] for token in text.tokens)))
            assert text.model_score == pytest.approx(model.score([*text.tokens, END]))
            assert constraint.cost(text.tokens) == pytest.approx(text.constraint_cost)


def test_the_beam_keeps_what_makes_progress():
    """A model that hardly ever writes the terms: by scores alone, no hypothesis has one before the budget forces it."""
    tokens = [None, b" x", b" y", b" cat", b" dog"]
    constraint = ls.TokenConstraint.of(ls.term_acceptor(["cat", "dog"]), tokens, END)

    def step(prefixes):
        """Cats may come after x and x; y after a cat is certain, a dog after that likely; all else is x and y."""
        rows = np.full((len(prefixes), 5), 1e-6)
        rows[:, :3] += [0.2, 0.45, 0.35]
        if prefixes.shape[1] >= 2:
            rows[(prefixes[:, -2:] == 1).all(axis=1), 3] = 1e-2
            rows[prefixes[:, -1] == 3, 2] = 50
            rows[(prefixes[:, -2] == 3) & (prefixes[:, -1] == 2), 4] = 0.5
        return np.log(rows / rows.sum(axis=1, keepdims=True))

    text = ls.constrained_beam_search(step, constraint, beam=6, max_tokens=12)[0]
    assert text.tokens == (1, 1, 3, 2, 4)


def test_several_ends():
    """A text ends with the most probable one, and is written once."""
    table = np.log([0.1, 0.3, 0.2, 0.4])
    for constraint, eos in (
        (None, (0, 1)),
        (ls.TokenConstraint.of(ls.gappy_acceptor([((), 0.0)]), [None, None, b"a", b"b"], (0, 1)), None),
    ):
        texts = ls.constrained_beam_search(
            lambda prefixes: np.tile(table, (len(prefixes), 1)), constraint, beam=8, max_tokens=3, eos=eos
        )
        assert [text.tokens for text in texts][:4] == [(), (3,), (2,), (3, 3)]
        assert texts[0].score == pytest.approx(np.log(0.3))


def test_a_missing_word_costs():
    """The beam keeps what makes progress although words may be missing; a text lacks one where that is cheaper."""
    tokens = [None, b" x", b" cat", b" dog"]
    terms = ls.gappy_acceptor([("cat dog", 0.25)])

    def step(prefixes):
        return np.log(np.tile([0.3, 0.68, 0.01, 0.01], (len(prefixes), 1)))

    def best(deletion):
        constraint = ls.TokenConstraint.of(terms, tokens, END, deletion=deletion)
        assert constraint.fewest_tokens == (3 if deletion is None else 1)
        text = ls.constrained_beam_search(step, constraint, beam=4, max_tokens=4)[0]
        return text.tokens, text.constraint_cost

    assert best(None) == best(9.0) == ((2, 3), 0.25)
    assert best(2.0) == ((), 4.25)


def test_half_of_the_beam_holds_the_best():
    """The second best beginning goes on to the term by itself: more banks than places must not drop it."""
    tokens = [None, b" a", b" b", b" x", b" y", b" z"]
    constraint = ls.TokenConstraint.of(ls.term_acceptor(["x y z"]), tokens, END)
    wanted = (2, 2, 3, 4, 5)

    def step(prefixes):
        rows = np.tile([0.017, 0.88, 0.1, 1e-3, 1e-3, 1e-3], (len(prefixes), 1))
        length = prefixes.shape[1]
        if length == 0 or length > len(wanted):
            rows[:] = [0.01, 0.56, 0.4, 0.01, 0.01, 0.01]
        else:
            certain = np.full(6, 0.004)
            certain[(*wanted, END)[length]] = 0.98
            rows[(prefixes == wanted[:length]).all(axis=1)] = certain
        return np.log(rows)

    assert ls.constrained_beam_search(step, constraint, beam=4, max_tokens=8)[0].tokens == wanted


def test_costs_choose_among_alternatives():
    tokens = [None, b" cat", b" dog"]
    acceptor = ls.gappy_acceptor([("cat", 0.0), ("dog", 1.0)])
    constraint = ls.TokenConstraint.of(acceptor, tokens, END)

    def step(prefixes):
        return np.log(np.tile([0.4, 0.2, 0.4], (len(prefixes), 1)))

    best = {
        weight: ls.constrained_beam_search(step, constraint, max_tokens=3, weight=weight)[0].tokens
        for weight in (0.0, 0.5, 2.0)
    }
    assert best == {0.0: (2,), 0.5: (2,), 2.0: (1,)}


def test_wrong_arguments():
    tokens = [None, b" cat"]
    constraint = ls.TokenConstraint.of(ls.term_acceptor(["cat cat"]), tokens, END)

    def logits(prefixes):
        return np.ones((len(prefixes), 2))

    for options, message in (
        ({}, "apply log_softmax"),
        ({"max_tokens": 2}, "the shortest text has 3 tokens with its end, more than max_tokens=2"),
        ({"beam": 0}, "beam"),
        ({"weight": -1.0}, "0 or more"),
        ({"eos": 0}, "either a constraint"),
    ):
        with pytest.raises(LatticeSimpError, match=message):
            ls.constrained_beam_search(logits, constraint, **options)
    with pytest.raises(LatticeSimpError, match=r"shape \(1, 1\) for 1 prefix and 2 tokens"):
        ls.constrained_beam_search(lambda prefixes: np.zeros((1, 1)), constraint)
    for eos, message in ((5, "for 1 prefix and 6 tokens"), ((), "give a number, or several"), (-1, "eos is -1")):
        with pytest.raises(LatticeSimpError, match=message):
            ls.constrained_beam_search(lambda prefixes: np.log(np.full((1, 2), 0.5)), eos=eos)
    with pytest.raises(LatticeSimpError, match="no tokens spell"):
        ls.constrained_beam_search(logits, ls.TokenConstraint.of(ls.term_acceptor(["dog"]), tokens, END))
    with pytest.raises(LatticeSimpError, match=r"the cost of a deletion is -1\.0; give a number from 0 up"):
        ls.TokenConstraint.of(ls.term_acceptor(["dog"]), tokens, END, deletion=-1.0)

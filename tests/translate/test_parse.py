"""Lattices of a synchronous grammar against a translator that enumerates every derivation."""

from __future__ import annotations

import math
from functools import cache
from itertools import islice

import numpy as np
import pytest
from helpers import best_by_string, best_path, keep_least, paths

from lattice_simp.errors import GrammarError
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import RuleLabels, StepLattice
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.parse import parse_sentence
from lattice_simp.translate.settings import DecoderSettings

SOURCE, TARGET = ("a", "b", "c"), ("u", "v", "w")
WEIGHTS = {"P": 1.0, "Q": -0.5}
SEEDS = range(25)


def make_grammar(lines):
    return Grammar.from_rules(parse_rules(lines))


def decoded(*arguments):
    """Returns the lattice and the derivation table of its input labels."""
    rules = parse_sentence(*arguments).lattice()
    return rules.lattice, rules.derivations


def step_features(derivations, steps, grammar):
    return derivations.labels(np.array(steps)).features(grammar)


def rule_uses(derivations, steps):
    return RuleLabels.read(filter(None, derivations.labels(np.array(steps)).texts())).uses()


# ---------------------------------------------------------------- by brute force


def translations(grammar, costs, words, settings):
    """Returns {target words: least cost}, from the rules' texts alone."""
    rules = [(grammar.rule(number), cost) for number, cost in enumerate(costs.rules.tolist())]
    alone = {rule.source[0] for rule, _ in rules if len(rule.source) == 1 and isinstance(rule.source[0], str)}

    def gap_spans(symbols, begin, end):
        """Returns all ways to lay source symbols over begin:end, as tuples of gap spans."""
        if not symbols:
            if begin == end:
                yield ()
            return
        if isinstance(symbols[0], str):
            if begin < end and words[begin] == symbols[0]:
                yield from gap_spans(symbols[1:], begin + 1, end)
            return
        for middle in range(begin + 1, end + 1):
            for rest in gap_spans(symbols[1:], middle, end):
                yield ((symbols[0][0], begin, middle), *rest)

    def spell(target, gaps):
        """Returns (string, cost) of a target side with every choice for its gaps."""
        if not target:
            yield (), 0.0
            return
        firsts = [((target[0],), 0.0)] if isinstance(target[0], str) else derive(*gaps[target[0]]).items()
        for rest, rest_cost in list(spell(target[1:], gaps)):
            for first, cost in firsts:
                yield first + rest, cost + rest_cost

    @cache
    def derive(left, begin, end):
        values = {}
        if end - begin > settings.max_span:
            return values
        if end == begin + 1 and words[begin] not in alone:
            values[(words[begin],)] = costs.copy
        for rule, cost in rules:
            if rule.left == left:
                for gaps in gap_spans(rule.source, begin, end):
                    keep_least(values, ((string, cost + inner) for string, inner in spell(rule.target, gaps)))
        return values

    glued = [{(): 0.0}, *({} for _ in words)]
    for end in range(1, len(words) + 1):
        for begin in range(end):
            step = costs.glue if begin else 0.0
            for last, cost in derive(settings.top, begin, end).items():
                keep_least(glued[end], ((first + last, before + cost + step) for first, before in glued[begin].items()))
    return glued[-1]


def random_phrase(rng, words, shortest=1, longest=2):
    return [str(word) for word in rng.choice(words, rng.integers(shortest, longest + 1))]


def random_rule(rng, left, gap_names, longest=2, of_target=None):
    """Makes a rule line whose gaps (0 to 2) are anywhere, in any order on the target side of so many words."""
    names = rng.choice(gap_names, rng.integers(0 if left != "X" else 1, 3)).tolist() if gap_names else []
    source, target = random_phrase(rng, SOURCE, 1, longest), random_phrase(rng, TARGET, *(of_target or (0, longest)))
    for number, name in enumerate(names, start=1):
        source.insert(int(rng.integers(0, len(source) + 1)), f"[{name},{number}]")
        target.insert(int(rng.integers(0, len(target) + 1)), f"[{name},{number}]")
    return f"[{left}] ||| {' '.join(source)} ||| {' '.join(target)} ||| {random_scores(rng)}"


def random_scores(rng):
    return " ".join(f"{name}={rng.normal():.3f}" for name in WEIGHTS if rng.random() < 0.8)


def random_grammar(rng, kind):
    """Makes a shallow-1 grammar ([X] over [V]), one with a chain of non-terminals, or a full one (gaps are [X]).

    The target sides of `phrases`, a full one, have more words.
    """
    if kind == "phrases":
        lines = [random_rule(rng, "X", [], 2, (1, 4)) for _ in range(8)]
        lines += [random_rule(rng, "X", ["X"], 1, (1, 4)) for _ in range(6)]
    elif kind == "full":
        lines = [random_rule(rng, "X", []) for _ in range(8)]
        lines += [random_rule(rng, "X", ["X"], 1) for _ in range(6)]
    elif kind == "shallow":
        lines = [random_rule(rng, "V", []) for _ in range(8)] + ["[X] ||| [V,1] ||| [V,1] ||| P=-0.1"]
        lines += [random_rule(rng, "X", ["V"], 1) for _ in range(8)]
    else:
        lines = [random_rule(rng, "W", []) for _ in range(6)] + ["[V] ||| [W,1] ||| [W,1] ||| P=-0.2 Q=0.1"]
        lines += [random_rule(rng, "V", ["W"]) for _ in range(3)] + ["[X] ||| [V,1] ||| [V,1] ||| P=0.3"]
        lines += [random_rule(rng, "X", ["V", "W", "X"], 1) for _ in range(4)] + [random_rule(rng, "X", [])]
    lines.append(f"[{'X' if kind in ('full', 'phrases') else 'V'}] ||| a ||| u ||| {random_scores(rng)}")
    lines += [str(line) for line in rng.choice(lines, 2)]  # equal rules stay apart
    return make_grammar(lines)


@cache
def make(seed, kind, longest=6):
    rng = np.random.default_rng([seed, len(kind)])
    grammar = random_grammar(rng, kind)
    words = [
        str(word)
        for word in rng.choice([*SOURCE, "zz"], rng.integers(longest - 3, longest + 1), p=[0.4, 0.3, 0.2, 0.1])
    ]
    settings = DecoderSettings(max_span=int(rng.integers(2, 7)))
    weights = {"Glue": float(rng.normal()), "OOV": float(rng.normal(3))}
    weights |= {name: WEIGHTS[name] for name in grammar.feature_names}
    return grammar, weights, words, settings


KINDS = pytest.mark.parametrize("kind", ["shallow", "chain", "full"])


@KINDS
@pytest.mark.parametrize("seed", SEEDS)
def test_strings_and_least_costs_are_those_of_allderivations(seed, kind):
    grammar, weights, words, settings = make(seed, kind, longest=5 if kind == "full" else 6)
    costs = Costs.weighted(grammar, weights)
    lattice, _ = decoded(grammar, costs, words, settings)
    assert best_by_string(lattice) == pytest.approx(translations(grammar, costs, words, settings), rel=1e-9, abs=1e-9)


@KINDS
@pytest.mark.parametrize("seed", SEEDS)
def test_features_of_a_derivation_give_its_paths_cost(seed, kind):
    grammar, weights, words, settings = make(seed, kind)
    lattice, derivations = decoded(grammar, Costs.weighted(grammar, weights), words, settings)
    for _, steps, cost in islice(paths(lattice), 1500):
        features = step_features(derivations, steps, grammar)
        expected = -sum(weight * features[name] for name, weight in weights.items())
        assert cost == pytest.approx(expected, rel=1e-9, abs=1e-9)


@KINDS
@pytest.mark.parametrize("seed", SEEDS)
def test_the_rules_of_a_path_hold_its_words_and_the_sentence(seed, kind):
    grammar, weights, words, settings = make(seed, kind)
    lattice, derivations = decoded(grammar, Costs.weighted(grammar, weights), words, settings)
    for first, steps, _ in islice(paths(lattice), 300):
        uses = [use for use in rule_uses(derivations, steps) if use.rule >= -1]
        copied = [words[use.start] for use in uses if use.rule == -1]
        rules = [grammar.rule(use.rule) for use in uses if use.rule >= 0]
        targets = [symbol for rule in rules for symbol in rule.target if isinstance(symbol, str)]
        sources = [symbol for rule in rules for symbol in rule.source if isinstance(symbol, str)]
        assert sorted(first) == sorted(targets + copied)
        assert sorted(words) == sorted(sources + copied)


@pytest.mark.parametrize("seed", SEEDS)
def test_top_constituents_stand_side_by_side_and_glue_counts_all_but_the_first(seed):
    grammar, weights, words, settings = make(seed, "full")
    lattice, derivations = decoded(grammar, Costs.weighted(grammar, weights), words, settings)
    for _, steps, _ in islice(paths(lattice), 500):
        items = derivations.completed(np.array(steps))[0].tolist()
        glued = derivations.item_glued[items]
        assert step_features(derivations, steps, grammar)["Glue"] == -glued.sum()
        begins = derivations.item_span[np.array(items)[glued], 0]
        assert (begins > 0).all()
        assert len(set(begins.tolist())) == len(begins)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_rule_covers_more_than_the_longest_span(seed):
    grammar, weights, words, settings = make(seed, "full")
    lattice, derivations = decoded(grammar, Costs.weighted(grammar, weights), words, settings)
    for _, steps, _ in islice(paths(lattice), 500):
        assert all(0 < use.end - use.start <= settings.max_span for use in rule_uses(derivations, steps))


@KINDS
@pytest.mark.parametrize("seed", SEEDS)
def test_the_lattice_is_in_canonical_form(seed, kind):
    grammar, weights, words, settings = make(seed, kind)
    lattice, derivations = decoded(grammar, Costs.weighted(grammar, weights), words, settings)
    assert lattice.is_topsorted
    assert lattice.connected().num_states == lattice.num_states
    named = StepLattice(lattice, derivations).named()
    named.validate()
    labels = list(named.isymbols)[1:]
    assert RuleLabels.read(labels).texts() == labels


# ---------------------------------------------------------------- single laws


def strings(lines, sentence, glue=0.0, copy=10.0, **settings):
    """Returns {target string: least cost}; the feature P has the weight 1."""
    grammar = make_grammar(lines)
    costs = Costs(grammar.costs(dict.fromkeys(grammar.feature_names, 1.0)), glue, copy)
    lattice, _ = decoded(grammar, costs, sentence.split(), DecoderSettings(**settings))
    return {" ".join(words): pytest.approx(cost) for words, cost in best_by_string(lattice).items()}


def test_the_first_constituent_is_free_of_glue():
    lines = ["[X] ||| a ||| u ||| P=-1"]
    for length in (1, 2, 5):
        target = " ".join(["u"] * length)
        assert strings(lines, "a " * length, glue=0.25) == {target: length + 0.25 * (length - 1)}


def test_gaps_are_reordered():
    lines = ["[V] ||| a ||| u", "[V] ||| b ||| v", "[X] ||| [V,1] c [V,2] ||| [V,2] w [V,1]"]
    assert strings(lines, "a c b") == {"v w u": 0.0}


@pytest.mark.parametrize("source", ["[V,1] c", "[V,1] [V,2] c", "c [V,1] [V,2]", "[V,1] c [V,2]"])
def test_a_gap_may_stand_anywhere(source):
    gaps = " ".join(symbol for symbol in source.split() if symbol != "c")
    lines = ["[V] ||| a ||| u", f"[X] ||| {source} ||| {gaps} w"]
    sentence = " ".join("a" if symbol != "c" else "c" for symbol in source.split())
    assert strings(lines, sentence) == {" ".join(["u"] * gaps.count("V")) + " w": 0.0}


def test_a_gap_may_be_a_token_that_no_rule_translates():
    assert strings(["[X] ||| [V,1] c ||| w [V,1] ||| P=-1"], "zz c", copy=4.0) == {"zz c": 8.0, "w zz": 5.0}


def test_a_rule_that_starts_with_its_own_left_hand_side_nests():
    lines = ["[X] ||| a ||| u ||| P=-1", "[X] ||| [X,1] b ||| v [X,1] ||| P=-2", "[X] ||| b ||| w ||| P=-3"]
    assert strings(lines, "a b b", glue=10.0)["v v u"] == 5.0


def test_only_tokens_without_a_rule_of_their_own_are_copied():
    lines = ["[X] ||| a ||| u ||| P=-1", "[X] ||| b c ||| v ||| P=-1"]
    assert strings(lines, "a", copy=3.0) == {"u": 1.0}
    assert strings(lines, "b c", copy=3.0) == {"v": 1.0, "b c": 6.0}
    assert strings(lines, "zz", copy=3.0) == {"zz": 3.0}


def test_the_longest_span_holds_for_every_constituent():
    lines = ["[X] ||| a ||| u", "[X] ||| a a a ||| w"]
    assert set(strings(lines, "a a a", max_span=3)) == {"u u u", "w"}
    assert set(strings(lines, "a a a", max_span=2)) == {"u u u"}


def test_a_rule_may_delete_its_words():
    assert strings(["[X] ||| a ||| ||| P=-1", "[X] ||| b ||| v"], "a b a") == {"v": 2.0}
    assert strings(["[X] ||| a ||| ||| P=-1"], "a a") == {"": 2.0}
    lines = ["[V] ||| a ||| ||| P=-1", "[V] ||| a ||| u", "[X] ||| [V,1] b [V,2] ||| [V,2] [V,1] ||| P=-3"]
    assert strings(lines, "a b a") == {"": 5.0, "u": 4.0, "u u": 3.0}


def test_of_equal_rules_the_cheaper_counts():
    assert strings(["[X] ||| a ||| u ||| P=-2", "[X] ||| a ||| u ||| P=-1"], "a") == {"u": 1.0}


def test_another_top_non_terminal_may_be_chosen():
    lines = ["[X] ||| a ||| u", "[Y] ||| a ||| v"]
    assert strings(lines, "a a", top="Y") == {"v v": 0.0}


def test_negative_costs_are_added_like_others():
    assert strings(["[X] ||| a ||| u ||| P=2"], "a a", glue=-1.0) == {"u u": -5.0}


def test_a_sentence_without_a_complete_derivation_has_an_empty_lattice():
    grammar = make_grammar(["[X] ||| a b ||| u", "[Y] ||| a ||| v", "[Y] ||| b ||| v"])
    lattice, _ = decoded(grammar, Costs.weighted(grammar, {}), ["b", "a"], DecoderSettings())
    assert lattice.connected().empty


@pytest.mark.parametrize(
    "lines",
    [
        ["[X] ||| [X,1] ||| [X,1]", "[X] ||| a ||| u"],
        ["[X] ||| [V,1] ||| [V,1]", "[V] ||| [X,1] ||| [X,1]", "[X] ||| a ||| u"],
        ["[X] ||| [V,1] ||| [V,1]", "[V] ||| [V,1] ||| u [V,1]", "[V] ||| a ||| u"],
    ],
)
def test_unary_cycles_are_refused(lines):
    with pytest.raises(GrammarError, match="cycle"):
        strings(lines, "a")


def test_an_empty_sentence_is_refused():
    with pytest.raises(GrammarError, match="empty sentence"):
        strings(["[X] ||| a ||| u"], "")


def test_an_unknown_top_non_terminal_is_refused():
    with pytest.raises(GrammarError, match=r"no rules for \[Y\], only for X"):
        strings(["[X] ||| a ||| u"], "a", top="Y")


def test_a_long_sentence_grows_every_table():
    rng = np.random.default_rng(1)
    grammar, weights, _, _ = make(3, "shallow")
    weights = weights | {"Glue": 0.0, "OOV": 10.0}
    words = [str(word) for word in rng.choice(SOURCE, 60)]
    lattice, derivations = decoded(grammar, Costs.weighted(grammar, weights), words, DecoderSettings())
    _, steps, cost = best_path(lattice)
    features = step_features(derivations, steps, grammar)
    expected = -sum(weight * features[name] for name, weight in weights.items())
    assert cost == pytest.approx(expected)


def test_passed_through_tokens_join_the_table_of_the_lattice_alone():
    grammar = make_grammar(["[X] ||| a ||| u"])
    before = list(grammar.target_words)
    lattice, _ = decoded(grammar, Costs(grammar.costs({}), copy=1.0), ["zz", "u"], DecoderSettings())
    assert best_by_string(lattice) == {("zz", "u"): 2.0}
    assert list(grammar.target_words) == before
    assert list(lattice.symbols) == [*before, "zz"]


def test_costs_may_be_any_vector():
    grammar = make_grammar(["[X] ||| a ||| u", "[X] ||| a ||| v"])
    lattice, _ = decoded(grammar, Costs(np.array([math.pi, -1e6])), ["a"], DecoderSettings())
    assert best_by_string(lattice) == {("u",): math.pi, ("v",): -1e6}

"""The exact search in nested grammars, against the enumeration of all translations."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import PlainModel, best_by_string, random_arpa
from test_parse import TARGET, make, translations
from test_word_lattices import expected_translations, random_input
from tiny_decoder import assert_derivations_spell, assert_features_explain_costs

from lattice_simp import LanguageModel
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.combined import combined
from lattice_simp.ops.nbest import nbest
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.search.exact import dense_bounds, multipliers, refine, relaxation
from lattice_simp.translate.search.exact import second_order as learning
from lattice_simp.translate.search.exact.border_words import everything_kept
from lattice_simp.translate.search.exact.bounds import bounds_of, dense_bounds_of, no_bounds
from lattice_simp.translate.search.exact.context_model import (
    best_choice,
    context_model,
    lower_state,
    read,
    with_potential,
    without_pairs,
)
from lattice_simp.translate.search.exact.contexts import chart_with_contexts
from lattice_simp.translate.search.exact.junctions import first_prefixes, with_words
from lattice_simp.translate.search.exact.limits import ExactSearch, GapBound
from lattice_simp.translate.search.exact.multipliers import tighten
from lattice_simp.translate.search.exact.refine import refined_forest
from lattice_simp.translate.search.exact.search import search
from lattice_simp.translate.search.forest import inside_costs
from lattice_simp.translate.settings import DecoderSettings

SEEDS = range(60)
CLOSE = {"rel": 1e-6, "abs": 1e-5}


@cache
def make_decoder(seed, kind="full", longest=5, beam=0.0, **exact):
    """Makes a decoder with one or two random models of orders 1 to 5, its models' texts, and a sentence."""
    rng = np.random.default_rng([seed, 77])
    grammar, weights, words, base = make(seed, kind, longest=longest)
    texts = {
        name: random_arpa(rng, [*TARGET, *(["zz"] if rng.random() < 0.5 else [])], int(order), density=0.6)
        for name, order in zip(("LM", "LM2"), rng.integers(1, 6, rng.integers(1, 3)), strict=False)
    }
    models = {name: LanguageModel.from_bytes(text.encode()) for name, text in texts.items()}
    weights = weights | {name: float(rng.uniform(0.2, 1.5)) for name in texts}
    weights["WordPenalty"] = float(rng.normal())
    settings = replace(base, beam=beam, exact=ExactSearch(beam=beam, **exact))
    return Decoder(grammar, models, weights, settings), texts, words


def with_models(decoder, texts, strings):
    """Adds the costs of models and word penalty to a table of strings."""
    models = {name: PlainModel(text) for name, text in texts.items()}
    penalty = decoder.weights["WordPenalty"]
    return {
        string: cost
        + penalty * len(string)
        + sum(decoder.weights[name] * model.cost(string) for name, model in models.items())
        for string, cost in strings.items()
    }


def expected(decoder, texts, words):
    arguments = decoder.grammar, decoder.costs, tuple(words), decoder.settings
    return with_models(decoder, texts, translations(*arguments))


def within(table, beam):
    """Returns the entries that are surely within a beam, and those that may be."""
    least = min(table.values())
    return [{key for key, cost in table.items() if cost <= least + beam + slack} for slack in (-1e-4, 1e-4)]


def certificate(decoder, words, upper, **limits):
    """Runs the search alone."""
    chart, model, _ = chart_with_contexts(decoder.parse(words), decoder.models, decoder.word_penalty)
    return search(chart, context_model(model), model.order, upper, ExactSearch(**limits))


@pytest.mark.parametrize("kind", ["full", "chain", "phrases"])
@pytest.mark.parametrize("beam", [0.0, 1.5])
@pytest.mark.parametrize(("step", "least"), [(3, 7), pytest.param(1, 20, marks=pytest.mark.slow)])
def test_all_within_the_beam_is_found_for_certain(kind, beam, step, least):
    nested = 0
    for seed in SEEDS[::step]:
        decoder, texts, words = make_decoder(seed, kind, beam=beam)
        table = expected(decoder, texts, words)
        if not table:
            continue
        nested += decoder.grammar.nests
        result = decoder.translate(words)
        assert result.optimality_gap == 0.0, seed
        assert result.best.cost == pytest.approx(min(table.values()), **CLOSE), seed
        actual = best_by_string(result.lattice)
        surely, perhaps = within(table, beam)
        assert surely <= set(actual), seed
        for string in perhaps & set(actual):
            assert actual[string] == pytest.approx(table[string], **CLOSE), seed
    assert nested > least


def test_derivations_and_features_are_those_of_the_rules():
    for seed in SEEDS[:25]:
        decoder, _, words = make_decoder(seed, beam=1.0)
        result = decoder.translate(words)
        paths = result.nbest(5)
        assert_features_explain_costs(decoder, result, paths)
        assert_derivations_spell(decoder, result, paths)


def test_word_lattices_are_searched_exactly():
    for seed in SEEDS[:30]:
        decoder, texts, _ = make_decoder(seed)
        decoder = decoder.with_settings({"max_span": 10})
        lattice = random_input(seed)
        if not any(best_by_string(lattice)):
            continue
        strings = expected_translations(decoder.grammar, decoder.costs, lattice, decoder.settings)
        if not strings:
            continue
        result = decoder.translate(lattice)
        assert result.optimality_gap == 0.0, seed
        assert result.best.cost == pytest.approx(min(with_models(decoder, texts, strings).values()), **CLOSE), seed


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"edges": 0}, {"edges": 60}])
def test_an_unfinished_search_bounds_the_optimum(limits):
    unfinished = 0
    for seed in SEEDS:
        decoder, texts, words = make_decoder(seed)
        table = expected(decoder, texts, words)
        if not table or not decoder.grammar.nests:
            continue
        least, worse = min(table.values()), float(np.median(list(table.values())))
        actual = certificate(decoder, words, worse, **limits)
        assert actual.lower <= least + 1e-6, seed
        unfinished += not actual.finished
        assert not actual.finished or actual.lower == pytest.approx(least, **CLOSE), seed
        result = decoder.with_settings({"exact": limits}).translate(words)
        assert result.best.cost - result.optimality_gap <= least + 1e-6, seed
    assert unfinished > 5


@pytest.mark.parametrize("cubes", [{"pops": 1, "beam": 0.0, "max_arcs": 1}, {"pops": 20}])
@pytest.mark.parametrize(("count", "sure", "worse"), [(20, 3, 1), pytest.param(40, 5, 3, marks=pytest.mark.slow)])
def test_the_gap_of_a_pruned_search_bounds_what_it_lost(cubes, count, sure, worse):
    """With each order the bound comes nearer, and where it leaves no gap, the best translation was found."""
    lost = certain = 0
    for seed in SEEDS[:count]:
        decoder, texts, words = make_decoder(seed)
        table = expected(decoder, texts, words)
        if not table or not decoder.grammar.nests:
            continue
        least, before = min(table.values()), np.inf
        for order in range(1, 5):
            values = {"exact": None, "cubes": cubes, "optimality_gap": {"order": order}}
            result = decoder.with_settings(values).translate(words)
            assert 0.0 <= result.optimality_gap <= before + 1e-9, (seed, order)
            assert result.best.cost - result.optimality_gap <= least + 1e-5, (seed, order)
            before = result.optimality_gap
            if result.optimality_gap < 1e-6:
                assert result.best.cost == pytest.approx(least, **CLOSE), (seed, order)
                certain += 1
        lost += result.best.cost > least + 1e-3
    assert certain > sure
    assert cubes["pops"] > 1 or lost > worse


def test_gaps_are_reported_where_they_are_asked_for():
    for kind in ("full", "shallow"):
        decoder, _, words = make_decoder(3, kind)
        pruned = decoder.with_settings({"exact": None})
        assert pruned.translate(words).optimality_gap is None
        result = pruned.with_settings({"optimality_gap": {}}).translate(words)
        assert result.best == pruned.translate(words).best
        assert result.optimality_gap >= 0 if decoder.grammar.nests else result.optimality_gap == 0


@pytest.mark.slow
def test_multipliers_change_no_optimum(monkeypatch):
    """Neither do bounds that are tighter or looser: only the work differs."""
    for seed in SEEDS[:30]:
        decoder, texts, words = make_decoder(seed, longest=6)
        table = expected(decoder, texts, words)
        if not table:
            continue
        least = min(table.values())
        for rounds in (0, 3, 40):
            monkeypatch.setattr(multipliers, "ROUNDS", rounds)
            for above in (1e-6, 2.0, 50.0):
                actual = certificate(decoder, words, least + above)
                assert actual.finished, seed
                assert actual.lower == pytest.approx(least, **CLOSE), (seed, rounds, above)


@pytest.mark.slow
def test_multipliers_bring_the_second_order_near_the_optimum(monkeypatch):
    """The model's own order makes them exact: those of pairs of words alone leave what three words before say."""
    gaps = {0: [], 90: []}
    for seed in SEEDS:
        decoder, texts, words = make_decoder(seed, "phrases", longest=6)
        table = expected(decoder, texts, words)
        if not table:
            continue
        least = min(table.values())
        chart, model, _ = chart_with_contexts(decoder.parse(words), decoder.models, decoder.word_penalty)
        if model.order < 3:
            continue
        monkeypatch.setattr(learning, "FEW", 0)
        monkeypatch.setattr(learning, "CLOSE", 1e-3)
        for rounds, of_rounds in gaps.items():
            monkeypatch.setattr(multipliers, "ROUNDS", rounds)
            lower = search(chart, context_model(model), model.order, least, ExactSearch(), last=2).lower
            of_rounds.append(max(least - lower, 0.0))
    assert len(gaps[0]) > 20
    assert sum(gaps[0]) > 1.0
    assert sum(gaps[90]) < 0.4 * sum(gaps[0]), {rounds: sum(gap) for rounds, gap in gaps.items()}


@pytest.mark.parametrize(("where", "name", "value"), [(dense_bounds, "MAX_ENTRIES", 0), (learning, "SAMPLES", 0)])
def test_dense_bounds_and_samples_change_no_optimum(monkeypatch, where, name, value):
    for seed in SEEDS[:30]:
        decoder, texts, words = make_decoder(seed, longest=6)
        table = expected(decoder, texts, words)
        if table:
            least = min(table.values())
            with monkeypatch.context() as changed:
                changed.setattr(where, name, value)
                assert certificate(decoder, words, least + 3.0).lower == pytest.approx(least, **CLOSE), seed
            assert certificate(decoder, words, least + 3.0).lower == pytest.approx(least, **CLOSE), seed


@cache
def second_order(seed, kind="full"):
    """Returns a chart, the automaton and the bounds of the first order's forest, and what the matrices start from."""
    decoder, _, words = make_decoder(seed, kind, longest=6)
    chart, model, _ = chart_with_contexts(decoder.parse(words), decoder.models, decoder.word_penalty)
    first, prefixes = context_model(model), first_prefixes(model.root)
    coarse = refined_forest(chart, first, no_bounds(), 1e300, prefixes, 10**6, lambda edges: True)
    tightened = tighten(coarse, first, chart, model.order, 1e6, lambda: True)
    bounds, second = bounds_of(tightened.forest, tightened.outside), tightened.model._replace(order=2)
    charges = learning.first_charges(bounds, second)
    return chart, second, bounds, prefixes, charges, everything_kept(chart, charges, bounds.least)


def test_dense_bounds_are_those_of_the_second_orders_forest():
    seen = 0
    for seed in SEEDS:
        chart, second, bounds, prefixes, charges, kept = second_order(seed)
        result = dense_bounds.dense_bounds(chart, second, charges, kept, 1e6)
        if result is None or second.level.max() < 2:
            continue
        forest = refined_forest(chart, second, bounds, 1e6, prefixes, 10**6, lambda edges: True)
        inside, _ = inside_costs(forest.packed())
        assert result.lower == pytest.approx(inside[forest.goal], **CLOSE), seed
        seen += 1
    assert seen > 10


@pytest.mark.parametrize("order", [2, 3])
def test_potentials_of_any_size_lose_nothing(order):
    """Words may cost less than nothing then; the limit is that of the best derivation itself."""
    seen = 0
    for seed in SEEDS:
        chart, second, _, prefixes, charges, kept = second_order(seed, "phrases")
        if second.level.max() < order:
            continue
        rng = np.random.default_rng([seed, order])
        potential = rng.normal(scale=3.0, size=len(second.level))
        model = with_potential(second._replace(order=order), potential, 3)

        def least_within(limit, seed=seed, chart=chart, model=model, charges=charges, kept=kept, prefixes=prefixes):
            result = dense_bounds.dense_bounds(chart, model._replace(order=2), charges, kept, limit)
            if result is None:
                return None
            words = with_words(prefixes, charges)
            forest = refined_forest(
                chart, model, dense_bounds_of(result.dense), limit, words, 10**6, lambda edges: True
            )
            assert forest is not None, seed
            return inside_costs(forest.packed())[0][forest.goal]

        least = least_within(1e6)
        if least is not None:
            assert least_within(least + 1e-6) == pytest.approx(least, **CLOSE), seed
            seen += 1
    assert seen > 20


def test_pools_grow_before_they_are_full(monkeypatch):
    expand, grown = refine.expand, 0

    def watched(chart, model, bounds, pools, *rest):
        nonlocal grown
        status = expand(chart, model, bounds, pools, *rest)
        rows = [getattr(pools, name) for name in (*refine._TABLES, *refine._ARRAYS)]
        sizes = [len(row.rows) if hasattr(row, "rows") else len(row) for row in rows]
        counters = [*refine._TABLES.values(), *refine._ARRAYS.values()]
        assert all(pools.used[counter] <= size for counter, size in zip(counters, sizes, strict=True))
        grown += status == refine.FULL
        return status

    for seed in SEEDS[:30]:
        chart, second, bounds, prefixes, charges, kept = second_order(seed)
        values = dense_bounds.dense_bounds(chart, second, charges, kept, 1e6)
        wanted = [bounds] if values is None else [bounds, dense_bounds_of(values.dense)]
        for entry in wanted:
            prefix = prefixes if entry is bounds else with_words(prefixes, charges)
            arguments = (chart, second, entry, 1e6, prefix, 10**6, lambda edges: True)
            whole = refined_forest(*arguments)
            with monkeypatch.context() as changed:
                changed.setattr(refine, "SMALLEST", 2)
                changed.setattr(refine, "expand", watched)
                small = refined_forest(*arguments)
            assert len(small.edges) == len(whole.edges), seed
            costs = [inside_costs(forest.packed())[0][forest.goal] for forest in (whole, small)]
            assert costs[0] == costs[1], seed
    assert grown > 30


def missing(value, chart):
    """Returns what is missing to each state by its border words, where derivations within the limit use it."""
    words, table = value.dense.words, {}
    for state in range(chart.num_states):
        borders = [
            words.listed[slice(*words.offsets[each[state] : each[state] + 2])] for each in (words.first, words.last)
        ]
        begin, end = words.begins[state : state + 2]
        pairs = [(entry, other) for entry in borders[0] for other in borders[1]]
        for pair, cost in zip(pairs, value.dense.outside[begin:end] if end > begin else [], strict=end > begin):
            if cost < np.inf:
                table[state, *map(int, pair)] = cost
    return table


def test_what_is_beyond_the_limit_changes_no_bound_within():
    left_out = 0
    for seed in SEEDS:
        chart, second, _, _, charges, kept = second_order(seed)
        whole = dense_bounds.dense_bounds(chart, second, charges, kept, 1e6)
        if whole is None:
            continue
        limit = whole.lower + 1.0
        cut = dense_bounds.dense_bounds(chart, second, charges, kept, limit)
        again = dense_bounds.dense_bounds(chart, second, charges, cut.kept, limit)
        everything, within = missing(whole, chart), missing(cut, chart)
        assert again.lower == cut.lower == whole.lower
        assert missing(again, chart) == pytest.approx(within)
        assert within == pytest.approx({key: everything[key] for key in within})
        totals = whole.totals[whole.totals <= limit - 1e-9]
        assert len(totals) <= np.isfinite(cut.totals).sum() <= len(within) + chart.num_cells, seed
        assert np.sort(cut.totals[np.isfinite(cut.totals)])[: len(totals)] == pytest.approx(np.sort(totals))
        left_out += len(everything) - len(within)
        assert len(again.totals) <= len(cut.totals)
        assert cut.limit_of(10**9) == np.inf
        assert np.isfinite(cut.totals).sum() <= 3 or cut.limit_of(1) <= limit
    assert left_out > 100


def random_model(rng, scale=1.0):
    """Returns an automaton with potentials of states of a random order, and that order."""
    words = ["u", "v", "w", "x"]
    text = random_arpa(rng, words, int(rng.integers(2, 6)), density=0.6)
    model = context_model(combined([(LanguageModel.from_bytes(text.encode()), 0.7)], words))
    reach = int(rng.integers(2, model.level.max() + 1))
    return with_potential(model._replace(order=2), rng.normal(scale=scale, size=len(model.level)), reach)


def states_behind(model, context):
    """Returns the states that a context may stand for, each with its own context."""
    state, results = context >> 1, []
    if context & 1 == 0 or model.level[state] >= model.reach - 1:
        return [context]
    for node in np.flatnonzero((model.level > 0) & (model.level < model.reach)):
        shorter = node
        while model.level[shorter] > model.level[state]:
            shorter = model.suffix[shorter]
        if shorter == state:
            results.append(2 * int(node) + (1 if model.level[node] == model.reach - 1 else 0))
    return results


def cost_behind(model, context, word):
    """Returns what a word costs behind a context whose state is known, the n-gram it matches, and the potentials."""
    matched, cost = read(model, context, model.end if word == model.final else word)
    entering = 0.0 if word == model.final else model.potential[matched]
    return cost - model.potential[context >> 1] + entering, matched


def test_a_word_is_charged_at_the_best_state_that_its_context_may_stand_for():
    ties = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        model = random_model(rng, scale=3.0)
        for state in np.flatnonzero((model.level > 0) & (model.level < model.level.max())):
            for word in range(model.final + 1):
                cost, left, entered = best_choice(model, 2 * int(state) + 1, word)
                wanted = [cost_behind(model, entry, word)[0] for entry in states_behind(model, 2 * int(state) + 1)]
                assert cost == pytest.approx(min(wanted), abs=1e-9), seed
                result = 2 * left + (1 if model.level[left] >= model.reach - 1 else 0)  # what it says was chosen
                again, matched = cost_behind(model, result, word)
                assert again == pytest.approx(cost, abs=1e-9), seed
                assert lower_state(model, matched, model.reach) == lower_state(model, entered, model.reach), seed
                ties += len(wanted) > 1
    assert ties > 1000


def test_ngrams_with_pairs_of_words_that_cannot_be_are_no_choice():
    dropped = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        model = random_model(rng)
        living = rng.random((model.final, model.final + 1)) < 0.7
        cut = without_pairs(model, living)

        def lives(node, model=model, living=living):
            words = []
            while node != len(model.suffix) - 1:
                words.append(int(model.word[node]))
                node = model.parent[node]
            pairs = zip(words[:0:-1], words[-2::-1], strict=True)
            return all(
                living[first, second] or (second == model.end and living[first, model.final]) for first, second in pairs
            )

        alive = [node for node in range(len(model.level) - 1) if lives(node)]
        assert cut.living.tolist() == alive, seed
        for state in [node for node in alive if model.level[node] < model.level.max()]:
            for word in np.flatnonzero(living[model.word[state]]).tolist():
                results = [code for code in states_behind(model, 2 * state + 1) if lives(code >> 1)]
                wanted = min(cost_behind(model, code, word)[0] for code in results)
                assert best_choice(cut, 2 * state + 1, word)[0] == pytest.approx(wanted, abs=1e-9), seed
        dropped += len(model.level) - 1 - len(alive)
    assert dropped > 500


def test_pairs_of_words_outside_of_all_derivations_change_no_bound_within():
    """With them left out, words are charged at fewer states: the bound may rise, but not above the optimum."""
    left_out = risen = 0
    for seed in SEEDS:
        decoder, texts, words = make_decoder(seed, longest=6)
        table = expected(decoder, texts, words)
        chart, second, _, _, charges, kept = second_order(seed)
        if (
            not table
            or (actual := dense_bounds.dense_bounds(chart, second, charges, kept, min(table.values()) + 1.0)) is None
        ):
            continue
        limit = min(table.values()) + 1.0
        model = without_pairs(second, actual.living)
        again = dense_bounds.dense_bounds(chart, model, charges, actual.kept, limit, actual.living)
        assert actual.lower - 1e-9 <= again.lower <= min(table.values()) + 1e-6, seed
        for string in {key for key, cost in table.items() if cost <= limit - 1e-6}:
            seen = [second.start, *words_of(decoder, words, string), second.final]
            assert all(again.living[first, second] for first, second in itertools.pairwise(seen)), seed
        left_out += actual.living.size - actual.living.sum()
        risen += again.lower > actual.lower + 1e-6
    assert left_out > 200
    assert risen > 3


def words_of(decoder, words, string):
    """Returns the language model's words of a string."""
    chart, models = decoder.parse(words), decoder.models
    names = [chart.grammar.target_words[label] for label in chart.target_words.tolist() if label]
    ids = combined(list(models.values()), names).vocabulary
    return [int(ids[names.index(word)]) for word in string]


def test_expected_counts_are_the_gradient_of_the_smooth_bound():
    """What all derivations cost together, -t log sum exp(-cost / t), against differences of its values."""
    seen = 0
    for seed in SEEDS[:20]:
        chart, second, bounds, prefixes, _, _ = second_order(seed)
        order = int(second.level.max())
        forest = refined_forest(chart, second, bounds, 1e6, prefixes, 10**6, lambda edges: True)
        if forest is None or order < 2:
            continue
        used, temperature = forest.used(), 0.7

        def relaxed_with(potential, forest=forest, second=second, order=order, used=used):
            chosen = relaxation.relax(forest.transitions, used, with_potential(second, potential, order))
            relaxation.set_costs(forest.junctions, forest.parts, forest.transitions)
            forest.axioms[forest.first] = potential[second.start]
            return chosen

        def smooth(potential, forest=forest):
            relaxed_with(potential)
            costs, total = forest.edge_costs(), np.full(len(forest.axioms), -np.inf)
            total[np.isfinite(forest.axioms)] = -forest.axioms[np.isfinite(forest.axioms)] / temperature
            for edge, cost in zip(forest.edges, costs, strict=True):
                result = (
                    total[edge["tail"]] - cost / temperature + (total[edge["second"]] if edge["second"] >= 0 else 0.0)
                )
                total[edge["head"]] = np.logaddexp(total[edge["head"]], result)
            return -temperature * total[forest.goal]

        rng = np.random.default_rng(seed)
        potential = second.potential + rng.normal(scale=0.3, size=len(second.level)) * (second.level < order)
        chosen = relaxed_with(potential)
        costs = forest.edge_costs()
        inside, _ = inside_costs(forest.packed())
        counts = relaxation.expected_counts(forest, chosen, costs, inside, temperature, len(potential))
        counts[second.start] += 1.0  # a sentence begins there
        for state in np.flatnonzero((second.level < order) & (second.level > 0)):
            step = np.zeros(len(potential))
            step[state] = 1e-6
            slope = (smooth(potential + step) - smooth(potential - step)) / 2e-6
            assert counts[state] == pytest.approx(slope, abs=1e-4), (seed, state)
            seen += abs(slope) > 0.01
    assert seen > 50


def test_a_limit_below_the_optimum_gives_no_bound_above_it():
    """A known derivation cannot cost less than the best one; if it seems to, nothing wrong is proved."""
    for seed in SEEDS[:20]:
        decoder, texts, words = make_decoder(seed)
        table = expected(decoder, texts, words)
        if table:
            assert certificate(decoder, words, min(table.values()) - 0.5).lower <= min(table.values()) + 1e-6, seed


def test_a_combined_model_charges_the_weighted_sum():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        words = ["u", "v", "w", "x"]
        texts = [
            random_arpa(rng, list(rng.choice(words, 3, replace=False)), int(order), density=0.6)
            for order in rng.integers(1, 5, rng.integers(1, 4))
        ]
        weights = rng.uniform(0.1, 2.0, len(texts)).tolist()
        models = [LanguageModel.from_bytes(text.encode()) for text in texts]
        union = combined(list(zip(models, weights, strict=True)), words)
        plain = [PlainModel(text) for text in texts]
        for _ in range(20):
            string = rng.choice(words, rng.integers(0, 7)).tolist()
            total = sum(weight * model.cost(tuple(string)) for weight, model in zip(weights, plain, strict=True))
            assert cost_of(union, [words.index(word) for word in string]) == pytest.approx(total, abs=1e-5), seed


def cost_of(model, indices):
    """Returns the cost of a string under a restricted model, by its arrays."""
    level, parent = model.lengths, model.parents
    children = {(int(parent[node]), int(model.word[node])): node for node in range(model.root)}
    state, total = model.start, 0.0
    for word in [*model.vocabulary[indices].tolist(), model.end]:
        while state != model.root and (state, word) not in children:
            total += model.backoff[state]
            state = int(model.suffix[state])
        state = word if state == model.root else children[state, word]
        total += model.cost[state]
        if level[state] == model.order:
            state = int(model.suffix[state])
    return total


def test_grammars_that_do_not_nest_need_no_search():
    decoder, _, words = make_decoder(1, "shallow")
    assert not decoder.grammar.nests
    assert decoder.translate(words).optimality_gap == 0.0
    unlimited = Decoder(*(getattr(decoder, name) for name in ("grammar", "language_models", "weights")))
    assert unlimited.translate(words).optimality_gap is None


def test_limits_must_make_sense():
    with pytest.raises(LatticeSimpError, match="seconds is -1"):
        ExactSearch(seconds=-1)
    with pytest.raises(LatticeSimpError, match="engine arrays"):
        replace(DecoderSettings(engine="openfst"), exact=ExactSearch())
    with pytest.raises(LatticeSimpError, match="engine arrays"):
        replace(DecoderSettings(engine="openfst"), optimality_gap=GapBound())
    with pytest.raises(LatticeSimpError, match="is 0; give a number from 1 up"):
        GapBound(0)


def test_the_nbest_list_is_exact_within_the_beam():
    for seed in SEEDS[:20]:
        decoder, texts, words = make_decoder(seed, beam=3.0)
        table = expected(decoder, texts, words)
        if not table:
            continue
        least = min(table.values())
        ranked = sorted(cost for cost in table.values() if cost <= least + 2.9)
        actual = [path.cost for path in nbest(decoder.translate(words).lattice, len(ranked))]
        assert actual == pytest.approx(ranked, **CLOSE), seed

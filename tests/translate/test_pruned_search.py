"""The pruned search in nested grammars: exact without pruning, and with right costs otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from helpers import PlainModel, best_by_string, random_arpa
from test_exact_search import CLOSE, expected, make_decoder, with_models
from test_parse import TARGET, make_grammar
from test_word_lattices import expected_translations, random_input
from tiny_decoder import assert_derivations_spell, assert_features_explain_costs

from lattice_simp import LanguageModel
from lattice_simp.core.records import NONE
from lattice_simp.errors import EmptyLatticeError, GrammarError, LatticeSimpError
from lattice_simp.lm.automaton import advance, start_state
from lattice_simp.lm.combined import lookup
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.search.chart import NO_WORD, search_chart, seen_labels
from lattice_simp.translate.search.cubes.borders import (
    EMPTY,
    WHOLE,
    after_string,
    after_word,
    longer_prefix,
    new_borders,
)
from lattice_simp.translate.search.cubes.excess import excess_of_grids, found_excess
from lattice_simp.translate.search.cubes.grids import make_grids, with_rests
from lattice_simp.translate.search.cubes.limits import CubePruning
from lattice_simp.translate.search.cubes.passes import LEAST_NARROW, NARROW_SHARE, search_twice, wide_pops
from lattice_simp.translate.search.cubes.rests import learnt_rests
from lattice_simp.translate.search.cubes.search import BEAM, EDGES, search
from lattice_simp.translate.settings import DecoderSettings

SEEDS = range(60)
EVERYTHING = CubePruning(pops=20_000, beam=1e6, max_arcs=10_000_000)


def pruned_decoder(seed, cubes, kind="full", beam=0.0):
    decoder, texts, words = make_decoder(seed, kind)
    return replace(decoder, settings=replace(decoder.settings, exact=None, cubes=cubes, beam=beam)), texts, words


def chart_of(decoder, words, invisible=()):
    """Returns the chart of the search, and the language model."""
    chart = decoder.parse(words)
    labels, names = seen_labels(chart, invisible)
    model, numbers = lookup(list(decoder.models.values()), names)
    return search_chart(chart, labels, numbers[:-1], int(numbers[-1]), decoder.word_penalty)[0], model


def found_in(decoder, words, pops, invisible=()):
    """Runs the search alone; returns its result, the grids, and the chart."""
    searched, model = chart_of(decoder, words, invisible)
    grids = make_grids(searched, model)
    wide = np.full(len(grids.places), pops, dtype=np.int32)
    return search(searched, model, grids, wide, np.zeros(len(model.vocabulary)))[0], grids, searched


def goal_costs(result, chart):
    goal = chart.ends[-1]
    return result.nodes["cost"][result.begin[goal] : result.end[goal]]


@pytest.mark.parametrize("kind", ["full", "chain"])
def test_the_best_is_found_where_everything_is_looked_at(kind, monkeypatch):
    monkeypatch.setattr(search, "__defaults__", (1e6,))  # the beam: only `pops` ends a place
    nested = 0
    for seed in SEEDS:
        decoder, texts, words = pruned_decoder(seed, EVERYTHING, kind)
        table = expected(decoder, texts, words)
        if not table:
            continue
        nested += decoder.grammar.nests
        least = min(table.values())
        actual, _, chart = found_in(decoder, words, 20_000)
        assert goal_costs(actual, chart)[0] == pytest.approx(least, **CLOSE), seed
        assert decoder.translate(words).best.cost == pytest.approx(least, **CLOSE), seed
    assert nested > 20


@pytest.mark.parametrize("pops", [1, 2, 5])
def test_a_narrow_search_costs_what_its_translations_cost(pops):
    worse = 0
    for seed in SEEDS:
        decoder, texts, words = pruned_decoder(seed, CubePruning(pops=pops))
        table = expected(decoder, texts, words)
        if not table or not decoder.grammar.nests:
            continue
        actual, _, chart = found_in(decoder, words, pops)
        cost = goal_costs(actual, chart)[0]
        result = decoder.translate(words)
        assert_features_explain_costs(decoder, result, [result.best])
        assert table[result.best.tokens] <= result.best.cost + 1e-5, seed  # another derivation may be cheaper
        assert result.best.cost <= cost + 1e-5, seed  # that of the search is among those that are kept
        worse += cost > min(table.values()) + 1e-3
    assert pops > 1 or worse > 3


def test_lattices_have_derivations_and_features():
    for seed in SEEDS[:25]:
        decoder, _, words = pruned_decoder(seed, CubePruning(pops=30), beam=2.0)
        result = decoder.translate(words)
        paths = result.nbest(5)
        assert_features_explain_costs(decoder, result, paths)
        assert_derivations_spell(decoder, result, paths)


def test_everything_within_the_beam_is_kept_and_the_lattice_fits():
    shrunk = 0
    for seed in SEEDS[:30]:
        wide, texts, words = pruned_decoder(seed, EVERYTHING, beam=3.0)
        if not wide.grammar.nests or not (table := expected(wide, texts, words)):
            continue
        least = min(table.values())
        actual = best_by_string(wide.translate(words).lattice)
        assert {string for string, cost in table.items() if cost < least + 3.0 - 1e-4} <= set(actual), seed
        whole = wide.rules(words).lattice.num_arcs
        small = replace(wide, settings=replace(wide.settings, cubes=replace(EVERYTHING, max_arcs=max(1, whole // 2))))
        kept = small.rules(words).lattice
        assert kept.num_arcs <= max(whole // 2, len(small.translate(words).best.arcs) + 2), seed
        shrunk += kept.num_arcs < whole
        assert small.translate(words).best.cost == pytest.approx(least, **CLOSE), seed
    assert shrunk > 5


def test_gaps_of_grids_are_those_of_the_best_derivations_with_them():
    """The best derivation's grids have none; without those of a larger gap, the best one stays as it is."""
    for seed in SEEDS[:25]:
        decoder, _, words = pruned_decoder(seed, EVERYTHING)
        searched, grids, chart = found_in(decoder, words, 50)
        goal = int(chart.ends[-1])
        if searched.begin[chart.ends[-1]] == searched.end[chart.ends[-1]]:
            continue
        excess = found_excess(searched, len(grids.arcs), goal)
        edges, costs = searched.edges[: searched.used[EDGES]], searched.costs[: searched.used[EDGES]]
        assert excess.min() == pytest.approx(0.0, abs=1e-9)
        kept = excess[edges["arc"]] <= 1e-9
        inside = np.full(searched.used[0], np.inf)
        inside[0] = 0.0
        for edge, cost in zip(edges[kept], costs[kept], strict=True):
            tails = [inside[tail] for tail in (edge["tail"], edge["second"]) if tail >= 0]
            inside[edge["head"]] = min(inside[edge["head"]], cost + sum(tails))
        best = searched.begin[goal]
        assert inside[best] == pytest.approx(searched.nodes["cost"][best]), seed


def test_the_wide_pass_looks_closely_where_good_derivations_are():
    """All of the hypotheses in places of the best derivation, ever fewer in others, and some everywhere."""
    differ = 0
    for seed in SEEDS[:25]:
        decoder, _, words = pruned_decoder(seed, EVERYTHING)
        searched, grids, chart = found_in(decoder, words, 50)
        goal = int(chart.ends[-1])
        if searched.begin[goal] == searched.end[goal]:
            continue
        excess = excess_of_grids(searched, grids, goal)
        pops = wide_pops(grids, excess, 1000)
        least = [excess[begin:end].min(initial=np.inf) for begin, end in pairwise(grids.offsets.tolist())]
        order = np.argsort(least, kind="stable")
        assert (np.diff(pops[order]) <= 0).all(), seed
        assert pops.max() == 1000, seed
        assert pops.min() >= 10, seed
        assert (pops[np.array(least) <= 0] == 1000).all(), seed
        differ += len(set(pops.tolist())) > 2
    assert differ > 5


def test_the_wide_pass_has_the_rest_costs_of_the_narrow_one(monkeypatch):
    entries = []

    def watched(chart, model, grids, pops, rests):
        entries.append((int(pops.max()), rests, float(grids.costs[np.isfinite(grids.costs)].sum())))
        return search(chart, model, grids, pops, rests)

    monkeypatch.setattr("lattice_simp.translate.search.cubes.passes.search", watched)
    decoder = tiny_decoder(["[X] ||| [X,1] b ||| [X,1] B", "[X] ||| a ||| A", "[X] ||| c ||| v"])
    search_twice(*chart_of(decoder, ["a", "b", "c"]), 200)
    (narrow, none, plain), (wide, learnt, charged) = entries
    assert (narrow, wide) == (NARROW_SHARE * 200, 200)
    assert not none.any()
    assert learnt.any()
    assert charged != plain


def test_two_passes_find_what_one_finds_where_much_is_looked_at():
    """And what a narrow pass alone would miss."""
    pops = 10 * round(LEAST_NARROW / NARROW_SHARE)
    missed = 0
    for seed in SEEDS:
        decoder, _, words = pruned_decoder(seed, EVERYTHING)
        if not decoder.grammar.nests:
            continue
        searched, _, chart = found_in(decoder, words, pops)
        goal = int(chart.ends[-1])
        both, _ = search_twice(*chart_of(decoder, words), pops)
        assert (both.begin[goal] == both.end[goal]) == (searched.begin[goal] == searched.end[goal]), seed
        if searched.begin[goal] == searched.end[goal]:
            continue
        assert goal_costs(both, chart)[0] == pytest.approx(goal_costs(searched, chart)[0], **CLOSE), seed
        narrow, _, _ = found_in(decoder, words, 2)
        missed += goal_costs(narrow, chart)[0] > goal_costs(searched, chart)[0] + 1e-3
    assert missed > 3


def read_words(model, borders, numbers, left, right, words):
    """Reads words one by one; returns the border after them, and what they cost."""
    cost = 0.0
    for word in words:
        left, right, paid = after_word(model, borders, left, right, numbers[word])
        cost += paid
    return left, right, cost


def test_words_meet_a_border_as_the_model_says():
    """Of two strings that meet, what both were charged and the meeting cost together what the whole string costs."""
    for seed in range(40):
        rng = np.random.default_rng([seed, 5])
        order = int(rng.integers(1, 6))
        text = random_arpa(rng, TARGET, order, density=0.5)
        model, known = lookup([(LanguageModel.from_bytes(text.encode()), 1.0)], TARGET)
        borders, plain = new_borders(model, rng.normal(size=len(model.vocabulary))), PlainModel(text)

        read = partial(read_words, model, borders, dict(zip(TARGET, known[:-1].tolist(), strict=True)))
        empty = (EMPTY, NONE if order > 1 else model.root)
        state, before = start_state(model)
        for first, second in product((1, 2, 5), repeat=2):
            entry, value = (rng.choice(TARGET, count).tolist() for count in (first, second))
            left, right, cost = read(WHOLE, state, entry)
            own_left, own_right, own_cost = read(*empty, value)
            left, right, paid = after_string(model, borders, left, right, (own_left, own_right))
            total = before + cost + own_cost + paid + after_word(model, borders, left, right, int(known[-1]))[2]
            assert total == pytest.approx(plain.cost((*entry, *value)), **CLOSE), (seed, entry, value)


def test_prefixes_are_found_again():
    text = random_arpa(np.random.default_rng(0), TARGET, 3)
    model, _ = lookup([(LanguageModel.from_bytes(text.encode()), 1.0)], TARGET)
    borders = new_borders(model, np.zeros(len(model.vocabulary)))
    first = longer_prefix(model, borders, EMPTY, 3)
    assert longer_prefix(model, borders, EMPTY, 3) == first != longer_prefix(model, borders, EMPTY, 4)
    row = borders.prefixes.rows[longer_prefix(model, borders, first, 4)]
    assert (row["parent"], row["word"], row["length"], row["closed"]) == (first, 4, 2, True)


def hypotheses(result, borders, place):
    """Returns the costs of a place's hypotheses by the words of their prefix and their state."""
    costs, rows = {}, borders.prefixes.rows
    for node in result.nodes[result.begin[place] : result.end[place]]:
        words, prefix = [], int(node["left"])
        while prefix not in (EMPTY, WHOLE):
            words.append(int(rows[prefix]["word"]))
            prefix = int(rows[prefix]["parent"])
        costs[prefix, tuple(reversed(words)), int(node["right"])] = float(node["cost"])
    return costs


def test_rest_costs_are_charged_until_a_string_meets_the_words_before_it():
    """They change no cost of the whole sentence."""
    in_cells = translated = 0
    for seed in SEEDS[:30]:
        decoder, _, words = pruned_decoder(seed, EVERYTHING)
        chart, model = chart_of(decoder, words)
        grids = make_grids(chart, model)
        wide = np.full(len(grids.places), 20_000, dtype=np.int32)
        rests = np.random.default_rng(seed).normal(size=len(model.vocabulary))
        actual, borders = search(chart, model, with_rests(grids, chart, rests), wide, rests)
        plain, plain_borders = search(chart, model, grids, wide, np.zeros(len(model.vocabulary)))
        for place in grids.places.tolist():
            ranked, expected = hypotheses(actual, borders, place), hypotheses(plain, plain_borders, place)
            limit = min(expected.values(), default=0.0) + BEAM / 2  # beyond it, other hypotheses may be left out
            for (prefix, begin, right), cost in expected.items():
                rest = rests[begin[0]] if begin else 0.0
                if cost < limit:
                    assert ranked[prefix, begin, right] == pytest.approx(cost + rest, abs=1e-9), seed
                    in_cells += rest != 0.0
        translated += len(goal_costs(plain, chart)) > 0
    assert in_cells > 100
    assert translated > 10


def test_grids_cost_what_their_own_words_tell():
    """Words behind a reference, and at the beginning, are charged as if nothing were before them."""
    compared = 0
    for seed in SEEDS[:20]:
        decoder, _, words = pruned_decoder(seed, EVERYTHING)
        chart, model = chart_of(decoder, words)
        grids = make_grids(chart, model)
        for grid, (begin, end) in enumerate(pairwise(grids.path_offsets.tolist())):
            arcs = grids.paths[begin:end]
            if chart.targets[arcs[-1]] not in chart.ends[:-1]:
                continue  # at the top
            cost, state = float(chart.costs[arcs].sum()), model.root
            for symbol in chart.symbols[arcs].tolist():
                if symbol >= 0:
                    state, paid = advance(model, state, model.vocabulary[symbol])
                    cost += paid
                elif symbol != NO_WORD:
                    state = model.root
            assert grids.costs[grid] == pytest.approx(cost), (seed, grid)
            compared += len(arcs) > 2
    assert compared > 10


def test_grids_get_the_rest_costs_of_the_words_that_they_begin_with():
    """Those that begin with a reference have its rest cost in its hypotheses; the sentence's end is not in a string."""
    decoder = tiny_decoder(["[X] ||| a ||| A B", "[X] ||| [X,1] b ||| [X,1] B", "[X] ||| b [X,1] ||| u [X,1]"])
    chart, model = chart_of(decoder, ["a", "b", "a", "b"])
    grids = make_grids(chart, model)
    rests = np.arange(1.0, len(model.vocabulary) + 1.0)
    added = with_rests(grids, chart, rests).costs - grids.costs
    first = [int(chart.symbols[grids.paths[begin]]) for begin in grids.path_offsets[:-1]]
    words = [0.0 if symbol < 0 or model.vocabulary[symbol] == model.end else rests[symbol] for symbol in first]
    assert added.tolist() == pytest.approx(words)
    assert len(set(words)) > 2  # A, u, none


def test_rest_costs_are_what_meeting_the_words_before_cost():
    """Of the strings in the good derivations, these by their gaps; of a word that begins none, the mean."""
    nested = ["[X] ||| [X,1] b ||| [X,1] B", "[X] ||| [X,1] b ||| [X,1] u"]
    decoder = tiny_decoder(["[X] ||| a ||| A", *nested, "[X] ||| c ||| v"])
    decoder = decoder.with_weights({**decoder.weights, "OOV": 100.0})  # no copies
    plain = PlainModel(TINY_ARPA)
    chart, model = chart_of(decoder, ["a", "b", "c"])
    grids = make_grids(chart, model)
    searched, borders = search(
        chart, model, grids, np.full(len(grids.places), 100, dtype=np.int32), np.zeros(len(model.vocabulary))
    )
    rests = learnt_rests(chart, model, grids, borders, searched, int(chart.ends[-1]))

    totals, weights = {}, {}
    costs = {middle: plain.cost(("A", middle, "v")) for middle in ("B", "u")}
    for middle, cost in costs.items():
        weight = np.exp(min(costs.values()) - cost)
        for before, word in (("<s>", "A"), (middle, "v")):
            extended = any(len(gram) == 2 and gram[0] == before for gram in plain.grams)  # else it is not a state
            wrong = -np.log(10) * (plain.log10((before,), word) - plain.log10((), word)) * extended
            totals[word] = totals.get(word, 0.0) + weight * wrong
            weights[word] = weights.get(word, 0.0) + weight
    mean = sum(totals.values()) / sum(weights.values())
    known = decoder.language_models["LM"].word_ids(["A", "B", "u", "v"])
    for word, number in zip(["A", "B", "u", "v"], np.searchsorted(model.vocabulary, known).tolist(), strict=True):
        response, weight = totals.get(word, 0.0), weights.get(word, 0.0)
        assert rests[number] == pytest.approx((response + mean) / (weight + 1.0), rel=1e-5), word
    assert rests[np.searchsorted(model.vocabulary, model.end)] == pytest.approx(mean, rel=1e-5)


def test_word_lattices_are_searched_too(monkeypatch):
    monkeypatch.setattr(search, "__defaults__", (1e6,))  # the beam: only `pops` ends a place
    for seed in SEEDS[:20]:
        decoder, texts, _ = pruned_decoder(seed, EVERYTHING)
        decoder = decoder.with_settings({"max_span": 10})
        lattice = random_input(seed)
        if not any(best_by_string(lattice)):
            continue
        strings = expected_translations(decoder.grammar, decoder.costs, lattice, decoder.settings)
        if strings:
            best = decoder.translate(lattice).best
            assert best.cost == pytest.approx(min(with_models(decoder, texts, strings).values()), **CLOSE), seed


def test_invisible_words_are_no_context(monkeypatch):
    monkeypatch.setattr(search, "__defaults__", (1e6,))  # the beam: only `pops` ends a place
    for seed in SEEDS[:20]:
        decoder, _, words = pruned_decoder(seed, EVERYTHING)
        if not decoder.grammar.nests:
            continue
        hidden = TARGET[:1]
        searched, _, chart = found_in(decoder, words, 20_000, hidden)
        rules = decoder.parse(words).lattice().lattice
        if rules.empty:
            continue
        scored = apply_lm(rules, decoder.models, beam=0.0, word_penalty=decoder.word_penalty, ignore=hidden)
        assert goal_costs(searched, chart)[0] == pytest.approx(min(best_by_string(scored).values()), **CLOSE), seed


TINY_ARPA = random_arpa(np.random.default_rng(0), ["A", "B", "u", "v"], 2)


def tiny_decoder(lines, **cubes):
    model = LanguageModel.from_bytes(TINY_ARPA.encode())
    settings = DecoderSettings(beam=0.0, cubes=CubePruning(**cubes))
    return Decoder(make_grammar(lines), {"LM": model}, {"LM": 1.0, "Score": 1.0, "Glue": 0.0, "OOV": 1.0}, settings)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["[X] ||| [X,1] b ||| [X,1] B", "[Y] ||| a ||| A"], ["a"]),
        (["[X] ||| [X,1] b ||| [X,1] B", "[X] ||| b ||| B", "[Y] ||| a ||| A"], ["a", "b", "b"]),
        (["[X] ||| [X,1] b ||| [X,1] B", "[X] ||| b ||| B", "[Y] ||| a ||| A"], ["b", "a", "b", "b"]),
    ],
)
def test_sentences_without_a_derivation_are_reported(lines, words):
    """Positions of the sentence that nothing reaches lead nowhere."""
    with pytest.raises(EmptyLatticeError, match="no translation"):
        tiny_decoder(lines).translate(words)


def test_unary_cycles_are_refused():
    lines = ["[X] ||| [V,1] ||| [V,1]", "[V] ||| [X,1] ||| [X,1]", "[X] ||| a ||| u"]
    with pytest.raises(GrammarError, match="cycle"):
        tiny_decoder(lines).translate(["a"])


def test_target_sides_of_any_length():
    long = " ".join(np.random.default_rng(1).choice(["u", "v"], 5000).tolist())
    lines = ["[X] ||| [X,1] b ||| [X,1] B", "[X] ||| a ||| A", f"[X] ||| a ||| {long}", "[X] ||| b ||| B"]
    assert tiny_decoder(lines, pops=1).translate(["a", "b"]).best.text == "A B"
    result = {
        path.text
        for path in tiny_decoder(lines, pops=50, beam=1e6).with_settings({"beam": 1e6}).translate(["a"]).nbest(5)
    }
    assert result == {"A", long}


@pytest.mark.parametrize(
    "values", [{"pops": 0}, {"beam": -1.0}, {"max_arcs": 0}, {"beam": float("nan")}, {"beam": float("inf")}]
)
def test_limits_must_make_sense(values):
    with pytest.raises(LatticeSimpError, match=f"{next(iter(values))} is .*give a finite number from"):
        CubePruning(**values)

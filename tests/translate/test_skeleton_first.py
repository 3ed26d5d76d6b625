"""Skeleton-first decoding: rules never cross gaps, and the words outside of gaps form a skeleton hypothesis."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import best_by_string
from test_parse import translations
from tiny_decoder import (
    ARPA,
    SECOND_ARPA,
    WEIGHTS,
    assert_derivations_spell,
    assert_features_explain_costs,
    expected_hypotheses,
    expected_plain,
    model_cost,
    pairs,
    tiny_decoder,
)

from lattice_simp.formats.moses.rule_table import RuleText, parse_rules
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import COPY_RULE, GAP_RULE
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.strategies.skeleton_first import crossing_rules, gapped_side, partial_lattice

TOLERANCE = {"rel": 1e-6, "abs": 1e-5}

MASKED = (
    ("das haus gestern", "110"),
    ("gestern das haus", "011"),
    ("das alte haus", "101"),
    ("gestern das alte haus gestern", "01110"),
    ("gestern das alte haus gestern", "01010"),
    ("ich habe das alte haus gesehen", "110001"),
    ("ich habe das alte haus gesehen", "010101"),
    ("ich habe gestern gestern gesehen", "11001"),
    ("zz das yy haus", "0101"),
    ("das gestern alte haus", "1001"),
    ("das alte haus gestern", "1000"),
    ("das alte haus gestern", "0001"),
    ("das alte haus gestern", "0100"),
)
ALL = pytest.mark.parametrize(("sentence", "mask"), MASKED)


def translate(decoder, sentence, mask):
    translation = decoder.translate(sentence, mask, strategy="skeleton-first")
    assert translation.strategy == "skeleton-first"
    return translation


def spans_of(mask):
    return [(gap.start, gap.end) for gap in Skeleton.from_mask(mask, ["x"] * len(mask)).gaps]


def gap_of(use, mask):
    """Returns the gap that holds a rule use wholly; None if it holds no token of a gap.

    A rule that holds gaps wholly, and skeleton words on both sides, was made to cross or has the gap inside one of
    its own gaps; it stands for the skeleton.
    """
    for start, end in spans_of(mask):
        if start <= use.start and use.end <= end:
            return start, end
        inside = use.start < end and start < use.end
        assert not inside or (use.start <= start and end <= use.end), f"{use} crosses the border of {start}-{end}"
    return None


# ---------------------------------------------------------------- laws of every derivation


@ALL
def test_no_rule_crosses_the_border_of_a_gap(sentence, mask):
    decoder = tiny_decoder()
    translation = translate(decoder, sentence, mask)
    assert translation.reachable
    for path in translation.nbest(500):
        for use in translation.derivation(path):
            inside = gap_of(use, mask)
            if use.rule >= 0 and inside is None:
                rule = decoder.grammar.rule(use.rule)
                if all(isinstance(symbol, str) for symbol in rule.source):
                    kept = [token for token, bit in zip(sentence.split(), mask, strict=True) if bit == "1"]
                    covered = [
                        token
                        for position, token in enumerate(sentence.split())
                        if use.start <= position < use.end and mask[position] == "1"
                    ]
                    assert list(rule.source) == covered  # made to cross: its words are skeleton words, side by side
                    assert " ".join(covered) in " ".join(kept)


@ALL
def test_every_gap_stands_open_once_or_inside_one_rule_that_was_made_to_cross_it(sentence, mask):
    decoder = tiny_decoder()
    translation = translate(decoder, sentence, mask)
    for path in translation.nbest(200):
        uses = translation.derivation(path)
        opened = [(use.start, use.end) for use in uses if use.rule == GAP_RULE]
        for start, end in spans_of(mask):
            crossed = sum(use.start < start and end < use.end and is_crossing(decoder, use) for use in uses)
            assert opened.count((start, end)) + crossed == 1
        assert set(opened) <= set(spans_of(mask))


@ALL
def test_the_words_from_outside_the_gaps_are_a_skeleton_hypothesis(sentence, mask):
    decoder = tiny_decoder()
    translation = translate(decoder, sentence, mask)
    hypotheses = {tuple(sorted(words.split())) for words, _ in pairs(translation)}
    for path in translation.nbest(500):
        outside, inside = [], []
        for use in translation.derivation(path):
            if use.rule == GAP_RULE:
                continue
            part = outside if gap_of(use, mask) is None else inside
            if use.rule == COPY_RULE:
                part.append(sentence.split()[use.start])
            else:
                part += [symbol for symbol in decoder.grammar.rule(use.rule).target if isinstance(symbol, str)]
        assert tuple(sorted(outside)) in hypotheses
        assert sorted(outside + inside) == sorted(path.text.split())


@ALL
def test_the_skeleton_feature_is_the_cost_of_a_hypothesis_that_the_string_contains(sentence, mask):
    translation = translate(tiny_decoder(), sentence, mask)
    hypotheses = [(words.split(), cost) for words, cost in pairs(translation)]
    for path in translation.nbest(500):
        words = path.text.split()
        cost = -translation.features(path)["Skeleton"]
        contained = [second for key, second in hypotheses if is_subsequence(key, words)]
        assert any(cost == pytest.approx(entry, **TOLERANCE) for entry in contained)


def is_subsequence(key, words):
    rest = iter(words)
    return all(any(word == entry for entry in rest) for word in key)


@ALL
def test_features_explain_costs_and_rules_spell_strings(sentence, mask):
    decoder = tiny_decoder(weight=0.8)
    translation = translate(decoder, sentence, mask)
    nbest = translation.nbest(500)
    assert_features_explain_costs(decoder, translation, nbest)
    assert_derivations_spell(decoder, translation, nbest)


# ---------------------------------------------------------------- against brute force


def expected_skeleton_first(decoder, words, mask, hypotheses, weight):
    """Returns {string: least cost}: a partial sentence translated by brute force, then every gap, then the model.

    The gaps are words that translate to themselves, as every non-terminal; phrases that match the skeleton across
    gaps become rules of the partial sentence, with the gaps where `place_gaps` puts them.
    """
    tokens, gaps, position = [], {}, 0
    starts = dict(spans_of(mask))
    while position < len(words):
        if position in starts:
            name = f"#{len(gaps)}"
            gaps[name] = words[position : starts[position]]
            tokens.append(name)
            position = starts[position]
        else:
            tokens.append(words[position])
            position += 1
    grammar = with_gaps_and_crossing_rules(decoder.grammar, tokens, gaps)
    costs = Costs.weighted(grammar, decoder.weights)
    partial = translations(grammar, costs, tuple(tokens), decoder.settings)
    inner = {
        name: translations(decoder.grammar, decoder.costs, tuple(inner_words), decoder.settings)
        for name, inner_words in gaps.items()
    }
    known = dict(hypotheses)
    table = {}
    for string, cost in partial.items():
        skeleton = " ".join(word for word in string if word not in gaps)
        if skeleton not in known:
            continue
        for full, added in substitute(string, inner):
            total = cost + added + weight * known[skeleton]
            table[full] = min(total, table.get(full, np.inf))
    return {string: cost + model_cost(string, decoder) for string, cost in table.items()}


def substitute(string, inner):
    """Returns (string, cost) with each word of `inner` replaced by each of its strings."""
    if not string:
        yield (), 0.0
        return
    firsts = inner.get(string[0], {(string[0],): 0.0})
    for rest, rest_cost in list(substitute(string[1:], inner)):
        for first, cost in firsts.items():
            yield first + rest, cost + rest_cost


def with_gaps_and_crossing_rules(grammar, tokens, gaps):
    """Adds rules for the gaps of a partial sentence, and the phrasal rules that match it across gaps."""
    rules = [grammar.rule(number) for number in range(grammar.num_rules)]
    added = [RuleText(left, (gap,), (gap,), (), ()) for left in grammar.nonterminals for gap in gaps]
    for begin in range(len(tokens)):
        for end in range(begin + 2, len(tokens) + 1):
            part = tokens[begin:end]
            if part[0] in gaps or part[-1] in gaps or not any(token in gaps for token in part):
                continue
            kept = tuple(token for token in part if token not in gaps)
            added += [
                rule._replace(source=tuple(part), target=place_gaps(rule, part, gaps), alignment=())
                for rule in rules
                if rule.source == kept
            ]
    return Grammar.from_rules([*rules, *added])


def place_gaps(rule, part, gaps):
    """Returns a target side with the gaps, each after what the nearest aligned source word to its left stands for."""
    target = list(rule.target)
    before = {}
    seen = 0
    for token in part:
        if token not in gaps:
            seen += 1
            continue
        left = [point for point in rule.alignment if point[0] < seen]
        if left:
            nearest = max(source for source, _ in left)
            position = 1 + max(goal for source, goal in left if source == nearest)
        elif rule.alignment:
            position = 0
        else:
            position = round(len(target) * seen / len(rule.source))
        before.setdefault(position, []).append(token)
    result = []
    for position in range(len(target) + 1):
        result += before.get(position, [])
        result += target[position : position + 1]
    return tuple(result)


@pytest.mark.parametrize("count", [1, 1000])
@ALL
def test_the_lattice_is_that_of_partial_sentence_times_hypotheses_times_gaps(sentence, mask, count):
    decoder = tiny_decoder(hypotheses=count, weight=0.8)
    translation = translate(decoder, sentence, mask)
    words = sentence.split()
    hypotheses = pairs(translation)
    skeleton = Skeleton.from_mask(mask, words)
    expected_costs = [cost for _, cost in expected_hypotheses(decoder, skeleton.words, count)]
    assert [cost for _, cost in hypotheses] == pytest.approx(expected_costs, **TOLERANCE)
    expected = expected_skeleton_first(decoder, words, mask, hypotheses, 0.8)
    actual = best_by_string(translation.lattice)
    assert translation.reachable == bool(expected)
    if expected:
        # The beams before the gaps are expanded (10 nats) may drop the worst; none of the good ones, and no cost.
        best = min(expected.values())
        assert min(actual.values()) == pytest.approx(best, **TOLERANCE)
        assert {string for string, cost in expected.items() if cost <= best + 4.0} <= set(actual)
        for string, cost in actual.items():
            assert cost >= expected[string] - 1e-5
            if cost <= best + 4.0:
                assert cost == pytest.approx(expected[string], **TOLERANCE)


@ALL
def test_where_no_rule_holds_a_gap_every_string_is_a_plain_one_at_no_lower_cost(sentence, mask):
    decoder = tiny_decoder()
    translation = translate(decoder, sentence, mask)
    plain = expected_plain(decoder, sentence.split())
    for path in translation.nbest(500):
        if any(holds_gap(use, mask) for use in translation.derivation(path)):
            continue
        features = translation.features(path)
        own_cost = path.cost + decoder.settings.skeleton.weight * features["Skeleton"]
        assert own_cost >= plain[tuple(path.text.split())] - 1e-5


def holds_gap(use, mask):
    """Recognises a rule that holds a gap and more."""
    return any(
        use.start <= start and end <= use.end and (use.start, use.end) != (start, end) for start, end in spans_of(mask)
    )


def is_crossing(decoder, use):
    """Recognises a phrasal rule that spans more tokens than it has source words."""
    if use.rule < 0:
        return False
    source = decoder.grammar.rule(use.rule).source
    return all(isinstance(symbol, str) for symbol in source) and use.end - use.start > len(source)


# ---------------------------------------------------------------- where gaps go


def placed(line, tokens, gaps):
    """Returns the target side of one rule with the gaps of a partial sentence inserted, as a string."""
    grammar = Grammar.from_rules(parse_rules([line]))
    grammar.target_words.encode(gaps)
    tokens = tokens.split()
    is_gap = np.array([token in gaps.split() for token in tokens])
    symbols, _ = gapped_side(grammar, 0, tokens, range(len(tokens)), is_gap)
    return " ".join(grammar.target_words[symbol] for symbol in symbols)


@pytest.mark.parametrize(
    ("rule", "tokens", "expected"),
    [
        ("a b ||| u v ||| ||| 0-0 1-1", "a # b", "u # v"),
        ("a b ||| v u ||| ||| 0-1 1-0", "a # b", "v u #"),
        ("a b ||| u v w ||| ||| 0-0 0-1 1-2", "a # b", "u v # w"),
        ("a b ||| u v w ||| ||| 0-2 0-0 1-1", "a # b", "u v w #"),
        ("a b c ||| u v ||| ||| 0-0 2-1", "a b # c", "u # v"),  # b is not aligned: the word before it decides
        ("a b ||| u v ||| ||| 1-1", "a # b", "# u v"),  # nothing before the gap is aligned
        ("a b ||| u v ||| ||| 1-0", "a # b", "# u v"),
        ("a b c ||| u v w ||| ||| 0-0 1-1 2-2", "a # b $ c", "u # v $ w"),
        ("a b c ||| w v u ||| ||| 0-2 1-1 2-0", "a # b $ c", "w v $ u #"),
        ("a b c ||| u v ||| ||| 0-1 1-1 2-0", "a # b $ c", "u v # $"),  # at one position, in their order
        ("a b ||| u v", "a # b", "u # v"),  # no alignment: in proportion
        ("a b c d ||| u v w x", "a b c # d", "u v w # x"),
        ("a b c d ||| u v", "a b # c d", "u # v"),
        ("a b c ||| u v w", "a # b $ c", "u # v $ w"),
        ("a b ||| ", "a # b", "#"),
    ],
)
def test_the_alignment_says_where_a_gap_goes(rule, tokens, expected):
    assert placed(f"[X] ||| {rule}", tokens, "# $") == expected


def test_rules_are_made_to_cross_only_between_their_words():
    lines = ["[X] ||| a b ||| u v ||| P=-1 ||| 0-0 1-1", "[X] ||| b ||| v", "[X] ||| a [X,1] b ||| w [X,1]"]
    grammar = Grammar.from_rules(parse_rules(lines))
    costs = grammar.costs({"P": 1.0})

    def spans(tokens):
        words = tokens.split()
        is_gap = np.array([token == "#" for token in words])
        return [(item.start, item.end, item.cost) for item in crossing_rules(grammar, costs, words, is_gap, 10)]

    assert spans("a # b") == [(0, 3, 1.0)]
    assert spans("# a # b #") == [(1, 4, 1.0)]
    assert spans("# a b #") == []
    assert spans("a b") == []
    assert spans("# b #") == []
    assert spans("#") == []


def test_a_partial_lattice_holds_each_gap_as_a_word():
    decoder = tiny_decoder()
    skeleton = Skeleton.from_mask("0101", "zz das yy haus".split())
    lattice, gap_words = partial_lattice(decoder, skeleton)
    assert len(gap_words) == 2
    for string in best_by_string(lattice.lattice):
        assert [string.count(word) for word in gap_words] == [1, 1]
        assert not {"zz", "yy"} & set(string)


# ---------------------------------------------------------------- single laws


def strings(lines, sentence, mask, **settings):
    """Returns the strings of a decoder that knows no scores."""
    decoder = tiny_decoder(lines, weights={"LM": 0.1, "OOV": 0.0}, **settings)
    translation = translate(decoder, sentence, mask)
    assert translation.reachable
    return {" ".join(words) for words in best_by_string(translation.lattice)}


WORDS = ["[X] ||| a ||| u", "[X] ||| b ||| v", "[X] ||| c ||| w"]


@pytest.mark.parametrize(
    ("sentence", "mask", "expected"),
    [
        ("c a b", "011", "w u v"),
        ("a b c", "110", "u v w"),
        ("a c b", "101", "u w v"),
        ("c a c b c", "01010", "w u w v w"),
    ],
    ids=["start", "end", "middle", "several"],
)
def test_gaps_at_every_position_are_expanded_in_place(sentence, mask, expected):
    assert strings(WORDS, sentence, mask) == {expected}


def test_a_phrase_of_the_sentence_across_a_border_is_not_used():
    lines = [*WORDS, "[X] ||| a c ||| wrong", "[X] ||| c b ||| wrong", "[X] ||| a c b ||| wrong"]
    assert strings(lines, "a c b", "101") == {"u w v"}


def test_a_phrase_of_the_skeleton_is_used_across_the_gap():
    lines = [*WORDS, "[X] ||| a b ||| x y ||| ||| 0-0 1-1"]
    assert strings(lines, "a c b", "101") == {"u w v", "x w y"}


def test_phrases_inside_the_gap_are_used():
    assert strings([*WORDS, "[X] ||| c c ||| z"], "a c c b", "1001") == {"u w w v", "u z v"}


def test_a_rules_own_gap_may_hold_a_gap_of_the_sentence():
    # The skeleton's own best is "u v"; with the gap inside [V,1], the whole rule still applies.
    lines = [*WORDS, "[X] ||| a [V,1] b ||| v [V,1] u", "[V] ||| c ||| w"]
    assert "v w u" in strings([*lines, "[X] ||| a b ||| v u ||| ||| 0-1 1-0"], "a c b", "101")


def test_a_gap_longer_than_the_longest_span_is_glued():
    sentence = "a " + "c " * 14 + "b"
    mask = "1" + "0" * 14 + "1"
    assert strings(WORDS, sentence, mask) == {"u " + "w " * 14 + "v"}


def test_a_crossing_rule_may_span_a_gap_longer_than_the_longest_span():
    sentence = "a " + "c " * 14 + "b"
    mask = "1" + "0" * 14 + "1"
    lines = [*WORDS, "[X] ||| a b ||| x y ||| ||| 0-0 1-1"]
    assert "x " + "w " * 14 + "y" in strings(lines, sentence, mask)


def test_a_skeleton_of_one_word_is_enough():
    assert strings(WORDS, "a b c", "010") == {"u v w"}
    assert strings(WORDS, "a b c", "100") == {"u v w"}
    assert strings(WORDS, "a b c", "001") == {"u v w"}


def test_without_a_gap_the_skeleton_is_the_sentence():
    decoder = tiny_decoder(weight=0.5)
    sentence = "ich habe das haus gesehen"
    plain = expected_plain(decoder, sentence.split())
    result = best_by_string(translate(decoder, sentence, "11111").lattice)
    best = min(plain.values())
    assert result == pytest.approx({words: 1.5 * plain[words] for words in result}, **TOLERANCE)
    assert {words for words, cost in plain.items() if cost <= best + 4.0} <= set(result)


def test_unknown_words_pass_through_inside_and_outside_of_gaps():
    decoder = tiny_decoder(weights=WEIGHTS)
    translation = translate(decoder, "zz das yy xx haus", "11001")
    assert translation.reachable
    for path in translation.nbest(20):
        assert {"zz", "yy", "xx"} <= set(path.text.split())
        assert translation.features(path)["OOV"] == -3.0


def test_a_sentence_may_hold_what_looks_like_a_gap():
    decoder = tiny_decoder()
    translation = translate(decoder, "<gap:0> das haus", "101")
    assert translation.reachable
    assert {words.count("<gap:0>") for words in best_by_string(translation.lattice)} == {1}


def test_the_search_leaves_no_gap_word_in_the_output():
    decoder = tiny_decoder()
    for sentence, mask in MASKED:
        for words in best_by_string(translate(decoder, sentence, mask).lattice):
            assert not any(word.startswith("<gap:") for word in words)


def test_hypotheses_from_outside_take_the_place_of_our_own():
    decoder = tiny_decoder(weight=0.5)
    entries = [("the home", 3.0), ("that house", 1.0), ("not there", 0.0)]
    words = "das alte haus".split()
    translation = decoder.translate(words, "101", strategy="skeleton-first", skeleton_hypotheses=entries)
    assert translation.reachable
    assert pairs(translation) == tuple(entries)
    expected = expected_skeleton_first(decoder, words, "101", entries, 0.5)
    assert best_by_string(translation.lattice) == pytest.approx(expected, **TOLERANCE)
    elsewhere = decoder.translate(words, "101", strategy="skeleton-first", skeleton_hypotheses=[("none", 0.0)])
    assert elsewhere.reachable is False


def test_shallow_grammars_use_phrases_across_gaps():
    lines = [*(line.replace("[X]", "[V]") for line in WORDS), "[X] ||| [V,1] ||| [V,1]"]
    assert strings([*lines, "[V] ||| a b ||| x y ||| ||| 0-0 1-1"], "a c b", "101") == {"u w v", "x w y"}


def test_a_phrase_across_a_gap_may_stand_inside_another_rule():
    lines = [*WORDS, "[X] ||| d ||| z", "[X] ||| [X,1] d ||| q [X,1]", "[X] ||| a b ||| x y ||| ||| 0-0 1-1"]
    assert "q x w y" in strings(lines, "a c b d", "1011")


def test_two_language_models_see_the_whole_string():
    decoder = tiny_decoder(models=(("LM", ARPA), ("LM2", SECOND_ARPA)), weights={**WEIGHTS, "LM2": 0.9})
    translation = translate(decoder, "gestern das alte haus gestern", "01110")
    nbest = translation.nbest(50)
    assert_features_explain_costs(decoder, translation, nbest)
    for path in nbest:
        for name, model in decoder.language_models.items():
            assert translation.features(path)[name] == pytest.approx(model.score(path.text.split()), **TOLERANCE)


def test_fewer_hypotheses_are_forced_where_the_composition_would_be_too_large(monkeypatch):
    decoder, sentence, mask = tiny_decoder(), "ich habe das alte haus gestern gesehen", "1110111"
    every = decoder.translate(sentence, mask, strategy="skeleton-first")
    partial, _ = partial_lattice(decoder, Skeleton.from_mask(mask, sentence.split()))
    monkeypatch.setattr("lattice_simp.translate.strategies.skeleton_first.MAX_PAIRS", 8 * partial.lattice.num_states)
    few = decoder.translate(sentence, mask, strategy="skeleton-first")
    assert 1 <= len(pairs(few)) < len(pairs(every))
    assert pairs(few) == pairs(every)[: len(pairs(few))]
    assert few.reachable


def alternatives(word, count, step):
    """Returns rules that translate a word in so many ways, each `step` nats more costly than the one before."""
    return [f"[X] ||| {word} ||| {word}{number} ||| EF={-step * number:.6f}" for number in range(count)]


@pytest.mark.parametrize(
    ("skeleton", "gap", "count"),
    [
        ((100, 0.01), (1, 0.0), 100),
        ((2500, 0.001), (1, 0.0), 1999),  # 2000 arcs, of which one is the gap's
        ((40, 0.5), (1, 0.0), 14),  # 10 nats; a hypothesis costs half as much again as the skeleton's
        ((1, 0.0), (100, 0.01), 100),
        ((1, 0.0), (1200, 0.001), 1000),
        ((1, 0.0), (40, 0.5), 21),  # 10 nats
    ],
)
def test_as_much_of_the_skeleton_and_of_each_gap_stays_as_their_limits_allow(skeleton, gap, count):
    rules = [*alternatives("a", *skeleton), *alternatives("b", *gap)]
    decoder = tiny_decoder(rules, weights={"EF": 1.0, "LM": 0.5}, hypotheses=3000, weight=0.5)
    result = translate(decoder, "a b", "10")
    assert result.reachable
    varied = "a" if skeleton[0] > 1 else "b"
    strings = [path.tokens["ab".index(varied)] for path in result.nbest(3000)]
    assert strings == [f"{varied}{number}" for number in range(count)]


def test_a_gap_that_no_rule_translates_alone_gives_the_plain_lattice():
    """`gestern` belongs to another non-terminal than a gap may have, so it is neither translated nor passed through."""
    rules = ("[X] ||| haus ||| house", "[Y] ||| gestern ||| yesterday", "[X] ||| haus [Y,1] ||| house [Y,1]")
    decoder = tiny_decoder(rules, weights={"LM": 1.0})
    result = translate(decoder, "haus gestern", "10")
    assert result.reachable is False
    assert result.best.text == "house yesterday"
    assert result.best.cost == decoder.translate("haus gestern").best.cost

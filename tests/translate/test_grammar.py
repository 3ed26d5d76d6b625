"""Rule tables as text, and the grammar made of them."""

from __future__ import annotations

import math
import re
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.errors import FormatError, GrammarError
from lattice_simp.formats.moses.rule_table import RuleText, parse_rules
from lattice_simp.translate.derivation import COPY_RULE
from lattice_simp.translate.grammar import Grammar


def parse(*lines):
    return list(parse_rules(lines, "rules.txt"))


# ---------------------------------------------------------------- reading


def test_a_hiero_rule_is_read():
    (rule,) = parse("[X] ||| ne [X,1] pas ||| not [X,1] ||| EF=-0.3 FE=1e-2 ||| 0-0 2-0")
    assert rule == RuleText("X", ("ne", ("X",), "pas"), ("not", 0), (("EF", -0.3), ("FE", 0.01)), ((0, 0), (2, 0)))


def test_gaps_of_a_cdec_target_may_be_numbers_alone():
    (rule,) = parse("[X] ||| a [X,1] b [Y,2] ||| [2] c [1] d [3] ||| EF=-0.3")
    assert (rule.source, rule.target) == (("a", ("X",), "b", ("Y",)), (1, "c", 0, "d", "[3]"))


@pytest.mark.parametrize(
    ("line", "source", "target", "scores"),
    [
        ("[ adrian ] ||| [ adrian ] ||| 1 0.5 ||| 0-0 ||| 1 1 1", "[ adrian ]", "[ adrian ]", 2),
        ("[1] ||| [1] ||| 1 0.5", "[1]", "[1]", 2),
        ("[laughs] ||| [rires] ||| 1 0.5 ||| 0-0 ||| 1 1 1", "[laughs]", "[rires]", 2),
        ("[laughs] ||| [rires] ||| 1 0.5 ||| ||| 1 1 1", "[laughs]", "[rires]", 2),
        ("see [1] ||| voir [1] ||| 1 ||| 0-0 1-1", "see [1]", "voir [1]", 1),
        ("das ||| ||| 0.5 0.25 ||| ||| 3 2", "das", "", 2),
    ],
)
def test_brackets_of_phrase_tables_are_words(line, source, target, scores):
    (rule,) = parse(line)
    assert (rule.left, rule.source, rule.target) == ("X", tuple(source.split()), tuple(target.split()))
    assert len(rule.features) == scores


def test_words_in_brackets_are_detected_by_the_lines_before():
    assert parse("a ||| b ||| 1", "[c] ||| d ||| 0.5")[1].source == ("[c]",)
    assert parse("a ||| b ||| 1", "c [X] ||| d [X] ||| 0.5")[1].source == ("c", "[X]")
    assert parse("[X] ||| cinq ||| 5")[0].target == ("5",)


def test_a_hierarchical_moses_rule_is_read():
    rule, plain = parse(
        "[X][X] gibt [X][X] [X] ||| it gives [X][X] [X][X] [X] ||| 0.5 1 ||| 1-1 0-3 2-2 ||| 3 2 2",
        "das haus [X] ||| the house [X] ||| 1 1 ||| 0-0 1-1 |||",
    )
    assert rule.left == "X"
    assert (rule.source, rule.target) == ((("X",), "gibt", ("X",)), ("it", "gives", 1, 0))
    assert rule.alignment == ((1, 1),)
    assert dict(rule.features) == pytest.approx({"Phrase1": math.log(0.5), "Phrase2": 0.0})
    assert (plain.source, plain.target, plain.alignment) == (("das", "haus"), ("the", "house"), ((0, 0), (1, 1)))


def test_labels_of_either_side_name_a_hierarchical_rule():
    rules = parse("a [X][NP] [X] ||| [X][NP] b [VP] ||| 1 ||| 1-0", "a [NP][X] [VP] ||| [NP][X] b [X] ||| 1 ||| 1-0")
    assert [(rule.left, rule.source, rule.target) for rule in rules] == [("VP", ("a", ("NP",)), (0, "b"))] * 2
    (both,) = parse("a [NP][NN] [VP] ||| [NP][NN] b [VP] ||| 1 ||| 1-0")
    assert (both.left, both.source) == ("VP", ("a", ("NP:NN",)))


def test_a_moses_phrase_is_read():
    (rule,) = parse("das haus ||| the house ||| 0.5 1 0 ||| 0-0 1-1 ||| 10 8 6")
    assert (rule.left, rule.source, rule.target) == ("X", ("das", "haus"), ("the", "house"))
    assert rule.alignment == ((0, 0), (1, 1))
    assert dict(rule.features) == pytest.approx({"Phrase1": math.log(0.5), "Phrase2": 0.0, "Phrase3": math.log(1e-40)})


def test_moses_phrases_may_get_another_left_hand_side():
    (rule,) = parse_rules(["a ||| b ||| 1"], default_left="V")
    assert rule.left == "V"


def test_source_gaps_are_numbered_from_left_to_right():
    (rule,) = parse("[X] ||| [A,2] a [B,1] ||| [B,1] b [A,2]")
    assert rule.source == (("A",), "a", ("B",))
    assert rule.target == (1, "b", 0)


def test_fields_may_end_early_and_blank_lines_are_skipped():
    rules = parse("", "[X] ||| a ||| b", "   ", "[X] ||| a ||| b ||| P=1", "a ||| b ||| 1")
    assert [len(rule.features) for rule in rules] == [0, 1, 1]


def test_scores_without_names_are_numbered():
    (rule,) = parse("[X] ||| a ||| b ||| 0.5 Q=2 -1")
    assert rule.features == (("Feature0", 0.5), ("Q", 2.0), ("Feature2", -1.0))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[X]", "3 to 5 fields"),
        ("[X] ||| a", "3 to 5 fields"),
        ("[X] ||| ||| b", "empty source"),
        ("[X] ||| a [X,1] ||| b", "same non-terminals"),
        ("[X] ||| a [X,1] ||| [X,1] [X,1]", "same non-terminals"),
        ("[X] ||| a ||| b [X,1]", "not on the source side"),
        ("[X] ||| [X,1] [X,1] ||| [X,1]", "twice on the source side"),
        ("[X] ||| [X,1] [X,2] [X,3] ||| [X,1] [X,2] [X,3]", "at most 2 non-terminals"),
        ("[X] ||| a ||| b ||| P=x", "'x' is not a number"),
        ("[X] ||| a ||| b ||| P=", "'' is not a number"),
        ("[X] ||| a ||| b ||| x", "'x' is not a number"),
        ("[X] ||| a ||| b ||| P=nan", "not finite"),
        ("[X] ||| a ||| b ||| P=-inf", "not finite"),
        ("[X] ||| a ||| b ||| P=1 Q=2 P=3", "the feature P occurs twice"),
        ("[X] ||| a ||| b ||| 1 Feature0=2", "the feature Feature0 occurs twice"),
        ("[X] ||| a ||| b ||| P=1 ||| 0", "not an alignment point"),
        ("[X] ||| a ||| b ||| P=1 ||| 0-", "not an alignment point"),
        ("[X] ||| a ||| b ||| P=1 ||| -1-0", "not an alignment point"),
        ("[X] ||| a ||| b ||| P=1 ||| 0-0-0", "not an alignment point"),
        ("a", "3 or more fields"),
        ("a ||| b", "3 or more fields"),
        ("||| b ||| 1", "empty source"),
        ("a [X][X] [X] ||| b [X] ||| 1", "does not link"),
        ("[X][X] a [X][X] [X] ||| [X][X] [X][X] b [X] ||| 1 ||| 0-0", "does not link"),
        ("[X][X] a [X][X] [X] ||| [X][X] [X][X] b [X] ||| 1 ||| 0-0 2-0", "does not link"),
        ("[X][X] [X][X] [X][X] [X] ||| [X][X] [X][X] [X][X] [X] ||| 1 ||| 0-0 1-1 2-2", "at most 2 non-terminals"),
        ("a [X][NP] [X] ||| b [X][VP] [X] ||| 1 ||| 0-0 1-1", "other names"),
        ("a [X][X] ||| b [X][X] [X] ||| 1 ||| 0-0 1-1", "without its left-hand side"),
        ("a ||| b ||| x", "not a number"),
        ("a ||| b ||| inf", "not finite"),
        ("a ||| b ||| 1 ||| x", "not an alignment point"),
    ],
)
def test_a_bad_line_is_named(line, message):
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        parse("[X] ||| a ||| b", "", line, "[X] ||| a ||| b")
    assert (caught.value.path, caught.value.line) == ("rules.txt", 3)


@given(st.text(st.sampled_from("|[]X,12 ab=-.0\t"), max_size=60))
def test_any_line_is_a_rule_or_a_format_error(line):
    with suppress(FormatError):
        assert len(parse(line)) <= 1


# ---------------------------------------------------------------- writing

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=5).filter(
    lambda word: (
        "|||" not in word and word != "|" and not re.fullmatch(r"\[([^\[\],]+,)?[1-9]\]", word) and word.split()
    )
)
NAMES = st.text(st.sampled_from("ABXVñ_-12"), min_size=1, max_size=4)
SCORES = st.floats(-1e100, 1e100)


@st.composite
def rule_texts(draw):
    source = draw(st.lists(WORDS, max_size=4))
    gaps = draw(st.lists(NAMES, min_size=0 if source else 1, max_size=2))
    target = draw(st.lists(WORDS, min_size=0 if gaps else 1, max_size=4))
    positions = sorted(
        draw(st.lists(st.integers(0, len(source)), min_size=len(gaps), max_size=len(gaps))), reverse=True
    )
    symbols = list(source)
    for position, name in zip(positions, reversed(gaps), strict=True):
        symbols.insert(position, (name,))
    for number in draw(st.permutations(range(len(gaps)))):
        target.insert(draw(st.integers(0, len(target))), number)
    features = draw(st.lists(st.tuples(NAMES, SCORES), max_size=3, unique_by=lambda value: value[0]))
    points = st.tuples(st.integers(0, len(symbols) - 1), st.integers(0, max(len(target) - 1, 0)))
    alignment = draw(st.lists(points, max_size=3)) if target else []
    return RuleText(draw(NAMES), tuple(symbols), tuple(target), tuple(features), tuple(alignment))


def is_number(text):
    with suppress(ValueError):
        return math.isfinite(float(text))
    return False


def format_rule(rule):
    """Returns a rule as a Hiero line."""
    gap_names = [symbol[0] for symbol in rule.source if isinstance(symbol, tuple)]
    numbers = iter(range(1, len(gap_names) + 1))
    source = (symbol if isinstance(symbol, str) else f"[{symbol[0]},{next(numbers)}]" for symbol in rule.source)
    target = (symbol if isinstance(symbol, str) else f"[{gap_names[symbol]},{symbol + 1}]" for symbol in rule.target)
    fields = [f"[{rule.left}]", " ".join(source), " ".join(target)]
    like_scores = fields[2] != "" and all(map(is_number, fields[2].split()))  # both further fields tell it apart
    if rule.features or rule.alignment or like_scores:
        fields.append(" ".join(f"{name}={value!r}" for name, value in rule.features))
    if rule.alignment or like_scores:
        fields.append(" ".join(f"{source}-{target}" for source, target in rule.alignment))
    return " ||| ".join(fields)


@given(rule_texts())
def test_a_written_rule_reads_as_itself(rule):
    assert parse(format_rule(rule)) == [rule]


# ---------------------------------------------------------------- the grammar

LINES = (
    "[X] ||| a [V,1] ||| u [V,1] ||| P=1 ||| 0-0",
    "[V] ||| b ||| v ||| Q=-2",
    "[X] ||| a [V,1] ||| [V,1] w ||| P=0.5 Q=0.25",
    "[X] ||| [V,1] c [V,2] ||| [V,2] [V,1] ||| ||| 1-0 1-1",
    "[V] ||| b ||| v ||| Q=-2",
    "[X] ||| b ||| v",
)


def test_every_rule_is_kept_with_its_scores():
    grammar = Grammar.from_rules(parse(*LINES))
    assert grammar.num_rules == len(LINES)
    assert grammar.num_patterns == 4
    assert set(grammar.feature_names) == {"P", "Q"}

    def without_zeros(rule):
        return rule._replace(features=tuple(sorted(feature for feature in rule.features if feature[1])))

    kept = sorted((without_zeros(grammar.rule(number)) for number in range(grammar.num_rules)), key=repr)
    assert kept == sorted((without_zeros(rule) for rule in parse(*LINES)), key=repr)


@given(st.lists(rule_texts().filter(lambda rule: rule.left != "S"), max_size=8))
def test_any_rules_make_a_grammar_that_holds_them(rules):
    grammar = Grammar.from_rules(rules)
    assert grammar.num_rules == len(rules)
    results = [grammar.rule(number)._replace(features=()) for number in range(len(rules))]
    assert sorted(map(repr, results)) == sorted(repr(rule._replace(features=())) for rule in rules)
    assert (np.diff(grammar.trie_keys) > 0).all()


def test_costs_are_minus_the_weighted_scores():
    grammar = Grammar.from_rules(parse(*LINES))
    costs = grammar.costs({"P": 2.0, "Q": 1.0, "unused": 9.0})
    for number, cost in enumerate(costs):
        scores = dict(grammar.rule(number).features)
        assert cost == pytest.approx(-2 * scores["P"] - scores["Q"])


def test_copied_tokens_have_no_rule():
    with pytest.raises(GrammarError, match="-1 is not the number of a rule; copied tokens have none"):
        Grammar.from_rules(parse(*LINES)).rule(COPY_RULE)


def test_a_feature_without_a_weight_is_named():
    with pytest.raises(GrammarError, match="Q"):
        Grammar.from_rules(parse(*LINES)).costs({"P": 1.0})


def test_rules_without_scores_cost_nothing():
    assert Grammar.from_rules(parse("[X] ||| a ||| b")).costs({}).tolist() == [0.0]


def test_a_grammar_may_be_empty():
    grammar = Grammar.from_rules([])
    assert (grammar.num_rules, grammar.num_patterns) == (0, 0)
    assert grammar.costs({}).tolist() == []


def test_the_glue_symbol_has_no_rules():
    with pytest.raises(GrammarError, match=r"\[S\]"):
        Grammar.from_rules(parse("[S] ||| [X,1] ||| [X,1]"))


def test_the_order_of_the_rules_does_not_matter():
    def texts(lines):
        grammar = Grammar.from_rules(parse(*lines))
        return sorted(
            (rule.left, repr(rule.source), repr(rule.target), sorted(rule.features))
            for rule in map(grammar.rule, range(grammar.num_rules))
        )

    assert texts(LINES) == texts(LINES[::-1])


def test_scores_of_rules_end_at_the_largest_cost():
    with pytest.raises(FormatError, match=r"rules.txt:1: the score '1e200' is not finite, beyond 1e100"):
        list(parse_rules(["[X] ||| a ||| b ||| LM=1e200"], "rules.txt"))

"""The grammar that the stages make: features against their definition, and what the decoder does with it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from lattice_simp import LanguageModel
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.train.config import MAX_PROVENANCE
from lattice_simp.train.rules.extract import Limits
from lattice_simp.train.rules.table import FEATURES, FILE, LEAST_PROBABILITY
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.settings import DecoderSettings

LIMITS = Limits(6, 4, 2)
CORPORA = ("From-news", "From-talks", "From-web")
PENALTIES = ("RulePenalty", "Hierarchical", "CountOne", "CountTwo", "CountMore")


@pytest.fixture
def trained(training, few_buckets):
    """Returns a function that runs all stages and reads the grammar."""

    def run(pairs, **rules):
        done = training(pairs, **{"max_span": 6, "max_symbols": 4, "max_targets": 10**6} | rules)
        done.run("lexical", "extract", "count", "targets", "rules")
        return Grammar.read(done.folders["rules"] / FILE), done

    return run


def features_by_rule(grammar):
    """Returns {(left, source, target, alignment): {name: score}}."""
    rules = [grammar.rule(number) for number in range(grammar.num_rules)]
    values = {(rule.left, rule.source, rule.target, rule.alignment): dict(rule.features) for rule in rules}
    assert len(values) == len(rules)
    return values


def text_of(rule, shallow):
    """Returns a rule as the key of `features_by_rule`."""
    gap = "V" if shallow else "X"
    left = "V" if shallow and min(rule.source) >= 0 else "X"
    source = tuple(f"s{symbol}" if symbol >= 0 else (gap,) for symbol in rule.source)
    target = tuple(f"t{symbol}" if symbol >= 0 else -1 - symbol for symbol in rule.target)
    return left, source, target, rule.points


def brute_features(pairs, brute_rules, brute_tables, brute_weight, *, shallow, provenance):
    """Returns `features_by_rule` from the definitions; nothing is pruned."""
    points, corpora = defaultdict(Counter), defaultdict(set)
    for pair in pairs:
        for rule, number in brute_rules(pair, LIMITS).items():
            points[rule.source, rule.target][rule] += number
            corpora[rule.source, rule.target].add(pair.corpus)
    sources, targets = Counter(), Counter()
    for (source, target), rules in points.items():
        sources[source] += rules.total()
        targets[target] += rules.total()
    tables, values = brute_tables(pairs), {}
    for (source, target), rules in points.items():
        count = rules.total()
        rule = min(rules, key=lambda rule: (-rules[rule], bytes(np.array(rule.points, dtype=np.uint8))))
        values[text_of(rule, shallow)] = {
            "TargetGivenSource": math.log(count / sources[source]),
            "SourceGivenTarget": math.log(count / targets[target]),
            "LexicalTargetGivenSource": brute_weight(rule, tables, True, LEAST_PROBABILITY),
            "LexicalSourceGivenTarget": brute_weight(rule, tables, False, LEAST_PROBABILITY),
            "RulePenalty": -1.0,
            "Hierarchical": -float(min(source) < 0),
            "CountOne": -float(count == 1),
            "CountTwo": -float(count == 2),
            "CountMore": -float(count > 2),
        }
        if provenance:
            result = corpora[source, target]
            values[text_of(rule, shallow)] |= {name: float(number in result) for number, name in enumerate(CORPORA)}
    if shallow:
        names = next(iter(values.values()))
        values["X", (("V",),), (0,), ()] = dict.fromkeys(names, 0.0)
    return values


# ---------------------------------------------------------------- the features


@pytest.mark.parametrize("provenance", [False, True])
@pytest.mark.parametrize("layout", ["shallow-1", "full"])
def test_features_are_those_of_the_definition(
    layout, provenance, trained, random_pairs, brute_rules, brute_tables, brute_weight
):
    pairs = random_pairs(12, 60, words=3)
    grammar, done = trained(pairs, grammar=layout, provenance=provenance)
    assert grammar.feature_names == (*FEATURES, *(CORPORA if provenance else ()))
    assert grammar.nonterminals == (("X", "V") if layout == "shallow-1" else ("X",))
    actual = features_by_rule(grammar)
    shallow = layout == "shallow-1"
    expected = brute_features(pairs, brute_rules, brute_tables, brute_weight, shallow=shallow, provenance=provenance)
    assert actual.keys() == expected.keys()
    for rule, features in expected.items():
        assert actual[rule] == pytest.approx(features, rel=1e-12, abs=1e-12)
        exact = [name for name in features if name in PENALTIES + CORPORA]
        assert [actual[rule][name] for name in exact] == [features[name] for name in exact]
    assert not np.signbit(grammar.features[grammar.features == 0]).any()
    assert done.counted["rules"] == {"rules": len(expected), "patterns": len({rule[:2] for rule in expected})}
    assert grammar.nests == (not shallow)


def test_probabilities_sum_to_one(trained, random_pairs):
    grammar, _ = trained(random_pairs(13, 60, words=3), grammar="full")
    sources, targets = Counter(), Counter()
    for (_, source, target, _), features in features_by_rule(grammar).items():
        sources[source] += math.exp(features["TargetGivenSource"])
        targets[target] += math.exp(features["SourceGivenTarget"])
    for totals in (sources, targets):
        assert list(totals.values()) == pytest.approx([1.0] * len(totals))
    assert len(sources) > 100


def test_pruning_leaves_the_other_features_alone(trained, random_pairs, tmp_path, training):
    pairs = random_pairs(14, 60, words=3)
    whole, _ = trained(pairs)
    done = training.func(tmp_path / "pruned", pairs, max_span=6, max_symbols=4, max_targets=2, min_count_hierarchical=2)
    done.run("lexical", "extract", "count", "targets", "rules")
    everything, pruned = features_by_rule(whole), features_by_rule(Grammar.read(done.folders["rules"] / FILE))
    assert pruned.items() <= everything.items()
    assert max(Counter(source for _, source, *_ in pruned).values()) == 2
    assert all(not features["CountOne"] for features in pruned.values() if features["Hierarchical"])
    assert 2 < len(pruned) < len(everything)


def test_rules_of_one_word_are_a_grammar(trained):
    grammar, _ = trained([([0], [0], [(0, 0)])])
    result = features_by_rule(grammar)
    assert set(result) == {("V", ("s0",), ("t0",), ((0, 0),)), ("X", (("V",),), (0,), ())}
    assert result["V", ("s0",), ("t0",), ((0, 0),)]["CountOne"] == -1


def test_word_tables_hold_the_words_of_rules_alone(trained):
    pairs = [([0, 5], [3, 1], [(1, 0)]), ([2], [4], [])]
    grammar, _ = trained(pairs, grammar="full")
    assert list(grammar.source_words)[1:] == ["s5"]
    assert list(grammar.target_words)[1:] == ["t3"]


@pytest.mark.usefixtures("few_buckets")
def test_the_word_epsilon_is_no_other_word(training):
    pairs = [([word], [word], [(0, 0)]) for word in range(3)]
    done = training(pairs, grammar="full")
    for side in ("source", "target"):
        words = done.folders["number"] / f"words.{side}.txt"
        words.write_text("a\n<epsilon>\nc\n", encoding="utf-8")
    done.run("lexical", "extract", "count", "targets", "rules")
    result = features_by_rule(Grammar.read(done.folders["rules"] / FILE))
    assert {(source, target) for _, source, target, _ in result} == {
        ((word,), (word,)) for word in ("a", "<epsilon>", "c")
    }


def test_no_rules_are_an_error(trained):
    with pytest.raises(LatticeSimpError, match="no rules were found"):
        trained([([0], [0], [])])


@pytest.mark.usefixtures("few_buckets")
def test_as_many_corpora_as_bits_can_be_distinguished(training):
    done = training([([0], [0], [(0, 0)], MAX_PROVENANCE - 1), ([0], [0], [(0, 0)], 40)], provenance=True)
    corpora = [done.config.corpora[0].model_copy(update={"name": f"c{number}"}) for number in range(MAX_PROVENANCE)]
    done.config = done.config.model_copy(update={"corpora": tuple(corpora)})
    done.run("lexical", "extract", "count", "targets", "rules")
    grammar = Grammar.read(done.folders["rules"] / FILE)
    features = features_by_rule(grammar)["V", ("s0",), ("t0",), ((0, 0),)]
    assert [name for name in features if name.startswith("From") and features[name]] == [
        "From-c40",
        f"From-c{MAX_PROVENANCE - 1}",
    ]


# ---------------------------------------------------------------- decoding

ARPA = """\
\\data\\
ngram 1=6
ngram 2=4

\\1-grams:
-1.5 <unk>
-99 <s> -0.3
-0.9 </s>
-0.7 t0 -0.2
-1.1 t1 -0.4
-1.3 t2 -0.1

\\2-grams:
-0.2 t0 t1
-0.5 t1 t0
-0.3 t2 </s>
-0.4 <s> t1

\\end\\
"""


@pytest.mark.parametrize("layout", ["shallow-1", "full"])
def test_the_arrays_decode_as_the_rules_of_their_texts(layout, trained, random_pairs):
    grammar, _ = trained(random_pairs(15, 25, longest=5, words=3), grammar=layout, max_targets=3)
    same = Grammar.from_rules(map(grammar.rule, range(grammar.num_rules)))
    random = np.random.default_rng(1)
    weights = dict(zip(FEATURES, random.random(len(FEATURES)).tolist(), strict=True))
    weights |= {"LM": 0.8, "WordPenalty": -0.4, "Glue": 0.3, "OOV": 3.0}
    model = LanguageModel.from_bytes(ARPA.encode())
    decoders = [Decoder(each, {"LM": model}, weights, DecoderSettings(max_span=6)) for each in (grammar, same)]
    strings = set()
    for _ in range(25):
        sentence = [f"s{word}" for word in random.integers(0, 4, size=random.integers(1, 6))]  # s3 has no rule
        first, second = (decoder.translate(sentence) for decoder in decoders)
        assert first.best.cost == pytest.approx(second.best.cost, rel=1e-9)
        assert [path.cost for path in first.nbest(5)] == pytest.approx(
            [path.cost for path in second.nbest(5)], rel=1e-9
        )
        total = sum(score * weights[name] for name, score in first.features(first.best).items())
        assert first.best.cost == pytest.approx(-total, rel=1e-9)
        strings.add(first.best.text)
    assert len(strings) > 10


# ---------------------------------------------------------------- files


@pytest.fixture
def written(trained, random_pairs):
    """A grammar and the file that the stage wrote."""
    grammar, done = trained(random_pairs(16, 20, words=3), provenance=True)
    return grammar, done.folders["rules"] / FILE


def test_a_grammar_is_read_as_it_was_written(written, tmp_path):
    grammar, path = written
    grammar.write(tmp_path / "again.arrays")
    assert (tmp_path / "again.arrays").read_bytes() == path.read_bytes()
    again = Grammar.read(tmp_path / "again.arrays")
    assert features_by_rule(again) == features_by_rule(grammar)
    assert (again.nonterminals, again.feature_names) == (grammar.nonterminals, grammar.feature_names)
    assert not (tmp_path / ".lattice_simp").exists()


def test_an_empty_grammar_is_read_as_it_was_written(tmp_path):
    Grammar.from_rules([]).write(tmp_path / "empty.arrays")
    again = Grammar.read(tmp_path / "empty.arrays")
    assert (again.num_rules, again.num_patterns, again.nonterminals, again.feature_names) == (0, 0, (), ())


def test_a_file_that_is_cut_short_is_an_error(written, tmp_path):
    content = written[1].read_bytes()
    begin = content.index(b"\n") + 1
    for size in [*range(begin, 2000, 97), len(content) // 2, len(content) - 64, len(content) - 1]:
        (tmp_path / "cut.arrays").write_bytes(content[:size])
        with pytest.raises(FormatError, match=r"cut\.arrays"):
            Grammar.read(tmp_path / "cut.arrays")
    (tmp_path / "cut.arrays").write_bytes(content + b"\0")
    with pytest.raises(FormatError, match="cut short"):
        Grammar.read(tmp_path / "cut.arrays")


@pytest.mark.parametrize("kind", [b'","', b'"??"', b"null", b"7"])
def test_a_broken_header_is_an_error(kind, written, tmp_path):
    content = written[1].read_bytes()
    (tmp_path / "broken.arrays").write_bytes(content.replace(b'"<f8"', kind, 1))
    with pytest.raises(FormatError, match=r"broken\.arrays"):
        Grammar.read(tmp_path / "broken.arrays")

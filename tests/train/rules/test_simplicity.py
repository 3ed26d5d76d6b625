"""Features that tell how much simpler a rule's words become, against their definition rule by rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lattice_simp import LanguageModel
from lattice_simp.formats.moses.rule_table import RuleText
from lattice_simp.train.rules.simplicity import FEATURES, with_simplicity
from lattice_simp.translate.grammar import Grammar

LOG10 = {
    "<unk>": -5.0,
    "a": -1.0,
    "of": -1.5,
    "big": -2.0,
    "large": -3.0,
    "houses": -3.5,
    "residences": -4.5,
    ",": -1.0,
}
WORDS = [*(word for word in LOG10 if word != "<unk>"), "unheard", "2"]


def model():
    lines = ["-9\t<s>", "-1\t</s>", *(f"{value}\t{word}" for word, value in LOG10.items())]
    text = f"\\data\\\nngram 1={len(lines)}\n\n\\1-grams:\n" + "\n".join(lines) + "\n\n\\end\\\n"
    return LanguageModel.from_bytes(text.encode())


def random_rules(rng):
    rules = {}
    for _ in range(int(rng.integers(1, 30))):
        source, target = (tuple(rng.choice(WORDS, int(rng.integers(1, 5))).tolist()) for _ in range(2))
        if rng.random() < 0.3:
            source, target = (*source, ("X",)), (0, *target)
        rules[source, target] = RuleText("X", source, target, (("Old", float(rng.normal())),), ())
    return list(rules.values())


def simplicity(rule):
    source, target = (
        {word for word in side if isinstance(word, str) and any(letter.isalpha() for letter in word)}
        for side in (rule.source, rule.target)
    )
    removed, added = source - target, target - source
    if not removed or not added:
        return 0.0, 0.0

    def mean(words, value):
        return sum(map(value, words)) / len(words)

    def log(word):
        return LOG10.get(word, LOG10["<unk>"]) * math.log(10)

    return mean(added, log) - mean(removed, log), mean(removed, len) - mean(added, len)


def test_features_equal_their_definition():
    result = model()
    for seed in range(50):
        grammar = Grammar.from_rules(random_rules(np.random.default_rng(seed)))
        simpler = with_simplicity(grammar, result)
        assert simpler.feature_names == ("Old", *FEATURES)
        for number in range(simpler.num_rules):
            rule = simpler.rule(number)
            actual = [value for _, value in rule.features]
            expected = [grammar.features[number, 0], *simplicity(rule)]
            assert actual == pytest.approx(expected, abs=1e-6), (seed, rule)


def test_simpler_words_score_higher():
    rule = RuleText("X", ("large", "residences"), ("big", "houses"), (), ())
    frequency, length = with_simplicity(Grammar.from_rules([rule]), model()).features[0]
    assert frequency == pytest.approx(1.0 * math.log(10)), "each new word is ten times as frequent"
    assert length == pytest.approx((5 + 10) / 2 - (3 + 6) / 2)

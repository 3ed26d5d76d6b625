"""A model written by hand, and its translations by brute force."""

from __future__ import annotations

import math
from functools import cache

import pytest
from helpers import PlainModel, keep_least
from test_parse import translations

from lattice_simp import LanguageModel
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.derivation import GAP_RULE
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.settings import DecoderSettings, SkeletonSettings

RULES = """\
[X] ||| ich ||| i ||| EF=-0.1 FE=-0.2 ||| 0-0
[X] ||| habe ||| have ||| EF=-0.3 FE=-0.1 ||| 0-0
[X] ||| das ||| the ||| EF=-0.5 FE=-0.2 ||| 0-0
[X] ||| das ||| that ||| EF=-0.9 FE=-0.4 Rare=-1 ||| 0-0
[X] ||| haus ||| house ||| EF=-0.3 FE=-0.1 ||| 0-0
[X] ||| haus ||| home ||| EF=-1.3 FE=-0.2 ||| 0-0
[X] ||| alte ||| old ||| EF=-0.2 FE=-0.6 ||| 0-0
[X] ||| gestern ||| yesterday ||| EF=-0.1 FE=-0.1 ||| 0-0
[X] ||| gesehen ||| seen ||| EF=-0.4 FE=-0.3 ||| 0-0
[X] ||| das haus ||| the house ||| EF=-0.3 FE=-0.2 ||| 0-0 1-1
[X] ||| habe gesehen ||| saw ||| EF=-0.7 FE=-0.3 ||| 0-0 1-0
[X] ||| habe [V,1] gesehen ||| saw [V,1] ||| EF=-0.6 FE=-0.3 ||| 0-0 2-0
[X] ||| [V,1] gestern ||| yesterday [V,1] ||| EF=-1.2 FE=-0.9 Rare=-1 ||| 1-0
[X] ||| [V,1] gestern [V,2] ||| [V,2] [V,1] yesterday ||| EF=-1.5 FE=-0.5
[V] ||| das haus ||| the house ||| EF=-0.2 FE=-0.2 ||| 0-0 1-1
[V] ||| alte haus ||| old house ||| EF=-0.4 FE=-0.3 ||| 0-0 1-1
[V] ||| das alte haus ||| the home ||| EF=-0.9 FE=-2.0 ||| 0-0 2-1
[V] ||| haus ||| house ||| EF=-0.1 FE=-0.3 ||| 0-0
[V] ||| ich ||| i ||| EF=-0.1 FE=-0.1 ||| 0-0
""".splitlines()

ARPA = """\
\\data\\
ngram 1=11
ngram 2=10
ngram 3=4

\\1-grams:
-1.8 <unk>
-99 <s> -0.4
-1.1 </s>
-1.0 i -0.3
-1.3 have -0.2
-0.9 the -0.35
-1.5 that -0.1
-1.4 house -0.25
-1.6 old -0.15
-1.5 yesterday -0.05
-1.7 saw -0.3

\\2-grams:
-0.5 <s> i -0.2
-0.9 <s> the -0.1
-0.6 i have -0.15
-0.7 i saw -0.3
-0.85 saw the -0.2
-0.6 the house -0.2
-0.8 the old -0.1
-0.4 old house -0.25
-0.7 house </s>
-0.3 yesterday </s>

\\3-grams:
-0.3 <s> i saw
-0.2 the old house
-0.25 old house </s>
-0.9 saw the house

\\end\\
"""

SECOND_ARPA = """\
\\data\\
ngram 1=7
ngram 2=3

\\1-grams:
-2.5 <unk>
-99 <s> -0.1
-0.8 </s>
-0.9 the -0.2
-1.4 home -0.3
-1.2 seen 0.1
-1.9 yesterday -0.4

\\2-grams:
-0.2 the home
-0.6 <s> yesterday
-0.5 seen </s>

\\end\\
"""

WEIGHTS = {"EF": 1.0, "FE": 0.4, "Rare": 0.7, "LM": 0.6, "WordPenalty": -0.3, "Glue": 0.15, "OOV": 4.0}

EVERYTHING = 1e3
"""A beam that holds every hypothesis."""


def tiny_decoder(
    rules=RULES, models=(("LM", ARPA),), weights=WEIGHTS, beam=EVERYTHING, full_beam=EVERYTHING, **skeleton
):
    """Makes a decoder; `full_beam` and further arguments are fields of `SkeletonSettings`."""
    settings = DecoderSettings(beam=beam, skeleton=SkeletonSettings(beam=full_beam, **skeleton))
    grammar = Grammar.from_rules(parse_rules(rules))
    values = {name: LanguageModel.from_bytes(text.encode()) for name, text in models}
    return Decoder(grammar, values, weights, settings)


def pairs(translation):
    """Returns the skeleton's hypotheses as (text, cost) pairs."""
    return tuple((hypothesis.text, hypothesis.cost) for hypothesis in translation.skeleton_hypotheses)


@cache
def _plain_model(text):
    return PlainModel(text)


def model_cost(words, decoder, models=(("LM", ARPA),)):
    """Returns the weighted cost of the language models and of the word penalty."""
    costs = sum(decoder.weights[name] * _plain_model(text).cost(words) for name, text in models)
    return costs + decoder.weights.get("WordPenalty", 0.0) * len(words)


def expected_plain(decoder, words, models=(("LM", ARPA),)):
    """Returns {target words: least cost} of all translations."""
    rules = translations(decoder.grammar, decoder.costs, tuple(words), decoder.settings)
    return {string: cost + model_cost(string, decoder, models) for string, cost in rules.items()}


def expected_hypotheses(decoder, words, count):
    """Returns the n best translations as (string, cost) pairs."""
    result = expected_plain(decoder, words)
    return [(" ".join(string), cost) for string, cost in sorted(result.items(), key=lambda pair: pair[1])[:count]]


def embedding_cost(words, key, deletion=math.inf, substitution=math.inf):
    """Returns the least edit cost at which `key` is a subsequence of `words`; infinity where it is none."""

    @cache
    def rest(i, j):
        if j == len(key):
            return 0.0
        least = deletion + rest(i, j + 1)
        if i < len(words):
            price = 0.0 if words[i] == key[j] else substitution
            least = min(least, rest(i + 1, j), price + rest(i + 1, j + 1))
        return least

    return rest(0, 0)


def expected_gappy(full, hypotheses, weight, **edits):
    """Returns {full string: least joint cost} of the strings that contain a skeleton hypothesis."""
    table = {}
    for words, cost in full.items():
        for string, skeleton_cost in hypotheses:
            moves = embedding_cost(words, tuple(string.split()), **edits)
            if moves < math.inf:
                keep_least(table, iter([(words, cost + weight * skeleton_cost + moves)]))
    return table


def assert_features_explain_costs(decoder, translation, paths):
    """Checks that the inner product of weights and features is minus the cost of each path."""
    weights = {**decoder.weights, "Skeleton": decoder.settings.skeleton.weight, "Edits": 1.0}
    for path in paths:
        features = translation.features(path)
        assert -sum(weights.get(name, 0.0) * value for name, value in features.items()) == pytest.approx(
            path.cost, rel=1e-6, abs=1e-5
        )
        assert set(features) <= {*weights, *decoder.grammar.feature_names}


def assert_derivations_spell(decoder, translation, paths):
    """Checks that the rules of each path hold exactly its words and the sentence's tokens."""
    for path in paths:
        uses = [use for use in translation.derivation(path) if use.rule != GAP_RULE]
        copied = [translation.source[use.start] for use in uses if use.rule < 0]
        rules = [decoder.grammar.rule(use.rule) for use in uses if use.rule >= 0]
        targets = [symbol for rule in rules for symbol in rule.target if isinstance(symbol, str)]
        sources = [symbol for rule in rules for symbol in rule.source if isinstance(symbol, str)]
        assert sorted(path.text.split()) == sorted(targets + copied)
        assert sorted(translation.source) == sorted(sources + copied)

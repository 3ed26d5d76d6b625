"""Translation and language model together, exact on the reference sets of two independent decoders."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from helpers import best_path

from lattice_simp import Decoder, DecoderSettings, LanguageModel, SkeletonSettings, apply_lm
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.support.textio import read_lines
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.parse import parse_sentence

pytestmark = pytest.mark.shared


def read_grammar(path):
    return Grammar.from_rules(parse_rules(read_lines(path), str(path)))


def exact_results(path):
    """Returns [(cost, rule score, glue steps, string)] of the exact decoder, by sentence."""
    rows = csv.DictReader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    chosen = {
        int(row["id"]): row for row in rows if row["grammar"] == "shallow1" and row["system"].startswith("hifst-exact")
    }
    return [
        (float(row["exact_cost"]), float(row["rule_score"]), int(row["glue_steps"]), row["string"])
        for _, row in sorted(chosen.items())
    ]


@pytest.fixture(scope="module")
def multi30k(shared):
    folder = shared / "data" / "oracles" / "hiero-multi30k"
    model = LanguageModel.read(folder / "lm4.arpa.gz", cache=False)
    return (
        read_grammar(folder / "grammar.shallow1.gz"),
        model,
        [line.split() for line in read_lines(folder / "source.de")],
        exact_results(folder / "best.tsv"),
    )


@pytest.fixture(scope="module")
def europarl(shared):
    """Returns {set: (grammar, model, sentences, results)} for the sentences and their skeletons."""
    folder = shared / "data" / "oracles" / "hiero-europarl"
    model = LanguageModel.read(folder / "lm4.filtered.arpa.gz", cache=False)
    return {
        name: (
            read_grammar(folder / f"grammar.shallow1.{name}.gz"),
            model,
            [line.split() for line in read_lines(folder / source)],
            exact_results(folder / f"best.{name}.tsv"),
        )
        for name, source in (("sent", "source.en"), ("skel", "skeleton.en"))
    }


@pytest.mark.slow
def test_a_shallow_grammar_is_never_pruned(europarl):
    """The decoder has a pruner at hand, but only nesting grammars need it."""
    grammar, model, sentences, results = europarl["sent"]
    decoder = Decoder(grammar, {"LM": model}, {"RS": 1.0, "LM": 1.0, "Glue": 0.2}, DecoderSettings(beam=0.0))
    assert decoder.translate(sentences[17]).best.cost == pytest.approx(results[17][0], abs=2e-3)


def assert_exact(data, total):
    grammar, model, sentences, results = data
    costs = Costs(grammar.costs({"RS": 1.0}), glue=0.2)
    assert len(results) == len(sentences)
    summed = 0.0
    for words, (cost, rule_score, glue_steps, string) in zip(sentences, results, strict=True):
        rules = parse_sentence(grammar, costs, words, DecoderSettings()).lattice()
        target, steps, value = best_path(apply_lm(rules.lattice, {"LM": (model, 1.0)}, beam=0.0))
        summed += value
        assert value == pytest.approx(cost, abs=2e-3)
        assert " ".join(target) == string
        features = rules.derivations.labels(np.array(steps)).features(grammar)
        assert features["RS"] == pytest.approx(rule_score, abs=2e-3)
        assert features["Glue"] == -glue_steps
        assert value == pytest.approx(-features["RS"] - 0.2 * features["Glue"] - model.score(target), abs=1e-3)
    assert summed == pytest.approx(total, abs=2e-3)


def test_multi30k_is_exact(multi30k):
    assert_exact(multi30k, 1074.0265)


@pytest.mark.slow
def test_europarl_sentences_are_exact(europarl):
    assert_exact(europarl["sent"], 5047.6971)


@pytest.mark.slow
def test_europarl_skeletons_are_exact(europarl):
    assert_exact(europarl["skel"], 2620.5634)


def test_the_fifty_best_strings_of_multi30k_are_exact(shared, multi30k):
    """All of them with their costs; at the end of a list, ties may let in one string or another."""
    grammar, model, sentences, _ = multi30k
    path = shared / "data" / "oracles" / "hiero-multi30k" / "nbest.shallow1.exact.tsv.gz"
    expected = {}
    for row in csv.DictReader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE):
        expected.setdefault(int(row["id"]), {})[row["string"]] = float(row["exact_cost"])
    settings = DecoderSettings(skeleton=SkeletonSettings(hypotheses=50))
    decoder = Decoder(grammar, {"LM": model}, {"RS": 1.0, "LM": 1.0, "Glue": 0.2}, settings)
    for number, words in enumerate(sentences):
        actual = {entry.text: entry.cost for entry in decoder.exact_nbest(words, 50)[1]}
        assert sorted(actual.values()) == pytest.approx(sorted(expected[number].values()), abs=1e-3)
        last = max(actual.values()) - 1e-3
        assert {s for s, cost in actual.items() if cost < last} <= set(expected[number])

"""The generated data: formats, probabilities, and reproduction from the grammar."""

from __future__ import annotations

import gzip
import json
import math
import re

import kenlm
import pytest

from lattice_simp.grammars.demo import data_path, generate
from lattice_simp.grammars.demo.extract import (
    MAX_SPAN,
    MAX_SYMBOLS,
    Limits,
    Rule,
    RuleTable,
    is_nonterminal,
    phrases,
    rules,
)
from lattice_simp.grammars.demo.language_model import END, UNKNOWN, WittenBell
from lattice_simp.grammars.demo.sample import SentencePair, draw
from lattice_simp.support.tables import grammar_path

BUDGET = 500_000
"""The most bytes of all data, which are part of every installed package."""

PAIR = SentencePair.from_symbols(
    ["d.plan#the", "n.plan#plan", "aux.m#was", "v.pass#passed", "t.may#in|may"],
    ["d.plan#der", "n.plan#plan", "aux.m#wurde", "t.may#im|mai", "v.pass#angenommen"],
)


def rule_lines():
    return gzip.decompress(grammar_path("demo/data/rules.gz").read_bytes()).decode().splitlines()


@pytest.fixture(scope="module")
def corpus(relation):
    return generate.split(draw(relation, generate.DRAWN, generate.SEED))


@pytest.fixture(scope="module")
def arpa(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "lm.arpa"
    path.write_bytes(gzip.decompress(grammar_path("demo/data/lm.arpa.gz").read_bytes()))
    return path


# ---------------------------------------------------------------- files


def test_data_path_and_grammar_path_agree():
    assert grammar_path("demo/data/rules.gz") == data_path("rules.gz")


def test_the_data_are_small():
    assert sum(path.stat().st_size for path in data_path("rules.gz").parent.iterdir() if path.is_file()) < BUDGET


@pytest.mark.slow
def test_test_sentences_are_made_again(corpus):
    _, test = corpus
    records = "".join(f"{line}\n" for line in generate.test_records(test))
    assert records.encode() == grammar_path("demo/data/test.jsonl").read_bytes()
    references = "".join(f"{' '.join(pair.german)}\n" for pair in test)
    assert references.encode() == grammar_path("demo/data/test.de").read_bytes()


@pytest.mark.slow
def test_no_test_sentence_is_in_the_training_part(corpus):
    train, test = corpus
    assert {pair.english for pair in train}.isdisjoint(pair.english for pair in test)
    assert {pair.german for pair in train}.isdisjoint(pair.german for pair in test)


@pytest.mark.slow
def test_all_files_are_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["generate", "--output", str(tmp_path)])
    generate.main()
    for path in tmp_path.iterdir():
        assert path.read_bytes() == grammar_path(f"demo/data/{path.name}").read_bytes(), path.name


def test_gzip_headers_have_no_time(tmp_path):
    generate.write(tmp_path / "a.gz", ["a line"])
    content = (tmp_path / "a.gz").read_bytes()
    assert content[4:8] == bytes(4)
    assert gzip.decompress(content) == b"a line\n"


def test_weights_fit_the_rules():
    lines = grammar_path("demo/data/weights.tsv").read_text(encoding="utf-8").splitlines()
    weights = {name: float(value) for name, value in (line.split("\t") for line in lines[1:])}
    features = {field.split("=")[0] for field in rule_lines()[0].split(" ||| ")[3].split()}
    assert set(weights) == features | {"LM", "WordPenalty", "Glue", "OOV"}


# ---------------------------------------------------------------- rules


def test_rules_are_well_formed():
    lines = rule_lines()
    assert lines == sorted(lines, key=lambda line: line.split(" ||| ")[1].split())
    for line in lines:
        left, source_text, target_text, features, points = line.split(" ||| ")
        source, target = source_text.split(), target_text.split()
        assert left == "[X]"
        assert len(source) <= MAX_SYMBOLS
        gaps = [symbol for symbol in source if is_nonterminal(symbol)]
        assert gaps == ["[X,1]", "[X,2]"][: len(gaps)]
        assert sorted(symbol for symbol in target if is_nonterminal(symbol)) == gaps
        assert "[X,1] [X,2]" not in source_text
        assert re.fullmatch(r"EF=-?[\d.]+ FE=-?[\d.]+ LexEF=-?[\d.]+ LexFE=-?[\d.]+", features)
        assert all(float(feature.split("=")[1]) <= 0 for feature in features.split())
        links = [tuple(map(int, point.split("-"))) for point in points.split()]
        assert links
        for i, j in links:
            assert not is_nonterminal(source[i])
            assert not is_nonterminal(target[j])


def test_all_words_of_the_test_have_rules():
    known = {word for line in rule_lines() for word in line.split(" ||| ")[1].split()}
    lines = grammar_path("demo/data/test.jsonl").read_text(encoding="utf-8").splitlines()
    tokens = {word for line in lines for word in json.loads(line)["tokens"]}
    assert tokens <= known


def test_phrases_by_hand():
    # The participle and the adverbial are swapped, so "was passed" is not a phrase, but "was passed in may" is.
    assert set(phrases(PAIR)) == {
        *((0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3), (3, 4, 5, 6), (4, 5, 3, 4), (5, 6, 4, 5)),
        *((0, 2, 0, 2), (0, 3, 0, 3), (1, 3, 1, 3), (4, 6, 3, 5), (3, 6, 3, 6)),
        *((2, 6, 2, 6), (1, 6, 1, 6), (0, 6, 0, 6)),
    }


def test_rules_by_hand():
    result = set(rules(PAIR))
    assert Rule(("was", "passed", "[X,1]"), ("wurde", "[X,1]", "angenommen"), ((0, 0), (1, 2))) in result
    assert Rule(("[X,1]", "was", "[X,2]"), ("[X,1]", "wurde", "[X,2]"), ((1, 1),)) in result
    assert Rule(("passed", "[X,1]", "[X,2]"), ("[X,1]", "[X,2]", "angenommen"), ((0, 2),)) not in result
    assert not any(len(rule.source) > MAX_SYMBOLS for rule in result)


def test_random_rules_keep_the_constraints(relation):
    for pair in draw(relation, 30, seed=8):
        for start, stop, low, high in phrases(pair):
            assert stop - start <= MAX_SPAN
            inside = {(i, j) for i, j in pair.links if start <= i < stop or low <= j < high}
            assert all(start <= i < stop and low <= j < high for i, j in inside)
            assert {start, stop - 1} <= {i for i, _ in inside}
            assert {low, high - 1} <= {j for _, j in inside}


def test_features_are_probabilities(relation):
    table = RuleTable(draw(relation, 40, seed=9), Limits(max_targets=10**6))
    totals: dict[str, float] = {}
    for line in table.lines():
        _, source, _, features, _ = line.split(" ||| ")
        totals[source] = totals.get(source, 0.0) + math.exp(float(features.split()[0].removeprefix("EF=")))
    # Two decimal places of each logarithm.
    assert all(total == pytest.approx(1, abs=0.01) for total in totals.values())


# ---------------------------------------------------------------- language model


def test_kenlm_reads_the_model(arpa):
    model = kenlm.Model(str(arpa))
    assert model.order == generate.LM_ORDER
    assert model.score("das gesetz wurde verabschiedet .") > model.score("das gesetz verabschiedet wurde .")
    assert model.score("das gesetz wurde verabschiedet .") > model.score("das gesetz wurden verabschiedet .")


@pytest.mark.parametrize("history", ["", "die", "wurde", "der rat", "die rechnung", "rechnung wurde", "nie gehört"])
def test_probabilities_sum_to_one(arpa, history):
    model = kenlm.Model(str(arpa))
    unigrams = arpa.read_text(encoding="utf-8").split("\\1-grams:\n")[1].split("\n\n")[0].splitlines()
    words = [line.split("\t")[1] for line in unigrams]
    state, following = kenlm.State(), kenlm.State()
    model.BeginSentenceWrite(state)
    for word in history.split():
        model.BaseScore(state, word, following)
        state, following = following, state
    total = sum(10 ** model.BaseScore(state, word, following) for word in words if word != "<s>")
    assert total == pytest.approx(1, abs=2e-3)
    assert 10 ** model.BaseScore(state, "unbekannt", following) < 1e-3


@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0])
def test_kenlm_agrees_with_the_estimator(tmp_path, threshold):
    sentences = [line.split() for line in grammar_path("demo/data/test.de").read_text(encoding="utf-8").splitlines()]
    model = WittenBell(sentences[:150], 3, threshold)
    path = tmp_path / "lm.arpa"
    path.write_text("\n".join(model.arpa()), encoding="utf-8")
    oracle = kenlm.Model(str(path))
    for sentence in sentences[120:]:
        words = [word if word in model.predicted else UNKNOWN for word in sentence]
        history: tuple[str, ...] = ("<s>",)
        total = 0.0
        for word in (*words, END):
            total += math.log10(model.probability(history, word))
            history = (*history, word)[-2:]
        # Each of the factors is rounded in the file.
        assert oracle.score(" ".join(sentence)) == pytest.approx(total, abs=2e-3 * len(sentence))

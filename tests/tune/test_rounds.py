"""Tuning a model: rounds of decoding and optimising."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lattice_simp import Decoder, nbest
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import sari_corpus
from lattice_simp.scores.bleu import References
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights
from lattice_simp.tune.decode import DecodeOptions, TuningSentence, decode
from lattice_simp.tune.feature_lattice import nbest_lattice
from lattice_simp.tune.mert import MertOptions, MertResult, evaluate, minimize_error
from lattice_simp.tune.rounds import TuningOptions, start_weights, tune, tune_with
from lattice_simp.tune.scores import best_hypothesis

DATA = Path(__file__).parents[2] / "grammars" / "demo" / "data"
COUNT = 5
SEARCH = MertOptions(restarts=0, random_directions=4)
"""A short search, whose results are tested elsewhere."""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A copy of the demo model with bad weights."""
    folder = shutil.copytree(DATA, tmp_path_factory.mktemp("tune") / "model")
    weights = read_weights(folder / WEIGHTS)
    write_weights(folder / WEIGHTS, {name: 0.2 if name != "LM" else 0.05 for name in weights})
    return folder


@pytest.fixture(scope="module")
def sentences():
    records = [json.loads(line) for line in (DATA / "test.jsonl").read_text("utf-8").splitlines()]
    targets = (DATA / "test.de").read_text("utf-8").splitlines()
    pairs = list(zip(records, targets, strict=True))[:COUNT]
    return [
        TuningSentence(
            tuple(first["tokens"]), (tuple(target.split()),), ("".join(map(str, map(int, first["keep"][0]))),)
        )
        for first, target in pairs
    ]


@pytest.mark.slow
def test_lattices_come_in_order_whatever_the_workers(model, sentences):
    weights = read_weights(model / WEIGHTS)
    runs = []
    for jobs in (1, 2):
        symbols = SymbolTable()
        actual = []
        options = DecodeOptions(model, "plain", jobs=jobs)
        lattices = decode(sentences[:4], options, weights, symbols, lambda *counts: actual.append(counts))
        assert actual == [(1, 4), (2, 4), (3, 4), (4, 4)]
        runs.append([tuple(lattice.symbols.decode(best_hypothesis(lattice, weights)[0])) for lattice in lattices])
    decoder = Decoder.load(model)
    expected = [decoder.translate(sentence.words, strategy="plain").best.tokens for sentence in sentences[:4]]
    assert runs[0] == runs[1] == expected


@pytest.mark.parametrize("strategy", ["plain", pytest.param("gappy", marks=pytest.mark.slow)])
def test_tuning_gains_and_its_bleu_is_that_of_the_decoder(model, sentences, strategy):
    sentences = sentences[:2]
    start = start_weights(model, skeletons=strategy == "gappy")
    assert ("Skeleton" in start) == (strategy == "gappy")
    options = DecodeOptions(model, strategy, max_arcs=300)
    result = tune(sentences, start, options, TuningOptions(SEARCH, 2))
    assert set(result.weights) == set(start)
    assert result.score == max(tuning_round.score for tuning_round in result.rounds) >= result.rounds[0].score
    assert result.weights["LM"] >= 0.01
    assert result.weights["OOV"] == start["OOV"]
    symbols = SymbolTable()
    counts = [References.of([symbols.encode(words) for words in sentence.references]) for sentence in sentences]
    lattices = decode(sentences, options, result.weights, symbols)
    vector = np.array([result.weights.get(name, 1.0) for name in lattices[0].features])
    assert evaluate(lattices, counts, vector) == pytest.approx(result.score, abs=1e-6)


def test_the_skeletons_weight_is_read_back(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    write_weights(folder / WEIGHTS, {**read_weights(folder / WEIGHTS), "Skeleton": 0.77})
    assert Decoder.load(folder).settings.skeleton.weight == 0.77
    assert start_weights(folder, skeletons=True)["Skeleton"] == 0.77


@pytest.mark.slow
def test_the_skeletons_features_are_tuned_together_with_the_others(model, sentences):
    start = start_weights(model, skeletons=True, skeleton_features=True)
    names = [name for name in start if name not in ("Skeleton", "Edits") and not name.startswith("Skeleton:")]
    assert set(start) == {*names, "Skeleton", *(f"Skeleton:{name}" for name in names)}
    options = DecodeOptions(model, "gappy", max_arcs=300)
    result = tune(sentences[:1], start, options, TuningOptions(SEARCH, 2))
    assert result.rounds[-1].expected >= result.rounds[0].score
    weights = {**start, "Skeleton:LM": 0.2, "Skeleton:Glue": -0.3}
    (lattice,) = decode(sentences[:1], options, weights, SymbolTable())
    assert set(lattice.features) == {*start}
    words, cost = best_hypothesis(lattice, np.array([weights[name] for name in lattice.features]))
    first = sentences[0]
    expected = Decoder.load(model).with_weights(weights).translate(first.words, first.masks[0]).best
    assert (tuple(lattice.symbols.decode(words)), cost) == (expected.tokens, pytest.approx(expected.cost, rel=1e-4))


def test_no_sentences_are_an_error(model):
    with pytest.raises(LatticeSimpError, match="no sentences"):
        tune([TuningSentence((), ((),))], {}, DecodeOptions(model))


def test_a_sentence_that_fails_is_named(model, sentences):
    with pytest.raises(LatticeSimpError, match="sentence 1: "):
        decode(
            [TuningSentence(("a",), (("b",),), ("111",))],
            DecodeOptions(model),
            read_weights(model / WEIGHTS),
            SymbolTable(),
        )


@pytest.mark.slow
def test_skeleton_hypotheses_from_elsewhere_are_tuned_with(model, sentences):
    weights = start_weights(model, skeletons=True)
    decoder = Decoder.load(model).with_weights(weights)
    first = sentences[0]
    skeleton = Skeleton.from_mask(first.masks[0], first.words)
    _, second = decoder.exact_nbest(skeleton.words, decoder.settings.skeleton.hypotheses)
    entries = [replace(first, skeleton_hypotheses=tuple(replace(path, cost=2.0 * path.cost) for path in second)), first]
    doubled, plain = decode(entries, DecodeOptions(model, "gappy"), weights, SymbolTable())
    column = plain.features.names.index("Skeleton")

    def best_skeleton(lattice):
        vector = np.zeros(len(lattice.features))
        vector[column] = 1.0
        return best_hypothesis(lattice, vector)[1]

    assert best_skeleton(doubled) == pytest.approx(2.0 * best_skeleton(plain), rel=1e-4)


@pytest.mark.slow
def test_anything_that_gives_lattices_can_be_tuned(model, sentences):
    sentences, wanted = sentences[:3], []

    def decoded(weights, symbols):
        wanted.append(dict(weights))
        return decode(sentences, DecodeOptions(model, "plain"), weights, symbols)

    start = start_weights(model, skeletons=False)
    references = [sentence.references for sentence in sentences]
    result = tune_with(decoded, references, start, TuningOptions(SEARCH, 2))
    assert result == tune(sentences, start, DecodeOptions(model, "plain"), TuningOptions(SEARCH, 2))
    assert len(wanted) == len(result.rounds) == 2
    with pytest.raises(LatticeSimpError, match="holds no sentences"):
        tune_with(decoded, [], start)


def one_of(symbols, *scored):
    """Returns the tuning lattice of hypotheses and their features `good` and `bad`."""
    rows = [Hypothesis(tuple(text.split()), features={"good": good, "bad": bad}) for text, good, bad in scored]
    return nbest_lattice(rows, ("good", "bad"), symbols)


@pytest.mark.parametrize("best", [1, 2, 3])
def test_the_best_round_counts_and_not_the_last(best):
    """Only in one round the decoder finds a good translation; the optimiser promises more than any decoding gives."""
    wanted = []

    def decoded(weights, symbols):
        wanted.append(dict(weights))
        top = "a b c d e x" if len(wanted) == best else "a b c d y x z"
        return [one_of(symbols, (top, 1.0, 5.0), ("a b c d e f", 5.0, 1.0))]

    def misled(lattices, *arguments, **options):
        result = minimize_error(lattices, *arguments, **options)
        return replace(result, weights={"good": -1.0 - len(wanted), "bad": 1.0})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lattice_simp.tune.rounds.minimize_error", misled)
        result = tune_with(decoded, [["a b c d e f".split()]], {"good": -1.0, "bad": 1.0}, TuningOptions(SEARCH, 3))
    scores = [tuning_round.score for tuning_round in result.rounds]
    assert len(wanted) == len(scores) == 3
    assert max(scores) == scores[best - 1] > min(scores)
    assert result.score == scores[best - 1]
    assert result.rounds[best - 1].weights == wanted[best - 1]
    assert result.weights == {name: wanted[best - 1][name] for name in ("good", "bad")}


def test_the_optimiser_sees_the_last_four_rounds():
    """Of all rounds, hypotheses that were once found would never be forgotten, and memory would not be bounded."""
    seen, wanted = [], []

    def decoded(weights, symbols):
        wanted.append(weights)
        return [one_of(symbols, (f"a b c d e{len(wanted)}", 1.0, 1.0))]

    def watching(lattices, references, start, *arguments, **options):
        seen.append({path.tokens[-1] for path in nbest(lattices[0], 10)})
        return MertResult(dict(start), 1.0, 1.0, ())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lattice_simp.tune.rounds.minimize_error", watching)
        tune_with(decoded, [["a b c d e f".split()]], {"good": 1.0, "bad": 0.5}, TuningOptions(max_rounds=6))
    assert seen == [{f"e{number}" for number in range(max(1, last - 3), last + 1)} for last in range(1, 7)]


def test_rounds_end_where_the_optimiser_expects_no_more():
    """Tuning ends if one more round could gain less than `min_gain`, and continues at exactly that gain."""
    for gain, rounds in ((0.0, 4), (0.2, 4), (0.21, 1)):
        requested = []

        def decoded(weights, symbols, requested=requested):
            requested.append(weights)
            return [one_of(symbols, ("a b c d e f", 1.0, 1.0))]

        def expecting(lattices, references, start, *arguments, **options):
            return MertResult(dict(start), 1.2, 1.0, ())

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("lattice_simp.tune.rounds.minimize_error", expecting)
            start = {"good": 1.0, "bad": 0.5}
            tune_with(decoded, [["a b c d e f".split()]], start, TuningOptions(max_rounds=4, min_gain=gain))
        assert len(requested) == rounds, gain


@pytest.mark.slow
def test_rounds_tune_for_sari_as_well(model, sentences):
    """The translations are taken for simplifications; in the source, only what both languages share is kept."""
    start, said = start_weights(model, skeletons=False), []
    options = TuningOptions(SEARCH, 2)
    result = tune(sentences, start, DecodeOptions(model, "plain"), options, metric="sari", say=said.append)
    assert said[0].startswith(f"tune: round 1: SARI {100 * result.rounds[0].score:.2f}, expected next")
    assert result.score == max(tuning_round.score for tuning_round in result.rounds)
    lattices = decode(sentences, DecodeOptions(model, "plain"), result.weights, SymbolTable())
    vector = [result.weights.get(name, 0.0) for name in lattices[0].features]
    outputs = [" ".join(lattice.symbols.decode(best_hypothesis(lattice, vector)[0])) for lattice in lattices]
    references = list(
        zip(*([" ".join(reference) for reference in sentence.references] for sentence in sentences), strict=True)
    )
    metric = sari_corpus(len(references), tokenise_source=False)
    sources = [" ".join(sentence.words) for sentence in sentences]
    assert result.score == pytest.approx(metric.corpus_score(outputs, references, sources) / 100.0, abs=1e-6)
    with pytest.raises(LatticeSimpError, match="SARI needs --source"):
        tune_with(
            lambda weights, symbols: lattices, [sentence.references for sentence in sentences], start, metric="sari"
        )

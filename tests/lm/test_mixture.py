"""Linear mixtures: probabilities against brute force, weights by expectation maximisation, and ARPA files."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import log10
from pathlib import Path

import kenlm
import numpy as np
import pytest
from helpers import PlainModel, random_arpa

from lattice_simp import LanguageModel
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.mixture import mixed, mixture_weights, word_probabilities, write_arpa

DATA = Path(__file__).parent / "data"
VOCABULARIES = (["a", "b", "c"], ["b", "c", "d", "e"], ["a"])
EVERY = ["a", "b", "c", "d", "e"]
SEEDS = range(25)


def proper_arpa(rng, vocabulary, order):
    """Returns a model whose probabilities sum to 1 after every context."""
    plain = PlainModel(random_arpa(rng, vocabulary, order, unknown=False))
    words = [*vocabulary, "<unk>", "</s>"]
    probs = dict(zip([(word,) for word in words], rng.dirichlet(np.ones(len(words))), strict=True))
    children = defaultdict(list)
    for gram in sorted(plain.grams, key=len):
        if len(gram) > 1:
            children[gram[:-1]].append(gram)
    backoffs = {}
    for context, grams in sorted(children.items(), key=lambda item: len(item[0])):
        share = rng.uniform(0.3, 0.9)
        probs.update(zip(grams, share * rng.dirichlet(np.ones(len(grams))), strict=True))
        lower = sum(probability(probs, backoffs, gram[1:]) for gram in grams)
        backoffs[context] = (1 - share) / (1 - lower)
    grams = {("<s>",): 1e-99, **probs}
    sections = [[gram for gram in grams if len(gram) == length] for length in range(1, order + 1)]
    lines = ["\\data\\", *(f"ngram {length}={len(rows)}" for length, rows in enumerate(sections, start=1))]
    for length, rows in enumerate(sections, start=1):
        lines += ["", f"\\{length}-grams:"]
        lines += [f"{log10(grams[row])}\t{' '.join(row)}\t{log10(backoffs.get(row, 1.0))}" for row in rows]
    return "\n".join([*lines, "", "\\end\\", ""])


def probability(probs, backoffs, gram):
    if gram in probs:
        return probs[gram]
    return backoffs.get(gram[:-1], 1.0) * probability(probs, backoffs, gram[1:])


def models_of(rng):
    count = int(rng.integers(2, 4))
    texts = [proper_arpa(rng, words, int(rng.integers(1, 5))) for words in VOCABULARIES[:count]]
    return texts, [LanguageModel.from_bytes(text.encode()) for text in texts], rng.dirichlet(np.ones(count))


def brute_probability(plain, gram):
    """Returns a model's probability of the last word after the others: 0 for words that it does not know."""
    if gram[-1:] not in plain.grams:
        return 0.0
    history = gram[:-1]
    return 10.0 ** plain.log10(history[max(0, len(history) - plain.order + 1) :], gram[-1])


def grams_of(words, sections):
    return {
        tuple(words[word] for word in row): (10.0**prob, 10.0**backoff)
        for section in sections
        for row, prob, backoff in zip(
            section.words.tolist(), section.probs.tolist(), section.backoffs.tolist(), strict=True
        )
    }


def test_the_n_grams_of_all_models_have_the_mixture_of_their_probabilities():
    for seed in SEEDS:
        texts, models, weights = models_of(np.random.default_rng([seed, 1]))
        plain = [PlainModel(text) for text in texts]
        grams = grams_of(*mixed(models, weights))
        assert set(grams) == set().union(*(model.grams for model in plain))
        for gram, (prob, _) in grams.items():
            expected = sum(
                weight * brute_probability(model, gram) for weight, model in zip(weights, plain, strict=True)
            )
            assert prob == pytest.approx(expected, rel=1e-4), (seed, gram)


def test_probabilities_after_every_context_have_a_sum_of_1():
    for seed in SEEDS:
        _, models, weights = models_of(np.random.default_rng([seed, 2]))
        grams = grams_of(*mixed(models, weights))
        probs, backoffs = ({gram: pair[part] for gram, pair in grams.items()} for part in (0, 1))
        words = [gram[0] for gram in grams if len(gram) == 1 and gram != ("<s>",)]
        for context in [(), *(gram for gram in grams if gram[-1] != "</s>")]:
            total = sum(probability(probs, backoffs, (*context, word)) for word in words)
            assert total == pytest.approx(1.0, abs=1e-4), (seed, context)


def test_weights_have_the_least_perplexity_and_no_round_a_higher_one():
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 3])
        _, models, _ = models_of(rng)
        text = [rng.choice([*EVERY, "zz"], int(rng.integers(1, 6))).tolist() for _ in range(12)]
        result = mixture_weights(models, [*text, []])
        assert result.weights.sum() == pytest.approx(1.0)
        assert all(after <= before * (1 + 1e-12) for before, after in pairwise(result.perplexities))
        probabilities = word_probabilities(models, text)

        def perplexity(weights, probabilities=probabilities):
            with np.errstate(divide="ignore"):
                return float(np.exp(-np.log(probabilities @ weights).mean()))

        assert result.perplexity == pytest.approx(perplexity(result.weights), rel=1e-6)
        least = min(perplexity(weights) for weights in rng.dirichlet(np.ones(len(models)), 300))
        assert result.perplexity <= least * (1 + 1e-4), seed


def test_a_text_of_one_model_gives_it_the_weight():
    rng = np.random.default_rng(4)
    first, second = (
        LanguageModel.from_bytes(proper_arpa(rng, words, 2).encode()) for words in (["a", "b"], ["c", "d"])
    )
    assert mixture_weights([first, second], ["c d", "d"]).weights[1] > 0.5
    probabilities = word_probabilities([first, second], [["c", "zz"]])
    assert probabilities[0, 0] == 0.0
    assert probabilities[1] == pytest.approx(
        [np.exp(model.full_scores(["c", "zz"])[1].log_prob) for model in (first, second)]
    )


def test_files_are_read_as_kenlm_reads_them(tmp_path):
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 5])
        _, models, weights = models_of(rng)
        path = tmp_path / f"{seed}.arpa"
        write_arpa(path, *mixed(models, weights))
        theirs, ours = kenlm.Model(str(path)), LanguageModel.read(path, cache=False)
        grams = grams_of(*mixed(models, weights))
        probs, backoffs = ({gram: pair[part] for gram, pair in grams.items()} for part in (0, 1))
        for _ in range(10):
            words = rng.choice(EVERY, int(rng.integers(0, 6))).tolist()
            words = [word for word in words if (word,) in grams]
            expected = theirs.score(" ".join(words)) * np.log(10.0)
            assert ours.score(words) == pytest.approx(expected, abs=1e-3), (seed, words)
            sentence = ["<s>", *words, "</s>"]
            brute = sum(
                np.log(probability(probs, backoffs, tuple(sentence[max(0, end - 6) : end])))
                for end in range(2, len(sentence) + 1)
            )
            assert expected == pytest.approx(brute, abs=1e-3), (seed, words)


def test_a_mixture_of_one_model_is_that_model(tmp_path):
    rng = np.random.default_rng(6)
    first, second = (LanguageModel.from_bytes(proper_arpa(rng, ["a", "b", "c"], 3).encode()) for _ in range(2))
    write_arpa(tmp_path / "mixed.arpa.gz", *mixed([first, second], [1.0, 0.0]))
    copy = LanguageModel.read(tmp_path / "mixed.arpa.gz", cache=False)
    for words in ("a b c", "c c a b", ""):
        assert copy.score(words) == pytest.approx(first.score(words), abs=1e-4)


def test_what_cannot_be_mixed_is_refused():
    rng = np.random.default_rng(7)
    model = LanguageModel.from_bytes(proper_arpa(rng, ["a"], 2).encode())
    with pytest.raises(LatticeSimpError, match="needs a model with a positive weight"):
        mixed([model], [0.0])
    with pytest.raises(LatticeSimpError, match="needs models, and a text with words"):
        mixture_weights([model], ["", " "])
    binary = LanguageModel.read(next(DATA.glob("*.bin*")))
    with pytest.raises(LatticeSimpError, match="is a KenLM binary, which cannot be mixed; give the ARPA file"):
        mixed([model, binary], [0.5, 0.5])

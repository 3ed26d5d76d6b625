"""The deletion tagger: learning, files, and the library's own inference as the oracle."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic import DeletionTagger, TaggerSettings, token_f1
from lattice_simp.skeleton.automatic.features import token_features
from lattice_simp.skeleton.automatic.tagger import META, MODEL

pytest.importorskip("pycrfsuite")


@pytest.fixture
def examples(random_parse):
    """Sentences in which `a` and all that follows `b` directly is deleted."""
    parses = [random_parse(np.random.default_rng(seed), 6 + seed % 5, marks=0.0) for seed in range(60)]
    results = []
    for parse in parses:
        before = ("", *parse.tokens)
        mask = [token != "a" and last != "b" for token, last in zip(parse.tokens, before, strict=False)]
        if any(mask):
            results.append((parse, Skeleton(parse.tokens, tuple(mask))))
    return results


@pytest.fixture
def tagger(tmp_path, examples):
    return DeletionTagger.train(tmp_path / "model", examples[:40], TaggerSettings(l1=0.0, l2=0.1), {"parser": "none"})


def test_it_learns_and_comes_back_from_its_folder(tmp_path, tagger, examples):
    again = DeletionTagger.load(tmp_path / "model")
    assert again.meta["parser"] == "none"
    assert again.meta["examples"] == 40
    unseen = examples[40:]
    results = [again.skeletons(parse, repair=False)[0] for parse, _ in unseen]
    assert np.mean([token_f1(first, skeleton) for first, (_, skeleton) in zip(results, unseen, strict=True)]) > 0.95
    assert [entry.mask for entry in results] == [tagger.skeletons(parse, repair=False)[0].mask for parse, _ in unseen]


def test_the_chain_is_the_library_s(tagger, examples):
    for parse, _ in examples:
        chain = tagger.chain(parse)
        labels = tagger.crf.tag(token_features(parse))
        assert chain.best_mask() == tuple(label == "1" for label in labels)
        expected = [tagger.crf.marginal("1", position) for position in range(len(parse))]
        np.testing.assert_allclose(chain.marginals(), expected, atol=1e-9)


def test_rates_and_candidates(tagger, examples):
    rates = [
        np.mean([tagger.skeletons(first, rate)[0].compression_rate for first, _ in examples]) for rate in (0.3, 0.8)
    ]
    assert rates[0] < 0.45
    assert rates[1] > 0.7
    candidates = tagger.skeletons(examples[0][0], 0.5, 3)
    assert len({candidate.mask for candidate in candidates}) == 3
    assert all(candidate.is_strict for candidate in candidates)


def test_nothing_to_learn_from(tmp_path, examples):
    whole = [(parse, Skeleton(parse.tokens, (True,) * len(parse))) for parse, _ in examples]
    for pairs, reason in (([], "no examples to train on"), (whole, "training needs at least 2 labels")):
        with pytest.raises(LatticeSimpError, match=reason):
            DeletionTagger.train(tmp_path / "other", pairs)
    with pytest.raises(LatticeSimpError, match="example 1: the skeleton is of another sentence"):
        DeletionTagger.train(tmp_path / "other", [(examples[0][0], examples[1][1])])


def test_broken_folders(tmp_path, tagger):
    folder = tmp_path / "model"
    model, meta = (folder / MODEL).read_bytes(), (folder / META).read_text()

    def fails(path, content, message):
        before = path.read_bytes()
        path.write_bytes(content)
        with pytest.raises(FormatError, match=message):
            DeletionTagger.load(folder)
        path.write_bytes(before)

    fails(folder / MODEL, model[:-10], "not a CRFsuite model")
    fails(folder / MODEL, b"", "not a CRFsuite model")
    fails(folder / MODEL, b"x" + model, "not a CRFsuite model")
    fails(folder / META, b"{", "invalid JSON")
    fails(folder / META, b"[1]", "features of version None")
    fails(folder / META, json.dumps({**json.loads(meta), "features": 0}).encode(), "features of version 0")
    with pytest.raises(FormatError, match=rf"has no {META}, so it is not a trained model"):
        DeletionTagger.load(tmp_path)
    DeletionTagger.load(folder)
    (folder / MODEL).unlink()
    with pytest.raises(FormatError, match=MODEL):
        DeletionTagger.load(folder)


def test_models_with_other_labels(tmp_path, tagger):
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.append([["x"], ["y"]], ["B", "I"])
    trainer.train(str(tmp_path / "model" / MODEL))
    with pytest.raises(FormatError, match="the labels B, I"):
        DeletionTagger.load(tmp_path / "model")

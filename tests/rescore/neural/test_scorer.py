"""CTranslate2 models as scorers: probabilities, prefixes, subwords, faults. No training library is needed."""

from __future__ import annotations

import json
import shutil
import sys

import numpy as np
import pytest

from lattice_simp import Lattice
from lattice_simp.errors import FormatError, LatticeSimpError, MissingExtraError
from lattice_simp.rescore import PrefixScorer, read_scorers, rescore_lattice, score_by_prefixes
from lattice_simp.rescore.neural.scorer import ScoringOptions, TranslationScorer
from lattice_simp.rescore.neural.segmentation import SETTINGS, Segmentation, bpe_cutter, detokeniser

pytest.importorskip("ctranslate2", reason="the extra `neural` is not installed")

CPU = ScoringOptions(device="cpu", threads=1)
HYPOTHESES = [["a", "b"], [], ["de", "a", "de"], ["a"], ["a", "b"], ["zz", "c"]]


@pytest.fixture(scope="module")
def scorer(tiny_model):
    return TranslationScorer.read(tiny_model, CPU)


def test_next_words_and_the_end_sum_to_one(scorer):
    """Words that are one piece each, the first piece of `de`, the unknown piece and `<s>`; the end."""
    for prefix in ([], ["a"], ["b", "de"]):
        state = [scorer.start(["a", "c"])]
        for word in prefix:
            _, state = scorer.extend(state, [word])
        pieces = ["a", "b", "c", "e", "d@@", "<unk>", "<s>"]
        results = scorer.translator.score_batch(
            [["a", "c"]] * len(pieces), [[*scorer.segmentation.target(prefix), piece] for piece in pieces]
        )
        by_piece = dict(zip(pieces, (result.log_probs[-2] for result in results), strict=True))
        costs, _ = scorer.extend(state * 4, ["a", "b", "c", "e"])
        np.testing.assert_allclose(-costs, [by_piece[word] for word in ("a", "b", "c", "e")], atol=1e-4)
        assert sum(map(np.exp, by_piece.values())) + np.exp(-scorer.end(state)[0]) == pytest.approx(1.0, abs=1e-4)


def test_words_add_up_to_the_whole(scorer):
    assert isinstance(scorer, PrefixScorer)
    whole = scorer.score(["b", "de"], HYPOTHESES)
    assert whole[0] == whole[4]
    assert len(set(whole.round(3).tolist())) == 5
    np.testing.assert_allclose(score_by_prefixes(scorer, ["b", "de"], HYPOTHESES), whole, atol=1e-4)
    assert abs(whole - scorer.score(["c"], HYPOTHESES)).max() > 1e-3  # the source counts
    assert scorer.score(["c"], []).shape == (0,)


def test_batches_change_nothing_but_rounding(scorer, tiny_model):
    small = TranslationScorer.read(tiny_model, ScoringOptions(device="cpu", batch_tokens=3, workers=2, threads=1))
    many = [list(word) for word in ("abc", "cab", "bbbbbbbb", "c", "acacacacac")] * 5
    np.testing.assert_allclose(small.score(["a"], many), scorer.score(["a"], many), atol=1e-4)


def test_a_lattice_is_searched_exactly_with_a_wide_beam(scorer):
    strings = [("a b", 1.0), ("a c", 0.2), ("de", 0.7), ("c c b", 0.1)]
    actual = rescore_lattice(Lattice.from_strings(strings), ["a"], scorer, n=9, beam=9, model_weight=0.5)
    costs = scorer.score(["a"], [words.split() for words, _ in strings])
    expected = sorted((second + 0.5 * cost, words) for (words, second), cost in zip(strings, costs, strict=True))
    assert [path.text for path in actual] == [words for _, words in expected]
    np.testing.assert_allclose([path.cost for path in actual], [cost for cost, _ in expected], atol=1e-4)


def test_models_are_detected_by_their_folder(tiny_model):
    assert list(read_scorers(tiny_model)) == ["Neural"]


def test_too_long_sentences_are_an_error(scorer):
    with pytest.raises(LatticeSimpError, match="cannot score"):
        scorer.score(["a"], [["a"] * 100])


def test_broken_folders(tiny_model, tmp_path):
    with pytest.raises(FormatError, match="no CTranslate2 model"):
        TranslationScorer.read(tmp_path)
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    whole = (folder / "model.bin").read_bytes()
    for damaged in (b"no model", whole.replace(b"decoder/layer_0/ffn", b"decoder/layer_0/fun")):
        (folder / "model.bin").write_bytes(damaged)
        with pytest.raises(FormatError, match="cannot load"):
            TranslationScorer.read(folder, CPU)
    shutil.copy(tiny_model / "model.bin", folder)
    (folder / "codes").unlink()
    with pytest.raises(FormatError, match="codes: does not exist"):
        TranslationScorer.read(folder, CPU)
    for text, message in (
        ("{", "invalid JSON"),
        ("[]", "names with values are needed, not"),
        ('{"subword": "bpe"}', "unknown settings subword; known are"),
        ('{"subwords": "syllables"}', "syllables"),
        ('{"source_prefix": "x"}', "source_prefix is 'x'; give a list of strings"),
        ('{"source_suffix": ["x", 1]}', "give a list of strings"),
        ('{"detokenise": {"source": 1}}', "give an object of strings"),
        ('{"joined": 1}', "joined is 1; give true or false"),
    ):
        (folder / SETTINGS).write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=message):
            Segmentation.read(folder)


def test_the_extra_of_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    with pytest.raises(MissingExtraError, match=r"lattice-simp\[text\]"):
        detokeniser("qq")


def test_merges_are_those_of_subword_nmt(tmp_path):
    (tmp_path / "codes").write_text("#version: 0.2\ne r</w>\nl o\nlo w\n", encoding="utf-8")
    cut = bpe_cutter(tmp_path / "codes")
    assert cut("lower low l er") == ["low@@", "er", "lo@@", "w", "l", "er"]
    (tmp_path / "broken").write_text("e r x\n", encoding="utf-8")
    with pytest.raises(FormatError, match="broken:1"):
        bpe_cutter(tmp_path / "broken")


def test_settings_of_other_models(tmp_path):
    settings = {"subwords": "words", "source_prefix": [">>x<<"], "source_suffix": ["</s>"], "target_prefix": ["t"]}
    (tmp_path / SETTINGS).write_text(json.dumps(settings | {"capitalise": True}), encoding="utf-8")
    segmentation = Segmentation.read(tmp_path)
    assert segmentation.source(["ein", "satz"]) == [">>x<<", "Ein", "satz", "</s>"]
    assert (segmentation.target(["ein"]), segmentation.target([]), segmentation.target_prefix) == (["Ein"], [], ("t",))
    pytest.importorskip("sacremoses")
    (tmp_path / SETTINGS).write_text(json.dumps(settings | {"detokenise": {"target": "en"}}), encoding="utf-8")
    assert Segmentation.read(tmp_path).target(["well", ",", "yes", "."]) == ["well,", "yes."]


def test_sentencepiece_models_cut_words_alone(tmp_path):
    library = pytest.importorskip("sentencepiece")
    text = tmp_path / "text"
    text.write_text("the small house\na small mouse\nthe houses of the mice\n" * 20, encoding="utf-8")
    library.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(tmp_path / "m"), vocab_size=30, minloglevel=2, hard_vocab_limit=False
    )
    (tmp_path / SETTINGS).write_text('{"source": "m.model", "target": "m.model"}', encoding="utf-8")
    segmentation = Segmentation.read(tmp_path)
    words = ["the", "house", "small"]
    assert segmentation.target(words) == [piece for word in words for piece in segmentation.target([word])]
    assert "".join(segmentation.target(words)).replace("▁", " ") == " the house small"
    (tmp_path / "m.model").write_text("broken", encoding="utf-8")
    with pytest.raises(FormatError, match="not a SentencePiece model"):
        Segmentation.read(tmp_path)

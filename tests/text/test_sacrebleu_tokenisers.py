"""sacrebleu's tokenisers: by language, and what they say where something is missing."""

from __future__ import annotations

import importlib.util

import pytest

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.text import sacrebleu_tokenisers as tokenisers
from lattice_simp.text.sacrebleu_tokenisers import (
    TOKENISERS,
    best_tokeniser,
    choose_tokeniser,
    is_unspaced_language,
    tokeniser,
    tokeniser_signature,
)

TEXT = "我爱 BLEU, 4.5。"


def test_tokens_are_those_of_sacrebleu():
    from sacrebleu.metrics.bleu import BLEU

    for name in ("13a", "intl", "zh", "char", "none"):
        theirs = BLEU(tokenize=name, force=True)
        assert tokeniser(name)(TEXT) == theirs.tokenizer(TEXT).split(), name
        assert tokeniser_signature(name) == name
    assert set(TOKENISERS) <= set(BLEU.TOKENIZERS)


def test_languages():
    assert [choose_tokeniser(code).name for code in ("zh", "zh_TW", "yue", "cmn-Hans")] == ["zh"] * 4
    assert [best_tokeniser(code) for code in ("ja", "jpn", "ko")] == ["ja-mecab", "ja-mecab", "ko-mecab"]
    for code in ("th", "lo", "km", "my", "bo", "tha", "lao", "khm", "mya", "bod"):
        assert choose_tokeniser(code).name in ("char", "flores200")
        assert is_unspaced_language(code)
    for code in ("en", "de", "hi", "ko", "other", "", None):
        assert not is_unspaced_language(code)
    assert choose_tokeniser("en").name == choose_tokeniser(None).name == "13a"


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    """Without MeCab, Japanese falls back to characters with a note; models are looked for in sacrebleu's folder."""
    result = importlib.util.find_spec
    without = ("MeCab", "mecab_ko")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in without else result(name))
    tokenisers.scorer_tokeniser.cache_clear()
    tokenisers.tokeniser.cache_clear()
    choice = choose_tokeniser("ja")
    assert choice.name == "char"
    assert "needs MeCab" in choice.note
    assert "pip install 'sacrebleu[ja]'" in choice.note
    assert (choose_tokeniser("ko").name, "sacrebleu[ko]" in choose_tokeniser("ko").note) == ("13a", True)
    with pytest.raises(MissingExtraError, match=r"ja-mecab needs MeCab .*sacrebleu\[ja\]"):
        tokeniser("ja-mecab")
    with pytest.raises(LatticeSimpError, match="unknown tokeniser 'x'; known are 13a,"):
        tokeniser("x")
    from sacrebleu.tokenizers import tokenizer_spm

    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    pytest.importorskip("sentencepiece")
    with pytest.raises(MissingExtraError, match=r"flores200 needs its model .*flores200sacrebleuspm"):
        tokeniser("flores200")
    assert choose_tokeniser("th").name == "char"
    assert choose_tokeniser("th").note == ""
    tokenisers.scorer_tokeniser.cache_clear()


def test_models_in_the_folder_of_sacrebleu_are_used(monkeypatch, tmp_path):
    spm = pytest.importorskip("sentencepiece")
    from sacrebleu.tokenizers import tokenizer_spm

    (tmp_path / "models").mkdir()
    (tmp_path / "text").write_text("ผมชอบกินข้าว กินปลา\nวันนี้อากาศดี\n" * 50, encoding="utf-8")
    path = tmp_path / "models" / "flores200sacrebleuspm"
    spm.SentencePieceTrainer.train(
        input=str(tmp_path / "text"),
        model_prefix=str(tmp_path / "own"),
        vocab_size=99,
        hard_vocab_limit=False,
        minloglevel=9,
    )
    (tmp_path / "own.model").rename(path)
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    tokenisers.tokeniser.cache_clear()
    tokenisers.scorer_tokeniser.cache_clear()
    assert [choose_tokeniser(code).name for code in ("th", "km", "bo")] == ["flores200"] * 3
    assert choose_tokeniser("zh").name == "zh"
    assert best_tokeniser("th") == "char"  # models mean the same on every machine
    pieces = tokeniser("flores200")("ผมชอบ กินปลา")
    assert "".join(pieces).replace("▁", " ").strip() == "ผมชอบ กินปลา"
    tokenisers.tokeniser.cache_clear()
    tokenisers.scorer_tokeniser.cache_clear()

"""Text in and out of a model with text settings."""

from __future__ import annotations

import json
import shutil

import pytest

from lattice_simp.formats.nbest import read_nbest

RAW = "The house was built, the bridge was built.\n"
TOKENS = "the house was built , the bridge was built .\n"
TOKENS_OUT = "das haus wurde gebaut , die brücke wurde gebaut .\n"
TEXT_OUT = "Das haus wurde gebaut, die brücke wurde gebaut.\n"


@pytest.fixture
def text_model(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    text = {"source_language": "en", "target_language": "de"}
    (folder / "text.json").write_text(json.dumps(text), encoding="utf-8")
    return folder


def test_text_is_translated_to_text(call, text_model, tmp_path):
    listed = ("--nbest", 1, "--nbest-output", tmp_path / "nbest")
    done = call("translate", text_model, *listed, stdin=RAW + "\n" + RAW)
    assert done.stdout == TEXT_OUT + "\n" + TEXT_OUT
    assert read_nbest(tmp_path / "nbest")[0][0].text == TOKENS_OUT.strip()  # lists hold tokens


def test_the_words_are_those_of_the_same_steps_one_by_one(call, text_model, tmp_path):
    tokens = call("text", "tokenise", text_model, stdin=RAW).stdout
    assert tokens == TOKENS
    done = call("translate", text_model, "--tokenised", stdin=tokens)
    assert done.stdout == TOKENS_OUT
    assert call("text", "detokenise", text_model, stdin=done.stdout).stdout == TEXT_OUT


def test_models_without_text_settings_take_tokens(call, model):
    assert call("translate", model, stdin=TOKENS).stdout == TOKENS_OUT
    assert call("translate", model, "--tokenised", stdin=TOKENS).stdout == TOKENS_OUT


def test_files_and_a_resumed_run_hold_text(call, text_model, tmp_path):
    arguments = ("translate", text_model, "--output", tmp_path / "out")
    call(*arguments, stdin=RAW)
    assert (tmp_path / "out").read_text("utf-8") == TEXT_OUT
    assert call(*arguments, "--resume", stdin=RAW).returncode == 0
    assert (tmp_path / "out").read_text("utf-8") == TEXT_OUT


@pytest.mark.parametrize("input_options", [(), ("--input", "-")])
def test_the_tokens_of_skeletons_are_taken_as_they_are(call, text_model, tmp_path, input_options):
    """The Moses rules would split the hyphen's neighbours and lower the case."""
    (tmp_path / "skeletons").write_text("the house was [[Built-up]] built .\n", encoding="utf-8")
    arguments = ("--skeletons", tmp_path / "skeletons", *input_options, "--strategy", "gappy")
    done = call("translate", text_model, *arguments, stdin="the house was Built-up built .\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "das haus wurde Built-up gebaut .\n"
    assert "skeleton found in 1" in done.stderr


def test_a_sentence_that_fails_passes_through_as_text(call, text_model):
    (text_model / "settings.json").write_text('{"top": "Y"}', encoding="utf-8")  # no rule of this kind
    done = call("translate", text_model, stdin=RAW)
    assert (done.returncode, done.stdout) == (1, RAW)


def test_broken_text_settings_are_one_line(call, text_model):
    (text_model / "text.json").write_text('{"source_language": 3}', encoding="utf-8")
    done = call("translate", text_model, stdin=RAW)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "text.json: invalid text settings" in done.stderr
    assert call("translate", text_model, "--tokenised", stdin=RAW).returncode == 0


def test_unknown_words_are_counted(call, model):
    done = call("translate", model, stdin="the house was Built yesterday\nthe bridge was Built\nthe zeppelin\n")
    assert "; 3 of 11 words unknown to the model (most often Built, zeppelin): is the text tokenised" in done.stderr
    done = call("translate", model, stdin="the house was built yesterday in the house\n")
    assert done.stderr.endswith("; 1 of 8 words unknown to the model (most often in)\n")
    assert "unknown" not in call("translate", model, stdin="the house\n").stderr


def test_each_side_has_its_language(call, model, tmp_path):
    """Apostrophes end French words and begin English ones."""
    folder = shutil.copytree(model, tmp_path / "french")
    (folder / "text.json").write_text(json.dumps({"source_language": "fr", "target_language": "en"}), encoding="utf-8")
    french, english = "l' ami\n", "it 's here\n"
    assert call("text", "tokenise", folder, stdin="l'ami\n").stdout == french
    assert call("text", "tokenise", folder, "--side", "source", stdin="l'ami\n").stdout == french
    assert call("text", "tokenise", folder, "--side", "target", stdin="it's here\n").stdout == english
    assert call("text", "detokenise", folder, stdin=english).stdout == "It's here\n"
    assert call("text", "detokenise", folder, "--side", "source", stdin=french).stdout == "L'ami\n"
    assert call("text", "detokenise", folder, "--side", "target", stdin=french).stdout != "L'ami\n"
